// Mutated sources through sam-translate: it may refuse them, but neither crash nor think for more than 5 s, and what
// it answers can be read. The benchmarks' sources serve, or those below SAMCL_TEST_SOURCES. SAMCL_SEED and
// SAMCL_TEST_COUNT choose the first seed and how many; a source that fails is kept beside the test's other files.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/test_seed.h"
#include "contract/footprint/footprint.h"
#include "kernel-translator/client/run_translator.h"
#include "kernel-translator/client/translation_json.h"
#include "kernel-translator/fuzz/mutation.h"
#include "kernel-translator/survey/survey.h"

namespace samcl::fuzz {
namespace {

std::string folder_of_sources() {
  const char* folder = std::getenv("SAMCL_TEST_SOURCES");
  return folder ? folder : BENCHMARK_SOURCES;
}

// What must not happen; empty if all is well.
std::string breakdown_on(const std::string& source, const std::vector<std::string>& options) {
  std::vector<std::string> command{SAM_TRANSLATE, "-", "--json", "--images", "--"};
  command.insert(command.end(), options.begin(), options.end());
  const auto answer = run_translator(command, source, 5000);
  if (!answer) {
    const std::string& message = answer.error().message;
    const bool refused = message.starts_with("the source could not be translated");
    return refused ? "" : message;
  }
  const auto translation = parse_translation(*answer);
  if (!translation) return translation.error().message;
  for (const KernelTranslation& kernel : translation->kernels)
    if (!Footprint::parse(kernel.footprint)) return "the footprint of " + kernel.name + " can't be read";
  return "";
}

TEST(Fuzzing, mutated_sources_neither_crash_the_translator_nor_keep_it_busy) {
  const std::vector<std::string> files = survey::sources_below(folder_of_sources());
  ASSERT_FALSE(files.empty());
  const uint64_t seed = test_seed(), count = test_number("SAMCL_TEST_COUNT", 60);
  for (uint64_t each = seed; each < seed + count; ++each) {
    Random random(each);
    std::ifstream stream(files[random() % files.size()], std::ios::binary);
    const std::string source = mutated({std::istreambuf_iterator<char>(stream), {}}, random);
    const std::vector<std::string> options = random_options(random);
    const std::string breakdown = breakdown_on(source, options);
    if (breakdown.empty()) continue;
    const std::string kept = testing::TempDir() + "fuzzed_" + std::to_string(each) + ".cl";
    std::ofstream(kept, std::ios::binary) << source;
    std::string words;
    for (const std::string& option : options) words += " '" + option + "'";
    ADD_FAILURE() << "seed " << each << ": " << breakdown << "\n  sam-translate --json --images " << kept << " --"
                  << words;
  }
}

TEST(Fuzzing, changes_sources_and_loses_none_of_their_tokens_when_it_takes_them_apart) {
  const std::string source = "__kernel void k(__global int* p) {\n  p[get_global_id(0)] += 0x1F;\n}\n";
  std::string together;
  for (const std::string& token : tokens_of(source)) together += token;
  EXPECT_EQ(together, source);
  Random random(1);
  EXPECT_NE(mutated(source, random), source);
}

}  // namespace
}  // namespace samcl::fuzz
