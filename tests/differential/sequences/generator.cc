#include "tests/differential/sequences/generator.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "benchmarks/host/random.h"
#include "tests/differential/sequences/kernels.h"

namespace sequences {
namespace {

// Sizes at which implementations change their ways: pages, chunks, staging buffers.
constexpr std::array<size_t, 5> kBorders = {4096, 65536, 262144, 1048576, 8388608};
constexpr size_t kSubBufferAlignment = 512;  // of all devices that we know
constexpr size_t kMostItems = 1 << 21;
constexpr size_t kMostOfMatrix = 1 << 20;  // elements
// Few local sizes, and few global sizes without one: a driver may compile the kernel for each anew.
constexpr std::array<size_t, 3> kLocal1 = {16, 64, 7};
constexpr std::array<Triple, 3> kLocal2 = {Triple{8, 4, 1}, {16, 1, 1}, {3, 5, 1}};
constexpr Triple kLocal3 = {4, 2, 3};
constexpr std::array<size_t, 10> kGlobalAlone = {1, 5, 64, 100, 1000, 4099, 16384, 100000, 262147, 1048576};

class Generator {
 public:
  Generator(uint64_t seed, const Limits& limits) : random_(seed * 0x9e3779b1 + 12345), limits_(limits) {
    switch (below(7)) {
      case 0: queues_ = {0}; break;
      case 1: queues_ = {1}; break;
      case 2: queues_ = {0, 2}; break;
      case 3: queues_ = {0, 1, 2, 3}; break;
      case 4: queues_ = {4}; break;
      case 5: queues_ = {4, 5}; break;
      default: queues_ = {0, 1, 4, 5};
    }
    events_ = chance(40);
    for (const KernelFacts& kernel : all_kernels())
      if (limits.kernels.empty() || std::ranges::count(limits.kernels, kernel.name)) kernels_.push_back(&kernel);
    // Most sequences use few kernels and sizes, again and again, as programs do.
    if (chance(60))
      while (kernels_.size() > 6) kernels_.erase(kernels_.begin() + below(static_cast<uint32_t>(kernels_.size())));
    common_size_ = size();
  }

  Sequence make() {
    for (unsigned count = 2 + below(3); count > 0; --count) create();
    if (chance(60)) create_index();
    while (made_.size() < limits_.steps) {
      const size_t before = made_.size();
      any_step();
      if (made_.size() - before >= 1 && chance(5)) repeat();
    }
    return std::move(made_);
  }

 private:
  struct Buffer {
    size_t bytes = 0;
    bool is_index = false, is_sub = false;
  };

  uint32_t below(uint32_t bound) { return random_.below(bound); }
  size_t below_size(size_t bound) { return below(static_cast<uint32_t>(bound)); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename Choices>
  auto one_of(const Choices& choices) {
    return choices[below(static_cast<uint32_t>(choices.size()))];
  }

  size_t size() {
    size_t bytes = 0;
    if (chance(30)) {
      bytes = 1 + below(600);
    } else if (chance(45)) {
      static constexpr std::array<int, 11> kBeside = {-64, -16, -5, -4, -1, 0, 1, 4, 16, 100, 4096};
      bytes = one_of(kBorders) + static_cast<size_t>(static_cast<long>(one_of(kBeside)));
    } else {
      bytes = size_t{16} << below(18);  // to 2 MiB
      bytes += below_size(bytes);
      if (chance(70)) bytes = bytes / 16 * 16;
    }
    return std::min(bytes, limits_.largest_buffer);
  }

  template <typename Choices>
  auto local(const Choices& choices) {
    return limits_.few_local_sizes ? choices[0] : one_of(choices);
  }

  // Adds the step in a queue, with the ways of waiting.
  void add(Step step) {
    step.queue = one_of(queues_);
    step.seed = random_.next() >> 32;
    if (chance(15)) step.callback = true;
    step.event = events_ || chance(5);
    step.poll = chance(20);
    step.tie = chance(50) ? Tie::events : Tie(below(5));
    if (gate_ && chance(50)) step.gate = gate_;
    step.late = limits_.late && chance(30);
    made_.push_back(std::move(step));
  }

  void any_step() {
    switch (below(100)) {
      case 0 ... 3: create(); return;
      case 4 ... 6: return create_sub_buffer();
      case 7: return create_index();
      case 8 ... 9: return release();
      case 10: return add({.kind = StepKind::renew_queue});
      case 11 ... 16: return transfer(StepKind::write);
      case 17 ... 22: return transfer(StepKind::read);
      case 23 ... 27: return fill();
      case 28 ... 33: return copy();
      case 34 ... 40: return rectangle();
      case 41 ... 47: return map();
      case 48 ... 49:
        if (next_map_ > 1) add({.kind = StepKind::unmap, .number = 1 + below(next_map_ - 1)});
        return;
      case 50 ... 51: return add({.kind = chance(50) ? StepKind::barrier : StepKind::marker});
      case 52 ... 53: return add({.kind = StepKind::wait});
      case 54: return add({.kind = StepKind::finish});
      case 55: return add({.kind = StepKind::flush});
      case 56 ... 58:
        if (gate_) return complete();
        if (!limits_.gates) return;
        gate_ = next_gate_++;
        return made_.push_back({.kind = StepKind::gate, .number = gate_});
      case 59:
        if (limits_.failures) failing();
        return;
      case 60 ... 61:
        if (limits_.gates) follow();
        return;
      default: return launch();
    }
  }

  // Objects.

  unsigned create() {
    Step step{.kind = StepKind::create, .to = next_buffer_++, .bytes = chance(60) ? common_size_ : size()};
    step.home = chance(50) ? Home::plain : Home(below(6));
    buffers_[step.to] = {step.bytes};
    add(step);
    return next_buffer_ - 1;
  }
  void create_index() {
    Step step{.kind = StepKind::create_index, .to = next_buffer_++};
    step.bytes = std::max<size_t>(4, (chance(70) ? common_size_ : size()) / 4 * 4);
    buffers_[step.to] = {step.bytes, true};
    add(step);
  }
  void create_sub_buffer() {
    const unsigned parent = any([](const Buffer& b) { return !b.is_sub && !b.is_index && b.bytes > 1; });
    if (!parent) return;
    const size_t bytes = buffers_[parent].bytes;
    // Two halves, often.
    const size_t half = bytes / 2 / kSubBufferAlignment * kSubBufferAlignment;
    Step step{.kind = StepKind::sub_buffer, .from = parent};
    if (half && chance(60)) {
      for (const size_t offset : {size_t{0}, half}) {
        step.to = next_buffer_++;
        step.offset = offset;
        step.bytes = half;
        buffers_[step.to] = {step.bytes, false, true};
        add(step);
      }
      return;
    }
    step.to = next_buffer_++;
    step.offset = below_size(bytes) / kSubBufferAlignment * kSubBufferAlignment;
    step.bytes = 1 + below_size(bytes - step.offset);
    buffers_[step.to] = {step.bytes, false, true};
    add(step);
  }
  void release() {
    if (buffers_.size() < 3) return;
    const unsigned buffer = any([](const Buffer&) { return true; });
    buffers_.erase(buffer);
    add({.kind = StepKind::release, .to = buffer});
  }

  template <typename Which>
  unsigned any(Which which) {
    std::vector<unsigned> found;
    for (const auto& [number, buffer] : buffers_)
      if (which(buffer)) found.push_back(number);
    return found.empty() ? 0 : one_of(found);
  }
  unsigned any_data() {
    const unsigned found = any([](const Buffer& b) { return !b.is_index; });
    return found ? found : create();
  }

  // Transfers.

  // All, or a part that begins and ends anywhere, or straddles a border.
  void part(Step& step, size_t size) {
    step.offset = 0;
    step.bytes = size;
    if (chance(35)) return;
    step.offset = below_size(size);
    step.bytes = 1 + below_size(size - step.offset);
    const size_t border = one_of(kBorders);
    if (chance(30) && border + 3 < size) {
      step.offset = border - 1 - below(100);
      step.bytes = std::min(size - step.offset, 2 + size_t{below(300)});
    }
    if (chance(20)) step.bytes = std::min<size_t>(step.bytes, 1 + below(64));
  }
  void transfer(StepKind kind) {
    Step step{.kind = kind, .to = any_data()};
    part(step, buffers_[step.to].bytes);
    step.blocking = chance(40);
    add(step);
  }
  void failing() {
    Step step{.kind = StepKind::failing, .to = any_data()};
    part(step, buffers_[step.to].bytes);
    add(step);
  }
  void fill() { fill(StepKind::fill); }
  void follow() { fill(StepKind::follow); }
  void fill(StepKind kind) {
    Step step{.kind = kind, .to = any_data()};
    part(step, buffers_[step.to].bytes);
    step.pattern = size_t{1} << below(8);
    while (step.pattern > step.bytes) step.pattern /= 2;
    step.offset = step.offset / step.pattern * step.pattern;
    step.bytes = step.bytes / step.pattern * step.pattern;
    step.blocking = false;
    add(step);
  }
  void copy() {
    Step step{.kind = StepKind::copy, .to = any_data()};
    step.from = any_data();
    const size_t to = buffers_[step.to].bytes, from = buffers_[step.from].bytes;
    part(step, std::min(to, from));
    // Somewhere else in both.
    if (chance(60)) {
      step.offset = below_size(to - step.bytes + 1);
      step.from_offset = below_size(from - step.bytes + 1);
    } else {
      step.from_offset = step.offset;
    }
    if (step.to == step.from && chance(80)) {  // within one buffer, without overlap
      step.bytes = std::max<size_t>(1, to / 3);
      step.from_offset = 0;
      step.offset = std::min(step.bytes, to - step.bytes);
    }
    step.blocking = false;
    add(step);
  }

  // A box in `size` bytes: origin, region and pitches.
  bool box(size_t size, Triple& region, Triple& origin, size_t& row_pitch, size_t& slice_pitch, bool choose_region) {
    if (choose_region) {
      region[0] = 1 + below_size(std::min<size_t>(size, chance(50) ? 64 : 5000));
      region[1] = 1 + below_size(std::clamp<size_t>(size / region[0], 1, 100));
      region[2] = chance(60) ? 1 : 1 + below(5);
    }
    for (unsigned tries = 0; tries < 8; ++tries) {
      row_pitch = region[0] + (chance(50) ? 0 : below(64));
      slice_pitch = row_pitch * (region[1] + (chance(50) ? 0 : below(4)));
      const size_t span = (region[2] - 1) * slice_pitch + (region[1] - 1) * row_pitch + region[0];
      if (span > size) continue;
      const size_t left = size - span;
      origin[2] = slice_pitch ? below_size(std::min<size_t>(left / slice_pitch, 3) + 1) : 0;
      const size_t rows = (left - origin[2] * slice_pitch) / row_pitch;
      origin[1] = below_size(std::min<size_t>(rows, 50) + 1);
      origin[0] =
          below_size(std::min(left - origin[2] * slice_pitch - origin[1] * row_pitch, row_pitch - region[0]) + 1);
      return true;
    }
    return false;
  }
  void rectangle() {
    Step step{.kind = one_of(std::array{StepKind::write_rect, StepKind::read_rect, StepKind::copy_rect}),
              .to = any_data()};
    step.blocking = step.kind != StepKind::copy_rect && chance(40);
    if (!box(buffers_[step.to].bytes, step.region, step.origin, step.row_pitch, step.slice_pitch, true)) return;
    const bool is_copy = step.kind == StepKind::copy_rect;
    size_t other = size_t{1} << 22;  // host memory is as large as the rectangle needs
    if (is_copy) {
      step.from = any_data();
      if (!limits_.copy_rect_of_sub_buffers && (buffers_[step.to].is_sub || buffers_[step.from].is_sub)) return;
      other = buffers_[step.from].bytes;
      if (step.to == step.from) {  // with the same pitches, one behind the other
        step.region[2] = 1;
        step.origin = {step.origin[0], step.region[1], 0};
        step.from_origin = {step.origin[0], 0, 0};
        step.from_row_pitch = step.row_pitch;
        step.slice_pitch = step.from_slice_pitch = 2 * step.region[1] * step.row_pitch;
        return add(step);
      }
    }
    if (box(other, step.region, step.from_origin, step.from_row_pitch, step.from_slice_pitch, false)) add(step);
  }
  void map() {
    Step step{.kind = StepKind::map, .to = any_data(), .number = next_map_++};
    part(step, buffers_[step.to].bytes);
    step.blocking = chance(50);
    step.access = MapAccess(below(3));
    add(step);
    if (chance(50)) add({.kind = StepKind::unmap, .number = step.number});
  }
  void complete() {
    Step step{.kind = StepKind::complete, .number = gate_};
    gate_ = 0;
    add(step);
  }

  // Launches.

  void launch() {
    for (unsigned tries = 0; tries < 10; ++tries) {
      const KernelFacts& kernel = *one_of(kernels_);
      Step step{.kind = StepKind::launch, .to = any_data()};
      step.kernel = kernel.name;
      step.from = chance(10) ? step.to : any_data();
      if (kernel.name == "halves" && chance(70)) step.from = step.to;
      if (kernel.arguments.find('s') == std::string_view::npos) step.from = 0;
      if (kernel.arguments.find('i') != std::string_view::npos)
        step.index = any([](const Buffer& b) { return b.is_index; });
      size_t bytes = buffers_[step.to].bytes;
      if (step.from) bytes = std::min(bytes, buffers_[step.from].bytes);
      size_t n = bytes / kernel.element;
      if (step.index) n = std::min(n, buffers_[step.index].bytes / sizeof(uint32_t));
      n = std::min(n, kMostItems);
      if (n == 0) continue;
      if (chance(25)) n = 1 + below_size(n);
      step.a = chance(70) ? 1 + below(5) : static_cast<uint32_t>(random_.next());
      step.b = chance(70) ? below(200) : static_cast<uint32_t>(random_.next());
      shape(step, kernel, n);
      step.blocking = false;
      if (!reach(step, buffers_[step.to].bytes, buffers_[step.from].bytes, buffers_[step.index].bytes)) {
        buffers_.erase(0);
        continue;
      }
      buffers_.erase(0);
      return add(step);
    }
  }

  void shape(Step& step, const KernelFacts& kernel, size_t n) {
    switch (kernel.shape) {
      case Shape::box: return box_launch(step, kernel, n);
      case Shape::line:
        step.n = static_cast<uint32_t>(n);
        if (kernel.name == "channel") {
          step.width = 2 + below(4);
          step.n = static_cast<uint32_t>(std::max<size_t>(1, n / step.width));
        }
        step.global[0] = kernel.name == "channel" ? step.n : 1 + below_size(std::min<size_t>(n, 10000));
        return local_1(step);
      case Shape::groups:
        step.local[0] = local(kLocal1);
        step.global[0] = std::max<size_t>(1, n / step.local[0]) * step.local[0];
        step.n = static_cast<uint32_t>(chance(70) ? n : 1 + below_size(n));
        return;
      default: return matrix_launch(step, kernel, n);
    }
  }

  void box_launch(Step& step, const KernelFacts& kernel, size_t n) {
    const bool counts = kernel.drawn_numbers;
    if (counts && n < 2) return;
    const bool wide =
        kernel.arguments.find('w') != std::string_view::npos && kernel.arguments.find('h') != std::string_view::npos;
    step.n = static_cast<uint32_t>(n - counts);
    step.dimensions = wide && n > 30 ? 1 + below(3) : 1;
    if (step.dimensions == 1) {
      step.width = 1 + below_size(static_cast<size_t>(std::sqrt(n)) + 1);
      step.height = static_cast<uint32_t>(chance(50) ? std::min<size_t>(n, 1 + below(40)) : n);  // places of atomics
      if (chance(20)) step.start[0] = below_size(n);
      step.global[0] = step.n - std::min<size_t>(step.start[0], step.n - 1);
      if (chance(25)) step.global[0] = 1 + below_size(step.global[0]);
      return local_1(step);
    }
    const Triple group = step.dimensions == 2 ? local(kLocal2) : kLocal3;
    const size_t deep = step.dimensions == 3 ? 1 + below(6) : 1;
    const size_t wide_elements = std::max<size_t>(1, static_cast<size_t>(std::sqrt(n / deep)) * (1 + below(4)) / 2);
    step.null_local = chance(limits_.few_local_sizes ? 3 : 20);
    step.local = step.null_local ? Triple{1, 1, 1} : group;
    const auto rounded = [&](size_t count, unsigned d) {
      return (std::max<size_t>(1, count) + step.local[d] - 1) / step.local[d] * step.local[d];
    };
    if (chance(20)) step.start = {below(5), below(4), step.dimensions == 3 ? below(3) : 0};
    step.global = {rounded(wide_elements, 0), rounded(n / deep / wide_elements, 1),
                   step.dimensions == 3 ? rounded(deep, 2) : 1};
    step.width = static_cast<uint32_t>(step.start[0] + step.global[0] + (chance(50) ? 0 : below(10)));
    step.height = static_cast<uint32_t>(step.start[1] + step.global[1] + (chance(70) ? 0 : below(3)));
    if (step.null_local && chance(80)) {  // few sizes without a local size
      step.global = {25, 10, step.dimensions == 3 ? 3u : 1u};
      step.width = 30, step.height = 14;
    }
  }

  void local_1(Step& step) {
    step.null_local = chance(limits_.few_local_sizes ? 5 : 25);
    if (!step.null_local) {
      step.local[0] = local(kLocal1);
      step.global[0] = (step.global[0] + step.local[0] - 1) / step.local[0] * step.local[0];
    } else {
      size_t fitting = 1;
      for (size_t size : kGlobalAlone)
        if (size <= step.global[0]) fitting = size;
      step.global[0] = fitting;
    }
  }

  void matrix_launch(Step& step, const KernelFacts& kernel, size_t n) {
    n = std::min(n, kMostOfMatrix);
    const size_t root = static_cast<size_t>(std::sqrt(n));
    const size_t width = std::clamp<size_t>(chance(60) ? root : 1 + below_size(2 * root), 1, n);
    step.width = static_cast<uint32_t>(width);
    step.height = static_cast<uint32_t>(n / width);
    if (kernel.shape == Shape::matrix) {
      step.dimensions = 2;
      step.local = local(kLocal2);
      for (unsigned d = 0; d < 2; ++d) {
        const size_t count = d ? step.height : step.width;
        step.global[d] = (count + step.local[d] - 1) / step.local[d] * step.local[d];
      }
      return;
    }
    step.local[0] = local(kLocal1);
    const size_t count = kernel.shape == Shape::rows ? step.height : step.width;
    step.global[0] = (count + step.local[0] - 1) / step.local[0] * step.local[0];
  }

  // What a loop in a program does: the last steps again, a few times.
  void repeat() {
    const size_t length = std::min<size_t>(1 + below(5), made_.size());
    const Sequence block(made_.end() - static_cast<ptrdiff_t>(length), made_.end());
    for (const Step& step : block)
      if (step.kind != StepKind::launch && step.kind != StepKind::copy && step.kind != StepKind::fill &&
          step.kind != StepKind::write && step.kind != StepKind::read && step.kind != StepKind::copy_rect)
        return;
    for (unsigned count = 1 + below(5); count > 0; --count) made_.insert(made_.end(), block.begin(), block.end());
  }

  bench::Random random_;
  const Limits& limits_;
  Sequence made_;
  std::vector<unsigned> queues_;
  std::vector<const KernelFacts*> kernels_;
  size_t common_size_ = 0;
  bool events_ = false;                 // of all commands
  std::map<unsigned, Buffer> buffers_;  // alive
  unsigned next_buffer_ = 1, next_map_ = 1, next_gate_ = 1;
  unsigned gate_ = 0;  // open
};

}  // namespace

Sequence generate(uint64_t seed, const Limits& limits) { return Generator(seed, limits).make(); }

}  // namespace sequences
