// How long a kernel computes, learned from its launches, by size: the work-items that have something to do.
//
// Whole and in parts apart: of what devices do beside each other, the sum may be more than what one of them takes for
// all, where they want the same memory (atomics on one counter). Parts that were found not to pay are tried again, ever
// later, in whatever process that is.
//
// Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>

namespace samcl {

// Launches of sizes within a factor of two are one class: the power of two that is not above the work-items.
inline size_t size_class(uint64_t work_items) { return static_cast<size_t>(std::bit_width(work_items | 1)) - 1; }

// What computing a launch takes, ns; 0: not known.
struct ComputingTimes {
  uint64_t whole = 0;  // on one device
  uint64_t parts = 0;  // in parts on several, summed over them
};

// Of the parts of launches of one class, for another process.
struct KnownParts {
  // Launches that are kept whole before parts are tried again; four times as many each time, until so many in a row ran
  // in parts.
  static constexpr uint32_t kStay = 16;

  double ns_per_item = 0;  // 0: not known
  uint32_t taken = 0;      // times
  uint32_t kept_whole = 0, stay = kStay;

  bool operator==(const KnownParts&) const = default;
};

class KernelTimes {
 public:
  enum class Ran : uint8_t { whole, in_parts };

  static constexpr uint32_t kStay = KnownParts::kStay;

  // A launch of so many work-items computed that long on one device, or, summed over them, on several.
  void took(uint64_t work_items, uint64_t ns, Ran ran = Ran::whole);

  // What a launch of so many work-items will take. In parts as whole until some were measured, and more than that only
  // if two were: many drivers compile in a first launch.
  ComputingTimes expect(uint64_t work_items) const;

  // The most that a launch of no more than so many work-items is known to take on one device, ns.
  uint64_t longest(uint64_t most_work_items) const;

  // A launch was kept whole since its parts were measured to take too long; or it runs in parts.
  void kept_whole(uint64_t work_items);
  void runs_in_parts(uint64_t work_items);

  // Whether the time of the next such launch should be taken exactly, which costs the driver more than the launch: the
  // first few, then some now and then. Asked once for each.
  bool wants_time(uint64_t work_items, Ran ran = Ran::whole);
  // The time of one of which that was said could not be taken.
  void was_not_timed(uint64_t work_items, Ran ran);
  // What wants_time() is going to say of the next one that runs whole.
  bool time_is_due(uint64_t work_items) const;

  // Launches took much longer than was expected: the times of the next ones are to be taken.
  void doubt();

  // How many of the work-items of a launch have something to do, if it writes so many bytes: as many as would write
  // these where all write most.
  uint64_t busy_items(uint64_t work_items, uint64_t written);

  // ns per work-item by size, as the power of two that is not above it: to be kept for another process.
  using BySize = std::map<unsigned, double>;
  struct Known {
    BySize whole;
    std::map<unsigned, KnownParts> in_parts;
    double written_per_item = 0;  // bytes, the most of any launch

    bool operator==(const Known&) const = default;
  };
  Known known() const;
  // What another process knew. Sizes that are out of bounds are passed over.
  void recall(const Known& times);

 private:
  struct Measured {
    std::atomic<double> ns_per_item{0};
    std::atomic<uint32_t> taken{0};  // times
    std::atomic<uint32_t> asked{0};  // launches of which wants_time() has been asked: many before the first has ended

    void took(double value);
  };
  // Launches of sizes within a factor of two.
  struct Class {
    Measured whole, in_parts;
    std::atomic<uint32_t> kept_whole{0}, in_parts_since{0}, stay{kStay};
  };
  Measured& measured(uint64_t work_items, Ran ran) {
    Class& here = classes_[size_class(work_items)];
    return ran == Ran::whole ? here.whole : here.in_parts;
  }
  std::array<Class, 64> classes_;
  std::atomic<double> written_per_item_{0};
};

}  // namespace samcl
