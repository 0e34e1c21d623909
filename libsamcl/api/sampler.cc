// Samplers: the driver's own, in the first device's real context.
// clang-format off
#include "libsamcl/api/unwrap.h"
// clang-format on
#include "libsamcl/objects/sampler.h"

#include <CL/cl.h>

#include "entry_points.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/real_objects.h"

namespace samcl::api {
namespace {

// Beside virtual objects; a driver that gave it all of a context's objects knows them by itself.
cl_sampler noted(cl_context context, cl_sampler sampler) {
  if (sampler && is_virtual(context)) driver::note_sampler(sampler);
  return sampler;
}

}  // namespace

cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                                       cl_filter_mode filter, cl_int* errcode_ret) {
  return noted(context, driver::real().clCreateSampler(unwrap(context), normalized, addressing, filter, errcode_ret));
}

cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties* properties,
                                                     cl_int* errcode_ret) {
  return noted(context, driver::real().clCreateSamplerWithProperties(unwrap(context), properties, errcode_ret));
}

cl_int CL_API_CALL clRetainSampler(cl_sampler sampler) {
  const cl_int error = driver::real().clRetainSampler(sampler);
  if (error == CL_SUCCESS) driver::count_references_to_sampler(sampler, +1);
  return error;
}

cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler) {
  driver::count_references_to_sampler(sampler, -1);  // before, as its place may be another object's from then on
  return driver::real().clReleaseSampler(sampler);
}

cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t size, void* value,
                                    size_t* size_ret) {
  const cl_int error = driver::real().clGetSamplerInfo(sampler, name, size, value, size_ret);
  if (error == CL_SUCCESS && name == CL_SAMPLER_CONTEXT && value) {
    auto* const context = static_cast<cl_context*>(value);
    *context = Context::to_program(*context);
  }
  if (error == CL_SUCCESS && name == CL_SAMPLER_REFERENCE_COUNT && value) {
    *static_cast<cl_uint*>(value) -= Sampler::references_to(sampler);
  }
  return error;
}

}  // namespace samcl::api
