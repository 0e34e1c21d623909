// Whether the launches of a context run whole, on its first device, or are split: found out without losing by it.
//
// Two ways to run the program are followed side by side. On the whole way every launch runs on one device. On the split
// way each launch takes what is cheaper there and then: its parts on all devices, with the bytes that these need from
// each other, or one device after all. One of the two is taken; the other is only simulated, on directories of its own
// (Storage::other_directory()). What the taken way would have cost less on the other one is summed up, and once that is
// more than going over costs, the program goes over: never much more is lost than the better way could have saved
// (the rent-or-buy rule). Predictions come from measured kernel times and the rates of transports.
//
// Predictions may be wrong, and programs repeat themselves. So the time of each sequence, the launches between two
// waits of the program, is kept by what it launches; one that was slower on the split way than on the whole one takes
// the program back there, and keeps it there ever longer. While one was faster there, launches of the next stay split
// though a little more is predicted for that. Where predictions alone send it back and forth, the next going over must
// win ever more.
//
// Guarded by the lock of the context's graph.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <unordered_map>

namespace samcl {

// What it takes to start parts on several devices of this machine, and to wait for all of them, ns.
constexpr uint64_t kHandOver = 25'000;

// Of a range of an exchange that is neither alone nor one of rows: a command of its own.
constexpr uint64_t kRangeNs = 5'000;

// What moving bytes costs, and starting work there.
struct TransferRates {
  double host = 8;            // bytes/ns between host and a device
  double exchange = 4;        // bytes/ns from device to device
  uint64_t latency = 40'000;  // ns of one exchange
  uint64_t hand_over = kHandOver;
  // ns that it takes to give a part to its device, with what it needs of another one, and one between two others, of
  // which it needs both: so often launches follow each other, if their ends are not waited for.
  uint64_t part = 0, inner_part = 0;
  uint64_t giving_ns(size_t parts, bool need_others) const {
    return need_others && parts > 2 ? 2 * part + (parts - 2) * inner_part : parts * part;
  }
  uint64_t range = kRangeNs;
  // bytes/ns between host and all devices together
  double uplink = std::numeric_limits<double>::infinity();
};

// What one launch will cost, ns; both as if the program had taken that way all the time.
struct LaunchCosts {
  uint64_t whole = 0;
  uint64_t split = 0;
};

class Ways {
 public:
  enum class Way : uint8_t { whole, split };

  Way taken() const { return taken_.load(std::memory_order_relaxed); }  // any thread
  // Changes with every change of ways: what was simulated before counts no more.
  uint64_t epoch() const { return epoch_; }
  // Whether the split way has ever split anything: before, both are the same.
  bool differ() const { return differ_; }
  void split_way_splits() { differ_ = true; }

  // The split way is taken, and the last sequence has been seen to take longer on the whole one.
  bool splits_faster() const { return splits_faster_; }

  // Parts are for another number of devices from now on: what is known of them, and of the other way, counts no more.
  // Where they did not pay, they may be tried at once.
  void parts_change();

  // A launch is planned that costs this; going over at it would take so long, or is not to be. Perhaps goes over.
  static constexpr uint64_t kNotHere = UINT64_MAX / 2;
  void add(const LaunchCosts& costs, uint64_t going_over);

  // Whether the next launch is the first of a sequence; how many there were.
  bool begins() const { return launches() == 0; }
  uint64_t launches() const { return sequence_.launches; }
  // A launch of so many work-items was planned, at that time, ns, which only counts if it is the first.
  void planned(uint64_t work_items, uint64_t now);
  // The program has waited for all of that: the sequence is over.
  void waited(uint64_t now);

  // Predictions err: what is to be won by going over must be more than it costs by that, ns; after every return by four
  // times as much, until a sequence was faster split.
  static constexpr uint64_t kMargin = 100'000;

  // How much less the other way would have cost by now, ns.
  uint64_t lost() const { return lost_; }

 private:
  std::atomic<Way> taken_ = Way::whole;
  uint64_t epoch_ = 0;
  uint64_t lost_ = 0;
  bool differ_ = false;

  // The launches since the program last waited.
  struct Sequence {
    uint64_t content = 0;  // hash of what was launched
    uint64_t began = 0;    // ns
    uint64_t launches = 0;
    uint64_t whole = 0;   // ns that it was predicted to take on the whole way
    bool one_way = true;  // all of it ran on the way that is taken now
  };
  // Of all sequences of one content.
  struct Times {
    uint64_t whole = 0, split = 0;  // ns, the least seen; 0: none
  };
  void go_over();
  void begin_anew();  // to sum up, and to follow the other way

  Sequence sequence_;
  std::unordered_map<uint64_t, Times> times_;
  bool splits_faster_ = false;
  unsigned slower_ = 0;  // so many in a row were not, after all
  uint64_t margin_ = kMargin;
  uint64_t stays_ = 0;  // sequences until the split way may be tried again
  uint64_t next_stay_ = 16;
};

}  // namespace samcl
