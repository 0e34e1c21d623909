#include "tests/differential/sequences/kernels.h"

#include <algorithm>
#include <array>

namespace sequences {
namespace {

constexpr size_t kMostItems = size_t{1} << 22;
constexpr size_t kMostPerGroup = 256;
constexpr uint32_t kBins = 16;          // of the histogram
constexpr uint32_t kProductDepth = 16;  // longest sum of the matrix product

// One launch on the host.
struct Call {
  const Step& step;
  std::byte* to_bytes;
  const std::byte* from_bytes;
  const uint32_t* index;

  template <typename T>
  T* to() const {
    return reinterpret_cast<T*>(to_bytes);
  }
  template <typename T>
  const T* from() const {
    return reinterpret_cast<const T*>(from_bytes);
  }

  // The elements of a launch of Shape::box.
  template <typename Visit>
  void each(Visit visit) const {
    const Triple& start = step.start;
    const Triple& count = step.global;
    for (size_t z = start[2]; z < start[2] + count[2]; ++z)
      for (size_t y = start[1]; y < start[1] + count[1]; ++y)
        for (size_t x = start[0]; x < start[0] + count[0]; ++x)
          if (const size_t i = x + step.width * (y + step.height * z); i < step.n) visit(static_cast<uint32_t>(i));
  }
  template <typename Visit>
  void each_of_matrix(Visit visit) const {
    for (uint32_t y = 0; y < std::min<size_t>(step.height, step.global[1]); ++y)
      for (uint32_t x = 0; x < std::min<size_t>(step.width, step.global[0]); ++x) visit(x, y);
  }
};

enum class Reads { none, same, all, counted_items };
enum class Writes { same, all, permuted, bins, counter_first, channels, per_row, per_column, groups, items, few };

struct Definition {
  KernelFacts facts;
  Reads reads;
  Writes writes;
  bool overwrites;   // all that it may write, where the launch is one run of elements
  bool elementwise;  // `from` may be the same buffer as `to`
  const char* body;
  void (*run)(const Call&);
};

#define EACH(T, statement)                                                                                    \
  [](const Call& c) {                                                                                         \
    auto* const to = c.to<T>();                                                                               \
    [[maybe_unused]] auto* const from = c.from<T>();                                                          \
    [[maybe_unused]] auto* const index = c.index;                                                             \
    [[maybe_unused]] const uint32_t n = c.step.n, width = c.step.width, height = c.step.height, a = c.step.a, \
                                    b = c.step.b;                                                             \
    c.each([&](uint32_t i) { statement; });                                                                   \
  }
#define CALL(T, statements)                                                                                   \
  [](const Call& c) {                                                                                         \
    auto* const to = c.to<T>();                                                                               \
    [[maybe_unused]] auto* const from = c.from<T>();                                                          \
    [[maybe_unused]] const uint32_t n = c.step.n, width = c.step.width, height = c.step.height, a = c.step.a, \
                                    b = c.step.b;                                                             \
    statements                                                                                                \
  }
// A statement that is the same in OpenCL C and in C++.
#define BOTH(T, statement) #statement, EACH(T, statement)

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
struct u32x4 {
  u32 x, y, z, w;
};

constexpr std::array kDefinitions = {
    // An item per element, each its own.
    Definition{{"affine", "dsnwhab", 4, Shape::box}, Reads::same, Writes::same, true, true,
               BOTH(u32, to[i] = a * from[i] + b)},
    Definition{{"affine_bytes", "dsnwhab", 1, Shape::box}, Reads::same, Writes::same, true, true,
               BOTH(u8, to[i] = a * from[i] + b)},
    Definition{{"affine_wide", "dsnwhab", 8, Shape::box}, Reads::same, Writes::same, true, true,
               BOTH(u64, to[i] = a * from[i] + b)},
    Definition{{"vectors", "dsnwha", 16, Shape::box}, Reads::same, Writes::same, true, true,
               "to[i] = from[i].wzyx + a", EACH(u32x4, u32x4 v = from[i];
                                                (to[i] = {v.w + a, v.z + a, v.y + a, v.x + a}))},
    Definition{{"in_place", "dnwha", 4, Shape::box}, Reads::none, Writes::same, false, false,
               BOTH(u32, to[i] = to[i] * a + i)},
    Definition{{"in_place_shorts", "dnwha", 2, Shape::box}, Reads::none, Writes::same, false, false,
               BOTH(u16, to[i] = to[i] * a + i)},
    // Only some items write.
    Definition{{"conditional", "dsnwhab", 4, Shape::box}, Reads::same, Writes::same, false, true,
               BOTH(u32, if ((from[i] >> (b % 32)) & 1) to[i] = from[i] ^ a)},
    Definition{{"conditional_bytes", "dsnwhab", 1, Shape::box}, Reads::same, Writes::same, false, true,
               BOTH(u8, if ((from[i] >> (b % 8)) & 1) to[i] = from[i] ^ a)},
    // Neighbours.
    Definition{{"stencil", "dsnwha", 4, Shape::box}, Reads::all, Writes::same, true, false,
               BOTH(u32, to[i] = (i > 0 ? from[i - 1] : 0) + a * from[i] + (i + 1 < n ? from[i + 1] : 0))},
    Definition{{"stencil_rows", "dsnwha", 4, Shape::box}, Reads::all, Writes::same, true, false,
               BOTH(u32, to[i] = (i >= width ? from[i - width] : 0) + a * from[i] +
                                 (i + width < n ? from[i + width] : 0))},
    Definition{{"shifted", "dsnwhab", 4, Shape::box}, Reads::all, Writes::same, false, false,
               BOTH(u32, if (i + b % n < n) to[i] = from[i + b % n] + a)},
    Definition{{"wrapped", "dsnwhab", 4, Shape::box}, Reads::all, Writes::same, true, false,
               BOTH(u32, to[i] = from[(i + b % n) % n] ^ a)},
    Definition{{"halves", "dsna", 4, Shape::box}, Reads::all, Writes::same, false, true,
               BOTH(u32, if (i < n / 2) to[i] = from[i + n / 2] * a)},
    // Where an index buffer says.
    Definition{{"scatter", "dsinwha", 4, Shape::box}, Reads::same, Writes::permuted, false, false,
               BOTH(u32, if (index[i] < n) to[index[i]] = from[i] + a)},
    Definition{{"scatter_some", "dsinwhab", 4, Shape::box}, Reads::same, Writes::permuted, false, false,
               BOTH(u32, if (index[i] < n && ((from[i] >> (b % 32)) & 1)) to[index[i]] = from[i] ^ a)},
    Definition{{"gather", "dsinwha", 4, Shape::box}, Reads::all, Writes::same, true, false,
               BOTH(u32, to[i] = from[index[i] % n] * a)},
// Atomics without a used result; `height` places.
#define ACCUMULATES(name, statement, host)                                                 \
  Definition {                                                                             \
    {name, "dsnwhab", 4, Shape::box}, Reads::same, Writes::bins, false, false, #statement, \
        EACH(u32, const u32 place = (from[i] ^ b) % height; host)                          \
  }
    ACCUMULATES("atomic_adds", atomic_add(&to[(from[i] ^ b) % height], from[i] + a), to[place] += from[i] + a),
    ACCUMULATES("atomic_subs", atomic_sub(&to[(from[i] ^ b) % height], from[i] + a), to[place] -= from[i] + a),
    ACCUMULATES("atomic_ands", atomic_and(&to[(from[i] ^ b) % height], from[i] | a), to[place] &= from[i] | a),
    ACCUMULATES("atomic_ors", atomic_or(&to[(from[i] ^ b) % height], from[i] & a), to[place] |= from[i] & a),
    ACCUMULATES("atomic_xors", atomic_xor(&to[(from[i] ^ b) % height], from[i] + a), to[place] ^= from[i] + a),
    ACCUMULATES("atomic_mins", atomic_min(&to[(from[i] ^ b) % height], from[i] ^ a),
                to[place] = std::min(to[place], from[i] ^ a)),
    ACCUMULATES("atomic_maxs", atomic_max(&to[(from[i] ^ b) % height], from[i] ^ a),
                to[place] = std::max(to[place], from[i] ^ a)),
    ACCUMULATES("atomic_incs", atomic_inc(&to[(from[i] ^ b) % height]), ++to[place]),
#undef ACCUMULATES
    // Atomics whose result is used. to[0] counts.
    Definition{{"compact", "dsnwhab", 4, Shape::box, true}, Reads::same, Writes::counter_first, false, false,
               "if (((from[i] >> (b % 32)) & 1) == 0) to[1 + atomic_inc(&to[0])] = from[i] ^ a",
               EACH(u32, if (((from[i] >> (b % 32)) & 1) == 0) to[1 + to[0]++] = from[i] ^ a)},
    Definition{{"tickets", "dsnwha", 4, Shape::box, true}, Reads::same, Writes::counter_first, false, false,
               "to[1 + atomic_add(&to[0], 1u)] = from[i] + a * i", EACH(u32, to[1 + to[0]++] = from[i] + a * i)},
    // An item per element, but written with gaps or in a grid-stride loop.
    Definition{{"channel", "dsnwa", 1, Shape::line}, Reads::counted_items, Writes::channels, false, false,
               "const uint i = get_global_id(0); if (i < n) to[i * width + a % width] = from[i]",
               CALL(u8, for (size_t i = 0; i < std::min<size_t>(n, c.step.global[0]); ++i)
                    to[i * width + a % width] = from[i];)},
    Definition{{"grid_stride", "dsnab", 4, Shape::line}, Reads::all, Writes::all, true, true,
               "for (uint i = get_global_id(0); i < n; i += get_global_size(0)) to[i] = a * from[i] + b",
               CALL(u32, for (u32 i = 0; i < n; ++i) to[i] = a * from[i] + b;)},
    // Matrices of `height` rows of `width` elements.
    Definition{{"transpose", "dswh", 4, Shape::matrix}, Reads::all, Writes::all, true, false,
               "const uint x = get_global_id(0), y = get_global_id(1);"
               " if (x < width && y < height) to[x * height + y] = from[y * width + x]",
               CALL(u32, c.each_of_matrix([&](u32 x, u32 y) { to[x * height + y] = from[y * width + x]; });)},
    Definition{{"columns", "dwha", 4, Shape::columns}, Reads::none, Writes::all, false, false,
               "const uint x = get_global_id(0); if (x < width)"
               " for (uint y = 1; y < height; ++y) to[y * width + x] += a * to[(y - 1) * width + x]",
               CALL(u32, for (u32 y = 1; y < height; ++y) for (u32 x = 0; x < width; ++x)
                    to[y * width + x] += a * to[(y - 1) * width + x];)},
    Definition{{"rows", "dwha", 4, Shape::rows}, Reads::none, Writes::all, false, false,
               "const uint y = get_global_id(0); if (y < height)"
               " for (uint x = 1; x < width; ++x) to[y * width + x] += a * to[y * width + x - 1]",
               CALL(u32, for (u32 y = 0; y < height; ++y) for (u32 x = 1; x < width; ++x)
                    to[y * width + x] += a * to[y * width + x - 1];)},
    Definition{{"eliminate", "dwhb", 4, Shape::matrix}, Reads::none, Writes::all, false, false,
               "const uint x = get_global_id(0), y = get_global_id(1), k = b % min(width, height);"
               " if (x > k && y > k && x < width && y < height)"
               " to[y * width + x] -= to[y * width + k] * to[k * width + x]",
               CALL(u32, const u32 k = b % std::min(width, height); c.each_of_matrix([&](u32 x, u32 y) {
                 if (x > k && y > k) to[y * width + x] -= to[y * width + k] * to[k * width + x];
               });)},
    Definition{{"triangle", "dswha", 4, Shape::rows}, Reads::all, Writes::all, false, false,
               "const uint y = get_global_id(0); if (y < height)"
               " for (uint x = 0; x <= y && x < width; ++x) to[y * width + x] = a * from[y * width + x] + y",
               CALL(u32, for (u32 y = 0; y < height; ++y) for (u32 x = 0; x <= y && x < width; ++x)
                    to[y * width + x] = a * from[y * width + x] + y;)},
    Definition{{"row_sums", "dswha", 4, Shape::rows}, Reads::all, Writes::per_row, true, false,
               "const uint y = get_global_id(0); if (y < height) { uint sum = 0;"
               " for (uint x = 0; x < width; ++x) sum += a * from[y * width + x]; to[y] = sum; }",
               CALL(u32, for (u32 y = 0; y < height; ++y) {
                 to[y] = 0;
                 for (u32 x = 0; x < width; ++x) to[y] += a * from[y * width + x];
               })},
    Definition{{"column_sums", "dswha", 4, Shape::columns}, Reads::all, Writes::per_column, true, false,
               "const uint x = get_global_id(0); if (x < width) { uint sum = 0;"
               " for (uint y = 0; y < height; ++y) sum += a * from[y * width + x]; to[x] = sum; }",
               CALL(u32, for (u32 x = 0; x < width; ++x) {
                 to[x] = 0;
                 for (u32 y = 0; y < height; ++y) to[x] += a * from[y * width + x];
               })},
    Definition{{"product", "dswh", 4, Shape::matrix}, Reads::all, Writes::all, true, false,
               "const uint x = get_global_id(0), y = get_global_id(1), depth = min(min(width, height), 16u);"
               " if (x < width && y < height) { uint sum = 0;"
               " for (uint k = 0; k < depth; ++k) sum += from[y * width + k] * from[k * width + x];"
               " to[y * width + x] = sum; }",
               CALL(u32, const u32 depth = std::min({width, height, kProductDepth});
                    c.each_of_matrix([&](u32 x, u32 y) {
                      u32 sum = 0;
                      for (u32 k = 0; k < depth; ++k) sum += from[y * width + k] * from[k * width + x];
                      to[y * width + x] = sum;
                    });)},
    // Groups that share local memory.
    Definition{{"group_sums", "dsnl", 4, Shape::groups}, Reads::all, Writes::groups, true, false,
               "const uint i = get_global_id(0), l = get_local_id(0); part[l] = i < n ? from[i] : 0;"
               " for (uint left = get_local_size(0); left > 1; left = (left + 1) / 2) { barrier(CLK_LOCAL_MEM_FENCE);"
               " if (l < left / 2) part[l] += part[l + (left + 1) / 2]; }"
               " if (l == 0) to[get_group_id(0)] = part[0]",
               CALL(u32, for (size_t group = 0; group < c.step.global[0] / c.step.local[0]; ++group) {
                 u32 sum = 0;
                 for (size_t i = group * c.step.local[0]; i < (group + 1) * c.step.local[0] && i < n; ++i)
                   sum += from[i];
                 to[group] = sum;
               })},
    Definition{{"group_reverses", "dsal", 4, Shape::groups}, Reads::counted_items, Writes::items, true, true,
               "const uint l = get_local_id(0), last = get_local_size(0) - 1; part[l] = from[get_global_id(0)];"
               " barrier(CLK_LOCAL_MEM_FENCE); to[get_global_id(0)] = part[last - l] + a",
               CALL(u32, for (size_t first = 0; first < c.step.global[0]; first += c.step.local[0]) {
                 u32 part[kMostPerGroup];
                 for (size_t l = 0; l < c.step.local[0]; ++l) part[l] = from[first + l];
                 for (size_t l = 0; l < c.step.local[0]; ++l) to[first + l] = part[c.step.local[0] - 1 - l] + a;
               })},
    Definition{{"histogram", "dsnal", 4, Shape::groups}, Reads::all, Writes::few, false, false,
               "const uint i = get_global_id(0), l = get_local_id(0);"
               " for (uint j = l; j < 16; j += get_local_size(0)) count[j] = 0; barrier(CLK_LOCAL_MEM_FENCE);"
               " if (i < n) atomic_add(&count[(from[i] ^ a) % 16], from[i]); barrier(CLK_LOCAL_MEM_FENCE);"
               " for (uint j = l; j < 16; j += get_local_size(0)) atomic_add(&to[j], count[j])",
               CALL(u32, for (size_t i = 0; i < std::min<size_t>(n, c.step.global[0]); ++i)
                    to[(from[i] ^ a) % kBins] += from[i];)},
};

#undef EACH
#undef CALL
#undef BOTH

const Definition* find(std::string_view name) {
  const auto found = std::ranges::find(kDefinitions, name, [](const Definition& d) { return d.facts.name; });
  return found == kDefinitions.end() ? nullptr : &*found;
}

const char* type_of(size_t element) {
  switch (element) {
    case 1: return "uchar";
    case 2: return "ushort";
    case 8: return "ulong";
    case 16: return "uint4";
    default: return "uint";
  }
}

std::string argument(char letter, const char* type) {
  switch (letter) {
    case 'd': return std::string("global ") + type + "* to";
    case 's': return std::string("global const ") + type + "* from";
    case 'i': return "global const uint* index";
    case 'l': return "local uint* part";
    case 'n': return "uint n";
    case 'w': return "uint width";
    case 'h': return "uint height";
    default: return std::string("uint ") + letter;
  }
}

bool has(const Definition& definition, char letter) {
  return definition.facts.arguments.find(letter) != std::string_view::npos;
}

// The launch itself, apart from the buffers.
bool well_formed(const Step& step, const Definition& definition) {
  size_t items = 1, per_group = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if (step.global[d] == 0 || step.global[d] > kMostItems || step.start[d] > kMostItems) return false;
    if (d >= step.dimensions && (step.global[d] != 1 || step.start[d] != 0)) return false;
    items *= step.global[d];
    if (step.null_local) continue;
    if (step.local[d] == 0 || step.global[d] % step.local[d]) return false;
    if (d >= step.dimensions && step.local[d] != 1) return false;
    per_group *= step.local[d];
  }
  if (items > kMostItems || per_group > kMostPerGroup) return false;
  const bool by_groups = definition.facts.shape == Shape::groups;
  if (by_groups && step.null_local) return false;
  if (definition.facts.shape != Shape::box && step.start != Triple{}) return false;
  switch (definition.facts.shape) {
    case Shape::box: {
      // Rows and planes do not overlap, and no element's number is beyond a uint.
      const size_t x = step.start[0] + step.global[0], y = step.start[1] + step.global[1],
                   z = step.start[2] + step.global[2];
      if (step.dimensions > 1 && step.width < x) return false;
      if (step.dimensions > 2 && step.height < y) return false;
      if (step.dimensions > 1 && uint64_t{step.width} * (y + uint64_t{step.height} * (z - 1)) >= UINT32_MAX)
        return false;
      return step.n > 0 && step.dimensions <= 3 && (definition.writes != Writes::bins || step.height > 0);
    }
    case Shape::line:
      return step.dimensions == 1 && step.n > 0 && (definition.writes != Writes::channels || step.width > 0);
    case Shape::groups: return step.dimensions == 1;
    case Shape::rows: return step.dimensions == 1 && step.width > 0 && step.height > 0 && step.global[0] >= step.height;
    case Shape::columns:
      return step.dimensions == 1 && step.width > 0 && step.height > 0 && step.global[0] >= step.width;
    case Shape::matrix:
      return step.dimensions == 2 && step.width > 0 && step.height > 0 && step.global[0] >= step.width &&
             step.global[1] >= step.height;
  }
  return false;
}

bool is_matrix(Shape shape) { return shape == Shape::rows || shape == Shape::columns || shape == Shape::matrix; }

}  // namespace

std::span<const KernelFacts> all_kernels() {
  static const auto facts = [] {
    std::vector<KernelFacts> all;
    for (const Definition& definition : kDefinitions) all.push_back(definition.facts);
    return all;
  }();
  return facts;
}

const KernelFacts* find_kernel(std::string_view name) {
  const Definition* definition = find(name);
  return definition ? &definition->facts : nullptr;
}

std::string kernels_source() {
  // u8 to u32: the statements are shared with C++.
  std::string source =
      "uint place(uint width, uint height) {\n"
      "  return (uint)get_global_id(0) + width * ((uint)get_global_id(1) + height * "
      "(uint)get_global_id(2));\n}\n";
  for (const Definition& definition : kDefinitions) {
    source += "kernel void " + std::string(definition.facts.name) + "(";
    for (size_t i = 0; i < definition.facts.arguments.size(); ++i)
      source += (i ? ", " : "") + argument(definition.facts.arguments[i], type_of(definition.facts.element));
    source += ") {\n";
    if (definition.writes == Writes::few) source += "  local uint count[16];\n";
    if (definition.facts.shape == Shape::box) {
      // One dimension needs no width: where the kernel has none, it is launched in one.
      const bool wide = has(definition, 'w') && has(definition, 'h');
      source += std::string("  const uint i = ") + (wide ? "place(width, height)" : "get_global_id(0)") +
                ";\n  if (i >= n) return;\n";
    }
    source += std::string("  ") + definition.body + ";\n}\n";
  }
  return source;
}

std::optional<Reach> reach(const Step& step, size_t to_bytes, size_t from_bytes, size_t index_bytes) {
  const Definition* definition = find(step.kernel);
  if (!definition || !well_formed(step, *definition)) return std::nullopt;
  if (!has(*definition, 'w') && step.dimensions > 1) return std::nullopt;
  if (has(*definition, 's') && step.to == step.from && !definition->elementwise) return std::nullopt;
  const size_t element = definition->facts.element;
  const bool is_box = definition->facts.shape == Shape::box;
  const size_t area = size_t{step.width} * step.height;
  const size_t n = is_matrix(definition->facts.shape) ? area : step.n;
  // The elements between the first and the last item's.
  size_t begin = 0, end = step.global[0];
  bool one_run = true;
  if (is_box) {
    const Triple& s = step.start;
    const Triple& g = step.global;
    begin = s[0] + step.width * (s[1] + step.height * s[2]);
    end = step.dimensions == 1 ? s[0] + g[0]
                               : s[0] + g[0] + step.width * (s[1] + g[1] - 1 + step.height * (s[2] + g[2] - 1));
    end = std::min<size_t>(end, n);
    begin = step.dimensions == 1 ? std::min(s[0], end) : std::min(begin, end);
    one_run = step.dimensions == 1;
  }

  Reach made;
  made.overwrites = definition->overwrites && one_run;
  switch (definition->writes) {
    case Writes::same:
      made.to_begin = begin * element;
      made.to_end = end * element;
      break;
    case Writes::all:
    case Writes::permuted: made.to_end = n * element; break;
    case Writes::bins: made.to_end = size_t{step.height} * element; break;
    case Writes::counter_first: made.to_end = (1 + end - begin) * element; break;
    case Writes::channels: made.to_end = size_t{step.n} * step.width * element; break;
    case Writes::per_row: made.to_end = size_t{step.height} * element; break;
    case Writes::per_column: made.to_end = size_t{step.width} * element; break;
    case Writes::groups: made.to_end = step.global[0] / step.local[0] * element; break;
    case Writes::items: made.to_end = step.global[0] * element; break;
    case Writes::few: made.to_end = kBins * element; break;
  }
  if (has(*definition, 's')) {
    switch (definition->reads) {
      case Reads::none: break;
      case Reads::same:
        made.from_begin = begin * element;
        made.from_end = end * element;
        break;
      case Reads::all: made.from_end = n * element; break;
      case Reads::counted_items: made.from_end = step.global[0] * element; break;
    }
  }
  if (has(*definition, 'i')) made.index_end = end * sizeof(uint32_t);
  if (made.to_end > to_bytes || made.from_end > from_bytes || made.index_end > index_bytes) return std::nullopt;
  return made;
}

void run_on_host(const Step& step, std::span<std::byte> to, std::span<const std::byte> from,
                 std::span<const std::byte> index) {
  if (const Definition* definition = find(step.kernel))
    definition->run({step, to.data(), from.data(), reinterpret_cast<const uint32_t*>(index.data())});
}

}  // namespace sequences
