// How a launch could run: as the program's own kernel in one piece, or in parts on several devices. Values, made from
// what the program asked for and what the translator found out; which of the two is taken is decided when the launch is
// planned (cost/).
#pragma once

#include <memory>
#include <string_view>

#include "contract/ndrange.h"
#include "libsamcl/plan/accesses.h"
#include "libsamcl/program/kernel.h"

namespace samcl {

// Work-items that stay together where the local size is the driver's to choose.
constexpr uint64_t kFreeGroup = 64;

// Ranges that one part reads or writes of a memory object beyond which it is not worth looking whether each has been
// changed.
constexpr size_t kMostFollowed = 64;

// What the program asked for, already checked.
struct LaunchRequest {
  std::shared_ptr<Kernel> kernel;
  std::shared_ptr<const Arguments> arguments;
  Ndrange ndrange;         // local is meaningful if has_local
  bool has_local = false;  // the program gave a local size
  // Shared virtual memory that the kernel may use without its being an argument: all there is, if it follows addresses.
  std::vector<std::shared_ptr<Buffer>> reachable;
};

struct LaunchPlan {
  Ndrange ndrange;             // with the local size that runs, where it is known
  bool pass_local = false;     // give ndrange.local to the driver
  bool original = true;        // the program's own kernel, in one piece
  bool is_bound = false;       // to memory that only the first device has
  SmallVector<Part, 1> parts;  // at least one
  // By part, how many times as fast its device computes this kernel as the first one, or as the one that holds memory
  // for all; empty: all are alike.
  SmallVector<double, 1> speeds;
  // How much of the work the part with most has, of 1; 0: as many as it has work-groups.
  double most_work = 0;
  BufferAccesses accesses;
  bool is_tried = false;  // to find out how fast devices are
  // Bytes that each part writes; empty: not known of all parts.
  SmallVector<uint64_t, 1> written;
  // Bytes that few work-groups need of other devices may pass while the others compute (plan/layers.h).
  bool may_overlap = false;
  // A device may run pieces of another one's part: all compute in one memory, or, of devices that are not alike, what
  // each part writes is known.
  bool may_share = false;
  size_t layers = 0;  // so many parts, the first ones, exchange bytes with other devices, and the others do not

  bool is_split() const { return parts.size() > 1; }
  bool merges() const;
  // Parts use what one device holds for all.
  bool is_held() const;
  unsigned cut_dimension() const;
  // Of that dimension.
  Covered covered(const GroupBox& box) const;
};

// Why a launch that may be split was not.
inline constexpr char kWholeIsFaster[] = "faster on one device";
inline constexpr char kBesideOthers[] = "other queues' launches keep the other devices busy";
inline constexpr char kPartsMayNotPay[] = "too short, or too new, to know that parts pay";
inline constexpr char kNotHeld[] = "no device has memory for it that the others could use";
inline constexpr char kOtherBytes[] = "gives other bytes on devices that are not alike";
inline constexpr char kTested[] = "was tested on devices that are not alike, and ran on the first kind";
inline constexpr char kNotTested[] = "no self-test has shown devices that are not alike to give the same bytes";

// Both ways to run a launch.
struct LaunchOptions {
  LaunchPlan whole;
  std::unique_ptr<LaunchPlan> split;   // on all devices in use; nullptr: it must not
  std::string_view why_not_split;      // then; empty otherwise. Lives as long as the kernel
  std::unique_ptr<LaunchPlan> sliced;  // the whole, as one that can be sliced; nullptr: it cannot, or need not
};

// What is of interest: to find out what each part would need takes longer than a short kernel.
enum class Interest : uint8_t { whole, parts };
// Under a manager, what the whole is, where that can be: one that can be sliced; or the program's own kernel, which
// may turn out to have to be.
enum class OnePiece : uint8_t { original, may_be_sliced, sliced };
LaunchOptions options_of(const LaunchRequest& request, const Context& context, Interest interest,
                         OnePiece piece = OnePiece::original);

// Bytes that all of it writes; 0: not known.
uint64_t written_by(const LaunchRequest& request, const Context& context);

// In parts on devices 0 to devices - 1 of an imagined machine, all as fast as the first one; nullptr: it must not.
std::unique_ptr<LaunchPlan> plan_on(const LaunchRequest& request, const Context& context, unsigned devices);

// Work-items of a launch.
inline uint64_t work_items(const Ndrange& ndrange) { return ndrange.global[0] * ndrange.global[1] * ndrange.global[2]; }

}  // namespace samcl
