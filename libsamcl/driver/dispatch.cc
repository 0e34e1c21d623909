#include "libsamcl/driver/dispatch.h"

#include <atomic>
#include <mutex>

#include "libsamcl/driver/modules.h"

namespace samcl::driver {
namespace {

// What objects of drivers for ICD 2.0 hold in their tables' first slot; the table to use then stands in the
// object's second word, where the loader put it. (cl_khr_icd 2.0.0; not in Debian's headers.)
constexpr intptr_t kIcd2Tag = sizeof(void*) == 8 ? static_cast<intptr_t>(0x4F50454E434C3331) : 0x434C3331;

const cl_icd_dispatch* raw_table_of(const void* handle) {
  const auto* words = static_cast<const cl_icd_dispatch* const*>(handle);
  const bool tagged = words[0] && reinterpret_cast<intptr_t>(words[0]->clGetPlatformIDs) == kIcd2Tag;
  return tagged ? words[1] : words[0];
}

struct Repaired {
  const cl_icd_dispatch* original;
  const cl_icd_dispatch* usable;  // `original` itself if it has no fault
  std::vector<size_t> faults;
  Repaired* next;
};

// Only grows, at the front; readers take no lock.
constinit std::atomic<Repaired*> g_repaired{nullptr};
constinit std::mutex g_repairing;

const Repaired* find_repaired(const cl_icd_dispatch* table) {
  for (const Repaired* r = g_repaired.load(std::memory_order_acquire); r; r = r->next)
    if (r->original == table) return r;
  return nullptr;
}

// An address in the driver's library: any function in its table that is not ours, else the table itself.
const void* address_in_driver(const cl_icd_dispatch* table) {
  for (const void* function : slots_of(*table))
    if (function && !is_this_library(function)) return function;
  return table;
}

const Repaired* repair(const cl_icd_dispatch* table) {
  const std::lock_guard lock(g_repairing);
  if (const Repaired* done = find_repaired(table)) return done;
  auto* usable = new cl_icd_dispatch(*table);
  const std::span<void*> slots = slots_of(*usable);
  const std::span<void* const> unsupported = slots_of(unsupported_table());
  const void* const inside_driver = address_in_driver(table);
  std::vector<size_t> faults;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] && !is_this_library(slots[i])) continue;
    void* own = slots[i] ? own_symbol(inside_driver, entry_names()[i]) : nullptr;
    slots[i] = own ? own : unsupported[i];
    faults.push_back(i);
  }
  if (faults.empty()) {
    delete usable;
    usable = nullptr;
  }
  auto* result = new Repaired{table, usable ? usable : table, std::move(faults), g_repaired.load()};
  g_repaired.store(result, std::memory_order_release);
  return result;
}

const Repaired* repaired_table_of(const void* handle) {
  if (!handle) return nullptr;
  const cl_icd_dispatch* table = raw_table_of(handle);
  if (!table) return nullptr;
  const Repaired* known = find_repaired(table);
  return known ? known : repair(table);
}

}  // namespace

std::span<void*> slots_of(cl_icd_dispatch& table) {
  return {reinterpret_cast<void**>(&table), sizeof(cl_icd_dispatch) / sizeof(void*)};
}

std::span<void* const> slots_of(const cl_icd_dispatch& table) {
  return {reinterpret_cast<void* const*>(&table), sizeof(cl_icd_dispatch) / sizeof(void*)};
}

const cl_icd_dispatch* table_of(const void* handle) {
  const Repaired* repaired = repaired_table_of(handle);
  return repaired ? repaired->usable : nullptr;
}

std::vector<size_t> faulty_slots(const void* handle) {
  const Repaired* repaired = repaired_table_of(handle);
  return repaired ? repaired->faults : std::vector<size_t>{};
}

cl_platform_id platform_in(const cl_context_properties* properties) {
  for (; properties && properties[0]; properties += 2)
    if (properties[0] == CL_CONTEXT_PLATFORM) return reinterpret_cast<cl_platform_id>(properties[1]);
  return nullptr;
}

}  // namespace samcl::driver
