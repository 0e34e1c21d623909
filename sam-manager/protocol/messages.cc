#include "sam-manager/protocol/messages.h"

#include <cstring>

namespace samcl::protocol {
namespace {

Result<void> check_header(const Header& header, size_t bytes, size_t expected) {
  if (bytes != expected)
    return fail("it has " + std::to_string(bytes) + " bytes, expected " + std::to_string(expected));
  if (header.magic != kMagic) return fail("it does not begin with samcl's mark");
  if (header.version != kVersion)
    return fail("it speaks version " + std::to_string(header.version) + ", expected " +
                std::to_string(kVersion) + ": program and daemon are of different releases of samcl");
  if (header.pid <= 0) return fail("its process id is " + std::to_string(header.pid));
  return {};
}

template <size_t N>
bool ends(const char (&text)[N]) {
  return std::memchr(text, 0, N) != nullptr;
}

Result<void> check_devices(const Request& request, uint32_t least) {
  if (request.device_count < least || request.device_count > kMaxDevices)
    return fail("it names " + std::to_string(request.device_count) + " devices, expected " +
                std::to_string(least) + " to " + std::to_string(kMaxDevices));
  for (uint32_t i = 0; i < request.device_count; ++i)
    if (!ends(request.devices[i]) || request.devices[i][0] == 0)
      return fail("the name of its device " + std::to_string(i) + " is empty or has no end");
  return {};
}

Result<void> check_profile_size(const Request& request) {
  if (request.profile_bytes <= kMaxProfileBytes) return {};
  return fail("its profile has " + std::to_string(request.profile_bytes) + " bytes, expected at most " +
              std::to_string(kMaxProfileBytes));
}

}  // namespace

Result<void> check(const Request& request, size_t bytes) {
  if (auto checked = check_header(request.header, bytes, sizeof(Request)); !checked) return checked;
  if (!ends(request.task) || !ends(request.match)) return fail("one of its strings has no end");
  switch (request.header.kind) {
    case Kind::hello:
      return check_devices(request, 1);
    case Kind::acquire:
    case Kind::release:
      if (request.resource >= kMaxResources)
        return fail("it names resource " + std::to_string(request.resource) + ", expected less than " +
                    std::to_string(kMaxResources));
      return {};
    case Kind::adopt:
      if (request.tid <= 0) return fail("its thread id is " + std::to_string(request.tid));
      return {};
    case Kind::enroll:
      if (request.period_ns == 0 || request.deadline_ns == 0)
        return fail("period and deadline must be positive");
      if (request.gpus > kMaxDevices)
        return fail("it asks for " + std::to_string(request.gpus) + " GPUs, expected at most " +
                    std::to_string(kMaxDevices));
      if (auto checked = check_devices(request, 0); !checked) return checked;
      if (auto checked = check_profile_size(request); !checked) return checked;
      [[fallthrough]];
    case Kind::withdraw:
      if (request.task[0] == 0) return fail("the task has no name");
      return {};
    case Kind::goodbye:
    case Kind::list:
    case Kind::status:
    case Kind::analysis:
      return {};
    case Kind::profile:
      if (request.length == 0 || request.length > sizeof request.text || request.profile_bytes == 0 ||
          request.offset > request.profile_bytes || request.length > request.profile_bytes - request.offset)
        return fail("its piece of a profile is empty or longer than the profile");
      return check_profile_size(request);
    case Kind::reply:
      break;
  }
  return fail("its kind is " + std::to_string(static_cast<int>(request.header.kind)) +
              ", which is no request");
}

Result<void> check(const Reply& reply, size_t bytes, uint64_t sequence) {
  if (auto checked = check_header(reply.header, bytes, sizeof(Reply)); !checked) return checked;
  if (reply.header.kind != Kind::reply) return fail("it is no reply");
  if (reply.header.sequence != sequence) return fail("it answers another request");
  if (reply.length > sizeof(reply.text) || (reply.refused && !ends(reply.text)))
    return fail("its text is longer than itself");
  return {};
}

bool store(std::string_view text, char* target, size_t bytes) {
  if (text.size() >= bytes || text.find('\0') != std::string_view::npos) return false;
  std::memcpy(target, text.data(), text.size());
  std::memset(target + text.size(), 0, bytes - text.size());
  return true;
}

}  // namespace samcl::protocol
