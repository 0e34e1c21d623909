// When to build the programs for the parts of a kernel. At once before a launch that is so much longer that it gains by
// it. Else beside launches, on a thread of its own: where only other devices need programs (the first one runs the
// program's own), that costs launches nothing, and a process that ends waits for it; so it begins early. A program for
// the first device holds up its launches for up to half of what it takes to build (two H100: 71 and 145 ms once each in
// 400; none for the second device's). Then the rule is the one for rent or buy: once launches have taken as long as
// the building, those of earlier processes, too: a first process may have paid for the driver's compiler, which most
// drivers' own caches save the next ones, so that the second one tells what building takes. From then on the next
// processes know: a program whose launches are as short as ever is not built for, and one whose launches went on for
// long is likely to go on, so its parts are built as soon as it is. Launches do not wait for that: those that come
// meanwhile run whole.
#pragma once

#include <algorithm>
#include <cstdint>

namespace samcl {

enum class PartsBuild : uint8_t {
  not_yet,
  beside,  // begun while this launch and maybe others run whole
  now,     // before this launch, which pays for it alone
};

// Processes that have built parts after which what that takes is known.
constexpr uint32_t kBuildIsKnown = 2;

// To open a device for parts, ns. NVIDIA's driver takes 0.11 s, in which the program goes on, and the process ends 0.07
// s later (two H200).
constexpr uint64_t kOpening = 50'000'000;

// Devices are opened as soon as the program is built if nothing is known of it, or if launches that parts might have
// halved took so long in an earlier process, ns. Much less than is won by that: who measures jobs does not see what
// comes before them.
constexpr uint64_t kWorthOpening = 8'000'000;

// The most that such launches took in any process, for the next one: each that opened devices for less halves it.
constexpr uint64_t most_promising(uint64_t promising, uint64_t most_before, bool has_opened) {
  return std::max(promising, has_opened ? most_before / 2 : most_before);
}

// What launches have taken that counts as rent, ns: of this process so far; of those since one built parts last; and
// what they took in an earlier process. built: processes that have built parts.
constexpr uint64_t rent(uint64_t took, uint64_t rented, uint64_t expected, uint32_t built) {
  if (built < kBuildIsKnown) return took + rented;
  return took > expected ? took - expected : 0;
}

// What building took, for the process after one that did not build: a time that was long by chance would never be
// measured again.
constexpr uint64_t doubted(uint64_t build, uint32_t built) { return built < kBuildIsKnown ? build : build - build / 8; }

// All ns. build: what building takes, of all parts together; took: launches of the program, as rent() says; launch: the
// present one on one device, to_come: it and those that are expected to come, of which two devices save half;
// holds_up_none: what launches need is neither built for nor by the first device.
constexpr PartsBuild when_to_build_parts(uint64_t build, uint64_t took, uint64_t launch, uint64_t to_come = 0,
                                         bool holds_up_none = false) {
  if (launch / 2 >= build) return PartsBuild::now;
  const bool is_worth_it = to_come / 2 >= build || took >= (holds_up_none ? build / 8 : build);
  return is_worth_it ? PartsBuild::beside : PartsBuild::not_yet;
}

}  // namespace samcl
