#include "libsamcl/merge/accumulate.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace samcl {
namespace {

// One device's element joined to the result so far. before: what all devices started from.
template <typename Element>
Element joined(Element result, Element before, Element output, Accumulation how) {
  using Signed = std::make_signed_t<Element>;
  const auto as_signed = [](Element value) { return static_cast<Signed>(value); };
  switch (how) {
    case Accumulation::none: return output;
    case Accumulation::add: return result + (output - before);
    case Accumulation::bit_and: return result & output;
    case Accumulation::bit_or: return result | output;
    case Accumulation::bit_xor: return result ^ (output ^ before);
    case Accumulation::min_signed: return as_signed(output) < as_signed(result) ? output : result;
    case Accumulation::min_unsigned: return std::min(result, output);
    case Accumulation::max_signed: return as_signed(output) > as_signed(result) ? output : result;
    case Accumulation::max_unsigned: return std::max(result, output);
  }
  return output;
}

template <typename Element>
uint32_t combine(std::byte* contents, const std::byte* const* outputs, unsigned count, size_t bytes, Accumulation how) {
  uint32_t changed = 0;
  for (size_t at = 0; at + sizeof(Element) <= bytes; at += sizeof(Element)) {
    Element before;
    std::memcpy(&before, contents + at, sizeof before);
    Element result = before;
    for (unsigned device = 0; device < count; ++device) {
      Element output;
      std::memcpy(&output, outputs[device] + at, sizeof output);
      if (output == before) continue;
      changed |= uint32_t{1} << device;
      result = joined(result, before, output, how);
    }
    std::memcpy(contents + at, &result, sizeof result);
  }
  return changed;
}

}  // namespace

uint32_t combine_changes(std::byte* contents, const std::byte* const* outputs, unsigned count, size_t bytes,
                         unsigned width, Accumulation how) {
  return width == 8 ? combine<uint64_t>(contents, outputs, count, bytes, how)
                    : combine<uint32_t>(contents, outputs, count, bytes, how);
}

}  // namespace samcl
