// How bytes that devices alone have can be computed again, should one be lost (SAMCL_SURVIVE): by which part of which
// launch, and from which bytes. Thanks to it what a launch writes need not be copied to host memory before it ends.
//
// What holds whenever no command is being planned: each defined byte of a buffer is in host memory, or a command in
// flight writes it, or exactly one part here wrote it. Nobody has changed since what that part read, which may be what
// another part here wrote: that one is made again first, and so on, kMostParts at most. Where a command is about to
// change that, what was written is brought to host memory before (Lineage::before()).
//
// All of it under the lock of the context's graph.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "libsamcl/objects/bytes.h"

namespace samcl {

class Command;
class Context;

// What a command uses of buffers. Images and shared virtual memory are left out: they stay with the first device.
class Uses {
 public:
  // place: where it needs what is defined of them.
  void read(const std::shared_ptr<Storage>& memory, std::span<const Range> ranges, Place place);
  void write(const std::shared_ptr<Storage>& memory, std::span<const Range> ranges);
  // Nobody knows what it uses.
  void may_be_anything() { is_anything_ = true; }

  bool is_anything() const { return is_anything_; }
  std::span<const Bytes> reads() const { return reads_; }
  Place place_of_read(size_t index) const { return places_[index]; }
  std::span<const Bytes> writes() const { return writes_; }

 private:
  std::vector<Bytes> reads_, writes_;
  std::vector<Place> places_;  // one for each of reads_
  bool is_anything_ = false;
};

// A launch in parts that wrote what it did not read: made again, parts of it write the same.
class Producer {
 public:
  virtual ~Producer() = default;
  // A command that does these parts on devices that are left. It keeps what it writes in host memory.
  virtual std::shared_ptr<Command> again(std::span<const size_t> parts) const = 0;
  // What a part read was overwritten before what it wrote was: next time that is better kept at once.
  virtual void was_kept() const = 0;
};

class Lineage {
 public:
  // A launch counts with each of its parts.
  static constexpr size_t kMostParts = 256;

  // A part has run. Nobody has changed since what it read, or wrote. Throws where there is no memory: then give_up().
  void add(std::shared_ptr<const Producer> producer, size_t part, std::vector<Bytes> reads, std::vector<Bytes> writes);

  // What has to be done, and to have ended, before a command is planned that uses that; nullptr: nothing more. Then
  // what that command overwrites is no longer known here. Throws where there is no memory; all is as it was then.
  std::shared_ptr<Command> before(Context& context, const Uses& next);
  // What before() gave has ended with an error.
  void failed(Context& context);
  // Some part is not known here: nothing is added any more, and no loss is survived that may be of what it wrote.
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
  size_t parts() const { return parts_.size(); }

  // What is no longer known: to be destroyed without the lock, as it may be the last to hold a memory object of which
  // the program wants to hear when it is gone.
  using Dropped = std::vector<std::shared_ptr<const void>>;
  void take_dropped(Dropped& to);

 private:
  struct Part {
    std::shared_ptr<const Producer> producer;
    size_t index;
    std::vector<Bytes> reads, writes;
    bool is_released = false;
  };

  static bool is_lost(const std::shared_ptr<Part>& part);
  std::shared_ptr<Command> compute_lost() const;
  std::vector<Bytes> to_keep(const Uses& next) const;
  template <typename IsOver>
  void drop_if(IsOver is_over);

  std::vector<std::shared_ptr<Part>> parts_;  // each after those that wrote what it read
  bool is_shaken_ = false;                    // directories have changed otherwise than by commands
  bool has_failed_ = false;
  Dropped dropped_;
};

}  // namespace samcl
