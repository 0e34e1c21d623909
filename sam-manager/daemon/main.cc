// sam-managerd: grants GPUs and PCIe links to programs by fixed priority.
#include <fcntl.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/syslog_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <filesystem>
#include <iostream>

#include "sam-manager/daemon/broker.h"
#include "sam-manager/daemon/config.h"
#include "sam-manager/daemon/objects.h"
#include "sam-manager/daemon/realtime.h"
#include "sam-manager/daemon/server.h"
#include "sam-manager/protocol/names.h"
#include "sam-manager/protocol/process.h"

namespace samcl::daemon {
namespace {

constexpr const char* kSystemConfig = "/etc/samcl/sam-managerd.toml";

struct Options {
  std::string config;
  std::string instance;
  bool foreground = false;
  pid_t exit_with = 0;
  int ready_fd = -1;
};

int complain(const std::string& message) {
  std::cerr << "sam-managerd: " << message << "\n";
  return 1;
}

Result<Config> choose_config(const Options& options) {
  Config config;
  if (options.exit_with) config.log_level = "warn";  // it shares stderr with a program
  const bool by_default =
      options.config.empty() && !options.exit_with && std::filesystem::exists(kSystemConfig);
  if (!options.config.empty() || by_default) {
    auto read = read_config(by_default ? kSystemConfig : options.config);
    if (!read) return read;
    config = *std::move(read);
  }
  if (!options.instance.empty()) config.instance = options.instance;
  if (auto checked = protocol::check_instance(config.instance); !checked)
    return tl::unexpected(checked.error());
  if (config.state_file.empty() && !options.exit_with)
    config.state_file = default_state_file(config.instance);
  return config;
}

void start_logging(const Config& config, bool foreground) {
  spdlog::set_default_logger(
      foreground ? spdlog::stderr_color_mt("sam-managerd")
                 : spdlog::syslog_logger_mt("sam-managerd", "sam-managerd", LOG_PID, LOG_DAEMON));
  spdlog::set_level(spdlog::level::from_str(config.log_level == "warn" ? "warning" : config.log_level));
  if (foreground) spdlog::set_pattern("sam-managerd: %v");
}

// Leaves a child behind that is the daemon. In the parent: waits until the child is ready or has failed, and
// returns the exit code; in the child: -1, and `ready` is where it tells.
int detach(int& ready) {
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0) return complain("cannot make a pipe");
  const pid_t child = fork();
  if (child < 0) return complain("cannot fork");
  if (child == 0) {
    close(pipe[0]);
    ready = pipe[1];
    setsid();
    if (chdir("/") != 0) return complain("cannot change to /");
    return -1;
  }
  close(pipe[1]);
  char byte = 0;
  return read(pipe[0], &byte, 1) == 1 ? 0 : 1;
}

void tell_ready(int fd) {
  if (fd < 0) return;
  if (write(fd, "\n", 1) != 1) spdlog::warn("nobody hears that we are ready");
  close(fd);
}

void drop_terminal() {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3 && null >= 0; ++fd) dup2(null, fd);
}

int serve(const Config& config, const Options& options, int detached) {
  int owner = -1;
  if (options.exit_with && (owner = protocol::open_pidfd(options.exit_with)) < 0)
    return complain("--exit-with " + std::to_string(options.exit_with) + ": there is no such process");
  auto registry = registry::Registry::open(options.exit_with ? "" : config.state_file);
  if (!registry) return complain(registry.error().message);
  auto objects = Objects::make(config);
  if (!objects) return complain(objects.error().message);

  start_logging(config, options.foreground);
  Realtime realtime(config.realtime);
  realtime.take();
  Broker broker(
      (*objects)->segment(), *std::move(registry), config,
      [&realtime](pid_t program, pid_t thread, int priority) { realtime.give(program, thread, priority); },
      protocol::process_is_stopped);
  Server server(**objects, broker, config.instance);
  spdlog::info("serving the instance \"{}\"", config.instance);
  tell_ready(options.ready_fd);
  if (detached >= 0) drop_terminal();
  tell_ready(detached);
  server.run(owner);
  spdlog::info("ending");
  return 0;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("sam-managerd: grants GPUs and PCIe links to programs by fixed priority");
  app.add_option("--config", options.config,
                 std::string("TOML file; default: ") + kSystemConfig + " if it exists");
  app.add_option("--instance", options.instance, "serve programs with this SAMCL_INSTANCE; default: default");
  app.add_flag("--foreground", options.foreground, "stay in the foreground and log to stderr, not to syslog");
  app.add_option("--exit-with", options.exit_with, "end when process PID ends; tasks are kept in memory only")
      ->type_name("PID")
      ->check(CLI::PositiveNumber);
  app.add_option("--ready-fd", options.ready_fd,
                 "write a line to this file descriptor once programs can connect")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
  auto config = choose_config(options);
  if (!config) return complain(config.error().message);
  // The daemon does not stay in this folder.
  if (!config->state_file.empty())
    config->state_file = std::filesystem::absolute(config->state_file).string();

  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  int detached = -1;
  if (!options.foreground)
    if (const int code = detach(detached); code >= 0) return code;
  return serve(*config, options, detached);
}

}  // namespace
}  // namespace samcl::daemon

int main(int argc, char** argv) {
  try {
    return samcl::daemon::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "sam-managerd: " << error.what() << "\n";
    return 1;
  }
}
