#include "libsamcl/driver/driver.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <mutex>

#include "libsamcl/driver/dispatch.h"
#include "libsamcl/driver/loader.h"
#include "libsamcl/driver/modules.h"

namespace samcl::driver {

namespace detail {
constinit std::atomic<const cl_icd_dispatch*> real_table{nullptr};
}

namespace {

constinit cl_icd_dispatch g_real{};          // filled before real_table points at it
constinit cl_icd_dispatch g_layer_target{};  // filled before g_layer_ready is ready
enum class LayerTarget { none, being_written, ready };
constinit std::atomic<LayerTarget> g_layer_state{LayerTarget::none};
constinit std::mutex g_opening;
thread_local bool t_opening = false;

const cl_icd_dispatch* layer_target() {
  return g_layer_state.load(std::memory_order_acquire) == LayerTarget::ready ? &g_layer_target : nullptr;
}

// Opens the loader and makes it initialise itself, which makes it initialise us as its layer if it can.
// Returns its handle, or nullptr if there is no OpenCL here.
void* open_loader() {
  const Result<void*> loader = open_real_loader();
  if (!loader) {
    std::fprintf(stderr, "samcl: %s\n", loader.error().message.c_str());
    return nullptr;
  }
  // Any call will do; this one can't do anything else. It comes back to us if we are a layer.
  using Initialise = void*(CL_API_CALL*)(const char*);
  const auto initialise = reinterpret_cast<Initialise>(dlsym(*loader, "clGetExtensionFunctionAddress"));
  if (initialise) initialise("clSamclInitialise");
  return *loader;
}

// The loader's exported functions, for one that knows no layers. What it lacks is called by the handle's own
// dispatch table.
cl_icd_dispatch symbols_of(void* loader) {
  cl_icd_dispatch table = direct_table();
  const std::span<void*> slots = slots_of(table);
  for (size_t i = 0; i < slots.size(); ++i)
    if (void* symbol = dlsym(loader, entry_names()[i])) slots[i] = symbol;
  return table;
}

// A driver's faulty slots (see dispatch.h) are reached past the loader, which would call them blindly. What
// has no handle is the loader's own.
void go_round_faults(cl_icd_dispatch& table) {
  const cl_icd_dispatch loader = table;
  cl_platform_id platforms[64];
  cl_uint count = 0;
  if (table.clGetPlatformIDs(64, platforms, &count) != CL_SUCCESS) return;
  const std::span<void*> slots = slots_of(table);
  const std::span<void* const> direct = slots_of(direct_table());
  for (cl_uint p = 0; p < count && p < 64; ++p)
    for (size_t i : faulty_slots(platforms[p])) slots[i] = direct[i];
  table.clGetPlatformIDs = loader.clGetPlatformIDs;
  table.clGetExtensionFunctionAddress = loader.clGetExtensionFunctionAddress;
  table.clUnloadCompiler = loader.clUnloadCompiler;
}

}  // namespace

const cl_icd_dispatch& detail::open() {
  // The loader or a driver, being initialised by us, calls in: it needs what its own handle says.
  if (t_opening) {
    const cl_icd_dispatch* target = layer_target();
    return target ? *target : direct_table();
  }
  const std::lock_guard lock(g_opening);
  if (const cl_icd_dispatch* done = real_table.load(std::memory_order_acquire)) return *done;
  const struct Opening {
    Opening() { t_opening = true; }
    ~Opening() { t_opening = false; }
  } opening;
  void* loader = layer_target() ? nullptr : open_loader();
  if (const cl_icd_dispatch* target = layer_target())
    g_real = *target;
  else
    g_real = loader ? symbols_of(loader) : direct_table();
  go_round_faults(g_real);
  real_table.store(&g_real, std::memory_order_release);
  return g_real;
}

void set_layer_target(const cl_icd_dispatch& target, cl_uint entries) {
  auto expected = LayerTarget::none;
  if (!g_layer_state.compare_exchange_strong(expected, LayerTarget::being_written)) return;
  // A program that closes the loader may open it again, and would then come to a layer that has the first one's
  // functions.
  keep_loaded(reinterpret_cast<const void*>(target.clGetPlatformIDs));
  g_layer_target = direct_table();
  const std::span<void*> slots = slots_of(g_layer_target);
  const std::span<void* const> given = slots_of(target);
  for (size_t i = 0; i < slots.size() && i < entries; ++i)
    if (given[i]) slots[i] = given[i];
  g_layer_state.store(LayerTarget::ready, std::memory_order_release);
}

bool opening_on_this_thread() { return t_opening; }

}  // namespace samcl::driver
