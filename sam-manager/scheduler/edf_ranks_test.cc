#include "sam-manager/scheduler/edf_ranks.h"

#include <gmock/gmock.h>

namespace samcl::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(EdfRanks, EarliestDeadlineHasTheHighestPriority) {
  EXPECT_THAT(edf_ranks({{1, 500, 30, 98}, {2, 300, 10, 98}, {3, 400, 20, 98}}, 1),
              ElementsAre(Pair(1, 28), Pair(2, 30), Pair(3, 29)));
}

TEST(EdfRanks, WhoHasNoJobComesLastAndTiesAreTheMoreUrgentTasks) {
  EXPECT_THAT(edf_ranks({{1, UINT64_MAX, 30, 98}, {2, 300, 10, 98}, {3, 300, 20, 98}}, 1),
              ElementsAre(Pair(1, 28), Pair(2, 29), Pair(3, 30)));
}

TEST(EdfRanks, NobodyIsAboveWhatItsUserMayHave) {
  EXPECT_THAT(edf_ranks({{1, 1, 5, 5}, {2, 2, 50, 98}}, 1), ElementsAre(Pair(1, 5), Pair(2, 49)));
}

TEST(EdfRanks, WhereThereAreTooFewTheLastShareTheLowest) {
  EXPECT_THAT(edf_ranks({{1, 1, 4, 98}, {2, 2, 4, 98}, {3, 3, 4, 98}, {4, 4, 4, 98}}, 3),
              ElementsAre(Pair(1, 4), Pair(2, 3), Pair(3, 3), Pair(4, 3)));
}

}  // namespace
}  // namespace samcl::scheduler
