// Rectangles: by the driver's own rectangle commands where a device has all bytes, else row by row at the
// host.
#include <bit>
#include <cstring>

#include "libsamcl/driver/driver.h"
#include "libsamcl/runtime/buffer_commands.h"
#include "libsamcl/runtime/report.h"
#include "libsamcl/runtime/steps.h"
#include "libsamcl/runtime/trace.h"
#include "libsamcl/runtime/traffic.h"

namespace samcl {
namespace {

constexpr uint64_t kSmall = 256 << 10;  // bytes that a waiting thread moves itself

unsigned lowest(Places places) {
  return static_cast<unsigned>(std::countr_zero(places));
}

// The origin that gives Rectangle::of() the same offset.
std::array<size_t, 3> origin(const Rectangle& r) {
  const uint64_t in_slice = r.offset % r.slice_pitch;
  return {in_slice % r.row_pitch, in_slice / r.row_pitch, r.offset / r.slice_pitch};
}

std::array<size_t, 3> region(const Rectangle& r) {
  return {r.region[0], r.region[1], r.region[2]};
}

Range bounds(const Buffer& buffer, const Rectangle& r) {
  const Range bounds = r.bounds();
  return buffer.part(bounds.begin, bounds.size());
}

// The devices that have all defined bytes between the first and the last of the rectangle.
Places holders(const Buffer& buffer, const Rectangle& r) {
  Places result = 0;
  for (unsigned device = 0; device < buffer.context()->devices.size(); ++device) {
    if (buffer.storage->missing_bytes(bounds(buffer, r), device) == 0) result |= only(device);
  }
  return result;
}

bool at_host(const Buffer& buffer, const Rectangle& r) {
  return buffer.storage->has_host_copy() && buffer.storage->missing_bytes(bounds(buffer, r), kHost) == 0;
}

void copy_rows(std::byte* to, const Rectangle& target, const std::byte* from, const Rectangle& source) {
  source.for_each_row(
      [&](uint64_t index, Range row) { std::memmove(to + target.row(index), from + row.begin, row.size()); });
}

void note_written(const Buffer& buffer, const Rectangle& r, Places places) {
  r.joined().for_each_row(
      [&](uint64_t, Range row) { buffer.storage->written(buffer.part(row.begin, row.size()), places); });
}

// What of the target is zero and nowhere yet. Rows written into it would leave thousands of pieces to be filled one by
// one, so it is filled first where they go; from then on it is valid there like them, one piece with them.
std::vector<Range> zeros_around(const Buffer& target, const Rectangle& rows) {
  std::vector<Range> zeros;
  if (rows.is_run()) return zeros;
  for (const Directory::Piece& piece : target.storage->pieces(bounds(target, rows))) {
    if (contains(piece.valid, kZeros)) zeros.push_back(piece.range);
  }
  return zeros;
}

cl_int fill(const Buffer& target, const std::vector<Range>& zeros, Place place) {
  for (const Range& range : zeros) {
    cl_int error = target.storage->make_valid(range, place, program_traffic());
    if (error != CL_SUCCESS) return error;
  }
  return CL_SUCCESS;
}

void note_filled(const Buffer& target, const std::vector<Range>& zeros, Places places) {
  for (const Range& range : zeros) target.storage->written(range, places);
}

// A rectangle of an image as image commands want it. Layers of 1D arrays have no gaps in the program's memory.
struct Pixels {
  Pixels(const Image& image, const Rectangle& r, const Rectangle& host)
      : origin(samcl::origin(r)),
        region(samcl::region(r)),
        row_pitch(region[1] > 1 && !image.is_1d_array() ? host.row_pitch : 0),
        slice_pitch(region[2] > 1 ? host.slice_pitch : 0) {
    origin[0] /= image.layout.pixel;
    region[0] /= image.layout.pixel;
  }
  std::array<size_t, 3> origin, region;
  size_t row_pitch, slice_pitch;  // of the program's memory
};

// Runs `enqueue(queue, event)` on a device while its link is ours.
template <typename Enqueue>
cl_int over_link(RealDevice& device, trace::Activity activity, uint64_t bytes, Enqueue enqueue) {
  lease::Lease link(device.lease.client, lease::ResourceKind::pcie, device.lease.index);
  const trace::Span span(activity, device.index, bytes);
  return device.transfer(enqueue);
}

class ReadRectangle : public SteppedCommand {
 public:
  ReadRectangle(BufferPtr buffer, Rectangle rectangle, Rectangle host, void* to)
      : buffer_(std::move(buffer)), rectangle_(rectangle), host_(host), to_(static_cast<std::byte*>(to)) {}

  std::vector<Use> uses() override {
    return {{buffer_->storage, !at_host(*buffer_, rectangle_) && holders(*buffer_, rectangle_) == 0}};
  }

 protected:
  std::vector<Step> plan() override {
    const Places devices = at_host(*buffer_, rectangle_) ? 0 : holders(*buffer_, rectangle_);
    if (devices == 0) return {{0, [this] { return read_host(); }}};
    return {{lowest(devices), [this, device = lowest(devices)] { return read_device(device); }}};
  }
  bool small() const override { return rectangle_.bytes() < kSmall; }

 private:
  cl_int read_host() {
    const cl_int error = buffer_->storage->make_valid(bounds(*buffer_, rectangle_), kHost, program_traffic());
    if (error != CL_SUCCESS) return error;
    copy_rows(to_, host_, buffer_->storage->host() + buffer_->range.begin, rectangle_);
    return CL_SUCCESS;
  }

  cl_int read_device(unsigned device) {
    cl_int error;
    cl_mem from = buffer_->real(device, &error);
    if (!from) return error;
    program_traffic().downloaded_bytes += rectangle_.bytes();
    report::device(device).downloaded_bytes += rectangle_.bytes();
    return over_link(*buffer_->context()->devices[device], trace::Activity::download, rectangle_.bytes(),
                     [&](cl_command_queue queue, cl_event* event) {
      if (buffer_->image) {
        const Pixels pixels(*buffer_->image, rectangle_, host_);
        return driver::real().clEnqueueReadImage(queue, from, CL_FALSE, pixels.origin.data(), pixels.region.data(),
                                                 pixels.row_pitch, pixels.slice_pitch, to_ + host_.offset, 0, nullptr,
                                                 event);
      }
      return driver::real().clEnqueueReadBufferRect(
          queue, from, CL_FALSE, origin(rectangle_).data(), origin(host_).data(), region(rectangle_).data(),
          rectangle_.row_pitch, rectangle_.slice_pitch, host_.row_pitch, host_.slice_pitch, to_, 0, nullptr,
          event);
    });
  }

  const BufferPtr buffer_;
  const Rectangle rectangle_, host_;
  std::byte* const to_;
};

class WriteRectangle : public SteppedCommand {
 public:
  WriteRectangle(BufferPtr buffer, Rectangle rectangle, Rectangle host, const void* from)
      : buffer_(std::move(buffer)),
        rectangle_(rectangle),
        host_(host),
        from_(static_cast<const std::byte*>(from)) {}

  std::vector<Use> uses() override { return {{buffer_->storage, true}}; }

 protected:
  std::vector<Step> plan() override {
    destination_ = buffer_->storage->destination();
    zeros_ = zeros_around(*buffer_, rectangle_);
    if (contains(destination_, kHost)) return {{0, [this] { return write_host(); }}};
    std::vector<Step> steps;
    for (Places left = destination_; left != 0; left &= left - 1) {
      steps.push_back({lowest(left), [this, device = lowest(left)] { return write_device(device); }});
    }
    return steps;
  }
  void done() override {
    note_filled(*buffer_, zeros_, destination_);
    note_written(*buffer_, rectangle_, destination_);
  }
  bool small() const override { return rectangle_.bytes() < kSmall; }

 private:
  cl_int write_host() {
    std::byte* to = buffer_->storage->host();
    if (!to) return CL_OUT_OF_HOST_MEMORY;
    if (cl_int error = fill(*buffer_, zeros_, kHost); error != CL_SUCCESS) return error;
    copy_rows(to + buffer_->range.begin, rectangle_, from_, host_);
    return CL_SUCCESS;
  }

  cl_int write_device(unsigned device) {
    cl_int error;
    cl_mem to = buffer_->real(device, &error);
    if (!to) return error;
    error = fill(*buffer_, zeros_, device);
    if (error != CL_SUCCESS) return error;
    program_traffic().uploaded_bytes += rectangle_.bytes();
    report::device(device).uploaded_bytes += rectangle_.bytes();
    return over_link(*buffer_->context()->devices[device], trace::Activity::upload, rectangle_.bytes(),
                     [&](cl_command_queue queue, cl_event* event) {
      if (buffer_->image) {
        const Pixels pixels(*buffer_->image, rectangle_, host_);
        return driver::real().clEnqueueWriteImage(queue, to, CL_FALSE, pixels.origin.data(), pixels.region.data(),
                                                  pixels.row_pitch, pixels.slice_pitch, from_ + host_.offset, 0,
                                                  nullptr, event);
      }
      return driver::real().clEnqueueWriteBufferRect(
          queue, to, CL_FALSE, origin(rectangle_).data(), origin(host_).data(), region(rectangle_).data(),
          rectangle_.row_pitch, rectangle_.slice_pitch, host_.row_pitch, host_.slice_pitch, from_, 0, nullptr,
          event);
    });
  }

  const BufferPtr buffer_;
  const Rectangle rectangle_, host_;
  const std::byte* const from_;
  Places destination_ = 0;
  std::vector<Range> zeros_;
};

class CopyRectangle : public SteppedCommand {
 public:
  CopyRectangle(BufferPtr from, BufferPtr to, Rectangle source, Rectangle target)
      : from_(std::move(from)), to_(std::move(to)), source_(source), target_(target) {}

  std::vector<Use> uses() override {
    const bool moves = holders(*from_, source_) == 0 && !at_host(*from_, source_);
    return {{from_->storage, moves}, {to_->storage, true}};
  }

 protected:
  std::vector<Step> plan() override {
    zeros_ = zeros_around(*to_, target_);
    copied_to_ = holders(*from_, source_);
    if (copied_to_ == 0) {
      copied_to_ = only(kHost);
      return {{0, [this] { return copy_at_host(); }}};
    }
    std::vector<Step> steps;
    for (Places left = copied_to_; left != 0; left &= left - 1) {
      steps.push_back({lowest(left), [this, device = lowest(left)] { return copy_on(device); }});
    }
    return steps;
  }
  void done() override {
    note_filled(*to_, zeros_, copied_to_);
    note_written(*to_, target_, copied_to_);
  }
  bool small() const override { return source_.bytes() < kSmall; }

 private:
  cl_int copy_at_host() {
    const cl_int error = from_->storage->make_valid(bounds(*from_, source_), kHost, program_traffic());
    if (error != CL_SUCCESS) return error;
    std::byte* to = to_->storage->host();
    if (!to) return CL_OUT_OF_HOST_MEMORY;
    if (cl_int filled = fill(*to_, zeros_, kHost); filled != CL_SUCCESS) return filled;
    copy_rows(to + to_->range.begin, target_, from_->storage->host() + from_->range.begin, source_);
    return CL_SUCCESS;
  }

  cl_int copy_on(unsigned device) {
    cl_int error;
    cl_mem from = from_->real(device, &error);
    cl_mem to = from ? to_->real(device, &error) : nullptr;
    if (!to) return error;
    error = fill(*to_, zeros_, device);
    if (error != CL_SUCCESS) return error;
    program_traffic().copied_bytes += source_.bytes();
    const trace::Span span(trace::Activity::local, device, source_.bytes());
    return from_->context()->devices[device]->transfer([&](cl_command_queue queue, cl_event* event) {
      return driver::real().clEnqueueCopyBufferRect(
          queue, from, to, origin(source_).data(), origin(target_).data(), region(source_).data(),
          source_.row_pitch, source_.slice_pitch, target_.row_pitch, target_.slice_pitch, 0, nullptr, event);
    });
  }

  const BufferPtr from_, to_;
  const Rectangle source_, target_;
  Places copied_to_ = 0;
  std::vector<Range> zeros_;
};

}  // namespace

CommandPtr read_rectangle(BufferPtr buffer, Rectangle rectangle, Rectangle host, void* to) {
  return std::make_unique<ReadRectangle>(std::move(buffer), rectangle, host, to);
}

CommandPtr write_rectangle(BufferPtr buffer, Rectangle rectangle, Rectangle host, const void* from) {
  return std::make_unique<WriteRectangle>(std::move(buffer), rectangle, host, from);
}

CommandPtr copy_rectangle(BufferPtr from, BufferPtr to, Rectangle source, Rectangle target) {
  return std::make_unique<CopyRectangle>(std::move(from), std::move(to), source, target);
}

}  // namespace samcl
