#include "libsamcl/objects/queue.h"

#include "libsamcl/driver/driver.h"
#include "libsamcl/objects/context.h"

namespace samcl {

Queue::Queue(std::shared_ptr<Context> queue_context, cl_device_id queue_device,
             cl_command_queue_properties queue_properties, std::vector<cl_queue_properties> array)
    : context(std::move(queue_context)),
      device(queue_device),
      properties_array(std::move(array)),
      properties_(queue_properties) {
  note_profiling();
}

void Queue::note_profiling() const {
  if (!profiling()) return;
  context->each_strand([](RealDevice& device) { device.program_may_ask_times(); });
}

Queue::~Queue() {
  context->homes.left(home_use_);
  if (for_semaphores_) driver::real().clReleaseCommandQueue(for_semaphores_);
}

cl_command_queue Queue::for_semaphores(cl_int* error) {
  std::lock_guard lock(semaphores_mutex_);
  *error = CL_SUCCESS;
  if (!for_semaphores_) {
    const RealDevice& first = *context->devices[0];
    for_semaphores_ = driver::real().clCreateCommandQueue(first.context(), first.id,
                                                          properties() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, error);
  }
  return for_semaphores_;
}

SmallVector<std::shared_ptr<Event>, 4> Queue::enter(const std::shared_ptr<Event>& event, Order order,
                                                    bool has_wait_list) {
  SmallVector<std::shared_ptr<Event>, 4> before;
  if (in_order()) {
    if (last_) before.push_back(last_);
    last_ = event;
    return before;
  }
  if (order != Order::ordinary && !has_wait_list) {
    before.assign(latest_.begin(), latest_.end());
    latest_.clear();
  } else if (last_) {
    before.push_back(last_);
  }
  if (order == Order::barrier) last_ = event;
  latest_.insert(event);
  return before;
}

void Queue::ended(const Event& event) {
  if (!in_order()) latest_.erase(const_cast<Event&>(event).shared_from_this());
  if (last_.get() == &event) last_.reset();
}

// What comes after the only command that has not ended comes after all.
bool Queue::is_ordered(Order order) {
  if (in_order() || order == Order::marker) return true;
  if (latest_.size() > 1) return false;
  if (!latest_.empty()) last_ = *latest_.begin();
  return true;
}

bool Queue::waits_only_for(const Event& event) const {
  return in_order() || (latest_.size() == 1 && latest_.begin()->get() == &event);
}

void Queue::change(cl_command_queue_properties properties) {
  const bool was_in_order = in_order();
  properties_ = properties;
  note_profiling();
  if (was_in_order == in_order()) return;
  latest_.clear();
  if (was_in_order && last_) latest_.insert(last_);  // a barrier from now on
}

std::vector<std::shared_ptr<Event>> Queue::outstanding() const {
  if (in_order()) return last_ ? std::vector{last_} : std::vector<std::shared_ptr<Event>>{};
  return {latest_.begin(), latest_.end()};
}

}  // namespace samcl
