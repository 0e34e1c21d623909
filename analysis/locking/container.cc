#include "analysis/locking/container.h"

#include <algorithm>
#include <numeric>

#include "analysis/locking/exact_sum.h"

namespace samcl::analysis::locking {
namespace {

// What a container's tasks have in common.
struct Contents {
  Time longest = 0;  // e + s
  Time all = 0;      // sum of e + s: one job of each
};

// The container as G-EDF sees it, its rate rounded up. Its server deadlines are rounded up to whole
// nanoseconds, for which PROOF.md asks 1 ns.
Stream container_stream(const Contents& contents, const ExactSum& bandwidth) {
  const auto rate = static_cast<uint64_t>(bandwidth.below() >> 32) + 1;
  return {contents.longest + 1, std::min(rate, uint64_t{1} << 32)};
}

// How long after its release a job's server deadline can be: the sum of e + s, divided by w.
Time server_delay(const Contents& contents, const ExactSum& bandwidth) {
  const auto work = static_cast<Wide>(contents.all) << 64;
  return static_cast<Time>(ceil_divide(work, bandwidth.below()));
}

// The conditions.
ContainerVerdict judge(const TaskSet& set) {
  ContainerVerdict verdict;
  verdict.gpu_of = assign_gpus(set);
  verdict.bandwidth.resize(static_cast<size_t>(set.gpus));
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const Task& task = set.tasks[i];
    verdict.utilisation.add(task.execution(), task.period);
    if (task.uses_gpu()) verdict.bandwidth[static_cast<size_t>(verdict.gpu_of[i])].add(task.execution(), task.period);
    if (task.execution() > task.period && !verdict.too_long) verdict.too_long = i;
  }
  verdict.fits = verdict.utilisation.at_most(set.cpus);
  for (size_t gpu = verdict.bandwidth.size(); gpu-- > 0;)
    if (!verdict.bandwidth[gpu].at_most(1)) verdict.overfull = gpu;
  return verdict;
}

std::vector<Contents> contents_of(const TaskSet& set, const std::vector<int>& gpu_of) {
  std::vector<Contents> contents(static_cast<size_t>(set.gpus));
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    if (gpu_of[i] == kNoGpu) continue;
    Contents& container = contents[static_cast<size_t>(gpu_of[i])];
    container.longest = std::max(container.longest, set.tasks[i].execution());
    container.all += set.tasks[i].execution();
  }
  return contents;
}

// First the containers, then the tasks outside, in the set's order.
std::vector<Time> lateness(const TaskSet& set, const ContainerVerdict& verdict, const std::vector<Contents>& contents) {
  std::vector<Stream> streams;
  for (size_t gpu = 0; gpu < contents.size(); ++gpu)
    streams.push_back(contents[gpu].all == 0 ? Stream{} : container_stream(contents[gpu], verdict.bandwidth[gpu]));
  for (const Task& task : set.tasks)
    if (!task.uses_gpu()) streams.push_back(stream(task.execution(), task.period));
  return tardiness(streams, verdict.utilisation, set.cpus, TardinessBound::compliant_vector);
}

constexpr Time kFinest = Time{1} << 40;

Time common_multiple(const TaskSet& set, const std::vector<int>& gpu_of, int gpu) {
  Time multiple = 1;
  for (size_t i = 0; i < gpu_of.size(); ++i) {
    if (gpu_of[i] != gpu) continue;
    const Time step = set.tasks[i].period / std::gcd(multiple, set.tasks[i].period);
    if (multiple > kFinest / step) return kFinest;
    multiple *= step;
  }
  return multiple;
}

}  // namespace

ContainerVerdict analyse_containers(const TaskSet& set) {
  ContainerVerdict verdict = judge(set);
  if (!verdict.schedulable()) return verdict;
  const std::vector<Contents> contents = contents_of(set, verdict.gpu_of);
  const std::vector<Time> late = lateness(set, verdict, contents);
  size_t outside = contents.size();
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    if (verdict.gpu_of[i] == kNoGpu) {
      verdict.late.push_back(late[outside++]);
      continue;
    }
    const auto gpu = static_cast<size_t>(verdict.gpu_of[i]);
    const Time delay = server_delay(contents[gpu], verdict.bandwidth[gpu]);
    verdict.late.push_back(std::max<Time>(0, delay + late[gpu] - set.tasks[i].period));
  }
  return verdict;
}

BandwidthServer::BandwidthServer(const TaskSet& set, const std::vector<int>& gpu_of, int gpu)
    : denominator_(common_multiple(set, gpu_of, gpu)) {
  for (size_t i = 0; i < gpu_of.size(); ++i) {
    const Task& task = set.tasks[i];
    if (gpu_of[i] != gpu) continue;
    numerator_ += static_cast<Time>(ceil_divide(static_cast<Wide>(task.execution()) * static_cast<Wide>(denominator_),
                                                static_cast<Wide>(task.period)));
  }
}

Time BandwidthServer::deadline(Time release, Time execution) {
  if (release >= last_) {
    start_ = release;
    work_ = 0;
  }
  work_ += execution;
  last_ = start_ + static_cast<Time>(ceil_divide(static_cast<Wide>(work_) * static_cast<Wide>(denominator_),
                                                 static_cast<Wide>(numerator_)));
  return last_;
}

}  // namespace samcl::analysis::locking
