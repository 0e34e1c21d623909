// Virtual kernels: the arguments the program set, and the real kernels that run.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "libsamcl/runtime/buffer.h"
#include "libsamcl/runtime/program.h"
#include "libsamcl/runtime/report.h"
#include "libsamcl/runtime/sampler.h"

namespace samcl {

class Kernel;

template <>
struct HandleTraits<Kernel> {
  static constexpr Kind kKind = Kind::kernel;
  using Api = cl_kernel;
};

// A value as it was when it was set.
struct Argument {
  bool set = false;
  size_t size = 0;
  std::vector<std::byte> bytes;       // empty for local memory (and null pointers of it)
  std::shared_ptr<Buffer> buffer;     // a virtual buffer or image; bytes are then not used
  std::shared_ptr<Sampler> sampler;   // bytes are then not used
  std::shared_ptr<void> kept;         // an image of the driver's own, retained as long as it may be launched with
  const void* svm = nullptr;          // set by clSetKernelArgSVMPointer
  bool is_svm = false;
};
using Arguments = std::vector<Argument>;

// A real kernel for one device, used by jobs of that device's worker only.
class RealKernel {
 public:
  RealKernel() = default;
  ~RealKernel();
  RealKernel(const RealKernel&) = delete;
  RealKernel& operator=(const RealKernel&) = delete;

  // Makes it ready to launch with these arguments; the driver's code.
  cl_int prepare(cl_program program, const std::string& name, const RealDevice& device,
                 const std::shared_ptr<const Arguments>& arguments);
  cl_kernel get() const { return kernel_; }

  std::atomic<double> ns_per_group{0};  // measured; 0 as long as nothing was

 private:
  cl_kernel kernel_ = nullptr;
  std::weak_ptr<const Arguments> applied_;  // weak: buffers live no longer than the program and its launches need
};

class Kernel : public Object<Kernel> {
 public:
  // checked: a real kernel of the original program, owned from now on; it answers queries and checks arguments.
  Kernel(std::shared_ptr<Program> program, cl_kernel checked);
  ~Kernel();

  const std::shared_ptr<Program> program;
  const std::shared_ptr<const Build> build;  // as of the kernel's creation
  const cl_kernel checked;
  const std::string name;
  const cl_uint argument_count;
  const KernelTranslation* const translation;  // nullptr if the translator does not know it
  Splitting* const splitting;  // nullptr likewise
  KernelRecord& record;

  // clSetKernelArg; one thread at a time per kernel, as in OpenCL. Returns the driver's verdict at once.
  cl_int set_argument(cl_uint index, size_t size, const void* value);
  cl_int set_svm_argument(cl_uint index, const void* pointer);

  // What is set now; later changes do not touch it.
  std::shared_ptr<const Arguments> arguments() const {
    taken_.store(true, std::memory_order_relaxed);
    return arguments_;
  }
  void copy_arguments(const Kernel& from) { arguments_ = from.arguments_; }

  RealKernel whole;                               // original program on device 0
  RealKernel whole_elsewhere;                     // build->whole on build->whole_device
  std::vector<std::unique_ptr<RealKernel>> parts;  // rewritten program, by device

 private:
  bool takes_memory_object(cl_uint index) const;
  Argument& change(cl_uint index);

  std::shared_ptr<Arguments> arguments_;
  mutable std::atomic<bool> taken_{false};  // a launch has taken arguments_: they stay as they are
};

}  // namespace samcl
