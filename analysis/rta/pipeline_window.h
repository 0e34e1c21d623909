// How long several stages of a job, one after the other, can take from when the first becomes ready (as a
// rule, the job's release), looked at as one window (PROOF.md, theorem 2): what is more urgent delays them
// once, however many they are, and in however many lanes. A stage of several requests is as many stages.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "analysis/model/task_set.h"
#include "analysis/rta/steps.h"

namespace samcl::analysis {

class PipelineWindow {
 public:
  // One lane as the task sees it.
  struct Share {
    const Demand* demand = nullptr;
    const Cycles* cycles = nullptr;
    const std::vector<double>* sections = nullptr;  // of less urgent tasks, one per element, longest first
  };
  // One resource: the lanes that the stages' subtasks may be in, and in how many of them they are. Several
  // lanes have one element each, and a stage one subtask in each.
  struct Lanes {
    std::span<const Share> shares;
    size_t taken = 1;
    size_t end = 0;  // rows of more urgent tasks
    double elements = 1;
    // The window begins where the first stage's wait for this resource does, before it becomes ready (one
    // lane of one element: lemma 1): no more urgent stage is at work then, and arrivals count from `before`
    // earlier.
    bool from_wait = false;
    double before = 0;
    // There is always an element for it: nobody waits for any.
    bool enough = false;
  };

  struct Next {
    Resource resource = Resource::cpu;
    double worst = 0;     // of one subtask, all requests
    double siblings = 0;  // its other subtasks
    bool whole = false;   // nothing interrupts a subtask once it has started
    double requests = 1;
    double between = 0;   // CPU time between requests, in each thread
    double threads = 0;   // there, besides the first one
    bool hosted = false;  // its wait may be for a CPU that a section needs: its own, or one that it waits for
    double lent = 0;      // CPU time that is in the way of that: of its siblings' sections, and of those they find
  };

  // `lanes`: the most of any resource.
  PipelineWindow(size_t tasks, size_t lanes) : used_{Used(tasks, 1), Used(tasks, lanes), Used(tasks, lanes)} {}

  // A new window. [resource]. `work`: what all stages execute together at most, where that is less than the sum of what
  // each does.
  void begin(const std::array<Lanes, 3>& lanes, double work = kForever);

  // Appends the next stage. Returns what end() cannot be below, and is often near.
  double append(const Next& next);
  // A bound on the stage's end after the window's begin, or `enough` if the bound would not be below that.
  double end(double enough);

 private:
  struct Used {
    Used(size_t tasks, size_t lanes) : steps(lanes, Steps(tasks)), works(lanes) {}
    Lanes lanes;
    double per_element = 1;  // 1 / elements, rounded
    size_t stages = 0;       // each request is one
    double per_arrival = 0;  // sections that one more urgent arrival can let in
    // Two views of the stages' own other subtasks, and of the sections that they find at their begins. Both
    // bound the waiting; the smaller counts.
    double as_work = 0;         // as work on all elements, like that of more urgent tasks, or
    double as_time = 0;         // the longest section each, and then more urgent work on those elements
    double left = 1;            // that the other subtasks leave; 0: none
    std::vector<Steps> steps;   // [lane]
    std::vector<double> works;  // [lane]
    // Of several lanes: stages that can be in the way in more than one, task by task.
    struct Shared {
      double period = 1, rate = 1, cost = 0, jitter = 0, carry = 0, span = 0;
      size_t lanes = 0;
      bool ends_task = false;
    };
    std::vector<Shared> shared;
  };

  static const Line& below(const Lanes& lanes, size_t lane);
  static Line below_several(const Used& used);
  static double work_of_several(Used& used, double window);
  static void find_shared(Used& used);
  static double work_of_shared(const Used& used, double window);
  static double work(Used& used, double window);
  static double section(Used& used);
  void use(Used& used, double requests);
  static void add_siblings(Used& used, double siblings, double work);
  template <typename Base>
  double begin(double constant, double beyond, Base base_of) const;
  double waiting(double window);

  std::array<Used, 3> used_;
  double work_ = kForever;
  double executed_ = 0;  // C of the stages so far, and what is between requests; no more than work_
  double window_ = 0;    // no fixed point is below
  // Of the last stage: the window ends with it, or with the start of its last subtask. How far it reaches
  // beyond the fixed point, what comes after it, and what it holds besides waiting.
  double beyond_ = 0, rest_ = 0, constant_ = 0;
};

}  // namespace samcl::analysis
