#include "libsamcl/objects/lineage.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <utility>

#include "libsamcl/objects/at_once.h"
#include "libsamcl/objects/command.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/planner.h"
#include "libsamcl/observe/traffic.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

using ChainPtr = std::shared_ptr<Chain>;

constexpr Places kAtHost = only(kHost) | only(kZeros);

bool is_at_host(const Places places) { return (places & kAtHost) != 0; }

// What of these bytes is defined, but neither there nor in host memory.
std::vector<Bytes> missing(const Bytes& bytes, Place place) {
  std::vector<Range> ranges;
  for (const Range& range : bytes.ranges)
    for (const auto& piece : bytes.memory->directory().missing(range, place))
      if (!is_at_host(piece.valid)) ranges.push_back(piece.range);
  if (ranges.empty()) return {};
  return {Bytes(bytes.memory, ranges)};
}
std::vector<Bytes> missing_at_host(std::span<const Bytes> all) {
  std::vector<Bytes> found;
  for (const Bytes& bytes : all) add(found, missing(bytes, kHost));
  return found;
}

template <typename Is>
bool all_pieces(std::span<const Bytes> all, Is is) {
  return std::ranges::all_of(all, [&](const Bytes& bytes) {
    return std::ranges::all_of(bytes.ranges, [&](const Range& range) {
      return std::ranges::all_of(bytes.memory->directory().pieces(range),
                                 [&](const auto& piece) { return is(piece.valid); });
    });
  });
}

// lost: devices. Some of what was there may be on others, too, for those that read it.
bool is_lost(const Chain& chain, Places lost) {
  return contains(lost, chain.device) || !all_pieces(chain.writes, [](Places valid) { return valid != 0; });
}

// Whether host memory still has what it is made again from.
bool is_intact(const Chain& chain) {
  return std::ranges::all_of(chain.before,
                             [](const auto& old) { return old.bytes.memory->host_changes() == old.changes; });
}

bool contains(const std::vector<ChainPtr>& all, const ChainPtr& chain) {
  return std::ranges::find(all, chain) != all.end();
}

// Whether one of these reads what that one wrote.
bool reads_of(const std::vector<ChainPtr>& some, const Chain& chain) {
  return std::ranges::any_of(some, [&](const ChainPtr& each) { return overlap(each->reads, chain.writes); });
}

std::span<const Bytes> only_these(const Bytes& bytes) { return {&bytes, 1}; }

// These bytes, which the chain reads as they are now, by the first of its runs that may: what is saved was read before
// it was overwritten.
template <typename Found>
void by_first_run(const Chain& chain, const Bytes& bytes, Found found) {
  std::vector<Bytes> left;
  if (!bytes.ranges.empty()) left.push_back(bytes);
  for (auto saved = chain.saved.rbegin(); saved != chain.saved.rend() && !left.empty(); ++saved) {
    for (Bytes& both : common(left, only_these(saved->bytes))) found(std::move(both), saved->until);
    left = without(left, only_these(saved->bytes));
  }
  for (Bytes& rest : left) found(std::move(rest), 0);
}

// What of them is in host memory, and what is zeros.
struct AtHost {
  explicit AtHost(const Bytes& bytes) : copies(bytes.memory, {}), zeros(bytes.memory, {}) {
    for (const Range& range : bytes.ranges) {
      for (const auto& piece : bytes.memory->directory().pieces(range)) {
        if (!is_at_host(piece.valid)) continue;
        (samcl::contains(piece.valid, kZeros) ? zeros : copies).ranges.push_back(piece.range);
      }
    }
  }
  Bytes copies, zeros;
};

// What has to be found as it was of these bytes, which are written for the first time here.
void keep_old(Chain& chain, std::span<const Bytes> first_written) {
  for (const Bytes& bytes : first_written) {
    const auto keep = [&](const Bytes& at_host, Place at) {
      by_first_run(chain, at_host, [&](Bytes old, size_t since) {
        chain.before.push_back({std::move(old), at, bytes.memory->host_changes(), since});
      });
    };
    const AtHost at_host(bytes);
    keep(at_host.copies, kHost);
    keep(at_host.zeros, kZeros);
  }
}

// With those of that run, each once.
void add_memories(std::vector<const Storage*>& all, const Run& run) {
  for (const std::vector<Bytes>* some : {&run.reads, &run.writes})
    for (const Bytes& bytes : *some)
      if (std::ranges::find(all, bytes.memory.get()) == all.end()) all.push_back(bytes.memory.get());
}

// The chain is that, and one run more.
void extend(Chain& chain, const Run& run) {
  const std::vector<Bytes> first_written = without(run.writes, chain.writes);
  if (overlap(run.reads, first_written) || overlap(chain.reads, first_written)) keep_old(chain, first_written);
  add(chain.writes, run.writes);
  add(chain.reads, run.reads);
  chain.reads = without(chain.reads, chain.writes);
  chain.runs.push_back(std::make_shared<Run>(run));
  add_memories(chain.memories, run);
}
void extend(Chain& chain, const Chain& by) {
  const size_t runs = chain.runs.size();
  for (Chain::Old old : by.before) {
    old.since += runs;
    chain.before.push_back(std::move(old));
  }
  for (Chain::Saved saved : by.saved) {
    saved.since += runs;
    saved.until += runs;
    chain.saved.push_back(std::move(saved));
  }
  add(chain.writes, by.writes);
  add(chain.reads, by.reads);
  chain.runs.insert(chain.runs.end(), by.runs.begin(), by.runs.end());
  chain.memories.insert(chain.memories.end(), by.memories.begin(), by.memories.end());
  chain.is_released |= by.is_released;
}

// Whether, made again one after the other, these find what they read: none reads what a later one wrote, nor what
// others have overwritten since.
bool may_be_one(const std::vector<ChainPtr>& chains) {
  for (size_t i = 0; i < chains.size(); ++i) {
    for (size_t k = 0; k < chains.size(); ++k) {
      if (i == k) continue;
      if (i < k && overlap(chains[i]->reads, chains[k]->writes)) return false;
      for (const Chain::Saved& saved : chains[i]->saved) {
        const auto its = only_these(saved.bytes);
        if (overlap(chains[k]->reads, its) || overlap(chains[k]->writes, its)) return false;
        for (const Chain::Saved& other : chains[k]->saved)
          if (overlap(only_these(other.bytes), its)) return false;
      }
    }
  }
  return true;
}

}  // namespace

// What a chain is made again from, to be copied aside before host memory has it no longer.
struct Saving {
  ChainPtr chain;
  Chain::Saved saved;
};

namespace {

// Whether so much may be copied aside for that chain, too. least: as Lineage::least_saved.
bool may_save(const std::vector<Saving>& savings, const ChainPtr& chain, uint64_t more, uint64_t least) {
  for (const Chain::Saved& saved : chain->saved) more += saved.copy.size();
  for (const Saving& saving : savings)
    if (saving.chain == chain && !saving.saved.is_zeros) more += size_of(only_these(saving.saved.bytes));
  const uint64_t all = size_of(chain->writes);
  return all >= least && more <= all / 2;
}

// Adds what has to be saved of what the chain reads. False: that can't be done.
bool save_reads(std::vector<Saving>& savings, const ChainPtr& chain, const std::vector<Bytes>& what, uint64_t least) {
  if (!all_pieces(what, is_at_host) || !may_save(savings, chain, size_of(what), least)) return false;
  for (const Bytes& bytes : what) {
    const AtHost at_host(bytes);
    for (const Bytes* each : {&at_host.copies, &at_host.zeros}) {
      by_first_run(*chain, *each, [&](Bytes read, size_t since) {
        savings.push_back({chain, {std::move(read), {}, each == &at_host.zeros, since, chain->runs.size()}});
      });
    }
  }
  return true;
}

// Whether what the chain wrote of these bytes goes to host memory alone, and what has to be saved then of what they
// would replace. Else all of it goes there at once: it is made again from what they would replace; or, made again, it
// may write others, which those that depend on these must not be older than.
bool goes_alone(std::vector<Saving>& savings, const ChainPtr& chain, std::span<const Bytes> kept, bool is_all,
                uint64_t least) {
  if (!std::ranges::all_of(chain->runs, [](const auto& run) { return run->is_exact; })) return false;
  std::vector<Saving> replaced;
  uint64_t size = 0;
  for (const Chain::Old& old : chain->before) {
    if (old.at == kZeros) continue;
    for (Bytes& both : common(only_these(old.bytes), kept)) {
      size += size_of(only_these(both));
      replaced.push_back({chain, {std::move(both), {}, false, old.since, chain->runs.size()}});
    }
  }
  if (replaced.empty()) return true;
  if (is_all || !may_save(savings, chain, size, least)) return false;
  std::ranges::move(replaced, std::back_inserter(savings));
  return true;
}

// Those of which nothing is needed any more when that command has written: it overwrites them unread, and so it does
// all that was computed from them.
std::vector<ChainPtr> superseded(const std::vector<ChainPtr>& some, const Uses& next) {
  std::vector<ChainPtr> over, left;
  for (size_t i = some.size(); i-- > 0;) {  // who reads what another wrote comes after it
    const ChainPtr& chain = some[i];
    const bool is_over = overlap(chain->writes, next.writes()) && !overlap(chain->writes, next.reads()) &&
                         are_among(chain->writes, next.writes()) && !reads_of(left, *chain);
    (is_over ? over : left).push_back(chain);
  }
  return over;
}

// What others are about to change of what chains have read. Those of which all of that is saved.
std::vector<ChainPtr> save_what_changes(std::vector<Saving>& savings, const std::vector<ChainPtr>& some,
                                        const Uses& next, const std::vector<ChainPtr>& superseded, uint64_t least) {
  std::vector<ChainPtr> saved;
  for (const ChainPtr& chain : some) {
    if (contains(superseded, chain)) continue;
    std::vector<Bytes> changed;
    for (const Run& run : next.runs())
      if (run.device != chain->device) add(changed, common(chain->reads, run.writes));
    if (!changed.empty() && save_reads(savings, chain, changed, least)) saved.push_back(chain);
  }
  return saved;
}

// The chain is made again from that, and not from what host memory has.
void use_saved(Chain& chain, Chain::Saved saved) {
  const auto its = only_these(saved.bytes);
  std::vector<Chain::Old> before;
  for (const Chain::Old& old : chain.before)
    for (Bytes& rest : without(only_these(old.bytes), its))
      before.push_back({std::move(rest), old.at, old.changes, old.since});
  std::vector<Bytes> reads = without(chain.reads, its);
  chain.saved.push_back(std::move(saved));
  chain.before = std::move(before);
  chain.reads = std::move(reads);
}

// Brings bytes from the devices that have them to host memory, and what chains wrote that are kept whole; before that,
// copies aside what is saved. Nothing else is planned meanwhile.
class Keep : public Command, public std::enable_shared_from_this<Keep> {
 public:
  Keep(std::vector<Bytes> what, const std::vector<ChainPtr>& whole, std::vector<Saving> savings)
      : what_(std::move(what)), savings_(std::move(savings)) {
    for (const ChainPtr& chain : whole) whole_.emplace_back(chain->device, missing_at_host(chain->writes));
  }

  cl_int plan(Planner& planner, const std::shared_ptr<Event>& event) override {
    context_ = event->context.get();
    lost_ = context_->lost();
    event->set_running();
    if (!savings_.empty()) plan_savings(planner);
    for (const Bytes& bytes : what_) plan_one(planner, bytes);
    for (Whole& each : whole_) {
      bring_at_once(planner, *context_, each.device, each.bytes, program_traffic(),
                    [self = shared_from_this(), &each] { each.arrived = true; });
    }
    return CL_SUCCESS;
  }

  // Only now is it surely there.
  void ended(cl_int error) override {
    note_arrived();
    if (error != CL_SUCCESS) return;
    for (const Bytes& bytes : what_)
      for (const Range& range : bytes.ranges) bytes.memory->directory().copied(range, kHost);
  }

  // Some of it was lost: whoever wants it kept asks again.
  std::shared_ptr<Command> again() override {
    if (!context_ || context_->lost() == lost_) return nullptr;
    note_arrived();
    return std::make_shared<EmptyCommand>();
  }

 private:
  void plan_savings(Planner& planner) {
    Planner::Accesses accesses;
    for (const Saving& saving : savings_)
      if (!saving.saved.is_zeros)
        for (const Range& range : saving.saved.bytes.ranges)
          accesses.push_back({saving.saved.bytes.memory, kHost, range, false});
    const auto save = [self = shared_from_this()] {
      for (Saving& saving : self->savings_)
        if (!saving.saved.is_zeros && !copy_aside(saving.saved)) return CL_OUT_OF_HOST_MEMORY;
      self->is_saved_ = true;
      return CL_SUCCESS;
    };
    planner.add({engine::LaneKind::host, 0}, engine::HostCall{save}, std::move(accesses));
  }

  static bool copy_aside(Chain::Saved& saved) {
    const std::byte* const host = saved.bytes.memory->host();
    if (!host) return false;
    saved.copy.reserve(size_of(only_these(saved.bytes)));
    for (const Range& range : saved.bytes.ranges)
      saved.copy.insert(saved.copy.end(), host + range.begin, host + range.end);
    return true;
  }

  void plan_one(Planner& planner, const Bytes& bytes) const {
    std::map<Place, std::vector<Range>> from;
    for (const Range& range : bytes.ranges)
      for (const auto& piece : bytes.memory->directory().missing(range, kHost))
        if (!is_at_host(piece.valid)) from[lowest(piece.valid)].push_back(piece.range);
    for (auto& [place, ranges] : from) {
      Planner::Accesses accesses;
      for (const Range& range : ranges) {
        accesses.push_back({bytes.memory, place, range, false});
        accesses.push_back({bytes.memory, kHost, range, true});
      }
      engine::Exchange exchange{bytes.memory, place, kHost, std::move(ranges), &program_traffic()};
      const engine::Lane lane = transfer_lane(place, kHost, engine::bytes_of(exchange));
      planner.add(lane, std::move(exchange), std::move(accesses));
    }
  }

  // That came: the old bytes are no longer there, whatever else has failed. Perhaps its device is lost since.
  void note_arrived() {
    if (is_saved_)
      for (Saving& saving : std::exchange(savings_, {})) use_saved(*saving.chain, std::move(saving.saved));
    for (const Whole& each : whole_) {
      if (!each.arrived) continue;
      for (const Bytes& bytes : each.bytes)
        for (const Range& range : bytes.ranges)
          for (const auto& piece : bytes.memory->directory().pieces(range))
            bytes.memory->directory().written(piece.range, piece.valid | only(kHost));
    }
  }

  struct Whole {
    Whole(unsigned on, std::vector<Bytes> what) : device(on), bytes(std::move(what)) {}
    const unsigned device;
    const std::vector<Bytes> bytes;
    std::atomic<bool> arrived{false};
  };
  const std::vector<Bytes> what_;
  std::vector<Saving> savings_;
  std::atomic<bool> is_saved_{false};
  std::deque<Whole> whole_;
  const Context* context_ = nullptr;
  Places lost_ = 0;  // when it was planned
};

// What is saved and is not what the chain itself wrote.
std::vector<Bytes> saved_of_others(const Chain& chain) {
  std::vector<Bytes> all;
  for (const Chain::Saved& saved : chain.saved) add(all, only_these(saved.bytes));
  return without(all, chain.writes);
}

// Makes lost chains again, on devices that are left, in the order in which they were made. Nothing else is planned
// meanwhile.
class MakeAgain : public Command {
 public:
  explicit MakeAgain(std::vector<ChainPtr> lost) : chains_(std::move(lost)) {}

  cl_int plan(Planner& planner, const std::shared_ptr<Event>& event) override {
    context_ = event->context.get();
    lost_ = context_->lost();
    const auto devices = context_->devices_in_use();
    for (const ChainPtr& chain : chains_) note_pieces(own_, chain->writes);
    for (size_t i = 0; i < chains_.size(); ++i) {
      Chain& chain = *chains_[i];
      chain.device = devices[i % devices.size()];
      if (const cl_int error = plan_one(planner, event, chain); error != CL_SUCCESS) return error;
    }
    // What host memory had of it is the same bytes.
    for (const Piece& was : own_)
      for (const auto& piece : was.memory->directory().pieces(was.range))
        was.memory->written(piece.range, piece.valid | (was.valid & kAtHost));
    return CL_SUCCESS;
  }

  void ended(cl_int error) override {
    if (error != CL_SUCCESS) undo();
  }

  // Another device was lost: who needs them asks again.
  std::shared_ptr<Command> again() override {
    if (!context_ || context_->lost() == lost_) return nullptr;
    undo();
    return std::make_shared<EmptyCommand>();
  }

 private:
  struct Piece {
    std::shared_ptr<Storage> memory;
    Range range;
    Places valid;
  };
  static void note_pieces(std::vector<Piece>& pieces, std::span<const Bytes> all) {
    for (const Bytes& bytes : all)
      for (const Range& range : bytes.ranges)
        for (const auto& piece : bytes.memory->directory().pieces(range))
          pieces.push_back({bytes.memory, piece.range, piece.valid});
  }

  // Runs find what is saved until others have overwritten it; then, and afterwards, directories say what they said
  // before, but for the device.
  cl_int plan_one(Planner& planner, const std::shared_ptr<Event>& event, const Chain& chain) {
    std::vector<Piece> others;
    note_pieces(others, saved_of_others(chain));
    cl_int error = CL_SUCCESS;
    for (size_t run = 0; run < chain.runs.size() && error == CL_SUCCESS; ++run) {
      for (const Chain::Saved& saved : chain.saved)
        if (saved.until == run) find_as_it_is(others, chain.device, saved.bytes);
      find_as_it_was(planner, chain, run);
      launches_.push_back(chain.runs[run]->producer->again(chain.runs[run]->part, chain.device));
      error = launches_.back()->plan(planner, event);
    }
    for (const Piece& was : others) was.memory->written(was.range, was.valid & ~only(chain.device));
    return error;
  }

  static void find_as_it_is(const std::vector<Piece>& others, unsigned device, const Bytes& bytes) {
    for (const Piece& was : others) {
      if (was.memory != bytes.memory) continue;
      for (const Range& range : bytes.ranges) {
        const Range both = intersect(was.range, range);
        if (!both.empty()) was.memory->written(both, was.valid & ~only(device));
      }
    }
  }

  static void find_as_it_was(Planner& planner, const Chain& chain, size_t run) {
    for (const Chain::Old& old : chain.before)
      if (old.since == run)
        for (const Range& range : old.bytes.ranges) old.bytes.memory->written(range, only(old.at));
    for (const Chain::Saved& saved : chain.saved) {
      if (saved.since != run) continue;
      const std::shared_ptr<Storage>& memory = saved.bytes.memory;
      size_t at = 0;
      for (const Range& range : saved.bytes.ranges) {
        memory->written(range, only(saved.is_zeros ? kZeros : chain.device));
        if (saved.is_zeros) continue;
        // Only read.
        auto* const copy = const_cast<std::byte*>(saved.copy.data() + std::exchange(at, at + range.size()));
        engine::ProgramCopy put{{memory, chain.device},
                                Rectangle::run(range.begin, range.size()),
                                copy,
                                Rectangle::run(0, range.size()),
                                false,
                                &program_traffic()};
        planner.add(transfer_lane(kHost, chain.device, range.size()), std::move(put),
                    {{memory, chain.device, range, true}});
      }
    }
  }

  // They are as lost as before.
  void undo() {
    for (const Piece& was : own_) was.memory->written(was.range, was.valid & kAtHost);
  }

  const std::vector<ChainPtr> chains_;
  std::vector<Piece> own_;  // what they wrote, before
  std::vector<std::shared_ptr<Command>> launches_;
  const Context* context_ = nullptr;
  Places lost_ = 0;  // when it was planned
};

}  // namespace

// Of most commands nobody has said it.
void Command::uses(Uses& uses) { uses.may_be_anything(); }

void Uses::read(const std::shared_ptr<Storage>& memory, std::span<const Range> ranges, Place place) {
  if (memory->layout() || memory->svm() || memory->shared()) return;
  reads_.emplace_back(memory, ranges);
  places_.push_back(place);
}

void Uses::write(const std::shared_ptr<Storage>& memory, std::span<const Range> ranges) {
  if (memory->layout() || memory->svm() || memory->shared()) return;
  writes_.emplace_back(memory, ranges);
}

void Lineage::enter(const ChainPtr& chain) {
  chains_.emplace(chain->number, chain);
  runs_ += chain->runs.size();
  for (const Storage* memory : chain->memories) by_memory_[memory].emplace(chain->number, chain);
}

void Lineage::leave(const ChainPtr& chain) {
  if (chains_.erase(chain->number) == 0) return;
  runs_ -= chain->runs.size();
  for (const Storage* memory : chain->memories) {
    const auto found = by_memory_.find(memory);
    if (found == by_memory_.end()) continue;
    found->second.erase(chain->number);
    if (found->second.empty()) by_memory_.erase(found);
  }
}

Lineage::Chains Lineage::all() const {
  Chains chains;
  for (const auto& [number, chain] : chains_) chains.push_back(chain);
  return chains;
}

// Those for which that holds of those that use memory of these, in order.
template <typename Is>
Lineage::Chains Lineage::those_using(std::span<const Bytes> some, Is is) const {
  Chains found;
  for (const Bytes& bytes : some) {
    const auto users = by_memory_.find(bytes.memory.get());
    if (users == by_memory_.end()) continue;
    for (const auto& [number, chain] : users->second)
      if (is(chain)) found.push_back(chain);
  }
  std::ranges::sort(found, {}, &Chain::number);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

// Those of which that command reads what they wrote, or writes what they wrote or read.
Lineage::Chains Lineage::touched(const Uses& next) const {
  std::vector<Bytes> all(next.writes().begin(), next.writes().end());
  all.insert(all.end(), next.reads().begin(), next.reads().end());
  return those_using(
      all, [&](const ChainPtr& chain) { return overlap(chain->writes, all) || overlap(chain->reads, next.writes()); });
}

// Whether others than it touches may have to be kept.
bool Lineage::looks_at_all(const Uses& next) const {
  return next.is_anything() || any_released_ || runs_ >= kMostRuns || host_changes_ != Storage::all_host_changes();
}

// A device may have been lost since a chain's last run has ended; or it is all at the host.
void Lineage::look_at_changed(const Context& context) {
  for (const ChainPtr& chain : std::exchange(changed_, {})) {
    if (chain->is_in_flight || !chains_.contains(chain->number)) continue;
    is_shaken_ |= is_lost(*chain, context.lost());
    if (!all_pieces(chain->writes, is_at_host)) continue;
    dropped_.push_back(chain);
    leave(chain);
  }
}

Lineage::First Lineage::before(Context& context, const Uses& next) {
  const auto drop = [&](const Chains& over) {
    dropped_.reserve(dropped_.size() + over.size());
    for (const ChainPtr& chain : over) {
      if (chain->is_in_flight) continue;
      dropped_.push_back(chain);
      leave(chain);
    }
  };
  if (chains_.empty()) return {};
  if (context.has_lost_device) {
    drop(all());
    return {};
  }
  look_at_changed(context);
  if (is_shaken_) {
    Chains kept = all();
    std::erase_if(kept, [](const ChainPtr& chain) { return !all_pieces(chain->writes, is_at_host); });
    drop(kept);
    if (First first = compute_lost(context); first.command || first.waits) return first;
    is_shaken_ = false;
  }
  const bool looked_at_all = looks_at_all(next);
  const Chains some = looked_at_all ? all() : touched(next);
  if (First first = keep(next, some); first.command || first.waits) {
    if (first.command) changed_.insert(changed_.end(), some.begin(), some.end());
    return first;
  }
  if (looked_at_all) {
    any_released_ = false;
    host_changes_ = Storage::all_host_changes();
  }
  // What is touched is one with the next runs, or is over.
  drop(next.is_anything() ? some : superseded(some, next));
  return {};
}

// All that is lost, in order. What is in flight has failed, or is about to. No bytes go from one device to another
// meanwhile but those that are made: what else is needed is brought to host memory before.
Lineage::First Lineage::compute_lost(Context& context) {
  Chains lost = all();
  std::erase_if(lost, [&](const ChainPtr& chain) { return !is_lost(*chain, context.lost()); });
  if (lost.empty()) return {};
  if (std::ranges::any_of(lost, &Chain::is_in_flight)) return {nullptr, true};
  if (!std::ranges::all_of(lost, [](const ChainPtr& chain) { return is_intact(*chain); })) {
    failed(context);
    return {};
  }
  std::vector<Bytes> made, needed;
  for (size_t i = 0; i < lost.size(); ++i) {
    // A device may get what is saved where it has what is there now: that has to be at the host, too.
    const std::vector<Bytes> saved = saved_of_others(*lost[i]);
    if (overlap(saved, made)) {
      lost.resize(i);
      break;
    }
    add(needed, saved);
    add(needed, without(lost[i]->reads, made));
    add(made, lost[i]->writes);
  }
  First first = keep(all(), missing_at_host(needed), {}, [](const ChainPtr&) { return false; });
  if (!first.command && !first.waits) first.command = std::make_shared<MakeAgain>(std::move(lost));
  return first;
}

// Those that become one with that run: it is about to change what they began with, or what they wrote; and, since that
// comes after them then, those that read what these wrote. saved: what they read and others change is saved.
Lineage::Chains Lineage::continued(const Run& run, const Chains& superseded, const Chains& saved) const {
  std::map<uint64_t, ChainPtr> perhaps;
  const auto may_be = [&](std::span<const Bytes> some) {
    for (const ChainPtr& chain : those_using(
             some, [&](const ChainPtr& each) { return overlap(each->reads, some) || overlap(each->writes, some); }))
      perhaps.emplace(chain->number, chain);
  };
  may_be(run.writes);
  Chains all;
  for (auto next = perhaps.begin(); next != perhaps.end(); ++next) {
    const ChainPtr& chain = next->second;
    if (contains(superseded, chain)) continue;
    const bool reads_one = std::ranges::any_of(
        all, [&](const auto& one) { return !missing_at_host(common(chain->reads, one->writes)).empty(); });
    const bool is_changed =
        overlap(chain->reads, run.writes) && !(chain->device != run.device && contains(saved, chain));
    if (!reads_one && !is_changed && !overlap(chain->writes, run.writes)) continue;
    all.push_back(chain);
    may_be(chain->writes);
  }
  return all;
}

// Whether each of its runs becomes one with what it touches. That has to be on the run's device.
bool Lineage::may_continue(const Uses& next, const Chains& superseded, const Chains& saved) const {
  Chains all;
  for (const Run& run : next.runs()) {
    const Chains ones = continued(run, superseded, saved);
    if (!may_be_one(ones)) return false;
    for (const ChainPtr& chain : ones) {
      if (chain->device != run.device || contains(all, chain)) return false;
      all.push_back(chain);
    }
  }
  return !next.runs().empty();
}

// What has to be at the host before that command.
Lineage::First Lineage::keep(const Uses& next, const Chains& some) const {
  std::vector<Bytes> needed;  // elsewhere than they are
  for (size_t i = 0; i < next.reads().size(); ++i) add(needed, missing(next.reads()[i], next.place_of_read(i)));
  const auto is_touched = [&](const ChainPtr& chain) {
    return next.is_anything() || overlap(chain->reads, next.writes()) || overlap(chain->writes, next.writes());
  };
  if (std::ranges::any_of(some, [&](const auto& chain) { return chain->is_in_flight && is_touched(chain); }))
    return {nullptr, true};
  const Chains over = superseded(some, next);
  std::vector<Saving> savings;
  const Chains saved = save_what_changes(savings, some, next, over, least_saved);
  const bool continues = may_continue(next, over, saved);
  if (!continues) savings.clear();
  size_t too_many = runs() >= kMostRuns ? kMostRuns / 4 : 0;
  return keep(some, std::move(needed), std::move(savings), [&](const ChainPtr& chain) {
    if (contains(over, chain)) return false;
    const bool is_old = too_many > 0;
    too_many -= std::min(too_many, chain->runs.size());
    if (chain->is_released || is_old || !is_intact(*chain)) return true;
    if (!is_touched(chain) || (continues && chain->runs.size() < kLongestChain)) return false;
    if (!continues && !next.is_anything()) chain->runs.back()->producer->was_kept();
    return true;
  });
}

// Brings these bytes to the host, and with them all of the chains that are kept whole; and all of those.
template <typename IsKept>
Lineage::First Lineage::keep(const Chains& some, std::vector<Bytes> needed, std::vector<Saving> savings,
                             IsKept is_kept) const {
  std::vector<Bytes> kept;
  Chains whole;
  for (const ChainPtr& chain : some) {
    const bool is_needed = overlap(chain->writes, needed);
    if (chain->is_in_flight && is_needed) return {nullptr, true};
    if (chain->is_in_flight) continue;
    const bool is_all_kept = is_kept(chain);
    if (!is_all_kept && !is_needed) continue;
    if (goes_alone(savings, chain, is_all_kept ? chain->writes : needed, is_all_kept, least_saved)) {
      if (is_all_kept) add(kept, missing_at_host(chain->writes));
      continue;
    }
    needed = without(needed, chain->writes);
    if (!missing_at_host(chain->writes).empty()) whole.push_back(chain);
  }
  add(kept, needed);
  if (kept.empty() && whole.empty() && savings.empty()) return {};
  return {std::make_shared<Keep>(std::move(kept), whole, std::move(savings))};
}

Lineage::Begun Lineage::begin(std::span<const Run> runs) {
  Begun begun;
  for (const Run& run : runs) {
    auto chain = std::make_shared<Chain>();
    chain->device = run.device;
    chain->continued = continued(run, {}, {});
    for (const ChainPtr& each : chain->continued) extend(*chain, *each);
    extend(*chain, run);
    begun.push_back(std::move(chain));
  }
  for (const ChainPtr& chain : begun) {
    for (const ChainPtr& each : chain->continued) leave(each);
    chain->number = ++last_number_;
    enter(chain);
  }
  return begun;
}

void Lineage::ended(const ChainPtr& begun, bool is_done) {
  begun->is_in_flight = false;
  is_shaken_ |= !is_done;
  try {
    if (is_done) changed_.push_back(begun);
    settle(begun, is_done);
  } catch (...) {  // no memory; if it is done, what it continues is kept as long as itself
    is_shaken_ = true;
    if (!is_done) give_up();
  }
}

void Lineage::settle(const ChainPtr& ended, bool is_done) {
  if (!chains_.contains(ended->number)) return;
  if (is_done) {
    dropped_.insert(dropped_.end(), ended->continued.begin(), ended->continued.end());
    ended->continued.clear();
    return;
  }
  dropped_.push_back(ended);
  leave(ended);
  for (const ChainPtr& each : std::exchange(ended->continued, {})) {
    each->is_released |= ended->is_released;
    enter(each);
  }
}

void Lineage::failed(Context& context) {
  give_up();
  try {
    bool any_lost = false;
    for (const ChainPtr& chain : all()) {
      any_lost |= is_lost(*chain, context.lost());
      if (chain->is_in_flight) continue;
      dropped_.push_back(chain);
      leave(chain);
    }
    if (!any_lost) return;
  } catch (...) {  // no memory to look for it
  }
  context.has_lost_device = true;
  warn("what a lost device had computed cannot be computed again: the job cannot go on");
}

bool Lineage::released(const Storage& memory) {
  const auto users = by_memory_.find(&memory);
  if (users == by_memory_.end()) return false;
  for (const auto& [number, chain] : users->second) chain->is_released = true;
  return is_shaken_ = any_released_ = true;
}

void Lineage::take_dropped(Dropped& to) {
  to.insert(to.end(), std::make_move_iterator(dropped_.begin()), std::make_move_iterator(dropped_.end()));
  dropped_.clear();
}

}  // namespace samcl
