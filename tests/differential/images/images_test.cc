// What the model says of bytes that are not defined, and what shrinking keeps.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/differential/images/generator.h"
#include "tests/differential/images/model.h"
#include "tests/differential/images/shrink.h"

namespace image_sequences {
namespace {

// Object 0 and 1: images of 4 pixels, fresh; 2: a table of 4 entries.
Sequence two_images() {
  const Object image{.kind = Kind::image1d, .format = Format::r16, .size = {4, 1, 1}};
  const Object table{.kind = Kind::table, .size = {16, 1, 1}, .home = Home::copy_host, .seed = 1};
  return {{image, image, table}, {}};
}
Step launch(Kernel kernel, unsigned to, unsigned from = 0) {
  return {
      .kind = StepKind::launch, .to = to, .from = from, .table = 2, .region = {4, 1, 1}, .seed = 5, .kernel = kernel};
}
Step read(unsigned from) { return {.kind = StepKind::read, .from = from, .region = {4, 1, 1}}; }

std::vector<bool> defined_pixels(const Bytes& bytes) {
  std::vector<bool> pixels;
  for (size_t at = 0; at < bytes.defined.size(); at += 2) pixels.push_back(bytes.defined[at] && bytes.defined[at + 1]);
  return pixels;
}
using Pixels = std::vector<bool>;

TEST(ImageModel, FreshImagesAreNotDefined) {
  Sequence sequence = two_images();
  sequence.steps = {read(0)};
  EXPECT_EQ(defined_pixels(see(sequence)[0]), Pixels(4, false));
}

TEST(ImageModel, WhatIsWrittenIsDefined) {
  Sequence sequence = two_images();
  Step write{.kind = StepKind::write, .to = 0, .origin = {1, 0, 0}, .region = {2, 1, 1}, .seed = 3};
  sequence.steps = {write, read(0)};
  EXPECT_EQ(defined_pixels(see(sequence)[1]), Pixels({false, true, true, false}));
}

TEST(ImageModel, NeighboursBeyondTheEdgeAreThoseAtTheEdge) {
  Sequence sequence = two_images();
  Step write{.kind = StepKind::write, .to = 0, .origin = {3, 0, 0}, .region = {1, 1, 1}, .seed = 3};
  Step neighbours = launch(Kernel::neighbours, 1, 0);
  neighbours.shift = {2, 0, 0};
  sequence.steps = {write, neighbours, read(1)};
  EXPECT_EQ(defined_pixels(see(sequence)[2]), Pixels({false, true, true, true}));
}

TEST(ImageModel, WhatDependsOnBytesThatAreNotDefinedIsNotEither) {
  Sequence sequence = two_images();
  sequence.steps = {launch(Kernel::own, 1), launch(Kernel::conditional, 1, 0), read(1)};
  EXPECT_EQ(defined_pixels(see(sequence)[2]), Pixels(4, false));
}

TEST(ImageModel, ScatteringReachesEveryPixelOfTheTable) {
  Sequence sequence = two_images();
  Step scatter = launch(Kernel::scatter, 0);
  scatter.count = 4;
  sequence.steps = {scatter, read(0)};
  EXPECT_EQ(defined_pixels(see(sequence)[1]), Pixels(4, true));
}

TEST(ImageSequences, AreMadeAgainFromTheirSeed) { EXPECT_EQ(text(generate(17, {})), text(generate(17, {}))); }

TEST(ImageSequences, AreShrunkToTheStepsThatMatter) {
  Sequence sequence = two_images();
  sequence.steps = {launch(Kernel::own, 0), read(1), read(0), {}};
  const Sequence shorter = shrink(
      sequence,
      [](const Sequence& left) {
        return std::ranges::any_of(left.steps, [](const Step& step) { return step.kind == StepKind::launch; });
      },
      100);
  ASSERT_EQ(shorter.steps.size(), 1u);
  EXPECT_EQ(shorter.steps[0].kernel, Kernel::own);
}

TEST(ImageSequences, AMapGoesWithItsUnmap) {
  Sequence sequence = two_images();
  const Step map{.kind = StepKind::map, .number = 7}, unmap{.kind = StepKind::unmap, .number = 7};
  sequence.steps = {map, read(0), unmap};
  const Sequence shorter =
      shrink(sequence, [](const Sequence& left) { return left.steps.size() != 2 && !left.steps.empty(); }, 100);
  ASSERT_EQ(shorter.steps.size(), 1u);
  EXPECT_EQ(shorter.steps[0].kind, StepKind::read);
}

}  // namespace
}  // namespace image_sequences
