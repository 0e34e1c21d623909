// Runs boxes of a kernel's work-groups on the installed OpenCL driver, as libsamcl launches sub-kernels.
#pragma once

#include <CL/cl.h>

#include <memory>
#include <string>
#include <vector>

#include "kernel-translator/check/launch_case.h"
#include "kernel-translator/client/translation.h"

namespace samcl::check {

// The contents of all buffers and images of a launch, by argument; empty for other arguments.
using Contents = std::vector<std::vector<std::byte>>;

// A device with a context and a queue.
class TestDevice {
 public:
  // The first one of the platform of that name, or of the first that is no simulator's.
  static Result<std::unique_ptr<TestDevice>> open(const std::string& platform = "");
  ~TestDevice();
  TestDevice(const TestDevice&) = delete;
  TestDevice& operator=(const TestDevice&) = delete;

  const DeviceFacts& facts() const { return facts_; }
  cl_device_id id() const { return id_; }
  cl_context context() const { return context_; }
  cl_command_queue queue() const { return queue_; }

 private:
  TestDevice() = default;
  cl_device_id id_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  DeviceFacts facts_;
};

// One source, translated and built.
class BoxRunner {
 public:
  // translator: path of sam-translate. Errors: the source or its rewritten form does not build.
  static Result<BoxRunner> make(const TestDevice& device, const std::string& source, const std::string& options,
                                const std::string& translator);
  // The source as it is, of which only whole NDRanges may be run.
  static Result<BoxRunner> make_untranslated(const TestDevice& device, const std::string& source,
                                             const std::string& options);
  BoxRunner(BoxRunner&& other) noexcept;
  ~BoxRunner();

  // nullptr: the source has no such kernel.
  const KernelTranslation* find(const std::string& kernel) const { return translation_.find(kernel); }

  // Runs the box on buffers and images that hold `before`; gives what they hold afterwards.
  Result<Contents> run(const LaunchCase& launch, const GroupBox& box, const Contents& before) const;

 private:
  BoxRunner(const TestDevice& device, Translation translation, cl_program program)
      : device_(&device), translation_(std::move(translation)), program_(program) {}

  const TestDevice* device_;
  Translation translation_;
  cl_program program_;
};

}  // namespace samcl::check
