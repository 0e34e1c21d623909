#include "tools/sam-run/embedded_manager.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

extern char** environ;

namespace samcl::run {
namespace {

constexpr int kReadyFd = 3;  // in the daemon

// Starts the daemon with the writing end of a pipe as kReadyFd, in a session of its own: what the terminal sends to the
// program (Ctrl-C) must not end the daemon before it. 0, or an error number.
int spawn(const std::vector<std::string>& command, int ready, pid_t& pid) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ready, kReadyFd);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  const int error = posix_spawn(&pid, command[0].c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Whether processes without a parent become our children.
bool takes_orphans() {
  int is_reaper = 0;
  return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &is_reaper) == 0 && is_reaper);
}

// The same from a process in between. It ends at once, so that the daemon has no parent; where that would make it our
// child it stays, as one whose end raises no signal and that wait() does not find.
int spawn_apart(const std::vector<std::string>& command, int ready) {
  const bool stays = takes_orphans();
  const pid_t between = static_cast<pid_t>(syscall(SYS_clone, stays ? 0 : SIGCHLD, 0, 0, 0, 0));
  if (between < 0) return errno;
  if (between == 0) {
    pid_t daemon = 0;
    const int error = spawn(command, ready, daemon);
    if (stays && error == 0) {
      syscall(SYS_close_range, 0, ~0u, 0);
      waitpid(daemon, nullptr, 0);
    }
    _exit(error);
  }
  int status = 0;
  if (!stays) waitpid(between, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

}  // namespace

Result<std::string> start_embedded_manager(const std::string& daemon) {
  const std::string self = std::to_string(getpid());
  std::string instance = "run." + self;
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0) return fail("cannot make a pipe");
  // dup2 of a descriptor onto itself would keep it close-on-exec.
  const int ready = fcntl(pipe[1], F_DUPFD_CLOEXEC, kReadyFd + 1);
  close(pipe[1]);
  const int error = spawn_apart(
      {daemon, "--foreground", "--instance", instance, "--exit-with", self, "--ready-fd", std::to_string(kReadyFd)},
      ready);
  close(ready);
  char byte = 0;
  ssize_t count = -1;
  while (error == 0 && (count = read(pipe[0], &byte, 1)) < 0 && errno == EINTR) {
  }
  close(pipe[0]);
  if (error != 0) return fail("cannot start " + daemon + ": " + std::strerror(error));
  if (count != 1) return fail(daemon + " ended before it was ready");
  return instance;
}

}  // namespace samcl::run
