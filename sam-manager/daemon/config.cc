#include "sam-manager/daemon/config.h"

#include <grp.h>
#include <pwd.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

#include "base/bytes.h"
#include "base/duration.h"
#include "base/files.h"
#include "sam-manager/protocol/limits.h"
#include "sam-manager/protocol/names.h"

namespace samcl::daemon {
namespace {

constexpr size_t kMaxFileBytes = 1 << 20;

// Thrown inside this file alone.
struct Wrong {
  uint32_t line;
  std::string message;
};

template <typename T>
T as(const toml::key& key, const toml::node& node, const char* expected) {
  const auto value = node.value_exact<T>();
  if (!value) throw Wrong{node.source().begin.line, std::string(key.str()) + ": expected " + expected};
  return *value;
}

std::string parse_level(const std::string& text, uint32_t line) {
  static const std::set<std::string> kLevels = {"debug", "info", "warn", "error", "off"};
  if (!kLevels.contains(text))
    throw Wrong{line, "log_level: \"" + text + "\" is unknown: expected debug, info, warn, error or off"};
  return text;
}

bool parse_admission(const std::string& text, uint32_t line) {
  if (text != "strict" && text != "advisory")
    throw Wrong{line, "admission: \"" + text + "\" is unknown: expected strict or advisory"};
  return text == "strict";
}

OverrunPolicy parse_overrun(const std::string& text, uint32_t line) {
  if (text == "log") return OverrunPolicy::log;
  if (text == "demote") return OverrunPolicy::demote;
  if (text == "end") return OverrunPolicy::end;
  throw Wrong{line, "overrun: \"" + text + "\" is unknown: expected log, demote or end"};
}

bool parse_early_jobs(const std::string& text, uint32_t line) {
  if (text != "log" && text != "throttle")
    throw Wrong{line, "early_jobs: \"" + text + "\" is unknown: expected log or throttle"};
  return text == "throttle";
}

analysis::ModePolicy parse_modes(const std::string& text, uint32_t line) {
  std::string all;
  for (const analysis::ModePolicy policy : analysis::kPolicies) {
    if (text == analysis::name(policy)) return policy;
    all += (all.empty() ? "" : ", ") + std::string(analysis::name(policy));
  }
  throw Wrong{line, "modes: \"" + text + "\" is unknown: expected one of " + all};
}

std::string parse_policy(const std::string& text, uint32_t line) {
  std::string all;
  for (const scheduler::Policy& policy : scheduler::policies(1)) {
    if (text == policy.name) return text;
    all += (all.empty() ? "" : ", ") + std::string(policy.name);
  }
  for (const analysis::ModePolicy modes : analysis::kPolicies)
    if (text == analysis::name(modes))
      throw Wrong{
          line, "policy: \"" + text + "\" chooses numbers of GPUs: the key for that is modes; policy is one of " + all};
  throw Wrong{line, "policy: \"" + text + "\" is unknown: expected one of " + all};
}

int parse_count(const toml::key& key, const toml::node& node) {
  const auto value = as<int64_t>(key, node, "an integer");
  if (value < 1 || value > analysis::kMaxElements)
    throw Wrong{node.source().begin.line,
                std::string(key.str()) + ": expected 1 to " + std::to_string(analysis::kMaxElements)};
  return static_cast<int>(value);
}

uint64_t duration_of(const toml::key& key, const toml::node& node) {
  const auto time = parse_duration(as<std::string>(key, node, "a time such as \"2ms\""));
  if (!time) throw Wrong{node.source().begin.line, std::string(key.str()) + ": " + time.error().message};
  return static_cast<uint64_t>(*time);
}

uint64_t parse_cpu_watch(const toml::key& key, const toml::node& node) {
  if (as<std::string>(key, node, "off, or a time such as \"1ms\"") == "off") return 0;
  const uint64_t time = duration_of(key, node);
  constexpr uint64_t kShortest = 100'000, kLongest = 1'000'000'000;
  if (time < kShortest || time > kLongest)
    throw Wrong{node.source().begin.line, "cpu_watch: expected off, or 100us to 1s"};
  return time;
}

uint64_t parse_hold(const toml::key& key, const toml::node& node) {
  if (as<std::string>(key, node, "off, or a time such as \"10s\"") == "off") return 0;
  const uint64_t time = duration_of(key, node);
  if (time < 1 || time > static_cast<uint64_t>(registry::kLongestHold))
    throw Wrong{node.source().begin.line, "hold: expected off, or 1ns to 60s"};
  return time;
}

// A time that each kind of hand-over is taken to cost; none: they are measured.
std::optional<analysis::Handovers> parse_handovers(const toml::key& key, const toml::node& node) {
  if (as<std::string>(key, node, "measured, or a time such as \"50us\"") == "measured") return std::nullopt;
  const auto time = static_cast<analysis::Time>(duration_of(key, node));
  return analysis::Handovers{time, time, time};
}

std::string parse_metrics(const std::string& text, uint32_t line) {
  const bool is_port = !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string::npos &&
                       std::atoi(text.c_str()) >= 1 && std::atoi(text.c_str()) <= 65535;
  if (!is_port && !text.starts_with('/'))
    throw Wrong{line, "metrics: \"" + text + "\" is neither a path that begins with / nor a port, 1 to 65535"};
  return text;
}

// "alice", "1000", "@video", "@44".
void add_user(Users& users, const std::string& text, uint32_t line) {
  const bool is_group = text.starts_with('@');
  const std::string name = is_group ? text.substr(1) : text;
  const bool is_number = !name.empty() && name.size() <= 9 && name.find_first_not_of("0123456789") == std::string::npos;
  const group* by_group = is_group && !is_number ? getgrnam(name.c_str()) : nullptr;
  const passwd* by_name = !is_group && !is_number ? getpwnam(name.c_str()) : nullptr;
  if (!is_number && !by_group && !by_name)
    throw Wrong{line, std::string("access: there is no ") + (is_group ? "group" : "user") + " \"" + name + "\""};
  const auto number = static_cast<unsigned>(std::atoi(name.c_str()));
  if (is_group)
    users.groups.insert(by_group ? by_group->gr_gid : number);
  else
    users.users.insert(by_name ? by_name->pw_uid : number);
}

std::vector<std::string> parse_strings(const toml::key& key, const toml::node& node) {
  const toml::array* array = node.as_array();
  if (!array) throw Wrong{node.source().begin.line, std::string(key.str()) + ": expected an array of strings"};
  std::vector<std::string> strings;
  for (const toml::node& entry : *array) strings.push_back(as<std::string>(key, entry, "an array of strings"));
  return strings;
}

Allowance parse_allowance(const toml::node& node) {
  const toml::table* table = node.as_table();
  if (!table) throw Wrong{node.source().begin.line, "allow: expected tables: [[access.allow]]"};
  Allowance allowance;
  for (const auto& [key, value] : *table) {
    const std::string name(key.str());
    if (name == "who") {
      for (const std::string& who : parse_strings(key, value)) add_user(allowance.who, who, value.source().begin.line);
    } else if (name == "devices") {
      allowance.devices = parse_strings(key, value);
    } else if (name == "highest_priority") {
      const auto most = as<int64_t>(key, value, "an integer");
      if (most < INT32_MIN || most > INT32_MAX) throw Wrong{value.source().begin.line, "highest_priority: too large"};
      allowance.highest_priority = static_cast<int>(most);
    } else {
      throw Wrong{key.source().begin.line,
                  "access.allow: unknown key \"" + name + "\": expected who, devices or highest_priority"};
    }
  }
  return allowance;
}

void set_access(AccessRules& access, const toml::key& key, const toml::node& node) {
  const std::string name(key.str());
  const uint32_t line = node.source().begin.line;
  if (name == "administrators") {
    for (const std::string& who : parse_strings(key, node)) add_user(access.administrators, who, line);
  } else if (name == "programs_per_user") {
    const auto most = as<int64_t>(key, node, "an integer");
    if (most < 1 || most > protocol::kMaxPrograms)
      throw Wrong{line, "programs_per_user: expected 1 to " + std::to_string(protocol::kMaxPrograms)};
    access.programs_per_user = static_cast<unsigned>(most);
  } else if (name == "allow") {
    const toml::array* array = node.as_array();
    if (!array) throw Wrong{line, "allow: expected tables: [[access.allow]]"};
    for (const toml::node& entry : *array) access.allow.push_back(parse_allowance(entry));
  } else {
    throw Wrong{key.source().begin.line,
                "access: unknown key \"" + name + "\": expected administrators, programs_per_user or allow"};
  }
}

// Without a word on who may use what, the group's members may use everything.
Result<void> allow_group(Config& config) {
  if (!config.access.allow.empty() && config.group.empty()) return {};
  const group* found = getgrnam(config.group.empty() ? "samcl" : config.group.c_str());
  if (found) config.access.allow.push_back({{{}, {found->gr_gid}}, {}});
  if (!found && !config.group.empty()) return fail("group: there is no group \"" + config.group + "\"");
  return {};
}

void set(Config& config, const toml::key& key, const toml::node& node) {
  const std::string name(key.str());
  const uint32_t line = node.source().begin.line;
  const auto text = [&] { return as<std::string>(key, node, "a string"); };
  if (name == "instance") {
    config.instance = text();
    if (auto checked = protocol::check_instance(config.instance); !checked)
      throw Wrong{line, "instance: " + checked.error().message};
  } else if (name == "group") {
    config.group = text();
  } else if (name == "default_priority") {
    const auto value = as<int64_t>(key, node, "an integer");
    if (value < INT32_MIN || value > INT32_MAX) throw Wrong{line, "default_priority: too large"};
    config.default_priority = config.planning.default_priority = static_cast<int>(value);
  } else if (name == "default_weight") {
    const auto value = as<int64_t>(key, node, "an integer");
    if (value < 1 || value > registry::kMostWeight)
      throw Wrong{line, "default_weight: expected 1 to " + std::to_string(registry::kMostWeight)};
    config.default_weight = static_cast<uint32_t>(value);
  } else if (name == "state_file") {
    config.state_file = text();
  } else if (name == "log_level") {
    config.log_level = parse_level(text(), line);
  } else if (name == "realtime") {
    config.realtime = as<bool>(key, node, "true or false");
  } else if (name == "admission") {
    config.strict = parse_admission(text(), line);
  } else if (name == "overrun") {
    config.overrun = parse_overrun(text(), line);
  } else if (name == "cpu_watch") {
    config.cpu_watch_ns = parse_cpu_watch(key, node);
  } else if (name == "early_jobs") {
    config.throttle = parse_early_jobs(text(), line);
  } else if (name == "hold") {
    config.hold_ns = parse_hold(key, node);
  } else if (name == "device_memory") {
    const auto bytes = parse_bytes(text());
    if (!bytes) throw Wrong{line, "device_memory: " + bytes.error().message};
    config.device_memory = *bytes;
  } else if (name == "policy") {
    config.policy = parse_policy(text(), line);
  } else if (name == "modes") {
    config.planning.modes = parse_modes(text(), line);
  } else if (name == "cpus") {
    config.cpus = parse_count(key, node);
  } else if (name == "gpus") {
    config.gpus = parse_count(key, node);
  } else if (name == "other_slice") {
    config.planning.other_slice_ns = duration_of(key, node);
  } else if (name == "other_chunk") {
    config.planning.other_chunk_ns = duration_of(key, node);
  } else if (name == "handovers") {
    const auto given = parse_handovers(key, node);
    config.measure_handovers = !given;
    config.planning.handovers = given.value_or(analysis::Handovers{});
  } else if (name == "metrics") {
    config.metrics = parse_metrics(text(), line);
  } else if (name == "access") {
    const toml::table* table = node.as_table();
    if (!table) throw Wrong{line, "access: expected a table: [access]"};
    for (const auto& [inner, value] : *table) set_access(config.access, inner, value);
  } else {
    throw Wrong{
        key.source().begin.line,
        "unknown key \"" + name +
            "\": expected instance, group, default_priority, default_weight, state_file, log_level, "
            "realtime, "
            "admission, overrun, cpu_watch, early_jobs, hold, policy, modes, cpus, gpus, device_memory, other_slice, "
            "other_chunk, handovers, metrics or access"};
  }
}

}  // namespace

Result<Config> parse_config(const std::string& text, const std::string& file) {
  Config config;
  if (text.size() > kMaxFileBytes)
    return fail(file + ": it is longer than " + std::to_string(kMaxFileBytes) + " bytes");
  try {
    const toml::table table = toml::parse(text, file);
    for (const auto& [key, node] : table) set(config, key, node);
  } catch (const Wrong& wrong) {
    return fail(file + ":" + std::to_string(wrong.line) + ": " + wrong.message);
  } catch (const toml::parse_error& error) {
    return fail(file + ":" + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
  }
  if (auto allowed = allow_group(config); !allowed) return fail(file + ": " + allowed.error().message);
  return config;
}

Result<Config> read_config(const std::string& file) {
  const auto text = read_file(file);
  if (!text) return fail("cannot read the configuration " + text.error().message);
  return parse_config(*text, file);
}

std::string calibration_file(const Config& config) {
  if (config.state_file.empty()) return "";
  return std::filesystem::path(config.state_file).replace_extension(".handovers.json").string();
}

std::string default_state_file(const std::string& instance) {
  // Of a service, as systemd sets it (StateDirectory=).
  if (const char* directory = std::getenv("STATE_DIRECTORY"); directory && *directory == '/')
    return std::string(directory) + "/" + instance + ".json";
  if (geteuid() == 0) return "/var/lib/samcl/" + instance + ".json";
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  const std::string base = state && *state ? state : std::string(home && *home ? home : "/tmp") + "/.local/state";
  return base + "/samcl/" + instance + ".json";
}

}  // namespace samcl::daemon
