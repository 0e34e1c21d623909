#include "libsamcl/device/timelines.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <limits>
#include <thread>

#include "libsamcl/device/peer_memory.h"
#include "libsamcl/device/range_copies.h"
#include "libsamcl/device/real_device.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/testing/fake_driver.h"

namespace samcl {
namespace {

using testing::Call;

constexpr uint64_t kEnd = std::numeric_limits<uint64_t>::max();

// Their kernels as functions: what they are called with.
struct TimelinesTest : ::testing::Test {
  struct Told {
    unsigned device;
    uint64_t position;
    bool operator==(const Told&) const = default;
  };
  struct Waited {
    unsigned device;
    uint64_t found, awaited;
    bool operator==(const Waited&) const = default;
  };

  testing::FakeDriver driver{2, testing::FakeDriver::Kind::cpu};
  std::vector<Told> told;
  std::vector<Waited> waited;
  std::vector<std::unique_ptr<RealDevice>> devices = driver.make_devices();
  std::unique_ptr<Timelines> timelines;

  TimelinesTest() {
    driver.define_kernel("samcl_tell", 2, [this](const testing::KernelCall& call) {
      std::memcpy(call.arguments[0].data(), call.arguments[1].data(), sizeof(uint64_t));
      told.push_back({call.device, value(call, 1)});
    });
    driver.define_kernel("samcl_wait", 2, [this](const testing::KernelCall& call) {
      waited.push_back({call.device, value(call, 0), value(call, 1)});
    });
    timelines = std::make_unique<Timelines>(devices, PeerMemory::in_host_memory(devices));
  }
  ~TimelinesTest() override {
    for (const auto& device : devices) EXPECT_TRUE(device->drain(10'000));
  }
  static uint64_t value(const testing::KernelCall& call, size_t argument) {
    uint64_t found = 0;
    std::memcpy(&found, call.arguments[argument].data(), sizeof found);
    return found;
  }
  // Until it has been found out whether they serve.
  bool prepare() {
    timelines->prepare();
    devices[0]->drain(10'000);
    told.clear();
    return timelines->serve();
  }
  cl_int wait_for(const Reached& after) { return timelines->wait(*devices[1 - after.device], after, false); }
};

TEST_F(TimelinesTest, ServeOnceTheyHaveBeenAskedFor) {
  EXPECT_FALSE(timelines->serve());
  EXPECT_TRUE(prepare());
}

TEST_F(TimelinesTest, DoNotServeWhereSomethingIsRefused) {
  for (const Call refused : {Call::create_buffer, Call::build, Call::write, Call::launch, Call::read, Call::argument}) {
    timelines = std::make_unique<Timelines>(devices, PeerMemory::in_host_memory(devices));
    driver.fail(refused, CL_OUT_OF_RESOURCES, 100);
    EXPECT_FALSE(prepare()) << static_cast<int>(refused);
    driver.fail(refused, CL_SUCCESS, 0);
  }
}

TEST_F(TimelinesTest, EachDeviceHasALineOfItsOwn) {
  EXPECT_EQ(timelines->issued(0), 1U);
  EXPECT_EQ(timelines->issued(0), 2U);
  EXPECT_EQ(timelines->issued(1), 1U);
  EXPECT_FALSE(timelines->is_given({0, 1}));
  timelines->given(0, 1);
  EXPECT_TRUE(timelines->is_given({0, 1}));
  EXPECT_FALSE(timelines->is_given({0, 2}));
  EXPECT_FALSE(timelines->is_given({1, 1}));
}

TEST_F(TimelinesTest, WhatIsAwaitedAlreadyIsNotAwaitedAgain) {
  EXPECT_TRUE(timelines->begins_to_wait(1, {0, 5}));
  EXPECT_FALSE(timelines->begins_to_wait(1, {0, 5}));
  EXPECT_FALSE(timelines->begins_to_wait(1, {0, 3}));
  EXPECT_TRUE(timelines->begins_to_wait(1, {0, 6}));
  EXPECT_TRUE(timelines->begins_to_wait(0, {1, 1}));
}

// The very first operation may still run when devices have been tried.
TEST_F(TimelinesTest, ToBeTriedTellsOfNothing) {
  ASSERT_TRUE(prepare());
  EXPECT_EQ(wait_for({0, 1}), CL_SUCCESS);
  EXPECT_THAT(waited, ::testing::ElementsAre(Waited{1, 0, 1}));
}

TEST_F(TimelinesTest, WhoWaitsHasToldWhatNobodyHas) {
  ASSERT_TRUE(prepare());
  timelines->given(0, 7);
  EXPECT_EQ(wait_for({0, 5}), CL_SUCCESS);
  EXPECT_THAT(told, ::testing::ElementsAre(Told{0, 7})) << "of all that the queue has";
  EXPECT_THAT(waited, ::testing::ElementsAre(Waited{1, 7, 5}));
  timelines->tell(*devices[0], 6);
  EXPECT_EQ(wait_for({0, 7}), CL_SUCCESS);
  EXPECT_EQ(told.size(), 1U) << "it tells so already";
  timelines->given(0, 8);
  timelines->tell(*devices[0], 8);
  EXPECT_EQ(wait_for({0, 8}), CL_SUCCESS);
  EXPECT_THAT(told, ::testing::ElementsAre(Told{0, 7}, Told{0, 8}));
}

// Nobody may wait for ever because a driver was short of something.
TEST_F(TimelinesTest, WhatADriverDoesNotTakeIsToldByTheHost) {
  ASSERT_TRUE(prepare());
  timelines->given(0, 3);
  driver.fail(Call::launch, CL_OUT_OF_RESOURCES);
  timelines->tell(*devices[0], 3);
  EXPECT_TRUE(told.empty());
  EXPECT_EQ(wait_for({0, 3}), CL_SUCCESS);
  EXPECT_THAT(waited, ::testing::ElementsAre(Waited{1, 3, 3}));
  EXPECT_TRUE(timelines->serve());
}

TEST_F(TimelinesTest, AQueueThatCannotBeWaitedForLetsAllGo) {
  ASSERT_TRUE(prepare());
  timelines->given(0, 3);
  driver.fail(Call::launch, CL_OUT_OF_RESOURCES);
  driver.fail(Call::finish, CL_INVALID_COMMAND_QUEUE);
  timelines->tell(*devices[0], 3);
  EXPECT_EQ(wait_for({0, 3}), CL_SUCCESS);
  EXPECT_THAT(waited, ::testing::ElementsAre(Waited{1, kEnd, 3}));
}

TEST_F(TimelinesTest, NobodyWaitsForALostDevice) {
  timelines->let_go(0);
  EXPECT_FALSE(prepare()) << "nor is anything made for it";
  timelines = std::make_unique<Timelines>(devices, PeerMemory::in_host_memory(devices));
  ASSERT_TRUE(prepare());
  timelines->given(0, 1);
  timelines->tell(*devices[0], 1);
  timelines->let_go(0);
  EXPECT_FALSE(timelines->serve());
  EXPECT_EQ(wait_for({0, 1}), CL_SUCCESS);
  EXPECT_THAT(waited, ::testing::ElementsAre(Waited{1, kEnd, 1}));
}

// A copy that waits for nobody tells how far its own queue has come, and copies by one kernel.
TEST_F(TimelinesTest, CopiesTellToo) {
  struct Seen {
    uint64_t own = 0, position = 0, awaited = 0;
    size_t ranges = 0;
  };
  std::vector<Seen> seen;
  for (const char* const name : {"samcl_copy_16", "samcl_copy_4", "samcl_copy_1"}) {
    driver.define_kernel(name, 7, [&](const testing::KernelCall& call) {
      seen.push_back({call.arguments[3].size(), value(call, 4), value(call, 6), call.size[1]});
    });
  }
  ASSERT_TRUE(prepare());
  cl_int error = CL_SUCCESS;
  const auto buffer = [&](unsigned device) {
    return driver::real().clCreateBuffer(devices[device]->context(), CL_MEM_READ_WRITE, 4096, nullptr, &error);
  };
  const cl_mem from = buffer(1), to = buffer(1);
  const RectanglePairs ranges{{Rectangle::run(0, 16), Rectangle::run(0, 16)},
                              {Rectangle::run(64, 64), Rectangle::run(1024, 64)}};
  timelines->given(1, 4);
  EXPECT_EQ(timelines->copy(*devices[1], nullptr, from, to, ranges, {}), CL_SUCCESS);
  EXPECT_EQ(timelines->copy(*devices[1], nullptr, from, to, ranges, {}), CL_SUCCESS);
  const Reached after{0, 1};
  EXPECT_EQ(timelines->copy(*devices[1], &after, from, to, ranges, {}), std::nullopt)
      << "its work-groups would keep the cores that the other device needs";
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_GT(seen[0].own, sizeof(cl_mem)) << "a buffer";
  EXPECT_EQ(seen[0].position, 4U);
  EXPECT_EQ(seen[1].own, sizeof(cl_mem)) << "no buffer: it was told before";
  EXPECT_EQ(seen[0].ranges, 2U);
  for (const cl_mem each : {from, to}) driver::real().clReleaseMemObject(each);
}

}  // namespace
}  // namespace samcl
