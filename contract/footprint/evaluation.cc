#include "contract/footprint/evaluation.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "contract/footprint/access_box.h"

namespace samcl::footprint {
namespace {

// More ranges than that per set are joined, or left out.
constexpr size_t kMostRanges = 64;
// Repetitions without gaps, up to so many, are one wide access.
constexpr Wide kWidest = 1 << 20;

}  // namespace

Evaluation::Evaluation(const SymbolicFootprint& symbolic, const LaunchInputs& launch, const GroupBox& box)
    : symbolic_(symbolic),
      launch_(launch),
      box_(box),
      variables_(symbolic),
      knowledge_(symbolic.regions.size()),
      cache_(symbolic.nodes.size()),
      gives_way_(symbolic.loops.size(), false) {}

std::vector<ArgumentFootprint> Evaluation::run(bool (*asks_for)(const Access&)) {
  std::vector<ArgumentFootprint> result(launch_.arguments.size());
  size_t next = 0;  // accesses are in the order of their regions
  for (Id region = 0; region < symbolic_.regions.size(); ++region) {
    region_ = region;
    here_ = &knowledge_[region];
    ++stamp_;
    enter(region);
    ++stamp_;
    for (; next < symbolic_.accesses.size() && symbolic_.accesses[next].region == region; ++next) {
      const Access& access = symbolic_.accesses[next];
      if (access.argument < result.size() && !here_->never && asks_for(access)) visit(access, result[access.argument]);
    }
  }
  return result;
}

void Evaluation::enter(Id id) {
  const Region& region = symbolic_.regions[id];
  if (region.parent == kNone) {
    here_->ranges.resize(variables_.count());
    for (unsigned d = 0; d < 3; ++d) {
      const Wide first = box_.first[d], count = box_.count[d];
      const Wide local = launch_.ndrange.local[d], global = launch_.ndrange.global[d];
      here_->ranges[Variables::group(d)] = {first, first + count - 1};
      here_->ranges[Variables::local(d)] = {0, local - 1};
      if (count == 0 || global == 0) here_->never = true;
      // A last work-group that is smaller.
      if ((first + count) * local > global)
        here_->require(Form(global - 1) - Form::of(Variables::group(d), local) - Form::of(Variables::local(d)),
                       variables_);
    }
    return;
  }
  *here_ = knowledge_[region.parent];
  if (here_->never) return;
  if (region.condition.node != kNone) {
    assume(region.condition.node, region.condition.when);
    if (region.loop != kNone && here_->exact && gives_way_[region.loop]) std::erase(here_->unsettled, region.loop);
    return;
  }
  const Loop& loop = symbolic_.loops[region.loop];
  const Variable round = Variables::round(region.loop);
  here_->ranges[round] = {0, kInfinite};
  Rounds best;
  for (const Condition& stay : loop.stay) {
    const Rounds these = rounds(region.loop, stay);
    if (these.most < best.most || loop.stay.size() == 1) best = these;
  }
  here_->ranges[round].high = best.most;
  gives_way_[region.loop] = loop.single_exit && loop.stay.size() == 1 && best.gives_way;
  if (region.left)
    here_->left.push_back(region.loop);
  else if (!loop.single_exit || loop.stay.size() != 1 || !best.same_for_all)
    here_->unsettled.push_back(region.loop);
}

void Evaluation::visit(const Access& access, ArgumentFootprint& result) {
  const uint64_t size = launch_.arguments[access.argument].buffer_bytes;
  const auto whole = [&] {
    if (reaches_) reach_anywhere(access);
    if (access.reads) result.reads = {true, {}};
    if (access.writes) result.may_write = {true, {}};
  };
  if (access.offset == kNone) return whole();
  Form offset = value(access.offset);
  if (const unsigned bits = symbolic_.nodes[access.offset].bits; bits < 64) {
    // Addresses wrap around, too: the offset has to be a number inside a buffer, or one before its start.
    auto number = size <= (uint64_t{1} << (bits - 1)) ? exactly(offset, bits, true) : std::nullopt;
    if (!number) number = exactly(offset, bits, false);
    if (!number) return whole();
    offset = *number;
  }
  uint64_t width = access.width, sure_width = access.sure_width;
  if (access.repeat != kNone) {
    const Interval times = bounds(access.repeat, false);
    if (times.high <= 0) return;
    if (!times.single()) sure_width = 0;
    if (access.stride == width && times.high <= kWidest) {
      if (sure_width < width) sure_width = 0;
      width *= static_cast<uint64_t>(times.high);
      sure_width *= static_cast<uint64_t>(times.high);
    } else {
      here_->ranges[variables_.repeat()] = {0, times.high - 1};
      offset = offset + Form::of(variables_.repeat(), Wide{access.stride});
      if (!offset.valid()) return whole();
    }
  }
  if (const Cases cases = cases_of(offset); cases.node != kNone) return visit_cases(cases, access, result);
  if (reaches_) return reach(access, offset, width);
  const AccessBox box = access_box(*here_, variables_, offset, width, sure_width);
  if (!box.known) return whole();
  for (const StridedRange& range : box.may) {
    for (const StridedRange& inside : clipped(range, {0, size})) {
      if (access.reads) add_generously(result.reads, inside, kMostRanges);
      if (access.writes) add_generously(result.may_write, inside, kMostRanges);
    }
  }
  for (const StridedRange& range : box.surely) {
    for (const StridedRange& inside : clipped(range, {0, size})) {
      if (access.reads) add_strictly(result.surely_reads, inside, kMostRanges);
      if (access.writes) add_strictly(result.surely_writes, inside, kMostRanges);
    }
  }
}

std::vector<Reach> Evaluation::reaches() {
  std::vector<Reach> all;
  reaches_ = &all;
  run();
  reaches_ = nullptr;
  return all;
}

void Evaluation::reach_anywhere(const Access& access) {
  reaches_->push_back({.argument = access.argument, .writes = access.writes, .is_anywhere = true});
}

// What grows faster than the launch's number are rows, whose distances have a common divisor; all else is within one.
void Evaluation::reach(const Access& access, const Form& offset, uint64_t width) {
  const auto farthest = std::numeric_limits<int64_t>::max() / 4;
  const auto is_near = [&](const Interval& range) { return range.low > -farthest && range.high < farthest; };
  const Interval all = here_->range(offset);
  if (all.empty()) return;
  const int64_t step = offset.factor(Variables::group(2));
  Form within(offset.constant());
  int64_t lattice = 0;
  for (const Term& term : offset) {
    if (term.variable == Variables::group(2)) continue;
    if (step != 0 && std::abs(term.factor) > std::abs(step))
      lattice = std::gcd(lattice, term.factor);
    else
      within = within + Form::of(term.variable, term.factor);
  }
  const Interval low = here_->range(within);
  if (!within.valid() || !is_near(all) || !is_near(low) || low.empty() || width > static_cast<uint64_t>(farthest))
    return reach_anywhere(access);
  const auto number = [](Wide value) { return static_cast<int64_t>(value); };
  const Wide wide = static_cast<Wide>(width);
  reaches_->push_back({.argument = access.argument,
                       .writes = access.writes,
                       .low = number(low.low),
                       .high = number(low.high + wide),
                       .step = step,
                       .lattice = lattice,
                       .all_low = number(all.low),
                       .all_high = number(all.high + wide)});
}

}  // namespace samcl::footprint
