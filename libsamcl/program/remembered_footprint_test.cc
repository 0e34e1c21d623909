#include "libsamcl/program/remembered_footprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <string>

#include "contract/footprint/symbolic_footprint.h"
#include "libsamcl/testing/footprints.h"

namespace samcl {
namespace {

// Argument 0 is a number; the kernel writes 4 bytes of argument 1 at (global id * 4 + that number).
Footprint shifted() {
  using footprint::Op;
  footprint::SymbolicFootprint symbolic;
  symbolic.regions.resize(1);
  symbolic.nodes = {{.op = Op::global_id, .a = 0},
                    {.op = Op::constant, .value = 4},
                    {.op = Op::multiply, .a = 0, .b = 1},
                    {.op = Op::argument, .a = 0, .b = 0},
                    {.op = Op::add, .a = 2, .b = 3}};
  footprint::Access access;
  access.argument = 1;
  access.offset = 4;
  access.width = access.sure_width = 4;
  access.writes = true;
  symbolic.accesses = {access};
  return Footprint::parse(footprint::to_text(symbolic)).value();
}

struct Question {
  explicit Question(uint64_t shift, uint64_t groups = 8, uint64_t buffer_bytes = 1 << 20) : number(shift) {
    ndrange.global[0] = 64 * groups;
    ndrange.local[0] = 64;
    values = {{std::as_bytes(std::span(&number, 1)), 0}, {{}, buffer_bytes}};
    parts = split(ndrange, equal, 0);
  }
  Question(const Question&) = delete;
  LaunchInputs launch() const { return {ndrange, values}; }

  static constexpr double equal[] = {1, 1};
  const uint64_t number;
  Ndrange ndrange;
  std::vector<ArgumentValue> values;
  std::vector<Part> parts;
};

bool is_right(const RememberedFootprint& remembered, const Footprint& footprint, const Question& question) {
  const auto found = remembered.evaluate(question.launch(), question.parts);
  for (size_t p = 0; p < question.parts.size(); ++p) {
    const auto expected = footprint.evaluate(question.launch(), question.parts[p].box);
    for (size_t i = 0; i < expected.size(); ++i) {
      if ((*found)[p][i].may_write != expected[i].may_write || (*found)[p][i].reads != expected[i].reads) return false;
    }
  }
  return found->size() == question.parts.size();
}

TEST(RememberedFootprint, SameLaunchHasTheSameAnswer) {
  const RememberedFootprint remembered(shifted());
  const Question a(12), b(12);
  EXPECT_EQ(remembered.evaluate(a.launch(), a.parts), remembered.evaluate(b.launch(), b.parts));
  const RememberedFootprint copy = remembered;
  EXPECT_EQ(remembered.evaluate(a.launch(), a.parts), copy.evaluate(b.launch(), b.parts));
}

TEST(RememberedFootprint, EverythingThatMattersMakesAnotherQuestion) {
  const RememberedFootprint remembered(shifted());
  const Question first(12);
  const auto answer = remembered.evaluate(first.launch(), first.parts);
  const Question value(16), size(12, 9), buffer(12, 8, 100);
  for (const Question* other : {&value, &size, &buffer})
    EXPECT_NE(remembered.evaluate(other->launch(), other->parts), answer);
  const std::vector<Part> one = {first.parts[0]};
  EXPECT_NE(remembered.evaluate(first.launch(), one), answer);
}

TEST(RememberedFootprint, AnswersStayRightWhenOldOnesAreForgotten) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const Footprint footprint = shifted();
  const RememberedFootprint remembered(footprint);
  for (int i = 0; i < 500; ++i)
    ASSERT_TRUE(is_right(remembered, footprint, Question(random() % 24 * 4, 1 + random() % 2)));
}

bool are_equal(const Partition& a, const Partition& b) {
  return a.has_conflict == b.has_conflict && a.is_entangled == b.is_entangled &&
         std::ranges::equal(a.shares, b.shares, [](const PartShares& x, const PartShares& y) {
           if (x.size() != y.size()) return false;
           for (size_t p = 0; p < x.size(); ++p)
             if (!(x[p] == y[p])) return false;
           return true;
         });
}

// Four buffers and one number, which some accesses depend on.
Footprint random_footprint(std::mt19937& random) {
  using testing::Footprints;
  Footprints footprints;
  for (int i = 0; i < 6; ++i) {
    const auto how = static_cast<Footprints::How>(random() % 5);
    const unsigned argument = 1 + random() % 4;
    switch (random() % 6) {
      case 0: footprints.first(argument, how); break;
      case 1: footprints.beyond(argument, how, 0); break;
      case 2:
        if (random() % 4 == 0) {
          footprints.anywhere(argument, how);
          break;
        }
        [[fallthrough]];
      default: footprints.element(argument, how, random() % 3, 4 << random() % 8); break;
    }
  }
  return footprints.made();
}

// Launches that differ in one thing or another, many of which were made before.
TEST(RememberedFootprint, PartitionsAreWhatIsFoundAnew) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto some = [&](auto... values) {
    const std::array all{values...};
    return all[random() % all.size()];
  };
  for (int kernel = 0; kernel < 40; ++kernel) {
    const Footprint footprint = random_footprint(random);
    const RememberedFootprint remembered(footprint);
    for (int i = 0; i < 50; ++i) {
      const uint32_t number = random() % 3;
      const uint64_t bytes = some(uint64_t{1} << 12, uint64_t{1} << 20);
      std::vector<ArgumentValue> values(5, {{}, bytes});
      values[0] = {std::as_bytes(std::span(&number, 1)), 0};
      std::vector<ShownBytes> shown(5);
      const bool in_one_memory = random() % 2;
      const unsigned objects = 1 + random() % 4;
      for (unsigned a = 1; a < 5; ++a) {
        const uint64_t begin = some(uint64_t{0}, uint64_t{4096});
        shown[a] = {(a - 1) % objects, in_one_memory, {begin, begin + bytes}, 0, random() % 2 == 0};
      }
      Ndrange ndrange;
      ndrange.global[0] = some(64, 256, 4096);
      ndrange.local[0] = some(16, 64);
      const double equal[] = {1, 1, 1}, uneven[] = {1, 3};
      const auto parts = random() % 2 ? split(ndrange, equal, 0) : split(ndrange, uneven, 0);
      const bool asks = random() % 2;
      const auto found = remembered.partition({ndrange, values}, parts, shown, asks);
      RememberedFootprint::ByPart footprints;
      for (const Part& part : parts) footprints.push_back(footprint.evaluate({ndrange, values}, part.box));
      ASSERT_TRUE(are_equal(*found, partition_of(footprints, shown, asks))) << "kernel " << kernel << ", launch " << i;
    }
  }
}

TEST(RememberedFootprint, SameLaunchHasTheSamePartition) {
  const RememberedFootprint remembered(shifted());
  const Question a(12), b(12);
  const std::vector<ShownBytes> shown{{}, {0, false, {0, 1 << 20}}}, elsewhere{{}, {0, false, {64, 64 + (1 << 20)}}},
      shared{{}, {0, true, {0, 1 << 20}}};
  const auto partition = remembered.partition(a.launch(), a.parts, shown, false);
  EXPECT_EQ(remembered.partition(b.launch(), b.parts, shown, false), partition);
  for (const auto* other : {&elsewhere, &shared})
    EXPECT_NE(remembered.partition(a.launch(), a.parts, *other, false), partition);
  EXPECT_NE(remembered.partition(a.launch(), a.parts, shown, true), partition);
}

}  // namespace
}  // namespace samcl
