#include "analysis/experiment/blocks.h"

#include <thread>

namespace samcl::analysis {

void add(Counts& sum, const Counts& more) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

std::optional<int64_t> BlockQueue::next() {
  const std::lock_guard lock(giving_);
  while (next_ < known_.size() && known_[next_]) ++next_;
  if (next_ == known_.size() || stop_) return std::nullopt;
  return static_cast<int64_t>(next_++);
}

void BlockQueue::finish(int64_t block, const Counts& counts) {
  const std::lock_guard lock(reporting_);
  done_(block, counts);
}

void on_threads(int threads, const std::function<void()>& work) {
  std::vector<std::thread> others;
  for (int n = 1; n < threads; ++n) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
}

void count_blocks(const BlockExperiment& experiment, BlockQueue& queue, int threads) {
  on_threads(threads, [&] {
    while (const auto block = queue.next()) queue.finish(*block, experiment.count(*block));
  });
}

}  // namespace samcl::analysis
