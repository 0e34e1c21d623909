#include "analysis/access/experiment/shares.h"

#include <functional>

#include "analysis/access/access.h"
#include "analysis/access/gpu_priorities.h"
#include "analysis/access/partition.h"
#include "analysis/generator/draw.h"
#include "analysis/locking/exact_sum.h"
#include "analysis/locking/smlp.h"
#include "analysis/model/capacity.h"
#include "analysis/model/number_text.h"
#include "analysis/rta/response_time.h"

namespace samcl::analysis::access {
namespace {

constexpr Time kUs = 1000, kMs = 1000 * kUs;
constexpr int kParts = 16;
constexpr int64_t kBlockSets = 10;

Modes ones(const analysis::TaskSet& set) { return Modes(set.tasks.size(), 1); }

TaskSet on_cpus(const analysis::TaskSet& set, bool busy) {
  auto tasks = tasks_of(set, ones(set)).value();
  for (Task& task : tasks.tasks) task.busy = busy;
  return tasks;
}

bool by_partition(analysis::TaskSet set) {
  set.platform.gpus = kParts;
  for (analysis::Task& task : set.tasks)
    for (Stage& stage : task.stages) {
      const Time host = stage.host_in(1), pure = stage.worst_in(1) - host;
      stage.worst.clear();
      for (int parts = 1; parts <= kParts; ++parts)
        stage.worst.push_back(stage.resource == Resource::cpu ? host + pure
                                                              : host + (pure * kParts + parts - 1) / parts);
      if (!stage.host.empty()) stage.host.assign(kParts, host);
    }
  return partition(set, Analysis::unified).has_value();
}

// As samcl runs them.
bool by_slices(analysis::TaskSet set) {
  set.platform.bound = true;
  for (analysis::Task& task : set.tasks) {
    task.cpu = {};
    for (Stage& stage : task.stages)
      if (stage.resource == Resource::gpu) stage.section.assign(stage.worst.size(), kMs);
  }
  return check_capacity(set, ones(set)) && analysis::analyse(set, ones(set), Form::safe).schedulable;
}

// Locks on 1, 2, ... 16 parts of the GPU, under global EDF: the number is the designer's. Deadlines are met but for a
// bounded tardiness. Each segment waits as the longest of its task would; G^m is executed before or after it, as who
// holds parts needs no CPU.
bool by_smlp(const analysis::TaskSet& set) {
  for (int parts = 1; parts <= kParts; parts *= 2) {
    locking::TaskSet locks = {set.platform.cpus, 1, {}, parts};
    std::vector<Time> demands, segments;
    for (const analysis::Task& task : set.tasks) {
      locking::Task& lock = locks.tasks.emplace_back();
      Time longest = 0;
      demands.push_back(0);
      segments.push_back(0);
      for (const Stage& stage : task.stages) {
        const bool gpu = stage.resource == Resource::gpu;
        const Time host = stage.host_in(1), pure = stage.worst_in(1) - host;
        demands.back() += host + (gpu ? parts * pure : pure);
        segments.back() += gpu ? 1 : 0;
        if (gpu) longest = std::max(longest, std::max<Time>(1, pure));
      }
      for (int n = 1; longest > 0 && n <= parts; ++n) lock.on_parts.push_back((longest * parts + n - 1) / n);
      lock.gpu = longest;
    }
    const std::vector<Time> blocking = locking::smlp_blocking(locks);
    locking::ExactSum utilisation;
    bool fits = true;
    for (size_t i = 0; i < set.tasks.size(); ++i) {
      const Time demand = demands[i] + segments[i] * blocking[i];
      fits = fits && demand <= set.tasks[i].period;
      utilisation.add(demand, set.tasks[i].period);
    }
    if (fits && utilisation.at_most(set.platform.cpus)) return true;
  }
  return false;
}

struct Way {
  std::string name;
  std::function<bool(const analysis::TaskSet&)> schedulable;
};

std::vector<Way> ways() {
  std::vector<Way> all;
  const auto add = [&](Analysis analysis, const Costs& costs, bool both = true) {
    for (const bool busy : {false, true})
      if (both || !busy)
        all.push_back({std::string(name(analysis)) + (busy ? ", busy" : ""), [=](const analysis::TaskSet& set) {
                         return analyse(on_cpus(set, busy), analysis, costs).schedulable;
                       }});
  };
  for (const Analysis analysis : {Analysis::gcaps, Analysis::gcaps_published}) {
    add(analysis, {kMs});
    for (const bool busy : {false, true})
      all.push_back({std::string(name(analysis)) + ", GPU priorities" + (busy ? ", busy" : ""),
                     [=](const analysis::TaskSet& set) {
                       return with_gpu_priorities(on_cpus(set, busy), analysis, {kMs}).has_value();
                     }});
  }
  for (const Analysis analysis : {Analysis::mpcp, Analysis::mpcp_published, Analysis::fmlp, Analysis::fmlp_published})
    add(analysis, {});
  for (const Analysis analysis : {Analysis::server, Analysis::server_published}) add(analysis, {50 * kUs}, false);
  add(Analysis::round_robin, {0, kMs, 200 * kUs});
  all.push_back({"partitions", by_partition});
  all.push_back({"smlp", by_smlp});
  all.push_back({"slices", by_slices});
  return all;
}

const std::vector<Way>& known_ways() {
  static const std::vector<Way> kWays = ways();
  return kWays;
}

}  // namespace

std::vector<std::string> way_names() {
  std::vector<std::string> names;
  for (const Way& way : known_ways()) names.push_back(way.name);
  return names;
}

std::vector<bool> verdicts(const analysis::TaskSet& set) {
  std::vector<bool> all;
  for (const Way& way : known_ways()) all.push_back(way.schedulable(set));
  return all;
}

std::vector<double> Shares::utilisations() { return {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}; }

std::string Shares::heading() const {
  return "access, " + std::to_string(sets_) + " sets at each point, seed " + std::to_string(seed_);
}

int64_t Shares::blocks() const { return static_cast<int64_t>(points()) * ((sets_ + kBlockSets - 1) / kBlockSets); }

size_t Shares::point_of(int64_t block) const { return static_cast<size_t>(block) % points(); }

Counts Shares::count(int64_t block) const {
  const size_t point = point_of(block);
  const int64_t first = block / static_cast<int64_t>(points()) * kBlockSets;
  Counts counts(width(), 0);
  RandomSets wanted;
  wanted.utilisation = utilisations()[point];
  for (int64_t n = first; n < std::min(sets_, first + kBlockSets); ++n) {
    const std::vector<bool> good = verdicts(draw_set(wanted, seed_of(seed_of(seed_, point), static_cast<uint64_t>(n))));
    ++counts[0];
    for (size_t way = 0; way < good.size(); ++way) counts[1 + way] += good[way] ? 1 : 0;
  }
  return counts;
}

std::string format_csv(const std::vector<Counts>& counts) {
  std::string csv = "utilisation,sets";
  for (const std::string& name : way_names()) csv += ",\"" + name + "\"";
  csv += "\n";
  for (size_t point = 0; point < counts.size(); ++point) {
    csv += decimal(Shares::utilisations()[point], 1);
    for (const int64_t number : counts[point]) csv += "," + std::to_string(number);
    csv += "\n";
  }
  return csv;
}

Chart chart(const std::vector<Counts>& counts) {
  Chart chart{"Ways to share a GPU", "utilisation of each CPU", Shares::utilisations(), {}};
  const std::vector<std::string> names = way_names();
  for (size_t way = 0; way < names.size(); ++way) {
    chart.curves.push_back({names[way], {}});
    for (size_t point = 0; point < counts.size(); ++point)
      chart.curves.back().points.emplace_back(
          Shares::utilisations()[point],
          static_cast<double>(counts[point][1 + way]) / static_cast<double>(counts[point][0]));
  }
  return chart;
}

}  // namespace samcl::analysis::access
