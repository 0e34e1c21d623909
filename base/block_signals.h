// The signals of the host program are its own threads' business. A thread of ours begins with the mask of the one that
// makes it: make it while one of these lives.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace samcl {

class BlockSignals {
 public:
  BlockSignals() {
    sigset_t all;
    sigfillset(&all);
    // A thread's own faults: where they are blocked they end the process, and a handler of the program's or the
    // driver's may make them harmless (PoCL's lets kernels divide by zero).
    for (int fault : {SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace samcl
