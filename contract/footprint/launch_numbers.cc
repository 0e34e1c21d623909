#include "contract/footprint/launch_numbers.h"

#include <algorithm>
#include <cstring>

namespace samcl::footprint {
namespace {

uint64_t masked(uint64_t value, unsigned bits) { return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1); }

int64_t extended(uint64_t value, unsigned bits) {
  return bits == 64 ? static_cast<int64_t>(value) : static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

// Whether all work-items find the same there if they find the same in its operands.
bool is_same_for_all(Op op) {
  switch (op) {
    case Op::unknown:
    case Op::group_id:
    case Op::local_id:
    case Op::global_id:
    case Op::local_size:  // smaller in the last work-group
    case Op::counter:
    case Op::multiply_24_signed:  // devices differ
    case Op::multiply_24_unsigned:
    case Op::up_to:
    case Op::either: return false;
    default: return true;
  }
}

uint64_t argument(const Node& node, const LaunchInputs& launch) {
  uint64_t number = 0;
  const size_t bytes = (node.bits + 7) / 8;
  if (node.a >= launch.arguments.size() || node.b + bytes > launch.arguments[node.a].value.size()) return 0;
  std::memcpy(&number, launch.arguments[node.a].value.data() + node.b, bytes);
  return number;
}

// value_of: a node's, which this one may be made of.
template <typename ValueOf>
uint64_t of_node(const Node& node, const std::vector<Node>& nodes, ValueOf value_of, const LaunchInputs& launch) {
  const Ndrange& ndrange = launch.ndrange;
  const auto u = value_of;
  const auto s = [&](Id id) { return extended(value_of(id), nodes[id].bits); };
  const auto number = [](int64_t value) { return static_cast<uint64_t>(value); };
  const Id a = node.a, b = node.b;
  switch (node.op) {
    case Op::constant: return number(node.value);
    case Op::argument: return argument(node, launch);
    case Op::work_dim: return ndrange.dimensions;
    case Op::num_groups: return ndrange.groups(a);
    case Op::enqueued_local_size: return ndrange.local[a];
    case Op::global_size: return ndrange.global[a];
    case Op::global_offset: return ndrange.offset[a];
    case Op::add: return u(a) + u(b);
    case Op::subtract: return u(a) - u(b);
    case Op::multiply: return u(a) * u(b);
    // What divides by 0, or leaves the type's range, may be anything.
    case Op::divide_signed: return s(b) == 0 || s(b) == -1 ? 0 : number(s(a) / s(b));
    case Op::remainder_signed: return s(b) == 0 || s(b) == -1 ? 0 : number(s(a) % s(b));
    case Op::divide_unsigned: return u(b) == 0 ? 0 : u(a) / u(b);
    case Op::remainder_unsigned: return u(b) == 0 ? 0 : u(a) % u(b);
    case Op::shift_left: return u(b) >= node.bits ? 0 : u(a) << u(b);
    case Op::shift_right_signed: return u(b) >= node.bits ? 0 : number(s(a) >> u(b));
    case Op::shift_right_unsigned: return u(b) >= node.bits ? 0 : u(a) >> u(b);
    case Op::bit_and: return u(a) & u(b);
    case Op::bit_or: return u(a) | u(b);
    case Op::bit_xor: return u(a) ^ u(b);
    case Op::minimum_signed: return number(std::min(s(a), s(b)));
    case Op::maximum_signed: return number(std::max(s(a), s(b)));
    case Op::minimum_unsigned: return std::min(u(a), u(b));
    case Op::maximum_unsigned: return std::max(u(a), u(b));
    case Op::absolute: return s(a) < 0 ? 0 - number(s(a)) : number(s(a));
    case Op::sign_extend: return number(s(a));
    case Op::zero_extend:
    case Op::truncate: return u(a);
    case Op::select: return (u(a) & 1) != 0 ? u(b) : u(node.c);
    case Op::equal: return u(a) == u(b);
    case Op::less_signed: return s(a) < s(b);
    case Op::less_unsigned: return u(a) < u(b);
    case Op::both: return u(a) & u(b) & 1;
    case Op::negation: return (u(a) & 1) ^ 1;
    default: return 0;  // not one of these
  }
}

}  // namespace

LaunchNumbers::LaunchNumbers(const SymbolicFootprint& symbolic) {
  const std::vector<Node>& nodes = symbolic.nodes;
  std::vector<bool> same(nodes.size()), told(nodes.size()), needed(nodes.size());
  for (Id id = 0; id < nodes.size(); ++id) {
    const auto operands = operands_of(nodes[id]);
    same[id] = is_same_for_all(nodes[id].op) &&
               std::all_of(operands.begin(), operands.end(), [&](Id operand) { return same[operand]; });
    if (same[id]) continue;
    for (const Id operand : operands) told[operand] = same[operand];
  }
  const auto use = [&](Id id) {
    if (id != kNone) told[id] = same[id];
  };
  for (const Region& region : symbolic.regions) use(region.condition.node);
  for (const Loop& loop : symbolic.loops)
    for (const Condition& stay : loop.stay) use(stay.node);
  for (const Access& access : symbolic.accesses) {
    use(access.offset);
    use(access.repeat);
  }
  for (Id id = static_cast<Id>(nodes.size()); id-- > 0;) {
    needed[id] = needed[id] || told[id];
    if (!needed[id]) continue;
    needed_.push_back(id);
    for (const Id operand : operands_of(nodes[id])) needed[operand] = true;
  }
  std::ranges::reverse(needed_);
  among_needed_.resize(nodes.size());
  for (size_t place = 0; place < needed_.size(); ++place) {
    const Id id = needed_[place];
    among_needed_[id] = place;
    if (told[id] && nodes[id].op != Op::constant) told_.push_back(place);
  }
}

std::vector<uint64_t> LaunchNumbers::of(const SymbolicFootprint& symbolic, const LaunchInputs& launch) const {
  std::vector<uint64_t> values, result;  // those of the needed nodes: a kernel may have thousands of others
  values.reserve(needed_.size());
  result.reserve(told_.size());
  const auto value_of = [&](Id id) { return values[among_needed_[id]]; };
  for (const Id id : needed_) {
    const Node& node = symbolic.nodes[id];
    values.push_back(masked(of_node(node, symbolic.nodes, value_of, launch), node.bits));
  }
  for (const size_t place : told_) result.push_back(values[place]);
  return result;
}

}  // namespace samcl::footprint
