// A sequence's objects as OpenCL's.
#pragma once

#include "benchmarks/host/session.h"
#include "tests/differential/images/sequence.h"

namespace image_sequences {

// Bytes of host memory that OpenCL may look at when `object` is made from it.
size_t whole_slices(const Object& object);

// `shown`: the buffer of an image1d_buffer. `host`: what it is made from, or null.
cl_mem create(cl_context context, const Object& object, cl_mem shown, void* host, cl_int* status);

// Throws std::runtime_error if the device lacks images of these kinds (none: of all), one of our formats, or the
// writing of 3D images. OpenCL's full profile demands the formats.
void must_have_images(const bench::Session& session, const std::vector<Kind>& kinds);

}  // namespace image_sequences
