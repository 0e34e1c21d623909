#include "tests/differential/images/player.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <span>

#include "tests/differential/images/host_memory.h"
#include "tests/differential/images/kernels.h"
#include "tests/differential/images/opencl_image.h"
#include "tests/differential/sequences/contents.h"
#include "tests/differential/sequences/wrong.h"

namespace image_sequences {
namespace {

using sequences::must_succeed;
using sequences::Wrong;
using Event = bench::Handle<cl_event, clReleaseEvent>;

constexpr size_t kGuard = 64;  // bytes around what is read into
constexpr std::byte kUntouched{0xa5};

class Player {
 public:
  Player(Device& device, const Sequence& sequence, const Sights& expected, const Playing& how)
      : device_(device), sequence_(sequence), expected_(expected), how_(how) {}

  std::string play() {
    size_t i = 0;
    std::string wrong;
    try {
      for (bench::Queue& queue : queues_) queue = device_.session().make_queue();
      objects_.resize(sequence_.objects.size());
      for (unsigned number = 0; number < objects_.size(); ++number) make(number, sequence_.objects[number].seed);
      for (; i < sequence_.steps.size(); ++i) take(i);
      finish();
    } catch (const Wrong& found) {
      wrong = "step " + std::to_string(i) + ": " +
              (i < sequence_.steps.size() ? text(sequence_.steps[i]) : std::string("the end")) + ": " + found.what;
    }
    // Also after a failure nothing may use this object's memory any more.
    for (const auto& [number, map] : maps_)
      clEnqueueUnmapMemObject(queues_[0].get(), map.object.get(), map.at, 0, nullptr, nullptr);
    for (bench::Queue& queue : queues_)
      if (queue.get()) clFinish(queue.get());
    objects_.clear();
    return wrong;
  }

 private:
  struct Pending {
    size_t step;
    const std::byte* memory;  // kGuard bytes before what is read
  };
  struct Map {
    bench::Buffer object;  // kept, so that it can be unmapped after a failure
    std::byte* at;
    size_t row, slice;
  };

  const Object& object(unsigned number) const { return sequence_.objects[number]; }
  cl_mem handle(unsigned number) const { return objects_[number].get(); }
  cl_command_queue queue(const Step& step) const { return queues_[step.queue].get(); }
  std::byte* keep(const std::vector<std::byte>& contents) { return memory_.emplace_back(contents).get(); }

  // Objects.

  void make(unsigned number, uint64_t seed) {
    const Object& made = object(number);
    std::byte* host = nullptr;
    if (made.kind == Kind::table) {
      host = keep(sequences::permutation(seed, made.bytes() / sizeof(uint32_t)));
    } else if (made.home != Home::plain) {
      const size_t bytes = is_image(made.kind)
                               ? host_layout(made.format, made.size, made.row_pitch, made.slice_pitch).bytes
                               : made.bytes();
      std::vector<std::byte> contents = sequences::random_bytes(seed, bytes);
      // OpenCL takes whole slices of whole rows from the program, also where only pixels count.
      contents.resize(whole_slices(made));
      host = keep(contents);
    }
    const cl_mem shown = made.kind == Kind::image1d_buffer ? handle(made.buffer) : nullptr;
    cl_int status = CL_SUCCESS;
    objects_[number] = bench::Buffer(create(device_.session().context.get(), made, shown, host, &status));
    must_succeed(status, is_image(made.kind) ? "clCreateImage" : "clCreateBuffer");
    hosts_[number] = made.home == Home::use_host ? host : nullptr;
  }

  // Commands. All come after each other: where the queue changes, by an event or clFinish().

  void take(size_t i) {
    const Step& step = sequence_.steps[i];
    if (how_.narrate) {
      std::printf("step %zu: %s\n", i, text(step).c_str());
      std::fflush(stdout);
    }
    if (how_.left_out == i) return;
    if (step.kind == StepKind::finish) return finish();
    if (step.kind == StepKind::renew) return make(step.to, step.seed);
    waits_.clear();
    if (last_.get() && last_queue_ != step.queue) {
      if (step.ties_by_finish) {
        must_succeed(clFinish(queues_[last_queue_].get()), "clFinish");
      } else {
        must_succeed(clFlush(queues_[last_queue_].get()), "clFlush");
        waits_.push_back(last_.get());
      }
    }
    cl_event event = nullptr;
    enqueue(i, step, &event);
    last_ = Event(event);
    last_queue_ = step.queue;
    if (step.kind == StepKind::map) look_at_map(i, step);
    if (!pending_.empty() && pending_.back().step == i && step.blocking) {
      compare(pending_.back());
      pending_.pop_back();
    }
  }
  cl_uint wait_count() const { return static_cast<cl_uint>(waits_.size()); }
  const cl_event* wait_list() const { return waits_.empty() ? nullptr : waits_.data(); }

  void enqueue(size_t i, const Step& step, cl_event* event) {
    const cl_bool blocking = step.blocking;
    const cl_uint count = wait_count();
    const cl_event* waits = wait_list();
    cl_int status = CL_SUCCESS;
    switch (step.kind) {
      case StepKind::write: {
        const HostLayout layout = layout_of(step, step.to);
        const std::byte* from = keep(sequences::random_bytes(step.seed, layout.bytes));
        status = clEnqueueWriteImage(queue(step), handle(step.to), blocking, step.origin.data(), step.region.data(),
                                     step.row_pitch, step.slice_pitch, from, count, waits, event);
        break;
      }
      case StepKind::read:
        status = clEnqueueReadImage(queue(step), handle(step.from), blocking, step.origin.data(), step.region.data(),
                                    step.row_pitch, step.slice_pitch, read_into(i, layout_of(step, step.from).bytes),
                                    count, waits, event);
        break;
      case StepKind::copy:
        status = clEnqueueCopyImage(queue(step), handle(step.from), handle(step.to), step.from_origin.data(),
                                    step.origin.data(), step.region.data(), count, waits, event);
        break;
      case StepKind::image_to_buffer:
        status = clEnqueueCopyImageToBuffer(queue(step), handle(step.from), handle(step.to), step.origin.data(),
                                            step.region.data(), step.offset, count, waits, event);
        break;
      case StepKind::buffer_to_image:
        status = clEnqueueCopyBufferToImage(queue(step), handle(step.from), handle(step.to), step.offset,
                                            step.origin.data(), step.region.data(), count, waits, event);
        break;
      case StepKind::fill: {
        Pixel colour = own_value(0, 0, 0, static_cast<uint32_t>(step.seed));
        for (uint32_t& channel : colour) channel &= largest(object(step.to).format);
        status = clEnqueueFillImage(queue(step), handle(step.to), colour.data(), step.origin.data(), step.region.data(),
                                    count, waits, event);
        break;
      }
      case StepKind::map: {
        Map map{shared(step.to), nullptr, 0, 0};
        map.at = static_cast<std::byte*>(
            clEnqueueMapImage(queue(step), handle(step.to), blocking, map_flags(step.access), step.origin.data(),
                              step.region.data(), &map.row, &map.slice, count, waits, event, &status));
        must_succeed(status, "clEnqueueMapImage");
        maps_[step.number] = std::move(map);
        break;
      }
      case StepKind::unmap: {
        change_map(step);
        const Map& map = maps_.at(step.number);
        status = clEnqueueUnmapMemObject(queue(step), map.object.get(), map.at, count, waits, event);
        maps_.erase(step.number);
        break;
      }
      case StepKind::write_buffer: {
        const std::byte* from = keep(sequences::random_bytes(step.seed, step.bytes));
        status = clEnqueueWriteBuffer(queue(step), handle(step.to), blocking, step.offset, step.bytes, from, count,
                                      waits, event);
        break;
      }
      case StepKind::read_buffer:
        status = clEnqueueReadBuffer(queue(step), handle(step.from), blocking, step.offset, step.bytes,
                                     read_into(i, step.bytes), count, waits, event);
        break;
      case StepKind::fill_buffer: {
        const auto value = static_cast<cl_uchar>(step.seed);
        status = clEnqueueFillBuffer(queue(step), handle(step.to), &value, sizeof value, step.offset, step.bytes, count,
                                     waits, event);
        break;
      }
      case StepKind::launch: status = launch(step, event); break;
      case StepKind::renew:
      case StepKind::finish: break;
    }
    must_succeed(status, std::string(name(step.kind)).c_str());
  }
  bench::Buffer shared(unsigned number) const {
    must_succeed(clRetainMemObject(handle(number)), "clRetainMemObject");
    return bench::Buffer(handle(number));
  }
  HostLayout layout_of(const Step& step, unsigned image) const {
    return host_layout(object(image).format, step.region, step.row_pitch, step.slice_pitch);
  }
  void finish() {
    for (const bench::Queue& queue : queues_) must_succeed(clFinish(queue.get()), "clFinish");
    for (const Pending& each : pending_) compare(each);
    pending_.clear();
  }

  cl_int launch(const Step& step, cl_event* event) {
    const Object& image = object(is_image(object(step.to).kind) ? step.to : step.from);
    const bench::Kernel kernel = device_.kernel(image.kind, step.kernel);
    cl_uint next = 0;
    const auto set = [&](const auto& value) {
      must_succeed(clSetKernelArg(kernel.get(), next++, sizeof value, &value), "clSetKernelArg");
    };
    cl_int4 end{}, shift{};
    for (size_t d = 0; d < 3; ++d) {
      end.s[d] = static_cast<cl_int>(step.origin[d] + step.region[d]);
      shift.s[d] = step.shift[d];
    }
    const auto seed = static_cast<cl_uint>(step.seed), most = largest(object(step.to).format);
    const auto count = static_cast<cl_int>(step.count), columns = static_cast<cl_int>(object(step.from).size[0]);
    const cl_uint others = object(step.from).format == Format::r16 ? 0 : ~cl_uint{0};
    set(handle(step.to));
    switch (step.kernel) {
      case Kernel::own: set(end), set(seed), set(most); break;
      case Kernel::linear: set(count), set(seed), set(most); break;
      case Kernel::neighbours: set(handle(step.from)), set(end), set(others), set(shift), set(most); break;
      case Kernel::conditional: set(handle(step.from)), set(end), set(others), set(seed), set(most); break;
      case Kernel::two:
        set(handle(step.from)), set(handle(step.also)), set(end), set(others), set(seed), set(most);
        set(largest(object(step.also).format));
        break;
      case Kernel::scatter: set(handle(step.table)), set(count), set(seed), set(most); break;
      case Kernel::gather:
        set(handle(step.from)), set(handle(step.table)), set(count), set(others), set(columns);
        break;
      case Kernel::to_buffer: set(handle(step.from)), set(end), set(others), set(columns); break;
      case Kernel::from_buffer: set(handle(step.from)), set(end), set(most); break;
    }
    // Groups are filled up with work-items that do nothing.
    const bool is_one_row = step.count > 0;
    Triple global{1, 1, 1};
    for (size_t d = 0; d < (is_one_row ? 1 : 3); ++d) {
      const size_t items = is_one_row ? step.count : step.region[d];
      global[d] = (items + step.local[d] - 1) / step.local[d] * step.local[d];
    }
    const bool is_offset = !is_one_row && step.origin != Triple{};
    return clEnqueueNDRangeKernel(queue(step), kernel.get(), is_one_row ? 1 : 3,
                                  is_offset ? step.origin.data() : nullptr, global.data(), step.local.data(),
                                  wait_count(), wait_list(), event);
  }

  // What is seen.

  std::byte* read_into(size_t i, size_t bytes) {
    std::byte* memory = keep(std::vector<std::byte>(bytes + 2 * kGuard, kUntouched));
    pending_.push_back({i, memory});
    return memory + kGuard;
  }
  // The rows of what is read are as expected, and nothing between and beside them was touched.
  void compare(const Pending& pending) const {
    const Step& step = sequence_.steps[pending.step];
    const Object& from = object(step.from);
    HostLayout layout{step.bytes, step.bytes, step.bytes};
    size_t row = step.bytes;
    if (is_image(from.kind)) {
      layout = layout_of(step, step.from);
      row = step.region[0] * pixel_bytes(from.format);
    }
    std::vector<std::byte> rest(pending.memory, pending.memory + layout.bytes + 2 * kGuard), seen;
    for (size_t z = 0; z < step.region[2]; ++z)
      for (size_t y = 0; y < step.region[1]; ++y) {
        const auto begin = rest.begin() + static_cast<ptrdiff_t>(kGuard + layout.at(y, z));
        seen.insert(seen.end(), begin, begin + static_cast<ptrdiff_t>(row));
        std::fill_n(begin, row, kUntouched);
      }
    must_be_expected(pending.step, seen, row);
    for (size_t at = 0; at < rest.size(); ++at)
      if (rest[at] != kUntouched)
        throw Wrong{"what step " + std::to_string(pending.step) + " (" + text(step) + ") reads was written to byte " +
                    std::to_string(static_cast<ptrdiff_t>(at - kGuard)) + ", which is no pixel of it"};
  }
  void must_be_expected(size_t i, std::span<const std::byte> seen, size_t row) const {
    const Bytes& expected = expected_[i];
    if (seen.size() != expected.values.size()) throw Wrong{"the model sees another number of bytes"};
    size_t differ = 0, first = 0, last = 0;
    for (size_t at = 0; at < seen.size(); ++at) {
      if (!expected.defined[at] || seen[at] == expected.values[at]) continue;
      if (differ++ == 0) first = at;
      last = at;
    }
    if (differ == 0) return;
    throw Wrong{"what step " + std::to_string(i) + " (" + text(sequence_.steps[i]) +
                ") shows: " + std::to_string(differ) + " of " + std::to_string(seen.size()) +
                " bytes differ, from byte " + std::to_string(first % row) + " of row " + std::to_string(first / row) +
                " (is " + std::to_string(std::to_integer<int>(seen[first])) + ", expected " +
                std::to_string(std::to_integer<int>(expected.values[first])) + ") to byte " +
                std::to_string(last % row) + " of row " + std::to_string(last / row)};
  }

  static cl_map_flags map_flags(Access access) {
    switch (access) {
      case Access::read: return CL_MAP_READ;
      case Access::write: return CL_MAP_WRITE;
      case Access::read_write: return CL_MAP_READ | CL_MAP_WRITE;
      default: return CL_MAP_WRITE_INVALIDATE_REGION;
    }
  }
  // Where a row of the region is mapped: layers of a 1D array lie the slice's pitch apart.
  std::byte* mapped_row(const Step& step, const Map& map, size_t y, size_t z) const {
    const size_t between_rows = object(step.to).kind == Kind::image1d_array ? map.slice : map.row;
    return map.at + y * between_rows + z * map.slice;
  }
  void look_at_map(size_t i, const Step& step) const {
    must_succeed(clFlush(queue(step)), "clFlush");
    must_succeed(clWaitForEvents(1, last_.address()), "clWaitForEvents");
    const Map& map = maps_.at(step.number);
    const Object& image = object(step.to);
    const size_t row = step.region[0] * pixel_bytes(image.format);
    const bool has_slices =
        image.kind == Kind::image1d_array || image.kind == Kind::image2d_array || image.kind == Kind::image3d;
    if (map.row < row) throw Wrong{"the map's rows are " + std::to_string(map.row) + " bytes apart"};
    if (!has_slices && map.slice != 0)
      throw Wrong{"the map of an image without slices has a slice pitch of " + std::to_string(map.slice)};
    if (has_slices && map.slice < row)
      throw Wrong{"the map's slices are " + std::to_string(map.slice) + " bytes apart"};
    if (const std::byte* host = hosts_.at(step.to)) lies_on(host, step, map);
    std::vector<std::byte> seen;
    for (size_t z = 0; z < step.region[2]; ++z)
      for (size_t y = 0; y < step.region[1]; ++y) {
        const std::byte* begin = mapped_row(step, map, y, z);
        seen.insert(seen.end(), begin, begin + row);
      }
    must_be_expected(i, seen, row);
  }
  // An image on the program's memory is mapped to its place there.
  void lies_on(const std::byte* host, const Step& step, const Map& map) const {
    const Object& image = object(step.to);
    const HostLayout layout = host_layout(image.format, image.size, image.row_pitch, image.slice_pitch);
    const std::byte* place =
        host + layout.at(step.origin[1], step.origin[2]) + step.origin[0] * pixel_bytes(image.format);
    if (map.at != place)
      throw Wrong{"the map lies " + std::to_string(map.at - place) + " bytes from the pixel in the program's memory"};
  }
  void change_map(const Step& step) const {
    const Map& map = maps_.at(step.number);
    const HostLayout layout = host_layout(object(step.to).format, step.region, 0, 0);
    const std::vector<std::byte> changes = sequences::random_bytes(step.seed, layout.bytes);
    for (size_t z = 0; z < step.region[2]; ++z)
      for (size_t y = 0; y < step.region[1]; ++y)
        if (changes_row(step.access, y, z))
          std::memcpy(mapped_row(step, map, y, z), changes.data() + layout.at(y, z), layout.row);
  }

  Device& device_;
  const Sequence& sequence_;
  const Sights& expected_;
  const Playing how_;

  std::deque<HostMemory> memory_;  // before the objects that use it: destroyed after them
  std::array<bench::Queue, 2> queues_;
  std::vector<bench::Buffer> objects_;
  std::map<unsigned, const std::byte*> hosts_;  // by object: the program's memory that it lies on, or null
  std::map<unsigned, Map> maps_;                // by number
  std::vector<Pending> pending_;
  Event last_;
  unsigned last_queue_ = 0;
  std::vector<cl_event> waits_;  // of the step in hand
};

}  // namespace

Device::Device(unsigned platform, unsigned device, const std::vector<Kind>& kinds)
    : session_(bench::Session::open(platform, device)) {
  must_have_images(session_, kinds);
}

bench::Kernel Device::kernel(Kind kind, Kernel kernel) {
  auto found = programs_.find(kind);
  if (found == programs_.end()) found = programs_.emplace(kind, session_.build(kernels_source(kind))).first;
  return bench::make_kernel(found->second, std::string(name(kernel)).c_str());
}

std::string play(Device& device, const Sequence& sequence, const Sights& expected, const Playing& how) {
  return Player(device, sequence, expected, how).play();
}

}  // namespace image_sequences
