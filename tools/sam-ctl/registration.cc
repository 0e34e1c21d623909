#include "tools/sam-ctl/registration.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "sam-manager/planning/profile.h"
#include "tools/sam-ctl/duration.h"

namespace samcl::ctl {

using protocol::Kind;
using protocol::Request;

namespace {

Result<void> store_devices(const std::vector<std::string>& devices, Request& request) {
  for (const std::string& device : devices) {
    const bool is_index = device.find_first_not_of("0123456789") == std::string::npos;
    if (is_index &&
        (device.size() > 2 || std::atoi(device.c_str()) >= static_cast<int>(protocol::kMaxDevices)))
      return fail("--devices: there is no device " + device + ": expected 0 to " +
                  std::to_string(protocol::kMaxDevices - 1) + ", or a name as `sam-ctl status` shows it");
    if (std::count(devices.begin(), devices.end(), device) > 1)
      return fail("--devices: " + device + " is named twice");
    if (request.device_count == protocol::kMaxDevices || device.empty() ||
        !protocol::store(device, request.devices[request.device_count]))
      return fail("--devices: too many names, or one that is empty or too long");
    ++request.device_count;
  }
  return {};
}

// Of an option; where it was not given, `otherwise`, unless that is 0.
Result<uint64_t> time_of(const char* option, const std::string& text, uint64_t otherwise) {
  if (text.empty() && otherwise > 0) return otherwise;
  if (text.empty()) return fail(std::string(option) + " is needed without --profile");
  auto time = parse_duration(text);
  if (!time) return fail(std::string(option) + ": " + time.error().message);
  return time;
}

Result<void> store_times(const Registration& registration, const analysis::Task& profile, Request& request) {
  const auto period = time_of("--period", registration.period, static_cast<uint64_t>(profile.period));
  if (!period) return tl::unexpected(period.error());
  // A profile's own deadline goes with its own period.
  const auto own = static_cast<uint64_t>(profile.deadline);
  const bool has_profile = !registration.profile.empty();
  const auto deadline =
      time_of("--deadline", registration.deadline, has_profile && !registration.period.empty() ? *period : own);
  if (!deadline) return tl::unexpected(deadline.error());
  request.period_ns = *period;
  request.deadline_ns = *deadline;
  return {};
}

void add_pieces(const std::string& profile, std::vector<Request>& requests) {
  for (size_t offset = 0; offset < profile.size();) {
    Request& piece = requests.emplace_back();
    piece.header.kind = Kind::profile;
    piece.profile_bytes = static_cast<uint32_t>(profile.size());
    piece.offset = static_cast<uint32_t>(offset);
    piece.length = static_cast<uint32_t>(std::min(profile.size() - offset, sizeof piece.text));
    std::memcpy(piece.text, profile.data() + offset, piece.length);
    offset += piece.length;
  }
}

}  // namespace

Result<std::vector<Request>> make_requests(const Registration& registration) {
  std::vector<Request> requests;
  Request request;
  request.header.kind = Kind::enroll;
  if (!protocol::store(registration.name, request.task) || registration.name.empty())
    return fail("NAME must have 1 to " + std::to_string(protocol::kNameBytes - 1) + " bytes");
  if (!protocol::store(registration.match, request.match)) return fail("--match: the path is too long");
  analysis::Task profile;
  if (!registration.profile.empty()) {
    auto found = planning::find_profile(registration.profile, registration.name);
    if (!found) return fail("--profile: " + found.error().message);
    profile = *std::move(found);
    const std::string text = planning::format_profile(profile);
    if (text.size() > protocol::kMaxProfileBytes) return fail("--profile: it has too many stages");
    request.profile_bytes = static_cast<uint32_t>(text.size());
    add_pieces(text, requests);
  }
  if (auto stored = store_times(registration, profile, request); !stored) return tl::unexpected(stored.error());
  request.priority = registration.priority;
  request.gpus = registration.gpus;
  request.strict = registration.strict ? 1 : 0;
  if (auto stored = store_devices(registration.devices, request); !stored)
    return tl::unexpected(stored.error());
  requests.push_back(request);
  return requests;
}

}  // namespace samcl::ctl
