#include "libsamcl/plan/launch_plan.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "libsamcl/driver/local_size.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/plan/beside.h"

namespace samcl {
namespace {

// Images of the driver's own are the first device's, and where addresses lead that are found in memory.
bool bound_to_first_device(const LaunchRequest& request) {
  const Arguments& arguments = *request.arguments;
  return !request.reachable.empty() || std::any_of(arguments.begin(), arguments.end(), [](const Argument& argument) {
    return argument.is_first_devices();
  });
}

BufferAccesses accesses_of(const LaunchRequest& request) {
  BufferAccesses accesses = accesses_of(*request.kernel, *request.arguments, request.ndrange, request.has_local);
  for (const auto& allocation : request.reachable) {
    const auto same = [&](const BufferAccess& access) { return access.storage == allocation->storage; };
    accesses.erase(std::remove_if(accesses.begin(), accesses.end(), same), accesses.end());
    accesses.push_back(
        {.storage = allocation->storage, .range = allocation->range, .written = true, .width = 1, .shares = {}});
  }
  return accesses;
}

bool in_one_memory(const BufferAccesses& accesses) {
  return std::all_of(accesses.begin(), accesses.end(), [](const BufferAccess& a) { return a.storage->shared(); });
}

class Options {
 public:
  Options(const LaunchRequest& request, const Context& context)
      : request_(request),
        kernel_(*request.kernel),
        context_(context),
        bound_(bound_to_first_device(request)),
        may_hold_(context.may_hold() && !context.device->is_mixed() && kernel_.translation &&
                  !kernel_.translation->orders_memory) {}

  LaunchOptions make(Interest interest, OnePiece piece) {
    LaunchOptions options = make_ways(interest, piece);
    const RealDevice& device = *context_.devices[options.whole.parts[0].device];
    if (context_.survives() || beside::pays(request_, context_, device)) find_shares(options.whole);
    return options;
  }
  // NOLINTBEGIN(clang-analyzer-core.StackAddressEscape): accesses_ is gone with this object, which only makes.
  std::unique_ptr<LaunchPlan> make_on(std::span<const unsigned> devices) {
    const LaunchPlan original = whole();
    accesses_ = &original.accesses;
    may_hold_ = false;
    if (!why_not_in_parts().empty() || !why_not_on_several(devices.size()).empty()) return nullptr;
    auto plan = std::make_unique<LaunchPlan>(original);
    plan->original = false;
    if (!choose_local_size(*plan) || !cut_in_parts(*plan, devices).empty()) return nullptr;
    return plan;
  }
  uint64_t written_whole() const {
    LaunchPlan plan = whole();
    if (!why_not_in_parts().empty() || !choose_local_size(plan)) return 0;
    return written_in_one_piece(kernel_, *request_.arguments, plan.ndrange);
  }

 private:
  LaunchOptions make_ways(Interest interest, OnePiece piece) {
    LaunchOptions options{whole(), nullptr, {}, nullptr};
    accesses_ = &options.whole.accesses;
    options.why_not_split = why_not_in_parts();
    if (!options.why_not_split.empty()) return options;
    const bool in_parts_too = interest == Interest::parts;
    const auto devices = in_parts_too ? devices_for_it() : context_.devices_in_use();
    options.why_not_split = why_not_on_several(devices.size());
    if (!in_parts_too && options.why_not_split.empty()) options.why_not_split = kPartsMayNotPay;
    if (devices.size() == 1 && context_.devices_in_use().size() > 1) options.why_not_split = kOtherBytes;
    const bool slices = piece != OnePiece::original && kernel_.translation->may_slice;
    if (!options.why_not_split.empty() && !slices) return options;
    LaunchPlan in_parts = options.whole;
    in_parts.original = false;
    if (!choose_local_size(in_parts)) {
      options.why_not_split = "local size left to the driver, which does not tell it";
      return options;
    }
    if (options.why_not_split.empty()) {
      LaunchPlan split = in_parts;
      options.why_not_split = cut_in_parts(split, {devices.data(), devices.size()});
      if (options.why_not_split.empty()) options.split = std::make_unique<LaunchPlan>(std::move(split));
    }
    // The one piece that a manager can have cut into slices.
    if (!slices) return options;
    const unsigned device = piece == OnePiece::sliced ? devices[0] : options.whole.parts[0].device;
    cut(in_parts, std::array{bound_ ? 0u : device});
    if (piece == OnePiece::sliced)
      options.whole = std::move(in_parts);
    else
      options.sliced = std::make_unique<LaunchPlan>(std::move(in_parts));
    return options;
  }
  // NOLINTEND(clang-analyzer-core.StackAddressEscape)

  // Which bytes the original uses in one piece, if these are not too many ranges to follow each: what it leaves alone
  // need not be kept in case its device is lost.
  void find_shares(LaunchPlan& original) const {
    if (!original.original || bound_ || !why_not_in_parts().empty()) return;
    const KernelTranslation& known = *kernel_.translation;
    const bool is_told_local_size = request_.has_local || known.required_work_group_size;
    if (!known.may_slice || (!is_told_local_size && known.depends_on_local_size)) return;
    LaunchPlan sized = original;
    if (!choose_local_size(sized)) return;
    const std::vector<Part> all{{original.parts[0].device, {{0, 0, 0}, sized.ndrange.groups()}}};
    partition(original.accesses, kernel_, *request_.arguments, sized.ndrange, all);
    for (BufferAccess& access : original.accesses) {
      if (access.needs(0).size() > kMostFollowed || access.writes(0).size() > kMostFollowed) access.shares.clear();
    }
  }

  // Of those in use as many as launches are to have parts on, and that give the bytes of the first kind, of which there
  // is one at least.
  SmallVector<unsigned, 8> devices_for_it() const {
    auto in_use = context_.devices_in_use();
    if (context_.may_be_narrower() && in_use.size() > context_.width.now()) in_use.resize(context_.width.now());
    if (!context_.device->joins_exactly()) return in_use;
    const std::vector<unsigned>& kinds = context_.device->kinds;
    SmallVector<unsigned, 8> first, others;
    for (const unsigned device : in_use) {
      if (kinds[device] == 0)
        first.push_back(device);
      else if (!kernel_.cost_model->self_tests.is_apart(kinds[device]))
        others.push_back(device);
    }
    if (first.empty()) return {0u};
    first.insert(first.end(), others.begin(), others.end());
    return first;
  }

  unsigned device_of_whole() const {
    const Build& build = *kernel_.build;
    if (bound_) return 0;
    const bool moves = contains(context_.lost(), build.fallback_device) && build.is_movable;
    return moves ? context_.devices_in_use().front() : build.fallback_device;
  }

  LaunchPlan whole() const {
    LaunchPlan plan;
    plan.ndrange = request_.ndrange;
    plan.pass_local = request_.has_local;
    plan.is_bound = bound_;
    plan.parts.push_back({device_of_whole(), {{0, 0, 0}, {1, 1, 1}}});
    plan.accesses = accesses_of(request_);
    return plan;
  }

  std::string_view why_not_in_parts() const {
    if (!kernel_.build->why_one_device.empty()) return kernel_.build->why_one_device;
    if (!kernel_.translation) return "the translator does not know this kernel";
    const std::string_view why = kernel_.translation->why_not_split;
    if (kernel_.sub_kernels.empty()) return why.empty() ? "not built for several devices" : why;
    return "";
  }

  std::string_view why_not_on_several(size_t devices) const {
    const bool one_memory = in_one_memory(*accesses_);
    const bool mixed =
        std::any_of(accesses_->begin(), accesses_->end(), [](const BufferAccess& a) { return a.is_mixed; });
    if (mixed && !one_memory) return "uses atomics on memory that another argument shows, too";
    const bool has_part =
        std::any_of(request_.arguments->begin(), request_.arguments->end(),
                    [](const Argument& argument) { return argument.buffer && argument.buffer->parent; });
    if (has_part && context_.devices[0]->is_remote) return "uses sub-buffers, which PoCL's remote driver loses";
    const bool has_image =
        std::any_of(accesses_->begin(), accesses_->end(), [](const BufferAccess& a) { return a.storage->layout(); });
    if (has_image && context_.device->is_mixed()) return "uses images, on devices that are not alike";
    const KernelTranslation& known = *kernel_.translation;
    if (needs_one_memory(known)) {
      if (!(one_memory || may_hold_) || !known.splits_in_one_memory) return known.why_not_split;
      if (known.exchanges && context_.devices[0]->runs_groups_in_order()) return known.why_not_split;
    }
    if (devices == 1) return "its mode is one device";
    return bound_ ? "uses memory that only the first device has" : "";
  }

  // Whether the parts of the NDRange can be given the local size that the whole would have got.
  bool choose_local_size(LaunchPlan& plan) const {
    plan.pass_local = true;
    if (request_.has_local) return true;
    const KernelTranslation& known = *kernel_.translation;
    Ndrange& ndrange = plan.ndrange;
    if (known.required_work_group_size) {
      for (unsigned d = 0; d < 3; ++d) ndrange.local[d] = (*known.required_work_group_size)[d];
      return true;
    }
    std::array<size_t, 3> offset{}, global{};
    std::copy(ndrange.offset.begin(), ndrange.offset.end(), offset.begin());
    std::copy(ndrange.global.begin(), ndrange.global.end(), global.begin());
    if (!known.depends_on_local_size) {
      const size_t row = context_.devices[0]->compiles_for_each_local_size ? driver::row_for_all_pieces(global) : 0;
      plan.pass_local = row > 0;
      ndrange.local = {row > 0 ? row : std::min(kFreeGroup, ndrange.global[0]), 1, 1};
      return true;
    }
    auto chosen = driver::local_size_choice(context_.devices[0]->compute_queue(), kernel_.checked, ndrange.dimensions,
                                            offset.data(), global.data());
    if (!chosen) return false;
    std::copy(chosen->begin(), chosen->end(), ndrange.local.begin());
    return true;
  }

  // Why it must not be, else "".
  std::string_view cut_in_parts(LaunchPlan& plan, std::span<const unsigned> devices) const {
    const PartitionCost cost = cut(plan, devices);
    if (!plan.is_split()) return "fewer work-groups than devices";
    if (cost.has_conflict) return "a part would read what another one writes";
    return excludes(cost) ? std::string_view(kernel_.translation->why_not_split) : "";
  }

  // Fills in the shares of these parts, and who holds what they all may write.
  PartitionCost divide(BufferAccesses& accesses, const Ndrange& ndrange, const std::vector<Part>& parts) const {
    for (BufferAccess& access : accesses) access.held_by = BufferAccess::kNobody;
    PartitionCost cost = partition(accesses, kernel_, *request_.arguments, ndrange, parts);
    if (may_hold_ && cost.to_merge > 0) hold(accesses, parts, cost);
    return cost;
  }

  // What parts accumulate can as well be merged, where that alone is to be.
  void hold(BufferAccesses& accesses, const std::vector<Part>& parts, PartitionCost& cost) const {
    const bool has_to = needs_one_memory(*kernel_.translation);
    const auto is_to_merge = [&](const BufferAccess& access) { return access.to_merge(parts.size()); };
    const auto accumulates = [](const BufferAccess& access) { return access.accumulates != Accumulation::none; };
    if (std::ranges::all_of(accesses, [&](const auto& access) { return !is_to_merge(access) || accumulates(access); }))
      return;
    for (BufferAccess& access : accesses) {
      if (!is_to_merge(access)) continue;
      // What a work-group sees of what others store there depends on their order, which one device keeps.
      const bool may_be = !has_to || !(access.loads && access.stores) || accumulates(access);
      access.held_by = may_be ? holder_of(access, parts) : BufferAccess::kNobody;
      if (!access.is_held()) {
        cost.is_entangled |= has_to && !accumulates(access);
        continue;
      }
      --cost.to_merge;
      cost.needed -= access.range.size() * parts.size();
    }
  }

  // Parts of memory objects are made for each device by itself.
  unsigned holder_of(const BufferAccess& access, const std::vector<Part>& parts) const {
    const bool has_sub_buffer = std::ranges::any_of(*request_.arguments, [&](const Argument& argument) {
      return argument.buffer && argument.buffer->storage == access.storage && argument.buffer->parent;
    });
    using Holding = Storage::Holding;
    for (const Holding how : {Holding::as_it_is, Holding::made_anew}) {
      for (const Part& part : parts)
        if (!has_sub_buffer && access.storage->may_be_held(part.device, how)) return part.device;
    }
    return BufferAccess::kNobody;
  }

  // Which of these devices holds most of what all use; kNobody: none.
  static unsigned main_holder(const BufferAccesses& accesses, std::span<const unsigned> devices) {
    const auto bytes_held_by = [&](unsigned device) {
      uint64_t bytes = 0;
      for (const BufferAccess& access : accesses)
        if (access.held_by == device) bytes += access.range.size();
      return bytes;
    };
    const unsigned most = *std::ranges::max_element(devices, {}, bytes_held_by);
    return bytes_held_by(most) > 0 ? most : BufferAccess::kNobody;
  }

  // How to cut where parts use what one device holds, as weights. As long as nobody knows how much longer that takes
  // the others, they get little, so that the launch takes no longer whatever it is (two H200: scattered stores 2.6
  // times, atomic operations 8 to 20 times, and what computes for longer no longer).
  std::vector<double> held_shares(unsigned holder, std::span<const unsigned> devices, unsigned dimension) const {
    constexpr double kAll = 16;
    if (context_.splits_always()) return std::vector<double>(devices.size(), 1);
    DeviceSpeeds& speeds = kernel_.cost_model->held_speeds;
    if (speeds.are_known(devices)) return speeds.shares(devices, dimension);
    std::vector<double> shares;
    for (const unsigned device : devices)
      shares.push_back(device == holder ? kAll - static_cast<double>(devices.size() - 1) : 1);
    return shares;
  }

  // Cuts what one device holds memory for. Whose it is; kNobody: nobody's, and nothing has changed.
  unsigned cut_held(LaunchPlan& plan, std::vector<Part>& parts, std::span<const unsigned> devices, unsigned dimension,
                    PartitionCost& cost) const {
    if (parts.size() < devices.size()) return BufferAccess::kNobody;
    const unsigned holder = main_holder(plan.accesses, devices);
    if (holder == BufferAccess::kNobody) return holder;
    std::vector<Part> cut = cut_by(held_shares(holder, devices, dimension), plan.ndrange, devices, dimension);
    if (cut.size() < parts.size()) return holder;
    parts = std::move(cut);
    cost = divide(plan.accesses, plan.ndrange, parts);
    return holder;
  }

  // Parts so cut end at once, or are tried as if they did: they are small.
  void note_held(LaunchPlan& plan, const std::vector<Part>& parts, std::span<const unsigned> devices,
                 unsigned holder) const {
    const DeviceSpeeds& speeds = kernel_.cost_model->held_speeds;
    plan.is_tried = !speeds.are_known(devices);
    double all = 0;
    for (const Part& part : parts) all += plan.speeds.emplace_back(speeds.relative(part.device, holder));
    plan.most_work = 1 / all;
  }

  static std::vector<Part> cut_by(std::span<const double> shares, const Ndrange& ndrange,
                                  std::span<const unsigned> devices, unsigned dimension) {
    std::vector<Part> parts = split(ndrange, shares, dimension);
    for (Part& part : parts) part.device = devices[part.device];
    return parts;
  }

  // Where devices share no memory, bytes move with the cut, also for kernels that find their work elsewhere: then only
  // who would have next to nothing to do is given more.
  bool is_lopsided(std::span<const uint64_t> work) const {
    if (imbalance(work) <= kEven) return false;
    const uint64_t all = std::accumulate(work.begin(), work.end(), uint64_t{0});
    return in_one_memory(*accesses_) || *std::min_element(work.begin(), work.end()) * work.size() < all / 10;
  }
  static constexpr double kEven = 1.1;

  // Cuts elsewhere if that gives all devices about equally much to do.
  void balance(LaunchPlan& plan, std::vector<Part>& parts, std::span<const unsigned> devices,
               PartitionCost& cost) const {
    if (parts.size() < 2 || parts.size() < devices.size()) return;
    unsigned dimension = 0;
    while (dimension < 2 && parts[0].box.count[dimension] == plan.ndrange.groups(dimension)) ++dimension;
    std::vector<Part> at = parts;  // where it was cut last
    std::vector<uint64_t> work = written_bytes(plan.accesses, parts.size());
    double best = imbalance(work);
    for (int step = 0; step < kSteps && is_lopsided(work); ++step) {
      std::vector<double> lengths;
      for (const Part& part : at) lengths.push_back(static_cast<double>(part.box.count[dimension]));
      std::vector<double> shares = balanced(lengths, work);
      std::vector<Part> next = cut_by(shares, plan.ndrange, devices, dimension);
      const auto same = [](const Part& a, const Part& b) { return a.device == b.device && a.box == b.box; };
      if (next.size() != parts.size() || std::ranges::equal(next, at, same)) return;
      at = std::move(next);
      BufferAccesses accesses = *accesses_;
      const PartitionCost at_cost = divide(accesses, plan.ndrange, at);
      work = written_bytes(accesses, at.size());
      if (work.empty() || at_cost.has_conflict) return;
      if (imbalance(work) >= best) continue;
      best = imbalance(work);
      kernel_.cost_model->balance.found(dimension, std::move(shares));
      parts = at;
      plan.accesses = std::move(accesses);
      cost = at_cost;
    }
  }
  // Each halves what is left, at least, of what lies in one part.
  static constexpr int kSteps = 6;

  // Where nothing else makes up for it: devices that take over pieces of each other's parts.
  std::vector<double> uneven_work(size_t parts, unsigned dimension) const {
    if (context_.device->is_mixed() || context_.shares_host_memory()) return {};
    return kernel_.cost_model->uneven_work.shares(parts, dimension);
  }

  // Where what each part needs and writes is known. Devices that wait for each other by themselves wait no longer than
  // they take for launches more (two H200: 12 us and 18).
  bool may_overlap(const LaunchPlan& plan) const {
    if (context_.orders_itself() && !context_.splits_always()) return false;
    return !context_.shares_host_memory() && !context_.survives() && !context_.device->is_mixed() &&
           std::all_of(plan.accesses.begin(), plan.accesses.end(), [](const BufferAccess& access) {
             return !access.shares.empty() && access.storage->passes_beside_kernels();
           });
  }

  // Whether devices may run pieces of each other's parts. Where each has a memory of its own, alike ones are taken to
  // end at once.
  bool may_be_shared(const LaunchPlan& plan) const {
    if (!context_.device->is_mixed()) return context_.shares_host_memory() && in_one_memory(*accesses_);
    return in_one_memory(*accesses_) || may_be_taken_over(plan);
  }

  // Whether what one device does for another one can be brought back to it.
  bool may_be_taken_over(const LaunchPlan& plan) const {
    return !context_.survives() && std::ranges::all_of(plan.accesses, [](const BufferAccess& access) {
      const Storage& memory = *access.storage;
      return memory.shared() || (!memory.layout() && !memory.svm() && (!access.written || !access.shares.empty()));
    });
  }

  // Whether parts so cut must not run at once.
  bool excludes(const PartitionCost& cost) const {
    return cost.has_conflict || (cost.is_entangled && !in_one_memory(*accesses_));
  }

  // Whether another dimension may serve better: to find that out takes time.
  bool may_be_cut_better(const LaunchPlan& plan, const PartitionCost& cost, size_t parts) const {
    if (excludes(cost) || cost.to_merge > 0 || cost.ranges > 2 * plan.accesses.size() * parts) return true;
    uint64_t once = 0;
    for (const BufferAccess& access : plan.accesses)
      if (!access.storage->shared()) once += access.range.size();
    return cost.needed > once && static_cast<double>(cost.needed - once) / context_.rates().host > kWorthAnotherNs;
  }
  // Bytes that several parts need, by the time that they take: less is not worth looking for.
  static constexpr double kWorthAnotherNs = 100'000;

  bool is_better(const PartitionCost& cost, const PartitionCost& other) const {
    const auto rank = [&](const PartitionCost& of) {
      return std::tuple(excludes(of), of.to_merge, of.moving_ns(context_.rates()), of.ranges);
    };
    return rank(cost) < rank(other);
  }

  // Along the dimension that leaves least to merge, and takes the least bytes and ranges to the parts.
  PartitionCost cut(LaunchPlan& plan, std::span<const unsigned> devices) const {
    const bool mixed = context_.device->is_mixed();
    auto cut_along = [&](unsigned dimension) {
      CostModel& known = *kernel_.cost_model;
      const std::vector<double> uneven = uneven_work(devices.size(), dimension);
      const auto shares = mixed            ? known.speeds.shares(devices, dimension)
                          : uneven.empty() ? known.balance.shares(devices.size(), dimension)
                                           : uneven;
      std::vector<Part> parts = cut_by(shares, plan.ndrange, devices, dimension);
      // What served a launch of many work-groups may leave none to some device here.
      if (mixed || parts.size() == devices.size()) return parts;
      return cut_by(std::vector<double>(devices.size(), 1.0), plan.ndrange, devices, dimension);
    };
    std::vector<unsigned> dimensions = good_dimensions(plan.ndrange, static_cast<unsigned>(devices.size()));
    CutDimension& cut_dimension = kernel_.cost_model->cut_dimension;
    const bool compares = !in_one_memory(*accesses_) || cut_dimension.is_to_compare(dimensions);
    unsigned best_dimension = dimensions[0];
    std::vector<Part> cut_best = cut_along(dimensions[0]);
    PartitionCost best;
    if (cut_best.size() > 1) best = divide(plan.accesses, plan.ndrange, cut_best);
    for (size_t i = 1;
         i < dimensions.size() && (compares || excludes(best)) && may_be_cut_better(plan, best, cut_best.size()); ++i) {
      std::vector<Part> parts = cut_along(dimensions[i]);
      BufferAccesses accesses = *accesses_;
      const PartitionCost cost = divide(accesses, plan.ndrange, parts);
      if (!is_better(cost, best)) continue;
      best = cost;
      best_dimension = dimensions[i];
      cut_best = std::move(parts);
      plan.accesses = std::move(accesses);
    }
    if (compares) cut_dimension.found(best_dimension);
    const unsigned holder = cut_held(plan, cut_best, devices, best_dimension, best);
    const bool is_held = holder != BufferAccess::kNobody;
    const bool is_cut_as_work_lies = cut_best.size() == uneven_work(devices.size(), best_dimension).size();
    if (is_held)
      note_held(plan, cut_best, devices, holder);
    else if (is_cut_as_work_lies)
      plan.most_work = 1.0 / static_cast<double>(cut_best.size());
    else if (!mixed)
      balance(plan, cut_best, devices, best);
    const std::vector<uint64_t> written = written_bytes(plan.accesses, cut_best.size());
    plan.written.assign(written.begin(), written.end());
    plan.may_overlap = may_overlap(plan);
    plan.may_share = !context_.is_managed() && kernel_.translation->may_slice && may_be_shared(plan);
    plan.parts.assign(cut_best.begin(), cut_best.end());
    for (const Part& part : cut_best) {
      if (mixed) plan.speeds.push_back(kernel_.cost_model->speeds.relative(part.device, 0));
    }
    return best;
  }

  const LaunchRequest& request_;
  const Kernel& kernel_;
  const Context& context_;
  const BufferAccesses* accesses_ = nullptr;  // of the original, whole
  const bool bound_;
  bool may_hold_;  // kernels on several devices may use what one of them holds
};

}  // namespace

bool LaunchPlan::merges() const {
  return std::any_of(accesses.begin(), accesses.end(),
                     [this](const BufferAccess& access) { return access.to_merge(parts.size()); });
}

bool LaunchPlan::is_held() const {
  return std::ranges::any_of(accesses, [](const BufferAccess& access) { return access.is_held(); });
}

unsigned LaunchPlan::cut_dimension() const {
  unsigned cut = 0;
  while (cut < 2 && parts[0].box.count[cut] == ndrange.groups(cut)) ++cut;
  return cut;
}

Covered LaunchPlan::covered(const GroupBox& box) const {
  const unsigned cut = cut_dimension();
  const double all = static_cast<double>(ndrange.groups(cut));
  return {cut, static_cast<double>(box.first[cut]) / all, static_cast<double>(box.first[cut] + box.count[cut]) / all};
}

LaunchOptions options_of(const LaunchRequest& request, const Context& context, Interest interest, OnePiece piece) {
  return Options(request, context).make(interest, piece);
}

uint64_t written_by(const LaunchRequest& request, const Context& context) {
  return Options(request, context).written_whole();
}

std::unique_ptr<LaunchPlan> plan_on(const LaunchRequest& request, const Context& context, unsigned devices) {
  std::vector<unsigned> all(devices);
  std::iota(all.begin(), all.end(), 0);
  return Options(request, context).make_on(all);
}

}  // namespace samcl
