// When to build the programs for the parts of a kernel: once the kernel has taken as long as they take to build. This
// is the rule for rent or buy: what is lost, by whole launches before or by building too early, is never much more than
// the building itself.
#pragma once

#include <cstdint>

namespace samcl {

enum class PartsBuild : uint8_t {
  not_yet,
  beside,  // begun while this launch and maybe others run whole
  now,     // before this launch, which pays for it alone
};

// All ns. build: what building takes, of all parts together; took: the kernel's launches so far; launch: the present
// one on one device. Two devices save half of it.
constexpr PartsBuild when_to_build_parts(uint64_t build, uint64_t took, uint64_t launch) {
  if (launch / 2 >= build) return PartsBuild::now;
  return took >= build ? PartsBuild::beside : PartsBuild::not_yet;
}

}  // namespace samcl
