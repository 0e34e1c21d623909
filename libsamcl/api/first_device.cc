#include "libsamcl/api/first_device.h"

#include "libsamcl/driver/driver.h"
#include "libsamcl/objects/planner.h"
#include "libsamcl/observe/report.h"
#include "libsamcl/observe/trace.h"

namespace samcl::api {
namespace {

class FirstDeviceCommand : public Command {
 public:
  FirstDeviceCommand(std::shared_ptr<Context> context, std::vector<BufferPart> buffers, std::vector<cl_mem> images,
                     std::function<cl_int(cl_command_queue, cl_event*)> call)
      : context_(std::move(context)), buffers_(std::move(buffers)), call_(std::move(call)) {
    for (cl_mem image : images) {
      if (image && !is_virtual(image) && driver::real().clRetainMemObject(image) == CL_SUCCESS)
        images_.push_back(image);
    }
  }
  ~FirstDeviceCommand() override {
    for (cl_mem image : images_) driver::real().clReleaseMemObject(image);
  }

  cl_int plan(Planner& planner, const std::shared_ptr<Event>& event) override {
    event->set_running();
    Planner::Accesses accesses{Planner::untracked()};
    for (const BufferPart& part : buffers_) {
      const std::shared_ptr<Storage>& storage = part.buffer->storage;
      const Range bounds = bounds_of(part);
      if (!part.written)
        planner.bring(storage, {&bounds, 1}, storage->place_of(0), &report::kernel("(images)").traffic);
      accesses.push_back({storage, storage->place_of(0), bounds, true});
    }
    planner.add({engine::LaneKind::compute, 0}, engine::HostCall{[this] { return call_and_wait(); }},
                std::move(accesses));
    for (const BufferPart& part : buffers_) {
      if (!part.written) continue;
      part.rows.joined().for_each_row([&](uint64_t, Range row) {
        part.buffer->storage->written_by_program(part.buffer->part(row.begin, row.size()), only(0));
      });
    }
    return CL_SUCCESS;
  }

 private:
  static Range bounds_of(const BufferPart& part) {
    const Range bounds = part.rows.bounds();
    return part.buffer->part(bounds.begin, bounds.size());
  }

  cl_int call_and_wait() {
    RealDevice& device = *context_->devices[0];
    lease::Lease lease(device.lease.client, lease::ResourceKind::gpu, device.lease.index);
    const trace::Span span(trace::Activity::image, device.index);
    return device.run(engine::LaneKind::compute, call_);
  }

  const std::shared_ptr<Context> context_;
  const std::vector<BufferPart> buffers_;
  std::vector<cl_mem> images_;
  const std::function<cl_int(cl_command_queue, cl_event*)> call_;
};

}  // namespace

cl_int enqueue_on_first_device(const std::shared_ptr<Queue>& queue, cl_command_type type, cl_uint wait_count,
                               const cl_event* waits, cl_event* event, bool blocking, std::vector<BufferPart> buffers,
                               std::vector<cl_mem> keep_alive,
                               std::function<cl_int(cl_command_queue, cl_event*)> call) {
  Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  auto command =
      std::make_unique<FirstDeviceCommand>(queue->context, std::move(buffers), std::move(keep_alive), std::move(call));
  return enqueue(queue, type, std::move(command), before.events, event, blocking);
}

cl_int enqueue_as_given(const std::shared_ptr<Queue>& queue, cl_command_type type, cl_uint wait_count,
                        const cl_event* waits, cl_event* event, bool blocking, std::vector<BufferPart> buffers,
                        std::function<cl_int(cl_command_queue, cl_event*)> call) {
  cl_event handle = nullptr;
  const cl_int refused =
      enqueue_on_first_device(queue, type, wait_count, waits, &handle, false, std::move(buffers), {}, std::move(call));
  if (refused != CL_SUCCESS) return refused;
  const auto command = find<Event>(handle);
  const bool waits_for_it = blocking || !Event::any_user_event_is_open();
  const cl_int status = waits_for_it ? wait_for(*command) : CL_QUEUED;
  const bool is_refused = status < 0 && status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  if (event && !is_refused) {
    *event = handle;
  } else {
    command->release();
  }
  return is_refused || (blocking && status < 0) ? status : CL_SUCCESS;
}

std::vector<BufferPart> all_of(const std::shared_ptr<Buffer>& buffer, bool written) {
  const Rectangle all = Rectangle::run(0, buffer->size());
  std::vector<BufferPart> parts{{buffer, all, false}};
  if (written) parts.push_back({buffer, all, true});
  return parts;
}

}  // namespace samcl::api
