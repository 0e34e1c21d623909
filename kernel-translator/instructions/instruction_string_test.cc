// sam-translate --instructions on small kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.h"

namespace samcl {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

testing::Outcome run(const std::string& source, const std::vector<std::string>& arguments) {
  const std::string file = ::testing::TempDir() + "instruction_string_test_" + std::to_string(getpid()) + ".cl";
  std::ofstream(file) << source;
  std::vector<std::string> command = {SAM_TRANSLATE, file, "--instructions", "k"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const testing::Outcome outcome = testing::run_program(command);
  std::filesystem::remove(file);
  return outcome;
}

json answer(const std::string& source, const std::vector<std::string>& arguments = {}) {
  const testing::Outcome answer = run(source, arguments);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  return answer.exit_code == 0 ? json::parse(answer.out) : json::object();
}

TEST(InstructionString, is_exact_for_straight_code) {
  const json found =
      answer("__kernel void k(__global float* a, float b) { int i = get_global_id(0); a[i] = sqrt(a[i] * b); }");
  // id, (widening of the index), address; load; product; root; store.
  EXPECT_THAT(found.at("string").get<std::string>(), ::testing::MatchesRegex("C[0-9]LCSL"));
  EXPECT_EQ(found.at("static"), true);
  EXPECT_TRUE(found.at("unseen").empty());
}

TEST(InstructionString, repeats_loops_whose_rounds_are_known) {
  const json found = answer(
      "__kernel void k(__global float* a) {\n float s = 0;\n for (int i = 0; i < 100; i++) s += a[i * 3];\n "
      "a[0] = s; }");
  EXPECT_THAT(found.at("string").get<std::string>(), HasSubstr(")100"));
  EXPECT_EQ(found.at("loops"), json::parse(R"([{"line": 3, "rounds": 100, "given": false}])"));
  EXPECT_EQ(found.at("static"), true);
}

TEST(InstructionString, counts_what_a_work_group_copies_together_as_memory) {
  const json found = answer(
      "__kernel void k(__global float* a, __local float* l) { event_t e = async_work_group_copy(l, a, 16, 0); "
      "wait_group_events(1, &e); }");
  EXPECT_THAT(found.at("string").get<std::string>(), HasSubstr("L"));
  EXPECT_THAT(found.at("unseen").dump(), HasSubstr("a copy or fill of memory"));
}

TEST(InstructionString, asks_for_the_rounds_of_other_loops) {
  const std::string source =
      "__kernel void k(__global float* a, int n) {\n float s = 0;\n for (int i = 0; i < n; i++) s += a[i * "
      "3];\n a[0] = s; }";
  const testing::Outcome refused = run(source, {});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err,
              HasSubstr("the loop in line 3 has unknown rounds; give a bound, such as --loop-bounds 3=64"));
  const json found = answer(source, {"--loop-bounds", "3=7"});
  EXPECT_THAT(found.at("string").get<std::string>(), HasSubstr(")7"));
  EXPECT_EQ(found.at("loops").at(0).at("given"), true);
  EXPECT_EQ(found.at("static"), false);
  EXPECT_THAT(run(source, {"--loop-bounds", "3=7,4=1"}).err, HasSubstr("k has no loop in line 4"));
  EXPECT_EQ(run(source, {"--loop-bounds", "3"}).exit_code, 2);
}

size_t count(const json& found, char letter) {
  const std::string text = found.at("string").get<std::string>();
  size_t sum = 0;
  for (size_t n = 0; n < text.size(); ++n)
    if (text[n] == letter) sum += std::isdigit(text[n + 1]) ? std::stoul(text.substr(n + 1)) : 1;
  return sum;
}

TEST(InstructionString, counts_both_sides_of_a_branch_that_divides_a_warp) {
  const json found = answer(
      "__kernel void k(__global float* a, __global float* b) { int i = get_global_id(0);\n"
      " if (i & 1) { a[i] = sqrt(a[i]); } else { b[i] = exp(b[i]); b[i + 7] = 1; } }");
  EXPECT_EQ(count(found, 'L'), 5);
  EXPECT_EQ(count(found, 'S'), 2);
  EXPECT_THAT(found.at("unseen").dump(), HasSubstr("1 branch by which work-items of a warp may part"));
}

TEST(InstructionString, counts_the_longer_side_of_a_branch_that_does_not) {
  const json found = answer(
      "__kernel void k(__global float* a, __global float* b, int n) { int i = get_global_id(0);\n"
      " if (n & 1) { a[i] = sqrt(a[i]); } else { b[i] = exp(b[i]); b[i + 7] = 1; } }");
  EXPECT_EQ(count(found, 'L'), 3);
  EXPECT_EQ(count(found, 'S'), 1);
  EXPECT_EQ(found.at("static"), false);
}

TEST(InstructionString, says_what_it_does_not_see) {
  const json found = answer(
      "__kernel void k(__global float* a, __local float* t) { int i = get_local_id(0); t[i] = a[i];\n"
      " barrier(CLK_LOCAL_MEM_FENCE); a[i] = t[i ^ 1]; }");
  EXPECT_THAT(found.at("unseen").dump(), HasSubstr("barriers"));
}

TEST(InstructionString, names_the_kernels_there_are) {
  const testing::Outcome refused = run("__kernel void other(__global int* a) { a[0] = 1; }", {});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("no kernel is named k; there are: other"));
}

}  // namespace
}  // namespace samcl
