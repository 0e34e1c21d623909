// What ends on the devices is told soon or late, as it costs least, unless somebody hurries.
#pragma once

#include "libsamcl/objects/context.h"

namespace samcl {

// While it lives, the devices of a context tell at once what has ended on them. The context must outlive it.
class Hurry {
 public:
  explicit Hurry(const Context& context) {
    context.each_strand([this](RealDevice& device) {
      device.completions().start_hurrying();
      hurried_.push_back(&device);
    });
  }
  ~Hurry() {
    for (RealDevice* const device : hurried_) device->completions().stop_hurrying();
  }
  Hurry(const Hurry&) = delete;
  Hurry& operator=(const Hurry&) = delete;

 private:
  SmallVector<RealDevice*, 4> hurried_;  // more may be made meanwhile
};

}  // namespace samcl
