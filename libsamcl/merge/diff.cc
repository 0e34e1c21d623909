#include "libsamcl/merge/diff.h"

#include <cstring>

namespace samcl {
namespace {

// Small enough to stay in the first-level cache with its copy; most blocks are either untouched or rewritten
// completely, and both are found by one comparison.
constexpr size_t kBlock = 1024;

struct Element16 {
  uint64_t low, high;
  bool operator==(const Element16&) const = default;
};

// Copies the elements of `output` that differ from `before` to `contents`.
template <typename Element>
void take_changed(std::byte* contents, const std::byte* before, const std::byte* output, size_t bytes) {
  for (size_t at = 0; at < bytes; at += sizeof(Element)) {
    Element was, is, now;
    std::memcpy(&was, before + at, sizeof was);
    std::memcpy(&is, output + at, sizeof is);
    std::memcpy(&now, contents + at, sizeof now);
    now = is == was ? now : is;
    std::memcpy(contents + at, &now, sizeof now);
  }
}

void take_changed(std::byte* contents, const std::byte* before, const std::byte* output, size_t bytes, unsigned width) {
  switch (width) {
    case 16: return take_changed<Element16>(contents, before, output, bytes);
    case 8: return take_changed<uint64_t>(contents, before, output, bytes);
    case 4: return take_changed<uint32_t>(contents, before, output, bytes);
    case 2: return take_changed<uint16_t>(contents, before, output, bytes);
    default: return take_changed<uint8_t>(contents, before, output, bytes);
  }
}

}  // namespace

uint32_t merge_changes(std::byte* contents, const std::byte* const* outputs, unsigned count, size_t bytes,
                       unsigned width) {
  uint32_t changed = 0;
  std::byte before[kBlock];
  for (size_t at = 0; at < bytes; at += kBlock) {
    const size_t length = bytes - at < kBlock ? bytes - at : kBlock;
    bool copied = false;
    for (unsigned device = 0; device < count; ++device) {
      const std::byte* output = outputs[device] + at;
      if (std::memcmp(output, copied ? before : contents + at, length) == 0) continue;
      if (!copied) std::memcpy(before, contents + at, length);
      copied = true;
      changed |= uint32_t{1} << device;
      take_changed(contents + at, before, output, length, width);
    }
  }
  return changed;
}

}  // namespace samcl
