// Reading, writing, filling and copying linear ranges.
#include "libsamcl/runtime/buffer_commands.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "libsamcl/runtime/gather.h"
#include "libsamcl/runtime/steps.h"
#include "libsamcl/runtime/traffic.h"

namespace samcl {
namespace {

constexpr uint64_t kSmall = 256 << 10;  // bytes that a waiting thread moves itself

unsigned lowest(Places places) {
  return static_cast<unsigned>(std::countr_zero(places));
}

// One step per device that does its jobs one after another.
class Jobs {
 public:
  void add(unsigned device, std::function<cl_int()> job) { by_device_[device].push_back(std::move(job)); }

  std::vector<Step> steps() && {
    std::vector<Step> steps;
    for (auto& [device, jobs] : by_device_) {
      steps.push_back({device, [jobs = std::move(jobs)] {
                         cl_int error = CL_SUCCESS;
                         for (auto job = jobs.begin(); job != jobs.end() && error == CL_SUCCESS; ++job)
                           error = (*job)();
                         return error;
                       }});
    }
    return steps;
  }

 private:
  std::map<unsigned, std::vector<std::function<cl_int()>>> by_device_;
};

class Read : public SteppedCommand {
 public:
  Read(BufferPtr buffer, Range range, void* to)
      : buffer_(std::move(buffer)), range_(range), to_(static_cast<std::byte*>(to)) {}

  std::vector<Use> uses() override { return {{buffer_->storage, false}}; }

 protected:
  std::vector<Step> plan() override {
    Jobs jobs;
    for (const auto& piece : buffer_->storage->pieces(range_)) add(piece, jobs);
    return std::move(jobs).steps();
  }
  bool small() const override { return range_.size() < kSmall; }

 private:
  std::byte* target(uint64_t position) const { return to_ + (position - range_.begin); }

  void add(const Directory::Piece& piece, Jobs& jobs) {
    const Range range = piece.range;
    if (piece.valid == 0 || contains(piece.valid, kZeros)) {
      jobs.add(0, [this, range] {
        std::memset(target(range.begin), 0, range.size());
        return CL_SUCCESS;
      });
    } else if (contains(piece.valid, kHost)) {
      jobs.add(0, [this, range] {
        // With CL_MEM_USE_HOST_PTR the program may read a buffer to where it already is.
        std::memmove(target(range.begin), buffer_->storage->host() + range.begin, range.size());
        return CL_SUCCESS;
      });
    } else {
      for (const auto& part : spread_over_links(*buffer_->context(), range, piece.valid)) {
        jobs.add(lowest(part.valid), [this, part] { return download(part.range, lowest(part.valid)); });
      }
    }
  }

  cl_int download(Range part, unsigned device) {
    return buffer_->storage->download(device, part, target(part.begin), program_traffic());
  }

  const BufferPtr buffer_;
  const Range range_;
  std::byte* const to_;
};

class Write : public SteppedCommand {
 public:
  Write(BufferPtr buffer, Range range, const void* from)
      : buffer_(std::move(buffer)), range_(range), from_(static_cast<const std::byte*>(from)) {}

  std::vector<Use> uses() override { return {{buffer_->storage, true}}; }

 protected:
  std::vector<Step> plan() override {
    if (range_.empty()) return {};
    pieces_ = buffer_->storage->destinations(range_);
    Jobs jobs;
    for (const auto& piece : pieces_) {
      const Range range = piece.range;
      if (contains(piece.valid, kHost)) jobs.add(0, [this, range] { return copy_to_host(range); });
      for (Places left = piece.valid & kAnyDevice; left != 0; left &= left - 1) {
        jobs.add(lowest(left), [this, range, device = lowest(left)] { return upload(range, device); });
      }
    }
    return std::move(jobs).steps();
  }
  void done() override {
    for (const auto& piece : pieces_) buffer_->storage->written(piece.range, piece.valid);
  }
  bool small() const override { return range_.size() < kSmall; }

 private:
  const std::byte* source(Range range) const { return from_ + (range.begin - range_.begin); }

  cl_int copy_to_host(Range range) {
    std::byte* host = buffer_->storage->host();
    if (!host) return CL_OUT_OF_HOST_MEMORY;
    std::memmove(host + range.begin, source(range), range.size());
    return CL_SUCCESS;
  }

  cl_int upload(Range range, unsigned device) {
    return buffer_->storage->upload(device, range, source(range), program_traffic());
  }

  const BufferPtr buffer_;
  const Range range_;
  const std::byte* const from_;
  std::vector<Directory::Piece> pieces_;  // of the range, and where each goes
};

class Fill : public SteppedCommand {
 public:
  Fill(BufferPtr buffer, Range range, std::vector<std::byte> pattern)
      : buffer_(std::move(buffer)), range_(range), pattern_(std::move(pattern)) {}

  std::vector<Use> uses() override { return {{buffer_->storage, true}}; }

 protected:
  std::vector<Step> plan() override {
    destination_ = only(kZeros);
    if (std::all_of(pattern_.begin(), pattern_.end(), [](std::byte b) { return b == std::byte{0}; }))
      return {};
    destination_ = buffer_->storage->destination();
    if (contains(destination_, kHost)) return {{0, [this] { return fill_host(); }}};
    std::vector<Step> steps;
    for (Places left = destination_; left != 0; left &= left - 1) {
      steps.push_back({lowest(left), [this, device = lowest(left)] {
                         cl_int error;
                         cl_mem replica = buffer_->storage->replica(device, &error);
                         if (!replica) return error;
                         return buffer_->context()->devices[device]->fill(
                             replica, range_.begin, range_.size(), pattern_.data(), pattern_.size());
                       }});
    }
    return steps;
  }
  void done() override { buffer_->storage->written(range_, destination_); }
  bool small() const override { return range_.size() < kSmall; }

 private:
  cl_int fill_host() {
    std::byte* host = buffer_->storage->host();
    if (!host) return CL_OUT_OF_HOST_MEMORY;
    for (uint64_t at = range_.begin; at < range_.end; at += pattern_.size()) {
      std::memcpy(host + at, pattern_.data(), pattern_.size());
    }
    return CL_SUCCESS;
  }

  const BufferPtr buffer_;
  const Range range_;
  const std::vector<std::byte> pattern_;
  Places destination_ = 0;
};

class Copy : public SteppedCommand {
 public:
  Copy(BufferPtr from, BufferPtr to, Range source, uint64_t target_begin)
      : from_(std::move(from)), to_(std::move(to)), source_(source), target_begin_(target_begin) {}

  std::vector<Use> uses() override { return {{from_->storage, false}, {to_->storage, true}}; }

 protected:
  std::vector<Step> plan() override {
    Jobs jobs;
    pieces_ = from_->storage->pieces(source_);
    for (auto& piece : pieces_) {
      const Range range = piece.range;
      if (contains(piece.valid, kZeros)) {
        piece.valid = only(kZeros);
      } else if (Places devices = piece.valid & kAnyDevice; devices != 0) {
        piece.valid = devices;
        for (; devices != 0; devices &= devices - 1) {
          jobs.add(lowest(devices),
                   [this, range, device = lowest(devices)] { return copy_on(device, range); });
        }
      } else if (piece.valid != 0) {
        jobs.add(0, [this, range] { return copy_at_host(range); });
      }
    }
    return std::move(jobs).steps();
  }
  // From here `valid` of each piece is where its copy is.
  void done() override {
    for (const auto& piece : pieces_) {
      const uint64_t begin = target(piece.range.begin);
      to_->storage->written({begin, begin + piece.range.size()}, piece.valid);
    }
  }
  bool small() const override { return source_.size() < kSmall; }

 private:
  uint64_t target(uint64_t position) const { return target_begin_ + (position - source_.begin); }

  cl_int copy_on(unsigned device, Range range) {
    cl_int error;
    cl_mem from = from_->storage->replica(device, &error);
    cl_mem to = from ? to_->storage->replica(device, &error) : nullptr;
    if (!to) return error;
    return from_->context()->devices[device]->copy(from, to, range.begin, target(range.begin), range.size(),
                                                   program_traffic());
  }

  cl_int copy_at_host(Range range) {
    const std::byte* from = from_->storage->host();
    std::byte* to = to_->storage->host();
    if (!from || !to) return CL_OUT_OF_HOST_MEMORY;
    // Two buffers may stand on overlapping memory of the program (CL_MEM_USE_HOST_PTR).
    std::memmove(to + target(range.begin), from + range.begin, range.size());
    return CL_SUCCESS;
  }

  const BufferPtr from_, to_;
  const Range source_;
  const uint64_t target_begin_;
  std::vector<Directory::Piece> pieces_;
};

}  // namespace

CommandPtr read_buffer(BufferPtr buffer, uint64_t offset, uint64_t bytes, void* to) {
  const Range range = buffer->part(offset, bytes);
  return std::make_unique<Read>(std::move(buffer), range, to);
}

CommandPtr write_buffer(BufferPtr buffer, uint64_t offset, uint64_t bytes, const void* from) {
  const Range range = buffer->part(offset, bytes);
  return std::make_unique<Write>(std::move(buffer), range, from);
}

CommandPtr copy_buffer(BufferPtr from, BufferPtr to, uint64_t from_offset, uint64_t to_offset,
                       uint64_t bytes) {
  const Range source = from->part(from_offset, bytes);
  const uint64_t target_begin = to->range.begin + to_offset;
  return std::make_unique<Copy>(std::move(from), std::move(to), source, target_begin);
}

CommandPtr fill_buffer(BufferPtr buffer, uint64_t offset, uint64_t bytes, std::vector<std::byte> pattern) {
  const Range range = buffer->part(offset, bytes);
  return std::make_unique<Fill>(std::move(buffer), range, std::move(pattern));
}

}  // namespace samcl
