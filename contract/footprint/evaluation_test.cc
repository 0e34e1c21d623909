// Footprints of random programs against the programs themselves, run work-item by work-item and round by
// round.
#include <gtest/gtest.h>

#include <cstring>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "base/test_seed.h"
#include "contract/footprint/footprint.h"
#include "contract/footprint/symbolic_footprint.h"

namespace samcl::footprint {
namespace {

constexpr uint64_t kBufferBytes = 4096;
constexpr int kMostRounds = 40;  // of a loop that is run; a program that takes more is left out

// Runs a program as a device would.
class Run {
 public:
  Run(const SymbolicFootprint& program, const LaunchInputs& launch, uint64_t seed)
      : symbolic_(program), launch_(launch), seed_(seed) {}

  std::set<uint64_t> reads, writes, sure, sure_reads;  // bytes of argument 0
  bool endless = false;

  void box(const GroupBox& box) {
    Index3 group, local;
    const Index3& size = launch_.ndrange.local;
    for (group[2] = box.first[2]; group[2] < box.first[2] + box.count[2]; ++group[2])
      for (group[1] = box.first[1]; group[1] < box.first[1] + box.count[1]; ++group[1])
        for (group[0] = box.first[0]; group[0] < box.first[0] + box.count[0]; ++group[0])
          for (local[2] = 0; local[2] < size[2]; ++local[2])
            for (local[1] = 0; local[1] < size[1]; ++local[1])
              for (local[0] = 0; local[0] < size[0]; ++local[0]) item(group, local);
  }

 private:
  void item(const Index3& group, const Index3& local) {
    for (unsigned d = 0; d < 3; ++d)
      if (group[d] * launch_.ndrange.local[d] + local[d] >= launch_.ndrange.global[d]) return;
    group_ = group;
    local_ = local;
    for (const Access& access : symbolic_.accesses) {
      std::vector<Id> chain;
      for (Id region = access.region; region != kNone; region = symbolic_.regions[region].parent)
        chain.push_back(region);
      rounds_.clear();
      follow(chain, chain.size() - 1, access);
    }
  }

  // Takes the regions chain[at], chain[at-1], ... chain[0] in turn.
  void follow(const std::vector<Id>& chain, size_t at, const Access& access) {
    const Region& region = symbolic_.regions[chain[at]];
    const auto on = [&] {
      if (at == 0)
        touch(access);
      else
        follow(chain, at - 1, access);
    };
    if (region.parent == kNone) return on();
    if (region.condition.node != kNone) {
      if (holds(region.condition)) on();
      return;
    }
    for (uint64_t round = 0;; ++round) {
      if (round > kMostRounds) {
        endless = true;
        break;
      }
      rounds_[region.loop] = round;
      bool stays = true;
      for (const Condition& stay : symbolic_.loops[region.loop].stay) stays = stays && holds(stay);
      if (!region.left || !stays) on();
      if (!stays) break;
    }
    rounds_.erase(region.loop);
  }

  void touch(const Access& access) {
    const uint64_t times = access.repeat == kNone ? 1 : value(access.repeat);
    if (times > kMostRounds) endless = true;
    for (uint64_t i = 0; i < times && !endless; ++i) {
      const int64_t start = extended(access.offset) + static_cast<int64_t>(i * access.stride);
      for (uint64_t byte = 0; byte < access.width; ++byte) {
        const int64_t at = start + static_cast<int64_t>(byte);
        if (at < 0 || at >= static_cast<int64_t>(kBufferBytes)) continue;
        if (access.reads) reads.insert(static_cast<uint64_t>(at));
        if (access.writes) writes.insert(static_cast<uint64_t>(at));
        if (byte >= access.sure_width) continue;
        if (access.reads) sure_reads.insert(static_cast<uint64_t>(at));
        if (access.writes) sure.insert(static_cast<uint64_t>(at));
      }
    }
  }

  bool holds(const Condition& condition) { return (value(condition.node) & 1) == (condition.when ? 1u : 0u); }

  static uint64_t masked(uint64_t value, unsigned bits) {
    return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1);
  }

  // As a signed integer.
  int64_t extended(Id id) {
    const unsigned bits = symbolic_.nodes[id].bits;
    const uint64_t number = value(id);
    return bits == 64 ? static_cast<int64_t>(number) : static_cast<int64_t>(number << (64 - bits)) >> (64 - bits);
  }

  // The same for a work-item whenever it is asked for.
  uint64_t by_chance(Id id) const {
    std::mt19937_64 random(seed_ ^ (id * 7919) ^ (group_[0] * 104729 + local_[0] * 31 + local_[1] * 37));
    return random() >> (random() % 64);
  }

  uint64_t value(Id id) {
    const Node& node = symbolic_.nodes[id];
    return masked(compute(id, node), node.bits);
  }

  uint64_t compute(Id id, const Node& node) {
    const Ndrange& n = launch_.ndrange;
    const unsigned d = node.a;
    const auto a = [&] { return value(node.a); };
    const auto b = [&] { return value(node.b); };
    const auto sa = [&] { return extended(node.a); };
    const auto sb = [&] { return extended(node.b); };
    switch (node.op) {
      case Op::constant: return static_cast<uint64_t>(node.value);
      case Op::argument: {
        uint64_t number = 0;
        for (unsigned i = 0; i < node.bits / 8u; ++i)
          number |= static_cast<uint64_t>(launch_.arguments[node.a].value[node.b + i]) << (8 * i);
        return number;
      }
      case Op::unknown: return by_chance(id);
      case Op::work_dim: return n.dimensions;
      case Op::group_id: return group_[d];
      case Op::local_id: return local_[d];
      case Op::global_id: return n.offset[d] + group_[d] * n.local[d] + local_[d];
      case Op::num_groups: return n.groups(d);
      case Op::local_size: return std::min(n.local[d], n.global[d] - group_[d] * n.local[d]);
      case Op::enqueued_local_size: return n.local[d];
      case Op::global_size: return n.global[d];
      case Op::global_offset: return n.offset[d];
      case Op::counter: return b() + value(node.c) * rounds_[node.a];
      case Op::add: return a() + b();
      case Op::subtract: return a() - b();
      case Op::multiply: return a() * b();
      case Op::multiply_24_signed:
      case Op::multiply_24_unsigned: {
        // Beyond 24 bits devices differ; this one looks at the low 24 of each.
        const auto low = [&](uint64_t number) {
          const uint64_t kept = masked(number, 24);
          const bool negative = node.op == Op::multiply_24_signed && node.bits > 24 && (kept >> 23) != 0;
          return negative ? kept | ~masked(~uint64_t{0}, 24) : kept;
        };
        return low(a()) * low(b());
      }
      case Op::divide_signed: return sb() == 0 || sb() == -1 ? 0 : static_cast<uint64_t>(sa() / sb());
      case Op::remainder_signed: return sb() == 0 || sb() == -1 ? 0 : static_cast<uint64_t>(sa() % sb());
      case Op::divide_unsigned: return b() == 0 ? 0 : a() / b();
      case Op::remainder_unsigned: return b() == 0 ? 0 : a() % b();
      case Op::shift_left: return b() >= node.bits ? 0 : a() << b();
      case Op::shift_right_signed: return b() >= node.bits ? 0 : static_cast<uint64_t>(sa() >> b());
      case Op::shift_right_unsigned: return b() >= node.bits ? 0 : a() >> b();
      case Op::bit_and: return a() & b();
      case Op::bit_or: return a() | b();
      case Op::bit_xor: return a() ^ b();
      case Op::minimum_signed: return static_cast<uint64_t>(std::min(sa(), sb()));
      case Op::maximum_signed: return static_cast<uint64_t>(std::max(sa(), sb()));
      case Op::minimum_unsigned: return std::min(a(), b());
      case Op::maximum_unsigned: return std::max(a(), b());
      case Op::absolute: return static_cast<uint64_t>(std::abs(sa()));
      case Op::sign_extend: return static_cast<uint64_t>(sa());
      case Op::zero_extend:
      case Op::truncate: return a();
      case Op::up_to: {
        const uint64_t most = a();
        return most == UINT64_MAX ? by_chance(id) : by_chance(id) % (most + 1);
      }
      case Op::select: return (a() & 1) != 0 ? b() : value(node.c);
      case Op::either: return (seed_ + id) % 2 != 0 ? a() : b();
      case Op::equal: return a() == b();
      case Op::less_signed: return sa() < sb();
      case Op::less_unsigned: return a() < b();
      case Op::both: return a() & b() & 1;
      case Op::negation: return (a() & 1) ^ 1;
    }
    return 0;
  }

  const SymbolicFootprint& symbolic_;
  const LaunchInputs& launch_;
  const uint64_t seed_;
  Index3 group_{}, local_{};
  std::map<Id, uint64_t> rounds_;
};

// Makes programs that look like kernels, of few bits so that numbers wrap around now and then.
class ProgramGenerator {
 public:
  explicit ProgramGenerator(uint64_t seed) : random_(seed) {}

  uint64_t below(uint64_t end) { return random_() % end; }
  bool chance(unsigned percent) { return below(100) < percent; }

  SymbolicFootprint program() {
    result_ = {};
    bits_ = std::array<uint8_t, 4>{8, 12, 16, 32}[below(4)];
    result_.regions.push_back({});
    rounds_ = {};
    region_ = 0;
    block(0);
    return std::move(result_);
  }

 private:
  Id node(Op op, unsigned bits, Id a = kNone, Id b = kNone, Id c = kNone, int64_t value = 0) {
    result_.nodes.push_back({op, static_cast<uint8_t>(bits), a, b, c, value});
    return static_cast<Id>(result_.nodes.size() - 1);
  }
  Id constant(int64_t value) { return node(Op::constant, bits_, kNone, kNone, kNone, value); }
  Id small() { return constant(static_cast<int64_t>(below(9)) - (chance(30) ? 4 : 0)); }

  Id leaf() {
    switch (below(9)) {
      case 0: return small();
      case 1: return node(Op::argument, bits_ == 12 ? 16 : bits_, 1 + static_cast<Id>(below(2)), 0);
      case 2: return node(Op::local_id, bits_, static_cast<Id>(below(2)));
      case 3: return node(Op::group_id, bits_, static_cast<Id>(below(2)));
      case 4: return chance(30) ? node(Op::unknown, bits_, kNone, kNone, kNone, chance(50)) : small();
      case 5: {
        const Op sizes[] = {Op::local_size, Op::num_groups, Op::global_size, Op::global_offset,
                            Op::enqueued_local_size};
        return node(sizes[below(5)], bits_, static_cast<Id>(below(2)));
      }
      case 6:
      case 7:
        if (!rounds_.empty()) return rounds_[below(rounds_.size())];
        [[fallthrough]];
      default: return node(Op::global_id, bits_, static_cast<Id>(below(2)));
    }
  }

  Id fitted(Id id, unsigned bits) {
    const unsigned own = result_.nodes[id].bits;
    if (own == bits) return id;
    return node(own > bits ? Op::truncate : chance(50) ? Op::sign_extend : Op::zero_extend, bits, id);
  }

  Id integer(int depth) {
    if (depth <= 0 || chance(15)) return fitted(leaf(), bits_);
    const Id a = integer(depth - 1);
    if (chance(10)) {
      // Another width in between.
      const unsigned between = chance(50) ? bits_ + 8u : bits_ - 4u;
      return fitted(fitted(a, between), bits_);
    }
    if (chance(5)) return node(Op::up_to, bits_, a);
    const uint64_t kind = below(20);
    if (kind < 6) return node(Op::add, bits_, a, integer(depth - 1));
    if (kind < 8) return node(Op::subtract, bits_, a, integer(depth - 1));
    if (kind < 12) return node(Op::multiply, bits_, a, chance(80) ? small() : integer(depth - 1));
    if (kind < 13) return node(Op::select, bits_, condition(0, depth - 1), a, integer(depth - 1), chance(50));
    if (kind < 14) return node(Op::either, bits_, a, integer(depth - 1), kNone, chance(50));
    const Op others[] = {Op::divide_signed,
                         Op::divide_unsigned,
                         Op::remainder_signed,
                         Op::remainder_unsigned,
                         Op::shift_left,
                         Op::shift_right_signed,
                         Op::shift_right_unsigned,
                         Op::bit_and,
                         Op::bit_or,
                         Op::bit_xor,
                         Op::minimum_signed,
                         Op::minimum_unsigned,
                         Op::maximum_signed,
                         Op::maximum_unsigned,
                         Op::multiply_24_signed,
                         Op::multiply_24_unsigned};
    return node(others[below(std::size(others))], bits_, a, chance(75) ? small() : integer(depth - 1));
  }

  Id condition(int depth, int width = 2) {
    const uint64_t kind = below(10);
    if (kind < 2 && depth > 0) {
      const Id a = condition(depth - 1);
      return node(Op::both, 1, a, condition(depth - 1));
    }
    if (kind < 3 && depth > 0) return node(Op::negation, 1, condition(depth - 1));
    const Id a = integer(width), b = integer(width - 1);
    return node(kind < 4 ? Op::equal : kind < 7 ? Op::less_signed : Op::less_unsigned, 1, a, b);
  }

  void access() {
    Access access;
    access.region = region_;
    const Id index = integer(3);
    Id offset = node(chance(50) ? Op::sign_extend : Op::zero_extend, 64, index);
    const Id scale = node(Op::constant, 64, kNone, kNone, kNone, static_cast<int64_t>(1 + below(8)));
    offset = node(Op::multiply, 64, offset, scale);
    const Id base = node(Op::constant, 64, kNone, kNone, kNone, chance(50) ? 0 : 2000);
    access.offset = node(Op::add, 64, offset, base);
    access.width = 1 + below(8);
    access.reads = chance(40);
    access.writes = !access.reads || chance(20);
    if (access.writes) access.sure_width = 1 + below(access.width);
    if (chance(10)) {
      access.repeat = fitted(integer(1), bits_);
      access.stride = 1 + below(10);
    }
    result_.accesses.push_back(access);
  }

  void block(int depth) {
    const unsigned count = 1 + static_cast<unsigned>(below(2));
    for (unsigned i = 0; i < count; ++i) access();
    if (depth >= 3) return;
    if (chance(60)) {
      Region region;
      region.parent = region_;
      region.condition = {condition(1), chance(50)};
      enter(region, depth);
    }
    if (chance(50)) loop(depth);
  }

  void enter(const Region& region, int depth) {
    result_.regions.push_back(region);
    const Id outside = region_;
    region_ = static_cast<Id>(result_.regions.size() - 1);
    block(depth + 1);
    region_ = outside;
  }

  void loop(int depth) {
    const Id number = static_cast<Id>(result_.loops.size());
    result_.loops.emplace_back();
    const Id start = integer(1);
    const Id step = chance(70) ? constant(chance(60) ? 1 : -1) : fitted(leaf_without_rounds(), bits_);
    const Id counter = node(Op::counter, bits_, number, start, step);
    Id compared = counter;
    if (chance(20)) compared = fitted(counter, bits_ + 8u);
    if (chance(20))
      compared = node(Op::add, result_.nodes[compared].bits, compared, fitted(step, result_.nodes[compared].bits));
    const Id bound = fitted(integer(1), result_.nodes[compared].bits);
    const Op tests[] = {Op::less_signed, Op::less_unsigned, Op::equal};
    const Op test = tests[below(3)];
    const bool swap = chance(40);
    const Id stay = node(test, 1, swap ? bound : compared, swap ? compared : bound);
    Condition condition{stay, test == Op::equal ? false : chance(70)};
    result_.loops[number].stay.push_back(condition);
    result_.loops[number].single_exit = true;

    Region entered;
    entered.parent = region_;
    entered.loop = number;
    const size_t had = rounds_.size();
    rounds_.push_back(counter);
    if (chance(30)) {
      Region after = entered;
      after.left = true;
      enter(after, depth + 1);
    }
    const Id outside = region_;
    result_.regions.push_back(entered);
    region_ = static_cast<Id>(result_.regions.size() - 1);
    if (chance(40)) access();
    Region inside;
    inside.parent = region_;
    inside.condition = condition;
    inside.loop = number;
    enter(inside, depth + 1);
    region_ = outside;
    rounds_.resize(had);
  }

  Id leaf_without_rounds() {
    const std::vector<Id> kept = std::move(rounds_);
    rounds_.clear();
    const Id id = leaf();
    rounds_ = kept;
    return id;
  }

  std::mt19937_64 random_;
  SymbolicFootprint result_;
  unsigned bits_ = 8;
  Id region_ = 0;
  std::vector<Id> rounds_;  // counters of the loops around
};

std::set<uint64_t> bytes_of(const ByteSet& set) {
  std::set<uint64_t> bytes;
  for (const StridedRange& range : set.ranges)
    for (uint64_t row = 0; row < range.count; ++row)
      for (uint64_t byte = range.row(row).begin; byte < range.row(row).end; ++byte) bytes.insert(byte);
  return bytes;
}

bool includes(const std::set<uint64_t>& outer, const std::set<uint64_t>& inner) {
  return std::includes(outer.begin(), outer.end(), inner.begin(), inner.end());
}

struct Tally {
  unsigned programs = 0, endless = 0, known_writes = 0, sure_writes = 0, sure_reads = 0, same_numbers = 0;
};

SymbolicFootprint random_program(ProgramGenerator& generator) {
  SymbolicFootprint program = generator.program();
  std::stable_sort(program.accesses.begin(), program.accesses.end(),
                   [](const Access& a, const Access& b) { return a.region < b.region; });
  return program;
}

// Of two dimensions; the last work-groups may be smaller.
Ndrange random_ndrange(ProgramGenerator& generator) {
  Ndrange ndrange;
  ndrange.dimensions = 2;
  ndrange.local = {1 + generator.below(5), 1 + generator.below(3), 1};
  for (unsigned d = 0; d < 2; ++d) {
    const uint64_t groups = 1 + generator.below(4), local = ndrange.local[d];
    ndrange.global[d] = groups * local - (generator.chance(30) ? generator.below(local) : 0);
    if (generator.chance(30)) ndrange.offset[d] = generator.below(5);
  }
  return ndrange;
}

void check(uint64_t seed, Tally& tally) {
  ProgramGenerator generator(seed);
  const SymbolicFootprint program = random_program(generator);
  SymbolicFootprint pruned = program;
  if (generator.chance(50)) prune(pruned);
  const auto parsed = Footprint::parse(to_text(pruned));
  ASSERT_TRUE(parsed) << parsed.error().message;

  LaunchInputs launch;
  launch.ndrange = random_ndrange(generator);
  GroupBox box;
  for (unsigned d = 0; d < 2; ++d) {
    const uint64_t groups = launch.ndrange.groups(d);
    box.first[d] = generator.below(groups);
    box.count[d] = 1 + generator.below(groups - box.first[d]);
  }
  std::array<std::array<std::byte, 4>, 2> values{};
  for (auto& value : values) {
    const int32_t number = static_cast<int32_t>(generator.below(20)) - (generator.chance(20) ? 10 : 0);
    std::memcpy(value.data(), &number, 4);
  }
  const ArgumentValue arguments[] = {{{}, kBufferBytes}, {values[0], 0}, {values[1], 0}};
  launch.arguments = arguments;

  ++tally.programs;
  Run run(program, launch, seed);
  run.box(box);
  if (run.endless) {
    ++tally.endless;
    return;
  }
  const ArgumentFootprint found = parsed->evaluate(launch, box)[0];
  const std::string story = "seed " + std::to_string(seed) + ": " + to_text(program);
  EXPECT_TRUE(found.reads.whole || includes(bytes_of(found.reads), run.reads)) << "reads, " << story;
  EXPECT_TRUE(found.may_write.whole || includes(bytes_of(found.may_write), run.writes)) << "possible writes, " << story;
  EXPECT_TRUE(!found.surely_writes.whole && includes(run.sure, bytes_of(found.surely_writes)))
      << "sure writes, " << story;
  EXPECT_TRUE(!found.surely_reads.whole && includes(run.sure_reads, bytes_of(found.surely_reads)))
      << "sure reads, " << story;

  // What other arguments with the same numbers touch is in these sets, too.
  const auto numbers = parsed->numbers(launch);
  const auto before = values;
  for (auto& value : values) {
    const int32_t number = static_cast<int32_t>(generator.below(20)) - (generator.chance(20) ? 10 : 0);
    std::memcpy(value.data(), &number, 4);
  }
  if (values != before && parsed->numbers(launch) == numbers) {
    Run other(program, launch, seed);
    other.box(box);
    EXPECT_TRUE(other.endless || found.reads.whole || includes(bytes_of(found.reads), other.reads))
        << "reads with other arguments, " << story;
    EXPECT_TRUE(other.endless || found.may_write.whole || includes(bytes_of(found.may_write), other.writes))
        << "possible writes with other arguments, " << story;
    EXPECT_TRUE(other.endless || includes(other.sure, bytes_of(found.surely_writes)))
        << "sure writes with other arguments, " << story;
    ++tally.same_numbers;
  }
  if (!found.surely_reads.empty()) ++tally.sure_reads;
  if (!found.may_write.whole) ++tally.known_writes;
  if (!found.surely_writes.empty()) ++tally.sure_writes;
}

bool holds(const Reach& reach, int64_t launch, uint64_t byte) {
  if (reach.is_anywhere) return true;
  const auto at = static_cast<int64_t>(byte);
  if (at < reach.all_low || at >= reach.all_high) return false;
  const int64_t past = at - reach.low - launch * reach.step, width = reach.high - reach.low;
  if (reach.lattice == 0) return past >= 0 && past < width;
  return (past % reach.lattice + reach.lattice) % reach.lattice < width;
}

struct GatheredTally {
  unsigned programs = 0, known = 0, apart = 0;
};

// Has the first access move on with an argument, as planes do.
void move_on(SymbolicFootprint& program, ProgramGenerator& generator) {
  const auto node = [&](const Node& next) {
    program.nodes.push_back(next);
    return static_cast<Id>(program.nodes.size() - 1);
  };
  const Id argument = node({.op = Op::argument, .bits = 32, .a = 1, .b = 0});
  const Id extended = node({.op = Op::sign_extend, .bits = 64, .a = argument});
  const Id plane = node({.op = Op::constant, .bits = 64, .value = static_cast<int64_t>(8 << generator.below(6))});
  const Id start = node({.op = Op::multiply, .bits = 64, .a = extended, .b = plane});
  Access& access = program.accesses.front();
  access.offset = node({.op = Op::add, .bits = 64, .a = access.offset, .b = start});
}

// Launches one after the other, whose arguments grow, against what is said of all of them together.
void check_gathered(uint64_t seed, GatheredTally& tally) {
  ProgramGenerator generator(seed);
  SymbolicFootprint program = random_program(generator);
  if (generator.chance(50)) {
    program.accesses.resize(1);
    if (generator.chance(70)) move_on(program, generator);
  }
  const Footprint footprint = Footprint::parse(to_text(program)).value();
  LaunchInputs one;
  one.ndrange = random_ndrange(generator);
  const uint64_t launches = 2 + generator.below(5);
  std::array<int32_t, 2> first{};
  std::array<int64_t, 3> steps{};
  for (size_t i = 0; i < first.size(); ++i) {
    first[i] = static_cast<int32_t>(generator.below(20)) - (generator.chance(20) ? 10 : 0);
    if (generator.chance(70))
      steps[i + 1] = static_cast<int64_t>(generator.below(13)) * (generator.chance(20) ? -1 : 1);
  }

  std::vector<std::set<uint64_t>> reads, writes;
  for (uint64_t launch = 0; launch < launches; ++launch) {
    std::array<int32_t, 2> values = first;
    for (size_t i = 0; i < values.size(); ++i)
      values[i] += static_cast<int32_t>(steps[i + 1]) * static_cast<int32_t>(launch);
    const ArgumentValue arguments[] = {
        {{}, kBufferBytes}, {std::as_bytes(std::span(&values[0], 1)), 0}, {std::as_bytes(std::span(&values[1], 1)), 0}};
    one.arguments = arguments;
    Run run(program, one, seed);
    run.box({{}, one.ndrange.groups()});
    if (run.endless) return;
    reads.push_back(run.reads);
    writes.push_back(run.writes);
  }
  ++tally.programs;

  const ArgumentValue arguments[] = {
      {{}, kBufferBytes}, {std::as_bytes(std::span(&first[0], 1)), 0}, {std::as_bytes(std::span(&first[1], 1)), 0}};
  LaunchInputs all{one.ndrange, arguments, steps};
  all.ndrange.dimensions = 3;
  all.ndrange.global[2] = launches;
  const std::vector<Reach> reaches = footprint.reaches(all);
  const std::string story = "seed " + std::to_string(seed) + ": " + to_text(program);
  const auto reached = [&](uint64_t launch, uint64_t byte, bool writing) {
    return std::ranges::any_of(reaches, [&](const Reach& reach) {
      return (reach.writes || !writing) && holds(reach, static_cast<int64_t>(launch), byte);
    });
  };
  for (uint64_t launch = 0; launch < launches; ++launch) {
    for (const uint64_t byte : reads[launch]) ASSERT_TRUE(reached(launch, byte, false)) << "reads, " << story;
    for (const uint64_t byte : writes[launch]) ASSERT_TRUE(reached(launch, byte, true)) << "writes, " << story;
  }
  tally.known += std::ranges::none_of(reaches, &Reach::is_anywhere);
  const ReachPlace places[3] = {};
  if (reaches.empty() || !launches_are_apart({reaches, places, launches}, {reaches, places, launches})) return;
  tally.apart += std::ranges::any_of(reaches, &Reach::writes);
  for (uint64_t a = 0; a < launches; ++a)
    for (const uint64_t byte : writes[a])
      for (uint64_t b = 0; b < launches; ++b)
        ASSERT_TRUE(a == b || (!reads[b].contains(byte) && !writes[b].contains(byte))) << story;
}

TEST(Evaluation, of_launches_that_are_gathered_is_never_too_small_and_what_is_apart_is) {
  const TestSeed first;
  const uint64_t programs = test_number("SAMCL_TEST_COUNT", 600);
  GatheredTally tally;
  for (uint64_t i = 0; i < programs && !HasFailure(); ++i) check_gathered(first + i, tally);
  std::cout << tally.programs << " programs, " << tally.known << " known, " << tally.apart << " apart\n";
  EXPECT_GT(tally.known, tally.programs / 4);
  EXPECT_GT(tally.apart, tally.programs / 50);
}

// Found by chance: under its conditions the divisor has no value at all.
TEST(Evaluation, of_a_division_that_nothing_gets_to_ends) {
  Tally tally;
  check(436063000, tally);
  EXPECT_EQ(tally.programs, 1u);
}

TEST(Evaluation, of_random_programs_is_never_too_small_and_sure_writes_are_never_too_many) {
  const TestSeed first;
  const uint64_t programs = test_number("SAMCL_TEST_COUNT", 2500);
  Tally tally;
  for (uint64_t i = 0; i < programs && !HasFailure(); ++i) check(first + i, tally);
  std::cout << tally.programs << " programs, " << tally.endless << " too long to run, " << tally.known_writes
            << " with known writes, " << tally.sure_writes << " with sure ones\n";
  EXPECT_GT(tally.sure_writes, tally.programs / 20);
  EXPECT_GT(tally.sure_reads, tally.programs / 50);
  EXPECT_GT(tally.same_numbers, tally.programs / 50);
}

// The numbers of a launch say all of it: with other arguments for which they are the same, the same bytes are touched.
TEST(Evaluation, depends_on_nothing_but_the_numbers_of_a_launch) {
  // (argument 0 % 2 ? 0 : 512) + global id * argument 1
  SymbolicFootprint symbolic;
  symbolic.regions.resize(1);
  symbolic.nodes = {{.op = Op::argument, .a = 0, .b = 0},
                    {.op = Op::constant, .value = 2},
                    {.op = Op::remainder_unsigned, .a = 0, .b = 1},
                    {.op = Op::constant, .value = 0},
                    {.op = Op::equal, .bits = 1, .a = 2, .b = 3},
                    {.op = Op::constant, .value = 512},
                    {.op = Op::select, .a = 4, .b = 5, .c = 3},
                    {.op = Op::global_id, .a = 0},
                    {.op = Op::argument, .a = 1, .b = 0},
                    {.op = Op::multiply, .a = 7, .b = 8},
                    {.op = Op::add, .a = 6, .b = 9}};
  Access access;
  access.argument = 2;
  access.offset = 10;
  access.writes = true;
  symbolic.accesses = {access};
  const Footprint footprint = Footprint::parse(to_text(symbolic)).value();
  Ndrange ndrange;
  ndrange.global[0] = ndrange.local[0] = 4;
  const auto of = [&](uint64_t first, uint64_t second) {
    const std::vector<ArgumentValue> values = {
        {std::as_bytes(std::span(&first, 1)), 0}, {std::as_bytes(std::span(&second, 1)), 0}, {{}, 4096}};
    const LaunchInputs launch{ndrange, values};
    return std::pair(footprint.numbers(launch), footprint.evaluate(launch)[2].may_write.ranges);
  };
  EXPECT_EQ(of(3, 1), of(999, 1));
  EXPECT_EQ(of(4, 1), of(1000, 1));
  EXPECT_NE(of(3, 1).first, of(4, 1).first);
  EXPECT_NE(of(3, 1).first, of(3, 2).first);
  EXPECT_EQ(of(4, 1).second, (std::vector<StridedRange>{{512, 4, 0, 1}}));
}

TEST(Evaluation, of_a_text_that_was_tampered_with_is_an_error_or_some_answer) {
  const uint64_t first = std::random_device{}();
  std::cout << "seed " << first << std::endl;
  unsigned accepted = 0;
  for (uint64_t seed = first; seed < first + 300; ++seed) {
    ProgramGenerator generator(seed);
    SymbolicFootprint program = generator.program();
    std::istringstream words(to_text(program));
    std::vector<std::string> numbers(std::istream_iterator<std::string>(words), {});
    numbers[generator.below(numbers.size())] = std::to_string(static_cast<int64_t>(generator.below(70)) - 2);
    std::string text;
    for (const std::string& number : numbers) text += number + " ";
    const auto parsed = Footprint::parse(text);
    if (!parsed) continue;
    ++accepted;
    const ArgumentValue arguments[] = {{{}, kBufferBytes}, {}, {}};
    EXPECT_EQ(parsed->evaluate({{2, {0, 0, 0}, {8, 6, 1}, {4, 3, 1}}, arguments}).size(), 3u);
  }
  EXPECT_GT(accepted, 0u);
}

}  // namespace
}  // namespace samcl::footprint
