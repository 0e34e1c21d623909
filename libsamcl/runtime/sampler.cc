#include "libsamcl/runtime/sampler.h"

#include "libsamcl/driver/driver.h"

namespace samcl {
namespace {

cl_sampler make_like(cl_sampler sampler, cl_context context, cl_int* error) {
  const auto& cl = driver::real();
  cl_bool normalized = CL_FALSE;
  cl_addressing_mode addressing = CL_ADDRESS_NONE;
  cl_filter_mode filter = CL_FILTER_NEAREST;
  *error = cl.clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized, &normalized, nullptr);
  if (*error == CL_SUCCESS)
    *error = cl.clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof addressing, &addressing, nullptr);
  if (*error == CL_SUCCESS)
    *error = cl.clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter, nullptr);
  return *error == CL_SUCCESS ? cl.clCreateSampler(context, normalized, addressing, filter, error) : nullptr;
}

}  // namespace

Sampler::Sampler(cl_sampler first) : by_device_{first} { driver::real().clRetainSampler(first); }

Sampler::~Sampler() {
  for (cl_sampler sampler : by_device_) {
    if (sampler) driver::real().clReleaseSampler(sampler);
  }
}

cl_sampler Sampler::real(const RealDevice& device, cl_int* error) {
  std::lock_guard lock(mutex_);
  *error = CL_SUCCESS;
  if (by_device_.size() <= device.index) by_device_.resize(device.index + 1, nullptr);
  cl_sampler& sampler = by_device_[device.index];
  if (!sampler) sampler = make_like(by_device_[0], device.context(), error);
  return sampler;
}

}  // namespace samcl
