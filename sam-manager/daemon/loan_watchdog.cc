#include "sam-manager/daemon/loan_watchdog.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/clock.h"

namespace samcl::daemon {
namespace {

constexpr int kLookMs = 5000;
constexpr uint64_t kAbandonedNs = 5'000'000'000;  // a daemon that moves has taken it back long before
constexpr int kHighest = 99;

// Nothing of the daemon's may stay open here: its lock would still be held, its socket still there.
void keep_only(int fd) {
  fd = fcntl(fd, F_DUPFD, 10);
  if (fd < 0) _exit(1);
  const int null = open("/dev/null", O_RDWR);
  for (int standard = 0; standard < 3 && null >= 0; ++standard) dup2(null, standard);
  dup2(fd, 3);
  syscall(SYS_close_range, 4u, ~0u, 0u);
}

[[noreturn]] void guard(const LoanBook& book, int life) {
  prctl(PR_SET_NAME, "sam-loans");
  keep_only(life);
  set_scheduling(0, fifo(kHighest));
  pollfd fd{3, POLLIN, 0};
  while (poll(&fd, 1, kLookMs) <= 0) book.put_back_older_than(now_ns(), kAbandonedNs);
  book.put_back_older_than(now_ns(), 0);
  _exit(0);
}

}  // namespace

LoanWatchdog::LoanWatchdog(const LoanBook& book) {
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0) return;
  process_ = fork();
  if (process_ == 0) {
    close(pipe[1]);
    guard(book, pipe[0]);
  }
  close(pipe[0]);
  life_ = protocol::Descriptor(pipe[1]);
}

LoanWatchdog::~LoanWatchdog() {
  life_.reset();
  if (process_ > 0)
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace samcl::daemon
