#include "tests/differential/sequences/player.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <thread>

#include "tests/differential/sequences/asked_of_events.h"
#include "tests/differential/sequences/contents.h"
#include "tests/differential/sequences/followed.h"
#include "tests/differential/sequences/wrong.h"

namespace sequences {
namespace {

using bench::Session;
using Bytes = std::vector<std::byte>;
using Event = bench::Handle<cl_event, clReleaseEvent>;
using namespace std::chrono_literals;

constexpr size_t kGuard = 64;  // bytes around what is read into
constexpr std::byte kReleased{0xee};
constexpr std::byte kScrambled{0x3c};
constexpr cl_int kFailure = -4711;  // the status of the user event of StepKind::failing
constexpr auto kLate = 300us;
constexpr auto kLongestCallback = 20s;

std::string hexadecimal(std::byte value) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%02x", std::to_integer<unsigned>(value));
  return text;
}

std::string difference(std::span<const std::byte> is, std::span<const std::byte> expected) {
  size_t first = 0, last = 0, count = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    if (is[i] != expected[i]) {
      if (count++ == 0) first = i;
      last = i;
    }
  return std::to_string(count) + " of " + std::to_string(expected.size()) + " bytes differ, from byte " +
         std::to_string(first) + " (is " + hexadecimal(is[first]) + ", expected " + hexadecimal(expected[first]) +
         ") to " + std::to_string(last);
}

// Memory of the program behind a USE_HOST_PTR buffer, which the implementation may use until it calls back.
struct HostMemory {
  explicit HostMemory(size_t bytes, size_t shift)
      : bytes(bytes),
        block(static_cast<std::byte*>(std::aligned_alloc(4096, (shift + bytes + 4095) / 4096 * 4096))),
        start(block.get() + shift) {}
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  size_t bytes;
  std::unique_ptr<std::byte, Free> block;
  std::byte* start;
  std::atomic<bool> is_released = false;
};

// How often an event's callback came, and with what.
struct Called {
  cl_int stage = CL_COMPLETE;
  std::atomic<int> count = 0;
  std::atomic<cl_int> status = -1;
};

// Of the command's event; none: the player takes no event of it.
std::optional<cl_command_type> command_type(StepKind kind) {
  switch (kind) {
    case StepKind::write: return CL_COMMAND_WRITE_BUFFER;
    case StepKind::read: return CL_COMMAND_READ_BUFFER;
    case StepKind::fill: return CL_COMMAND_FILL_BUFFER;
    case StepKind::copy: return CL_COMMAND_COPY_BUFFER;
    case StepKind::write_rect: return CL_COMMAND_WRITE_BUFFER_RECT;
    case StepKind::read_rect: return CL_COMMAND_READ_BUFFER_RECT;
    case StepKind::copy_rect: return CL_COMMAND_COPY_BUFFER_RECT;
    case StepKind::map: return CL_COMMAND_MAP_BUFFER;
    case StepKind::unmap: return CL_COMMAND_UNMAP_MEM_OBJECT;
    case StepKind::launch: return CL_COMMAND_NDRANGE_KERNEL;
    case StepKind::barrier: return CL_COMMAND_BARRIER;
    case StepKind::marker: return CL_COMMAND_MARKER;
    default: return {};
  }
}
// Half of the events are released as soon as nothing waits for them, the others are asked for their times.
bool is_kept(const Step& step) { return step.seed % 2; }

class Player {
 public:
  Player(const Session& session, const bench::Program& kernels, const Ordering& ordering, const Sights& expected,
         const Playing& how)
      : session_(session),
        program_(kernels),
        ordering_(ordering),
        expected_(expected),
        left_out_(how.left_out),
        narrate_(how.narrate),
        events_(ordering.actions.size()),
        last_use_(ordering.actions.size()),
        times_(ordering.actions.size()),
        into_(ordering.actions.size()),
        sources_(ordering.actions.size()) {
    for (size_t i = 0; i < ordering.actions.size(); ++i) {
      last_use_[i] = i;
      for (size_t waited : ordering.actions[i].waits) last_use_[waited] = i;
      for (size_t done : ordering.actions[i].completes)
        if (is_kept(ordering.actions[done].step)) last_use_[done] = i;
    }
  }

  std::string play() {
    std::string wrong;
    size_t i = 0;
    try {
      for (; i < ordering_.actions.size(); ++i) take(i);
      i = ordering_.actions.size() - 1;
      all_called();
      release_everything();
      host_memory_is_left_alone();
    } catch (const Wrong& found) {
      wrong = text(ordering_, i) + ": " + found.what;
    }
    let_go();
    return wrong;
  }

 private:
  void take(size_t i) {
    const Action& action = ordering_.actions[i];
    const Step& step = action.step;
    if (narrate_) {
      std::printf("%s\n", text(ordering_, i).c_str());
      std::fflush(stdout);
    }
    for (unsigned queue : action.flushes) MUST(clFlush(this->queue(queue)));
    std::vector<cl_event> waits;
    for (size_t waited : action.waits) waits.push_back(events_[waited].get());
    if (!waits.empty() && step.seed % 8 == 3) waits.push_back(waits.front());
    waits_ = std::move(waits);
    cl_event event = nullptr;
    event_ = action.has_event ? &event : nullptr;
    if (i == left_out_ && step.kind != StepKind::unmap) {
      event_ = &event;
      MUST(clEnqueueMarkerWithWaitList(queue(step.queue), count(), list(), event_));
      if (step.blocking) MUST(clWaitForEvents(1, event_));
    } else {
      act(i, action, step);
    }
    if (event) {
      events_[i] = Event(event);
      if (i != left_out_) is_of(event, command_type(step.kind).value(), queue(step.queue));
      if (step.callback) call_back(event, step.seed);
    }
    for (size_t done : action.completes) is_complete(done);
    for (size_t done : action.completes) release_event(done, i);
    for (size_t waited : action.waits) release_event(waited, i);
    release_event(i, i);
  }
  void release_event(size_t event, size_t after) {
    if (last_use_[event] == after && ordering_.actions[event].step.kind != StepKind::gate) events_[event] = Event();
  }

  void act(size_t i, const Action& action, const Step& step) {
    switch (step.kind) {
      case StepKind::create: return create(step);
      case StepKind::create_index: return create_index(step);
      case StepKind::sub_buffer: {
        const cl_buffer_region region{step.offset, step.bytes};
        cl_int status = CL_SUCCESS;
        buffers_[step.to] = bench::Buffer(clCreateSubBuffer(buffers_.at(step.from).get(), CL_MEM_READ_WRITE,
                                                            CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
        must_succeed(status, "clCreateSubBuffer");
        places_[step.to] = places_.at(step.from) ? places_.at(step.from) + step.offset : nullptr;
        return;
      }
      case StepKind::release:
        buffers_.erase(step.to);
        places_.erase(step.to);
        return;
      case StepKind::renew_queue: queues_.erase(step.queue); return;
      case StepKind::write: {
        Bytes& source = keep(i, random_bytes(step.seed, step.bytes));
        MUST(clEnqueueWriteBuffer(queue(step.queue), buffer(step.to), step.blocking, step.offset, step.bytes,
                                  source.data(), count(), list(), event_));
        return;
      }
      case StepKind::read:
        MUST(clEnqueueReadBuffer(queue(step.queue), buffer(step.to), step.blocking, step.offset, step.bytes,
                                 guarded(i, step.bytes), count(), list(), event_));
        return;
      case StepKind::fill: {
        const Bytes pattern = random_bytes(step.seed, step.pattern);
        MUST(clEnqueueFillBuffer(queue(step.queue), buffer(step.to), pattern.data(), step.pattern, step.offset,
                                 step.bytes, count(), list(), event_));
        return;
      }
      case StepKind::copy:
        MUST(clEnqueueCopyBuffer(queue(step.queue), buffer(step.from), buffer(step.to), step.from_offset, step.offset,
                                 step.bytes, count(), list(), event_));
        return;
      case StepKind::write_rect: {
        Bytes& source = keep(i, random_bytes(step.seed, host_rectangle_bytes(step)));
        MUST(clEnqueueWriteBufferRect(queue(step.queue), buffer(step.to), step.blocking, step.origin.data(),
                                      step.from_origin.data(), step.region.data(), step.row_pitch, step.slice_pitch,
                                      step.from_row_pitch, step.from_slice_pitch, source.data(), count(), list(),
                                      event_));
        return;
      }
      case StepKind::read_rect:
        MUST(clEnqueueReadBufferRect(queue(step.queue), buffer(step.to), step.blocking, step.origin.data(),
                                     step.from_origin.data(), step.region.data(), step.row_pitch, step.slice_pitch,
                                     step.from_row_pitch, step.from_slice_pitch, guarded(i, host_rectangle_bytes(step)),
                                     count(), list(), event_));
        return;
      case StepKind::copy_rect:
        MUST(clEnqueueCopyBufferRect(queue(step.queue), buffer(step.from), buffer(step.to), step.from_origin.data(),
                                     step.origin.data(), step.region.data(), step.from_row_pitch, step.from_slice_pitch,
                                     step.row_pitch, step.slice_pitch, count(), list(), event_));
        return;
      case StepKind::map: return map(i, step);
      case StepKind::unmap: return unmap(i, step);
      case StepKind::launch: return launch(step);
      case StepKind::barrier: MUST(clEnqueueBarrierWithWaitList(queue(step.queue), count(), list(), event_)); return;
      case StepKind::marker: MUST(clEnqueueMarkerWithWaitList(queue(step.queue), count(), list(), event_)); return;
      case StepKind::gate: {
        cl_int status = CL_SUCCESS;
        events_[i] = Event(clCreateUserEvent(session_.context.get(), &status));
        must_succeed(status, "clCreateUserEvent");
        return;
      }
      case StepKind::complete: return complete(action.waits[0], step.late);
      case StepKind::finish: MUST(clFinish(queue(step.queue))); return;
      case StepKind::flush: MUST(clFlush(queue(step.queue))); return;
      case StepKind::wait:
        if (step.poll)
          poll(action);
        else
          MUST(clWaitForEvents(count(), list()));
        for (cl_event event : waits_) {
          cl_int status = 1;
          MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
          if (status != CL_COMPLETE) throw Wrong{"an event that was waited for has status " + std::to_string(status)};
        }
        return;
      case StepKind::follow: return follow(i, step);
      case StepKind::failing: return failing(step);
    }
  }

  // Objects.

  cl_command_queue queue(unsigned number) {
    bench::Queue& queue = queues_[number];
    if (!queue.get()) {
      const cl_command_queue_properties loose = is_out_of_order(number) ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
      queue = make_queue(loose | (is_profiling(number) ? CL_QUEUE_PROFILING_ENABLE : 0));
    }
    return queue.get();
  }
  bench::Queue make_queue(cl_command_queue_properties how) const {
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, how, 0};
    cl_int status = CL_SUCCESS;
    bench::Queue made(clCreateCommandQueueWithProperties(session_.context.get(), session_.device, properties, &status));
    must_succeed(status, "clCreateCommandQueueWithProperties");
    return made;
  }
  cl_mem buffer(unsigned number) const { return buffers_.at(number).get(); }

  void create(const Step& step) {
    Bytes contents =
        step.home == Home::plain || step.home == Home::alloc_host ? Bytes() : random_bytes(step.seed, step.bytes);
    void* place = contents.empty() ? nullptr : contents.data();
    cl_mem_flags flags = CL_MEM_READ_WRITE;
    HostMemory* host = nullptr;
    switch (step.home) {
      case Home::plain: break;
      case Home::copy_host: flags |= CL_MEM_COPY_HOST_PTR; break;
      case Home::use_host:
      case Home::use_host_shifted:
        host = &host_memory_.emplace_back(step.bytes, step.home == Home::use_host ? 0 : 64);
        std::memcpy(host->start, contents.data(), step.bytes);
        place = host->start;
        flags |= CL_MEM_USE_HOST_PTR;
        break;
      case Home::alloc_host: flags |= CL_MEM_ALLOC_HOST_PTR; break;
      case Home::alloc_copy: flags |= CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR; break;
    }
    cl_int status = CL_SUCCESS;
    bench::Buffer made(clCreateBuffer(session_.context.get(), flags, step.bytes, place, &status));
    must_succeed(status, "clCreateBuffer");
    if (host)
      MUST(clSetMemObjectDestructorCallback(
          made.get(),
          [](cl_mem, void* given) {
            auto* memory = static_cast<HostMemory*>(given);
            std::memset(memory->start, std::to_integer<int>(kReleased), memory->bytes);
            memory->is_released = true;
          },
          host));
    buffers_[step.to] = std::move(made);
    places_[step.to] = host ? host->start : nullptr;
  }

  void create_index(const Step& step) {
    Bytes contents = permutation(step.seed, step.bytes / sizeof(uint32_t));
    cl_int status = CL_SUCCESS;
    buffers_[step.to] = bench::Buffer(clCreateBuffer(session_.context.get(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                                     step.bytes, contents.data(), &status));
    must_succeed(status, "clCreateBuffer");
  }

  // Commands.

  cl_uint count() const { return static_cast<cl_uint>(waits_.size()); }
  const cl_event* list() const { return waits_.empty() ? nullptr : waits_.data(); }

  Bytes& keep(size_t action, Bytes source) { return sources_[action] = std::move(source); }

  // Memory for what is read, with guards around it.
  void* guarded(size_t action, size_t bytes) {
    into_[action].assign(bytes + 2 * kGuard, kUntouched);
    return into_[action].data() + kGuard;
  }

  void launch(const Step& step) {
    bench::Kernel& kernel = kernels_[step.kernel];
    if (!kernel.get()) kernel = bench::make_kernel(program_, step.kernel.c_str());
    cl_uint index = 0;
    const auto set = [&](size_t bytes, const void* value) {
      MUST(clSetKernelArg(kernel.get(), index++, bytes, value));
    };
    for (char letter : find_kernel(step.kernel)->arguments) switch (letter) {
        case 'd': set(sizeof(cl_mem), buffers_.at(step.to).address()); break;
        case 's': set(sizeof(cl_mem), buffers_.at(step.from).address()); break;
        case 'i': set(sizeof(cl_mem), buffers_.at(step.index).address()); break;
        case 'l': set(step.local[0] * sizeof(cl_uint), nullptr); break;
        case 'n': set(sizeof step.n, &step.n); break;
        case 'w': set(sizeof step.width, &step.width); break;
        case 'h': set(sizeof step.height, &step.height); break;
        case 'a': set(sizeof step.a, &step.a); break;
        case 'b': set(sizeof step.b, &step.b); break;
      }
    const bool no_start = step.start == Triple{};
    MUST(clEnqueueNDRangeKernel(queue(step.queue), kernel.get(), step.dimensions,
                                no_start ? nullptr : step.start.data(), step.global.data(),
                                step.null_local ? nullptr : step.local.data(), count(), list(), event_));
    // Some kernel objects live as long as all launches, some end right behind one.
    if (step.seed % 4 == 0) kernels_.erase(step.kernel);
  }

  void map(size_t i, const Step& step) {
    static constexpr cl_map_flags kReadWrite = CL_MAP_READ | CL_MAP_WRITE;
    const cl_map_flags flags = step.access == MapAccess::read    ? CL_MAP_READ
                               : step.access == MapAccess::write ? (step.seed % 2 ? CL_MAP_WRITE : kReadWrite)
                                                                 : CL_MAP_WRITE_INVALIDATE_REGION;
    cl_int status = CL_SUCCESS;
    void* mapped = clEnqueueMapBuffer(queue(step.queue), buffer(step.to), step.blocking, flags, step.offset, step.bytes,
                                      count(), list(), event_, &status);
    must_succeed(status, "clEnqueueMapBuffer");
    maps_[step.number] = {i, static_cast<std::byte*>(mapped)};
    const std::byte* place = places_.at(step.to);
    if (place && mapped != place + step.offset)
      throw Wrong{"a buffer with USE_HOST_PTR is mapped elsewhere than at the program's memory"};
  }

  void unmap(size_t i, const Step& step) {
    const auto [mapping, memory] = maps_.at(step.number);
    maps_.erase(step.number);
    if (step.access != MapAccess::invalidate) compare(mapping, {memory, step.bytes}, "at its end the mapped range: ");
    if (i != left_out_) {
      const auto [begin, end] = changed_through_map(step.access, step.bytes);
      std::ranges::copy(random_bytes(step.seed, end - begin), memory + begin);
    }
    MUST(clEnqueueUnmapMemObject(queue(step.queue), buffer(step.to), memory, count(), list(), event_));
  }

  // Waiting.

  void complete(size_t gate, bool late) {
    const auto set = [event = events_[gate].get()] { return clSetUserEventStatus(event, CL_COMPLETE); };
    open_gates_.push_back(gate);
    if (!late) return MUST(set());
    threads_.emplace_back([this, set] {
      std::this_thread::sleep_for(kLate);
      if (set() != CL_SUCCESS) late_failures_ = true;
    });
  }

  void is_complete(size_t i) {
    const Action& action = ordering_.actions[i];
    const Step& step = action.step;
    if (step.kind == StepKind::map && step.access != MapAccess::invalidate && i != left_out_)
      if (const auto open = maps_.find(step.number); open != maps_.end() && open->second.first == i)
        compare(i, {open->second.second, step.bytes}, "the mapped range: ");
    if (step.kind == StepKind::read || step.kind == StepKind::read_rect) has_read(i);
    if (events_[i].get() && is_kept(step)) asked_for_times(i);
    // The implementation must be done with the program's memory.
    std::ranges::fill(sources_[i], kScrambled);
  }

  // Whose commands come one after the other, their times do, too.
  void asked_for_times(size_t i) {
    const Action& action = ordering_.actions[i];
    if (action.step.kind == StepKind::gate || action.step.kind == StepKind::follow || !is_profiling(action.step.queue))
      return has_no_times(events_[i].get());
    const Times times = times_of(events_[i].get());
    times_[i] = times;
    for (size_t before = 0; before < action.after.size(); ++before)
      if (action.after[before] && times_[before] && times_[before]->ended > times.started)
        throw Wrong{text(ordering_, i) + " started " + std::to_string(times_[before]->ended - times.started) +
                    " ns before the end of what it comes after: " + text(ordering_, before)};
  }

  void poll(const Action& action) {
    for (size_t waited : action.waits) MUST(clFlush(queue(ordering_.actions[waited].step.queue)));
    sequences::poll(waits_);
  }

  void follow(size_t i, const Step& step) {
    Followed& followed = followed_.emplace_back(session_.context.get(), session_.device, buffer(step.to), step);
    followed.begin(waits_[0]);
    MUST(clFlush(queue(step.queue)));
    MUST(clRetainEvent(followed.done()));
    events_[i] = Event(followed.done());
  }

  void has_read(size_t i) {
    Bytes& memory = into_[i];
    if (memory.empty()) return compare(i, Bytes(expected_[i].size(), kUntouched), "");  // left out
    const std::span<const std::byte> all(memory);
    for (const auto guard : {all.first(kGuard), all.last(kGuard)})
      for (std::byte value : guard)
        if (value != kUntouched) throw Wrong{text(ordering_, i) + " wrote beside the memory it was given"};
    compare(i, all.subspan(kGuard, memory.size() - 2 * kGuard), "");
  }

  void compare(size_t i, std::span<const std::byte> is, const std::string& where) {
    const Bytes& expected = expected_[i];
    if (is.size() == expected.size() && std::ranges::equal(is, expected)) return;
    if (alike(ordering_.actions[i], Bytes(is.begin(), is.end()), expected)) return;
    throw Wrong{where + "what " + text(ordering_, i) + " shows: " + difference(is, expected)};
  }

  // When it is complete; or twice then; or at each stage.
  void call_back(cl_event event, uint64_t seed) {
    static constexpr cl_int kStages[][3] = {
        {CL_COMPLETE}, {CL_COMPLETE, CL_COMPLETE}, {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED}};
    for (size_t k = 0; k <= seed % 3; ++k) {
      Called& called = called_.emplace_back(kStages[seed % 3][k]);
      MUST(clSetEventCallback(event, called.stage, record, &called));
    }
  }
  static void CL_CALLBACK record(cl_event, cl_int status, void* given) {
    auto* called = static_cast<Called*>(given);
    called->status = status;
    ++called->count;
  }

  void all_called() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    if (late_failures_) throw Wrong{"clSetUserEventStatus failed in another thread"};
    for (Called& called : called_) {
      wait_until([&] { return called.count > 0; });
      if (called.count != 1) throw Wrong{"a callback came " + std::to_string(called.count) + " times"};
      if (called.status != called.stage)
        throw Wrong{"the callback of stage " + std::to_string(called.stage) + " got status " +
                    std::to_string(called.status)};
    }
    for (const Followed& followed : followed_) {
      wait_until([&] { return followed.is_over(); });
      if (!followed.is_over()) throw Wrong{"the callbacks that enqueue did not come to an end"};
      if (!followed.wrong().empty()) throw Wrong{followed.wrong()};
    }
  }
  template <typename Condition>
  static void wait_until(Condition condition) {
    for (const auto end = std::chrono::steady_clock::now() + kLongestCallback;
         !condition() && std::chrono::steady_clock::now() < end;)
      std::this_thread::sleep_for(100us);
  }

  // Commands behind a user event that ends with an error: they end with one, too, and do nothing.
  void failing(const Step& step) {
    const bench::Queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const Bytes source = random_bytes(step.seed, step.bytes);
    Bytes into(step.bytes, kUntouched);
    cl_int status = CL_SUCCESS;
    const Event gate(clCreateUserEvent(session_.context.get(), &status));
    must_succeed(status, "clCreateUserEvent");
    cl_event made = nullptr;
    MUST(clEnqueueWriteBuffer(queue.get(), buffer(step.to), CL_FALSE, step.offset, step.bytes, source.data(), 1,
                              gate.address(), &made));
    const Event written(made);
    MUST(clEnqueueReadBuffer(queue.get(), buffer(step.to), CL_FALSE, step.offset, step.bytes, into.data(), 1,
                             written.address(), &made));
    const Event read(made);
    Called& called = failed_.emplace_back();
    MUST(clSetEventCallback(read.get(), CL_COMPLETE, record, &called));
    MUST(clFlush(queue.get()));
    MUST(clSetUserEventStatus(gate.get(), kFailure));
    if (const cl_int waited = clWaitForEvents(1, read.address());
        waited != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
      throw Wrong{"waiting for a command behind a failed event gave " + bench::status_name(waited)};
    for (const Event* event : {&written, &read}) {
      MUST(clGetEventInfo(event->get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
      if (status >= 0) throw Wrong{"a command behind a failed event has status " + std::to_string(status)};
    }
    wait_until([&] { return called.count > 0; });
    if (called.count != 1 || called.status >= 0)
      throw Wrong{"the callback of a failed command came " + std::to_string(called.count) + " times, with status " +
                  std::to_string(called.status)};
    if (into != Bytes(step.bytes, kUntouched)) throw Wrong{"a read behind a failed event wrote"};
  }

  // The end.

  void release_everything() {
    kernels_.clear();
    buffers_.clear();
    queues_.clear();
    for (Event& event : events_) event = Event();
  }
  void host_memory_is_left_alone() {
    for (HostMemory& memory : host_memory_) {
      wait_until([&] { return memory.is_released.load(); });
      if (!memory.is_released) throw Wrong{"a released buffer's destructor callback did not come"};
      for (size_t i = 0; i < memory.bytes; ++i)
        if (memory.start[i] != kReleased) throw Wrong{"the program's memory was written after the destructor callback"};
    }
  }
  // Also after a failure nothing may use this object's memory any more.
  void let_go() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    for (size_t i = 0; i < events_.size(); ++i)
      if (ordering_.actions[i].step.kind == StepKind::gate && events_[i].get() &&
          std::ranges::find(open_gates_, i) == open_gates_.end())
        clSetUserEventStatus(events_[i].get(), CL_COMPLETE);
    for (auto& [number, queue] : queues_)
      if (queue.get()) clFinish(queue.get());
    for (const Followed& followed : followed_) wait_until([&] { return followed.is_over(); });
    release_everything();
    for (HostMemory& memory : host_memory_) wait_until([&] { return memory.is_released.load(); });
  }

  const Session& session_;
  const bench::Program& program_;
  const Ordering& ordering_;
  const Sights& expected_;
  const std::optional<size_t> left_out_;
  const bool narrate_;

  // Memory before the objects that use it: destroyed after them.
  std::deque<HostMemory> host_memory_;
  std::deque<Called> called_, failed_;
  std::deque<Followed> followed_;
  std::vector<Event> events_;     // per action
  std::vector<size_t> last_use_;  // of an action's event: the action
  std::vector<std::optional<Times>> times_;
  std::vector<Bytes> into_;     // per action: what is read, between guards
  std::vector<Bytes> sources_;  // per action: what is written
  std::map<unsigned, bench::Queue> queues_;
  std::map<unsigned, bench::Buffer> buffers_;
  std::map<unsigned, std::byte*> places_;  // of buffers in the program's memory; else null
  std::map<std::string, bench::Kernel> kernels_;
  std::map<unsigned, std::pair<size_t, std::byte*>> maps_;  // by number: action and address
  std::vector<size_t> open_gates_;                          // completed, or going to be
  std::vector<std::thread> threads_;
  std::atomic<bool> late_failures_ = false;

  std::vector<cl_event> waits_;  // of the action in hand
  cl_event* event_ = nullptr;
};

}  // namespace

std::string play(const Session& session, const bench::Program& kernels, const Ordering& ordering,
                 const Sights& expected, const Playing& how) {
  return Player(session, kernels, ordering, expected, how).play();
}

}  // namespace sequences
