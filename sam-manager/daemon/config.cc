#include "sam-manager/daemon/config.h"

#include <toml++/toml.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "analysis/json/time_text.h"
#include "sam-manager/protocol/names.h"

namespace samcl::daemon {
namespace {

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

mode_t parse_mode(const std::string& text, uint32_t line) {
  char* end = nullptr;
  const unsigned long mode = std::strtoul(text.c_str(), &end, 8);
  if (text.empty() || *end != 0 || mode > 0666 || (mode & 0600) != 0600)
    throw Wrong{line, "mode: \"" + text + "\" is no mode: expected octal digits such as \"0660\""};
  return static_cast<mode_t>(mode);
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

analysis::Policy parse_policy(const std::string& text, uint32_t line) {
  std::string all;
  for (const analysis::Policy policy : analysis::kPolicies) {
    if (text == analysis::name(policy)) return policy;
    all += (all.empty() ? "" : ", ") + std::string(analysis::name(policy));
  }
  throw Wrong{line, "policy: \"" + text + "\" is unknown: expected one of " + all};
}

int parse_count(const toml::key& key, const toml::node& node) {
  const auto value = as<int64_t>(key, node, "an integer");
  if (value < 1 || value > analysis::kMaxElements)
    throw Wrong{node.source().begin.line,
                std::string(key.str()) + ": expected 1 to " + std::to_string(analysis::kMaxElements)};
  return static_cast<int>(value);
}

uint64_t parse_time(const toml::key& key, const toml::node& node) {
  const auto time = analysis::parse_time(as<std::string>(key, node, "a time such as \"2ms\""));
  if (!time) throw Wrong{node.source().begin.line, std::string(key.str()) + ": " + time.error().message};
  return static_cast<uint64_t>(*time);
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
  } else if (name == "mode") {
    config.mode = parse_mode(text(), line);
  } else if (name == "default_priority") {
    const auto value = as<int64_t>(key, node, "an integer");
    if (value < INT32_MIN || value > INT32_MAX) throw Wrong{line, "default_priority: too large"};
    config.default_priority = config.planning.default_priority = static_cast<int>(value);
  } else if (name == "state_file") {
    config.state_file = text();
  } else if (name == "log_level") {
    config.log_level = parse_level(text(), line);
  } else if (name == "realtime") {
    config.realtime = as<bool>(key, node, "true or false");
  } else if (name == "admission") {
    config.strict = parse_admission(text(), line);
  } else if (name == "policy") {
    config.planning.policy = parse_policy(text(), line);
  } else if (name == "cpus") {
    config.cpus = parse_count(key, node);
  } else if (name == "gpus") {
    config.gpus = parse_count(key, node);
  } else if (name == "other_slice") {
    config.planning.other_slice_ns = parse_time(key, node);
  } else if (name == "other_chunk") {
    config.planning.other_chunk_ns = parse_time(key, node);
  } else {
    throw Wrong{key.source().begin.line,
                "unknown key \"" + name +
                    "\": expected instance, group, mode, default_priority, state_file, log_level, realtime, "
                    "admission, policy, cpus, gpus, other_slice or other_chunk"};
  }
}

}  // namespace

Result<Config> parse_config(const std::string& text, const std::string& file) {
  Config config;
  try {
    const toml::table table = toml::parse(text, file);
    for (const auto& [key, node] : table) set(config, key, node);
  } catch (const Wrong& wrong) {
    return fail(file + ":" + std::to_string(wrong.line) + ": " + wrong.message);
  } catch (const toml::parse_error& error) {
    return fail(file + ":" + std::to_string(error.source().begin.line) + ": " +
                std::string(error.description()));
  }
  return config;
}

Result<Config> read_config(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return fail("cannot read the configuration " + file);
  return parse_config(text.str(), file);
}

std::string default_state_file(const std::string& instance) {
  if (geteuid() == 0) return "/var/lib/samcl/" + instance + ".json";
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  const std::string base =
      state && *state ? state : std::string(home && *home ? home : "/tmp") + "/.local/state";
  return base + "/samcl/" + instance + ".json";
}

}  // namespace samcl::daemon
