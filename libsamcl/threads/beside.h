// Work that runs beside what the calling thread does.
#pragma once

#include <future>
#include <system_error>
#include <utility>

#include "base/block_signals.h"

namespace samcl {

// Starts the work on a thread of its own, which the host program's signals do not reach; where there can be none it is
// done by who asks for its result. The future waits for the work when it is destroyed, but for work that nobody has
// begun.
template <typename Work>
auto beside(Work work) {
  try {
    const BlockSignals here;
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, std::move(work));
  }
}

}  // namespace samcl
