#include "libsamcl/runtime/steps.h"

#include "libsamcl/runtime/trace.h"

namespace samcl {
namespace {

struct Round {
  Round(size_t steps, std::function<void(cl_int)> at_end) : left(steps), then(std::move(at_end)) {}

  std::atomic<size_t> left;
  std::atomic<cl_int> error{CL_SUCCESS};
  std::function<void(cl_int)> then;

  void add(cl_int result) {
    cl_int none = CL_SUCCESS;
    if (result != CL_SUCCESS) error.compare_exchange_strong(none, result);
    if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) then(error.load());
  }
};

// Memory may be short on a worker's thread as well.
cl_int guarded(const std::function<cl_int()>& work) {
  try {
    return work();
  } catch (...) {
    return CL_OUT_OF_HOST_MEMORY;
  }
}

void post(Worker& worker, const std::shared_ptr<Round>& round, std::function<cl_int()> work) {
  worker.post([round, work = std::move(work), command = trace::current()] {
    const trace::OnBehalfOf this_command(command);
    round->add(guarded(work));
  });
}

}  // namespace

void run_on_workers(Context& context, std::vector<Step> steps, Starter starter, std::function<void(cl_int)> then) {
  if (steps.empty()) return then(CL_SUCCESS);
  if (steps.size() == 1 && starter != Starter::another_command) {
    RealDevice& device = *context.devices[steps[0].device];
    cl_int error = CL_SUCCESS;
    if (device.computes_in_caller && device.worker().run_here_if_idle([&] { error = guarded(steps[0].work); })) {
      return then(error);
    }
  }
  auto round = std::make_shared<Round>(steps.size(), std::move(then));
  for (Step& step : steps) {
    post(context.devices[step.device]->worker(), round, std::move(step.work));
  }
}

void run_at_once(Context& context, std::vector<Step> steps, std::function<void(cl_int)> then) {
  auto round = std::make_shared<Round>(steps.size(), std::move(then));
  for (Step& step : steps) {
    Worker& worker = context.devices[step.device]->worker();
    cl_int error = CL_SUCCESS;
    if (worker.run_here_if_idle([&] { error = guarded(step.work); })) {
      round->add(error);
    } else {
      post(worker, round, std::move(step.work));
    }
  }
}

void SteppedCommand::start(const std::shared_ptr<Event>& event, Starter starter) {
  event->set_running();
  std::vector<Step> steps = plan();
  Context& context = *event->context;
  auto end = [this, event, &context](cl_int error) {
    if (error == CL_SUCCESS) done();
    context.graph.finish(event, error);
  };
  if (!steps.empty() && !(starter == Starter::waiting_program && (steps.size() == 1 || small()))) {
    return run_on_workers(context, std::move(steps), starter, end);
  }
  cl_int error = CL_SUCCESS;
  for (const Step& step : steps) {
    if (error == CL_SUCCESS) error = step.work();
  }
  end(error);
}

}  // namespace samcl
