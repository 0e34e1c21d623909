#include "libsamcl/objects/sampler.h"

#include <map>

#include "libsamcl/driver/driver.h"

namespace samcl {
namespace {

// By sampler of the program's.
struct Held {
  std::mutex mutex;
  std::map<cl_sampler, cl_uint> references;
};

Held& held() {
  static Held* const held = new Held;
  return *held;
}

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

Sampler::Sampler(cl_sampler first) : by_device_{first} {
  {
    std::lock_guard lock(held().mutex);
    ++held().references[first];
  }
  driver::real().clRetainSampler(first);
}

cl_uint Sampler::references_to(cl_sampler sampler) {
  std::lock_guard lock(held().mutex);
  const auto found = held().references.find(sampler);
  return found == held().references.end() ? 0 : found->second;
}

Sampler::~Sampler() {
  {
    std::lock_guard lock(held().mutex);
    const auto first = held().references.find(by_device_[0]);
    if (first != held().references.end() && --first->second == 0) held().references.erase(first);
  }
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
