// Does any simulated job end later than a bound says? Random sets and plans; a failure prints seed and set.
#include <gtest/gtest.h>

#include <iostream>

#include "analysis/access/testing/random_plan.h"
#include "base/test_seed.h"

namespace samcl::analysis::access {
namespace {

struct Case {
  const char* name;
  Analysis analysis;
  Shape shape;
};

constexpr Shape kOne = {}, kTwoDevices = {2, 2, 5}, kOneCpu = {1, 1, 4}, kThreeCpus = {3, 1, 6}, kOwn = {2, 1, 5, true},
                kOwnWithoutJitter = {1, 1, 5, true, false}, kLate = {1, 1, 4, true, true, true};
constexpr Case kCases[] = {{"gcaps", Analysis::gcaps, kOne},
                           {"gcaps, one CPU", Analysis::gcaps, kOneCpu},
                           {"gcaps, three CPUs", Analysis::gcaps, kThreeCpus},
                           {"mpcp", Analysis::mpcp, kOne},
                           {"mpcp, one CPU", Analysis::mpcp, kOneCpu},
                           {"mpcp, three CPUs", Analysis::mpcp, kThreeCpus},
                           {"mpcp, two devices", Analysis::mpcp, kTwoDevices},
                           {"fmlp+", Analysis::fmlp, kOne},
                           {"fmlp+, one CPU", Analysis::fmlp, kOneCpu},
                           {"fmlp+, three CPUs", Analysis::fmlp, kThreeCpus},
                           {"fmlp+, two devices", Analysis::fmlp, kTwoDevices},
                           {"server", Analysis::server, kOne},
                           {"server, two devices", Analysis::server, kTwoDevices},
                           {"round-robin", Analysis::round_robin, kOne},
                           {"round-robin, two devices", Analysis::round_robin, kTwoDevices},
                           {"oblivious", Analysis::oblivious, kOwn},
                           {"oblivious, late deadlines", Analysis::oblivious, kLate},
                           {"jitter", Analysis::jitter, kOwn},
                           {"blocking", Analysis::blocking, kOwnWithoutJitter},
                           {"unified", Analysis::unified, kOwnWithoutJitter}};

std::string tell(const TaskSet& set, const Costs& costs) {
  std::string text = std::to_string(set.cpus) + " CPUs, " + std::to_string(set.devices) + " devices, update " +
                     std::to_string(costs.update) + ", slice " + std::to_string(costs.slice) + ", switching " +
                     std::to_string(costs.switching) + ", server on " + std::to_string(costs.server_cpu) + "\n";
  for (const Task& task : set.tasks) {
    text += task.name + ": T " + std::to_string(task.period) + ", D " + std::to_string(task.deadline) + ", J " +
            std::to_string(task.jitter) + ", CPU " + std::to_string(task.cpu) + ", device " +
            std::to_string(task.device) + ", rank " + std::to_string(task.gpu_rank) + (task.busy ? ", busy:" : ":");
    for (size_t j = 0; j < task.between.size(); ++j) {
      text += " " + std::to_string(task.between[j]);
      if (j < task.segments.size())
        text += " [" + std::to_string(task.segments[j].misc) + " " + std::to_string(task.segments[j].pure) + "]";
    }
    text += "\n";
  }
  return text;
}

class AccessBounds : public testing::TestWithParam<Case> {};

TEST_P(AccessBounds, AreNotExceededInSimulations) {
  const auto& [name, analysis, shape] = GetParam();
  const TestSeed seed;
  const int64_t count = test_sets(300);
  Draw draw(seed);
  int64_t schedulable = 0, bounds = 0, attained = 0;
  double tightness = 0;
  for (int64_t n = 0; n < count; ++n) {
    const TaskSet set = random_set(shape, draw);
    const Costs costs = {draw.whole(0, 2), draw.whole(1, 3), draw.whole(0, 1),
                         static_cast<int>(draw.whole(0, shape.cpus - 1))};
    ASSERT_TRUE(check(set, analysis, costs)) << check(set, analysis, costs).error().message;
    const Bounds bound = analyse(set, analysis, costs);
    if (!bound.schedulable) continue;
    ++schedulable;
    std::vector<Time> longest(set.tasks.size(), 0);
    for (int plan = 0; plan < 40; ++plan) {
      const std::vector<Time> took = simulate(set, analysis, costs, random_plan(set, draw));
      for (size_t i = 0; i < took.size(); ++i) longest[i] = std::max(longest[i], took[i]);
    }
    for (size_t i = 0; i < longest.size(); ++i) {
      ASSERT_LE(longest[i], bound.response[i]) << set.tasks[i].name << "\n" << tell(set, costs);
      ++bounds;
      attained += longest[i] == bound.response[i] ? 1 : 0;
      tightness += static_cast<double>(longest[i]) / static_cast<double>(bound.response[i]);
    }
  }
  std::cout << name << ": " << count << " sets, " << schedulable << " schedulable, " << bounds << " bounds, "
            << attained << " attained, mean tightness " << tightness / static_cast<double>(bounds) << "\n";
  EXPECT_GT(schedulable, count / 20);
}

INSTANTIATE_TEST_SUITE_P(Each, AccessBounds, testing::ValuesIn(kCases), [](const auto& info) {
  std::string name;
  for (const char letter : std::string(info.param.name))
    if (std::isalpha(static_cast<unsigned char>(letter))) name += letter;
  return name;
});

}  // namespace
}  // namespace samcl::analysis::access
