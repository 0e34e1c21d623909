#include "kernel-translator/client/unseen_child.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>

// What runs in the other processes does so in our memory, beside our threads: it calls the system and nothing else,
// not even the C library's wrappers, which sanitizers replace. errno is the starting thread's, which waits until
// nothing fails any more.
#define SAMCL_BARE __attribute__((no_sanitize("address", "thread", "undefined")))

// The C library's clone by the name that ThreadSanitizer does not take for fork.
extern "C" int __clone(int (*start)(void*), void* stack, int flags, void* argument, ...);  // NOLINT

namespace samcl {
namespace {

constexpr size_t kBytesOfSignalSet = _NSIG / 8;
// As the kernel's struct sigaction and sigset_t: the standard action, no signal.
constexpr std::array<uint64_t, 4> kStandardAction{};
constexpr uint64_t kNoSignal = 0;

SAMCL_BARE void set_standard_action(int signal) {
  syscall(SYS_rt_sigaction, signal, kStandardAction.data(), nullptr, kBytesOfSignalSet);
}

}  // namespace

struct UnseenChild::Shared {
  static constexpr size_t kStack = 64 << 10;

  std::vector<char*> arguments;
  std::vector<char*> environment;
  int standard[3] = {-1, -1, -1};
  std::atomic<bool> started{false};  // or not, as `error` says
  std::atomic<bool> ended{false};    // about to be waited for: its number may soon be another's
  pid_t program = -1;
  int error = 0;
  int status = 0;
  alignas(16) std::array<std::byte, kStack> stack_between;
  alignas(16) std::array<std::byte, kStack> stack_program;

  SAMCL_BARE static int be_program(void* self);
  SAMCL_BARE static int stand_between(void* self);
};

// Handlers are gone after execve, but what is ignored stays ignored.
SAMCL_BARE int UnseenChild::Shared::be_program(void* self) {
  Shared& shared = *static_cast<Shared*>(self);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int number = 1; number < NSIG; ++number) set_standard_action(number);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &kNoSignal, nullptr, kBytesOfSignalSet);
  execve(shared.arguments[0], shared.arguments.data(), shared.environment.data());
  shared.error = errno;
  _exit(127);
}

// Its descriptors are copies of the host program's, which must not stay open because of it.
SAMCL_BARE int UnseenChild::Shared::stand_between(void* self) {
  Shared& shared = *static_cast<Shared*>(self);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  set_standard_action(SIGCHLD);
  for (int i = 0; i < 3; ++i) syscall(SYS_dup3, shared.standard[i], i, 0);
  syscall(SYS_close_range, 3, ~0u, 0);
  shared.program = __clone(be_program, shared.stack_program.data() + kStack, CLONE_VM | CLONE_VFORK | SIGCHLD, self);
  if (shared.program < 0) shared.error = errno;
  syscall(SYS_close_range, 0, ~0u, 0);
  const pid_t program = shared.program;
  shared.started.store(true, std::memory_order_release);
  if (program < 0) return 0;
  siginfo_t info;
  syscall(SYS_waitid, P_PID, program, &info, WEXITED | WNOWAIT, nullptr);
  shared.ended.store(true, std::memory_order_release);
  syscall(SYS_wait4, program, &shared.status, 0, nullptr);
  return 0;
}

UnseenChild::UnseenChild() : shared_(std::make_unique<Shared>()) {}

Result<std::unique_ptr<UnseenChild>> UnseenChild::start(const std::vector<std::string>& arguments,
                                                        const std::vector<char*>& environment, int in, int out,
                                                        int err) {
  std::unique_ptr<UnseenChild> child(new UnseenChild);
  Shared& shared = *child->shared_;
  for (const std::string& argument : arguments) shared.arguments.push_back(const_cast<char*>(argument.c_str()));
  shared.arguments.push_back(nullptr);
  shared.environment = environment;
  shared.standard[0] = in;
  shared.standard[1] = out;
  shared.standard[2] = err;
  // The host program's handlers must not run in there.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  constexpr int kNoSignalAtItsEnd = 0;
  child->between_ = __clone(Shared::stand_between, shared.stack_between.data() + Shared::kStack,
                            CLONE_VM | kNoSignalAtItsEnd, &shared);
  const int error = errno;
  while (child->between_ > 0 && !shared.started.load(std::memory_order_acquire)) sched_yield();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (child->between_ < 0) return fail(strerror(error));
  if (shared.error != 0) {
    const int why = shared.error;
    child->wait();
    return fail(strerror(why));
  }
  child->descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, child->between_, 0));
  return child;
}

UnseenChild::~UnseenChild() {
  if (between_ > 0) {
    kill();
    wait();
  }
  if (descriptor_ >= 0) close(descriptor_);
}

void UnseenChild::kill() {
  if (!shared_->ended.load(std::memory_order_acquire)) ::kill(shared_->program, SIGKILL);
}

int UnseenChild::wait() {
  while (between_ > 0 && waitpid(between_, nullptr, __WCLONE) < 0 && errno == EINTR) {
  }
  between_ = -1;
  return shared_->status;
}

}  // namespace samcl
