#include "libsamcl/api/first_device.h"

#include "libsamcl/driver/driver.h"
#include "libsamcl/runtime/report.h"
#include "libsamcl/runtime/steps.h"
#include "libsamcl/runtime/trace.h"

namespace samcl::api {
namespace {

class FirstDeviceCommand : public SteppedCommand {
 public:
  FirstDeviceCommand(std::shared_ptr<Context> context, std::vector<BufferPart> buffers, std::vector<cl_mem> images,
                     std::function<cl_int(cl_command_queue, cl_event*)> call)
      : context_(std::move(context)), buffers_(std::move(buffers)), call_(std::move(call)) {
    for (cl_mem image : images) {
      if (image && !is_virtual(image) && driver::real().clRetainMemObject(image) == CL_SUCCESS) images_.push_back(image);
    }
  }
  ~FirstDeviceCommand() override {
    for (cl_mem image : images_) driver::real().clReleaseMemObject(image);
  }

  std::vector<Use> uses() override {
    std::vector<Use> uses;
    for (const BufferPart& part : buffers_) uses.push_back({part.buffer->storage, true});
    return uses;
  }

 protected:
  std::vector<Step> plan() override {
    return {{0, [this] {
               for (const BufferPart& part : buffers_) {
                 if (part.written) continue;
                 cl_int error = part.buffer->storage->make_valid(bounds_of(part), 0,
                                                                 report::kernel("(images)").traffic);
                 if (error != CL_SUCCESS) return error;
               }
               RealDevice& device = *context_->devices[0];
               cl_event event = nullptr;
               lease::Lease lease(device.lease.client, lease::ResourceKind::gpu, device.lease.index);
               const trace::Span span(trace::Activity::image, device.index);
               cl_int error = call_(device.compute_queue(), &event);
               return error == CL_SUCCESS && event ? device.wait_for(event) : error;
             }}};
  }
  void done() override {
    for (const BufferPart& part : buffers_) {
      if (!part.written) continue;
      part.rows.joined().for_each_row([&](uint64_t, Range row) {
        part.buffer->storage->written(part.buffer->part(row.begin, row.size()), only(0));
      });
    }
  }
  bool small() const override { return false; }

 private:
  static Range bounds_of(const BufferPart& part) {
    const Range bounds = part.rows.bounds();
    return part.buffer->part(bounds.begin, bounds.size());
  }

  const std::shared_ptr<Context> context_;
  const std::vector<BufferPart> buffers_;
  std::vector<cl_mem> images_;
  const std::function<cl_int(cl_command_queue, cl_event*)> call_;
};

}  // namespace

cl_int enqueue_on_first_device(const std::shared_ptr<Queue>& queue, cl_command_type type, cl_uint wait_count,
                               const cl_event* waits, cl_event* event, bool blocking,
                               std::vector<BufferPart> buffers, std::vector<cl_mem> keep_alive,
                               std::function<cl_int(cl_command_queue, cl_event*)> call) {
  Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  auto command = std::make_unique<FirstDeviceCommand>(queue->context, std::move(buffers), std::move(keep_alive),
                                                      std::move(call));
  return enqueue(queue, type, std::move(command), before.events, event, blocking);
}

cl_int enqueue_as_given(const std::shared_ptr<Queue>& queue, cl_command_type type, cl_uint wait_count,
                        const cl_event* waits, cl_event* event, bool blocking, std::vector<BufferPart> buffers,
                        std::function<cl_int(cl_command_queue, cl_event*)> call) {
  cl_event handle = nullptr;
  const cl_int refused = enqueue_on_first_device(queue, type, wait_count, waits, &handle, false, std::move(buffers),
                                                 {}, std::move(call));
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
