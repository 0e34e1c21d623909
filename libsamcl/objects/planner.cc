#include "libsamcl/objects/planner.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "base/pool.h"
#include "libsamcl/backend/operations.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/links.h"
#include "libsamcl/observe/trace.h"
#include "libsamcl/observe/traffic.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

// Zeros that lie between many ranges that are to be filled with zeros on a device are filled with them, where that
// makes the ranges fewer: a driver takes longer for a command than a device for so many bytes.
constexpr size_t kManyFills = 4;
constexpr uint64_t kBytesForFill = 64 << 10, kBytesForFillBeside = 4 << 20;
void fill_between(Storage& memory, std::vector<Range>& zeros, unsigned device) {
  if (zeros.size() < kManyFills) return;
  uint64_t needed = 0, filled = 0;
  Range hull = zeros.front();
  for (const Range& range : zeros) {
    hull = {std::min(hull.begin, range.begin), std::max(hull.end, range.end)};
    needed += range.size();
  }
  std::vector<Range> all;
  for (const auto& piece : memory.directory().pieces(hull)) {
    if (!samcl::contains(piece.valid, kZeros)) continue;
    filled += piece.range.size();
    if (!all.empty() && all.back().end == piece.range.begin)
      all.back().end = piece.range.end;
    else
      all.push_back(piece.range);
  }
  const bool is_beside = memory.devices().devices[device]->is_asynchronous();
  const uint64_t most = needed + zeros.size() * (is_beside ? kBytesForFillBeside : kBytesForFill);
  if (2 * all.size() > zeros.size() || filled > most) return;
  for (const Range& range : all) memory.directory().copied(range, device);
  zeros = std::move(all);
}

using engine::Lane;
using engine::LaneKind;

// A transfer that takes longer than waking the threads of a lane of its own.
constexpr uint64_t kLong = 256 << 10;
// An operation that uses more ranges of a memory object counts as using all between the first and the last.
constexpr size_t kMostRanges = 64;

void simplify(Planner::Accesses& accesses) {
  if (accesses.size() <= kMostRanges) return;
  std::map<std::tuple<Storage*, Place, bool>, Planner::Access> merged;
  for (Planner::Access& access : accesses) {
    auto [at, is_new] = merged.try_emplace({access.memory, access.place, access.write}, access);
    if (is_new) continue;
    at->second.range.begin = std::min(at->second.range.begin, access.range.begin);
    at->second.range.end = std::max(at->second.range.end, access.range.end);
  }
  accesses.clear();
  for (auto& [key, access] : merged) accesses.push_back(access);
}

// For those who want to see it; before any of them runs.
void tell(const Planner::Together& together, const SmallVector<engine::NodePtr, 2>& nodes,
          const SmallVector<engine::NodeList, 2>& before) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    std::vector<observe::Use> uses;
    for (const Planner::Access& access : together[i].accesses) {
      uses.push_back({access.memory ? access.memory->number() : 0, access.place, access.range, access.write});
    }
    trace::entered(nodes[i], std::move(uses), {before[i].data(), before[i].size()});
  }
}

// What memory was too short for is never issued: whoever comes after it must not wait for it.
struct Entering {
  SmallVector<engine::NodePtr, 2> nodes;
  size_t entered = 0;
  ~Entering() {
    for (size_t i = entered; i < nodes.size(); ++i) {
      nodes[i]->ended = true;
      nodes[i]->owner = nullptr;
      nodes[i]->operation = engine::HostCall{};
    }
  }
};

}  // namespace

Lane transfer_lane(Place from, Place to, uint64_t bytes) {
  if (from == to) return to == kHost ? Lane{LaneKind::host, 0} : Lane{LaneKind::compute, to};
  if (from != kHost && to != kHost) return {LaneKind::up, to};
  const bool is_long = bytes >= kLong;
  if (to != kHost) return {is_long ? LaneKind::up : LaneKind::compute, to};
  return {is_long ? LaneKind::down : LaneKind::compute, from};
}

Lane transfer_lane(const DeviceSet& devices, Place from, Place to, uint64_t bytes, bool is_awaited) {
  const Lane usual = transfer_lane(from, to, bytes);
  if (!is_awaited || from == kHost || to != kHost) return usual;
  const RealDevice& device = *devices.devices[from];
  return device.is_asynchronous() && !device.lease.client ? Lane{LaneKind::down, from} : usual;
}

Lane Planner::upload_lane(Place to, uint64_t bytes) const {
  const Lane usual = transfer_lane(kHost, to, bytes);
  if (usual.kind != LaneKind::up || is_awaited_) return usual;
  return context_.at({LaneKind::compute, to, strand(to)}).takes_upload(bytes) ? Lane{LaneKind::compute, to} : usual;
}

SmallVector<engine::NodePtr, 2> Planner::add(Together together) { return enter(std::move(together), {}); }

SmallVector<engine::NodePtr, 2> Planner::enter(Together together, std::span<const engine::NodePtr> after) {
  const uint64_t group = ++next_group_;
  for (const Planned& planned : together)
    for (const Access& access : planned.accesses)
      if (access.memory) access.memory->used_by(group);
  SmallVector<engine::NodeList, 2> before(together.size());
  for (size_t i = 0; i < together.size(); ++i) {
    simplify(together[i].accesses);
    for (const Access& access : together[i].accesses) make_room(access, before[i]);
    for (const Access& access : together[i].accesses) {
      users_of(access).find_conflicts(access.range, access.write, before[i]);
    }
    for (const engine::NodePtr& each : after) before[i].push_back(each);
    note_counts_on(before[i]);
    std::sort(before[i].begin(), before[i].end());
    before[i].erase(std::unique(before[i].begin(), before[i].end()), before[i].end());
  }
  Entering entering;
  SmallVector<engine::NodePtr, 2>& nodes = entering.nodes;
  nodes.reserve(together.size());
  for (Planned& planned : together) {
    auto node =
        make_recycled<engine::Node>(lane_of(planned, together.size() == 1), std::move(planned.operation), group);
    node->command = command_;
    node->observed = observed_;
    node->awaited = is_awaited_;
    node->owner = owner_;
    node->alone = together.size() == 1;
    node->is_handed_on = planned.is_handed_on;
    node->has_own_end = planned.has_own_end;
    nodes.push_back(node);
    for (const Access& access : planned.accesses) users_of(access).record(access.range, access.write, node);
  }
  if (trace::observes()) [[unlikely]]
    tell(together, nodes, before);
  for (size_t i = 0; i < nodes.size(); ++i) {
    note_strands(*nodes[i], before[i]);
    engine_.add(nodes[i], {before[i].data(), before[i].size()});
    ++entering.entered;
    ++operations_;
  }
  return nodes;
}

unsigned Planner::strand(unsigned device) const {
  return strand_ > 0 && context_.devices[device]->strand(strand_) ? strand_ : 0;
}

Strands::Set Planner::strands_before(const Accesses& accesses, unsigned device) {
  engine::NodeList before;
  for (const Access& access : accesses) users_of(access).find_conflicts(access.range, access.write, before);
  Strands::Set strands = 0;
  for (const engine::NodePtr& each : before)
    if (!each->ended && each->lane.kind == LaneKind::compute && each->lane.device == device)
      strands |= Strands::only(each->lane.strand);
  return strands;
}

Strands::Loads Planner::loads(unsigned device) const {
  Strands::Loads loads{};
  context_.devices[device]->each_strand(
      [&](const RealDevice& each) { loads[each.strand_index] = each.on_their_way(); });
  return loads;
}

bool Planner::has_busy_strands(unsigned device, Strands::Set but) const {
  bool any = false;
  context_.devices[device]->each_strand(
      [&](const RealDevice& each) { any |= !(Strands::only(each.strand_index) & but) && each.on_their_way() > 0; });
  return any;
}

// What devices order among themselves stays in the first strand.
Lane Planner::lane_of(const Planned& planned, bool is_alone) const {
  const bool may_go = std::holds_alternative<engine::ProgramCopy>(planned.operation) ||
                      std::holds_alternative<engine::LocalCopy>(planned.operation) ||
                      std::holds_alternative<engine::Fill>(planned.operation);
  Lane lane = planned.lane;
  if (lane.kind == LaneKind::compute && may_go && is_alone && !needs_thread(planned.operation))
    lane.strand = strand(lane.device);
  return lane;
}

void Planner::note_strands(const engine::Node& node, const engine::NodeList& before) {
  if (node.lane.kind != LaneKind::compute) return;
  for (const engine::NodePtr& each : before) {
    const bool is_beside = !each->ended && each->lane.kind == LaneKind::compute &&
                           each->lane.device == node.lane.device && each->lane.strand != node.lane.strand;
    if (is_beside) return context_.strands.waits(node.lane.strand, each->lane.strand);
  }
}

void Planner::note_counts_on(const engine::NodeList& before) {
  for (const engine::NodePtr& node : before) {
    if (node->ended || !node->owner || !node->owner->is_ahead || node->owner == owner_) continue;
    if (std::ranges::find(counts_on_, node->owner) == counts_on_.end()) counts_on_.push_back(node->owner);
  }
}

engine::NodePtr Planner::add(Lane lane, engine::Operation operation, Accesses accesses,
                             std::span<const engine::NodePtr> after) {
  Together one;
  one.push_back({lane, std::move(operation), std::move(accesses)});
  return enter(std::move(one), after).front();
}

// Where devices order themselves, but do not see each other's replicas: both halves on their own queues. False, and
// nothing done: that is left to a thread.
bool Planner::pass_through_window(const engine::Exchange& exchange) {
  const Storage& memory = *exchange.memory;
  const DeviceSet& set = memory.devices();
  if (exchange.from == kHost || exchange.to == kHost || memory.layout() || !set.windows || !set.may_order_itself())
    return false;
  set.timelines->prepare();
  if (!set.orders_itself() || engine::bytes_of(exchange) > PeerWindows::kOrdered ||
      as_rectangles(exchange.ranges).size() > RangeCopies::kMost)
    return false;
  const std::shared_ptr<PeerWindow> window = set.windows->next(exchange.from, exchange.to);
  if (!window) return false;
  const auto half = [&](Place place, bool fills, const engine::NodePtr& after) {
    Accesses accesses;
    for (const Range& range : exchange.ranges) accesses.push_back({exchange.memory, place, range, !fills});
    engine::WindowCopy copy{exchange.memory, place, exchange.ranges, window, fills, exchange.traffic};
    const std::span<const engine::NodePtr> only_after(&after, after && !after->ended ? 1 : 0);
    return add({LaneKind::compute, place}, std::move(copy), std::move(accesses), only_after);
  };
  const engine::NodePtr filled = half(exchange.from, true, window->emptied_by);
  window->emptied_by = half(exchange.to, false, filled);
  return true;
}

// Of these ranges what has to come there together, where it matters from which place it comes.
uint64_t Planner::missing_together(Storage& memory, std::span<const Range> ranges, Place place) {
  if (place == kHost || !memory.devices().shares_contexts()) return 0;
  uint64_t bytes = 0;
  for (const Range& range : ranges) bytes += memory.directory().missing_bytes(range, place);
  return bytes;
}

void Planner::bring(const std::shared_ptr<Storage>& memory, std::span<const Range> ranges, Place place,
                    Traffic* traffic) {
  if (place == kHost && memory->is_being_evicted()) finish_evictions(memory, ranges);
  std::vector<Range> zeros;
  std::map<Place, std::vector<Range>> from;
  const uint64_t together = missing_together(*memory, ranges, place);
  for (const Range& range : ranges) {
    if (memory->directory().missing_bytes(range, place) == 0) continue;
    for (const auto& piece : memory->directory().missing(range, place)) {
      if (contains(piece.valid, kZeros)) {
        zeros.push_back(piece.range);
      } else if (place != kHost) {
        from[memory->source_for(place, piece.valid, together)].push_back(piece.range);
      } else {
        for (const auto& part : spread_over_links(piece.range, piece.valid, memory->devices().places_in_use())) {
          from[lowest(part.valid)].push_back(part.range);
        }
      }
      memory->directory().copied(piece.range, place);
    }
  }
  if (!zeros.empty()) {
    if (place != kHost) fill_between(*memory, zeros, place);
    Accesses accesses;
    for (const Range& range : zeros) accesses.push_back({memory, place, range, true});
    add(transfer_lane(place, place, 0), engine::Fill{{memory, place}, std::move(zeros), {std::byte{0}}},
        std::move(accesses));
  }
  Together exchanges;  // so that none waits for another, where their ranges lie between each other
  for (auto& [source, pieces] : from) {
    Accesses accesses;
    for (const Range& range : pieces) {
      accesses.push_back({memory, source, range, false});
      accesses.push_back({memory, place, range, true});
    }
    if (source != kHost && place != kHost) memory->halo().passes(first_group_, source, place, pieces);
    engine::Exchange exchange{memory, source, place, std::move(pieces), traffic};
    cl_int error;
    const bool is_direct =
        source != kHost && place != kHost && memory->replica(place, &error) && memory->replica_seen_by(source, place);
    if (!is_direct && pass_through_window(exchange)) continue;
    const bool is_plain_upload = source == kHost && exchange.ranges.size() == 1 && !memory->layout();
    const uint64_t bytes = engine::bytes_of(exchange);
    const Lane lane = is_direct         ? Lane{LaneKind::compute, place}
                      : is_plain_upload ? upload_lane(place, bytes)
                                        : transfer_lane(memory->devices(), source, place, bytes, is_awaited_);
    exchanges.push_back({lane, std::move(exchange), std::move(accesses)});
  }
  if (!exchanges.empty()) add(std::move(exchanges));
}

// The bytes in the host copy are used without another operation that would see to it.
void Planner::finish_evictions(const std::shared_ptr<Storage>& memory, std::span<const Range> ranges) {
  Accesses accesses;
  for (const Range& range : ranges) accesses.push_back({memory, kHost, range, false});
  if (accesses.empty()) return;
  add({LaneKind::host, 0}, engine::HostCall{[memory] { return memory->host() ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY; }},
      std::move(accesses));
}

// Where others need memory too, that of a device is made room in before a new replica is made there.
void Planner::make_room(const Access& access, engine::NodeList& before) {
  if (!access.memory || access.place == kHost || access.memory->shared()) return;
  const DeviceSet& set = access.memory->devices();
  const LeaseTarget& lease = set.devices[access.place]->lease;
  if (!lease.client || evicting_ || !access.memory->expect_replica(access.place)) return;
  const uint64_t limit = lease.client->memory_limit(lease.index);
  if (limit == 0) return;
  // Of other contexts what they have; of this one what it will have, with the new replica.
  uint64_t wanted = lease.client->memory(lease.index);
  for (const auto& each : set.storages.all()) {
    if (each->shared()) continue;
    if (each->has_replica(access.place)) wanted -= std::min(wanted, each->size());
    if (each->will_have_replica(access.place)) wanted += each->size();
  }
  if (wanted > limit) evict(set, access.place, wanted - limit);
  for (const engine::NodePtr& eviction : evictions_) before.push_back(eviction);
}

void Planner::evict(const DeviceSet& set, unsigned device, uint64_t bytes) {
  std::vector<std::shared_ptr<Storage>> memory = set.storages.all();
  std::erase_if(memory, [&](const auto& each) {
    return each->last_use() >= first_group_ || !each->will_have_replica(device) || !each->can_evict();
  });
  std::ranges::sort(memory, {}, [](const auto& each) { return std::pair(each->last_use(), each->number()); });
  evicting_ = true;
  for (const auto& each : memory) {
    if (bytes == 0) break;
    evict(each, device);
    bytes -= std::min(bytes, each->size());
  }
  evicting_ = false;
}

void Planner::evict(const std::shared_ptr<Storage>& memory, unsigned device) {
  std::vector<Range> only_here;
  for (const auto& piece : memory->directory().pieces({0, memory->size()}))
    if (piece.valid == only(device)) only_here.push_back(piece.range);
  if (!only_here.empty() && !memory->host()) return;
  Accesses accesses{{memory, device, {0, memory->size()}, true}};
  for (const Range& range : only_here) {
    memory->directory().copied(range, kHost);
    accesses.push_back({memory, kHost, range, true});
  }
  const Lane lane = only_here.empty() ? Lane{LaneKind::host, 0} : Lane{LaneKind::down, device};
  evictions_.push_back(add(lane, eviction(memory, device, std::move(only_here)), std::move(accesses)));
  memory->forget_replica(device);
}

// That it could not be done fails no command: what needs the bytes, or the memory, is told so by the driver, or gets
// it.
engine::HostCall Planner::eviction(const std::shared_ptr<Storage>& memory, unsigned device,
                                   std::vector<Range> only_here) {
  if (only_here.empty()) {
    return {[memory, device] {
      memory->drop_replica(device);
      return CL_SUCCESS;
    }};
  }
  memory->begin_eviction();
  return {[memory, device, ranges = std::move(only_here)] {
    if (const cl_int error = memory->evict_replica(device, ranges); error != CL_SUCCESS)
      warn("memory of a device cannot be given back: its bytes cannot be brought to host memory (error " +
           std::to_string(error) + "); it stays there");
    return CL_SUCCESS;
  }};
}

void Planner::define(const std::shared_ptr<Storage>& memory, Range range) {
  if (!memory->shared()) memory->directory().define_as_zeros(range, only(kZeros));
}

}  // namespace samcl
