#include "libsamcl/backend/operations.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "libsamcl/device/device_set.h"
#include "libsamcl/device/real_device.h"
#include "libsamcl/device/row_commands.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/memory/storage.h"
#include "libsamcl/observe/report.h"

namespace samcl {
namespace {

using engine::Exchange;
using engine::Fill;
using engine::HostCall;
using engine::Lane;
using engine::LaneKind;
using engine::LocalCopy;
using engine::ProgramCopy;
using engine::RunKernel;

// Bytes in flight when they pass from device to device through host memory.
constexpr uint64_t kStaging = 4 << 20;

void copy_rows(std::byte* to, const Rectangle& target, const std::byte* from, const Rectangle& source) {
  if (source.is_run() && target.is_run()) {
    std::memmove(to + target.offset, from + source.offset, source.bytes());
    return;
  }
  // Rows may lie on overlapping memory of the program (CL_MEM_USE_HOST_PTR).
  source.for_each_row(
      [&](uint64_t index, Range row) { std::memmove(to + target.row(index), from + row.begin, row.size()); });
}

void fill_host(std::byte* memory, Range range, const std::vector<std::byte>& pattern) {
  if (pattern.size() == 1) {
    std::memset(memory + range.begin, std::to_integer<int>(pattern[0]), range.size());
    return;
  }
  for (uint64_t at = range.begin; at < range.end; at += pattern.size()) {
    std::memcpy(memory + at, pattern.data(), pattern.size());
  }
}

// The widest pattern that does the same, for drivers that fill by elements of the pattern's size.
std::vector<std::byte> widened(const std::vector<std::byte>& pattern, Range range) {
  if (pattern.size() > 1 || (range.begin | range.end) % 8 != 0) return pattern;
  return std::vector<std::byte>(8, pattern[0]);
}

// A rectangle of an image as image commands want it. Layers of 1D arrays have no gaps in the program's memory.
struct Pixels {
  Pixels(const ImageLayout& image, bool is_1d_array, const Rectangle& rows, const Rectangle& host)
      : origin{rows.offset % rows.row_pitch / image.pixel, rows.offset % rows.slice_pitch / rows.row_pitch,
               rows.offset / rows.slice_pitch},
        region(rows.shape()),
        row_pitch(region[1] > 1 && !is_1d_array ? host.row_pitch : 0),
        slice_pitch(region[2] > 1 ? host.slice_pitch : 0) {
    region[0] /= image.pixel;
  }
  std::array<size_t, 3> origin, region;
  size_t row_pitch, slice_pitch;  // of the program's memory
};

// Operations done to their end on the calling thread.
class Execution {
 public:
  Execution(DeviceSet& set, Lane lane) : set_(set), lane_(lane) {}

  cl_int operator()(const Exchange& o) {
    if (o.from == kHost) return upload(o);
    if (o.to == kHost) return download(o);
    if (lane_.kind != LaneKind::compute) return pass_on(o);
    const trace::Span span(trace::Activity::local, o.to, engine::bytes_of(o));
    return wait_for(o);
  }

  cl_int operator()(const ProgramCopy& o) {
    Storage& memory = *o.replica.memory;
    if (o.replica.place == kHost) return copy_at_host(o);
    RealDevice& device = *set_.devices[o.replica.place];
    cl_int error;
    const cl_mem replica = memory.replica(device.index, &error);
    if (!replica) return error;
    const ImageLayout* image = memory.layout();
    if (o.rows.is_run() && o.program_rows.is_run()) {
      const Range range = {o.rows.offset, o.rows.offset + o.rows.bytes()};
      std::byte* program = o.program + o.program_rows.offset;
      return o.to_program ? device.download(lane_.kind, replica, range, program, *o.traffic, image)
                          : device.upload(lane_.kind, replica, range, program, *o.traffic, image);
    }
    if (image) return copy_pixels(o, device, replica, *image);
    return o.to_program ? device.download_rows(lane_.kind, replica, o.rows, o.program, o.program_rows, *o.traffic)
                        : device.upload_rows(lane_.kind, replica, o.rows, o.program, o.program_rows, *o.traffic);
  }

  cl_int operator()(const LocalCopy& o) {
    if (o.place == kHost) {
      std::byte* to = o.to->host();
      const std::byte* from = o.from->host();
      if (!to || !from) return CL_OUT_OF_HOST_MEMORY;
      copy_rows(to, o.target, from, o.source);
      return CL_SUCCESS;
    }
    const trace::Span span(trace::Activity::local, o.place, o.source.bytes());
    return wait_for(o);
  }

  cl_int operator()(const Fill& o) {
    Storage& memory = *o.replica.memory;
    if (o.replica.place == kHost) {
      std::byte* host = memory.host();
      if (!host) return CL_OUT_OF_HOST_MEMORY;
      for (const Range& range : o.ranges) fill_host(host, range, o.pattern);
      return CL_SUCCESS;
    }
    if (memory.layout()) return fill_image(o);
    const trace::Span span(trace::Activity::local, o.replica.place, engine::bytes_of(o));
    return wait_for(o);
  }

  cl_int operator()(const HostCall& o) { return o.call ? o.call() : CL_SUCCESS; }
  cl_int operator()(const RunKernel&) { return CL_INVALID_OPERATION; }  // the backend's

 private:
  cl_int wait_for(const engine::Operation& operation) {
    RealDevice& device = *set_.devices[lane_.device];
    std::lock_guard one_at_a_time(device.queue(LaneKind::compute).mutex);
    cl_event event = nullptr;
    const cl_int error = enqueue(set_, lane_, operation, &event);
    return error == CL_SUCCESS && event ? CompletionQueue::wait_for(event) : error;
  }

  cl_int copy_at_host(const ProgramCopy& o) {
    std::byte* host = o.replica.memory->host();
    if (!host) return CL_OUT_OF_HOST_MEMORY;
    o.to_program ? copy_rows(o.program, o.program_rows, host, o.rows)
                 : copy_rows(host, o.rows, o.program, o.program_rows);
    return CL_SUCCESS;
  }

  cl_int copy_pixels(const ProgramCopy& o, RealDevice& device, cl_mem replica, const ImageLayout& image) {
    const Pixels pixels(image, o.replica.memory->is_1d_array(), o.rows, o.program_rows);
    (o.to_program ? o.traffic->downloaded_bytes : o.traffic->uploaded_bytes) += o.rows.bytes();
    Traffic& link = report::device(device.index);
    (o.to_program ? link.downloaded_bytes : link.uploaded_bytes) += o.rows.bytes();
    std::byte* program = o.program + o.program_rows.offset;
    const auto& cl = driver::real();
    return device.run_over_link(
        lane_.kind, o.to_program ? trace::Activity::download : trace::Activity::upload, o.rows.bytes(),
        [&](cl_command_queue on, cl_event* event) {
          return o.to_program
                     ? cl.clEnqueueReadImage(on, replica, CL_FALSE, pixels.origin.data(), pixels.region.data(),
                                             pixels.row_pitch, pixels.slice_pitch, program, 0, nullptr, event)
                     : cl.clEnqueueWriteImage(on, replica, CL_FALSE, pixels.origin.data(), pixels.region.data(),
                                              pixels.row_pitch, pixels.slice_pitch, program, 0, nullptr, event);
        });
  }

  cl_int upload(const Exchange& o) {
    RealDevice& device = *set_.devices[o.to];
    const std::byte* host = o.memory->host();
    cl_int error = CL_SUCCESS;
    const cl_mem to = host ? o.memory->replica(o.to, &error) : nullptr;
    if (!to) return host ? error : CL_OUT_OF_HOST_MEMORY;
    if (const auto rows = o.memory->layout() ? std::nullopt : as_rows(o.ranges)) {
      return device.upload_rows(lane_.kind, to, *rows, host, *rows, *o.traffic);
    }
    for (const Range& range : o.ranges) {
      error = device.upload(lane_.kind, to, range, host + range.begin, *o.traffic, o.memory->layout(),
                            o.memory->host_copy_is_locked());
      if (error != CL_SUCCESS) return error;
    }
    return CL_SUCCESS;
  }

  cl_int download(const Exchange& o) {
    RealDevice& device = *set_.devices[o.from];
    std::byte* host = o.memory->host();
    cl_int error = CL_SUCCESS;
    const cl_mem from = host ? o.memory->replica(o.from, &error) : nullptr;
    if (!from) return host ? error : CL_OUT_OF_HOST_MEMORY;
    if (const auto rows = o.memory->layout() ? std::nullopt : as_rows(o.ranges)) {
      return device.download_rows(lane_.kind, from, *rows, host, *rows, *o.traffic);
    }
    for (const Range& range : o.ranges) {
      error = device.download(lane_.kind, from, range, host + range.begin, *o.traffic, o.memory->layout(),
                              o.memory->host_copy_is_locked());
      if (error != CL_SUCCESS) return error;
    }
    return CL_SUCCESS;
  }

  // From device to device through host memory of our own.
  cl_int pass_on(const Exchange& o) {
    RealDevice& source = *set_.devices[o.from];
    RealDevice& target = *set_.devices[o.to];
    cl_int error = CL_SUCCESS;
    const cl_mem from = o.memory->replica(o.from, &error);
    const cl_mem to = from ? o.memory->replica(o.to, &error) : nullptr;
    if (!to) return error;
    uint64_t most = 0;
    for (const Range& range : o.ranges) most = std::max(most, range.size());
    std::vector<std::byte> staging(std::min(kStaging, most));
    for (const Range& range : o.ranges) {
      for (uint64_t at = range.begin; at < range.end; at += kStaging) {
        const Range part{at, std::min(at + kStaging, range.end)};
        error = source.download(LaneKind::down, from, part, staging.data(), *o.traffic, o.memory->layout());
        if (error == CL_SUCCESS) {
          error = target.upload(LaneKind::up, to, part, staging.data(), *o.traffic, o.memory->layout());
        }
        if (error != CL_SUCCESS) return error;
      }
    }
    return CL_SUCCESS;
  }

  // Images start as zeros, and are filled with nothing else here.
  cl_int fill_image(const Fill& o) {
    RealDevice& device = *set_.devices[o.replica.place];
    cl_int error;
    const cl_mem to = o.replica.memory->replica(device.index, &error);
    if (!to) return error;
    Traffic uncounted;
    for (const Range& range : o.ranges) {
      const std::vector<std::byte> bytes(std::min(kStaging, range.size()), o.pattern[0]);
      for (uint64_t at = range.begin; at < range.end; at += kStaging) {
        error = device.upload(LaneKind::compute, to, {at, std::min(at + kStaging, range.end)}, bytes.data(), uncounted,
                              o.replica.memory->layout());
        if (error != CL_SUCCESS) return error;
      }
    }
    return CL_SUCCESS;
  }

  DeviceSet& set_;
  const Lane lane_;
};

// Operations given to a compute queue, without waiting.
class Enqueueing {
 public:
  Enqueueing(DeviceSet& set, Lane lane, cl_event* event)
      : device_(*set.devices[lane.device]),
        queue_(device_.compute_queue()),
        one_at_a_time_(device_.queue(LaneKind::compute).calls),
        event_(event) {}

  cl_int operator()(const Exchange& o) {
    const bool up = o.from == kHost;
    cl_int error;
    const cl_mem replica = o.memory->replica(device_.index, &error);
    if (!replica) return error;
    if (!up && o.to != kHost) return copy_from_peer(o, replica);
    std::byte* host = o.memory->host();
    if (!host) return CL_OUT_OF_HOST_MEMORY;
    count(*o.traffic, up, engine::bytes_of(o));
    const ImageLayout* image = o.memory->layout();
    if (const auto rows = image ? std::nullopt : as_rows(o.ranges)) {
      return enqueue_rows(queue_, up, replica, *rows, host, *rows, event_);
    }
    for (size_t i = 0; i < o.ranges.size(); ++i) {
      const Range& range = o.ranges[i];
      error = move(up, replica, image, range, host + range.begin, i + 1 == o.ranges.size() ? event_ : nullptr);
      if (error != CL_SUCCESS) return error;
    }
    return CL_SUCCESS;
  }

  cl_int operator()(const ProgramCopy& o) {
    Storage& memory = *o.replica.memory;
    cl_int error;
    const cl_mem replica = memory.replica(device_.index, &error);
    if (!replica) return error;
    count(*o.traffic, !o.to_program, o.rows.bytes());
    const ImageLayout* image = memory.layout();
    if (o.rows.is_run() && o.program_rows.is_run()) {
      return move(!o.to_program, replica, image, {o.rows.offset, o.rows.offset + o.rows.bytes()},
                  o.program + o.program_rows.offset, event_);
    }
    if (!image) return enqueue_rows(queue_, !o.to_program, replica, o.rows, o.program, o.program_rows, event_);
    const Pixels pixels(*image, memory.is_1d_array(), o.rows, o.program_rows);
    std::byte* program = o.program + o.program_rows.offset;
    const auto& cl = driver::real();
    return o.to_program ? cl.clEnqueueReadImage(queue_, replica, CL_FALSE, pixels.origin.data(), pixels.region.data(),
                                                pixels.row_pitch, pixels.slice_pitch, program, 0, nullptr, event_)
                        : cl.clEnqueueWriteImage(queue_, replica, CL_FALSE, pixels.origin.data(), pixels.region.data(),
                                                 pixels.row_pitch, pixels.slice_pitch, program, 0, nullptr, event_);
  }

  cl_int operator()(const LocalCopy& o) {
    cl_int error;
    const cl_mem from = o.from->replica(device_.index, &error);
    const cl_mem to = from ? o.to->replica(device_.index, &error) : nullptr;
    if (!to) return error;
    o.traffic->copied_bytes += o.source.bytes();
    return enqueue_rows(queue_, from, to, o.source, o.target, event_);
  }

  cl_int operator()(const Fill& o) {
    cl_int error;
    const cl_mem to = o.replica.memory->replica(device_.index, &error);
    if (!to) return error;
    for (size_t i = 0; i < o.ranges.size(); ++i) {
      const Range& range = o.ranges[i];
      const std::vector<std::byte> pattern = widened(o.pattern, range);
      cl_event* event = i + 1 == o.ranges.size() ? event_ : nullptr;
      error = driver::real().clEnqueueFillBuffer(queue_, to, pattern.data(), pattern.size(), range.begin, range.size(),
                                                 0, nullptr, event);
      if (error != CL_SUCCESS) return error;
    }
    return CL_SUCCESS;
  }

  cl_int operator()(const RunKernel&) { return CL_INVALID_OPERATION; }
  cl_int operator()(const HostCall&) { return CL_INVALID_OPERATION; }

 private:
  void count(Traffic& traffic, bool up, uint64_t bytes) const {
    Traffic& link = report::device(device_.index);
    (up ? traffic.uploaded_bytes : traffic.downloaded_bytes) += bytes;
    (up ? link.uploaded_bytes : link.downloaded_bytes) += bytes;
  }

  cl_int copy_from_peer(const Exchange& o, cl_mem to) const {
    const cl_mem from = o.memory->replica_seen_by(o.from, device_.index);
    if (!from) return CL_INVALID_MEM_OBJECT;
    o.traffic->copied_bytes += engine::bytes_of(o);
    const auto& cl = driver::real();
    if (const auto rows = as_rows(o.ranges)) return enqueue_rows(queue_, from, to, *rows, *rows, event_);
    for (size_t i = 0; i < o.ranges.size(); ++i) {
      const Range& range = o.ranges[i];
      const cl_int error = cl.clEnqueueCopyBuffer(queue_, from, to, range.begin, range.begin, range.size(), 0, nullptr,
                                                  i + 1 == o.ranges.size() ? event_ : nullptr);
      if (error != CL_SUCCESS) return error;
    }
    return CL_SUCCESS;
  }

  cl_int move(bool up, cl_mem replica, const ImageLayout* image, Range range, std::byte* host, cl_event* event) const {
    const auto& cl = driver::real();
    if (!image) {
      return up ? cl.clEnqueueWriteBuffer(queue_, replica, CL_FALSE, range.begin, range.size(), host, 0, nullptr, event)
                : cl.clEnqueueReadBuffer(queue_, replica, CL_FALSE, range.begin, range.size(), host, 0, nullptr, event);
    }
    const std::vector<ImageBlock> blocks = blocks_of(*image, range);
    for (size_t i = 0; i < blocks.size(); ++i) {
      const ImageBlock& block = blocks[i];
      std::byte* at = host + (block.range.begin - range.begin);
      cl_event* last = i + 1 == blocks.size() ? event : nullptr;
      const cl_int error = up ? cl.clEnqueueWriteImage(queue_, replica, CL_FALSE, block.origin.data(),
                                                       block.region.data(), 0, 0, at, 0, nullptr, last)
                              : cl.clEnqueueReadImage(queue_, replica, CL_FALSE, block.origin.data(),
                                                      block.region.data(), 0, 0, at, 0, nullptr, last);
      if (error != CL_SUCCESS) return error;
    }
    return CL_SUCCESS;
  }

  RealDevice& device_;
  const cl_command_queue queue_;
  const std::lock_guard<std::mutex> one_at_a_time_;
  cl_event* const event_;
};

}  // namespace

cl_int execute(DeviceSet& set, Lane lane, const engine::Operation& operation) {
  return std::visit(Execution(set, lane), operation);
}

cl_int enqueue(DeviceSet& set, Lane lane, const engine::Operation& operation, cl_event* event) {
  return std::visit(Enqueueing(set, lane, event), operation);
}

}  // namespace samcl
