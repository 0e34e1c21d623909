#include "tests/differential/images/generator.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "benchmarks/host/random.h"
#include "tests/differential/images/kernels.h"

namespace image_sequences {
namespace {

constexpr size_t kMostColumns = 40, kMostRows = 20, kMostSlices = 6;
constexpr unsigned kMostMaps = 2;  // at a time

class Generator {
 public:
  Generator(uint64_t seed, const Limits& limits) : random_(seed), limits_(limits) {
    if (limits_.kinds.empty()) limits_.kinds.assign(kImageKinds.begin(), kImageKinds.end());
    has_two_queues_ = chance(3);
  }

  Sequence make() {
    objects();
    while (made_.steps.size() < limits_.steps) {
      step();
      if (chance(4)) scatter_over_the_last();
    }
    while (!mapped_.empty()) unmap();
    for (unsigned i = 0; i < made_.objects.size(); ++i)
      if (object(i).kind != Kind::image1d_buffer) read_all(i);
    return made_;
  }

 private:
  size_t below(size_t bound) { return random_.below(static_cast<uint32_t>(bound)); }
  size_t between(size_t least, size_t most) { return least + below(most - least + 1); }
  bool chance(size_t one_in) { return below(one_in) == 0; }
  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + below(values.size()));
  }
  uint64_t seed() { return 1 + random_.below(1u << 30); }

  // Objects. Images of the same kind and format are more often copied and read from each other than chance would have
  // it.

  void objects() {
    const Kind usual = limits_.kinds[below(limits_.kinds.size())];
    const Format usual_format = kFormats[below(kFormats.size())];
    const size_t images = between(2, 4);
    std::vector<Object> drawn;
    size_t most_pixels = 1;
    for (size_t i = 0; i < images; ++i) {
      const Kind kind = chance(3) ? limits_.kinds[below(limits_.kinds.size())] : usual;
      drawn.push_back(image(kind, chance(3) ? kFormats[below(kFormats.size())] : usual_format));
      if (i && chance(3) && drawn[i].kind == drawn[0].kind) drawn[i].size = drawn[0].size;
      pitches(drawn[i]);
      most_pixels = std::max(most_pixels, drawn[i].pixels());
    }
    // Buffers first: images that show them refer to them. The first is large enough for what any kernel stores.
    made_.objects.push_back(buffer(Kind::buffer, most_pixels * sizeof(Pixel)));
    if (chance(2)) made_.objects.push_back(buffer(Kind::buffer, sizeof(Pixel) * between(1, most_pixels)));
    const auto buffers = static_cast<unsigned>(made_.objects.size());
    table_ = buffers;
    made_.objects.push_back(buffer(Kind::table, sizeof(uint32_t) * most_pixels));
    made_.objects.back().home = one_of({Home::copy_host, Home::use_host});
    for (Object& each : drawn) {
      if (each.kind == Kind::image1d_buffer) {
        each.buffer = static_cast<unsigned>(below(buffers));
        each.home = Home::plain;
        each.size[0] = std::min(each.size[0], made_.objects[each.buffer].bytes() / pixel_bytes(each.format));
      }
      made_.objects.push_back(each);
    }
  }
  Object buffer(Kind kind, size_t bytes) {
    return {.kind = kind,
            .size = {bytes, 1, 1},
            .home = one_of({Home::plain, Home::copy_host, Home::copy_host, Home::use_host}),
            .seed = seed()};
  }
  size_t length(size_t most) { return chance(6) ? 1 : between(1, chance(3) ? 5 : most); }
  Object image(Kind kind, Format format) {
    Object made{.kind = kind, .format = format};
    made.size[0] = length(kMostColumns);
    const bool has_rows = kind != Kind::image1d && kind != Kind::image1d_buffer;
    if (has_rows) made.size[1] = length(kMostRows);
    if (kind == Kind::image2d_array || kind == Kind::image3d) made.size[2] = length(kMostSlices);
    made.home = one_of({Home::plain, Home::plain, Home::copy_host, Home::use_host});
    made.seed = seed();
    return made;
  }
  // Of the host memory that an image is made from. A layer of a 1D array is a slice; some drivers look at the row's
  // pitch.
  void pitches(Object& made) {
    if (made.home == Home::plain || made.kind == Kind::image1d || made.kind == Kind::image1d_buffer || chance(2))
      return;
    made.row_pitch = (made.size[0] + below(4)) * pixel_bytes(made.format);
    if (made.kind == Kind::image1d_array) made.slice_pitch = made.row_pitch;
    if (made.kind == Kind::image2d_array || made.kind == Kind::image3d)
      made.slice_pitch = made.row_pitch * (made.size[1] + below(3));
  }

  // Choosing objects that no map has.

  const Object& object(unsigned number) const { return made_.objects[number]; }
  bool is_mapped(unsigned number) const {
    return std::any_of(mapped_.begin(), mapped_.end(),
                       [&](const Step& map) { return made_.storage(map.to) == made_.storage(number); });
  }
  bool are_apart(unsigned one, unsigned other) const { return made_.storage(one) != made_.storage(other); }
  template <typename Condition>
  std::optional<unsigned> choose(Condition condition) {
    std::vector<unsigned> possible;
    for (unsigned i = 0; i < made_.objects.size(); ++i)
      if (!is_mapped(i) && condition(i)) possible.push_back(i);
    if (possible.empty()) return {};
    return possible[below(possible.size())];
  }
  // Not one that shows a buffer. Kernels read these, and commands change their buffers, but PoCL 3.1 crashes where one
  // fills them, and takes their rows' pitch for 0 in others.
  std::optional<unsigned> choose_image() {
    return choose([&](unsigned i) { return is_image(object(i).kind) && object(i).kind != Kind::image1d_buffer; });
  }
  std::optional<unsigned> choose_buffer() {
    return choose([&](unsigned i) { return object(i).kind == Kind::buffer; });
  }

  // Places.

  struct Box {
    Triple origin{}, region{1, 1, 1};
  };
  Box box(const Triple& size) {
    Box whole{.region = size};
    const size_t shape = below(6);
    if (shape <= 1) return whole;  // all of it
    const auto some_of = [&](Box& of, size_t dimension) {
      of.region[dimension] = between(1, size[dimension]);
      of.origin[dimension] = below(size[dimension] - of.region[dimension] + 1);
    };
    const auto one_of_them = [&](Box& of, size_t dimension) {
      of.region[dimension] = 1;
      of.origin[dimension] = below(size[dimension]);
    };
    Box part = whole;
    some_of(part, 0);
    switch (shape) {
      case 2:  // a row of several slices
        one_of_them(part, 1);
        some_of(part, 2);
        break;
      case 3:  // a column
        one_of_them(part, 0);
        some_of(part, 1);
        one_of_them(part, 2);
        break;
      case 4:  // whole rows
        part = whole;
        some_of(part, 1);
        some_of(part, 2);
        break;
      default:
        some_of(part, 1);
        some_of(part, 2);
        break;
    }
    return part;
  }
  // Of host memory. Where the region has one slice, the slices' pitch is left at 0, which all drivers take.
  void host_pitches(Step& step, const Object& image) {
    if (chance(2)) return;
    step.row_pitch = (step.region[0] + below(5)) * pixel_bytes(image.format);
    if (image.kind == Kind::image1d_array) step.slice_pitch = step.row_pitch;
    if (step.region[2] > 1 && !chance(3)) step.slice_pitch = step.row_pitch * (step.region[1] + below(3));
  }

  // Steps.

  Step begin(StepKind kind) {
    Step step{.kind = kind, .seed = seed(), .blocking = chance(2)};
    if (has_two_queues_) {
      step.queue = static_cast<unsigned>(below(2));
      step.ties_by_finish = chance(4);
    }
    return step;
  }
  void place(Step& step, const Box& box) {
    step.origin = box.origin;
    step.region = box.region;
  }
  void add(const Step& step) { made_.steps.push_back(step); }

  void step() {
    switch (below(24)) {
      case 0:
      case 1:
      case 2: return write();
      case 3:
      case 4: return read();
      case 5:
      case 6: return copy();
      case 7: return copy_by_buffer(StepKind::image_to_buffer);
      case 8: return copy_by_buffer(StepKind::buffer_to_image);
      case 9: return fill();
      case 10:
      case 11: return map();
      case 12:
        if (!mapped_.empty()) return unmap();
        return map();
      case 13: return of_buffer();
      case 14: return renew();
      case 15: return chance(2) ? add(begin(StepKind::finish)) : of_buffer();
      default: return launch();
    }
  }

  // Where parts of a launch write at places that nobody can tell, it shows what commands before left on the devices.
  void scatter_over_the_last() {
    if (made_.steps.empty()) return;
    const Step& last = made_.steps.back();
    const bool changes = last.kind == StepKind::write || last.kind == StepKind::copy || last.kind == StepKind::unmap ||
                         last.kind == StepKind::buffer_to_image || last.kind == StepKind::fill ||
                         last.kind == StepKind::renew;
    if (!changes || !is_image(object(last.to).kind) || is_mapped(last.to)) return;
    Step step = begin(StepKind::launch);
    step.kernel = Kernel::scatter;
    step.to = last.to;
    step.table = table_;
    step.count = between(1, entries());
    step.local = {4, 1, 1};
    add(step);
  }

  void write() {
    const auto image = choose_image();
    if (!image) return;
    Step step = begin(StepKind::write);
    step.to = *image;
    place(step, box(object(*image).size));
    host_pitches(step, object(*image));
    add(step);
  }
  void read() {
    const auto image = choose_image();
    if (!image) return;
    Step step = begin(StepKind::read);
    step.from = *image;
    place(step, box(object(*image).size));
    host_pitches(step, object(*image));
    add(step);
  }
  void copy() {
    const auto to = choose_image();
    if (!to) return;
    const auto from = choose([&](unsigned i) {
      return is_image(object(i).kind) && object(i).kind != Kind::image1d_buffer &&
             object(i).format == object(*to).format && i != *to;
    });
    if (!from) return;
    Step step = begin(StepKind::copy);
    step.to = *to;
    step.from = *from;
    Triple common;
    for (size_t d = 0; d < 3; ++d) common[d] = std::min(object(*to).size[d], object(*from).size[d]);
    // Rows of a 1D array are slices to the API: only another takes several of them at once.
    if ((object(*to).kind == Kind::image1d_array) != (object(*from).kind == Kind::image1d_array)) common[1] = 1;
    place(step, box(common));
    for (size_t d = 0; d < 3; ++d) {
      step.origin[d] = below(object(*to).size[d] - step.region[d] + 1);
      step.from_origin[d] = below(object(*from).size[d] - step.region[d] + 1);
    }
    add(step);
  }
  size_t region_bytes(const Step& step, const Object& image) const {
    return step.region[0] * step.region[1] * step.region[2] * pixel_bytes(image.format);
  }
  std::optional<size_t> offset_in(const Object& buffer, size_t bytes) {
    if (bytes > buffer.bytes()) return {};
    const size_t offset = below(buffer.bytes() - bytes + 1);
    return chance(2) ? offset : offset / sizeof(Pixel) * sizeof(Pixel);
  }
  // Either way.
  void copy_by_buffer(StepKind kind) {
    const auto image = choose_image();
    if (!image) return;
    const auto buffer = choose([&](unsigned i) { return object(i).kind == Kind::buffer && are_apart(i, *image); });
    if (!buffer) return;
    const bool to_buffer = kind == StepKind::image_to_buffer;
    Step step = begin(kind);
    step.to = to_buffer ? *buffer : *image;
    step.from = to_buffer ? *image : *buffer;
    place(step, box(object(*image).size));
    const auto offset = offset_in(object(*buffer), region_bytes(step, object(*image)));
    if (!offset) return;
    step.offset = *offset;
    add(step);
  }
  void fill() {
    const auto image = choose_image();
    if (!image) return;
    Step step = begin(StepKind::fill);
    step.to = *image;
    place(step, box(object(*image).size));
    add(step);
  }
  void map() {
    if (mapped_.size() >= kMostMaps) return unmap();
    const auto image = choose_image();
    if (!image) return;
    Step step = begin(StepKind::map);
    step.to = *image;
    step.access = one_of({Access::read, Access::write, Access::read_write, Access::invalidate});
    step.number = maps_++;
    place(step, box(object(*image).size));
    add(step);
    mapped_.push_back(step);
    if (chance(2)) unmap();
  }
  void unmap() {
    const size_t which = below(mapped_.size());
    Step step = mapped_[which];
    const Step drawn = begin(StepKind::unmap);
    step.kind = drawn.kind;
    step.queue = drawn.queue;
    step.ties_by_finish = drawn.ties_by_finish;
    step.seed = drawn.seed;
    add(step);
    mapped_.erase(mapped_.begin() + static_cast<ptrdiff_t>(which));
  }
  void of_buffer() {
    const auto buffer = choose_buffer();
    if (!buffer) return;
    Step step = begin(one_of({StepKind::write_buffer, StepKind::read_buffer, StepKind::fill_buffer}));
    (step.kind == StepKind::read_buffer ? step.from : step.to) = *buffer;
    const size_t all = object(*buffer).bytes();
    step.bytes = chance(2) ? all : between(1, all);
    step.offset = below(all - step.bytes + 1);
    add(step);
  }
  void renew() {
    // An image that shows a buffer would go on showing the one before.
    const auto object_to_renew = choose([&](unsigned number) {
      if (object(number).kind == Kind::image1d_buffer) return false;
      return std::none_of(made_.objects.begin(), made_.objects.end(), [&](const Object& other) {
        return other.kind == Kind::image1d_buffer && other.buffer == number;
      });
    });
    if (!object_to_renew) return;
    Step step = begin(StepKind::renew);
    step.to = *object_to_renew;
    add(step);
  }

  // Launches.

  Triple local(const Object& image) {
    if (image.size[1] > 1 && chance(2)) return {2, 2, 1};
    return {4, 1, 1};
  }
  std::optional<unsigned> choose_like(unsigned image, std::initializer_list<unsigned> others) {
    return choose([&](unsigned i) {
      return object(i).kind == object(image).kind &&
             std::all_of(others.begin(), others.end(), [&](unsigned other) { return are_apart(i, other); });
    });
  }
  void launch() {
    const auto image = choose([&](unsigned i) { return is_image(object(i).kind); });
    if (!image) return;
    Step step = begin(StepKind::launch);
    step.kernel =
        one_of({Kernel::own, Kernel::linear, Kernel::neighbours, Kernel::neighbours, Kernel::conditional, Kernel::two,
                Kernel::scatter, Kernel::scatter, Kernel::gather, Kernel::to_buffer, Kernel::from_buffer});
    if (!may_write(object(*image).kind)) step.kernel = one_of({Kernel::gather, Kernel::to_buffer});
    step.to = *image;
    step.table = table_;
    const Triple& size = object(*image).size;
    Triple range = size;
    step.local = local(object(*image));
    switch (step.kernel) {
      case Kernel::own: break;
      case Kernel::linear:
      case Kernel::scatter:
        step.count = step.kernel == Kernel::scatter ? entries() : object(*image).pixels();
        if (chance(2)) step.count = between(1, step.count);
        step.local = {4, 1, 1};
        break;
      case Kernel::neighbours:
      case Kernel::conditional: {
        const auto from = choose_like(*image, {*image});
        if (!from) return;
        step.from = *from;
        for (int32_t& each : step.shift) each = static_cast<int32_t>(below(5)) - 2;
        break;
      }
      case Kernel::two: {
        const auto from = choose_like(*image, {*image});
        if (!from) return;
        step.from = *from;
        const auto also = choose_like(*image, {*image, *from});
        if (!also) return;
        step.also = *also;
        for (size_t d = 0; d < 3; ++d) range[d] = std::min(range[d], object(*also).size[d]);
        break;
      }
      case Kernel::gather:
      case Kernel::to_buffer:
      case Kernel::from_buffer: {
        const auto buffer = choose([&](unsigned i) {
          return object(i).kind == Kind::buffer && are_apart(i, *image) &&
                 object(i).bytes() >= object(*image).pixels() * sizeof(Pixel);
        });
        if (!buffer) return;
        step.from = *buffer;
        if (step.kernel != Kernel::from_buffer) std::swap(step.from, step.to);
        if (step.kernel == Kernel::gather) {
          step.count = between(1, std::min(entries(), object(*buffer).bytes() / sizeof(Pixel)));
          step.local = {4, 1, 1};
        }
        break;
      }
    }
    place(step, chance(2) ? Box{.region = range} : box(range));
    add(step);
  }
  size_t entries() const { return object(table_).bytes() / sizeof(uint32_t); }

  void read_all(unsigned number) {
    Step step = begin(is_image(object(number).kind) ? StepKind::read : StepKind::read_buffer);
    step.from = number;
    step.region = object(number).size;
    step.bytes = object(number).bytes();
    if (!is_image(object(number).kind)) step.region = {1, 1, 1};
    add(step);
  }

  bench::Random random_;
  Limits limits_;
  bool has_two_queues_;
  Sequence made_;
  unsigned table_ = 0, maps_ = 0;
  std::vector<Step> mapped_;  // their maps
};

}  // namespace

Sequence generate(uint64_t seed, const Limits& limits) { return Generator(seed, limits).make(); }

}  // namespace image_sequences
