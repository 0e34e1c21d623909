#include "libsamcl/device/link_rates.h"

#include <gmock/gmock.h>

#include "libsamcl/testing/fake_driver.h"

namespace samcl {
namespace {

using testing::Call;

TEST(LinkRates, AreWhatManyBytesTakeMoreThanFew) {
  const TransferRates rates = rates_of_link({130'000, 130'000 + driver::LinkTimes::kMany / 2});
  EXPECT_DOUBLE_EQ(rates.host, 2);
  EXPECT_DOUBLE_EQ(rates.exchange, 1) << "down one link and up another";
  EXPECT_EQ(rates.latency, 260'000u);
  EXPECT_EQ(rates.hand_over, 130'000u);
}

TEST(LinkRates, HandingOverIsNoFasterThanToADeviceOfThisMachine) {
  EXPECT_EQ(rates_of_link({10, 20}).hand_over, kHandOver);
}

TEST(LinkRates, StayPositiveWhereManyBytesTookNoLonger) { EXPECT_GT(rates_of_link({130'000, 120'000}).host, 0); }

TEST(LinkRates, AreAskedOncePerDeviceAndOfNoneThatRefuses) {
  testing::FakeDriver driver{2};
  const auto context = driver.make_context();
  driver.fail(Call::write, CL_OUT_OF_RESOURCES);
  measured_rates(context->devices);
  const int writes = driver.count(Call::write);
  EXPECT_EQ(writes, 1 + 8) << "device 0 refuses, device 1 is tried four times with few bytes, and with many";
  measured_rates(context->devices);
  EXPECT_EQ(driver.count(Call::write), writes + 8) << "device 0 alone is tried again";
  EXPECT_EQ(driver.live_buffers(), 0);
}

}  // namespace
}  // namespace samcl
