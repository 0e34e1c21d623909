// The plain forms of the commonest commands, on in-order queues. What a program does otherwise it says
// itself.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "benchmarks/host/workload.h"

namespace bench {

// `count` rounded up to whole work-groups.
inline size_t round_up(size_t count, size_t local) { return (count + local - 1) / local * local; }

template <typename T>
size_t bytes_of(const std::vector<T>& values) {
  return values.size() * sizeof(T);
}

template <typename T>
void write(cl_command_queue queue, const Buffer& to, const std::vector<T>& from, EventList& events,
           cl_bool blocking = CL_FALSE) {
  check(clEnqueueWriteBuffer(queue, to.get(), blocking, 0, bytes_of(from), from.data(), 0, nullptr, events.add()));
}

template <typename T>
void read(cl_command_queue queue, const Buffer& from, std::vector<T>& to, EventList& events,
          cl_bool blocking = CL_TRUE) {
  check(clEnqueueReadBuffer(queue, from.get(), blocking, 0, bytes_of(to), to.data(), 0, nullptr, events.add()));
}

// `local` empty: the driver chooses.
void enqueue(cl_command_queue queue, const Kernel& kernel, std::initializer_list<size_t> global,
             std::initializer_list<size_t> local, EventList& events, std::span<const cl_event> after = {});

// Blocks; the host's view of the first `bytes` bytes.
void* map(cl_command_queue queue, const Buffer& buffer, cl_map_flags flags, size_t bytes, EventList& events);
void unmap(cl_command_queue queue, const Buffer& buffer, void* mapped, EventList& events);

}  // namespace bench
