// Kernels that several tests have: what each does to one work-item's share of its buffers, and what the translator
// would have found out about it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libsamcl/testing/simulated_machine.h"

namespace samcl::testing {

using Arguments = std::vector<std::span<cl_uint>>;

// In place, each its own item.
inline Footprints own_item() { return Footprints().element(0, Footprints::adds); }
inline Translated in_place(std::string name) { return Translated(std::move(name)).updates().footprint(own_item()); }
inline void triple(size_t i, const Arguments& a) { a[0][i] = 3 * a[0][i] + 1; }

// From the first buffer into the second.
inline Translated stencil(std::string name) {
  return Translated(std::move(name))
      .reads()
      .writes()
      .footprint(Footprints()
                     .element(0, Footprints::reads, -1)
                     .element(0, Footprints::reads)
                     .element(0, Footprints::reads, 1)
                     .element(1, Footprints::surely_writes));
}
inline void sum_of_neighbours(size_t i, const Arguments& a) {
  const auto& from = a[0];
  a[1][i] = (i > 0 ? from[i - 1] : 0) + from[i] + (i + 1 < from.size() ? from[i + 1] : 0);
}

// Nobody knows where.
inline Translated writes_anywhere(std::string name) {
  return Translated(std::move(name)).writes().footprint(Footprints().anywhere(0, Footprints::may_write));
}
inline void scatter(size_t i, const Arguments& a) { a[0][(7 * i) % a[0].size()] = static_cast<cl_uint>(1000 + i); }

// A buffer of 1, 2, 3, ... on devices of these kinds, whose items a kernel multiplies by three: what runs twice is
// seen.
struct CountingBuffer {
  static constexpr size_t kItems = 4096;

  explicit CountingBuffer(const std::vector<unsigned>& kinds)
      : machine(static_cast<unsigned>(kinds.size()), nullptr, kinds) {
    write();
    machine.run();
  }

  SimulatedMachine machine;
  const QueuePtr queue = machine.in_order_queue();
  const BufferPtr buffer = machine.buffer(kItems);

  void write() { machine.write(queue, buffer, 0, counting(kItems, 1)); }
  KernelPtr tripling(const KernelTranslation& translation) {
    return machine.kernel(translation, [](size_t i, const Arguments& a) { a[0][i] *= 3; });
  }
  EventPtr launch(const KernelPtr& kernel) { return machine.launch(queue, kernel, {buffer}, kItems); }
  Words contents() { return machine.contents(buffer); }
  static Words tripled() {
    Words words = counting(kItems, 1);
    for (cl_uint& word : words) word *= 3;
    return words;
  }
};

}  // namespace samcl::testing
