#include "tools/process/child.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "sam-manager/protocol/process.h"

extern char** environ;

namespace samcl::process {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (!changes.count(text.substr(0, text.find('=')))) result.push_back(text);
  }
  for (const auto& [name, value] : changes) {
    if (!value.empty()) result.push_back(name + "=" + value);
  }
  return result;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

// A pipe that closes with its owner.
class Pipe {
 public:
  Pipe() { open_ = pipe2(ends_, O_CLOEXEC | O_NONBLOCK) == 0; }
  ~Pipe() {
    for (int i = 0; open_ && i < 2; ++i) {
      if (ends_[i] >= 0) close(ends_[i]);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool open() const { return open_; }
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  // The child's writes block when the pipe is full; our reads never do.
  void give_writing_end_away() {
    close(ends_[1]);
    ends_[1] = -1;
  }
  void make_writing_end_blocking() const { fcntl(ends_[1], F_SETFL, fcntl(ends_[1], F_GETFL) & ~O_NONBLOCK); }

 private:
  int ends_[2] = {-1, -1};
  bool open_ = false;
};

// Takes what is there; false at the end.
bool drain(int fd, std::string& text) {
  char buffer[65536];
  for (;;) {
    const ssize_t count = read(fd, buffer, sizeof buffer);
    if (count > 0) {
      text.append(buffer, static_cast<size_t>(count));
    } else {
      return count < 0 && (errno == EAGAIN || errno == EINTR);
    }
  }
}

// Milliseconds from now, rounded up, for poll().
int until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1 << 30));
}

// The calling thread's, while this lives; what it starts does not inherit it.
class RealtimePriority {
 public:
  explicit RealtimePriority(bool wanted) {
    if (!wanted || pthread_getschedparam(pthread_self(), &policy_, &before_) != 0) return;
    sched_param mine{};
    mine.sched_priority = sched_get_priority_min(SCHED_FIFO) + 1;
    is_set_ = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &mine) == 0;
  }
  ~RealtimePriority() {
    if (is_set_) sched_setscheduler(0, policy_, &before_);
  }
  RealtimePriority(const RealtimePriority&) = delete;
  RealtimePriority& operator=(const RealtimePriority&) = delete;
  bool is_set() const { return is_set_; }

 private:
  int policy_ = SCHED_OTHER;
  sched_param before_{};
  bool is_set_ = false;
};

Result<pid_t> spawn(const std::vector<std::string>& argv, const std::map<std::string, std::string>& changes,
                    const Pipe& out, const Pipe& err, bool realtime) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (realtime) {
    sched_param least{};
    least.sched_priority = sched_get_priority_min(SCHED_FIFO);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSCHEDULER);
    posix_spawnattr_setschedpolicy(&attributes, SCHED_FIFO);
    posix_spawnattr_setschedparam(&attributes, &least);
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.writing(), 1);
  posix_spawn_file_actions_adddup2(&actions, err.writing(), 2);
  const std::vector<std::string> environment = environment_with(changes);
  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, argv[0].c_str(), &actions, &attributes, pointers(argv).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error) return fail("cannot run " + argv[0] + ": " + std::strerror(error));
  return pid;
}

}  // namespace

Result<Ending> run(const std::vector<std::string>& argv, const std::map<std::string, std::string>& changes,
                   double limit_s, bool realtime) {
  Pipe out, err;
  if (!out.open() || !err.open()) return fail("cannot make a pipe: " + std::string(std::strerror(errno)));
  out.make_writing_end_blocking();
  err.make_writing_end_blocking();
  const auto start = Clock::now();
  const auto deadline = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_s));
  const RealtimePriority priority(realtime);
  const auto pid = spawn(argv, changes, out, err, priority.is_set());
  if (!pid) return tl::unexpected(pid.error());
  out.give_writing_end_away();
  err.give_writing_end_away();

  Ending ending;
  ending.realtime = priority.is_set();
  const int ended = protocol::open_pidfd(*pid);
  pollfd fds[3] = {{out.reading(), POLLIN, 0}, {err.reading(), POLLIN, 0}, {ended, POLLIN, 0}};
  std::string* texts[2] = {&ending.out, &ending.err};
  for (bool running = ended >= 0; running;) {
    const int count = poll(fds, 3, until(deadline));
    if (count == 0 && Clock::now() >= deadline) {
      ending.timed_out = true;
      break;
    }
    for (int i = 0; i < 2; ++i) {
      if (fds[i].fd >= 0 && fds[i].revents && !drain(fds[i].fd, *texts[i])) fds[i].fd = -1;
    }
    running = !(fds[2].revents & POLLIN);
  }
  if (ended < 0 || ending.timed_out) kill(*pid, SIGKILL);
  int status = 0;
  waitpid(*pid, &status, 0);
  if (ended >= 0) close(ended);
  ending.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (int i = 0; i < 2; ++i) {
    if (fds[i].fd >= 0) drain(fds[i].fd, *texts[i]);
  }
  if (WIFEXITED(status)) ending.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
  if (ended < 0) return fail("cannot watch " + argv[0]);
  return ending;
}

}  // namespace samcl::process
