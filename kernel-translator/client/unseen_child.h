// A child process that the host program does not notice: wait() of any of its threads does not find it, and its end
// raises no SIGCHLD. A process that was made without a signal for its end stands in between: one that shares our
// memory, starts the program, waits for it, and is all that the host program is a parent of.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace samcl {

class UnseenChild {
 public:
  // Runs the program arguments[0] with these standard descriptors (3 or more) and no other, no signal blocked or
  // ignored. It is killed if the calling thread ends before it. Error: it can't be run, and why.
  static Result<std::unique_ptr<UnseenChild>> start(const std::vector<std::string>& arguments,
                                                    const std::vector<char*>& environment, int in, int out, int err);
  ~UnseenChild();  // kills it, if it was not waited for
  UnseenChild(const UnseenChild&) = delete;
  UnseenChild& operator=(const UnseenChild&) = delete;

  // Readable when the program has ended; -1 if the system has none to give.
  int descriptor() const { return descriptor_; }
  void kill();
  // Waits for its end. What waitpid() would have said of it.
  int wait();

 private:
  struct Shared;
  UnseenChild();

  std::unique_ptr<Shared> shared_;  // with the process between
  pid_t between_ = -1;
  int descriptor_ = -1;
};

}  // namespace samcl
