// What a survey says of small sources.
#include "kernel-translator/survey/survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace samcl::survey {
namespace {

class Survey : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string written(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(folder_ / "inner");
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  SourceVerdict verdict_on(const std::string& text, bool guess = false) {
    Question question;
    question.translator = SAM_TRANSLATE;
    question.guess_macros = guess;
    return survey_source(written("source.cl", text), question);
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("survey_test_" + std::to_string(getpid()));
};

TEST_F(Survey, knows_writes_that_lie_apart) {
  const auto verdict = verdict_on(
      "__kernel void k(__global float* p, int w) "
      "{ p[get_global_id(1) * w + get_global_id(0)] = 1; }");
  EXPECT_EQ(verdict.error, "");
  ASSERT_EQ(verdict.kernels.size(), 1u);
  EXPECT_TRUE(verdict.kernels[0].may_split);
  EXPECT_TRUE(verdict.kernels[0].writes_known);
  EXPECT_TRUE(verdict.kernels[0].writes_disjoint);
}

TEST_F(Survey, tells_known_writes_that_overlap_from_unknown_ones) {
  const auto verdict = verdict_on(
      "__kernel void same(__global int* p) { p[get_local_id(0)] = 1; }\n"
      "__kernel void any(__global int* p, __global int* to) "
      "{ p[to[get_global_id(0)]] = 1; }");
  ASSERT_EQ(verdict.kernels.size(), 2u);
  EXPECT_TRUE(verdict.kernels[0].writes_known);
  EXPECT_FALSE(verdict.kernels[0].writes_disjoint);
  EXPECT_FALSE(verdict.kernels[1].writes_known);
  EXPECT_EQ(verdict.kernels[1].buffers[0].writes, Extent::whole);
  EXPECT_EQ(verdict.kernels[1].buffers[1].reads, Extent::known);
}

TEST_F(Survey, judges_images_like_buffers) {
  const auto verdict = verdict_on(
      "__kernel void k(__write_only image2d_t to, __read_only image2d_t from, __global int* p) "
      "{ int2 at = (int2)(get_global_id(0), get_global_id(1)); "
      "write_imagei(to, at, read_imagei(from, (int2)(p[at.x], 0))); }");
  ASSERT_EQ(verdict.kernels.size(), 1u);
  EXPECT_TRUE(verdict.kernels[0].writes_disjoint);
  EXPECT_EQ(verdict.kernels[0].buffers[0].writes, Extent::known);
  EXPECT_EQ(verdict.kernels[0].buffers[1].reads, Extent::known);  // one row
}

TEST_F(Survey, says_what_is_wrong_with_a_source) {
  EXPECT_THAT(verdict_on("__kernel void k(").error, testing::HasSubstr("error:"));
}

TEST_F(Survey, guesses_types_numbers_and_functions_if_asked_to) {
  const std::string source = "__kernel void k(__global REAL* p) { for (int i = 0; i < COUNT; ++i) p[i] = 1; }";
  EXPECT_NE(verdict_on(source).error, "");
  const auto verdict = verdict_on(source, true);
  EXPECT_EQ(verdict.error, "");
  EXPECT_THAT(verdict.guessed, testing::ElementsAre("-DREAL=float", "-DCOUNT=16"));
}

TEST_F(Survey, reads_a_sources_options_and_headers_beside_it) {
  written("source.cl.options", "-DCOUNT=3\n -cl-std=CL2.0");
  written("count.h", "enum { twice = 2 * COUNT };");
  EXPECT_EQ(verdict_on("#include \"count.h\"\n__kernel void k(__global int* p) { p[0] = twice; }").error, "");
}

TEST_F(Survey, finds_the_sources_below_a_folder) {
  const std::string b = written("b.cl", ""), a = written("inner/a.cl", "");
  written("notes.txt", "");
  EXPECT_THAT(sources_below(folder_), testing::ElementsAre(b, a));
  EXPECT_THAT(sources_below(a), testing::ElementsAre(a));
}

}  // namespace
}  // namespace samcl::survey
