// Where the memory objects of a context are going to be needed, as an earlier process of the same program found out:
// what the program writes there can then go to the devices that will use it, before anything is launched.
//
// Objects are known by the order in which the program makes them, and by their size: programs do the same again. What
// is wrong about it costs time, and no bytes.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "libsamcl/coherence/directory.h"

namespace samcl {

struct Placement {
  uint64_t size = 0;   // bytes of the memory object
  Places devices = 0;  // that use it
  // Of what the program writes there, in order. What is in none of them is needed by no device.
  std::vector<Directory::Piece> needed = {};

  bool operator==(const Placement&) const = default;
};

class Placements {
 public:
  using ByNumber = std::map<uint32_t, Placement>;
  // Smaller memory objects are soon moved.
  static constexpr uint64_t kLeast = 1 << 20;

  // From now on memory objects count. known: what an earlier process kept; empty: this one is to find out.
  void begin(ByNumber known);

  // A memory object of so many bytes has been made: its number, from 0, and what is known of it. nullopt: it does not
  // count.
  struct Made {
    uint32_t number;
    std::optional<Placement> placement;  // on more than one device
  };
  std::optional<Made> made(uint64_t size);

  // Whether anything is.
  bool foresees() const;

  // Whether this process finds out. It does not go on for long: what repeats is learned elsewhere.
  bool learns() const;
  void stop_learning();
  // The memory object of that number is used like that, beside what was learned of it before; whether it is the first
  // use.
  bool learned(uint32_t number, const Placement& placement);
  // A launch that took `whole` ns on one device would have taken `placed` ns then; or it is too short for parts, and
  // this process has learned enough where many such follow one another. What to keep for another process, if that has
  // changed: nothing where in all it does not pay.
  std::optional<ByNumber> took(uint64_t whole, uint64_t placed);
  void took_short_time();
  // What is known does not help; whether that is news.
  bool give_up();

 private:
  // Launches that are looked at, the short ones of them, and what placing must save of their time, and ns.
  static constexpr unsigned kMostLaunches = 64, kMostShort = 8;
  static constexpr int64_t kLeastPart = 16, kLeastNs = 200'000;

  mutable std::mutex mutex_;  // guards what follows
  bool counts_ = false, learns_ = false, pays_ = false, gave_up_ = false;
  uint32_t next_ = 0;
  unsigned launches_ = 0, short_ones_ = 0;
  int64_t whole_ns_ = 0, saved_ns_ = 0;
  ByNumber known_, learned_;
};

}  // namespace samcl
