#pragma once

#include <atomic>

namespace samcl {

// Makes the value at least `least`.
template <typename T>
void raise(std::atomic<T>& value, T least) {
  for (T seen = value.load(); seen < least && !value.compare_exchange_weak(seen, least);) {
  }
}

}  // namespace samcl
