#include "libsamcl/driver/real_objects.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/modules.h"

namespace samcl::driver {
namespace {

// A set that only grows, of so few that looking at each is fastest; more are not kept.
class FewPointers {
 public:
  bool contains(const void* pointer) const {
    for (const std::atomic<const void*>& place : places_) {
      const void* const here = place.load(std::memory_order_relaxed);
      if (here == pointer) return true;
      if (!here) return false;
    }
    return false;
  }
  void add(const void* pointer) {
    const std::lock_guard lock(adding_);
    if (contains(pointer)) return;
    const auto free = std::find(places_.begin(), places_.end(), nullptr);
    if (free != places_.end()) free->store(pointer, std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<const void*>, 16> places_{};
  std::mutex adding_;
};

constinit FewPointers g_tables, g_platforms;

struct Samplers {
  std::mutex mutex;
  std::unordered_map<const void*, int> references;  // that the program holds
};
Samplers& samplers() {
  static Samplers* const samplers = new Samplers;
  return *samplers;
}
constinit std::atomic<size_t> g_sampler_count{0};

const void* table_at(const void* memory) { return *static_cast<const void* const*>(memory); }

std::vector<cl_platform_id> platforms() {
  cl_uint count = 0;
  if (real().clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
  std::vector<cl_platform_id> platforms(count, nullptr);
  if (real().clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) return {};
  std::erase(platforms, nullptr);
  return platforms;
}

// Of a driver whose tables are not in its library.
bool is_a_platforms(const void* table) {
  const std::vector<cl_platform_id> all = platforms();
  return std::any_of(all.begin(), all.end(), [&](cl_platform_id platform) { return table_at(platform) == table; });
}

}  // namespace

bool begins_as_object(const void* memory) {
  const void* const table = table_at(memory);
  if (!table) return false;
  if (g_tables.contains(table)) return true;
  if (!is_opencl_code(table) && !is_a_platforms(table)) return false;
  g_tables.add(table);
  return true;
}

void note_platforms() {
  for (const cl_platform_id platform : platforms()) g_platforms.add(platform);
}

bool is_known_platform(const void* object) { return g_platforms.contains(object); }

void note_sampler(cl_sampler sampler) {
  const std::lock_guard lock(samplers().mutex);
  samplers().references.insert_or_assign(sampler, 1);
  g_sampler_count.store(samplers().references.size(), std::memory_order_relaxed);
}

void count_references_to_sampler(cl_sampler sampler, int more) {
  const std::lock_guard lock(samplers().mutex);
  const auto known = samplers().references.find(sampler);
  if (known == samplers().references.end()) return;
  known->second += more;
  if (known->second <= 0) samplers().references.erase(known);
  g_sampler_count.store(samplers().references.size(), std::memory_order_relaxed);
}

bool is_known_sampler(const void* object) {
  if (g_sampler_count.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard lock(samplers().mutex);
  return samplers().references.contains(object);
}

}  // namespace samcl::driver
