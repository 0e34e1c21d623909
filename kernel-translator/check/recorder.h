// A simulated device that tells of every load and store of global memory: Oclgrind with our plugin.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel-translator/check/access_recorder.h"
#include "kernel-translator/check/box_runner.h"

namespace samcl::check {

class Recorder {
 public:
  // Lets the OpenCL loader find the simulator beside the installed drivers. To be called before the process's first
  // OpenCL call. plugin: the file. Errors say what is not installed.
  static Result<Recorder> install(const std::string& plugin);
  Recorder(Recorder&& other) noexcept;
  ~Recorder();

  // Name of its platform, for TestDevice::open().
  static constexpr char kPlatform[] = "Oclgrind";

  // From here on buffers and images count from 0, in the order in which they are created.
  void begin();

  // The bytes of one buffer that were loaded, and stored.
  struct Touched {
    std::vector<bool> loaded, stored;
  };
  // sizes: of the buffers. Accesses beyond them are left out.
  std::vector<Touched> touched(const std::vector<uint64_t>& sizes) const;

 private:
  explicit Recorder(std::string folder) : folder_(std::move(folder)) {}
  // nullptr as long as the simulator has not loaded the plugin.
  template <typename Function>
  Function* function(const char* name) const;

  std::string folder_;  // of the drivers' names; removed with the object
  std::string plugin_;
};

}  // namespace samcl::check
