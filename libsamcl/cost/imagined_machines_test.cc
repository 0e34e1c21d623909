#include "libsamcl/cost/imagined_machines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samcl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ImaginedMachines parsed(const std::string& text) { return parse_imagined_machines(text).value(); }

std::string error(const std::string& text) {
  const auto machines = parse_imagined_machines(text);
  return machines ? "no error" : machines.error().message;
}

TEST(ImaginedMachines, AreNamedByDevicesLinksAndTimes) {
  const ImaginedMachines machines =
      parsed("devices=2,4,512,link=12GB/s,host=800MB/s,uplink=2.5GB/s,latency=60us,start=1.5ms");
  EXPECT_THAT(machines.devices, ElementsAre(2, 4, 512));
  EXPECT_DOUBLE_EQ(machines.link.value(), 12);
  EXPECT_DOUBLE_EQ(machines.host.value(), 0.8);
  EXPECT_DOUBLE_EQ(machines.uplink.value(), 2.5);
  EXPECT_EQ(machines.latency_ns, 60'000u);
  EXPECT_EQ(machines.start_ns, 1'500'000u);
}

TEST(ImaginedMachines, HaveTheMeasuredRatesWhereNoneAreGiven) {
  const TransferRates measured{3, 7, 11'000, 40'000};
  const TransferRates rates = parsed("devices=2").rates(2, measured);
  EXPECT_DOUBLE_EQ(rates.host, 3);
  EXPECT_DOUBLE_EQ(rates.exchange, 7);
  EXPECT_EQ(rates.latency, 11'000u);
  EXPECT_EQ(rates.hand_over, 40'000u);
}

TEST(ImaginedMachines, TheLinkLeadsToTheHostToo) {
  const TransferRates rates = parsed("devices=2,link=12GB/s").rates(2, {});
  EXPECT_DOUBLE_EQ(rates.exchange, 12);
  EXPECT_DOUBLE_EQ(rates.host, 12);
  EXPECT_DOUBLE_EQ(parsed("devices=2,link=12GB/s,host=1GB/s").rates(2, {}).host, 1);
}

TEST(ImaginedMachines, EachPartMoreTakesTheHostAStartMore) {
  EXPECT_EQ(parsed("devices=2").rates(2, {}).hand_over, kHandOver);
  EXPECT_EQ(parsed("devices=64").rates(64, {}).hand_over, kHandOver + 62 * kStartNs);
  EXPECT_EQ(parsed("devices=64,start=1us").rates(64, {}).hand_over, kHandOver + 62'000);
  EXPECT_EQ(parsed("devices=2,latency=60us").rates(2, {}).hand_over, 60'000u) << "who is far starts late";
}

TEST(ImaginedMachines, ErrorsNameTheWordAndWhatWasExpected) {
  EXPECT_THAT(error(""), HasSubstr("expects devices="));
  EXPECT_THAT(error("link=12GB/s"), HasSubstr("expects devices="));
  EXPECT_THAT(error("devices=0"), HasSubstr("from 1 to 1024, not '0'"));
  EXPECT_THAT(error("devices=1025"), HasSubstr("not '1025'"));
  EXPECT_THAT(error("devices=2,four"), HasSubstr("not 'four'"));
  EXPECT_THAT(error("devices=2,"), "no error");
  EXPECT_THAT(error("devices=2,,link=1GB/s"), HasSubstr("separated by commas, not ''"));
  EXPECT_THAT(error("devices=2,link=12"), HasSubstr("a rate such as 12GB/s or 800MB/s, not '12'"));
  EXPECT_THAT(error("devices=2,link=0GB/s"), HasSubstr("not '0GB/s'"));
  EXPECT_THAT(error("devices=2,link=12Gb/s"), HasSubstr("not '12Gb/s'"));
  EXPECT_THAT(error("devices=2,link=infGB/s"), HasSubstr("not 'infGB/s'"));
  EXPECT_THAT(error("devices=2,latency=60"), HasSubstr("a time such as 60us or 1.5ms, not '60'"));
  EXPECT_THAT(error("devices=2,latency=-1us"), HasSubstr("not '-1us'"));
  EXPECT_THAT(error("devices=2,speed=3"), HasSubstr("not 'speed'"));
  EXPECT_THAT(error("64"), HasSubstr("not '64'"));
}

}  // namespace
}  // namespace samcl
