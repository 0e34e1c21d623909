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

// What a driver takes to compile a kernel, ns, if it has not kept it; of what it has kept it takes some ms.
constexpr uint64_t kLongToCompile = 10'000'000;

// Devices are opened as soon as the program is built if nothing is known of it, or for a kernel whose launches, of
// those that parts might have halved, took so long in an earlier process, ns. Much less than is won by that: who
// measures jobs does not see what comes before them.
constexpr uint64_t kWorthOpening = 8'000'000;

// What is known of a kernel's launches that were in parts, or might have been, ns.
struct Promise {
  uint64_t most = 0;  // that they took in any process, less what is long ago
  uint64_t vain = 0;  // the most that they took where devices were there for parts, and parts were not used

  // Kernels that would rather stay whole are not opened for until they go on for longer, or for a while.
  constexpr bool is_worth_opening() const { return most >= kWorthOpening && most / 2 > vain; }
  bool operator==(const Promise&) const = default;
};

// Of a kernel's launches in one process, ns.
struct KernelUse {
  uint64_t launched = 0;    // all of the kernel's launches
  uint64_t promising = 0;   // those that were in parts, or might have been
  uint64_t in_parts = 0;    // and were
  bool has_opened = false;  // devices, as soon as the program was built
  bool had_parts = false;   // parts were there for half of what was promising, or were not asked for
};

// What the next process knows. Each that opened devices for less than was promised halves that, or takes an eighth of
// it if it did not launch the kernel. What was in vain is tried again, after a dozen processes that did not open any.
constexpr Promise after(const Promise& before, const KernelUse& process) {
  const uint64_t less = !process.has_opened ? 0 : process.launched > 0 ? before.most / 2 : before.most / 8;
  Promise next{std::max(process.promising, before.most - less), before.vain};
  if (process.promising == 0) return next;
  if (!process.has_opened) next.vain -= next.vain / 16;
  if (process.in_parts >= process.promising / 4)
    next.vain = 0;
  else if (process.has_opened && process.had_parts)
    next.vain = std::max(before.vain, process.promising);
  return next;
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

// Whether a launch may wait for the compiling of its parts, which some drivers do in a kernel's first launch: where it
// gains as much at once, or launches have taken as long. All ns; took: as rent() says.
constexpr bool is_worth_compiling(uint64_t compiling, uint64_t took, uint64_t launch) {
  return std::max(launch / 2, took) >= compiling;
}

}  // namespace samcl
