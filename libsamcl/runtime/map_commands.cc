// Mapping bytes brings them to the host copy; unmapping such as were mapped for writing says that they are valid
// nowhere else.
#include "libsamcl/runtime/buffer_commands.h"
#include "libsamcl/runtime/gather.h"
#include "libsamcl/runtime/steps.h"
#include "libsamcl/runtime/traffic.h"

namespace samcl {
namespace {

constexpr uint64_t kSmall = 256 << 10;  // bytes that a waiting thread moves itself

void note_written(Storage& storage, const Rectangle& rows) {
  rows.for_each_row([&](uint64_t, Range row) { storage.written(row, only(kHost)); });
}

class Map : public SteppedCommand {
 public:
  Map(BufferPtr buffer, Rectangle rows, cl_map_flags flags)
      : buffer_(std::move(buffer)), rows_(rows.joined()), flags_(flags) {}

  std::vector<Use> uses() override { return {{buffer_->storage, writes() || missing() > 0}}; }

 protected:
  std::vector<Step> plan() override {
    buffer_->storage->lock_host_copy();
    if ((flags_ & CL_MAP_WRITE_INVALIDATE_REGION) || missing() == 0) return {};
    return gather(buffer_->storage, rows_.bounds(), program_traffic());
  }
  void done() override {
    if (writes()) note_written(*buffer_->storage, rows_);
  }
  bool small() const override { return rows_.bounds().size() < kSmall; }

 private:
  bool writes() const { return flags_ & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION); }
  uint64_t missing() const { return buffer_->storage->missing_bytes(rows_.bounds(), kHost); }

  const BufferPtr buffer_;
  const Rectangle rows_;
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
      note_written(*buffer_->storage, mapping_.rows.joined());
    }
  }

 private:
  const BufferPtr buffer_;
  const Buffer::Mapping mapping_;
};

}  // namespace

CommandPtr map_buffer(BufferPtr buffer, Rectangle rows_of_storage, cl_map_flags flags) {
  return std::make_unique<Map>(std::move(buffer), rows_of_storage, flags);
}

CommandPtr unmap_buffer(BufferPtr buffer, Buffer::Mapping mapping) {
  return std::make_unique<Unmap>(std::move(buffer), mapping);
}

}  // namespace samcl
