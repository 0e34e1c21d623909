#include "libsamcl/commands/taking_over.h"

#include <algorithm>
#include <utility>

#include "libsamcl/backend/operations.h"
#include "libsamcl/objects/context.h"

namespace samcl {
namespace {

using engine::LaneKind;

// Ranges of one memory object beyond which it takes too long to bring them.
constexpr size_t kMostRanges = 64;
// A piece takes so many times as long, at least, as it takes to move something.
constexpr uint64_t kLeastOfLatency = 8;

bool has_many_ranges(std::span<const Bytes> all) {
  return std::ranges::any_of(all, [](const Bytes& bytes) { return bytes.ranges.size() > kMostRanges; });
}

// Of memory that is one for all nothing has to move.
std::vector<Bytes> bytes_of(const BufferAccess& access, std::span<const Range> ranges) {
  if (access.storage->shared() || ranges.empty()) return {};
  return {Bytes(access.storage, ranges)};
}

std::vector<Bytes> written_by(std::span<const BufferAccess> accesses, size_t part) {
  std::vector<Bytes> all;
  for (const BufferAccess& access : accesses)
    if (access.written) add(all, bytes_of(access, access.writes(part)));
  return all;
}
std::vector<Bytes> needed_by(std::span<const BufferAccess> accesses, size_t part) {
  std::vector<Bytes> all;
  for (const BufferAccess& access : accesses) add(all, bytes_of(access, access.needs(part)));
  return all;
}

std::span<const BufferAccess> all_of(const BufferAccesses& accesses) { return {accesses.data(), accesses.size()}; }

void add_accesses_of(Planner::Accesses& accesses, std::span<const Bytes> all, Place place, bool writes) {
  for (const Bytes& bytes : all)
    for (const Range& range : bytes.ranges) accesses.push_back({bytes.memory, place, range, writes});
}

}  // namespace

TakingOver::TakingOver(const LaunchRequest& request, const LaunchPlan& plan, Context& context)
    : request_(request),
      plan_(plan),
      context_(context),
      to_bring_(plan.parts.size()),
      division_(plan.parts.begin(), plan.parts.end()) {
  for (size_t p = 0; p < plan.parts.size(); ++p) found_.push_back(find(p));
}

TakingOver::Found TakingOver::find(size_t part) const {
  Found found;
  for (const BufferAccess& access : plan_.accesses) {
    std::vector<Range> needed;
    for (size_t p = 0; p < plan_.parts.size(); ++p)
      needed.insert(needed.end(), access.needs(p).begin(), access.needs(p).end());
    std::vector<Range> missing, at_host;
    for (const Range& range : needed) {
      for (const auto& piece : access.storage->directory().missing(range, plan_.parts[part].device)) {
        missing.push_back(piece.range);
        if (contains(piece.valid, kHost)) at_host.push_back(piece.range);
      }
    }
    add(found.there, without(bytes_of(access, needed), bytes_of(access, missing)));
    add(found.at_host, bytes_of(access, at_host));
  }
  return found;
}

SharedWork::Moving TakingOver::moving() {
  const uint64_t latency = context_.rates().latency;
  return {.ns = 2 * latency,
          .ns_per_place = moving_ns_per_place(),
          .least_ns = std::max(SharedWork::kLeastNs, kLeastOfLatency * latency),
          .may_run = [this](size_t by, const GroupBox& taken) {
            try {
              return may_run(by, taken);
            } catch (...) {  // no memory
              return false;
            }
          }};
}

double TakingOver::moving_ns_per_place() const {
  const unsigned dimension = plan_.cut_dimension();
  double written = 0, brought = 0, places = 0;
  for (size_t p = 0; p < plan_.parts.size(); ++p) {
    written += static_cast<double>(size_of(written_by(all_of(plan_.accesses), p)));
    brought += static_cast<double>(size_of(found_[p].at_host));
    places += static_cast<double>(plan_.parts[p].box.count[dimension]);
  }
  // What is at the host for each of them lies in the others' parts.
  brought /= static_cast<double>(plan_.parts.size() - 1);
  return (written / context_.rates().exchange + brought / context_.rates().host) / places;
}

void TakingOver::add_accesses(Planner::Accesses& accesses, size_t part) const {
  const unsigned device = plan_.parts[part].device;
  add_accesses_of(accesses, found_[part].there, device, false);
  add_accesses_of(accesses, found_[part].at_host, kHost, false);
  add_accesses_of(accesses, found_[part].at_host, device, true);
  for (size_t p = 0; p < plan_.parts.size(); ++p)
    add_accesses_of(accesses, written_by(all_of(plan_.accesses), p), device, true);
}

void TakingOver::add_accesses_to_bring_back(Planner::Accesses& accesses, size_t part) const {
  const std::vector<Bytes> written = written_by(all_of(plan_.accesses), part);
  for (size_t p = 0; p < plan_.parts.size(); ++p) add_accesses_of(accesses, written, plan_.parts[p].device, p == part);
}

// Whether its device has, or has got, what that box needs, and what it writes is its part's. What is between rows
// counts with them, so it is looked at again when some of it is taken by others.
bool TakingOver::finds_all(Taken& taken, const BufferAccesses& accesses, size_t box) const {
  const std::vector<Bytes> missing = without(needed_by(all_of(accesses), box), found_[taken.by].there);
  taken.written = written_by(all_of(accesses), box);
  return are_among(missing, taken.brought) && !has_many_ranges(taken.written) &&
         are_among(taken.written, written_by(all_of(plan_.accesses), taken.of));
}

// What is known of the parts is not enough: what one writes may lie between what was cut from another one.
bool TakingOver::may_run(size_t by, const GroupBox& box) {
  const unsigned dimension = plan_.cut_dimension();
  std::vector<Part> division = division_;
  const auto from = std::ranges::find_if(division, [&](const Part& part) {
    const uint64_t begin = part.box.first[dimension], end = begin + part.box.count[dimension];
    return begin <= box.first[dimension] && box.first[dimension] + box.count[dimension] == end;
  });
  if (from == division.end() || from->box == box) return false;
  const auto index = static_cast<size_t>(from - division.begin());
  from->box.count[dimension] -= box.count[dimension];
  division.push_back({plan_.parts[by].device, box});
  BufferAccesses accesses = accesses_of(*request_.kernel, *request_.arguments, plan_.ndrange, true);
  const PartitionCost cost = partition(accesses, *request_.kernel, *request_.arguments, plan_.ndrange, division);
  const bool are_known = std::ranges::all_of(accesses, [](const BufferAccess& access) {
    return !access.written || !access.shares.empty() || access.storage->shared();
  });
  if (cost.has_conflict || cost.is_entangled || !are_known) return false;
  const size_t parts = plan_.parts.size();
  std::vector<Taken> taken = taken_;
  Taken next{index < parts ? index : taken[index - parts].of, by, {}, {}};
  next.brought = without(needed_by(all_of(accesses), division.size() - 1), found_[by].there);
  if (!are_among(next.brought, found_[by].at_host) || has_many_ranges(next.brought)) return false;
  taken.push_back(next);
  for (size_t i = 0; i < taken.size(); ++i)
    if (!finds_all(taken[i], accesses, parts + i)) return false;
  to_bring_[by] = std::move(next.brought);
  division_ = std::move(division);
  taken_ = std::move(taken);
  return true;
}

cl_int TakingOver::bring(size_t by) {
  const unsigned device = plan_.parts[by].device;
  Traffic& traffic = request_.kernel->record.traffic;
  for (const Bytes& bytes : std::exchange(to_bring_[by], {})) {
    const engine::Exchange exchange{bytes.memory, kHost, device, bytes.ranges, &traffic};
    if (const cl_int error = execute(context_, {LaneKind::up, device}, exchange); error != CL_SUCCESS) return error;
  }
  return CL_SUCCESS;
}

cl_int TakingOver::bring_back(size_t part) const {
  const unsigned device = plan_.parts[part].device;
  Traffic& traffic = request_.kernel->record.traffic;
  for (const Taken& taken : taken_) {
    if (taken.of != part || taken.by == part) continue;
    for (const Bytes& bytes : taken.written) {
      const engine::Exchange exchange{bytes.memory, plan_.parts[taken.by].device, device, bytes.ranges, &traffic};
      if (const cl_int error = execute(context_, {LaneKind::up, device}, exchange); error != CL_SUCCESS) return error;
    }
  }
  return CL_SUCCESS;
}

}  // namespace samcl
