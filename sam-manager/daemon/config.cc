#include "sam-manager/daemon/config.h"

#include <toml++/toml.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

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
    config.default_priority = static_cast<int>(value);
  } else if (name == "state_file") {
    config.state_file = text();
  } else if (name == "log_level") {
    config.log_level = parse_level(text(), line);
  } else if (name == "realtime") {
    config.realtime = as<bool>(key, node, "true or false");
  } else {
    throw Wrong{key.source().begin.line,
                "unknown key \"" + name +
                    "\": expected instance, group, mode, default_priority, state_file, "
                    "log_level or realtime"};
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
