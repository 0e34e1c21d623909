// Plays a sequence through the OpenCL C API and compares what it shows with what the model saw.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "benchmarks/host/session.h"
#include "tests/differential/images/model.h"

namespace image_sequences {

// A context of its own, and the programs, which are built when they are first launched.
class Device {
 public:
  // For images of these kinds, or of all if there are none. Throws std::runtime_error as must_have_images().
  Device(unsigned platform, unsigned device, const std::vector<Kind>& kinds = {});

  const bench::Session& session() const { return session_; }
  bench::Kernel kernel(Kind kind, Kernel kernel);

 private:
  bench::Session session_;
  std::map<Kind, bench::Program> programs_;
};

struct Playing {
  std::optional<size_t> left_out{};  // this step does nothing, to see that it is noticed
  bool narrate = false;              // each step is printed before it is done
};

// Empty: every call succeeded, everything seen was as expected, and nothing was written beside what is read; else what
// was not, and at which step.
std::string play(Device& device, const Sequence& sequence, const Sights& expected, const Playing& how = {});

}  // namespace image_sequences
