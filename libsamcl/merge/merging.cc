#include "libsamcl/merge/merging.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "libsamcl/device/device_set.h"
#include "libsamcl/merge/diff.h"

namespace samcl {
namespace {

constexpr uint64_t kMergeChunk = 1 << 20;
// How finely the directory knows who changed what.
constexpr uint64_t kGranule = 4096;

// The devices whose replica is still right where `changed` wrote: the only writer.
Places still_valid(Places changed) { return std::popcount(changed) == 1 ? changed : Places{0}; }

}  // namespace

cl_int Merging::merge_chunks(size_t worker) {
  uint64_t largest = 0;  // chunk of this worker
  for (const Merged& merged : objects_) {
    const uint64_t skipped = worker * kMergeChunk, size = merged.range.size();
    if (size > skipped) largest = std::max(largest, std::min(kMergeChunk, size - skipped));
  }
  std::vector<std::vector<std::byte>> staging(devices_.size(), std::vector<std::byte>(largest));
  for (size_t o = 0; o < objects_.size(); ++o) {
    const Range all = objects_[o].range;
    for (uint64_t at = all.begin + worker * kMergeChunk; at < all.end; at += workers() * kMergeChunk) {
      const cl_int error = merge_chunk(o, {at, std::min(at + kMergeChunk, all.end)}, staging, changes_[worker]);
      if (error != CL_SUCCESS) return error;
    }
  }
  return CL_SUCCESS;
}

cl_int Merging::merge_chunk(size_t object, Range chunk, std::vector<std::vector<std::byte>>& staging,
                            std::vector<Change>& found) {
  const Merged& merged = objects_[object];
  std::byte* host = merged.memory->host();
  if (!host) return CL_OUT_OF_HOST_MEMORY;
  for (size_t d = 0; d < devices_.size(); ++d) {
    cl_int error;
    const cl_mem from = merged.memory->replica(devices_[d], &error);
    if (!from) return error;
    const auto rows = Rectangle::run(chunk.begin, chunk.size());
    error =
        set_.devices[devices_[d]]->transfer(engine::LaneKind::down, Direction::down, {from, merged.memory->layout()},
                                            rows, staging[d].data(), rows.dense(), traffic_);
    if (error != CL_SUCCESS) return error;
  }
  const auto width =
      static_cast<unsigned>(std::gcd(std::gcd<uint64_t>(merged.width, merged.range.begin), merged.range.size()));
  const auto count = static_cast<unsigned>(devices_.size());
  for (uint64_t done = 0; done < chunk.size(); done += kGranule) {
    const uint64_t length = std::min(kGranule, chunk.size() - done);
    const std::byte* outputs[kMaxDevices];
    for (size_t d = 0; d < devices_.size(); ++d) outputs[d] = staging[d].data() + done;
    std::byte* to = host + chunk.begin + done;
    const uint32_t changed = merged.accumulates == Accumulation::none
                                 ? merge_changes(to, outputs, count, length, width)
                                 : combine_changes(to, outputs, count, length, merged.width, merged.accumulates);
    if (changed == 0) continue;
    Places places = 0;
    for (size_t d = 0; d < devices_.size(); ++d) {
      if ((changed >> d) & 1) places |= only(devices_[d]);
    }
    const Range range{chunk.begin + done, chunk.begin + done + length};
    if (!found.empty() && found.back().object == object && found.back().range.end == range.begin &&
        found.back().devices == places) {
      found.back().range.end = range.end;
    } else {
      found.push_back({object, range, places});
    }
  }
  return CL_SUCCESS;
}

// Planning made the host copy the only valid one. Where nobody changed anything, all devices still hold the same.
void Merging::note_valid() {
  for (const Merged& merged : objects_) {
    if (merged.memory->version() != merged.version) continue;
    for (unsigned device : devices_) merged.memory->directory().copied(merged.range, device);
  }
  for (const auto& of_worker : changes_) {
    for (const Change& change : of_worker) {
      const Merged& merged = objects_[change.object];
      if (merged.memory->version() != merged.version) continue;
      merged.memory->directory().written(change.range, only(kHost) | still_valid(change.devices));
    }
  }
}

}  // namespace samcl
