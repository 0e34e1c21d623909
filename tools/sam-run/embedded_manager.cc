#include "tools/sam-run/embedded_manager.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <vector>

extern char** environ;

namespace samcl::run {
namespace {

constexpr int kReadyFd = 3;  // in the daemon

// Starts the daemon with the writing end of a pipe as kReadyFd, in a process group of its own: what the
// terminal sends to the program (Ctrl-C) must not end the daemon before it.
Result<pid_t> spawn(const std::vector<std::string>& command, int ready) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ready, kReadyFd);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, command[0].c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error) return fail("cannot start " + command[0] + ": " + std::strerror(error));
  return pid;
}

}  // namespace

Result<std::string> start_embedded_manager(const std::string& daemon, int limit_ms) {
  const std::string self = std::to_string(getpid());
  const std::string instance = "run." + self;
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0) return fail("cannot make a pipe");
  // dup2 of a descriptor onto itself would keep it close-on-exec.
  const int ready = fcntl(pipe[1], F_DUPFD_CLOEXEC, kReadyFd + 1);
  close(pipe[1]);
  const auto pid = spawn({daemon, "--foreground", "--instance", instance, "--exit-with", self, "--ready-fd",
                          std::to_string(kReadyFd)},
                         ready);
  close(ready);
  if (!pid) {
    close(pipe[0]);
    return tl::unexpected(pid.error());
  }
  pollfd fd{pipe[0], POLLIN, 0};
  const bool answered = poll(&fd, 1, limit_ms) > 0;
  char byte = 0;
  const bool is_ready = answered && read(pipe[0], &byte, 1) == 1;
  close(pipe[0]);
  if (is_ready) return instance;
  kill(*pid, SIGKILL);
  int status = 0;
  waitpid(*pid, &status, 0);
  return fail(answered ? daemon + " ended before it was ready"
                       : daemon + " was not ready within " + std::to_string(limit_ms) + " ms");
}

}  // namespace samcl::run
