#include "libsamcl/settings/config.h"

#include <dlfcn.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <mutex>
#include <set>
#include <utility>

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

// What one of these words stands for; the first is the default, also for a word that is none of them.
template <typename Value>
Value choice(const char* name, std::initializer_list<std::pair<const char*, Value>> words) {
  const std::string text = environment(name);
  std::string all;
  for (const auto& [word, value] : words) {
    if (text == word) return value;
    all += (all.empty() ? "" : ", ") + std::string(word);
  }
  const auto& [standard, value] = *words.begin();
  if (!text.empty()) warn(std::string(name) + "=" + text + " is none of " + all + "; " + standard + " is used");
  return value;
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
  config.mix = choice<Config::Mix>("SAMCL_MIX",
                                   {{"off", Config::Mix::off}, {"on", Config::Mix::on}, {"exact", Config::Mix::exact}});
  config.survive = choice<bool>("SAMCL_SURVIVE", {{"off", false}, {"on", true}});
  if (std::string text = environment("SAMCL_SHARE"); !text.empty()) {
    if (const auto share = driver::parse_share(text))
      config.share = *share;
    else
      warn("SAMCL_SHARE " + share.error().message + "; all of each device is used");
  }
  config.always_split = choice<bool>("SAMCL_SPLIT", {{"auto", false}, {"always", true}});
  config.split_printf = choice<bool>("SAMCL_SPLIT_PRINTF", {{"0", false}, {"1", true}});
  using Manager = Config::Manager;
  config.manager = choice<Manager>(
      "SAMCL_MANAGER", {{"auto", Manager::automatic}, {"off", Manager::off}, {"required", Manager::required}});
  using Transport = Config::Transport;
  config.transport = choice<Transport>("SAMCL_TRANSPORT", {{"auto", Transport::automatic},
                                                           {"shared", Transport::shared},
                                                           {"peer", Transport::peer},
                                                           {"windows", Transport::windows},
                                                           {"one-context", Transport::one_context},
                                                           {"one-server", Transport::one_server},
                                                           {"staged", Transport::staged}});
  using Submission = Config::Submission;
  config.submission = choice<Submission>(
      "SAMCL_SUBMISSION",
      {{"auto", Submission::automatic}, {"caller", Submission::caller}, {"thread", Submission::thread}});
  using Strands = Config::Strands;
  config.strands = choice<Strands>(
      "SAMCL_STRANDS", {{"auto", Strands::automatic}, {"always", Strands::always}, {"off", Strands::never}});
  using Gathering = Config::Gathering;
  config.gathering = choice<Gathering>(
      "SAMCL_GATHERING", {{"auto", Gathering::automatic}, {"always", Gathering::always}, {"off", Gathering::never}});
  using Ordering = Config::Ordering;
  config.ordering = choice<Ordering>(
      "SAMCL_ORDERING", {{"auto", Ordering::automatic}, {"host", Ordering::host}, {"device", Ordering::device}});
  if (std::string text = environment("SAMCL_INSTANCE"); !text.empty()) config.instance = text;
  config.task = environment("SAMCL_TASK");
  config.report = environment("SAMCL_REPORT");
  config.trace = environment("SAMCL_TRACE");
  if (std::string text = environment("SAMCL_PLAN"); text.starts_with("dot:") && text.size() > 4) {
    config.plan = text.substr(4);
  } else if (!text.empty()) {
    warn("SAMCL_PLAN=" + text + " is not dot: and the name of a file; nothing is written");
  }
  config.what_if = environment("SAMCL_WHAT_IF");
  config.what_if_to = environment("SAMCL_WHAT_IF_TO");
  config.translator = environment("SAMCL_TRANSLATOR");
  if (config.translator.empty()) config.translator = own_directory() + "/sam-translate";
  config.cache_directory = environment("SAMCL_CACHE_DIR");
  if (config.cache_directory.empty()) config.cache_directory = default_cache_directory();
  using Direct = Config::Direct;
  config.direct =
      choice<Direct>("SAMCL_DIRECT", {{"auto", Direct::automatic}, {"on", Direct::always}, {"off", Direct::never}});
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
