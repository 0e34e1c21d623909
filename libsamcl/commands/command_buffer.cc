#include "libsamcl/commands/command_buffer.h"

#include <algorithm>

#include "libsamcl/driver/driver.h"

namespace samcl {

CommandBuffer::~CommandBuffer() {
  if (judge.buffer) judge.release(judge.buffer);
  if (judge.queue) driver::real().clReleaseCommandQueue(judge.queue);
}

void CommandBuffer::record(Enter enter, cl_uint count, const cl_sync_point_khr* sync_points, bool is_barrier,
                           cl_sync_point_khr its_own) {
  std::lock_guard lock(mutex_);
  Command command{std::move(enter), {}, is_barrier, its_own};
  for (size_t i = 0; i < commands_.size(); ++i) {
    const bool named = std::find(sync_points, sync_points + count, commands_[i].sync_point) != sync_points + count;
    if (named || commands_[i].is_barrier || (is_barrier && count == 0)) command.after.push_back(i);
  }
  commands_.push_back(std::move(command));
}

std::vector<CommandBuffer::Command> CommandBuffer::commands() const {
  std::lock_guard lock(mutex_);
  return commands_;
}

void CommandBuffer::add_run(std::shared_ptr<Event> run) {
  std::lock_guard lock(mutex_);
  runs_.push_back(std::move(run));
}

bool CommandBuffer::is_pending() const {
  std::lock_guard lock(mutex_);
  std::erase_if(runs_, [](const std::shared_ptr<Event>& run) { return run->ended(); });
  return !runs_.empty();
}

}  // namespace samcl
