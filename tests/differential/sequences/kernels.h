// The kernels that sequences launch: OpenCL C and, beside it, what it does, computed on the host. All on
// unsigned integers, and every launch that `reach` accepts has one possible result (that of kernels whose
// work-items draw numbers from a counter up to the order of those numbers), so that every correct device
// computes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/differential/sequences/sequence.h"

namespace sequences {

// Which shape of launch a kernel is made for; the generator chooses sizes by it.
enum class Shape {
  box,      // 1 to 3 dimensions: item (x, y, z) has element x + width * (y + height * z); beyond n it does
            // nothing
  line,     // 1 dimension, an item per element, from 0
  rows,     // 1 dimension, an item per row of `height` rows of `width` elements
  columns,  // 1 dimension, an item per column
  matrix,   // 2 dimensions, an item per element
  groups,   // 1 dimension in groups with a local size, from 0
};

struct KernelFacts {
  std::string_view name;
  // In the kernel's order: d and s: `to` and `from` (s may be missing); i: the index buffer; n, w, h, a, b:
  // the step's scalars; l: local memory, a uint per item of a group.
  std::string_view arguments;
  size_t element;  // bytes
  Shape shape;
  bool drawn_numbers = false;  // the order of to[1], to[2], ... is free, and to[0], which counts them, must start at 0
};

std::span<const KernelFacts> all_kernels();
const KernelFacts* find_kernel(std::string_view name);  // null: there is none

// OpenCL C of all kernels.
std::string kernels_source();

// What a launch touches: byte ranges of the buffers, half-open.
struct Reach {
  size_t to_begin = 0, to_end = 0;  // written (and read, unless `overwrites`)
  bool overwrites = false;          // every byte of it is written, and none read
  size_t from_begin = 0, from_end = 0;
  size_t index_end = 0;
};

// Nothing if the step is no launch with one possible result on buffers of these sizes (0: there is none).
std::optional<Reach> reach(const Step& launch, size_t to_bytes, size_t from_bytes, size_t index_bytes);

// Does on the host what the launch does.
void run_on_host(const Step& launch, std::span<std::byte> to, std::span<const std::byte> from,
                 std::span<const std::byte> index);

}  // namespace sequences
