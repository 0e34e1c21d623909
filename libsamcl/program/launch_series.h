// Launches of one kernel, one after the other, that differ in integers alone which grow by the same step from one to
// the next: plane by plane, row by row. Whether they are independent is found out once for thousands of them; those
// that wait for the driver may then run as one (commands/gathering.h).
//
// Pure logic, by values. Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/small_vector.h"
#include "contract/footprint/reach.h"
#include "contract/ndrange.h"

namespace samcl {

class Arguments;
struct Argument;

class LaunchSeries {
 public:
  // An integer argument of the kernel, of at most 8 bytes.
  struct Growing {
    uint32_t argument;
    uint32_t size;             // bytes
    uint64_t first, step = 0;  // of launch number 0, and from one to the next; modulo its size
    uint64_t last = 0;         // of the latest launch

    // A difference of such values, which may be negative.
    int64_t as_signed(uint64_t difference) const {
      const uint32_t unused = 64 - 8 * size;
      return static_cast<int64_t>(difference << unused) >> unused;
    }
  };

  // Takes note of a launch. may_grow: the arguments that may. Its number, where launches of the series are known to be
  // independent and it is one of them.
  std::optional<uint64_t> observe(const Arguments& arguments, const Ndrange& ndrange, bool has_local,
                                  std::span<const uint32_t> may_grow);

  // Whether the latest launch is one of a series of which it is worth while to find out whether it is independent: of
  // at least kLeast launches from number 0 on.
  bool is_in_question() const { return !is_independent() && confirmed_ >= kConfirmed && wait_ == 0; }
  static constexpr uint64_t kLeast = 32, kMost = 4096;
  // The answer: so many launches are. 0: they are not, as far as is known.
  void found(uint64_t launches, std::vector<Reach> reaches, std::vector<ReachPlace> places);

  bool is_independent() const { return launches_ > 0; }
  // Whether the launch of that number may change places with those of another kernel, from that number on.
  bool may_pass(uint64_t number, const LaunchSeries& other, uint64_t first, uint64_t count) const;
  // Of the latest launch, as observe() says.
  std::optional<uint64_t> number() const;
  std::span<const Growing> growing() const { return {growing_.data(), growing_.size()}; }
  // Changes with what the numbers mean.
  uint64_t version() const { return version_; }

 private:
  static constexpr uint32_t kConfirmed = 2;

  bool is_same_but_for_numbers(const Arguments& arguments, const Ndrange& ndrange, bool has_local) const;
  bool read(const Arguments& arguments);
  bool continues() const;
  void begin(const Arguments& arguments, const Ndrange& ndrange, bool has_local, std::span<const uint32_t> may_grow);
  void begin_again();
  void wait();
  void go_beyond();

  Ndrange ndrange_;
  bool has_local_ = false;
  SmallVector<Growing, 4> growing_;
  SmallVector<uint64_t, 4> values_;                   // of the launch that is looked at
  std::vector<std::weak_ptr<const Argument>> fixed_;  // the others, by index; empty: one of those that grow
  uint32_t confirmed_ = 0;                            // times in a row that they grew by these steps
  uint64_t launches_ = 0;                             // known to be independent; 0: none
  std::vector<Reach> reaches_;
  std::vector<ReachPlace> places_;
  uint64_t version_ = 0;
  // Where nothing came of it, so many launches are not looked at.
  uint32_t wait_ = 0, next_wait_ = kFirstWait;
  uint32_t beginnings_ = 0;  // since
  static constexpr uint32_t kFirstWait = 16, kLongestWait = 1 << 16, kManyBeginnings = 64;
};

}  // namespace samcl
