#include "analysis/model/placement.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace samcl::analysis {
namespace {

constexpr int64_t kWhole = 1'000'000'000;
// A stage counts as no more than this: sums of them do not overflow.
constexpr int64_t kMost = 1000 * kWhole;

int64_t share(Time worst, Time period) {
  __extension__ using Wide = __int128;
  return static_cast<int64_t>(std::min<Wide>(static_cast<Wide>(worst) * kWhole / period, kMost));
}

}  // namespace

Placement place_devices(const TaskSet& set, const PriorityOrder& order, std::span<const int> modes) {
  Placement placement(set.tasks.size());
  if (!set.platform.bound) return placement;
  Placer placer(set);
  for (const size_t task : order) {
    placement[task] = placer.choose(task, modes[task]);
    placer.place(task, modes[task], placement[task]);
  }
  return placement;
}

std::string format_devices(const std::vector<int>& devices) {
  std::string text;
  for (const int device : devices) text += (text.empty() ? "" : " ") + std::to_string(device);
  return text;
}

Placer::Placer(const TaskSet& set) : set_(&set), lists_(static_cast<size_t>(set.platform.gpus)) {
  restart();
  for (const Task& task : set.tasks) {
    if (task.devices.empty()) continue;
    const int most = task.largest_mode(set.platform);
    const Load load = load_of(task, most);
    for (const int device : std::span(task.devices).first(static_cast<size_t>(most)))
      lists_[static_cast<size_t>(device)] += std::max(load.link, load.gpu);
  }
}

void Placer::restart() { placed_.assign(lists_.size(), Load()); }

std::vector<int> Placer::choose(size_t task, int mode) const {
  const auto count = static_cast<std::ptrdiff_t>(mode);
  const auto& list = set_->tasks[task].devices;
  if (!list.empty()) return {list.begin(), list.begin() + count};
  const Load own = load_of(set_->tasks[task], mode);
  const auto rank = [&](int device) {
    const Load& load = placed_[static_cast<size_t>(device)];
    const int64_t link = own.link > 0 ? load.link + own.link : 0;
    const int64_t gpu = own.gpu > 0 ? load.gpu + own.gpu : 0;
    return std::tuple(std::max(link, gpu), load.link + load.gpu, lists_[static_cast<size_t>(device)], device);
  };
  std::vector<int> devices(placed_.size());
  std::iota(devices.begin(), devices.end(), 0);
  std::sort(devices.begin(), devices.end(), [&](int a, int b) { return rank(a) < rank(b); });
  devices.erase(devices.begin() + count, devices.end());
  std::sort(devices.begin(), devices.end());
  return devices;
}

void Placer::place(size_t task, int mode, std::span<const int> devices) {
  const Load own = load_of(set_->tasks[task], mode);
  for (const int device : devices) {
    placed_[static_cast<size_t>(device)].link += own.link;
    placed_[static_cast<size_t>(device)].gpu += own.gpu;
  }
}

Placer::Load Placer::load_of(const Task& task, int mode) {
  Load load;
  for (const Stage& stage : task.stages) {
    if (stage.resource == Resource::link) load.link += share(stage.worst_in(mode), task.period);
    if (stage.resource == Resource::gpu) load.gpu += share(stage.worst_in(mode), task.period);
  }
  return load;
}

}  // namespace samcl::analysis
