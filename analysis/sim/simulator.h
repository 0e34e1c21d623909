// A discrete-event simulator of exactly the model of model/task_set.h: fixed priorities on every resource,
// global over its elements or, where devices are bound, for each link and GPU (placed by place_devices());
// CPUs preemptive, PCI links and GPUs in sections; work-conserving.
//
// What the model leaves open (when jobs are released, how long they run, where sections end) is asked of a
// Behaviour; what happens is told to an Observer. At one instant everything that ends, ends first; then
// what becomes ready does; then elements are given out, the most urgent ready subtask first. A subtask
// that runs for 0 ns ends when it becomes ready, without an element.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

inline constexpr Time kNoInstant = std::numeric_limits<Time>::max();

// In a stage of several requests: once each subtask has executed for `after` (or ended), each of the stage's threads
// runs on a CPU, and then the job makes its next request. (So what is executed between two pauses, by the longest
// subtask, adds up to what the longest subtask executes.)
struct Pause {
  Time after = 0;   // no less than the one before
  Time length = 1;  // at least 1 ns
};

class Behaviour {
 public:
  virtual ~Behaviour() = default;
  // Release of the task's job 0, 1, 2, ...; at least a period after the one before.
  virtual Time release(size_t task, int64_t job) = 0;
  // Execution time of one subtask, from Stage::best to Stage::worst of the mode at hand.
  virtual Time execution(size_t task, int64_t job, size_t stage, int subtask) = 0;
  // At most Stage::requests - 1, together no longer than Stage::between of the mode at hand.
  virtual std::span<const Pause> pauses(size_t task, int64_t job, size_t stage) = 0;
  // Length of a subtask's next section, 1 to `longest`; it ends earlier if the subtask does.
  virtual Time section(size_t task, size_t stage, Time longest) = 0;
  // For how long the section needs a CPU, 0 to `longest`: from its begin on, or, if `late`, after all that it does
  // without. Of those that need one at the same priority, sections that yield have it last.
  struct Host {
    Time length = 0;
    bool late = false;
    bool yields = false;
  };
  virtual Host host(size_t task, size_t stage, int subtask, size_t request, Time longest) = 0;
  // When the job is ended, wherever it is by then; it is not told as finished.
  virtual Time dropped(size_t /*task*/, int64_t /*job*/) { return kNoInstant; }
};

// An element ran a subtask, or a CPU the pause of a stage, from start to end without a break.
struct Segment {
  Resource resource;
  int element;
  size_t task;
  int64_t job;
  size_t stage;
  int subtask;
  Time start;
  Time end;
};

struct FinishedJob {
  size_t task;
  int64_t job;
  Time release;
  Time finish;
  Time response() const { return finish - release; }
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void ran(const Segment&) {}
  virtual void finished(const FinishedJob&) {}
};

// Simulates all jobs released before `horizon`, to their ends if those come before `give_up` (a set that
// overloads a resource may never end). The set and modes have passed check(). Returns the last instant.
Time simulate(const TaskSet& set, std::span<const size_t> order, std::span<const int> modes, Behaviour& behaviour,
              Observer& observer, Time horizon, Time give_up);

}  // namespace samcl::analysis
