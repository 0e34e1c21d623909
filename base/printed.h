// For tools whose output is their result: it must not get lost in silence.
#pragma once

#include <iostream>

namespace samcl {

// False, with a complaint, if not all that was printed could be written: the disk is full, or there is no output.
inline bool all_is_printed(const char* program) {
  if (std::cout << std::flush) return true;
  std::cerr << program << ": the output cannot be written\n";
  return false;
}

}  // namespace samcl
