#include "libsamcl/driver/modules.h"

#include <dlfcn.h>
#include <link.h>

namespace samcl::driver {
namespace {

// The link map of the library around an address; nullptr for generated code and the like.
const link_map* module_of(const void* address) {
  dl_find_object found;
  if (_dl_find_object(const_cast<void*>(address), &found) != 0) return nullptr;
  return found.dlfo_link_map;
}

// Every driver for an ICD loader and every loader exports it.
constexpr char kMark[] = "clGetExtensionFunctionAddress";

}  // namespace

bool is_this_library(const void* address) {
  static const link_map* const self = module_of(reinterpret_cast<const void*>(&is_this_library));
  return module_of(address) == self;
}

void* own_symbol(const void* address, const char* name) {
  const link_map* module = module_of(address);
  if (!module || is_this_library(address)) return nullptr;
  // The main program has an empty name; a program never is a driver.
  if (!module->l_name || !*module->l_name) return nullptr;
  void* handle = dlopen(module->l_name, RTLD_LAZY | RTLD_NOLOAD);
  void* symbol = handle ? dlsym(handle, name) : nullptr;  // searches the library first, then what it depends on
  if (handle) dlclose(handle);
  if (!symbol) dlerror();  // what is not found here is no error of the program's
  return symbol && module_of(symbol) == module ? symbol : nullptr;
}

void keep_loaded(const void* address) {
  const link_map* module = module_of(address);
  if (!module || !module->l_name || !*module->l_name) return;
  dlopen(module->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);  // our reference is never given back
}

bool is_opencl_code(const void* address) { return own_symbol(address, kMark) != nullptr; }

}  // namespace samcl::driver
