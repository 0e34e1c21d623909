#include "analysis/access/testing/simulator.h"

#include <algorithm>
#include <deque>

namespace samcl::analysis::access {
namespace {

enum class Rules { preemptive, locks, turns, own };

Rules rules_of(Analysis analysis) {
  switch (analysis) {
    case Analysis::gcaps:
    case Analysis::gcaps_published: return Rules::preemptive;
    case Analysis::mpcp:
    case Analysis::fmlp:
    case Analysis::server: return Rules::locks;
    case Analysis::round_robin: return Rules::turns;
    default: return Rules::own;
  }
}

// What a job does next. Requests take no time.
enum class Kind { normal, request, update, acquire, misc, pure, release };
struct Step {
  Kind kind;
  Time left = 0;
  bool begins = false;  // of an update: the segment
};

constexpr size_t kNobody = static_cast<size_t>(-1);

struct Running {
  std::deque<const SimulatedJob*> waiting;
  const SimulatedJob* job = nullptr;
  std::deque<Step> steps;
  bool asked = false;  // waits for the update's turn or for the device
  bool holds = false;  // the device; in a segment, with preemption
  Time asked_at = 0;
  Time longest = 0;

  Kind kind() const { return steps.front().kind; }
};

class Simulation {
 public:
  Simulation(const TaskSet& set, Analysis analysis, const Costs& costs)
      : set_(set),
        analysis_(analysis),
        costs_(costs),
        rules_(rules_of(analysis)),
        tasks_(set.tasks.size()),
        devices_(static_cast<size_t>(set.devices)) {}

  std::vector<Time> run(const std::vector<SimulatedJob>& jobs) {
    for (const SimulatedJob& job : jobs) tasks_[job.task].waiting.push_back(&job);
    while (!all_ended()) {
      settle();
      tick();
      ++now_;
    }
    std::vector<Time> longest;
    for (const Running& task : tasks_) longest.push_back(task.longest);
    return longest;
  }

 private:
  struct Device {
    size_t user = kNobody;  // of the slice
    Time slice = 0, switching = 0;
    size_t last = kNobody;
  };

  bool all_ended() const {
    return std::all_of(tasks_.begin(), tasks_.end(),
                       [](const Running& task) { return !task.job && task.waiting.empty(); });
  }

  void start(size_t i) {
    Running& task = tasks_[i];
    task.job = task.waiting.front();
    task.waiting.pop_front();
    for (size_t j = 0; j < task.job->between.size(); ++j) {
      task.steps.push_back({Kind::normal, task.job->between[j]});
      if (j < task.job->segment.size()) add_segment(task, task.job->segment[j]);
    }
  }

  void add_segment(Running& task, const std::array<Time, 3>& parts) {
    const Time handling = analysis_ == Analysis::server ? costs_.update : 0;
    if (rules_ == Rules::preemptive) {
      task.steps.push_back({Kind::request});
      task.steps.push_back({Kind::update, costs_.update, true});
    }
    if (rules_ == Rules::locks) task.steps.push_back({Kind::acquire});
    task.steps.push_back({Kind::misc, parts[0] + handling});
    task.steps.push_back({Kind::pure, parts[1]});
    task.steps.push_back({Kind::misc, parts[2] + handling});
    if (rules_ == Rules::preemptive) {
      task.steps.push_back({Kind::request});
      task.steps.push_back({Kind::update, costs_.update, false});
    }
    if (rules_ == Rules::locks) task.steps.push_back({Kind::release});
  }

  // All that happens at this instant and takes no time.
  void settle() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < tasks_.size(); ++i) changed = pass(i) || changed;
      for (int cpu = 0; cpu < set_.cpus; ++cpu) changed = ask(cpu) || changed;
      changed = grant() || changed;
    }
  }

  // One step that has ended.
  bool pass(size_t i) {
    Running& task = tasks_[i];
    if (!task.job) {
      if (task.waiting.empty() || task.waiting.front()->release > now_) return false;
      start(i);
      return true;
    }
    if (task.steps.empty()) {
      task.longest = std::max(task.longest, now_ - task.job->arrival);
      task.job = nullptr;
      return true;
    }
    const Step step = task.steps.front();
    if (step.kind == Kind::request || step.kind == Kind::acquire) return false;
    if (step.kind == Kind::update) {
      if (task.asked || step.left > 0) return false;
      updating_ = kNobody;
      task.holds = step.begins;
    }
    if (step.kind == Kind::release) task.holds = false;
    if (step.left > 0) return false;
    task.steps.pop_front();
    return true;
  }

  // The job that the CPU would run asks, if that is what it does next.
  bool ask(int cpu) {
    const size_t i = chosen(cpu);
    if (i == kNobody) return false;
    Running& task = tasks_[i];
    if (task.kind() == Kind::request) {
      task.steps.pop_front();
    } else if (task.kind() != Kind::acquire || task.asked) {
      return false;
    }
    task.asked = true;
    task.asked_at = now_;
    return true;
  }

  bool grant() {
    bool changed = false;
    if (rules_ == Rules::preemptive && updating_ == kNobody) {
      const size_t next = next_in_line(-1);
      if (next != kNobody) {
        updating_ = next;
        tasks_[next].asked = false;
        changed = true;
      }
    }
    for (int device = 0; rules_ == Rules::locks && device < set_.devices; ++device) {
      const size_t next = held(device) ? kNobody : next_in_line(device);
      if (next == kNobody) continue;
      tasks_[next].asked = false;
      tasks_[next].holds = true;
      tasks_[next].steps.pop_front();
      changed = true;
    }
    return changed;
  }

  bool held(int device) const {
    for (size_t i = 0; i < tasks_.size(); ++i)
      if (tasks_[i].holds && set_.tasks[i].device == device) return true;
    return false;
  }

  // Of those that wait for the device, or for an update where that is negative.
  size_t next_in_line(int device) const {
    size_t best = kNobody;
    const auto before = [&](size_t a, size_t b) {
      const bool fifo = analysis_ == Analysis::fmlp;
      if (fifo && tasks_[a].asked_at != tasks_[b].asked_at) return tasks_[a].asked_at < tasks_[b].asked_at;
      return set_.tasks[a].gpu_rank < set_.tasks[b].gpu_rank;
    };
    for (size_t i = 0; i < tasks_.size(); ++i)
      if (tasks_[i].asked && (device < 0 || set_.tasks[i].device == device) && (best == kNobody || before(i, best)))
        best = i;
    return best;
  }

  // Above all that hold nothing, on this CPU.
  bool boosted(size_t i, int cpu) const {
    const Running& task = tasks_[i];
    if (!task.job || task.steps.empty()) return false;
    if (rules_ == Rules::preemptive) return updating_ == i && set_.tasks[i].cpu == cpu;
    if (rules_ != Rules::locks || !task.holds) return false;
    const int where = analysis_ == Analysis::server ? costs_.server_cpu : set_.tasks[i].cpu;
    return where == cpu && (task.kind() == Kind::misc || (task.kind() == Kind::pure && set_.tasks[i].busy));
  }

  bool ready(size_t i, int cpu) const {
    const Running& task = tasks_[i];
    if (!task.job || task.steps.empty() || task.asked || set_.tasks[i].cpu != cpu) return false;
    switch (task.kind()) {
      case Kind::normal:
      case Kind::request:
      case Kind::acquire: return true;
      case Kind::misc: return rules_ != Rules::locks;
      case Kind::pure: return rules_ != Rules::locks && set_.tasks[i].busy;
      default: return false;
    }
  }

  size_t chosen(int cpu) const {
    for (size_t i = 0; i < tasks_.size(); ++i)
      if (boosted(i, cpu)) return i;
    for (size_t i = 0; i < tasks_.size(); ++i)
      if (ready(i, cpu)) return i;
    return kNobody;
  }

  void tick() {
    std::vector<Step*> progress;
    for (int cpu = 0; cpu < set_.cpus; ++cpu) {
      const size_t i = chosen(cpu);
      if (i != kNobody && tasks_[i].kind() != Kind::pure) progress.push_back(&tasks_[i].steps.front());
    }
    for (int device = 0; device < set_.devices; ++device) work(device, progress);
    for (Step* step : progress) --step->left;
  }

  bool wants(size_t i, int device) const {
    const Running& task = tasks_[i];
    return set_.tasks[i].device == device && task.job && !task.steps.empty() && task.kind() == Kind::pure &&
           task.steps.front().left > 0;
  }

  void work(int device, std::vector<Step*>& progress) {
    switch (rules_) {
      case Rules::locks:
      case Rules::own:
        for (size_t i = 0; i < tasks_.size(); ++i)
          if (wants(i, device)) progress.push_back(&tasks_[i].steps.front());
        return;
      case Rules::preemptive: {
        const size_t user = gpu_user();
        if (user == kNobody || !wants(user, device)) return;
        if (updating_ != kNobody && set_.tasks[updating_].gpu_rank < set_.tasks[user].gpu_rank) return;
        progress.push_back(&tasks_[user].steps.front());
        return;
      }
      case Rules::turns: return take_turns(device, progress);
    }
  }

  size_t gpu_user() const {
    size_t best = kNobody;
    for (size_t i = 0; i < tasks_.size(); ++i)
      if (tasks_[i].holds && (best == kNobody || set_.tasks[i].gpu_rank < set_.tasks[best].gpu_rank)) best = i;
    return best;
  }

  void take_turns(int number, std::vector<Step*>& progress) {
    Device& device = devices_[static_cast<size_t>(number)];
    if (device.switching == 0 && (device.user == kNobody || device.slice == 0 || !wants(device.user, number))) {
      const size_t before = device.user == kNobody ? device.last : device.user;
      device.user = kNobody;
      for (size_t n = 1; n <= tasks_.size() && device.user == kNobody; ++n) {
        const size_t next = ((before == kNobody ? tasks_.size() - 1 : before) + n) % tasks_.size();
        if (wants(next, number)) device.user = next;
      }
      if (device.user == kNobody) {
        device.last = before;
        return;
      }
      device.slice = costs_.slice;
      if (device.user != before) device.switching = costs_.switching;
    }
    if (device.switching > 0) {
      --device.switching;
      return;
    }
    --device.slice;
    progress.push_back(&tasks_[device.user].steps.front());
  }

  const TaskSet& set_;
  const Analysis analysis_;
  const Costs& costs_;
  const Rules rules_;
  std::vector<Running> tasks_;
  std::vector<Device> devices_;
  size_t updating_ = kNobody;
  Time now_ = 0;
};

}  // namespace

std::vector<Time> simulate(const TaskSet& set, Analysis analysis, const Costs& costs,
                           const std::vector<SimulatedJob>& jobs) {
  return Simulation(set, analysis, costs).run(jobs);
}

}  // namespace samcl::analysis::access
