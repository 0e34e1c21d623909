// Memory of the program that commands read, write, or that objects lie on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace image_sequences {

// At an address that every driver lets objects lie on.
class HostMemory {
 public:
  explicit HostMemory(const std::vector<std::byte>& contents)
      : start_(
            static_cast<std::byte*>(std::aligned_alloc(kAlignment, (contents.size() / kAlignment + 1) * kAlignment))) {
    std::copy(contents.begin(), contents.end(), start_.get());
  }
  std::byte* get() const { return start_.get(); }

 private:
  static constexpr size_t kAlignment = 4096;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> start_;
};

}  // namespace image_sequences
