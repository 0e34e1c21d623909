#include "sam-manager/daemon/history.h"

#include <algorithm>
#include <utility>

namespace samcl::daemon {

NewJobs count_jobs(const protocol::JobTimes& page, CountedJobs& taken, TaskHistory& history) {
  const uint64_t jobs = page.count.load();
  if (jobs == taken.jobs) return {};
  const uint64_t misses = page.misses.load();
  const uint64_t early = page.early.load(), long_jobs = page.long_jobs.load();
  const NewJobs more{misses - taken.misses, early - taken.early, long_jobs - taken.long_jobs};
  history.jobs += jobs - taken.jobs;
  history.misses += more.misses;
  history.overruns.early_jobs += more.early;
  history.overruns.long_jobs += more.long_jobs;
  const uint64_t building = page.building.load();
  history.building += building - std::exchange(taken.building, building);
  history.longest_building_ns = std::max(history.longest_building_ns, page.longest_building_ns.load());
  history.longest_ns = std::max(history.longest_ns, page.longest_ns.load());
  for (size_t bucket = 0; bucket < protocol::kResponseBuckets; ++bucket) {
    const uint32_t count = page.responses[bucket].load(std::memory_order_relaxed);
    history.responses[bucket] += count - taken.responses[bucket];
    taken.responses[bucket] = count;
  }
  taken.jobs = jobs;
  taken.misses = misses;
  taken.early = early;
  taken.long_jobs = long_jobs;
  return more;
}

nlohmann::json TaskHistory::describe() const {
  nlohmann::json buckets = nlohmann::json::array();
  for (size_t bucket = 0; bucket < protocol::kResponseBuckets; ++bucket)
    if (responses[bucket] > 0)
      buckets.push_back({{"below_ns", protocol::response_bucket_end(bucket)}, {"jobs", responses[bucket]}});
  return {{"jobs", jobs},
          {"misses", misses},
          {"longest_ns", longest_ns},
          {"building", building},
          {"longest_building_ns", longest_building_ns},
          {"p50_ns", std::min(longest_ns, protocol::response_percentile(responses, 0.5))},
          {"p99_ns", std::min(longest_ns, protocol::response_percentile(responses, 0.99))},
          {"overruns", overruns.describe()},
          {"buckets", buckets}};
}

}  // namespace samcl::daemon
