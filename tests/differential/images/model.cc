#include "tests/differential/images/model.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "tests/differential/images/kernels.h"
#include "tests/differential/sequences/contents.h"

namespace image_sequences {
namespace {

class Model {
 public:
  explicit Model(const Sequence& sequence) : sequence_(sequence), storages_(sequence.objects.size()) {
    for (unsigned i = 0; i < sequence.objects.size(); ++i) make(i, sequence.objects[i].seed);
  }

  Sights run(std::optional<size_t> left_out) {
    Sights sights(sequence_.steps.size());
    for (size_t i = 0; i < sequence_.steps.size(); ++i)
      if (i != left_out) sights[i] = take(sequence_.steps[i]);
    return sights;
  }

 private:
  const Object& object(unsigned number) const { return sequence_.objects[number]; }
  Bytes& storage(unsigned number) { return storages_[sequence_.storage(number)]; }

  void make(unsigned number, uint64_t seed) {
    const Object& made = object(number);
    if (made.kind == Kind::image1d_buffer) return;
    Bytes& bytes = storage(number);
    bytes = {std::vector<std::byte>(made.bytes()), std::vector<bool>(made.bytes(), made.home != Home::plain)};
    if (made.kind == Kind::table) {
      bytes.values = sequences::permutation(seed, made.bytes() / sizeof(uint32_t));
    } else if (made.home != Home::plain && is_image(made.kind)) {
      put_region(number, {}, made.size, made.row_pitch, made.slice_pitch, seed);
    } else if (made.home != Home::plain) {
      bytes.values = sequences::random_bytes(seed, made.bytes());
    }
  }

  // Calls with each row of the region: where it begins in the image, and its bytes; y and z.
  void rows(unsigned image, const Triple& origin, const Triple& region,
            const std::function<void(size_t, size_t, size_t, size_t)>& row) const {
    const Object& of = object(image);
    for (size_t z = 0; z < region[2]; ++z)
      for (size_t y = 0; y < region[1]; ++y)
        row(of.at(origin[0], origin[1] + y, origin[2] + z), region[0] * pixel_bytes(of.format), y, z);
  }
  static void define(Bytes& to, size_t at, const std::byte* from, size_t count) {
    std::memcpy(to.values.data() + at, from, count);
    std::fill_n(to.defined.begin() + static_cast<ptrdiff_t>(at), count, true);
  }
  static void copy(Bytes& to, size_t at, const Bytes& from, size_t from_at, size_t count) {
    std::memmove(to.values.data() + at, from.values.data() + from_at, count);
    for (size_t i = 0; i < count; ++i) to.defined[at + i] = from.defined[from_at + i];
  }
  static Bytes part(const Bytes& of, size_t at, size_t count) {
    Bytes made{std::vector<std::byte>(count), std::vector<bool>(count)};
    copy(made, 0, of, at, count);
    return made;
  }
  void put_region(unsigned image, const Triple& origin, const Triple& region, size_t row_pitch, size_t slice_pitch,
                  uint64_t seed, Access access = Access::invalidate) {
    const HostLayout layout = host_layout(object(image).format, region, row_pitch, slice_pitch);
    const std::vector<std::byte> host = sequences::random_bytes(seed, layout.bytes);
    rows(image, origin, region, [&](size_t at, size_t count, size_t y, size_t z) {
      if (changes_row(access, y, z)) define(storage(image), at, host.data() + layout.at(y, z), count);
    });
  }
  Bytes region_of(unsigned image, const Triple& origin, const Triple& region) {
    Bytes all;
    rows(image, origin, region, [&](size_t at, size_t count, size_t, size_t) {
      const Bytes row = part(storage(image), at, count);
      all.values.insert(all.values.end(), row.values.begin(), row.values.end());
      all.defined.insert(all.defined.end(), row.defined.begin(), row.defined.end());
    });
    return all;
  }

  Bytes take(const Step& step) {
    switch (step.kind) {
      case StepKind::write:
        put_region(step.to, step.origin, step.region, step.row_pitch, step.slice_pitch, step.seed);
        return {};
      case StepKind::unmap: put_region(step.to, step.origin, step.region, 0, 0, step.seed, step.access); return {};
      case StepKind::read: return region_of(step.from, step.origin, step.region);
      case StepKind::map: {
        Bytes seen = region_of(step.to, step.origin, step.region);
        if (step.access == Access::invalidate) seen.defined.assign(seen.defined.size(), false);
        return seen;
      }
      case StepKind::copy: {
        const Bytes from = region_of(step.from, step.from_origin, step.region);
        size_t done = 0;
        rows(step.to, step.origin, step.region, [&](size_t at, size_t count, size_t, size_t) {
          copy(storage(step.to), at, from, done, count);
          done += count;
        });
        return {};
      }
      case StepKind::image_to_buffer: {
        const Bytes from = region_of(step.from, step.origin, step.region);
        copy(storage(step.to), step.offset, from, 0, from.values.size());
        return {};
      }
      case StepKind::buffer_to_image: {
        size_t done = step.offset;
        rows(step.to, step.origin, step.region, [&](size_t at, size_t count, size_t, size_t) {
          copy(storage(step.to), at, storage(step.from), done, count);
          done += count;
        });
        return {};
      }
      case StepKind::fill: {
        const Object& image = object(step.to);
        const Pixel colour = cut(own_value(0, 0, 0, static_cast<uint32_t>(step.seed)), image.format);
        each_pixel(step.origin, step.region,
                   [&](size_t x, size_t y, size_t z) { write_pixel(step.to, x, y, z, colour); });
        return {};
      }
      case StepKind::write_buffer:
        define(storage(step.to), step.offset, sequences::random_bytes(step.seed, step.bytes).data(), step.bytes);
        return {};
      case StepKind::fill_buffer:
        define(storage(step.to), step.offset,
               std::vector<std::byte>(step.bytes, static_cast<std::byte>(step.seed)).data(), step.bytes);
        return {};
      case StepKind::read_buffer: return part(storage(step.from), step.offset, step.bytes);
      case StepKind::launch: launch(step); return {};
      case StepKind::renew: make(step.to, step.seed); return {};
      case StepKind::finish: return {};
    }
    return {};
  }

  // Kernels.

  static Pixel cut(Pixel pixel, Format format) {
    for (uint32_t& channel : pixel) channel &= largest(format);
    return pixel;
  }
  static void each_pixel(const Triple& origin, const Triple& region,
                         const std::function<void(size_t, size_t, size_t)>& use) {
    for (size_t z = origin[2]; z < origin[2] + region[2]; ++z)
      for (size_t y = origin[1]; y < origin[1] + region[1]; ++y)
        for (size_t x = origin[0]; x < origin[0] + region[0]; ++x) use(x, y, z);
  }
  static bool all_defined(const Bytes& bytes, size_t at, size_t count) {
    const auto begin = bytes.defined.begin() + static_cast<ptrdiff_t>(at);
    return std::all_of(begin, begin + static_cast<ptrdiff_t>(count), [](bool defined) { return defined; });
  }
  // Nothing: not defined. Beyond the edge: the pixel at the edge.
  std::optional<Pixel> read_pixel(unsigned image, ptrdiff_t x, ptrdiff_t y, ptrdiff_t z) {
    const Object& of = object(image);
    const auto clamped = [&](ptrdiff_t value, size_t dimension) {
      return static_cast<size_t>(std::clamp<ptrdiff_t>(value, 0, static_cast<ptrdiff_t>(of.size[dimension]) - 1));
    };
    const size_t at = of.at(clamped(x, 0), clamped(y, 1), clamped(z, 2));
    const Bytes& bytes = storage(image);
    if (!all_defined(bytes, at, pixel_bytes(of.format))) return {};
    return load(of.format, bytes.values.data() + at);
  }
  void write_pixel(unsigned image, size_t x, size_t y, size_t z, std::optional<Pixel> pixel) {
    const Object& of = object(image);
    Bytes& bytes = storage(image);
    const size_t at = of.at(x, y, z);
    if (pixel) store(of.format, bytes.values.data() + at, cut(*pixel, of.format));
    std::fill_n(bytes.defined.begin() + static_cast<ptrdiff_t>(at), pixel_bytes(of.format), pixel.has_value());
  }
  void write_element(unsigned buffer, size_t index, std::optional<Pixel> pixel) {
    Bytes& bytes = storage(buffer);
    const size_t at = index * sizeof(Pixel);
    if (pixel) std::memcpy(bytes.values.data() + at, pixel->data(), sizeof(Pixel));
    std::fill_n(bytes.defined.begin() + static_cast<ptrdiff_t>(at), sizeof(Pixel), pixel.has_value());
  }
  std::optional<Pixel> read_element(unsigned buffer, size_t index) {
    const Bytes& bytes = storage(buffer);
    const size_t at = index * sizeof(Pixel);
    if (!all_defined(bytes, at, sizeof(Pixel))) return {};
    return load(Format::rgba32, bytes.values.data() + at);
  }
  static Triple place(const Object& image, size_t pixel) {
    return {pixel % image.size[0], pixel / image.size[0] % image.size[1], pixel / image.size[0] / image.size[1]};
  }
  static size_t index(const Object& image, size_t x, size_t y, size_t z) {
    return (z * image.size[1] + y) * image.size[0] + x;
  }
  // Calls with the number of each work-item below `count` whose entry in the table is a pixel of `image`, and its
  // place.
  void each_entry(const Step& step, const Object& image, const std::function<void(size_t, const Triple&)>& use) {
    for (size_t i = 0; i < step.count; ++i) {
      uint32_t pixel = 0;
      std::memcpy(&pixel, storage(step.table).values.data() + i * sizeof pixel, sizeof pixel);
      if (pixel < image.pixels()) use(i, place(image, pixel));
    }
  }

  void launch(const Step& step) {
    const auto seed = static_cast<uint32_t>(step.seed);
    const Object &to = object(step.to), &from = object(step.from);
    const auto each = [&](const std::function<void(size_t, size_t, size_t)>& use) {
      each_pixel(step.origin, step.region, use);
    };
    const auto same = [&](size_t x, size_t y, size_t z) {
      return read_pixel(step.from, static_cast<ptrdiff_t>(x), static_cast<ptrdiff_t>(y), static_cast<ptrdiff_t>(z));
    };
    const auto narrow = [](size_t value) { return static_cast<uint32_t>(value); };
    switch (step.kernel) {
      case Kernel::own:
        each([&](size_t x, size_t y, size_t z) {
          write_pixel(step.to, x, y, z, own_value(narrow(x), narrow(y), narrow(z), seed));
        });
        break;
      case Kernel::linear:
        for (size_t i = 0; i < step.count; ++i) {
          const auto [x, y, z] = place(to, i);
          write_pixel(step.to, x, y, z, own_value(narrow(x), narrow(y), narrow(z), seed));
        }
        break;
      case Kernel::neighbours:
        each([&](size_t x, size_t y, size_t z) {
          write_pixel(step.to, x, y, z,
                      read_pixel(step.from, static_cast<ptrdiff_t>(x) + step.shift[0],
                                 static_cast<ptrdiff_t>(y) + step.shift[1], static_cast<ptrdiff_t>(z) + step.shift[2]));
        });
        break;
      case Kernel::conditional:
        each([&](size_t x, size_t y, size_t z) {
          std::optional<Pixel> value = same(x, y, z);
          if (value && (((*value)[0] + seed) & 1) == 0) return;
          if (value)
            for (uint32_t& channel : *value) channel += seed;
          write_pixel(step.to, x, y, z, value);
        });
        break;
      case Kernel::two:
        each([&](size_t x, size_t y, size_t z) {
          std::optional<Pixel> value = same(x, y, z);
          write_pixel(step.to, x, y, z, value);
          if (value)
            for (uint32_t& channel : *value) channel ^= seed;
          write_pixel(step.also, x, y, z, value);
        });
        break;
      case Kernel::scatter:
        each_entry(step, to, [&](size_t i, const Triple& at) {
          write_pixel(step.to, at[0], at[1], at[2], own_value(narrow(i), 0, 0, seed));
        });
        break;
      case Kernel::gather:
        each_entry(step, from,
                   [&](size_t i, const Triple& at) { write_element(step.to, i, same(at[0], at[1], at[2])); });
        break;
      case Kernel::to_buffer:
        each([&](size_t x, size_t y, size_t z) { write_element(step.to, index(from, x, y, z), same(x, y, z)); });
        break;
      case Kernel::from_buffer:
        each([&](size_t x, size_t y, size_t z) {
          write_pixel(step.to, x, y, z, read_element(step.from, index(to, x, y, z)));
        });
        break;
    }
  }

  const Sequence& sequence_;
  std::vector<Bytes> storages_;  // per object; empty where it is another's
};

}  // namespace

Sights see(const Sequence& sequence, std::optional<size_t> left_out) { return Model(sequence).run(left_out); }

}  // namespace image_sequences
