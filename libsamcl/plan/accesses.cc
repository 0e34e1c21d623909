#include "libsamcl/plan/accesses.h"

#include <algorithm>

namespace samcl {
namespace {

const KernelArgument* facts_of(const KernelTranslation* known, size_t index) {
  return known && index < known->arguments.size() ? &known->arguments[index] : nullptr;
}

ImageNumbers numbers_of(const ImageLayout& image) {
  return {image.pixel, image.row_pitch, image.slice_pitch, image.width, image.height, image.depth};
}

using Values = SmallVector<ArgumentValue, 16>;

// images: room for one per argument, which the values refer to.
Values values_of(const KernelTranslation* kernel, const Arguments& arguments, std::vector<ImageNumbers>& images) {
  Values values(arguments.size());
  const auto shows_image = [](const Argument& argument) { return argument.buffer && argument.buffer->image; };
  if (std::any_of(arguments.begin(), arguments.end(), shows_image)) images.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const KernelArgument* facts = facts_of(kernel, i);
    if (const auto& buffer = arguments[i].buffer) {
      values[i].buffer_bytes = reach_of(*buffer).end - buffer->range.begin;
      if (!buffer->image) continue;
      images[i] = numbers_of(buffer->image->layout);
      values[i].value = std::as_bytes(std::span(&images[i], 1));
    } else if (facts && facts->kind == ArgumentKind::value) {
      values[i].value = {arguments[i].bytes.data(), arguments[i].bytes.size()};
    } else {
      values[i].buffer_bytes = 0;
    }
  }
  return values;
}

bool shows_sub_buffer(const Argument& argument) {
  return argument.buffer && reach_of(*argument.buffer) != argument.buffer->range;
}

// By argument, what the kernel touches through it.
class Touched {
 public:
  Touched(const KernelTranslation* kernel, const RememberedFootprint* footprint, const Arguments& arguments,
          Ndrange ndrange, bool knows_local) {
    const bool is_asked = std::ranges::any_of(arguments, shows_sub_buffer);
    if (!is_asked || !kernel || !footprint || (!knows_local && kernel->depends_on_local_size)) return;
    if (!knows_local) ndrange.local = {1, 1, 1};
    std::vector<ImageNumbers> images;
    const Values values = values_of(kernel, arguments, images);
    found_ = footprint->evaluate({ndrange, {values.data(), values.size()}}, {{0, {{0, 0, 0}, ndrange.groups()}}});
  }

  Range of(size_t index, const Argument& argument) const {
    const Range shown = argument.buffer->range;
    if (!shows_sub_buffer(argument)) return shown;
    const Range reach = reach_of(*argument.buffer);
    if (!found_) return reach;
    const ArgumentFootprint& footprint = found_->front()[index];
    if (footprint.reads.whole || footprint.may_write.whole) return reach;
    const uint64_t size = reach.end - shown.begin;
    const uint64_t end = std::max(bounds(footprint.reads, size).end, bounds(footprint.may_write, size).end);
    return {shown.begin, std::max(shown.end, shown.begin + end)};
  }

 private:
  std::shared_ptr<const RememberedFootprint::ByPart> found_;  // nullptr: nothing is known
};

}  // namespace

Range reach_of(const Buffer& buffer) { return buffer.parent && !buffer.image ? buffer.parent->range : buffer.range; }

// Whatever the buffer's flags promise: programs do write to CL_MEM_READ_ONLY buffers (hashcat), and every driver lets
// them.
bool may_write(const KernelTranslation* kernel, size_t argument) {
  const KernelArgument* facts = facts_of(kernel, argument);
  return !facts || facts->may_write;
}

BufferAccesses accesses_of(const KernelTranslation* kernel, const RememberedFootprint* footprint,
                           const Arguments& arguments, const Ndrange& ndrange, bool knows_local) {
  const Touched touched(kernel, footprint, arguments, ndrange, knows_local);
  BufferAccesses accesses;
  for (size_t index = 0; index < arguments.size(); ++index) {
    const Argument& argument = arguments[index];
    if (!argument.buffer) continue;
    BufferAccess access;
    access.storage = argument.buffer->storage;
    access.range = touched.of(index, argument);
    const KernelArgument* facts = facts_of(kernel, index);
    access.written = may_write(kernel, index);
    if (access.written && argument.buffer->image) {
      access.width = static_cast<unsigned>(argument.buffer->image->layout.pixel);
    } else if (access.written) {
      access.width = facts && facts->store_width ? facts->store_width : 1;
    }
    if (facts) access.accumulates = facts->accumulates;
    access.loads = !facts || facts->loads;
    access.stores = !facts || facts->stores;
    auto same = std::find_if(accesses.begin(), accesses.end(),
                             [&](const BufferAccess& other) { return other.storage == access.storage; });
    if (same == accesses.end()) {
      accesses.push_back(std::move(access));
    } else {
      same->range = {std::min(same->range.begin, access.range.begin), std::max(same->range.end, access.range.end)};
      same->written |= access.written;
      same->loads |= access.loads;
      same->stores |= access.stores;
      same->is_mixed |= same->accumulates != access.accumulates ||
                        (access.accumulates != Accumulation::none && same->width != access.width);
      same->width = std::min(same->width, access.width);
    }
  }
  return accesses;
}

std::vector<uint64_t> written_bytes(const BufferAccesses& accesses, size_t parts) {
  std::vector<uint64_t> bytes(parts, 0);
  for (const BufferAccess& access : accesses) {
    if (!access.written) continue;
    if (access.shares.empty()) return {};
    for (size_t p = 0; p < parts; ++p) bytes[p] += access.shares[p].written;
  }
  return bytes;
}

uint64_t written_in_one_piece(const Kernel& kernel, const Arguments& arguments, const Ndrange& ndrange) {
  std::vector<ImageNumbers> images;
  const Values values = values_of(kernel.translation, arguments, images);
  const GroupBox all{{0, 0, 0}, ndrange.groups()};
  const auto found = kernel.cost_model->footprint.evaluate_writes({ndrange, {values.data(), values.size()}}, all);
  return written_in_one_piece(found).value_or(0);
}

Reaches reaches_of(const Kernel& kernel, const Arguments& arguments, const Ndrange& ndrange,
                   std::span<const LaunchSeries::Growing> growing) {
  std::vector<ImageNumbers> images;
  Values values = values_of(kernel.translation, arguments, images);
  std::vector<int64_t> steps(arguments.size(), 0);
  for (const LaunchSeries::Growing& each : growing) {
    values[each.argument].value = std::as_bytes(std::span(&each.first, 1)).first(each.size);
    steps[each.argument] = each.as_signed(each.step);
  }
  Reaches found;
  found.reaches = kernel.cost_model->footprint.reaches({ndrange, {values.data(), values.size()}, steps});
  for (const Argument& argument : arguments) {
    const Buffer* const buffer = argument.buffer.get();
    found.places.push_back(buffer ? ReachPlace{buffer->storage.get(), static_cast<int64_t>(buffer->range.begin)}
                                  : ReachPlace{});
  }
  return found;
}

PartitionCost partition(BufferAccesses& accesses, const KernelTranslation* kernel, const RememberedFootprint& footprint,
                        const Arguments& arguments, const Ndrange& ndrange, const std::vector<Part>& parts) {
  std::vector<ImageNumbers> images;
  const Values values = values_of(kernel, arguments, images);
  const bool in_one_place =
      std::ranges::all_of(accesses, [](const BufferAccess& access) { return access.storage->shared(); });
  const bool is_for_one = kernel && needs_one_memory(*kernel) && !in_one_place;
  SmallVector<ShownBytes, 16> shown(arguments.size());
  for (size_t index = 0; index < arguments.size(); ++index) {
    const auto& buffer = arguments[index].buffer;
    if (!buffer) continue;
    const auto access = std::ranges::find(accesses, buffer->storage, &BufferAccess::storage);
    const Range reach = reach_of(*buffer);
    shown[index] = {static_cast<unsigned>(access - accesses.begin()), buffer->storage->shared(), reach,
                    buffer->range.begin - reach.begin,
                    is_for_one && access->written && !(access->loads && access->stores)};
  }
  const auto found = footprint.partition({ndrange, {values.data(), values.size()}}, parts, {shown.data(), shown.size()},
                                         is_for_one || (kernel && kernel->may_split_disjoint));
  PartitionCost cost;
  cost.has_conflict = found->has_conflict;
  cost.is_entangled = found->is_entangled;
  for (size_t i = 0; i < accesses.size(); ++i) {
    BufferAccess& access = accesses[i];
    access.shares = i < found->shares.size() ? found->shares[i] : PartShares();
    if (access.shares.empty()) {
      cost.to_merge += access.to_merge(parts.size());
      cost.ranges += parts.size();
    }
    for (size_t p = 0; p < access.shares.size(); ++p)
      cost.ranges += access.shares[p].needs.size() + access.shares[p].writes.size();
    if (access.storage->shared()) continue;
    for (size_t p = 0; p < parts.size(); ++p)
      for (const Range& range : access.needs(p)) cost.needed += range.size();
  }
  return cost;
}

}  // namespace samcl
