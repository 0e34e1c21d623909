// One kernel launch: on how many devices, in which parts, and how the parts' outputs become one.
//
// Stages, each on the devices' workers at the same time:
//   1. gather  buffers that will be merged come to the host copy: it is what all devices start from
//   2. execute every device gets what it may read or write, and runs its part, in slices if managed
//   3. merge   those buffers are compared chunk by chunk with the host copy; what changed goes into it
// A launch on one device, or one whose footprint tells which part writes what, has stage 2 only. Without a manager it
// is then issued: the devices get it, and what comes after it, without anybody waiting for its end.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "libsamcl/runtime/buffer_commands.h"
#include "libsamcl/runtime/kernel.h"
#include "libsamcl/runtime/steps.h"
#include "libsamcl/runtime/touches.h"
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
  bool may_follow() const override { return issues_ && !moves_; }
  void start(const std::shared_ptr<Event>& event, Starter starter) override;

 private:
  // Devices that changed a run of bytes.
  struct Change {
    Range range;
    Places devices;
  };

  // Sets parts_ and whole_; the reason if it is one device.
  std::string decide(const Context& context);
  void cut(const std::vector<unsigned>& devices);
  // On one device after all.
  void give_up_splitting();
  void count() const;
  void note_use() const;
  bool choose_local_size(const Context& context);

  bool merges() const;
  bool can_be_issued(const Context& context) const;
  void issue(const std::shared_ptr<Event>& event);
  cl_int issue_part(const std::shared_ptr<Event>& event, size_t part);
  void one_ended(const std::shared_ptr<Event>& event, cl_int error);

  std::vector<Step> gather_merged();
  cl_int prepare(size_t part, RealKernel*& kernel);
  cl_int execute(const std::shared_ptr<Event>& event, size_t part);
  cl_int run_box(RealDevice& device, RealKernel& kernel, const GroupBox& box);
  cl_int enqueue_box(RealDevice& device, cl_kernel kernel, const GroupBox& box, cl_event* event);
  cl_int run_slices(RealDevice& device, RealKernel& kernel, const GroupBox& box);
  void merge(const std::shared_ptr<Event>& event);
  cl_int merge_chunks(size_t worker, std::vector<std::vector<Change>>& changes);
  void note_written() const;
  void note_time() const;
  void end(const std::shared_ptr<Event>& event, cl_int error);

  const LaunchRequest request_;
  Ndrange ndrange_;
  bool pass_local_ = false;  // give ndrange_.local to the driver
  bool whole_ = true;        // the program's own kernel, in one piece
  std::vector<Part> parts_;
  std::vector<Touch> touches_;
  Part everything_{};       // the whole NDRange where it runs if it is not split
  std::string reason_;      // why it is one device
  bool decided_ = false;    // parts_ stay as they are
  bool is_judged_ = false;  // whether splitting pays decides
  bool timed_ = false;      // its time says whether splitting pays
  bool moves_ = false;      // bytes have to move for it
  bool issues_ = false;     // nobody waits for its end
  std::atomic<size_t> unended_{0};        // parts, and the issuing itself
  std::atomic<cl_int> error_{CL_SUCCESS};  // the first of these
  cl_ulong start_ns_ = 0;
  std::atomic<uint64_t> computing_ns_{0};  // of all parts
  std::atomic<uint64_t> behind_ns_{0};     // how long a part waited for others that the device had already
};

}  // namespace samcl
