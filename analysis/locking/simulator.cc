#include "analysis/locking/simulator.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>

#include "analysis/locking/container.h"
#include "analysis/locking/gpu_queues.h"
#include "analysis/locking/smlp.h"

namespace samcl::analysis::locking {
namespace {

constexpr Time kNever = std::numeric_limits<Time>::max();
constexpr int kNowhere = -1;

enum class Phase { before, copying_in, gpu, copying_out, after, ended };

Time length(const Job& job, Phase phase) {
  const Time lengths[] = {job.before, job.copying_in, job.gpu, job.copying_out, job.after, 0};
  return lengths[static_cast<size_t>(phase)];
}

// A job at work: of each task, or of each container, one.
struct Running {
  size_t job = 0;
  const Job* plan = nullptr;
  Priority priority;
  Phase phase = Phase::before;
  Time remaining = 0;
  bool waiting = false;
  Time blocked = 0;
  int element = kNowhere;  // the CPU or, in Phase::gpu, the GPU
  Time started = 0;        // there
};

struct Arrival {
  size_t task = 0;
  size_t job = 0;
  Time deadline = 0;
};

// Jobs that run one after the other: those of a task, or of a container.
struct Line {
  std::deque<Arrival> arrived;
  std::optional<Running> head;
};

class Simulation {
 public:
  Simulation(const TaskSet& set, Method method, const JobSequences& plan)
      : set_(set), plan_(plan), next_(set.tasks.size(), 0) {
    if (method == Method::containers) {
      gpu_of_ = assign_gpus(set);
      for (int gpu = 0; gpu < set.gpus; ++gpu) servers_.emplace_back(set, gpu_of_, gpu);
    } else if (method == Method::smlp) {
      parts_.emplace(set);
    } else {
      queues_.emplace(set, static_cast<Protocol>(method));
    }
    lines_.resize(set.tasks.size() + servers_.size());
    cpu_taken_.resize(static_cast<size_t>(set.cpus), false);
  }

  Schedule run() {
    for (Time next = next_event(); next != kNever; next = next_event()) {
      advance(next);
      take_releases();
      if (parts_) grant_parts();
      while (step_on()) {
      }
      give_out_cpus();
    }
    return std::move(schedule_);
  }

 private:
  bool contained(size_t task) const { return !gpu_of_.empty() && gpu_of_[task] != kNoGpu; }
  size_t line_of(size_t task) const {
    return contained(task) ? set_.tasks.size() + static_cast<size_t>(gpu_of_[task]) : task;
  }

  Time next_event() const {
    Time next = kNever;
    for (size_t i = 0; i < next_.size(); ++i)
      if (next_[i] < plan_[i].size()) next = std::min(next, plan_[i][next_[i]].release);
    for (const Line& line : lines_)
      if (line.head && line.head->element != kNowhere) next = std::min(next, now_ + line.head->remaining);
    if (const auto slice = parts_ ? parts_->next_slice(now_) : std::nullopt) next = std::min(next, *slice);
    return next;
  }

  void advance(Time to) {
    const Time passed = to - now_;
    now_ = to;
    count_blocking(passed);
    for (Line& line : lines_) {
      if (!line.head || line.head->element == kNowhere) continue;
      line.head->remaining -= passed;
      if (line.head->remaining == 0) stop(*line.head);
    }
  }

  void count_blocking(Time passed) {
    std::vector<Running*> pending;
    for (Line& line : lines_)
      if (line.head) pending.push_back(&*line.head);
    const size_t virtually_running = std::min(pending.size(), cpu_taken_.size());
    std::partial_sort(pending.begin(), pending.begin() + static_cast<long>(virtually_running), pending.end(),
                      [](const Running* a, const Running* b) { return a->priority < b->priority; });
    for (size_t n = 0; n < virtually_running; ++n)
      if (pending[n]->waiting) pending[n]->blocked += passed;
  }

  void start(Running& job, int element) {
    job.element = element;
    job.started = now_;
  }

  void stop(Running& job) {
    const bool on_gpu = job.phase == Phase::gpu;
    if (!on_gpu) cpu_taken_[static_cast<size_t>(job.element)] = false;
    const std::vector<int> elements =
        on_gpu && parts_ ? parts_->parts_of(job.priority.task) : std::vector<int>{job.element};
    for (const int element : elements)
      if (now_ > job.started) schedule_.ran.push_back({job.priority.task, job.job, on_gpu, element, job.started, now_});
    job.element = kNowhere;
  }

  // In the order of the tasks, which decides who is first in a container.
  void take_releases() {
    for (size_t i = 0; i < next_.size(); ++i)
      while (next_[i] < plan_[i].size() && plan_[i][next_[i]].release == now_) {
        const Task& task = set_.tasks[i];
        const Time deadline = contained(i) ? servers_[static_cast<size_t>(gpu_of_[i])].deadline(now_, task.execution())
                                           : now_ + task.period;
        lines_[line_of(i)].arrived.push_back({i, next_[i]++, deadline});
      }
  }

  // Takes the most urgent job that has nothing left to do where it is one phase on; false if there is none.
  bool step_on() {
    Line* most_urgent = nullptr;
    for (Line& line : lines_) {
      if (!line.head && !line.arrived.empty()) begin(line);
      if (!line.head || line.head->remaining > 0 || line.head->waiting) continue;
      if (!most_urgent || line.head->priority < most_urgent->head->priority) most_urgent = &line;
    }
    if (!most_urgent) return false;
    leave_phase(*most_urgent);
    return true;
  }

  void begin(Line& line) {
    const Arrival arrival = line.arrived.front();
    line.arrived.pop_front();
    const Job& plan = plan_[arrival.task][arrival.job];
    line.head = Running{arrival.job, &plan, {arrival.deadline, arrival.task}, Phase::before, plan.before};
    if (queues_ && set_.tasks[arrival.task].uses_gpu()) queues_->arrive(line.head->priority);
  }

  bool locks(size_t task) const { return (queues_ || parts_) && set_.tasks[task].uses_gpu(); }
  bool holds(size_t task) const { return parts_ ? parts_->holds(task) : queues_->holds(task); }

  void request(const Priority& priority) {
    if (!parts_) return queues_->request(priority);
    parts_->request(priority);
    parts_->grant(now_);
  }

  void release(size_t task) {
    if (!parts_) {
      queues_->release(task);
      return wake_holders();
    }
    parts_->release(task);
    grant_parts();
  }

  void grant_parts() {
    parts_->grant(now_);
    wake_holders();
  }

  void enter(Running& job, Phase phase) {
    job.phase = phase;
    job.remaining = length(*job.plan, phase);
    if (phase == Phase::gpu && parts_) {
      const Task& task = set_.tasks[job.priority.task];
      const auto parts = static_cast<int>(parts_->parts_of(job.priority.task).size());
      job.remaining = std::max<Time>(0, task.gpu_on(parts) - (task.gpu - job.remaining));
    }
    if (phase == Phase::gpu && job.remaining > 0) start(job, gpu(job.priority.task));
  }

  int gpu(size_t task) const {
    if (parts_) return parts_->parts_of(task).front();
    return queues_ ? queues_->gpu_of(task) : gpu_of_[task];
  }

  void leave_phase(Line& line) {
    Running& job = *line.head;
    const size_t task = job.priority.task;
    if (locks(task) && job.phase == Phase::before) {
      request(job.priority);
      job.waiting = !holds(task);
      if (job.waiting) return;
    }
    if (locks(task) && job.phase == Phase::copying_out) release(task);
    enter(job, static_cast<Phase>(static_cast<int>(job.phase) + 1));
    if (job.phase != Phase::ended) return;
    schedule_.ended.push_back({task, job.job, job.plan->release, now_, job.blocked});
    line.head.reset();
    if (!queues_ || !set_.tasks[task].uses_gpu()) return;
    queues_->leave(task);
    wake_holders();
  }

  void wake_holders() {
    for (Line& line : lines_) {
      if (!line.head || !line.head->waiting || !holds(line.head->priority.task)) continue;
      line.head->waiting = false;
      enter(*line.head, Phase::copying_in);
    }
  }

  Priority effective(const Running& job) const {
    return queues_ && queues_->holds(job.priority.task) ? queues_->inherited(job.priority.task) : job.priority;
  }

  void give_out_cpus() {
    std::vector<std::pair<Priority, Running*>> ready;
    for (Line& line : lines_)
      if (line.head && !line.head->waiting && line.head->phase != Phase::gpu)
        ready.emplace_back(effective(*line.head), &*line.head);
    std::sort(ready.begin(), ready.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const size_t places = std::min(ready.size(), cpu_taken_.size());
    for (size_t n = places; n < ready.size(); ++n)
      if (ready[n].second->element != kNowhere) stop(*ready[n].second);
    for (size_t n = 0; n < places; ++n) {
      if (ready[n].second->element != kNowhere) continue;
      const auto free = std::find(cpu_taken_.begin(), cpu_taken_.end(), false);
      *free = true;
      start(*ready[n].second, static_cast<int>(free - cpu_taken_.begin()));
    }
  }

  const TaskSet& set_;
  const JobSequences& plan_;
  Time now_ = 0;
  std::vector<size_t> next_;  // job of each task to be released
  std::vector<Line> lines_;   // by task, then by container
  std::vector<bool> cpu_taken_;
  std::optional<GpuQueues> queues_;  // of whole GPUs
  std::optional<PartQueue> parts_;   // of a GPU's parts
  std::vector<int> gpu_of_;          // with containers
  std::vector<BandwidthServer> servers_;
  Schedule schedule_;
};

}  // namespace

const char* name(Method method) {
  return method == Method::containers ? "containers" : name(static_cast<Protocol>(method));
}

JobSequences synchronous_plan(const TaskSet& set, int jobs) {
  JobSequences plan;
  for (const Task& task : set.tasks) {
    std::vector<Job>& list = plan.emplace_back();
    for (Time n = 0; n < jobs; ++n) {
      const Time in = (task.communication() + 1) / 2;
      list.push_back({n * task.period, task.cpu - task.communication(), in, task.gpu, task.communication() - in, 0});
    }
  }
  return plan;
}

Schedule simulate(const TaskSet& set, Method method, const JobSequences& plan) {
  return Simulation(set, method, plan).run();
}

std::vector<Time> lateness(const TaskSet& set, const Schedule& schedule) {
  std::vector<Time> late(set.tasks.size(), 0);
  for (const Ended& job : schedule.ended)
    late[job.task] = std::max(late[job.task], job.end - job.release - set.tasks[job.task].period);
  return late;
}

}  // namespace samcl::analysis::locking
