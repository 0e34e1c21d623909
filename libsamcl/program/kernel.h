// Virtual kernels: the arguments the program set, and the real kernels that run.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/iterator/indirect_iterator.hpp>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/pool.h"
#include "base/small_vector.h"
#include "libsamcl/cost/piece_times.h"
#include "libsamcl/device/launch_ring.h"
#include "libsamcl/objects/buffer.h"
#include "libsamcl/objects/sampler.h"
#include "libsamcl/observe/report.h"
#include "libsamcl/program/group_limits.h"
#include "libsamcl/program/launch_series.h"
#include "libsamcl/program/program.h"

namespace samcl {

class Kernel;

template <>
struct HandleTraits<Kernel> {
  using Api = cl_kernel;
};

// A value as it was when it was set.
struct Argument {
  bool set = false;  // to what a launch can be given
  size_t size = 0;
  SmallVector<std::byte, 16> bytes;    // empty for local memory (and null pointers of it)
  std::shared_ptr<Buffer> buffer;      // a virtual buffer or image; bytes are then not used. Where a launch was given a
                                       // pointer into shared virtual memory, the allocation
  std::shared_ptr<Sampler> sampler;    // bytes are then not used
  bool is_real = false;                // a memory object of the driver's own
  std::shared_ptr<void> kept;          // that object, retained; only in what a launch was given
  std::optional<uint64_t> gone_bytes;  // size of a buffer that the program has released for good
  const void* svm = nullptr;           // set by clSetKernelArgSVMPointer
  bool is_svm = false;

  // Whether it is what other devices have replicas of, too.
  bool is_first_devices() const {
    if (is_svm && (!buffer || svm != buffer->host_ptr)) return true;
    return kept || (buffer && buffer->is_first_devices());
  }
};

// Set by clSetKernelExecInfo, as it was given: the last value of each parameter.
using ExecInfo = std::map<cl_kernel_exec_info, std::vector<std::byte>>;

// Of one kernel. Values do not change: copies share them.
class Arguments {
 public:
  explicit Arguments(size_t count) : values_(count, make_recycled<const Argument>()) {}

  size_t size() const { return values_.size(); }
  const Argument& operator[](size_t index) const { return *values_[index]; }
  const std::shared_ptr<const Argument>& value(size_t index) const { return values_[index]; }
  // nullptr: there is none.
  std::shared_ptr<const ExecInfo> exec_info;

  void set(size_t index, Argument value) { values_[index] = make_recycled<const Argument>(std::move(value)); }

  // Whether one is that memory object's.
  bool use(const Storage& memory) const {
    return std::any_of(values_.begin(), values_.end(), [&](const auto& argument) {
      return argument->buffer && argument->buffer->storage.get() == &memory;
    });
  }

  auto begin() const { return boost::make_indirect_iterator(values_.begin()); }
  auto end() const { return boost::make_indirect_iterator(values_.end()); }

 private:
  SmallVector<std::shared_ptr<const Argument>, 8> values_;
};

// A real kernel for one device, used by jobs of that device's worker only.
class RealKernel {
 public:
  // Memory that it uses where another device has it.
  struct Held {
    const Storage* memory;
    unsigned by;
  };
  static constexpr unsigned kOwn = std::numeric_limits<unsigned>::max();  // no other device

  RealKernel() = default;
  RealKernel(cl_kernel kernel, size_t arguments) : kernel_(kernel), applied_(arguments) {}  // owns it
  ~RealKernel();
  RealKernel(const RealKernel&) = delete;
  RealKernel& operator=(const RealKernel&) = delete;

  // What its first launch would have to do, without arguments; the driver's code.
  cl_int make(cl_program program, const std::string& name);
  // Makes it ready to launch with these arguments; the driver's code.
  cl_int prepare(cl_program program, const std::string& name, const RealDevice& device, const Arguments& arguments,
                 std::span<const Held> held = {});
  // The same of one that is made, also of what it seems to have.
  cl_int prepare_all(const RealDevice& device, const Arguments& arguments);
  // The same by who gives that launch: it gets what the driver has to be told, by then. False: not all of it can be
  // told so.
  bool prepare_later(const RealDevice& device, const Arguments& arguments, LaunchRing::Launch& launch);
  cl_kernel get() const { return kernel_; }
  // Whether it has these arguments, but for those.
  bool has(const Arguments& arguments, std::span<const LaunchSeries::Growing> but) const;
  // Somebody else has given it that value.
  void note_applied(cl_uint index, const std::shared_ptr<const Argument>& value, unsigned held_by = kOwn);

  PieceTimes times;  // learned where a manager grants the device; of its strands, the first one's

 private:
  static unsigned holder_of(const Argument& argument, std::span<const Held> held, const RealDevice& device);
  bool is_applied(cl_uint index, const std::shared_ptr<const Argument>& wanted, unsigned held_by = kOwn) const;
  cl_int apply(cl_uint index, const Argument& argument, const RealDevice& device, unsigned held_by);
  cl_int apply(const ExecInfo& info);

  cl_kernel kernel_ = nullptr;
  // What the real kernel has. Weak: buffers live no longer than the program and its launches need.
  struct Applied {
    std::weak_ptr<const Argument> value;
    uint32_t dropped = 0;  // replicas of its storage's by then: what came of these is no longer right
    unsigned held_by = kOwn;
  };
  std::vector<Applied> applied_;
  std::atomic<bool> is_doubtful_{false};  // whether it has
  std::shared_ptr<const ExecInfo> applied_info_;
};

// The variant that runs launches of a series as one (KernelTranslation::gathers_by), for one device. Under the graph's
// lock.
class GatheredKernel {
 public:
  // Makes it ready for that series, of whose launches these are the arguments: all but what grows, which who launches
  // it sets. given: launches of the device that the driver has; those that it is to run may need what it has now.
  // False: it cannot be.
  bool prepare(const Build& build, const Kernel& kernel, const RealDevice& device, const Arguments& arguments,
               uint64_t given);
  cl_kernel get() const { return real_.get(); }
  // By that launch, of all that were put for the device.
  void used(uint64_t number) { used_ = number; }

 private:
  cl_int make(const Build& build, const Kernel& kernel, const RealDevice& device);
  bool set_steps(const Kernel& kernel);

  RealKernel real_;
  uint64_t version_ = 0;  // of the series that it is ready for
  bool is_refused_ = false;
  uint64_t used_ = 0;
};

// What the driver says of the sizes that a kernel may be launched with, on the first device.
struct LaunchLimits {
  std::array<size_t, 3> required{};  // by reqd_work_group_size; zeros: none
  size_t group_size = std::numeric_limits<size_t>::max();
  std::array<size_t, 16> item_sizes;
  bool partial_groups = false;  // local sizes that do not divide the global size
};

// Threads: arguments are set by one thread at a time, as OpenCL has it; a buffer may be released by another at any
// time, which mutex_ orders.
class Kernel : public Object<Kernel> {
 public:
  // checked: a real kernel of the original program, owned from now on; it answers queries and checks arguments.
  Kernel(std::shared_ptr<Program> program, cl_kernel checked);

  const std::shared_ptr<Program> program;
  const LivingKernels::Entry among_programs_kernels;  // before what holds the driver's kernels
  const std::shared_ptr<const Build> build;           // as of the kernel's creation
  const cl_kernel checked;
  const std::string name;
  const cl_uint argument_count;
  const KernelTranslation* const translation;  // nullptr if the translator does not know it
  CostModel* const cost_model;                 // nullptr likewise
  KernelRecord& record;
  // What its launches read was overwritten while others counted on that: their outputs are kept in host memory at once
  // where devices may be lost (objects/lineage.h). Any thread.
  std::atomic<bool> keeps_outputs{false};

  // clSetKernelArg; one thread at a time per kernel, as in OpenCL. Returns the driver's verdict at once.
  cl_int set_argument(cl_uint index, size_t size, const void* value);
  cl_int set_svm_argument(cl_uint index, const void* pointer);
  cl_int set_exec_info(cl_kernel_exec_info name, size_t size, const void* value);

  // What is set now, for a launch: later changes do not touch it, and it keeps its memory objects alive. A buffer that
  // is gone is replaced by one of its size with undefined contents: what other drivers make of such a launch, whose
  // kernels find the memory of no object.
  std::shared_ptr<const Arguments> arguments();
  // The same for a launch that has begun, or called keep_arguments(), when the call ends: else they may change.
  std::shared_ptr<const Arguments> lent_arguments();
  void keep_arguments();
  void copy_arguments(Kernel& from);

  // The program has released a buffer for good. Being an argument does not keep it alive, unless the driver has it so.
  void forget(const Buffer& buffer);

  // Whether it may use memory that no argument shows, by an address that it found in memory.
  bool follows_addresses() const { return !translation || translation->depends_on_addresses; }
  // Whether it may print; whether more than its arguments can show when it ran.
  bool may_print() const { return !translation || translation->may_print; }
  bool shows_its_turn() const { return may_print() || translation->has_program_variables; }

  const LaunchLimits& limits();

  // Whether devices that are not like the first one run it so, too. Once the parts are built; under the graph's lock.
  bool fits_all_kinds(const Ndrange& ndrange, const Arguments& arguments);

  // Local sizes (zeros: left to the driver) which go beyond the limits that the driver told, and that it took.
  using LocalSize = std::array<size_t, 3>;
  bool was_taken(const LocalSize& local);
  void note_taken(const LocalSize& local);

  // The program's own kernel, in one piece: of the original program on device 0, of build->original_on() elsewhere.
  RealKernel& own(unsigned device) { return *own_kernels_[device]; }
  // Each strand of a device has one of its own.
  RealKernel& own(const RealDevice& device);
  RealKernel& rewritten(const RealDevice& device);
  // The same, ready for a launch with these arguments that the calling thread, one of the program's, gives the device
  // at once: on the first device it is the one that has been given the arguments when they were set. nullptr: the
  // driver has refused something.
  cl_kernel ready_now(const RealDevice& device, const Arguments& arguments);
  // What it is made from; nullptr: that device has none.
  cl_program own_program(unsigned device) const {
    return device == 0 ? program->original : build->original_on(*program->context, device);
  }

  std::vector<std::unique_ptr<RealKernel>> sub_kernels;  // rewritten program, by device

  // Where a manager grants the devices: whether anybody has waited to know what the first launch takes.
  enum class First : uint8_t { to_come, launched, awaited };
  std::atomic<First> first{First::to_come};
  std::atomic<uint32_t> launched_rewritten{0};  // times that the program's own was not worth compiling
  // What so many work-items take there, as far as launches or pieces of them have been timed; 0: nothing is known, or
  // the program's own kernel is not worth compiling yet, where a launch does that.
  uint64_t in_one_piece_ns(unsigned device, uint64_t work_items);
  // The program's own is about to run there: it is expected to take that, as the rewritten one does, until it was
  // timed.
  void expects(unsigned device, uint64_t work_items, uint64_t ns);

  // Its launches that follow others; under the graph's lock, as the next.
  LaunchSeries series;
  GatheredKernel& gathered(const RealDevice& device) { return gathered_kernels_[{device.index, device.strand_index}]; }

 private:
  // Whether the argument's type is that of a memory object; `buffer` is what its value would be.
  bool takes_memory_object(cl_uint index, const Buffer& buffer) const;
  enum class Change { none, of_value, unknown };
  Change change_of(cl_uint index, size_t size, const void* value);
  void change(cl_uint index, Argument argument);
  Arguments& own_arguments();  // shared with no launch; under mutex_

  std::vector<std::unique_ptr<RealKernel>> own_kernels_;  // by device
  // By device and strand, under mutex_; of the program's own kernel, and of the rewritten one.
  std::map<std::pair<unsigned, unsigned>, RealKernel> strands_kernels_, strands_rewritten_;
  std::map<std::pair<unsigned, unsigned>, GatheredKernel> gathered_kernels_;

  std::mutex mutex_;    // guards what follows; buffers' locks may be taken under it
  RealKernel at_hand_;  // is `checked`
  std::shared_ptr<Arguments> arguments_;
  bool taken_ = false;  // a launch has taken arguments_: they stay as they are
  std::optional<LaunchLimits> limits_;
  std::set<LocalSize> taken_sizes_;
  std::vector<GroupLimits> kinds_limits_;  // of devices that are not like the first one; guarded by the graph's lock
};

}  // namespace samcl
