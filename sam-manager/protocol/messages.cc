#include "sam-manager/protocol/messages.h"

#include <cstring>
#include <string>

namespace samcl::protocol {

bool is_message(std::string_view bytes) {
  const uint16_t mark = Message().mark;
  return bytes.size() >= sizeof mark && std::memcmp(bytes.data(), &mark, sizeof mark) == 0;
}

Result<Message> parse_message(std::string_view bytes) {
  if (bytes.size() != sizeof(Message))
    return fail("it has " + std::to_string(bytes.size()) + " bytes, expected " + std::to_string(sizeof(Message)));
  Message message;
  std::memcpy(&message, bytes.data(), sizeof message);
  switch (message.kind) {
    case MessageKind::acquire:
    case MessageKind::release:
    case MessageKind::handed:
      if (message.resource >= kMaxResources)
        return fail("it names resource " + std::to_string(message.resource) + ", expected less than " +
                    std::to_string(kMaxResources));
      return message;
    case MessageKind::attach_thread:
      if (message.tid <= 0) return fail("its thread id is " + std::to_string(message.tid));
      return message;
    case MessageKind::begin_job:
    case MessageKind::request_gpu:
    case MessageKind::end_job:
    case MessageKind::wake: return message;
  }
  return fail("its kind is " + std::to_string(static_cast<int>(message.kind)) + ", which is no message");
}

}  // namespace samcl::protocol
