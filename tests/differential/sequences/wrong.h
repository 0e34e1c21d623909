// What is not as it must be, found while a sequence is played.
#pragma once

#include <string>

#include "benchmarks/host/session.h"

namespace sequences {

struct Wrong {
  std::string what;
};

inline void must_succeed(cl_int status, const char* call) {
  if (status != CL_SUCCESS) throw Wrong{std::string(call) + " gave " + bench::status_name(status)};
}
#define MUST(call) must_succeed(call, #call)

}  // namespace sequences
