// What a connected program sends while it works, without waiting for an answer: that it waits for a resource,
// gives one back or hands it over, has a thread that is to run with its task's priority, or begins and ends a job.
// Fixed in size, so that the daemon, which handles them at the highest priority, has next to nothing to do with them.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "sam-manager/protocol/limits.h"

namespace samcl::protocol {

enum class MessageKind : uint16_t {
  acquire = 1,    // it waits for `resource`; `sequence` comes back in its grant word
  release,        // it gives back `resource`, which someone waits for, and nobody is known to be next
  attach_thread,  // `tid` is to run with the task's priority
  // Where the client's page says that they matter (ClientPage::tells_jobs):
  begin_job,    // a job of it begins
  request_gpu,  // then, or before that job's first command; it waits until `sequence` comes back in
                // ClientPage::gpu_grant
  end_job,      // the job ends, and with it what it had

  handed,  // it has handed `resource` over to who was next, as the word said
  wake,    // it was idle, and is about to take something: ClientPage::is_idle is cleared then
};

struct Message {
  uint16_t mark = 0x4c53;  // no document begins with it
  MessageKind kind = MessageKind::acquire;
  uint32_t resource = 0;
  uint64_t sequence = 0;
  int32_t tid = 0;     // attach_thread: as the program numbers it
  uint32_t again = 0;  // attach_thread: 1: another daemon gave the thread a priority before

  std::string_view bytes() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }
};

// Whether a packet is a message rather than a document.
bool is_message(std::string_view bytes);

// A message that can be acted upon; the error says what is wrong.
Result<Message> parse_message(std::string_view bytes);

}  // namespace samcl::protocol
