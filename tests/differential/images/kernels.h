// The kernels that sequences launch, in OpenCL C for the player and in C++ for the model.
#pragma once

#include <string>

#include "tests/differential/images/sequence.h"

namespace image_sequences {

// One program for each kind of image: the kernels named as name(Kernel) says.
std::string kernels_source(Kind kind);

// Whether kernels write images of this kind. PoCL 3.1 crashes where they write an image1d_buffer_t.
bool may_write(Kind kind);

// What Kernel::own, linear and scatter write, before it is cut to the format.
Pixel own_value(uint32_t x, uint32_t y, uint32_t z, uint32_t seed);

}  // namespace image_sequences
