#include "libsamcl/observe/prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace samcl::prediction {
namespace {

using testing::HasSubstr;

constexpr uint64_t kMs = 1'000'000;

// 100 ms, of which 80 were kernels and 5 transfers.
Totals one_program() {
  return {.machines = "devices=4",
          .launches = 8,
          .wall_ns = 100 * kMs,
          .kernel_ns = 80 * kMs,
          .transfer_ns = 5 * kMs,
          .on = {{.devices = 1, .computing_ns = 80 * kMs, .moving_ns = 5 * kMs},
                 {.devices = 4,
                  .split_launches = 7,
                  .computing_ns = 25 * kMs,
                  .moving_ns = 10 * kMs,
                  .split_alone_ns = 70 * kMs,
                  .split_ns = 20 * kMs,
                  .most_parts = 3}}};
}

TEST(Prediction, WhatIsNeitherKernelsNorTransfersStays) {
  const Totals totals = one_program();
  EXPECT_EQ(totals.other_ns(), 15 * kMs);
  EXPECT_EQ(totals.total_ns(totals.on[0]), 100 * kMs);
  EXPECT_EQ(totals.total_ns(totals.on[1]), 50 * kMs);
}

TEST(Prediction, PredictingIsNoPartOfTheProgram) {
  Totals totals = one_program();
  totals.predicting_ns = 10 * kMs;
  EXPECT_EQ(totals.other_ns(), 5 * kMs);
}

TEST(Prediction, TransfersBesideKernelsLeaveNoTimeBelowZero) {
  Totals totals = one_program();
  totals.wall_ns = 70 * kMs;
  EXPECT_EQ(totals.other_ns(), 0u);
}

TEST(Prediction, TheTableLinesUp) {
  std::istringstream lines(table(one_program()));
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[1], "samcl: what if devices=4");
  EXPECT_EQ(all[2],
            " devices      split   computing ms    moving ms     other ms     total ms  speed-up  of split not built "
            " parts");
  EXPECT_EQ(all[3],
            "       1          0          80.00         5.00        15.00       100.00      1.00         -         0 "
            "     1");
  EXPECT_EQ(all[4],
            "       4          7          25.00        10.00        15.00        50.00      2.00      3.50         0 "
            "     3");
  EXPECT_EQ(all[5], "predicted from 8 launches on one device, which computed 80.00 ms; the program took 100.00 ms");
}

TEST(Prediction, SaysWhyLaunchesWereNotSplit) {
  Totals totals = one_program();
  EXPECT_THAT(table(totals), testing::Not(HasSubstr("not built:")));
  totals.on[1].unbuilt_launches = 1;
  EXPECT_THAT(table(totals), HasSubstr("not built: launches that ran whole"));
}

TEST(Prediction, SaysThatThereIsNothingToPredict) {
  Totals totals = one_program();
  totals.launches = 0;
  EXPECT_THAT(table(totals), HasSubstr("no kernel was launched"));
}

TEST(Prediction, JsonHasTheSameNumbers) {
  const auto all = nlohmann::json::parse(json(one_program()));
  EXPECT_EQ(all["format"], "samcl-what-if 1");
  EXPECT_EQ(all["other_ns"], 15 * kMs);
  EXPECT_EQ(all["predicted"][1]["devices"], 4);
  EXPECT_EQ(all["predicted"][1]["total_ns"], 50 * kMs);
  EXPECT_EQ(all["predicted"][1]["split_ns"], 20 * kMs);
  EXPECT_EQ(all["predicted"][1]["most_parts"], 3);
}

}  // namespace
}  // namespace samcl::prediction
