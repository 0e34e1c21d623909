#include "libsamcl/program/remembered_footprint.h"

#include <gtest/gtest.h>

#include <random>
#include <span>

#include "contract/footprint/symbolic_footprint.h"

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

}  // namespace
}  // namespace samcl
