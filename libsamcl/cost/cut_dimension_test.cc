#include "libsamcl/cost/cut_dimension.h"

#include <gmock/gmock.h>

namespace samcl {
namespace {

using ::testing::ElementsAre;

TEST(CutDimension, IsComparedUntilOneIsKnownAndThenNowAndThen) {
  CutDimension known;
  std::vector<unsigned> dimensions{2, 1, 0};
  EXPECT_TRUE(known.is_to_compare(dimensions));
  EXPECT_THAT(dimensions, ElementsAre(2, 1, 0));
  known.found(0);
  uint32_t compared = 0;
  for (uint32_t i = 0; i < 4 * CutDimension::kCompared; ++i) {
    dimensions = {2, 1, 0};
    compared += known.is_to_compare(dimensions);
    EXPECT_THAT(dimensions, ElementsAre(0, 2, 1));
  }
  EXPECT_EQ(compared, 4u);
}

TEST(CutDimension, IsComparedWhereTheBestOneDoesNotServe) {
  CutDimension known;
  known.found(2);
  std::vector<unsigned> dimensions{1, 0};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(known.is_to_compare(dimensions));
  EXPECT_THAT(dimensions, ElementsAre(1, 0));
}

}  // namespace
}  // namespace samcl
