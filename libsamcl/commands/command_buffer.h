// Virtual command buffers (cl_khr_command_buffer): commands of ours, recorded with all that they need and entered into
// the virtual queue again whenever the program enqueues the buffer. Beside it a real one of the first device is
// recorded and never run: it judges what the program records.
#pragma once

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "libsamcl/objects/event.h"
#include "libsamcl/objects/object.h"
#include "libsamcl/objects/queue.h"

namespace samcl {

class CommandBuffer;

template <>
inline constexpr ObjectKind kKindOf<cl_command_buffer_khr> = ObjectKind::command_buffer;
template <>
struct HandleTraits<CommandBuffer> {
  using Api = cl_command_buffer_khr;
};

class CommandBuffer : public Object<CommandBuffer> {
 public:
  // The driver's objects behind it, owned from now on.
  struct Judge {
    cl_command_queue queue = nullptr;  // with the properties of the virtual one
    cl_command_buffer_khr buffer = nullptr;
    clReleaseCommandBufferKHR_fn release = nullptr;
  };

  CommandBuffer(std::shared_ptr<Queue> recorded_for, Judge real) : queue(std::move(recorded_for)), judge(real) {}
  ~CommandBuffer();

  const std::shared_ptr<Queue> queue;
  const Judge judge;

  // Enters the command behind the events (none: nullptr), and gives its own.
  using Enter = std::function<cl_int(const std::shared_ptr<Queue>& queue, cl_uint wait_count, const cl_event* waits,
                                     cl_event* event)>;
  struct Command {
    Enter enter;
    std::vector<size_t> after;  // of the commands before
    bool is_barrier = false;    // all that come later are after it
    cl_sync_point_khr sync_point = 0;
  };
  // One command more. `sync_points` are the real buffer's.
  void record(Enter enter, cl_uint count, const cl_sync_point_khr* sync_points, bool is_barrier,
              cl_sync_point_khr its_own);
  // All that was recorded, which changes no more once the buffer is finalised.
  std::vector<Command> commands() const;

  // A run of it, by its last event.
  void add_run(std::shared_ptr<Event> run);
  bool is_pending() const;

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::vector<Command> commands_;
  mutable std::vector<std::shared_ptr<Event>> runs_;
};

}  // namespace samcl
