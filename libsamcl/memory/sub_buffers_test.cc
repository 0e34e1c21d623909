#include "libsamcl/memory/sub_buffers.h"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <vector>

#include "libsamcl/objects/buffer.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/testing/fake_driver.h"

namespace samcl {
namespace {

using testing::FakeDriver;

constexpr uint64_t kBytes = 600;

struct SubBuffersTest : ::testing::Test {
  FakeDriver driver{2};  // which counts it as misuse if a newer one overlaps what is released
  std::shared_ptr<Context> context = driver.make_context();
  std::shared_ptr<Storage> storage = std::make_shared<Storage>(context, kBytes, nullptr);
  std::shared_ptr<Buffer> whole = make({0, kBytes}, nullptr);
  ~SubBuffersTest() override { EXPECT_EQ(driver.misuses(), 0); }

  std::shared_ptr<Buffer> make(Range range, std::shared_ptr<Buffer> parent) const {
    return std::make_shared<Buffer>(context, storage, range, CL_MEM_READ_WRITE, nullptr, std::move(parent),
                                    std::vector<cl_mem_properties>(), std::nullopt);
  }
  std::shared_ptr<Buffer> part(uint64_t begin, uint64_t end) const { return make({begin, end}, whole); }
  static cl_mem real(const std::shared_ptr<Buffer>& buffer, unsigned device = 0) {
    cl_int error;
    return buffer->real(device, &error);
  }
};

TEST_F(SubBuffersTest, AnOlderOneStaysUntilTheNewerOnesThatOverlapItAreGone) {
  auto older = part(0, 400), newer = part(200, 600), other = part(400, 600);
  for (const auto& each : {older, newer, other}) real(each);
  EXPECT_EQ(driver.live_buffers(), 4);
  older = nullptr;
  EXPECT_EQ(driver.live_buffers(), 4);
  newer = nullptr;  // `other` overlaps it
  EXPECT_EQ(driver.live_buffers(), 4);
  other = nullptr;
  EXPECT_EQ(driver.live_buffers(), 1);
}

TEST_F(SubBuffersTest, WhatOverlapsNoneGoesAtOnce) {
  auto left = part(0, 300), right = part(300, 600);
  real(left);
  real(right);
  left = nullptr;
  EXPECT_EQ(driver.live_buffers(), 2);
}

TEST_F(SubBuffersTest, OneThatStaysServesAgain) {
  auto older = part(0, 400), newer = part(200, 600);
  const cl_mem first = real(older);
  real(newer);
  older = part(0, 400);
  EXPECT_EQ(real(older), first);
  EXPECT_NE(real(part(0, 400)), first) << "it has a user";
}

TEST_F(SubBuffersTest, InAnyOrder) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<std::shared_ptr<Buffer>> live;
  for (int step = 0; step < 20000; ++step) {
    if (live.size() < 8 && random() % 2 == 0) {
      const uint64_t begin = random() % 6 * 100;
      live.push_back(part(begin, begin + 100 + random() % (6 - begin / 100) * 100));
    } else if (!live.empty()) {
      const size_t which = random() % live.size();
      if (random() % 2 == 0)
        live.erase(live.begin() + static_cast<ptrdiff_t>(which));
      else
        ASSERT_NE(real(live[which], random() % 2), nullptr);
    }
  }
  live.clear();
  EXPECT_LE(driver.live_buffers(), 2);
}

}  // namespace
}  // namespace samcl
