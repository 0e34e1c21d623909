// Knows nothing of OpenCL. usage: plugin_host PLUGIN
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  void* plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!plugin) {
    std::puts(argc == 2 ? dlerror() : "usage: plugin_host PLUGIN");
    return 1;
  }
  reinterpret_cast<void (*)()>(dlsym(plugin, "run_plugin"))();
}
