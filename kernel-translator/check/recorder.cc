#include "kernel-translator/check/recorder.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

namespace samcl::check {
namespace {

namespace fs = std::filesystem;

constexpr char kSimulator[] = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";

// The folder of *.icd files that the loader would use.
fs::path installed_drivers() {
  const char* own = std::getenv("OCL_ICD_VENDORS");
  return own && *own ? own : "/etc/OpenCL/vendors";
}

}  // namespace

Result<Recorder> Recorder::install(const std::string& plugin) {
  if (access(kSimulator, R_OK) != 0) return fail(std::string(kSimulator) + " is missing: install Oclgrind");
  if (access(plugin.c_str(), R_OK) != 0)
    return fail(plugin + " is missing: it is built where liboclgrind-dev is installed");
  std::string folder = (fs::temp_directory_path() / "samcl-drivers.XXXXXX").string();
  if (!mkdtemp(folder.data())) return fail("no folder can be made in " + fs::temp_directory_path().string());
  Recorder recorder(folder);
  recorder.plugin_ = plugin;
  std::error_code error;
  for (const auto& driver : fs::directory_iterator(installed_drivers(), error)) {
    if (driver.path().extension() == ".icd")
      fs::create_symlink(driver.path(), fs::path(folder) / driver.path().filename(), error);
  }
  // Names are read in any order: devices are asked for by their platform.
  std::ofstream(fs::path(folder) / "oclgrind.icd") << kSimulator << "\n";
  setenv("OCL_ICD_VENDORS", (folder + "/").c_str(), 1);
  setenv("OCLGRIND_PLUGINS", plugin.c_str(), 1);
  return recorder;
}

Recorder::Recorder(Recorder&& other) noexcept
    : folder_(std::exchange(other.folder_, "")), plugin_(std::move(other.plugin_)) {}

Recorder::~Recorder() {
  std::error_code error;
  if (!folder_.empty()) fs::remove_all(folder_, error);
}

template <typename Function>
Function* Recorder::function(const char* name) const {
  void* const library = dlopen(plugin_.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (!library) return nullptr;
  void* const found = dlsym(library, name);
  dlclose(library);
  return reinterpret_cast<Function*>(found);
}

void Recorder::begin() {
  if (auto* const begin = function<decltype(samcl_accesses_begin)>("samcl_accesses_begin")) begin();
}

std::vector<Recorder::Touched> Recorder::touched(const std::vector<uint64_t>& sizes) const {
  std::vector<Touched> touched;
  for (uint64_t size : sizes) touched.push_back({std::vector<bool>(size), std::vector<bool>(size)});
  const auto note = [](void* user, size_t buffer, bool stores, size_t offset, size_t bytes) {
    auto& all = *static_cast<std::vector<Touched>*>(user);
    if (buffer >= all.size()) return;
    std::vector<bool>& mask = stores ? all[buffer].stored : all[buffer].loaded;
    for (size_t at = offset; at < offset + bytes && at < mask.size(); ++at) mask[at] = true;
  };
  if (auto* const visit = function<decltype(samcl_accesses_visit)>("samcl_accesses_visit")) visit(note, &touched);
  return touched;
}

}  // namespace samcl::check
