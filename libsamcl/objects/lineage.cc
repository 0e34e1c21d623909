#include "libsamcl/objects/lineage.h"

#include <algorithm>
#include <map>
#include <utility>

#include "libsamcl/objects/command.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/planner.h"
#include "libsamcl/observe/traffic.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

bool is_at_host(const Places places) { return contains(places, kHost) || contains(places, kZeros); }

// Ranges by memory object, as they are found.
class Found {
 public:
  // What of these is defined, but neither there nor in host memory.
  void add_missing(const Bytes& bytes, Place place) {
    for (const Range& range : bytes.ranges)
      for (const auto& piece : bytes.memory->directory().missing(range, place))
        if (!is_at_host(piece.valid)) ranges_[bytes.memory].push_back(piece.range);
  }
  void add_missing(std::span<const Bytes> all) {
    for (const Bytes& bytes : all) add_missing(bytes, kHost);
  }
  std::vector<Bytes> take() {
    std::vector<Bytes> all;
    for (const auto& [memory, ranges] : std::exchange(ranges_, {})) all.emplace_back(memory, ranges);
    return all;
  }

 private:
  std::map<std::shared_ptr<Storage>, std::vector<Range>> ranges_;
};

Found missing_where_needed(const Uses& uses) {
  Found found;
  for (size_t i = 0; i < uses.reads().size(); ++i) found.add_missing(uses.reads()[i], uses.place_of_read(i));
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

// Brings bytes from the devices that have them to host memory. Nothing else is planned meanwhile.
class Keep : public Command {
 public:
  explicit Keep(std::vector<Bytes> what) : what_(std::move(what)) {}

  cl_int plan(Planner& planner, const std::shared_ptr<Event>& event) override {
    context_ = event->context.get();
    lost_ = context_->lost();
    event->set_running();
    for (const Bytes& bytes : what_) {
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
    return CL_SUCCESS;
  }

  // Only now is it surely there.
  void ended(cl_int error) override {
    if (error != CL_SUCCESS) return;
    for (const Bytes& bytes : what_)
      for (const Range& range : bytes.ranges) bytes.memory->directory().copied(range, kHost);
  }

  // Some of it was lost: whoever wants it kept asks again.
  std::shared_ptr<Command> again() override {
    return context_ && context_->lost() != lost_ ? std::make_shared<EmptyCommand>() : nullptr;
  }

 private:
  const std::vector<Bytes> what_;
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

void Lineage::add(std::shared_ptr<const Producer> producer, size_t part, std::vector<Bytes> reads,
                  std::vector<Bytes> writes) {
  if (writes.empty()) return;
  parts_.push_back(std::make_shared<Part>(std::move(producer), part, std::move(reads), std::move(writes)));
  is_shaken_ = true;  // its device may have been lost since it ran
}

bool Lineage::is_lost(const std::shared_ptr<Part>& part) {
  return !all_pieces(part->writes, [](Places valid) { return valid != 0; });
}

template <typename IsOver>
void Lineage::drop_if(IsOver is_over) {
  const auto over = std::stable_partition(parts_.begin(), parts_.end(),
                                          [&](const std::shared_ptr<Part>& part) { return !is_over(*part); });
  dropped_.insert(dropped_.end(), over, parts_.end());
  parts_.erase(over, parts_.end());
}

std::shared_ptr<Command> Lineage::before(Context& context, const Uses& next) {
  if (parts_.empty()) return nullptr;
  if (context.has_lost_device) {
    drop_if([](const Part&) { return true; });
    return nullptr;
  }
  if (is_shaken_) {
    drop_if([](const Part& part) { return all_pieces(part.writes, is_at_host); });
    if (auto command = compute_lost()) return command;
    is_shaken_ = false;
  }
  if (std::vector<Bytes> kept = to_keep(next); !kept.empty()) {
    is_shaken_ = true;
    return std::make_shared<Keep>(std::move(kept));
  }
  drop_if([&](const Part& part) {
    return next.is_anything() || overlap(part.reads, next.writes()) || overlap(part.writes, next.writes());
  });
  return nullptr;
}

// The first launch of which something is lost. All that its parts read can be had: what earlier ones wrote was computed
// before.
std::shared_ptr<Command> Lineage::compute_lost() const {
  const auto first = std::ranges::find_if(parts_, is_lost);
  if (first == parts_.end()) return nullptr;
  const Producer& producer = *(*first)->producer;
  std::vector<size_t> lost;
  for (const auto& part : parts_)
    if (part->producer.get() == &producer && is_lost(part)) lost.push_back(part->index);
  std::shared_ptr<Command> command = producer.again(lost);
  Uses uses;
  command->uses(uses);
  if (std::vector<Bytes> kept = missing_where_needed(uses).take(); !kept.empty())
    return std::make_shared<Keep>(std::move(kept));
  return command;
}

std::vector<Bytes> Lineage::to_keep(const Uses& next) const {
  Found found = missing_where_needed(next);
  const size_t too_many = parts_.size() >= kMostParts ? kMostParts / 4 : 0;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = *parts_[i];
    const bool spoils = overlap(part.reads, next.writes());
    // What the command reads while it overwrites it cannot be computed while that is half done.
    const bool overwrites = overlap(part.writes, next.writes());
    const bool updates = overwrites && (overlap(part.writes, next.reads()) || !are_among(part.writes, next.writes()));
    if (spoils || updates) part.producer->was_kept();
    if (spoils || updates || part.is_released || next.is_anything() || i < too_many) found.add_missing(part.writes);
  }
  return found.take();
}

void Lineage::failed(Context& context) {
  give_up();
  try {
    const bool any_lost = std::ranges::any_of(parts_, is_lost);
    drop_if([](const Part&) { return true; });
    if (!any_lost) return;
  } catch (...) {  // no memory to look for it
  }
  context.has_lost_device = true;
  warn("what a lost device had computed cannot be computed again: the job cannot go on");
}

bool Lineage::released(const Storage& memory) {
  const auto is_of_it = [&](const Bytes& bytes) { return bytes.memory.get() == &memory; };
  bool any = false;
  for (const auto& part : parts_) {
    if (std::ranges::none_of(part->reads, is_of_it) && std::ranges::none_of(part->writes, is_of_it)) continue;
    part->is_released = any = true;
  }
  is_shaken_ |= any;
  return any;
}

void Lineage::take_dropped(Dropped& to) {
  to.insert(to.end(), std::make_move_iterator(dropped_.begin()), std::make_move_iterator(dropped_.end()));
  dropped_.clear();
}

}  // namespace samcl
