// Footprints of the benchmarks' kernels and of random ones, against what the kernels do on the installed driver, and
// against their loads and stores on a simulated device.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <set>

#include "base/test_seed.h"
#include "kernel-translator/check/access_check.h"
#include "kernel-translator/check/footprint_check.h"
#include "kernel-translator/check/random_kernel.h"

namespace samcl::check {
namespace {

constexpr unsigned kKernels = 10;  // of a random source

class OnDevice : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    // One thread: what several work-items write to one place is the same in every run.
    setenv("POCL_DEVICES", "basic", 1);
    // Debian's PoCL cannot link some kernels that it has optimised.
    setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable", 1);
    simulator();
    auto device = TestDevice::open();
    if (device) device_ = std::move(*device);
  }
  static void TearDownTestSuite() { device_.reset(); }
  void SetUp() override {
    if (!device_) GTEST_SKIP() << "no OpenCL device here";
  }
  static inline std::unique_ptr<TestDevice> device_;

  // One for the whole process: the loader looks for drivers once.
  struct Simulator : ::testing::Environment {
    Result<Recorder> recorder = Recorder::install(ACCESS_RECORDER);
    Result<std::unique_ptr<TestDevice>> device =
        recorder ? TestDevice::open(Recorder::kPlatform) : tl::unexpected(recorder.error());
    // Before the drivers' own ends.
    void TearDown() override { device = fail("closed"); }
  };
  static Simulator& simulator() {
    static Simulator* const simulator = new Simulator;
    static ::testing::Environment* const owned = ::testing::AddGlobalTestEnvironment(simulator);
    static_cast<void>(owned);
    return *simulator;
  }
};

class OnSimulator : public OnDevice {
 protected:
  void SetUp() override {
    if (!simulator().device) GTEST_SKIP() << simulator().device.error().message;
  }
  const TestDevice& simulated() { return **simulator().device; }
  Recorder& recorder() { return *simulator().recorder; }
};

using BenchmarkKernels = OnDevice;
using RandomKernels = OnDevice;
using WrongFootprints = OnDevice;
using SimulatedBenchmarkKernels = OnSimulator;
using SimulatedRandomKernels = OnSimulator;
using SimulatedWrongFootprints = OnSimulator;

// Breaches of a footprint, by one of the two ways to find them.
using Check = std::function<Result<std::vector<std::string>>(const BoxRunner&, const LaunchCase&, const Footprint&)>;

// What is found if kernel b is said to have the footprint of kernel a.
bool is_noticed(const TestDevice& device, const Check& check, const std::string& a, const std::string& b) {
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
  const auto own = check(*runner, launch, Footprint::parse(runner->find("b")->footprint).value());
  EXPECT_TRUE(own && own->empty()) << b;
  const auto other = check(*runner, launch, Footprint::parse(runner->find("a")->footprint).value());
  EXPECT_TRUE(other) << source;
  return other && !other->empty();
}

Result<std::vector<std::string>> by_values(const BoxRunner& runner, const LaunchCase& launch,
                                           const Footprint& footprint) {
  const auto evidence = check_footprint(runner, launch, footprint);
  if (!evidence) return tl::unexpected(evidence.error());
  return evidence->breaches;
}

TEST_F(WrongFootprints, are_noticed) {
  EXPECT_TRUE(is_noticed(*device_, by_values, "p[i] = 1;", "p[i + 1] = 1;")) << "a write that is not told of";
  EXPECT_TRUE(is_noticed(*device_, by_values, "p[i] = q[i];", "p[i] = q[i + 1];")) << "a read that is not told of";
  EXPECT_TRUE(is_noticed(*device_, by_values, "p[i] = q[i];", "if (q[i] > 0) p[i] = q[i];"))
      << "a sure write that is none";
  EXPECT_FALSE(is_noticed(*device_, by_values, "p[i & n] = q[i] + q[i + 1];", "p[i & n] = q[i];"))
      << "one that is too large";
}

TEST_F(SimulatedWrongFootprints, are_noticed) {
  const Check by_accesses = [&](const BoxRunner& runner, const LaunchCase& launch,
                                const Footprint& footprint) -> Result<std::vector<std::string>> {
    const auto accesses = check_accesses(runner, launch, recorder(), footprint);
    if (!accesses) return tl::unexpected(accesses.error());
    return accesses->breaches;
  };
  EXPECT_TRUE(is_noticed(simulated(), by_accesses, "p[i] = 1;", "p[i + 1] = 1;")) << "a write that is not told of";
  EXPECT_TRUE(is_noticed(simulated(), by_accesses, "p[i] = 0;", "p[i] = q[i] > 1000000;"))
      << "a read that makes no difference";
  EXPECT_TRUE(is_noticed(simulated(), by_accesses, "p[i] = q[i];", "if (q[i] > 0) p[i] = q[i];"))
      << "a sure write that is none";
  EXPECT_FALSE(is_noticed(simulated(), by_accesses, "p[i & n] = q[i] + q[i + 1];", "p[i & n] = q[i];"))
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

TEST_F(SimulatedBenchmarkKernels, touch_what_their_footprints_tell) {
  const auto cases = read_cases(contents(BENCHMARK_CASES), CASES_FOLDER);
  ASSERT_TRUE(cases) << cases.error().message;
  for (const LaunchCase& launch : *cases) {
    const auto runner = BoxRunner::make(simulated(), launch.source, launch.options, SAM_TRANSLATE);
    ASSERT_TRUE(runner) << runner.error().message;
    const auto accesses = check_accesses(*runner, launch, recorder());
    ASSERT_TRUE(accesses) << accesses.error().message;
    uint64_t said = 0, seen = 0;
    for (const ArgumentAccesses& argument : accesses->arguments) {
      said += argument.said_read + argument.said_written;
      seen += argument.loaded + argument.stored;
    }
    EXPECT_EQ(seen > 0, said > 0) << launch.program << " " << launch.kernel << ": the simulator told of nothing";
    for (const std::string& breach : accesses->breaches)
      ADD_FAILURE() << launch.program << " " << launch.kernel << ": " << breach;
  }
}

// A source of random kernels per seed, as many as SAMCL_TEST_COUNT says, from SAMCL_SEED on.
template <typename Test>
void for_random_sources(Test test) {
  const uint64_t seed = test_seed(), count = test_number("SAMCL_TEST_COUNT", 1);
  for (uint64_t each = seed; each < seed + count && !testing::Test::HasFailure(); ++each) {
    std::mt19937_64 random(each);
    const std::string source = random_kernels(random, kKernels);
    SCOPED_TRACE("SAMCL_SEED=" + std::to_string(each) + "\n" + source);
    test(random, source);
  }
}

// Without optimisation: the simulator lacks the integers of odd widths that it makes of some switches.
TEST_F(SimulatedRandomKernels, touch_what_their_footprints_tell) {
  uint64_t said = 0, touched = 0, kernels = 0, refused = 0;
  for_random_sources([&](std::mt19937_64& random, const std::string& source) {
    const auto runner = BoxRunner::make(simulated(), source, "-cl-opt-disable", SAM_TRANSLATE);
    ASSERT_TRUE(runner) << runner.error().message;
    for (unsigned k = 0; k < kKernels; ++k) {
      const LaunchCase launch = random_launch(random, source, "k" + std::to_string(k));
      const auto accesses = check_accesses(*runner, launch, recorder());
      ++kernels;
      if (!accesses) {
        if (++refused == 1) std::cout << launch.kernel << " is refused: " << accesses.error().message << "\n";
        continue;
      }
      for (const ArgumentAccesses& argument : accesses->arguments) {
        said += argument.said_read + argument.said_written;
        touched += argument.loaded + argument.stored;
      }
      for (const std::string& breach : accesses->breaches) ADD_FAILURE() << launch.kernel << ": " << breach;
    }
  });
  std::cout << touched << " of " << said << " bytes that footprints tell of were touched; the simulator refused "
            << refused << " of " << kernels << " kernels\n";
  EXPECT_LE(refused, kernels / 4);
  EXPECT_GT(touched, 0u);
}

TEST_F(RandomKernels, keep_to_their_footprints) {
  unsigned kernels = 0, with_sure_writes = 0, unknown = 0;
  for_random_sources([&](std::mt19937_64& random, const std::string& source) {
    const auto runner = BoxRunner::make(*device_, source, "", SAM_TRANSLATE);
    ASSERT_TRUE(runner) << runner.error().message;
    for (unsigned k = 0; k < kKernels; ++k) {
      const LaunchCase launch = random_launch(random, source, "k" + std::to_string(k));
      const auto evidence = check_footprint(*runner, launch);
      ASSERT_TRUE(evidence) << evidence.error().message;
      ++kernels;
      if (evidence->arguments[0].said_surely > 0) ++with_sure_writes;
      if (evidence->arguments[0].writes_anywhere) ++unknown;
      for (const std::string& breach : evidence->breaches) ADD_FAILURE() << launch.kernel << ": " << breach;
    }
  });
  std::cout << kernels << " kernels, " << with_sure_writes << " with sure writes, " << unknown
            << " with unknown ones\n";
  EXPECT_GT(with_sure_writes, 0u);
}

// In pieces along the last dimension, one after the other: the order of one device that takes one work-group after
// the other, so that kernels whose work-groups meet in a place have the same result, too.
TEST_F(RandomKernels, give_the_same_bytes_in_pieces) {
  for_random_sources([&](std::mt19937_64& random, const std::string& source) {
    const auto original = BoxRunner::make_untranslated(*device_, source, "");
    const auto translated = BoxRunner::make(*device_, source, "", SAM_TRANSLATE);
    ASSERT_TRUE(original) << original.error().message;
    ASSERT_TRUE(translated) << translated.error().message;
    for (unsigned k = 0; k < kKernels; ++k) {
      const LaunchCase launch = random_launch(random, source, "k" + std::to_string(k));
      Contents given;
      for (const CaseArgument& argument : launch.arguments)
        given.push_back(argument.has_contents() ? argument.bytes : std::vector<std::byte>());
      GroupBox box{{0, 0, 0}, launch.ndrange.groups()};
      const auto whole = original->run(launch, box, given);
      ASSERT_TRUE(whole) << whole.error().message;
      const KernelTranslation* translation = translated->find(launch.kernel);
      ASSERT_TRUE(translation);
      if (!translation->may_slice) continue;
      const unsigned last = launch.ndrange.dimensions - 1;
      const uint64_t end = box.count[last];
      for (uint64_t first = 0; first < end; first += box.count[last]) {
        box.first[last] = first;
        box.count[last] = 1 + random() % (end - first);
        auto piece = translated->run(launch, box, given);
        ASSERT_TRUE(piece) << piece.error().message;
        given = std::move(*piece);
      }
      EXPECT_TRUE(given == *whole) << launch.kernel;
    }
  });
}

}  // namespace
}  // namespace samcl::check
