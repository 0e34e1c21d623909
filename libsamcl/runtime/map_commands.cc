// Mapping a range brings it to the host copy; unmapping one that was mapped for writing says that it is valid
// nowhere else.
#include "libsamcl/runtime/buffer_commands.h"
#include "libsamcl/runtime/gather.h"
#include "libsamcl/runtime/steps.h"
#include "libsamcl/runtime/traffic.h"

namespace samcl {
namespace {

constexpr uint64_t kSmall = 256 << 10;  // bytes that a waiting thread moves itself

class Map : public SteppedCommand {
 public:
  Map(BufferPtr buffer, Range range, cl_map_flags flags)
      : buffer_(std::move(buffer)), range_(range), flags_(flags) {}

  std::vector<Use> uses() override { return {{buffer_->storage, writes() || missing() > 0}}; }

 protected:
  std::vector<Step> plan() override {
    buffer_->storage->lock_host_copy();
    if ((flags_ & CL_MAP_WRITE_INVALIDATE_REGION) || missing() == 0) return {};
    return gather(buffer_->storage, range_, program_traffic());
  }
  void done() override {
    if (writes()) buffer_->storage->written(range_, only(kHost));
  }
  bool small() const override { return range_.size() < kSmall; }

 private:
  bool writes() const { return flags_ & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION); }
  uint64_t missing() const { return buffer_->storage->missing_bytes(range_, kHost); }

  const BufferPtr buffer_;
  const Range range_;
  const cl_map_flags flags_;
};

class Unmap : public SteppedCommand {
 public:
  Unmap(BufferPtr buffer, Buffer::Mapping mapping) : buffer_(std::move(buffer)), mapping_(mapping) {}

  std::vector<Use> uses() override { return {{buffer_->storage, true}}; }

 protected:
  std::vector<Step> plan() override { return {}; }
  void done() override {
    if (mapping_.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) {
      buffer_->storage->written(mapping_.range, only(kHost));
    }
  }

 private:
  const BufferPtr buffer_;
  const Buffer::Mapping mapping_;
};

}  // namespace

CommandPtr map_buffer(BufferPtr buffer, Range range_of_storage, cl_map_flags flags) {
  return std::make_unique<Map>(std::move(buffer), range_of_storage, flags);
}

CommandPtr unmap_buffer(BufferPtr buffer, Buffer::Mapping mapping) {
  return std::make_unique<Unmap>(std::move(buffer), mapping);
}

}  // namespace samcl
