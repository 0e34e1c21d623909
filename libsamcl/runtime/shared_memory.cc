#include "libsamcl/runtime/shared_memory.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace samcl {
namespace {

struct Allocations {
  std::shared_mutex mutex;
  std::map<uintptr_t, size_t> bytes_from;
};

Allocations& allocations() {
  static Allocations* const allocations = new Allocations;
  return *allocations;
}

uintptr_t address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

}  // namespace

void note_shared(const void* begin, size_t bytes) {
  std::lock_guard lock(allocations().mutex);
  allocations().bytes_from[address(begin)] = bytes;
}

void forget_shared(const void* begin) {
  std::lock_guard lock(allocations().mutex);
  allocations().bytes_from.erase(address(begin));
}

bool is_shared(const void* pointer) {
  std::shared_lock lock(allocations().mutex);
  const auto& all = allocations().bytes_from;
  auto after = all.upper_bound(address(pointer));
  return after != all.begin() && address(pointer) - std::prev(after)->first < std::prev(after)->second;
}

}  // namespace samcl
