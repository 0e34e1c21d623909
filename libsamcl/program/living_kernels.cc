#include "libsamcl/program/living_kernels.h"

#include <algorithm>

#include "libsamcl/program/kernel.h"

namespace samcl {

LivingKernels::Entry::Entry(LivingKernels& all, const Kernel& kernel) : all_(all), kernel_(kernel) {
  std::lock_guard lock(all_.mutex_);
  all_.kernels_.insert(&kernel_);
}

LivingKernels::Entry::~Entry() {
  std::lock_guard lock(all_.mutex_);
  all_.kernels_.erase(&kernel_);
  all_.gone_.notify_all();
}

bool LivingKernels::wait_for_released(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const auto is_decided = [this] {
    return kernels_.empty() ||
           std::any_of(kernels_.begin(), kernels_.end(), [](const Kernel* each) { return each->references() > 0; });
  };
  gone_.wait_for(lock, patience, is_decided);
  return kernels_.empty();
}

}  // namespace samcl
