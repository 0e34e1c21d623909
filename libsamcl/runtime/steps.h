// Commands made of steps that may run at the same time on different devices.
#pragma once

#include <functional>
#include <vector>

#include "libsamcl/runtime/context.h"
#include "libsamcl/runtime/event.h"

namespace samcl {

// Something blocking to do for a device, on its worker thread.
struct Step {
  unsigned device;
  std::function<cl_int()> work;
};

// Runs all steps on their devices' workers, at the same time; then calls `then` with the first error, or
// CL_SUCCESS, on the thread that was last. Without steps it calls `then` here and now. A single step for a
// device that computes in the calling thread anyway is done by the program's thread, if the worker is idle.
void run_on_workers(Context& context, std::vector<Step> steps, Starter starter, std::function<void(cl_int)> then);

// The same for steps that do not block: waking a worker takes longer than such a step, so this thread does those
// whose workers are idle.
void run_at_once(Context& context, std::vector<Step> steps, std::function<void(cl_int)> then);

// A command that is one round of steps.
class SteppedCommand : public Command {
 public:
  void start(const std::shared_ptr<Event>& event, Starter starter) final;

 protected:
  // What to do; the command's buffers are held. An empty plan ends the command at once.
  virtual std::vector<Step> plan() = 0;
  // The steps succeeded: note in the directories what is valid where. Still holding.
  virtual void done() {}
  // True if waking workers costs more than doing the steps one after another on the caller's thread.
  virtual bool small() const { return true; }
};

}  // namespace samcl
