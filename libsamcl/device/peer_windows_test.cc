#include "libsamcl/device/peer_windows.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <vector>

#include "libsamcl/device/real_device.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/testing/fake_driver.h"

namespace samcl {
namespace {

using testing::Call;

struct PeerWindowsTest : ::testing::Test {
  static constexpr uint64_t kSize = 2 * PeerWindows::kWindow + (13 << 20) + 77;

  testing::FakeDriver driver{2, testing::FakeDriver::Kind::cpu};
  std::vector<std::unique_ptr<RealDevice>> devices = driver.make_devices();
  PeerWindows windows{PeerMemory::in_host_memory(devices)};
  cl_mem source = make_buffer(0), target = make_buffer(1);

  ~PeerWindowsTest() override {
    driver::real().clReleaseMemObject(source);
    driver::real().clReleaseMemObject(target);
    EXPECT_EQ(driver.misuses(), 0);
  }
  cl_mem make_buffer(unsigned device) const {
    cl_int made;
    return driver::real().clCreateBuffer(devices[device]->context(), CL_MEM_READ_WRITE, kSize, nullptr, &made);
  }
  std::optional<cl_int> pass(const std::vector<Rectangle>& rows) {
    return windows.pass(*devices[0], *devices[1], source, target, rows);
  }

  // Of the target these bytes, and no others, are the source's.
  void expect_passed(const std::vector<Rectangle>& rows) const {
    const std::span<std::byte> given = driver.contents(source), found = driver.contents(target);
    std::vector<std::byte> expected(kSize, std::byte{0xcd});
    for (const Rectangle& each : rows) {
      each.for_each_row([&](uint64_t, Range row) {
        std::copy(given.begin() + static_cast<ptrdiff_t>(row.begin), given.begin() + static_cast<ptrdiff_t>(row.end),
                  expected.begin() + static_cast<ptrdiff_t>(row.begin));
      });
    }
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
  }
  void fill_source() const {
    std::byte next{1};
    for (std::byte& each : driver.contents(source)) each = next = std::byte(std::to_integer<int>(next) * 5 + 3);
  }
};

TEST_F(PeerWindowsTest, RunsAndRowsArriveWhereTheyWere) {
  fill_source();
  const std::vector<Rectangle> rows{Rectangle::run(3, 1),
                                    Rectangle::run(100, 5'000),
                                    {10'000, 512, 51'200, {100, 100, 1}},
                                    Rectangle::run(1 << 20, 2 * PeerWindows::kWindow + (9 << 20) + 13)};
  EXPECT_EQ(pass(rows), CL_SUCCESS);
  expect_passed(rows);
}

TEST_F(PeerWindowsTest, ShortRangesShareAWindow) {
  std::vector<Rectangle> rows;
  for (uint64_t i = 0; i < 10; ++i) rows.push_back(Rectangle::run(i * i * 900'000, 1'000));
  fill_source();
  EXPECT_EQ(pass(rows), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::copy), 20) << "each once in and once out";
  expect_passed(rows);
}

// The kernel as a function: bytes that a work-item copies at once.
struct ByKernel : PeerWindowsTest, ::testing::WithParamInterface<uint64_t> {
  ByKernel() {
    for (const char* const other : {"samcl_copy_16", "samcl_copy_4", "samcl_copy_1"})
      driver.define_kernel(other, 7, [](const testing::KernelCall&) { FAIL() << "copies fewer bytes at once"; });
    driver.define_kernel("samcl_copy_" + std::to_string(GetParam()), 7, [](const testing::KernelCall& call) {
      struct {
        std::array<uint64_t, RangeCopies::kMost> from, to;
        std::array<uint32_t, RangeCopies::kMost> size, rows, from_pitch, to_pitch;
      } table{};
      ASSERT_EQ(call.arguments[2].size(), sizeof table);
      std::memcpy(&table, call.arguments[2].data(), sizeof table);
      const auto bytes = [](uint64_t units) { return units * GetParam(); };
      for (size_t i = 0; i < call.size[1]; ++i) {
        for (uint64_t row = 0; row < table.rows[i]; ++row) {
          const uint64_t from = bytes(table.from[i] + row * table.from_pitch[i]);
          const uint64_t to = bytes(table.to[i] + row * table.to_pitch[i]), size = bytes(table.size[i]);
          ASSERT_LE(from + size, call.arguments[0].size());
          ASSERT_LE(to + size, call.arguments[1].size());
          std::memcpy(call.arguments[1].data() + to, call.arguments[0].data() + from, size);
        }
      }
    });
  }
};

TEST_P(ByKernel, ManyRangesAreCopied) {
  std::vector<Rectangle> rows;
  for (uint64_t i = 0; i < RangeCopies::kMost; ++i)
    rows.push_back(Rectangle::run(GetParam() * (i * i * 1'001 + 7), GetParam() * (1 + 17 * i)));
  fill_source();
  EXPECT_EQ(pass(rows), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::copy), 0);
  EXPECT_EQ(driver.count(Call::launch), 2) << "one in, one out";
  expect_passed(rows);
}

TEST_P(ByKernel, RowsOfRangesAreCopied) {
  const uint64_t unit = GetParam();
  std::vector<Rectangle> rows;
  for (uint64_t i = 1; i < 6; ++i)
    rows.push_back({unit * (i * 100'001), unit * (20 + i), unit * (20 + i) * 1'000, {unit * 3 * i, 200 * i, 1}});
  fill_source();
  EXPECT_EQ(pass(rows), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::copy), 0);
  EXPECT_EQ(driver.count(Call::launch), 2) << "one in, one out";
  expect_passed(rows);
}

TEST_P(ByKernel, FewRangesAndTooManyAreLeftToCommands) {
  std::vector<Rectangle> rows;
  for (uint64_t i = 0; i < RangeCopies::kMost + 1; ++i) rows.push_back(Rectangle::run(i * 1'024, GetParam()));
  fill_source();
  EXPECT_EQ(pass(rows), CL_SUCCESS);
  expect_passed(rows);
  EXPECT_EQ(pass({Rectangle::run(0, 64), Rectangle::run(128, 64)}), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::launch), 0);
}

TEST_P(ByKernel, IsRefusedLikeACopy) {
  driver.fail(Call::launch, CL_OUT_OF_RESOURCES, 1, 1);
  std::vector<Rectangle> rows;
  for (uint64_t i = 0; i < 4; ++i) rows.push_back(Rectangle::run(i * 1'024, GetParam()));
  EXPECT_EQ(pass(rows), CL_OUT_OF_RESOURCES);
}

INSTANTIATE_TEST_SUITE_P(Units, ByKernel, ::testing::Values(1, 4, 16));

TEST_F(PeerWindowsTest, ADriverThatDoesNotBuildTheKernelCopies) {
  driver.define_kernel("samcl_copy_16", 7, [](const testing::KernelCall&) { FAIL() << "it was not built"; });
  driver.fail(Call::build, CL_BUILD_PROGRAM_FAILURE, 100);
  std::vector<Rectangle> rows;
  for (uint64_t i = 0; i < 10; ++i) rows.push_back(Rectangle::run(i * 1'024, 16));
  fill_source();
  EXPECT_EQ(pass(rows), CL_SUCCESS);
  expect_passed(rows);
}

TEST_F(PeerWindowsTest, TwoWindowsDoForAnyLengthAndAreUsedAgain) {
  const int before = driver.count(Call::create_buffer);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pass({Rectangle::run(0, kSize)}), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::create_buffer) - before, 4) << "two windows, seen by two devices";
  EXPECT_EQ(driver.count(Call::copy), 3 * 3 * 2) << "three pieces";
}

TEST_F(PeerWindowsTest, NothingIsDoneWithoutMemoryForWindows) {
  for (int others = 0; others < 4; ++others) {
    PeerWindows fresh{PeerMemory::in_host_memory(devices)};
    driver.fail(Call::create_buffer, CL_MEM_OBJECT_ALLOCATION_FAILURE, 1, others);
    const std::vector<Rectangle> rows{Rectangle::run(0, 100)};
    EXPECT_EQ(fresh.pass(*devices[0], *devices[1], source, target, rows), std::nullopt) << others;
    EXPECT_EQ(driver.count(Call::copy), 0);
  }
  fill_source();
  EXPECT_EQ(pass({Rectangle::run(0, 100)}), CL_SUCCESS);
  expect_passed({Rectangle::run(0, 100)});
}

struct RefusedCopyTest : PeerWindowsTest, ::testing::WithParamInterface<int> {};

TEST_P(RefusedCopyTest, IsToldAndSpoilsNothing) {
  driver.fail(Call::copy, CL_OUT_OF_RESOURCES, 1, GetParam());
  EXPECT_EQ(pass({Rectangle::run(0, 1'000), Rectangle::run(5'000, 2 * PeerWindows::kWindow)}), CL_OUT_OF_RESOURCES);
  fill_source();
  EXPECT_EQ(pass({Rectangle::run(0, kSize)}), CL_SUCCESS);
  expect_passed({Rectangle::run(0, kSize)});
}

INSTANTIATE_TEST_SUITE_P(Copies, RefusedCopyTest, ::testing::Range(0, 6));

}  // namespace
}  // namespace samcl
