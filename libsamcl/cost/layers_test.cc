#include "libsamcl/cost/layers.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

const Ndrange kNdrange{1, {0, 0, 0}, {6400, 1, 1}, {64, 1, 1}};  // 100 work-groups

GroupBox box(uint64_t first, uint64_t count) { return {{first, 0, 0}, {count, 1, 1}}; }
std::vector<Part> halves() { return {{0, box(0, 48)}, {1, box(48, 52)}}; }

std::vector<GroupBox> boxes(const std::vector<Part>& parts) {
  std::vector<GroupBox> of;
  for (const Part& part : parts) of.push_back(part.box);
  return of;
}

TEST(WithLayers, ComeFirstAndInTheOrderOfTheirParts) {
  const auto parts = with_layers(halves(), 0, {{{false, true}, {true, true}}, 16});
  EXPECT_EQ(boxes(parts), (std::vector{box(45, 3), box(48, 3), box(97, 3), box(0, 45), box(51, 46)}));
  EXPECT_EQ(parts[0].device, 0u);
  EXPECT_EQ(parts[1].device, 1u);
  EXPECT_EQ(parts[2].device, 1u);
  EXPECT_EQ(parts[3].device, 0u);
  EXPECT_EQ(parts[4].device, 1u);
}

TEST(WithLayers, HaveOneWorkGroupAtLeast) {
  const auto parts = with_layers({{0, box(0, 3)}, {1, box(3, 3)}}, 0, {{{false, true}, {true, false}}, 16});
  EXPECT_EQ(boxes(parts), (std::vector{box(2, 1), box(3, 1), box(0, 2), box(4, 2)}));
}

TEST(WithLayers, PartsThatAreTooThinStayWhole) {
  const auto parts = with_layers({{0, box(0, 1)}, {1, box(1, 2)}}, 0, {{{false, true}, {true, true}}, 4});
  EXPECT_EQ(boxes(parts), (std::vector{box(0, 1), box(1, 2)}));
}

TEST(WithLayers, GoAlongTheDimensionThatIsCut) {
  const Part part{1, {{0, 32, 0}, {10, 32, 1}}};
  const auto parts = with_layers({part}, 1, {{{true, false}}, 16});
  EXPECT_EQ(boxes(parts), (std::vector<GroupBox>{{{0, 32, 0}, {10, 2, 1}}, {{0, 34, 0}, {10, 30, 1}}}));
}

TEST(Layers, AreKnownForTheirShapeOnly) {
  Layers layers;
  EXPECT_FALSE(layers.known(kNdrange, 2));
  const Cut cut{{{false, true}, {true, false}}, 4};
  layers.found(kNdrange, cut);
  EXPECT_EQ(layers.known(kNdrange, 2), cut);
  EXPECT_FALSE(layers.known(kNdrange, 3));
  Ndrange other = kNdrange;
  other.global[0] += 64;
  EXPECT_FALSE(layers.known(other, 2));
}

TEST(Layers, AreForgottenWhenTheyServeNoLonger) {
  Layers layers;
  layers.found(kNdrange, {{{false, true}, {true, false}}, 16});
  for (int launch = 0; launch < 40; ++launch) layers.served(launch % 4 == 3);
  EXPECT_TRUE(layers.known(kNdrange, 2)) << "every fourth launch exchanges";
  for (int launch = 0; launch < 8; ++launch) layers.served(false);
  EXPECT_FALSE(layers.known(kNdrange, 2));
}

TEST(Layers, AreLookedForEverMoreSeldom) {
  Layers layers;
  int trials = 0;
  for (int launch = 0; launch < 1000; ++launch) trials += layers.wants_trial();
  EXPECT_GE(trials, 9);
  EXPECT_LE(trials, 11);
}

}  // namespace
}  // namespace samcl
