#include "sam-manager/tests/testbed.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "sam-manager/protocol/connection.h"
#include "sam-manager/protocol/names.h"

namespace samcl::testing {

using protocol::Connection;

namespace {

constexpr int kLimitMs = 5000;

int wait_for_end(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Daemon::Daemon() {
  static int count = 0;
  instance_ = "test." + std::to_string(getpid()) + "." + std::to_string(++count);
}

Daemon::~Daemon() {
  if (pid_ > 0) stop(SIGTERM);
  // What a killed one left.
  for (const char* end : {".sock", ".lock"}) unlink((protocol::own_socket_directory() + "/" + instance_ + end).c_str());
}

bool Daemon::start(const std::vector<std::string>& more, Tasks tasks) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return false;
  std::vector<std::string> words = {SAM_MANAGERD, "--foreground", "--instance", instance_};
  if (tasks == Tasks::in_memory) words.insert(words.end(), {"--exit-with", std::to_string(getpid())});
  words.insert(words.end(), more.begin(), more.end());
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    words.insert(words.end(), {"--ready-fd", std::to_string(dup(ready[1]))});  // without close-on-exec
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(SAM_MANAGERD, arguments.data());
    _exit(127);
  }
  close(ready[1]);
  pollfd fd{ready[0], POLLIN, 0};
  char byte = 0;
  const bool is_ready = poll(&fd, 1, 4 * kLimitMs) == 1 && read(ready[0], &byte, 1) == 1;
  close(ready[0]);
  if (!is_ready) stop(SIGKILL);
  return is_ready;
}

bool Daemon::start_configured(const std::string& toml) {
  const auto file = std::filesystem::temp_directory_path() / (instance_ + ".toml");
  std::ofstream(file) << toml << "\nlog_level = 'off'\n";
  const bool started = start({"--config", file});
  std::filesystem::remove(file);
  return started;
}

int Daemon::stop(int signal) {
  kill(pid_, signal);
  const int code = wait_for_end(pid_);
  pid_ = -1;
  return code;
}

Result<nlohmann::json> Daemon::ask(const nlohmann::json& question) const {
  auto connection = Connection::open(instance_);
  if (!connection) return tl::unexpected(connection.error());
  auto answer = (*connection)->ask(question, kLimitMs);
  if (!answer) return tl::unexpected(answer.error());
  return std::move(answer->document);
}

std::string Daemon::register_task(const std::string& task, int priority, uint32_t gpus,
                                  const std::vector<std::string>& devices, uint64_t deadline_ns) const {
  const auto answer = ask({{"ask", "register"},
                           {"task",
                            {{"name", task},
                             {"priority", priority},
                             {"gpus", gpus},
                             {"devices", devices},
                             {"period_ns", deadline_ns},
                             {"deadline_ns", deadline_ns}}}});
  return answer ? "" : answer.error().message;
}

nlohmann::json Daemon::status() const {
  auto answer = ask({{"ask", "status"}});
  return answer ? *std::move(answer) : nlohmann::json();
}

nlohmann::json Daemon::program(const std::string& task) const {
  const nlohmann::json all = status();
  for (const auto& entry : all["programs"])
    if (entry["task"] == task) return entry;
  return {};
}

bool Daemon::wait_for_waiters(size_t resource, size_t count) const {
  for (int i = 0; i < kLimitMs / 5; ++i) {
    const auto now = status();
    if (now.contains("resources") && now["resources"].size() > resource &&
        now["resources"][resource]["waiting"].size() == count)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

std::unique_ptr<lease::Client> Daemon::connect(const std::string& task, uint32_t gpus) const {
  auto client = lease::Client::connect({instance_, task, kLimitMs, gpus}, devices);
  return client ? *std::move(client) : nullptr;
}

void Child::Line::say(char letter) const {
  if (write(out_, &letter, 1) != 1) _exit(3);
}

char Child::Line::hear(int limit_ms) const {
  pollfd fd{in_, POLLIN, 0};
  char letter = 0;
  return poll(&fd, 1, limit_ms) == 1 && read(in_, &letter, 1) == 1 ? letter : '\0';
}

Child::Child(const std::function<int(const Line&)>& body) {
  if (pipe2(pipes_, O_CLOEXEC) != 0 || pipe2(pipes_ + 2, O_CLOEXEC) != 0) return;
  pid_ = fork();
  if (pid_ == 0) {
    close(pipes_[1]);
    close(pipes_[2]);
    _exit(body(Line(pipes_[0], pipes_[3])));
  }
  close(pipes_[0]);
  close(pipes_[3]);
  line_ = Line(pipes_[2], pipes_[1]);
}

Child::~Child() {
  if (pid_ > 0) kill_hard();
  close(pipes_[1]);
  close(pipes_[2]);
}

void Child::kill_hard() {
  kill(pid_, SIGKILL);
  join();
}

int Child::join() {
  const int code = wait_for_end(pid_);
  pid_ = -1;
  return code;
}

UrgentObserver::UrgentObserver() {
  sched_param priority{};
  priority.sched_priority = 90;  // the daemon has the highest
  works_ = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) == 0;
}

UrgentObserver::~UrgentObserver() {
  const sched_param ordinary{};
  if (works_) sched_setscheduler(0, SCHED_OTHER, &ordinary);
}

std::unique_ptr<FreezableGroup> FreezableGroup::make(const std::string& name, Version version) {
  const auto roots = version == Version::v1 ? std::vector{"/sys/fs/cgroup/freezer"}
                                            : std::vector{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
  for (const std::string root : roots) {
    if (version == Version::v2 && !std::filesystem::exists(root + "/cgroup.controllers")) continue;
    std::error_code error;
    if (std::filesystem::create_directory(root + "/" + name, error))
      return std::unique_ptr<FreezableGroup>(new FreezableGroup(version, root + "/" + name));
  }
  return nullptr;
}

FreezableGroup::~FreezableGroup() {
  thaw();
  if (version_ == Version::v2) std::ofstream(path_ + "/cgroup.kill") << 1;
  for (int i = 0; i < 100 && rmdir(path_.c_str()) != 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

void FreezableGroup::add(pid_t process) const { std::ofstream(path_ + "/cgroup.procs") << process; }

void FreezableGroup::freeze() const {
  if (version_ == Version::v1) std::ofstream(path_ + "/freezer.state") << "FROZEN";
  if (version_ == Version::v2) std::ofstream(path_ + "/cgroup.freeze") << 1;
}

void FreezableGroup::thaw() const {
  if (version_ == Version::v1) std::ofstream(path_ + "/freezer.state") << "THAWED";
  if (version_ == Version::v2) std::ofstream(path_ + "/cgroup.freeze") << 0;
}

bool finds_daemon(lease::Client& client) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::seconds(10);  // generous, for busy machines
  for (; Clock::now() < until; std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
    const lease::Lease gpu(&client, lease::ResourceKind::gpu, 0);
    if (client.managed()) return true;
  }
  return false;
}

std::unique_ptr<Child> start_taker(const Daemon& daemon, const std::string& task) {
  auto child = std::make_unique<Child>([&daemon, task](const Child::Line& line) {
    const auto client = daemon.connect(task);
    if (!client) return 1;
    line.say('c');
    while (true) {
      switch (line.hear(60'000)) {
        case 't':
          client->acquire(lease::ResourceKind::gpu, 0);
          line.say('h');
          break;
        case 'r':
          client->release(lease::ResourceKind::gpu, 0);
          line.say('f');
          break;
        case 'm': line.say(finds_daemon(*client) ? 'y' : 'n'); break;
        default: return 0;
      }
    }
  });
  return child->line().hear() == 'c' ? std::move(child) : nullptr;
}

std::unique_ptr<Child> start_holder(const Daemon& daemon, const std::string& task) {
  auto child = start_taker(daemon, task);
  if (!child) return nullptr;
  child->line().say('t');
  return child->line().hear() == 'h' ? std::move(child) : nullptr;
}

std::unique_ptr<Child> start_waiter(const Daemon& daemon, const std::string& task, size_t waiters) {
  auto child = start_taker(daemon, task);
  if (!child) return nullptr;
  child->line().say('t');
  return daemon.wait_for_waiters(0, waiters) ? std::move(child) : nullptr;
}

}  // namespace samcl::testing
