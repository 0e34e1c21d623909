// One kernel launch: on how many devices, in which parts, and how the parts' outputs become one.
//
// Stages, each on the devices' workers at the same time:
//   1. gather  written buffers come to the host copy: it is what all devices start from
//   2. execute every device gets what it may read or write, and runs its part, in slices if managed
//   3. merge   written buffers are compared chunk by chunk with the host copy; what changed goes into it
// A launch on one device has stage 2 only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libsamcl/runtime/buffer_commands.h"
#include "libsamcl/runtime/kernel.h"
#include "libsamcl/runtime/steps.h"
#include "libsamcl/split/ndrange.h"

namespace samcl {

// What the program asked for, already checked.
struct LaunchRequest {
  std::shared_ptr<Kernel> kernel;
  std::shared_ptr<const Arguments> arguments;
  Ndrange ndrange;     // local is meaningful if has_local
  bool has_local = false;  // the program gave a local size
};

class KernelLaunch : public Command {
 public:
  explicit KernelLaunch(LaunchRequest request, const Context& context);

  std::vector<Use> uses() override;
  void start(const std::shared_ptr<Event>& event, Starter starter) override;

 private:
  // A storage the kernel may touch; the union of what its arguments show of it.
  struct Touch {
    std::shared_ptr<Storage> storage;
    Range range;
    bool written = false;
    unsigned width = 16;  // bytes of the narrowest store
  };
  // Devices that changed a run of bytes.
  struct Change {
    Range range;
    Places devices;
  };

  void find_touches();
  // Sets parts_ and whole_; the reason if it is one device.
  std::string decide(const Context& context);
  bool choose_local_size(const Context& context);
  bool runs_rewritten() const { return !whole_; }

  std::vector<Step> gather(Context& context);
  cl_int execute(const std::shared_ptr<Event>& event, const Part& part);
  cl_int run_box(RealDevice& device, RealKernel& kernel, const GroupBox& box);
  cl_int enqueue_box(RealDevice& device, cl_kernel kernel, const GroupBox& box, cl_event* event);
  cl_int run_slices(RealDevice& device, RealKernel& kernel, const GroupBox& box);
  void merge(const std::shared_ptr<Event>& event);
  cl_int merge_chunks(Context& context, size_t worker, std::vector<std::vector<Change>>& changes);
  void end(const std::shared_ptr<Event>& event, cl_int error);

  const LaunchRequest request_;
  Ndrange ndrange_;
  bool pass_local_ = false;  // give ndrange_.local to the driver
  bool whole_ = true;        // the program's own kernel, in one piece
  std::vector<Part> parts_;
  std::vector<Touch> touches_;
};

}  // namespace samcl
