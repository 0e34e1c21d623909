// Footprints of the benchmarks' kernels and of random ones, against what the kernels do on the installed
// driver.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "kernel-translator/check/footprint_check.h"
#include "kernel-translator/check/random_kernel.h"

namespace samcl::check {
namespace {

class OnDevice : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    // One thread: what several work-items write to one place is the same in every run.
    setenv("POCL_DEVICES", "basic", 1);
    // Debian's PoCL cannot link some kernels that it has optimised.
    setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable", 1);
    auto device = Device::open();
    if (device) device_ = std::move(*device);
  }
  static void TearDownTestSuite() { device_.reset(); }
  void SetUp() override {
    if (!device_) GTEST_SKIP() << "no OpenCL device here";
  }
  static inline std::unique_ptr<Device> device_;
};

using BenchmarkKernels = OnDevice;
using RandomKernels = OnDevice;
using WrongFootprints = OnDevice;

// What is found if kernel b is said to have the footprint of kernel a.
bool is_noticed(const Device& device, const std::string& a, const std::string& b) {
  const std::string parameters = std::string(kRandomParameters) + " { int i = get_global_id(0); ";
  const std::string source =
      kRandomTypes + ("__kernel void a" + parameters) + a + " }\n__kernel void b" + parameters + b + " }\n";
  const auto runner = BoxRunner::make(device, source, "", SAM_TRANSLATE);
  EXPECT_TRUE(runner) << source;
  if (!runner) return false;
  std::mt19937_64 random(1);
  LaunchCase launch = random_launch(random, source, "b");
  launch.ndrange.dimensions = 1;
  launch.ndrange.global = {64, 1, 1};
  launch.ndrange.local = {8, 1, 1};
  const auto own = check_footprint(*runner, launch);
  EXPECT_TRUE(own && own->breaches.empty()) << b;
  const auto other = check_footprint(*runner, launch, Footprint::parse(runner->find("a")->footprint).value());
  EXPECT_TRUE(other) << source;
  return other && !other->breaches.empty();
}

TEST_F(WrongFootprints, are_noticed) {
  EXPECT_TRUE(is_noticed(*device_, "p[i] = 1;", "p[i + 1] = 1;")) << "a write that is not told of";
  EXPECT_TRUE(is_noticed(*device_, "p[i] = q[i];", "p[i] = q[i + 1];")) << "a read that is not told of";
  EXPECT_TRUE(is_noticed(*device_, "p[i] = q[i];", "if (q[i] > 0) p[i] = q[i];"))
      << "a sure write that is none";
  EXPECT_FALSE(is_noticed(*device_, "p[i & n] = q[i] + q[i + 1];", "p[i & n] = q[i];"))
      << "one that is too large";
}

std::string contents(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(BenchmarkCases, are_there_for_all_kernels) {
  const auto cases = read_cases(contents(BENCHMARK_CASES), CASES_FOLDER);
  ASSERT_TRUE(cases) << cases.error().message;
  std::set<std::string> looked_at, all;
  for (const LaunchCase& launch : *cases) looked_at.insert(launch.program + " " + launch.kernel);
  const std::regex kernel("kernel\\s+(?:__attribute__\\(\\([^\n]*\\)\\)\\s+)?void\\s+(\\w+)");
  for (const auto& file : std::filesystem::directory_iterator(BENCHMARK_SOURCES)) {
    if (file.path().extension() != ".cl") continue;
    const std::string source = contents(file.path());
    for (std::sregex_iterator at(source.begin(), source.end(), kernel), end; at != end; ++at)
      all.insert(file.path().stem().string() + " " + (*at)[1].str());
  }
  EXPECT_GT(all.size(), 0u);
  EXPECT_EQ(looked_at, all);
}

TEST_F(BenchmarkKernels, keep_to_their_footprints) {
  const auto cases = read_cases(contents(BENCHMARK_CASES), CASES_FOLDER);
  ASSERT_TRUE(cases) << cases.error().message;
  for (const LaunchCase& launch : *cases) {
    const auto runner = BoxRunner::make(*device_, launch.source, launch.options, SAM_TRANSLATE);
    ASSERT_TRUE(runner) << runner.error().message;
    const auto evidence = check_footprint(*runner, launch);
    ASSERT_TRUE(evidence) << evidence.error().message;
    for (const std::string& breach : evidence->breaches)
      ADD_FAILURE() << launch.program << " " << launch.kernel << ": " << breach;
  }
}

TEST_F(RandomKernels, keep_to_their_footprints) {
  const char* given = std::getenv("SAMCL_TEST_SEED");
  const uint64_t seed = given ? std::strtoull(given, nullptr, 0) : std::random_device{}();
  const char* sources = std::getenv("SAMCL_TEST_COUNT");
  std::cout << "seed " << seed << std::endl;
  unsigned kernels = 0, with_sure_writes = 0, unknown = 0;
  for (uint64_t i = 0, count = sources ? std::strtoull(sources, nullptr, 0) : 1; i < count && !HasFailure();
       ++i) {
    std::mt19937_64 random(seed + i);
    constexpr unsigned kKernels = 10;
    const std::string source = random_kernels(random, kKernels);
    const auto runner = BoxRunner::make(*device_, source, "", SAM_TRANSLATE);
    ASSERT_TRUE(runner) << runner.error().message << "\n" << source;
    for (unsigned k = 0; k < kKernels; ++k) {
      const LaunchCase launch = random_launch(random, source, "k" + std::to_string(k));
      const auto evidence = check_footprint(*runner, launch);
      ASSERT_TRUE(evidence) << evidence.error().message;
      ++kernels;
      if (evidence->arguments[0].said_surely > 0) ++with_sure_writes;
      if (evidence->arguments[0].writes_anywhere) ++unknown;
      for (const std::string& breach : evidence->breaches)
        ADD_FAILURE() << "seed " << seed + i << ", k" << k << ": " << breach << "\n" << source;
    }
  }
  std::cout << kernels << " kernels, " << with_sure_writes << " with sure writes, " << unknown
            << " with unknown ones\n";
  EXPECT_GT(with_sure_writes, 0u);
}

}  // namespace
}  // namespace samcl::check
