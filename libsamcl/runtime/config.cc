#include "libsamcl/runtime/config.h"

#include <dlfcn.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

#include "libsamcl/driver/share.h"

namespace samcl {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string own_directory() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&Config::get), &info) || !info.dli_fname) return ".";
  std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string default_cache_directory() {
  if (std::string xdg = environment("XDG_CACHE_HOME"); !xdg.empty()) return xdg + "/samcl";
  if (std::string home = environment("HOME"); !home.empty()) return home + "/.cache/samcl";
  return "";
}

Config read() {
  Config config;
  config.devices = environment("SAMCL_DEVICES");
  if (std::string text = environment("SAMCL_GPUS"); !text.empty()) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), config.gpus);
    if (error != std::errc{} || end != text.data() + text.size() || config.gpus == 0) {
      warn("SAMCL_GPUS=" + text + " is not a number of devices (1, 2, ...); all devices are used");
      config.gpus = 0;
    }
  }
  if (std::string text = environment("SAMCL_MIX"); text == "on") {
    config.mix = Config::Mix::on;
  } else if (!text.empty() && text != "off") {
    warn("SAMCL_MIX=" + text + " is none of on, off; off is used");
  }
  if (std::string text = environment("SAMCL_SHARE"); !text.empty()) {
    if (const auto share = driver::parse_share(text)) config.share = *share;
    else warn("SAMCL_SHARE " + share.error().message + "; all of each device is used");
  }
  if (std::string text = environment("SAMCL_SPLIT"); text == "always") {
    config.always_split = true;
  } else if (!text.empty() && text != "auto") {
    warn("SAMCL_SPLIT=" + text + " is none of auto, always; auto is used");
  }
  if (std::string text = environment("SAMCL_SPLIT_PRINTF"); text == "1") {
    config.split_printf = true;
  } else if (!text.empty() && text != "0") {
    warn("SAMCL_SPLIT_PRINTF=" + text + " is none of 0, 1; 0 is used");
  }
  if (std::string text = environment("SAMCL_MANAGER"); text == "off") {
    config.manager = Config::Manager::off;
  } else if (text == "required") {
    config.manager = Config::Manager::required;
  } else if (!text.empty() && text != "auto") {
    warn("SAMCL_MANAGER=" + text + " is none of auto, off, required; auto is used");
  }
  if (std::string text = environment("SAMCL_TRANSPORT"); text == "shared") {
    config.transport = Config::Transport::shared;
  } else if (text == "peer") {
    config.transport = Config::Transport::peer;
  } else if (text == "staged") {
    config.transport = Config::Transport::staged;
  } else if (!text.empty() && text != "auto") {
    warn("SAMCL_TRANSPORT=" + text + " is none of auto, shared, peer, staged; auto is used");
  }
  if (std::string text = environment("SAMCL_INSTANCE"); !text.empty()) config.instance = text;
  config.task = environment("SAMCL_TASK");
  config.report = environment("SAMCL_REPORT");
  config.trace = environment("SAMCL_TRACE");
  if (std::string text = environment("SAMCL_PLAN"); text.starts_with("dot:") && text.size() > 4) {
    config.plan = text.substr(4);
  } else if (!text.empty()) {
    warn("SAMCL_PLAN=" + text + " is not dot: and the name of a file; nothing is written");
  }
  config.translator = environment("SAMCL_TRANSLATOR");
  if (config.translator.empty()) config.translator = own_directory() + "/sam-translate";
  config.cache_directory = environment("SAMCL_CACHE_DIR");
  if (config.cache_directory.empty()) config.cache_directory = default_cache_directory();
  if (std::string text = environment("SAMCL_DIRECT"); text == "off") {
    config.direct = false;
  } else if (!text.empty() && text != "on") {
    warn("SAMCL_DIRECT=" + text + " is none of on, off; on is used");
  }
  return config;
}

}  // namespace

const Config& Config::get() {
  static const Config* const config = new Config(read());
  return *config;
}

void warn(const std::string& message) {
  static std::mutex* const mutex = new std::mutex;
  static auto* const said = new std::set<std::string>;
  std::lock_guard lock(*mutex);
  if (said->insert(message).second) std::fprintf(stderr, "samcl: %s\n", message.c_str());
}

}  // namespace samcl
