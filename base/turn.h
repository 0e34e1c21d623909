// A place in a line whose members end one after another: the commands of an in-order queue.
#pragma once

#include <cstdint>

namespace samcl {

struct Turn {
  const void* line = nullptr;  // nullptr: in none
  uint64_t number = 0;

  // Who waits for the other waits for it, too.
  bool is_up_by(const Turn& other) const { return line && line == other.line && number <= other.number; }
};

}  // namespace samcl
