// sam-managerd: grants GPUs and PCIe links to programs by fixed priority.
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <filesystem>
#include <iostream>

#include "base/clock.h"
#include "base/json_text.h"
#include "sam-manager/daemon/board.h"
#include "sam-manager/daemon/broker.h"
#include "sam-manager/daemon/config.h"
#include "sam-manager/daemon/container_cpus.h"
#include "sam-manager/daemon/cpu_meters.h"
#include "sam-manager/daemon/endpoint.h"
#include "sam-manager/daemon/loan_book.h"
#include "sam-manager/daemon/loan_watchdog.h"
#include "sam-manager/daemon/log.h"
#include "sam-manager/daemon/realtime.h"
#include "sam-manager/daemon/server.h"
#include "sam-manager/daemon/service_notice.h"
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
  bool calibrate = false;
};

constexpr unsigned kRoundsAtStart = 200, kRoundsAsked = 5000;

int complain(const std::string& message) {
  std::cerr << "sam-managerd: " << message << "\n";
  return 1;
}

Result<Config> choose_config(const Options& options) {
  const bool by_default = options.config.empty() && !options.exit_with && std::filesystem::exists(kSystemConfig);
  auto config = options.config.empty() && !by_default ? parse_config("", "")
                                                      : read_config(by_default ? kSystemConfig : options.config);
  if (!config) return config;
  if (options.exit_with && options.config.empty()) config->log_level = "warn";  // it shares stderr with a program
  if (!options.instance.empty()) config->instance = options.instance;
  if (auto checked = protocol::check_instance(config->instance); !checked) return tl::unexpected(checked.error());
  if (config->state_file.empty() && !options.exit_with) config->state_file = default_state_file(config->instance);
  // The daemon does not stay in this folder.
  if (!config->state_file.empty()) config->state_file = std::filesystem::absolute(config->state_file).string();
  return config;
}

// As it was measured before on this system, or now. Not at all, if the machine is too busy.
void take_handovers(Config& config) {
  if (!config.measure_handovers) return;
  const std::string file = calibration_file(config);
  auto known = file.empty() ? Result<Calibration>(fail("")) : load_calibration(file);
  if (!known) {
    known = calibrate(kRoundsAtStart);
    if (known && !file.empty()) save(file, *known);  // else it is measured again the next time
  }
  if (known) config.calibration = *known;
  config.planning.handovers = known ? std::optional(known->handovers()) : std::nullopt;
}

// --calibrate
int measure_handovers(const Config& config) {
  const auto measured = calibrate(kRoundsAsked);
  if (!measured) return complain(measured.error().message);
  std::cout << json_text(measured->describe(), 2) << "\n";
  const std::string file = calibration_file(config);
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
  if (const auto saved = save(file, *measured); !saved) return complain(saved.error().message);
  return 0;
}

LogTarget log_target(bool foreground) {
  if (!foreground) return LogTarget::syslog;
  return std::getenv("JOURNAL_STREAM") ? LogTarget::journal : LogTarget::terminal;
}

// As many descriptors as the system allows: two for each program.
void raise_limits() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
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

int serve(Config config, const Options& options, int detached) {
  protocol::Descriptor owner;
  if (options.exit_with) owner = protocol::Descriptor(protocol::open_pidfd(options.exit_with));
  if (options.exit_with && !owner)
    return complain("--exit-with " + std::to_string(options.exit_with) + ": there is no such process");
  auto registry = registry::Registry::open(options.exit_with ? "" : config.state_file);
  if (!registry) return complain(registry.error().message);
  raise_limits();
  const ServiceNotice service;
  take_handovers(config);
  auto endpoint = Endpoint::make(config.instance);
  if (!endpoint) return complain(endpoint.error().message);
  auto board = Board::make();
  if (!board) return complain(board.error().message);
  auto book = LoanBook::in((*endpoint)->lock_file());
  if (!book) return complain(book.error().message);
  const size_t put_back = book->put_back_older_than(now_ns(), 0);  // that a daemon left that was killed
  const LoanWatchdog loan_watchdog(*book);

  const Log log(log_target(options.foreground), config.log_level, config.instance);
  if (put_back > 0) spdlog::warn("{} threads had a priority that another manager lent them", put_back);
  Realtime realtime(config.realtime, *book);
  realtime.take();
  Processes processes;
  processes.attach_thread = [&realtime](pid_t program, pid_t thread, int priority, bool for_now) {
    return realtime.give(program, thread, priority, for_now);
  };
  CpuMeters meters;
  processes.watch_cpu = [&meters](pid_t program, pid_t thread) {
    if (const pid_t own = program > 0 ? protocol::find_thread(program, thread) : 0; own > 0) meters.watch(program, own);
  };
  processes.cpu_use = [&meters](pid_t program) { return meters.use(program); };
  processes.cpu_lag_ns = [&meters] { return meters.lag_ns(); };
  processes.lend = [&realtime](uint32_t program, pid_t pid, std::optional<int> priority) {
    realtime.lend(program, pid, priority);
  };
  ContainerCpus containers;
  processes.bind = [&containers](uint32_t program, pid_t pid, std::optional<uint8_t> gpu) {
    return containers.bind(program, pid, gpu);
  };
  processes.on_client_exit = [&](uint32_t program, pid_t process) {
    realtime.forget(program, process);
    meters.forget(process);
    containers.bind(program, 0, std::nullopt);
  };
  processes.is_stopped = protocol::process_is_stopped;
  processes.gives_priorities = [&realtime] { return realtime.works(); };
  Broker broker(*board, *std::move(registry), config, std::move(processes));
  const auto measured = config.calibration;
  Server server(**endpoint, *board, broker, config, service, [&]() -> std::optional<Config> {
    auto read = choose_config(options);
    if (read && read->measure_handovers) {
      read->calibration = measured;
      read->planning.handovers = measured ? std::optional(measured->handovers()) : std::nullopt;
    }
    if (read) return *std::move(read);
    spdlog::error("the configuration stays as it was: {}", read.error().message);
    return std::nullopt;
  });
  spdlog::info("serving the instance \"{}\"", config.instance);
  service.tell("READY=1");
  tell_ready(options.ready_fd);
  if (detached >= 0) drop_terminal();
  tell_ready(detached);
  server.run(owner.get());
  service.tell("STOPPING=1");
  spdlog::info("ending");
  return 0;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("sam-managerd: grants GPUs and PCIe links to programs by fixed priority");
  app.set_version_flag("--version", "sam-managerd " SAMCL_VERSION);
  app.add_option("--config", options.config, std::string("TOML file; default: ") + kSystemConfig + " if it exists");
  app.add_option("--instance", options.instance, "serve programs with this SAMCL_INSTANCE; default: default");
  app.add_flag("--foreground", options.foreground, "stay in the foreground and log to stderr, not to syslog");
  app.add_option("--exit-with", options.exit_with, "end when process PID ends; tasks are kept in memory only")
      ->type_name("PID")
      ->check(CLI::PositiveNumber);
  app.add_option("--ready-fd", options.ready_fd, "write a line to this file descriptor once programs can connect")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--calibrate", options.calibrate,
               "measure what it costs to pass a resource on, print it as JSON, keep it for the next start, and end");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
  auto config = choose_config(options);
  if (!config) return complain(config.error().message);

  if (options.calibrate) return measure_handovers(*config);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  // What can't be written is an error where it is written.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
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
