// How bytes that devices alone have can be computed again, should one be lost (SAMCL_SURVIVE): by which launches, or
// parts of launches, and from which bytes. Thanks to it what a launch writes need not be copied to host memory before
// it ends.
//
// What holds whenever no command is being planned: each defined byte of a buffer is in host memory, or a command in
// flight writes it, or exactly one Chain here wrote it. Nobody has changed since what that read, which may be what
// another one here wrote: that one is made again first, and so on. Where a command is about to change that, what was
// written is brought to host memory before (Lineage::before()).
//
// A launch that overwrites what it, or another one here, has read becomes one with these, if all of it is on one
// device: made again, they begin with what host memory had before the first of them. So nothing has to be copied for
// launches in place, nor for two buffers in turn: the host copy's old bytes are what their inputs are kept in. They
// stay until all that the chain wrote is there, which replaces them at once. What lies elsewhere may go there alone.
//
// Where others need some of it (a halo), or are about to overwrite what it has read of theirs, and host memory has what
// it is made again from, that is copied aside before, with the run that it is for: messages are logged, in the words of
// the literature on recovery (Elnozahy et al., ACM Computing Surveys 34 (2002)), and the host copy is the checkpoint.
// So chains of several devices that read of each other in turn do not depend on each other. No chain has more copied
// aside than half of what it wrote: rather all of that goes to the host then.
//
// All of it under the lock of the context's graph.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "libsamcl/coherence/directory.h"
#include "libsamcl/objects/bytes.h"

namespace samcl {

class Command;
class Context;

// What knows how to make parts of a launch again.
class Producer {
 public:
  virtual ~Producer() = default;
  // A command that does that part on a device that is left, and leaves there what it writes.
  virtual std::shared_ptr<Command> again(size_t part, unsigned device) const = 0;
  // What a part read was overwritten before what it wrote was, and could not be one with what did it: next time that is
  // better kept at once.
  virtual void was_kept() const = 0;
};

// A part of a launch, or all of it, on a device.
struct Run {
  std::shared_ptr<const Producer> producer;
  size_t part;
  unsigned device;
  // Made again from what it reads, it is proven to write the same bytes. Else what depends on one of its bytes must not
  // be older than the others: they are kept together.
  bool is_exact;
  std::vector<Bytes> reads, writes;  // reads: also what it may leave as it is of what it writes
};

// Runs that followed each other on one device.
struct Chain {
  unsigned device = 0;
  std::vector<std::shared_ptr<const Run>> runs;  // at least one
  std::vector<Bytes> reads, writes;              // reads: but for what it writes itself, and what is saved
  // Of what it writes and has to find as it was: what host memory has there, which is still the old bytes.
  struct Old {
    Bytes bytes;
    Place at;          // kHost or kZeros
    uint64_t changes;  // Storage::host_changes()
    size_t since;      // the first run that may find it so
  };
  std::vector<Old> before;
  // Of what it reads, or has to find as it was: copies of what is no longer in host memory.
  struct Saved {
    Bytes bytes;
    std::vector<std::byte> copy;  // of all ranges, one after the other; zeros have none
    bool is_zeros;
    size_t since, until;  // those of its runs that may find it so
  };
  std::vector<Saved> saved;
  bool is_released = false;
  bool is_in_flight = true;                       // the last run has not ended
  std::vector<std::shared_ptr<Chain>> continued;  // while it has not: what it was without that run
  uint64_t number = 0;                            // its place among the others
  std::vector<const Storage*> memories;           // of all its runs; some twice
};

// What a command uses of buffers. Images and shared virtual memory are left out: they stay with the first device.
class Uses {
 public:
  // place: where it needs what is defined of them.
  void read(const std::shared_ptr<Storage>& memory, std::span<const Range> ranges, Place place);
  void write(const std::shared_ptr<Storage>& memory, std::span<const Range> ranges);
  // Nobody knows what it uses.
  void may_be_anything() { is_anything_ = true; }
  // These runs are all of it, and leave on their devices what they write. They live as long as this.
  void runs_are(std::span<const Run> runs) { runs_ = runs; }

  bool is_anything() const { return is_anything_; }
  std::span<const Bytes> reads() const { return reads_; }
  Place place_of_read(size_t index) const { return places_[index]; }
  std::span<const Bytes> writes() const { return writes_; }
  std::span<const Run> runs() const { return runs_; }

 private:
  std::vector<Bytes> reads_, writes_;
  std::vector<Place> places_;  // one for each of reads_
  std::span<const Run> runs_;
  bool is_anything_ = false;
};

struct Saving;

class Lineage {
 public:
  // Of all chains, and of one: what is longer takes long to make again.
  static constexpr size_t kMostRuns = 256, kLongestChain = 64;
  // Nothing is copied aside for chains that wrote less, in all, as one more command takes longer than all these bytes.
  static inline uint64_t least_saved = 512 << 10;

  // What has to be done, and to have ended, before a command is planned that uses that; or it has to wait until what is
  // in flight has ended. Neither: it is to be planned now, and what it overwrites is no longer known here. Throws where
  // there is no memory; all is as it was then.
  struct First {
    std::shared_ptr<Command> command;
    bool waits = false;
  };
  First before(Context& context, const Uses& next);
  // What before() gave has ended with an error.
  void failed(Context& context);

  // The runs of that command begin, before directories say what they write. Throws where there is no memory: then
  // give_up().
  using Begun = std::vector<std::shared_ptr<Chain>>;  // one for each run
  Begun begin(std::span<const Run> runs);
  // It has run, and its bytes are on its device, if that is not lost; or else (is_done) it has not happened. Does not
  // throw.
  void ended(const std::shared_ptr<Chain>& begun, bool is_done);
  // Some run is not known here: nothing is added any more, and no loss is survived that may be of what it wrote.
  void give_up() { has_failed_ = true; }

  // A device is lost, and directories have forgotten what it had. False: there may be bytes of which nobody knows how
  // to compute them again.
  bool device_lost() {
    is_shaken_ = true;
    return !has_failed_;
  }
  // The program has released a memory object on these bytes. True: before() has something to do about it.
  bool released(const Storage& memory);

  // Whether launches may be added.
  bool is_at_work() const { return !has_failed_; }
  size_t chains() const { return chains_.size(); }
  size_t runs() const { return runs_; }

  // What is no longer known: to be destroyed without the lock, as it may be the last to hold a memory object of which
  // the program wants to hear when it is gone.
  using Dropped = std::vector<std::shared_ptr<const void>>;
  void take_dropped(Dropped& to);

 private:
  using Chains = std::vector<std::shared_ptr<Chain>>;

  void enter(const std::shared_ptr<Chain>& chain);
  void leave(const std::shared_ptr<Chain>& chain);
  Chains all() const;
  template <typename Is>
  Chains those_using(std::span<const Bytes> some, Is is) const;
  Chains touched(const Uses& next) const;
  bool looks_at_all(const Uses& next) const;
  void look_at_changed(const Context& context);
  First compute_lost(Context& context);
  First keep(const Uses& next, const Chains& some) const;
  template <typename IsKept>
  First keep(const Chains& some, std::vector<Bytes> needed, std::vector<Saving> savings, IsKept is_kept) const;
  Chains continued(const Run& run, const Chains& superseded, const Chains& saved) const;
  bool may_continue(const Uses& next, const Chains& superseded, const Chains& saved) const;
  void settle(const std::shared_ptr<Chain>& ended, bool is_done);
  template <typename IsOver>
  void drop_if(IsOver is_over);

  std::map<uint64_t, std::shared_ptr<Chain>> chains_;  // each after those that wrote what it read
  std::unordered_map<const Storage*, std::map<uint64_t, std::shared_ptr<Chain>>> by_memory_;
  uint64_t last_number_ = 0;
  size_t runs_ = 0;         // of all
  bool is_shaken_ = false;  // directories have changed otherwise than by commands
  Chains changed_;          // these perhaps have, or the directories of what they wrote
  bool any_released_ = false;
  uint64_t host_changes_ = 0;  // Storage::all_host_changes() when it was seen that all of them were intact
  bool has_failed_ = false;
  Dropped dropped_;
};

}  // namespace samcl
