// Runs tasks in a child process, so that one that crashes or hangs is a failure of its own and no more.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace sequences {

struct Verdict {
  enum class Kind { passed, wrong, crashed, hung };
  Kind kind = Kind::passed;
  std::string what{};  // for people; empty if passed
};

// Runs `task` for first, first + 1, ... < end, in order, in one child; after a crash, or if a task takes
// longer than `limit_s` seconds, the child is given up and the rest goes on in a new one. `task` gives what
// is wrong, or nothing. `verdict` is called here, for each in order; when it returns false, no more are run.
// Nothing that `task` loads or opens may be loaded or open here when it starts.
void run_in_children(size_t first, size_t end, int limit_s, const std::function<std::string(size_t)>& task,
                     const std::function<bool(size_t, const Verdict&)>& verdict);

}  // namespace sequences
