#include "libsamcl/device/one_context.h"

#include <gmock/gmock.h>

#include <array>
#include <vector>

#include "libsamcl/device/real_device.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/testing/fake_driver.h"
#include "libsamcl/testing/fake_manager.h"

namespace samcl {
namespace {

using testing::Call;
using ::testing::Each;

constexpr driver::LinkTimes kSlowStart{1'000'000, 2'000'000}, kQuickStart{500'000, 2'500'000};

TEST(ExchangeTimes, OneContextIsFasterFromTheSizeOnThatPaysForItsStart) {
  const driver::ExchangeTimes times{.through_host = kQuickStart, .in_one_context = kSlowStart};
  EXPECT_FALSE(times.is_faster_in_one_context(64));
  EXPECT_FALSE(times.is_faster_in_one_context(driver::LinkTimes::kMany / 2 - 1));
  EXPECT_TRUE(times.is_faster_in_one_context(driver::LinkTimes::kMany / 2 + 1));
  EXPECT_NEAR(static_cast<double>(times.least_in_one_context().value()), 1'048'576, 2) << "half of the many";
}

TEST(ExchangeTimes, OneContextIsNotWorthHavingWhereAPieceIsSlower) {
  const driver::LinkTimes late{10'000'000, 11'000'000};
  EXPECT_FALSE((driver::ExchangeTimes{.through_host = kQuickStart, .in_one_context = late}.least_in_one_context()));
  EXPECT_FALSE(
      (driver::ExchangeTimes{.through_host = kQuickStart, .in_one_context = kQuickStart}.least_in_one_context()));
  EXPECT_EQ((driver::ExchangeTimes{.through_host = late, .in_one_context = kSlowStart}.least_in_one_context()), 0u);
}

TEST(ExchangeTimes, AFewBytesThatTookLongerThanManyTellNothingOfTheRate) {
  EXPECT_DOUBLE_EQ((driver::LinkTimes{3'000'000, 2'000'000}.bytes_per_ns()), driver::LinkTimes::kMany / 2e6);
}

TEST(OneContext, TakesWhatArrivesSoonerWithinAServerOrAcross) {
  const driver::ExchangeTimes never{.through_host = kQuickStart, .in_one_context = {10'000'000, 20'000'000}};
  const driver::ExchangeTimes always{.through_host = kSlowStart, .in_one_context = kQuickStart};
  testing::FakeDriver driver{2};
  cl_int error;
  driver::Owned<cl_context> real(
      driver::real().clCreateContext(nullptr, 2, driver.devices().data(), nullptr, nullptr, &error),
      driver::real().clReleaseContext);
  const OneContext context(std::move(real), OneContext::Times{.within = always, .across = never});
  EXPECT_TRUE(context.takes(64, true));
  EXPECT_FALSE(context.takes(64, false));
}

struct OneContextTest : ::testing::Test {
  static constexpr uint64_t kSize = (13 << 20) + 77;

  testing::FakeDriver driver{2};
  cl_context real = make_context();
  const std::shared_ptr<OneContext> context =
      std::make_shared<OneContext>(driver::Owned<cl_context>(real, driver::real().clReleaseContext), std::nullopt);
  RealDevice from{0, driver.devices()[0], {}, {}, context}, to{1, driver.devices()[1], {}, {}, context};
  cl_mem source = make_buffer(), target = make_buffer();

  ~OneContextTest() override {
    driver::real().clReleaseMemObject(source);
    driver::real().clReleaseMemObject(target);
    EXPECT_EQ(driver.misuses(), 0);
  }
  cl_context make_context() const {
    cl_int made;
    return driver::real().clCreateContext(nullptr, 2, driver.devices().data(), nullptr, nullptr, &made);
  }
  cl_mem make_buffer() const {
    cl_int made;
    return driver::real().clCreateBuffer(real, CL_MEM_READ_WRITE, kSize, nullptr, &made);
  }
  cl_int pass(const std::vector<Rectangle>& rows) { return context->pass(from, to, source, target, rows); }

  // That of the target these bytes, and no others, are the source's.
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

TEST_F(OneContextTest, RunsAndRowsArriveWhereTheyWere) {
  fill_source();
  const std::vector<Rectangle> rows{Rectangle::run(3, 1),
                                    Rectangle::run(100, 5'000),
                                    {10'000, 512, 51'200, {100, 100, 1}},
                                    Rectangle::run(1 << 20, (9 << 20) + 13)};
  EXPECT_EQ(pass(rows), CL_SUCCESS);
  expect_passed(rows);
}

TEST_F(OneContextTest, LongRangesPassThroughTwoSmallBuffersInTurn) {
  const int before = driver.live_buffers();
  EXPECT_EQ(pass({Rectangle::run(0, 12 << 20)}), CL_SUCCESS);
  EXPECT_EQ(driver.live_buffers() - before, 2) << "three pieces of 4 MiB";
  EXPECT_EQ(driver.count(Call::migrate), 3 + 1) << "each, and the third waits until the first has been copied out";
}

TEST_F(OneContextTest, StagingBuffersAreUsedAgain) {
  EXPECT_EQ(pass({Rectangle::run(0, 3'000)}), CL_SUCCESS);
  const int before = driver.count(Call::create_buffer);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(pass({Rectangle::run(7, 2'100)}), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::create_buffer), before);
}

struct Refusal {
  Call call;
  int others;  // that go well before
};
struct RefusedTest : OneContextTest, ::testing::WithParamInterface<Refusal> {};

TEST_P(RefusedTest, IsToldAndSpoilsNothing) {
  driver.fail(GetParam().call, CL_OUT_OF_RESOURCES, 1, GetParam().others);
  EXPECT_EQ(pass({Rectangle::run(0, 1'000), Rectangle::run(5'000, 100'000)}), CL_OUT_OF_RESOURCES);
  fill_source();
  EXPECT_EQ(pass({Rectangle::run(0, kSize)}), CL_SUCCESS);
  expect_passed({Rectangle::run(0, kSize)});
}

INSTANTIATE_TEST_SUITE_P(Commands, RefusedTest,
                         ::testing::Values(Refusal{Call::create_buffer, 0}, Refusal{Call::create_buffer, 1},
                                           Refusal{Call::copy, 0}, Refusal{Call::copy, 1}, Refusal{Call::copy, 2},
                                           Refusal{Call::copy, 3}, Refusal{Call::migrate, 0},
                                           Refusal{Call::migrate, 1}));

TEST(OneContext, ALeaseOrASingleDeviceRulesItOut) {
  testing::FakeDriver driver{2};
  testing::FakeManager manager;
  EXPECT_THAT(OneContext::of(driver.devices(), {&manager, 0}, nullptr), Each(nullptr));
  EXPECT_THAT(OneContext::of({driver.devices()[0]}, {}, nullptr), Each(nullptr));
  EXPECT_THAT(OneContext::of(driver.devices(), {}, nullptr), Each(nullptr)) << "neither forced nor remote";
}

}  // namespace
}  // namespace samcl
