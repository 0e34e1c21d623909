// For LD_PRELOAD: malloc fails at one call of those that a library makes.
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <atomic>

extern "C" void* __libc_malloc(size_t size);

namespace {

std::atomic<long> calls_left{-1};  // the call that takes it to 0 fails; negative: none
std::atomic<const void*> base{nullptr};

bool is_of_library(const void* address) {
  Dl_info info;
  return base && dladdr(address, &info) && info.dli_fbase == base;
}

}  // namespace

// The n-th call from now on that the library around `address` makes fails; 0: none does. Returns how many were left of
// the last setting: 0 or fewer if that call came.
extern "C" __attribute__((visibility("default"))) long fail_malloc_of(const void* address, long n) {
  Dl_info info;
  base = address && dladdr(address, &info) ? info.dli_fbase : nullptr;
  return calls_left.exchange(n > 0 ? n : -1);
}

extern "C" __attribute__((visibility("default"))) void* malloc(size_t size) {
  if (calls_left.load(std::memory_order_relaxed) > 0 && is_of_library(__builtin_return_address(0)) &&
      calls_left.fetch_sub(1) == 1) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_malloc(size);
}
