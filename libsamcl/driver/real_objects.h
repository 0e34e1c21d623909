// What of that which a program passes for an object of OpenCL's is one of a driver's. A loader follows its first word
// to wherever that leads, and drivers take it for what they expect.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <type_traits>

namespace samcl::driver {

// Whether an object may lie at that address: a small number, or an odd one, is no address of one.
inline bool is_place_of_object(const void* address) {
  constexpr uintptr_t kPage = 4096;  // no process has memory in the first one
  const auto place = reinterpret_cast<uintptr_t>(address);
  return place >= kPage && place % alignof(void*) == 0;
}

// Whether the memory at such a place begins as the objects of a driver in this process do: with a table of functions
// that objects have. Memory of the program's own does not, nor mostly what was an object long ago. Reads that word. Any
// thread; about a nanosecond where it is an object.
bool begins_as_object(const void* memory);

// Beside virtual objects a program holds platforms and samplers of the driver's: these are noted where there are any.
// To a program that has the driver's own objects alone, the driver says itself what it takes for what. A new sampler
// has one reference of the program's, and with its last one it is forgotten: its place may be another object's then.
// Any thread.
void note_platforms();  // all
void note_sampler(cl_sampler sampler);
void count_references_to_sampler(cl_sampler sampler, int more);
bool is_known_platform(const void* object);
bool is_known_sampler(const void* object);

// Whether that, which is at such a place, is an object of a driver's and not known to be of another type.
template <typename Api>
bool may_be_object(Api handle) {
  if (!begins_as_object(handle)) return false;
  if (!std::is_same_v<Api, cl_platform_id> && is_known_platform(handle)) return false;
  return std::is_same_v<Api, cl_sampler> || !is_known_sampler(handle);
}

}  // namespace samcl::driver
