// Whether a buffer made over memory from clSVMAlloc is that memory, as the standard has it: then its bytes can be
// brought to other devices and back like a buffer's. Tried out once per device.
#pragma once

#include "libsamcl/device/real_device.h"

namespace samcl {

bool buffers_share_svm(RealDevice& device);

}  // namespace samcl
