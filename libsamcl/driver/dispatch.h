// Dispatch tables, slot by slot: every ICD object's first word points at its platform's table of functions.
//
// Drivers' tables have faults that a loader would run into: empty slots (PoCL has 24), and slots that hold
// OUR functions, because the driver took the address of its own cl* function and the dynamic linker, seeing
// libsamcl.so preloaded, bound it to ours (Oclgrind). Calling such a slot would come back to us for ever.
// table_of() gives a repaired copy.
#pragma once

#include <CL/cl_icd.h>

#include <cstddef>
#include <span>
#include <vector>

namespace samcl::driver {

// Names of the entries, in the order of the table's slots.
std::span<const char* const> entry_names();

// Functions that find their way by their first handle's own table, without any loader. A null handle yields
// the standard's error code; clGetPlatformIDs finds no platforms.
const cl_icd_dispatch& direct_table();

// Functions that return CL_INVALID_OPERATION (null and that code where objects are created).
const cl_icd_dispatch& unsupported_table();

std::span<void*> slots_of(cl_icd_dispatch& table);
std::span<void* const> slots_of(const cl_icd_dispatch& table);

// The table of a real object with every fault repaired: what is empty is unsupported, what is ours is
// replaced by the driver's own symbol of that name. nullptr for a null handle. Tables are kept for ever;
// thread-safe.
const cl_icd_dispatch* table_of(const void* handle);

// Slots that had to be repaired in that object's table.
std::vector<size_t> faulty_slots(const void* handle);

// The platform a list of context properties names; nullptr if none.
cl_platform_id platform_in(const cl_context_properties* properties);

}  // namespace samcl::driver
