#include "libsamcl/backend/operations.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/copy_rows.h"
#include "libsamcl/device/device_set.h"
#include "libsamcl/device/real_device.h"
#include "libsamcl/device/row_commands.h"
#include "libsamcl/device/sub_kernel.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/memory/storage.h"
#include "libsamcl/observe/report.h"
#include "libsamcl/transfer/copy_pool.h"

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
using engine::WindowCopy;

// Bytes in flight when they pass from device to device through host memory.
constexpr uint64_t kStaging = 4 << 20;
// What several threads copy faster.
constexpr uint64_t kCopiedByThreads = 4 << 20;

// Copies what it has written, a block that stays in the cache, instead of the pattern element by element.
void fill_host(std::byte* memory, Range range, const std::vector<std::byte>& pattern) {
  constexpr uint64_t kBlock = 64 << 10;  // patterns divide it
  if (range.empty()) return;
  std::byte* const begin = memory + range.begin;
  std::memcpy(begin, pattern.data(), pattern.size());
  for (uint64_t done = pattern.size(), more = 0; done < range.size(); done += more) {
    more = std::min({done, kBlock, range.size() - done});
    std::memcpy(begin + done, begin, more);
  }
}

// The widest pattern that does the same, for drivers that fill by elements of the pattern's size.
std::vector<std::byte> widened(const std::vector<std::byte>& pattern, Range range) {
  if (pattern.size() > 1 || (range.begin | range.end) % 8 != 0) return pattern;
  return std::vector<std::byte>(8, pattern[0]);
}

// A memory object on a device; nothing and the driver's code if it cannot be had there.
std::optional<DeviceMemory> on_device(Storage& memory, unsigned device, cl_int& error) {
  const cl_mem real = memory.replica(device, &error);
  if (!real) return std::nullopt;
  return DeviceMemory{real, memory.layout(), memory.is_1d_array(), memory.devices().devices[device]->packs_host_rows};
}

// Ranges as few rectangles. Layers of 1D arrays have no gaps in host memory.
std::vector<Rectangle> rectangles_of(const std::vector<Range>& ranges, const DeviceMemory& memory = {}) {
  if (memory.image && !memory.is_1d_array) return rectangles_of(*memory.image, ranges);
  if (!memory.image) return as_rectangles(ranges);
  std::vector<Rectangle> runs;
  for (const Range& range : ranges) runs.push_back(Rectangle::run(range.begin, range.size()));
  return runs;
}

// Operations done to their end on the calling thread.
class Execution {
 public:
  Execution(DeviceSet& set, Lane lane) : set_(set), lane_(lane) {}

  cl_int operator()(const Exchange& o) {
    if (o.from == kHost || o.to == kHost) return over_link(o);
    OneContext* const one = o.memory->layout() ? nullptr : set_.one_context(o.from, o.to);
    if (one && one->takes(engine::bytes_of(o), set_.within_server(o.from, o.to))) return in_one_context(*one, o);
    if (lane_.kind != LaneKind::compute) {
      if (const auto done = through_windows(o)) return *done;
      return pass_on(o);
    }
    const trace::Span span(trace::Activity::local, o.to, engine::bytes_of(o));
    return wait_for(o);
  }

  cl_int operator()(const WindowCopy& o) {
    const trace::Span span(trace::Activity::local, o.place, engine::bytes_of(o));
    return wait_for(o);
  }

  cl_int operator()(const ProgramCopy& o) {
    Storage& memory = *o.replica.memory;
    if (o.replica.place == kHost) return copy_at_host(o);
    RealDevice& device = *set_.devices[o.replica.place];
    cl_int error = CL_SUCCESS;
    const auto replica = on_device(memory, device.index, error);
    if (!replica) return error;
    return device.transfer(lane_.kind, o.to_program ? Direction::down : Direction::up, *replica, o.rows, o.program,
                           o.program_rows, *o.traffic, set_.locked_memory.holds(o.program, o.program_rows.bounds()));
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
    RealDevice& device = set_.at(lane_);
    std::lock_guard one_at_a_time(device.queue(LaneKind::compute).mutex);
    cl_event event = nullptr;
    const cl_int error = enqueue(set_, lane_, operation, {&event});
    return error == CL_SUCCESS && event ? CompletionQueue::wait_for(event) : error;
  }

  cl_int copy_at_host(const ProgramCopy& o) {
    std::byte* host = o.replica.memory->host();
    if (!host) return CL_OUT_OF_HOST_MEMORY;
    const auto copy = [&](std::byte* to, const Rectangle& target, const std::byte* from, const Rectangle& source) {
      const Range written = target.bounds(), read = source.bounds();
      const bool are_apart = to + written.end <= from + read.begin || from + read.end <= to + written.begin;
      const bool by_threads = are_apart && source.bytes() >= kCopiedByThreads && !set_.devices[0]->is_of_task();
      by_threads ? copy_in_parallel(to, target, from, source) : copy_rows(to, target, from, source);
    };
    o.to_program ? copy(o.program, o.program_rows, host, o.rows) : copy(host, o.rows, o.program, o.program_rows);
    return CL_SUCCESS;
  }

  cl_int over_link(const Exchange& o) {
    const auto direction = o.from == kHost ? Direction::up : Direction::down;
    RealDevice& device = *set_.devices[direction == Direction::up ? o.to : o.from];
    std::byte* const host = o.memory->host();
    if (!host) return CL_OUT_OF_HOST_MEMORY;
    cl_int error = CL_SUCCESS;
    const auto replica = on_device(*o.memory, device.index, error);
    if (!replica) return error;
    const bool is_locked = set_.locked_memory.holds(host, {0, o.memory->size()});
    for (const Rectangle& rows : rectangles_of(o.ranges, *replica)) {
      error = device.transfer(lane_.kind, direction, *replica, rows, host, rows, *o.traffic, is_locked);
      if (error != CL_SUCCESS) return error;
    }
    return CL_SUCCESS;
  }

  // From device to device, by the driver if it moves so many bytes faster.
  cl_int in_one_context(OneContext& one, const Exchange& o) {
    cl_int error = CL_SUCCESS;
    const cl_mem from = o.memory->replica(o.from, &error);
    const cl_mem to = from ? o.memory->replica(o.to, &error) : nullptr;
    if (!to) return error;
    const trace::Span span(trace::Activity::local, o.to, engine::bytes_of(o));
    o.traffic->copied_bytes += engine::bytes_of(o);
    return one.pass(*set_.devices[o.from], *set_.devices[o.to], from, to, rectangles_of(o.ranges));
  }

  // From device to device by memory that both see; nothing if that is no way for it. Not for a task, whose profile
  // counts what links move.
  std::optional<cl_int> through_windows(const Exchange& o) {
    if (!set_.windows || o.memory->layout() || set_.devices[o.to]->is_of_task()) return std::nullopt;
    if (set_.peers && engine::bytes_of(o) < PeerWindows::kWorthIt) return std::nullopt;
    cl_int error = CL_SUCCESS;
    const cl_mem from = o.memory->replica(o.from, &error);
    const cl_mem to = from ? o.memory->replica(o.to, &error) : nullptr;
    if (!to) return error;
    const trace::Span span(trace::Activity::local, o.to, engine::bytes_of(o));
    const auto done = set_.windows->pass(*set_.devices[o.from], *set_.devices[o.to], from, to, rectangles_of(o.ranges));
    if (done) o.traffic->copied_bytes += engine::bytes_of(o);
    return done;
  }

  // From device to device through host memory of our own.
  cl_int pass_on(const Exchange& o) {
    RealDevice& source = *set_.devices[o.from];
    RealDevice& target = *set_.devices[o.to];
    cl_int error = CL_SUCCESS;
    const auto from = on_device(*o.memory, o.from, error);
    const auto to = from ? on_device(*o.memory, o.to, error) : std::nullopt;
    if (!to) return error;
    uint64_t most = 0;
    for (const Range& range : o.ranges) most = std::max(most, range.size());
    const bool are_short = engine::bytes_of(o) <= kStaging && !from->image;
    if (are_short && o.ranges.size() > 1) return pass_on_together(o, from->real, to->real);
    std::vector<std::byte> staging(std::min(kStaging, most));
    for (const Range& range : o.ranges) {
      for (uint64_t at = range.begin; at < range.end; at += kStaging) {
        const auto part = Rectangle::run(at, std::min(kStaging, range.end - at));
        error = source.transfer(LaneKind::down, Direction::down, *from, part, staging.data(), part.dense(), *o.traffic);
        if (error == CL_SUCCESS) {
          error = target.transfer(LaneKind::up, Direction::up, *to, part, staging.data(), part.dense(), *o.traffic);
        }
        if (error != CL_SUCCESS) return error;
      }
    }
    return CL_SUCCESS;
  }

  // Many short ranges, a halo's: waited for once on each side.
  cl_int pass_on_together(const Exchange& o, cl_mem from, cl_mem to) {
    const uint64_t bytes = engine::bytes_of(o);
    std::vector<std::byte> staging(bytes);
    const std::vector<Rectangle> rectangles = rectangles_of(o.ranges);
    const auto pass = [&](RealDevice& device, LaneKind lane, Direction direction, cl_mem real) {
      const bool up = direction == Direction::up;
      std::optional<trace::Span> span;  // from when the link is ours
      Traffic& link = report::device(device.index);
      (up ? o.traffic->uploaded_bytes : o.traffic->downloaded_bytes) += bytes;
      (up ? link.uploaded_bytes : link.downloaded_bytes) += bytes;
      return device.run(lane, [&](cl_command_queue queue, cl_event* event) {
        span.emplace(up ? trace::Activity::upload : trace::Activity::download, device.index, bytes);
        uint64_t at = 0;
        for (const Rectangle& rows : rectangles) {
          cl_event* const last = &rows == &rectangles.back() ? event : nullptr;
          const DeviceMemory memory{real, nullptr, false, device.packs_host_rows};
          const cl_int error =
              enqueue_transfer(queue, direction, memory, rows, staging.data() + at, rows.dense(), false, last);
          if (error != CL_SUCCESS) {
            driver::real().clFinish(queue);  // of those before
            return error;
          }
          at += rows.bytes();
        }
        return CL_SUCCESS;
      });
    };
    const cl_int error = pass(*set_.devices[o.from], LaneKind::down, Direction::down, from);
    return error != CL_SUCCESS ? error : pass(*set_.devices[o.to], LaneKind::up, Direction::up, to);
  }

  // Images start as zeros, and are filled with nothing else here.
  cl_int fill_image(const Fill& o) {
    RealDevice& device = *set_.devices[o.replica.place];
    cl_int error = CL_SUCCESS;
    const auto to = on_device(*o.replica.memory, device.index, error);
    if (!to) return error;
    Traffic uncounted;
    for (const Range& range : o.ranges) {
      std::vector<std::byte> bytes(std::min(kStaging, range.size()), o.pattern[0]);
      for (uint64_t at = range.begin; at < range.end; at += kStaging) {
        const auto part = Rectangle::run(at, std::min(kStaging, range.end - at));
        error = device.transfer(LaneKind::compute, Direction::up, *to, part, bytes.data(), part.dense(), uncounted);
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
  Enqueueing(DeviceSet& set, Lane lane, const EventWanted& wanted)
      : device_(set.at(lane)),
        one_at_a_time_(device_.queue(LaneKind::compute).calls),
        queue_(device_.compute_queue(wanted.stays   ? ComputeQueues::Use::present
                                     : wanted.times ? ComputeQueues::Use::timed
                                                    : ComputeQueues::Use::plain)),
        event_(wanted.event) {}

  cl_int operator()(const Exchange& o) {
    if (o.from != kHost && o.to != kHost) return copy(peer_copy(o, device_.index));
    cl_int error = CL_SUCCESS;
    const auto replica = on_device(*o.memory, device_.index, error);
    if (!replica) return error;
    std::byte* host = o.memory->host();
    if (!host) return CL_OUT_OF_HOST_MEMORY;
    const auto direction = o.from == kHost ? Direction::up : Direction::down;
    count(*o.traffic, direction, engine::bytes_of(o));
    const std::vector<Rectangle> rectangles = rectangles_of(o.ranges, *replica);
    for (const Rectangle& rows : rectangles) {
      error = enqueue_transfer(queue_, direction, *replica, rows, host, rows, false,
                               &rows == &rectangles.back() ? event_ : nullptr);
      if (error != CL_SUCCESS) return error;
    }
    return CL_SUCCESS;
  }

  cl_int operator()(const WindowCopy& o) { return copy(peer_copy(o, device_.index)); }

  cl_int operator()(const ProgramCopy& o) {
    cl_int error = CL_SUCCESS;
    const auto replica = on_device(*o.replica.memory, device_.index, error);
    if (!replica) return error;
    const auto direction = o.to_program ? Direction::down : Direction::up;
    count(*o.traffic, direction, o.rows.bytes());
    return enqueue_transfer(queue_, direction, *replica, o.rows, o.program, o.program_rows, false, event_);
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
  void count(Traffic& traffic, Direction direction, uint64_t bytes) const {
    const bool up = direction == Direction::up;
    Traffic& link = report::device(device_.index);
    (up ? traffic.uploaded_bytes : traffic.downloaded_bytes) += bytes;
    (up ? link.uploaded_bytes : link.downloaded_bytes) += bytes;
  }

  cl_int copy(const PeerCopy& peer) const {
    if (peer.error != CL_SUCCESS) return peer.error;
    for (const Range& range : peer.ranges) peer.traffic->copied_bytes += range.size();
    const RectanglePairs pairs = peer.pairs();
    for (const auto& [source, target] : pairs) {
      cl_event* const event = &source == &pairs.back().first ? event_ : nullptr;
      const cl_int error = enqueue_rows(queue_, peer.from, peer.to, source, target, event);
      if (error != CL_SUCCESS) return error;
    }
    return CL_SUCCESS;
  }

  RealDevice& device_;
  const std::lock_guard<std::mutex> one_at_a_time_;
  const cl_command_queue queue_;
  cl_event* const event_;
};

}  // namespace

cl_int execute(DeviceSet& set, Lane lane, const engine::Operation& operation) {
  return std::visit(Execution(set, lane), operation);
}

RectanglePairs PeerCopy::pairs() const {
  RectanglePairs pairs;
  uint64_t packed = 0;
  for (const Rectangle& rows : as_rectangles(ranges)) {
    const Rectangle dense = rows.dense().moved(packed);
    pairs.emplace_back(unpacks ? dense : rows, packs ? dense : rows);
    packed += rows.bytes();
  }
  return pairs;
}

PeerCopy peer_copy(const Exchange& o, unsigned device) {
  PeerCopy copy{.ranges = o.ranges, .traffic = o.traffic};
  copy.to = o.memory->replica(device, &copy.error);
  if (copy.to) copy.from = o.memory->replica_seen_by(o.from, device);
  if (copy.to && !copy.from) copy.error = CL_INVALID_MEM_OBJECT;
  return copy;
}

PeerCopy peer_copy(const WindowCopy& o, unsigned device) {
  PeerCopy copy{.ranges = o.ranges, .packs = o.fills, .unpacks = !o.fills, .traffic = o.traffic};
  const cl_mem replica = o.memory->replica(device, &copy.error);
  copy.from = o.fills ? replica : o.window->emptied;
  copy.to = o.fills ? o.window->filled : replica;
  return copy;
}

bool needs_thread(const engine::Operation& operation) {
  if (const auto* const run = std::get_if<engine::RunKernel>(&operation))
    return static_cast<const SubKernel&>(*run->work).shared().has_value();
  if (const auto* const fill = std::get_if<Fill>(&operation)) return fill->replica.memory->layout() != nullptr;
  return std::holds_alternative<engine::HostCall>(operation);
}

uint64_t local_ns(const engine::Operation& operation) {
  constexpr uint64_t kBytesPerNs = 5;
  const bool stays_there = std::visit(
      [](const auto& it) {
        using Kind = std::decay_t<decltype(it)>;
        if constexpr (std::is_same_v<Kind, Fill>) return !it.replica.memory->layout();
        if constexpr (std::is_same_v<Kind, Exchange>) return it.from != kHost && it.to != kHost;
        return std::is_same_v<Kind, LocalCopy> || std::is_same_v<Kind, WindowCopy>;
      },
      operation);
  return stays_there ? 1 + engine::bytes_of(operation) / kBytesPerNs : 0;
}

uint64_t moving_ns(const engine::Operation& operation, const RealDevice& device) {
  constexpr uint64_t kBytesPerNs = 4, kLatency = 5'000;
  const uint64_t ns = local_ns(operation);
  if (ns > 0 || !device.may_run_far()) return ns;
  const auto* const exchange = std::get_if<Exchange>(&operation);
  const bool is_transfer =
      exchange ? exchange->from == kHost || exchange->to == kHost : std::holds_alternative<ProgramCopy>(operation);
  return is_transfer ? kLatency + engine::bytes_of(operation) / kBytesPerNs : 0;
}

bool reads_host_memory(const engine::Operation& operation) {
  if (const auto* const exchange = std::get_if<Exchange>(&operation)) return exchange->from == kHost;
  const auto* const copy = std::get_if<ProgramCopy>(&operation);
  return copy && !copy->to_program;
}

cl_int enqueue(DeviceSet& set, Lane lane, const engine::Operation& operation, const EventWanted& wanted) {
  return std::visit(Enqueueing(set, lane, wanted), operation);
}

}  // namespace samcl
