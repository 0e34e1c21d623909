// A trace that somebody else asks for while the program runs (`sam-ctl trace`), for a span of time and besides that of
// SAMCL_TRACE: in memory without a name.
#pragma once

#include <cstdint>

namespace samcl::trace {

// Begins it, or goes on, until that time (ns of the host's clock). The descriptor of the memory, which stays open until
// the next event after that time; -1: there is none. Any thread.
int begin_span(uint64_t until_ns);

}  // namespace samcl::trace
