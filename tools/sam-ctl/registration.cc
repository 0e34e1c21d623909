#include "tools/sam-ctl/registration.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/bytes.h"
#include "base/duration.h"
#include "sam-manager/planning/profile.h"
#include "sam-manager/protocol/document.h"
#include "sam-manager/protocol/limits.h"

namespace samcl::ctl {

using nlohmann::json;
using registry::Task;

namespace {

Result<void> check_devices(const std::vector<std::string>& devices) {
  if (devices.size() > protocol::kMaxDevices)
    return fail("--devices: expected at most " + std::to_string(protocol::kMaxDevices));
  for (const std::string& device : devices) {
    const bool is_index = device.find_first_not_of("0123456789") == std::string::npos;
    if (is_index && !device.empty() &&
        (device.size() > 2 || std::atoi(device.c_str()) >= static_cast<int>(protocol::kMaxDevices)))
      return fail("--devices: there is no device " + device + ": expected 0 to " +
                  std::to_string(protocol::kMaxDevices - 1) + ", or a name as `sam-ctl status` shows it");
    if (const auto checked = protocol::check_name(device, protocol::kNameBytes - 1); !checked)
      return fail("--devices: a name " + checked.error().message);
    if (std::count(devices.begin(), devices.end(), device) > 1) return fail("--devices: " + device + " is named twice");
  }
  return {};
}

Result<void> check_match(const std::string& match) {
  if (match.empty()) return {};
  const auto checked = protocol::check_name(match, protocol::kPathBytes - 1);
  if (!checked) return fail("--match: the path " + checked.error().message);
  return {};
}

Result<uint64_t> parse_time(const char* option, const std::string& text) {
  constexpr int64_t kDay = 86'400'000'000'000;
  const auto time = parse_duration(text);
  if (!time) return fail(std::string(option) + ": " + time.error().message);
  if (*time < 1 || *time > kDay)
    return fail(std::string(option) + ": \"" + text + "\" is out of range: expected 1ns to 86400s");
  return static_cast<uint64_t>(*time);
}

// Negative: as the manager's configuration says.
Result<int64_t> parse_hold(const std::string& text) {
  if (text.empty() || text == "default") return -1;
  if (text == "off") return 0;
  const auto time = parse_duration(text);
  if (!time) return fail("--hold: " + time.error().message);
  if (*time < 1 || *time > registry::kLongestHold)
    return fail("--hold: \"" + text + "\" is out of range: expected off, default, or 1ns to 60s");
  return *time;
}

// A real-time task has a priority and times, another a weight.
Result<void> check_kind(const Registration& registration) {
  if (!registration.weight && !registration.priority) return fail("--priority or --weight is needed");
  if (!registration.weight) return {};
  if (*registration.weight < 1 || *registration.weight > registry::kMostWeight)
    return fail("--weight: expected 1 to " + std::to_string(registry::kMostWeight));
  if (registration.priority || !registration.period.empty() || !registration.deadline.empty() ||
      !registration.profile.empty() || !registration.hold.empty())
    return fail(
        "--weight is for programs without deadlines: leave out --priority, --period, --deadline, --hold and "
        "--profile");
  return {};
}

Result<void> store_times(const Registration& registration, const analysis::Task& profile, Task& task) {
  const bool has_profile = !registration.profile.empty();
  if (registration.period.empty() && !has_profile) return fail("--period is needed without --profile");
  task.period_ns = static_cast<uint64_t>(profile.period);
  if (!registration.period.empty()) {
    const auto period = parse_time("--period", registration.period);
    if (!period) return tl::unexpected(period.error());
    task.period_ns = *period;
  }
  // A profile's own deadline goes with its own period.
  task.deadline_ns =
      has_profile && registration.period.empty() ? static_cast<uint64_t>(profile.deadline) : task.period_ns;
  if (!registration.deadline.empty()) {
    const auto deadline = parse_time("--deadline", registration.deadline);
    if (!deadline) return tl::unexpected(deadline.error());
    task.deadline_ns = *deadline;
  }
  return {};
}

}  // namespace

Result<Task> make_task(const Registration& registration) {
  Task task;
  if (const auto checked = protocol::check_name(registration.name, protocol::kNameBytes - 1); !checked)
    return fail("NAME " + checked.error().message);
  if (auto checked = check_kind(registration); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_match(registration.match); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_devices(registration.devices); !checked) return tl::unexpected(checked.error());
  analysis::Task profile;
  if (!registration.profile.empty()) {
    auto found = planning::find_profile(registration.profile, registration.name);
    if (!found) return fail("--profile: " + found.error().message);
    profile = *std::move(found);
    task.profile = planning::format_profile(profile);
    if (task.profile.size() > protocol::kMaxProfileBytes) return fail("--profile: it has too many stages");
  }
  if (!registration.weight)
    if (auto stored = store_times(registration, profile, task); !stored) return tl::unexpected(stored.error());
  if (!registration.memory.empty()) {
    const auto bytes = parse_bytes(registration.memory);
    if (!bytes) return fail("--memory: " + bytes.error().message);
    task.memory_bytes = *bytes;
  }
  const auto hold = parse_hold(registration.hold);
  if (!hold) return tl::unexpected(hold.error());
  task.hold_ns = *hold;
  task.name = registration.name;
  task.priority = registration.priority.value_or(0);
  task.weight = registration.weight.value_or(0);
  task.gpus = registration.gpus;
  task.match = registration.match;
  task.devices = registration.devices;
  return task;
}

Result<json> make_changes(const Changes& changes) {
  json fields = json::object();
  if (changes.priority) fields["priority"] = *changes.priority;
  if (changes.weight) fields["weight"] = *changes.weight;
  if (changes.gpus) fields["gpus"] = *changes.gpus;
  if (changes.period) {
    const auto period = parse_time("--period", *changes.period);
    if (!period) return tl::unexpected(period.error());
    fields["period_ns"] = *period;
  }
  if (changes.deadline) {
    const auto deadline = parse_time("--deadline", *changes.deadline);
    if (!deadline) return tl::unexpected(deadline.error());
    fields["deadline_ns"] = *deadline;
  }
  if (changes.memory) {
    const auto bytes = parse_bytes(*changes.memory);
    if (!bytes) return fail("--memory: " + bytes.error().message);
    fields["memory_bytes"] = *bytes;
  }
  if (changes.hold) {
    const auto hold = parse_hold(*changes.hold);
    if (!hold) return tl::unexpected(hold.error());
    fields["hold_ns"] = *hold;
  }
  if (changes.match) {
    if (auto checked = check_match(*changes.match); !checked) return tl::unexpected(checked.error());
    fields["match"] = *changes.match;
  }
  if (changes.devices) {
    if (auto checked = check_devices(*changes.devices); !checked) return tl::unexpected(checked.error());
    fields["devices"] = *changes.devices;
  }
  if (fields.empty())
    return fail(
        "nothing is to change: give --priority, --weight, --period, --deadline, --gpus, --devices, --memory, "
        "--hold or --match");
  return fields;
}

std::string doubt_of_match(const std::string& match) {
  if (match.find('/') == std::string::npos || access(match.c_str(), F_OK) == 0) return "";
  return "--match: there is no file " + match + " on this machine";
}

}  // namespace samcl::ctl
