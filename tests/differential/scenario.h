// A random test case as plain data: a kernel's source, the memory it works on, and the steps to take with
// both. The same (seed, index) always gives the same scenario. Race-free by construction: memory is cut in
// slots of equal size, each work-item writes the slots that belong to it alone, and a launch never reads
// through one argument what it writes through another. Arithmetic is on unsigned integers (floats only move,
// or hold small integers), so every correct device computes the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace differential {

struct Ndrange {
  unsigned dimensions = 1;
  std::array<size_t, 3> global{1, 1, 1}, local{1, 1, 1}, offset{};
  bool null_local = false;   // enqueue with a NULL local size; `local` is not used then
  bool null_offset = false;  // enqueue with a NULL offset; `offset` is all 0 then

  size_t items() const { return global[0] * global[1] * global[2]; }
};

// A piece of device memory. All of a scenario's regions have the same size.
struct Region {
  enum class Home { own_buffer, host_memory, first_half, second_half };  // host_memory: CL_MEM_USE_HOST_PTR
  Home home = Home::own_buffer;  // halves: sub-buffers of one parent; a first half is followed by its second
};

// Arguments of the kernel in this order: writers, readers, permutation, table, counters (if any), then the
// scalars: uint, ulong, uint4, then the local memory (if any).
struct Launch {
  Ndrange range;
  std::vector<size_t> writers, readers;  // regions; a writer is bound once only, and never as a reader, too
  uint64_t scalar = 0;                   // the scalars are derived from it
};

struct Step {
  enum class Kind { launch, write, write_rectangle, fill, copy, map_read, map_change, map_invalidate, read };
  Kind kind = Kind::launch;
  Launch launch;                 // launch only
  size_t region = 0;             // where to
  size_t from = 0;               // copy: from which region
  size_t offset = 0, bytes = 0;  // range in `region`; rectangle: start, and bytes per row
  size_t from_offset = 0;        // copy
  size_t rows = 0, pitch = 0;    // rectangle
  size_t pattern = 0;            // fill: bytes of the pattern
  uint64_t data_seed = 0;        // contents that the host writes
  bool blocking = true;
};

struct Scenario {
  enum class Queues { one_in_order, two_in_order, out_of_order };  // the latter two: tied by events

  unsigned index = 0;
  std::string source;
  std::string kernel_name;
  std::string options;
  std::string summary;  // one line for people: sizes and features
  Queues queues = Queues::one_in_order;
  size_t items = 0;  // slots per region: work-items of the largest launch
  size_t slot_bytes = 0;
  std::vector<Region> regions;
  size_t local_bytes = 0;  // size of the __local argument; 0: there is none
  bool counters = false;   // there is an argument for global atomics
  uint64_t data_seed = 0;  // initial contents
  std::vector<Step> steps;

  size_t region_bytes() const { return items * slot_bytes; }
};

constexpr size_t kCounters = 28;       // uints in the counters argument
constexpr size_t kTable = 16;          // uints in the table argument (__constant)
constexpr size_t kCounterStart = 100;  // initial value of each counter

// `opencl_c_3`: the device compiles OpenCL C 3.0; some scenarios then use its built-ins.
Scenario make_scenario(uint64_t seed, unsigned index, bool opencl_c_3);

// The steps, for people.
std::string describe_steps(const Scenario& scenario);

}  // namespace differential
