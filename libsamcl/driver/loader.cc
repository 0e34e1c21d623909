#include "libsamcl/driver/loader.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <sys/stat.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "libsamcl/driver/modules.h"

namespace samcl::driver {
namespace {

constexpr int kOpenFlags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;

bool same_file(const std::string& a, const std::string& b) {
  struct stat first, second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// A handle is a loader's if it offers OpenCL and what it offers is not ours.
bool is_real_loader(void* handle) {
  const void* symbol = dlsym(handle, "clGetPlatformIDs");
  return symbol && !is_this_library(symbol);
}

void* open_file(const std::string& path) {
  void* handle = dlopen(path.c_str(), kOpenFlags);
  if (!handle || is_real_loader(handle)) return handle;
  dlclose(handle);
  return nullptr;
}

// Path of a loaded library whose file is called libOpenCL*, less our own; empty if none. Wheels of Python
// carry a loader under a name like libOpenCL-1bd2c2d5.so.1.0.0.
std::string loaded_loader() {
  struct Search {
    std::string found;
    std::exception_ptr thrown;
  } search;
  // No exception can pass through the C library.
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* raw) {
        Search& result = *static_cast<Search*>(raw);
        try {
          const std::string path = info->dlpi_name ? info->dlpi_name : "";
          const std::string name = path.substr(path.rfind('/') + 1);
          if (!name.starts_with("libOpenCL") || same_file(path, this_library_path())) return 0;
          result.found = path;
        } catch (...) {
          result.thrown = std::current_exception();
        }
        return 1;
      },
      &search);
  if (search.thrown) std::rethrow_exception(search.thrown);
  return search.found;
}

void read_ld_so_conf(const std::string& file, std::vector<std::string>& directories, int depth) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    line = line.substr(0, line.find('#'));
    std::istringstream words(line);
    std::string word;
    while (words >> word) {
      if (word != "include") {
        if (word[0] == '/') directories.push_back(word);
        continue;
      }
      std::string pattern;
      glob_t matches{};
      if (depth < 4 && words >> pattern && glob(pattern.c_str(), 0, nullptr, &matches) == 0)
        for (size_t i = 0; i < matches.gl_pathc; ++i) read_ld_so_conf(matches.gl_pathv[i], directories, depth + 1);
      globfree(&matches);
    }
  }
}

}  // namespace

Result<void*> open_real_loader() {
  if (const char* path = std::getenv("SAMCL_OPENCL"); path && *path) {
    if (void* handle = open_file(path)) return handle;
    const char* reason = dlerror();
    return fail("SAMCL_OPENCL=" + std::string(path) +
                " is not an OpenCL loader: " + (reason ? reason : "it has no clGetPlatformIDs of its own"));
  }
  if (const std::string path = loaded_loader(); !path.empty())
    if (void* handle = open_file(path)) return handle;
  if (void* handle = open_file("libOpenCL.so.1")) return handle;
  const std::string path = find_loader(loader_directories(), this_library_path());
  if (!path.empty())
    if (void* handle = open_file(path)) return handle;
  return fail("no OpenCL here: libOpenCL.so.1 was found neither by the dynamic linker nor in its directories");
}

std::vector<std::string> loader_directories() {
  std::vector<std::string> directories;
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
    std::istringstream list(path);
    for (std::string directory; std::getline(list, directory, ':');)
      if (!directory.empty()) directories.push_back(directory);
  }
  read_ld_so_conf("/etc/ld.so.conf", directories, 0);
#ifdef __x86_64__
  directories.insert(directories.end(), {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"});
#elif defined(__aarch64__)
  directories.insert(directories.end(), {"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu"});
#endif
  directories.insert(directories.end(), {"/lib64", "/usr/lib64", "/lib", "/usr/lib"});
  return directories;
}

std::string find_loader(const std::vector<std::string>& directories, const std::string& self) {
  for (const std::string& directory : directories)
    for (const char* name : {"libOpenCL.so.1", "libOpenCL.so"}) {
      std::error_code error;
      const std::filesystem::path file = std::filesystem::absolute(std::filesystem::path(directory) / name, error);
      if (!std::filesystem::is_regular_file(file, error) || same_file(file, self)) continue;
      return file;
    }
  return {};
}

const std::string& this_library_path() {
  static const std::string& path = *new std::string([] {
    Dl_info info;
    if (!dladdr(reinterpret_cast<const void*>(&this_library_path), &info) || !info.dli_fname) return std::string();
    char* real = realpath(info.dli_fname, nullptr);
    std::string result = real ? real : info.dli_fname;
    std::free(real);
    return result;
  }());
  return path;
}

}  // namespace samcl::driver
