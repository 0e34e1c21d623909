#include "analysis/experiment/tally.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

namespace samcl::analysis {
namespace {

using Clock = std::chrono::steady_clock;

// The policies of one set. `optimal` begins with `search`: where that found modes, or the proof that there
// are none, nothing is left to do for it.
void count(const Figure& figure, const TaskSet& set, Tally& tally) {
  ++tally.sets;
  tally.tasks += static_cast<int64_t>(set.tasks.size());
  Choice searched;
  int64_t search_time = 0;
  for (size_t p = 0; p < figure.policies.size(); ++p) {
    const Policy policy = figure.policies[p];
    const auto start = Clock::now();
    const bool settled = policy == Policy::optimal && (searched.schedulable || searched.impossible);
    const Choice choice = settled ? searched : choose_modes(set, figure.form, policy);
    int64_t time = std::chrono::nanoseconds(Clock::now() - start).count();
    if (policy == Policy::search) {
      searched = choice;
      search_time = time;
    }
    if (settled) time = search_time;
    tally.schedulable[p] += choice.schedulable ? 1 : 0;
    tally.nanoseconds[p] += time;
  }
}

}  // namespace

void Tally::add(const Tally& other) {
  sets += other.sets;
  tasks += other.tasks;
  for (size_t p = 0; p < schedulable.size(); ++p) {
    schedulable[p] += other.schedulable[p];
    nanoseconds[p] += other.nanoseconds[p];
  }
}

Tally tally_block(const Experiment& experiment, int64_t block) {
  const size_t point = experiment.point_of(block);
  const int64_t first = block % experiment.blocks_per_point() * kBlockSets;
  const int64_t end = std::min(experiment.sets, first + kBlockSets);
  Tally tally(experiment.figure.policies.size());
  for (int64_t n = first; n < end; ++n)
    count(experiment.figure, task_set_at(experiment.figure, point, experiment.seed, static_cast<uint64_t>(n)),
          tally);
  return tally;
}

void tally_blocks(const Experiment& experiment, const std::vector<bool>& known,
                  const std::function<void(int64_t block, const Tally&)>& done,
                  const std::atomic<bool>& stop) {
  std::atomic<int64_t> next = 0;
  std::mutex reporting;
  const auto work = [&] {
    for (int64_t block = next++; block < experiment.blocks() && !stop; block = next++) {
      if (known[static_cast<size_t>(block)]) continue;
      const Tally tally = tally_block(experiment, block);
      const std::lock_guard lock(reporting);
      done(block, tally);
    }
  };
  std::vector<std::thread> threads;
  for (int n = 1; n < experiment.threads; ++n) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace samcl::analysis
