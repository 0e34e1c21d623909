#include "libsamcl/api/first_device.h"

#include "libsamcl/api/buffer_arguments.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/objects/planner.h"
#include "libsamcl/observe/report.h"
#include "libsamcl/observe/trace.h"

namespace samcl::api {
namespace {

class FirstDeviceCommand : public Command {
 public:
  FirstDeviceCommand(std::shared_ptr<Context> context, std::vector<BufferPart> buffers,
                     const std::vector<cl_mem>& images, std::function<cl_int(cl_command_queue, cl_event*)> call)
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
                               const std::vector<cl_mem>& keep_alive,
                               std::function<cl_int(cl_command_queue, cl_event*)> call) {
  Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  auto command = std::make_unique<FirstDeviceCommand>(queue->context, std::move(buffers), keep_alive, std::move(call));
  return enqueue(queue, type, std::move(command), before.events, event, blocking);
}

cl_int enqueue_as_given(const std::shared_ptr<Queue>& queue, cl_command_type type, cl_uint wait_count,
                        const cl_event* waits, cl_event* event, bool blocking, std::vector<BufferPart> buffers,
                        std::function<cl_int(cl_command_queue, cl_event*)> call,
                        const std::vector<cl_mem>& keep_alive) {
  cl_event handle = nullptr;
  const cl_int refused = enqueue_on_first_device(queue, type, wait_count, waits, &handle, false, std::move(buffers),
                                                 keep_alive, std::move(call));
  if (refused != CL_SUCCESS) return refused;
  const auto command = find<Event>(handle);
  const bool waits_for_it = blocking || !Event::any_is_held_by_program();
  const cl_int status = waits_for_it ? wait_for(*command) : CL_QUEUED;
  const bool is_refused = status < 0 && status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  if (event && !is_refused) {
    *event = handle;
  } else {
    command->release();
  }
  return is_refused || (blocking && status < 0) ? status : CL_SUCCESS;
}

cl_int check_drivers_own(const Queue& queue, cl_mem memory) {
  cl_context context = nullptr;
  const cl_int error = driver::real().clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, nullptr);
  if (error != CL_SUCCESS) return CL_INVALID_MEM_OBJECT;
  return context == queue.context->devices[0]->context() ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

cl_int enqueue_on_drivers_own(const std::shared_ptr<Queue>& queue, cl_command_type type, cl_uint wait_count,
                              const cl_event* waits, cl_event* event, bool blocking, std::vector<NamedMemory> memory,
                              std::function<cl_int(cl_command_queue, const cl_mem*, cl_event*)> call) {
  std::vector<BufferPart> parts;
  std::vector<cl_mem> real(memory.size(), nullptr), keep_alive;
  std::vector<std::shared_ptr<Buffer>> ours(memory.size());
  for (size_t i = 0; i < memory.size(); ++i) {
    const auto& [handle, written] = memory[i];
    if (is_drivers_own(handle)) {
      if (const cl_int error = check_drivers_own(*queue, handle); error != CL_SUCCESS) return error;
      real[i] = handle;
      keep_alive.push_back(handle);
    } else {
      ours[i] = find<Buffer>(handle);
      if (const cl_int error = check_object(*queue, ours[i].get()); error != CL_SUCCESS) return error;
      for (BufferPart& part : all_of(ours[i], written)) parts.push_back(std::move(part));
    }
  }
  return enqueue_as_given(
      queue, type, wait_count, waits, event, blocking, std::move(parts),
      [real = std::move(real), ours = std::move(ours), call = std::move(call)](cl_command_queue on,
                                                                               cl_event* done) mutable {
        cl_int error = CL_SUCCESS;
        for (size_t i = 0; i < ours.size(); ++i) {
          if (ours[i]) real[i] = ours[i]->real(0, &error);
          if (error != CL_SUCCESS) return error;
        }
        return call(on, real.data(), done);
      },
      keep_alive);
}

std::vector<BufferPart> all_of(const std::shared_ptr<Buffer>& buffer, bool written) {
  const Rectangle all = Rectangle::run(0, buffer->size());
  std::vector<BufferPart> parts{{buffer, all, false}};
  if (written) parts.push_back({buffer, all, true});
  return parts;
}

}  // namespace samcl::api
