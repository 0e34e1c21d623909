#include "libsamcl/plan/layers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "libsamcl/cost/layers.h"

namespace samcl {
namespace {

// What of a part its layers have, as divisors: the first that leaves the insides alone is taken.
constexpr std::array<uint64_t, 2> kShares{16, 4};

bool needs_others(const BufferAccess& access, size_t part, Place place) {
  Directory& directory = access.storage->directory();
  return std::ranges::any_of(access.needs(part), [&](const Range& range) {
    if (directory.missing_bytes(range, place) == 0) return false;
    const auto pieces = directory.missing(range, place);
    return std::ranges::any_of(
        pieces, [](const auto& piece) { return !contains(piece.valid, kHost) && !contains(piece.valid, kZeros); });
  });
}

bool writes_for_others(const BufferAccess& access, size_t part) {
  const std::vector<Halo::Pass>& passed = access.storage->halo().last();
  return std::ranges::any_of(access.shares[part].writes, [&](const Range& written) {
    return std::ranges::any_of(passed, [&](const Halo::Pass& pass) {
      return std::ranges::any_of(
          pass.ranges, [&](const Range& each) { return each.begin < written.end && written.begin < each.end; });
    });
  });
}

// Whether a part needs bytes that only other devices have, or writes what others got last time.
bool exchanges(const BufferAccesses& accesses, const Part& part, size_t index) {
  return std::ranges::any_of(accesses, [&](const BufferAccess& access) {
    return needs_others(access, index, access.storage->place_of(part.device)) ||
           (access.written && writes_for_others(access, index));
  });
}

bool knows_all_shares(const BufferAccesses& accesses) {
  return std::ranges::none_of(accesses, [](const BufferAccess& access) { return access.shares.empty(); });
}

// The launch with its parts so cut.
struct Layered {
  std::vector<Part> parts;
  BufferAccesses accesses;
  std::vector<bool> exchange;  // by part

  bool is_inside(size_t index, size_t insides) const { return index >= parts.size() - insides; }
  // Only layers do, and one at least.
  bool serves(size_t insides) const {
    bool any = false;
    for (size_t p = 0; p < parts.size(); ++p) {
      if (exchange[p] && is_inside(p, insides)) return false;
      any |= exchange[p];
    }
    return any;
  }
};

class Cutting {
 public:
  Cutting(LaunchPlan& plan, const LaunchRequest& request)
      : plan_(plan),
        request_(request),
        layers_(request.kernel->cost_model->layers),
        parts_(plan.parts.begin(), plan.parts.end()),
        dimension_(plan.cut_dimension()) {}

  bool cut() {
    if (const auto known = layers_.known(plan_.ndrange, parts_.size())) {
      auto layered = cut_by(*known);
      layers_.served(layered && layered->serves(insides(*known)));
      if (layered) take(std::move(*layered));
      return layered.has_value();
    }
    return knows_all_shares(plan_.accesses) && layers_.wants_trial() && find();
  }

 private:
  // As many parts keep an inside of their own.
  static size_t insides(const Cut& cut) { return cut.ends.size(); }

  bool find() {
    Cut cut{std::vector<Ends>(parts_.size()), 0};
    bool any = false;
    for (size_t p = 0; p < parts_.size(); ++p) {
      if (!exchanges(plan_.accesses, parts_[p], p)) continue;
      cut.ends[p] = {true, true};
      any = true;
    }
    if (!any) return false;
    for (const uint64_t share : kShares) {
      cut.share = share;
      const auto both = cut_by(cut);
      if (!both || !both->serves(insides(cut))) continue;
      const Cut needed = without_idle(cut, *both);
      auto layered = needed == cut ? both : cut_by(needed);
      if (!layered) continue;
      layers_.found(plan_.ndrange, needed);
      take(std::move(*layered));
      return true;
    }
    return false;
  }

  // Without the layers that exchange nothing. Layers come in the order of their parts.
  static Cut without_idle(Cut cut, const Layered& layered) {
    size_t layer = 0;
    for (Ends& ends : cut.ends) {
      if (ends.low) ends.low = layered.exchange[layer++];
      if (ends.high) ends.high = layered.exchange[layer++];
    }
    return cut;
  }

  // Nothing if too few work-groups are left, or not all would be known of such parts.
  std::optional<Layered> cut_by(const Cut& cut) const {
    Layered layered{with_layers(parts_, dimension_, cut), plan_.accesses, {}};
    size_t wanted = parts_.size();
    for (const Ends& ends : cut.ends) wanted += unsigned{ends.low} + unsigned{ends.high};
    if (layered.parts.size() != wanted || wanted == parts_.size()) return std::nullopt;
    const PartitionCost cost =
        partition(layered.accesses, *request_.kernel, *request_.arguments, plan_.ndrange, layered.parts);
    if (cost.has_conflict || cost.is_entangled || !knows_all_shares(layered.accesses)) return std::nullopt;
    for (size_t p = 0; p < layered.parts.size(); ++p)
      layered.exchange.push_back(exchanges(layered.accesses, layered.parts[p], p));
    return layered;
  }

  void take(Layered layered) {
    plan_.layers = layered.parts.size() - parts_.size();
    plan_.parts.assign(layered.parts.begin(), layered.parts.end());
    plan_.accesses = std::move(layered.accesses);
    plan_.written.clear();
  }

  LaunchPlan& plan_;
  const LaunchRequest& request_;
  Layers& layers_;
  const std::vector<Part> parts_;
  const unsigned dimension_;
};

}  // namespace

bool cut_layers(LaunchPlan& plan, const LaunchRequest& request) { return Cutting(plan, request).cut(); }

}  // namespace samcl
