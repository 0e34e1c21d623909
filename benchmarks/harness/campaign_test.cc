#include "benchmarks/harness/campaign.h"

#include <gmock/gmock.h>

namespace samcl::bench {
namespace {

using ::testing::ElementsAre;

Campaign two_rounds() {
  Campaign campaign;
  campaign.items = {{{"A", "/a", true, {}}, 0, {}}, {{"B", "/b", true, {}}, 0, {}}};
  campaign.devices = {kBare, 2};
  campaign.repeat = 2;
  return campaign;
}

using Execute = std::function<Execution(const Item&, Execution)>;

Conduct quietly(Execute execute) {
  return {std::move(execute), [](size_t, const Item&, const Execution&) {}, [](const std::vector<Execution>&) {},
          [] { return false; }};
}

// "A0 A2 ..." with every run's outcome by `outcome_of`.
std::vector<std::string> executed(const Campaign& campaign,
                                  const std::function<Outcome(const Execution&)>& outcome_of) {
  std::vector<std::string> order;
  measure(campaign, quietly([&](const Item&, Execution run) {
            order.push_back(run.program + std::to_string(run.devices));
            run.outcome = outcome_of(run);
            return run;
          }));
  return order;
}

Execution passed(const Item&, Execution run) {
  run.outcome = Outcome::pass;
  return run;
}

TEST(Campaign, BareAndSamclAlternate) {
  EXPECT_THAT(executed(two_rounds(), [](const Execution&) { return Outcome::pass; }),
              ElementsAre("A0", "A2", "A2", "A0", "B0", "B2", "B2", "B0"));
}

TEST(Campaign, WhatHangsOrCrashesIsNotRepeatedAndTheRestGoesOn) {
  for (const Outcome outcome : {Outcome::timeout, Outcome::crash, Outcome::error}) {
    EXPECT_THAT(executed(two_rounds(),
                         [&](const Execution& run) {
                           return run.program == "A" && run.devices == 2 ? outcome : Outcome::pass;
                         }),
                ElementsAre("A0", "A2", "A0", "B0", "B2", "B2", "B0"));
  }
}

TEST(Campaign, AWrongResultIsRepeated) {
  EXPECT_EQ(executed(two_rounds(), [](const Execution&) { return Outcome::fail; }).size(), 8u);
}

TEST(Campaign, RunsSayWhatTheyAreOf) {
  Campaign campaign = two_rounds();
  campaign.items[0].parameter = 256;
  std::vector<size_t> announced;
  Conduct conduct = quietly(passed);
  conduct.announce = [&](size_t number, const Item&, const Execution&) { announced.push_back(number); };
  const auto runs = measure(campaign, conduct);
  ASSERT_EQ(runs.size(), 8u);
  EXPECT_EQ(runs[2].program, "A");
  EXPECT_EQ(runs[2].parameter, 256u);
  EXPECT_EQ(runs[2].devices, 2u);
  EXPECT_EQ(runs[2].round, 1u);
  EXPECT_THAT(announced, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(Campaign, EachItemsEndIsToldWithAllThatCameBefore) {
  std::vector<size_t> counts;
  Conduct conduct = quietly(passed);
  conduct.item_done = [&](const std::vector<Execution>& runs) { counts.push_back(runs.size()); };
  measure(two_rounds(), conduct);
  EXPECT_THAT(counts, ElementsAre(4, 8));
}

TEST(Campaign, TheOneDuringWhichItIsStoppedDoesNotCount) {
  int left = 3;
  Conduct conduct = quietly(passed);
  conduct.stopped = [&] { return --left < 0; };
  EXPECT_EQ(measure(two_rounds(), conduct).size(), 3u);
}

}  // namespace
}  // namespace samcl::bench
