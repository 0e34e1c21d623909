// Virtual programs: the program's source as the driver of device 0 sees it (its build result, log, kernels and
// binaries are the driver's own), and, when it was built or linked and understood, a rewritten twin for each device.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel-translator/client/translation.h"
#include "libsamcl/cost/balance.h"
#include "libsamcl/cost/cut_dimension.h"
#include "libsamcl/cost/device_speeds.h"
#include "libsamcl/cost/even_ends.h"
#include "libsamcl/cost/judging.h"
#include "libsamcl/cost/kernel_times.h"
#include "libsamcl/cost/layers.h"
#include "libsamcl/cost/moving.h"
#include "libsamcl/cost/self_tests.h"
#include "libsamcl/cost/uneven_work.h"
#include "libsamcl/objects/building.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/program/build_specification.h"
#include "libsamcl/program/known_binaries.h"
#include "libsamcl/program/living_kernels.h"
#include "libsamcl/program/programs_on_devices.h"
#include "libsamcl/program/remembered_footprint.h"
#include "libsamcl/program/remembered_times.h"

namespace samcl {

class Program;

template <>
struct HandleTraits<Program> {
  using Api = cl_program;
};

// What deciding about a kernel's launches needs.
struct CostModel {
  RememberedFootprint footprint;
  KernelTimes times;           // on the first device, or on one that computes as fast
  DeviceSpeeds speeds;         // where devices are not alike
  DeviceSpeeds held_speeds;    // where they are, and use what one of them holds
  EvenEnds even_ends;          // where they take over from each other
  Balance balance;             // where they are alike
  UnevenWork uneven_work;      // where they have memories of their own as well
  CutDimension cut_dimension;  // where they compute in one memory
  Judging judging;             // of their parts
  Moving moving;               // of bytes to these
  Layers layers;               // under the lock of the context's graph
  SelfTests self_tests;        // where these have to give the same bytes
  // Launches in this process, but for what handing over parts would take: all; those that were in parts, or might have
  // been; and were.
  std::atomic<uint64_t> took_ns{0}, promising_ns{0}, in_parts_ns{0};
  // What a device that computes in the calling thread takes to compile it for its first launch; of parts, too, where an
  // earlier process has launched none. Its driver may have kept it.
  std::atomic<uint64_t> compiling_ns{0};
  std::atomic<bool> is_compiling_kept{false};
  Promise promise;  // of earlier processes
};

// By kind of device (Device::kinds); 0 is always there.
using Translations = std::map<unsigned, Translation>;

// What is found out of a program while the driver compiles it.
struct FindingOut {
  std::future<Result<Translations>> translation;
  std::future<std::optional<RememberedTimes>> times;
};

// Why kernels stay whole whose parts the driver does not build.
extern const char* const kDoNotBuild;

// The outcome of one successful build or link; unchangeable but for the programs that are made when first needed.
struct Build {
  Translation translation;                                             // empty if why_one_device says why
  std::map<unsigned, std::vector<TranslatedSource>> sources_of_kinds;  // for devices unlike the first, by kind
  std::shared_ptr<const BuildSpecification> specification;
  cl_program original = nullptr;  // the program's own
  bool has_sub_kernels = false;   // kernels may be cut, by a rewritten program for each device
  // What it takes to make them, ns: measured, remembered, or else as long for each as the program's own build took.
  mutable std::atomic<uint64_t> sub_kernel_build_ns{0};
  uint64_t built_ns = 0;         // what the program's own build took; 0: not known
  uint64_t expected_ns = 0;      // RememberedTimes::promising_ns
  uint64_t rented_ns = 0;        // RememberedTimes::rented_ns, of the processes before
  uint32_t built_before = 0;     // RememberedTimes::built
  bool has_opened = false;       // devices for parts, as soon as it was built
  unsigned fallback_device = 0;  // where kernels that stay whole run, as the manager wanted it at the build
  bool is_movable = false;       // the original may run on another device than the first
  bool may_gather = false;       // there may be variants of its kernels that run launches of a series as one
  std::string why_one_device;    // why no kernel of this program can be split
  std::map<std::string, std::unique_ptr<CostModel>> cost_models;  // by kernel

  // The rewritten program for a device, made the first time: many programs never split a launch, and the driver takes
  // as long for each as for the program itself. nullptr: there is none, or the driver does not build it. Any thread.
  cl_program sub_kernel_program_on(const Context& context, unsigned device) const;
  // Makes those for all devices, the first time; false: the driver does not build them, and kernels stay whole. Any
  // thread.
  bool make_sub_kernel_programs(const Context& context) const;
  bool has_sub_kernel_programs() const { return made_ == Made::made; }
  // What other processes found out of the times of its kernels and of making the sub-kernel programs.
  void recall(const RememberedTimes& times);
  // Whether a launch of that kernel, which takes `whole_ns` on one device, should be considered in parts: because the
  // sub-kernel programs are there, or are worth making for it, or being made because it was foreseen. May begin to make
  // them for later ones (cost/parts_build.h).
  static bool parts_pay(const std::shared_ptr<const Build>& build, Context& context, const CostModel& kernel,
                        uint64_t whole_ns, bool is_foreseen);
  // They will be needed, by this process or the next one: makes them on a thread of its own.
  static void make_beside(const std::shared_ptr<const Build>& build, Context& context);
  // A launch of that kernel took so long.
  // It was in parts, might be, ran while other queues kept the other devices busy, or neither.
  enum class Launched : uint8_t { in_parts, as_promising, beside_others, otherwise };
  static void took(const std::shared_ptr<const Build>& build, Context& context, CostModel& kernel, uint64_t ns,
                   Launched how);
  bool is_rewritten() const;
  // Whether launches may gain by running beside others of their queue on that device, as far as is known.
  bool gains_beside(const RealDevice& device) const;
  // Whether devices for parts are worth opening before launches ask for them.
  bool promises_much() const;
  // The original for a device that is not the first, made the first time; nullptr: there is none. Any thread.
  cl_program original_on(const Context& context, unsigned device) const;
  // Whether it is made there. Any thread.
  bool is_on(unsigned device) const { return device == 0 || moved_.is_on(device); }
  // Makes it there, once, on a thread of its own.
  static void make_beside_on(const std::shared_ptr<const Build>& build, Context& context, unsigned device);

  // The variants that run launches of a series as one, for a device; nullptr: there are none. Any thread.
  cl_program gathered_on(const Context& context, unsigned device) const;
  bool is_gathered_on(unsigned device) const { return gathered_.is_on(device); }
  // Has them made, beside all else, if earlier processes had use for them.
  static void expect_gathering(const std::shared_ptr<const Build>& build, Context& context, unsigned device);
  // A launch might have been gathered with others, if they were there: has them made beside launches, once that is
  // worth it, and the next processes know.
  static void misses_gathered(const std::shared_ptr<const Build>& build, Context& context, unsigned device);
  // Some are gathered.
  static void gathers(const std::shared_ptr<const Build>& build, Context& context);

 private:
  static void make_gathered_beside(const std::shared_ptr<const Build>& build, Context& context, unsigned device);
  // Has the builder's thread do something with it. building: until then.
  static void post(const std::shared_ptr<const Build>& build, Context& context,
                   std::function<void(const Build&, const Context&)> work,
                   std::shared_ptr<const Building> building = {});
  bool make_all_sub_kernel_programs(const Context& context) const;
  void make_and_remember(const Context& context) const;
  void remember(const Context& context) const;
  cl_program make_sub_kernel_program(const RealDevice& device, unsigned kind) const;

  enum class Made : uint8_t { none, wanted, made, failed };
  mutable std::once_flag asked_;
  mutable std::atomic<Made> made_{Made::none};
  mutable std::atomic<uint64_t> promising_ns_{0}, promising_when_made_ns_{0};
  mutable std::atomic<bool> is_kept_{false};  // what this process found out is
  mutable ProgramsOnDevices sub_kernel_programs_;
  mutable std::atomic<uint64_t> making_ns_{0};  // that they took
  mutable ProgramsOnDevices moved_, gathered_;  // originals; and variants that run several launches
  mutable std::atomic<uint32_t> missed_{0};     // launches that might have been gathered
  mutable std::atomic<uint32_t> gathers_{0};    // RememberedTimes::gathers
  mutable std::atomic<bool> has_gathered_{false};
};

class Program : public Object<Program> {
 public:
  // original: a real program in device 0's context, owned from now on. source: empty if it has none.
  // origin: of the binary that it was given as.
  Program(std::shared_ptr<Context> context, cl_program original, std::string source, std::string why_one_device,
          std::optional<BinaryOrigin> origin = std::nullopt);
  ~Program();

  const std::shared_ptr<Context> context;
  const cl_program original;
  LivingKernels kernels;

  // clBuildProgram on device 0; then, if it went well, the translation and the twins, which may fail without
  // the program's noticing. Returns the driver's code.
  cl_int build(const char* options);

  // clCompileProgram on device 0. count, real_headers, names: as the driver takes them; headers: the programs
  // behind them, nullptr where one is not ours.
  cl_int compile(const char* options, cl_uint count, const cl_program* real_headers, const char** names,
                 const std::vector<std::shared_ptr<Program>>& headers);

  // clLinkProgram on device 0, its arguments as in compile(); then as build(). nullptr if the driver makes no
  // program; *error is its code.
  static std::shared_ptr<Program> link(const std::shared_ptr<Context>& context, const char* options, cl_uint count,
                                       const cl_program* real_inputs,
                                       const std::vector<std::shared_ptr<Program>>& inputs, cl_int* error);

  // The driver has made it from that, in `took_ns`; what the translator finds out decides what runs in parts.
  void finish(std::shared_ptr<const BuildSpecification> specification, FindingOut finding_out, uint64_t took_ns);

  // The latest successful build or link; never nullptr.
  std::shared_ptr<const Build> current() const;

  // The program was given the binary of what it is now.
  void binary_was_read(std::span<const unsigned char> binary) const;

 private:
  std::shared_ptr<Build> make_build(std::shared_ptr<const BuildSpecification> specification,
                                    Result<Translations> translation) const;
  bool is_movable(const Build& build) const;
  void place_fallback(Build& build) const;
  std::shared_ptr<const BuildSpecification> specification() const;
  void set_specification(std::shared_ptr<const BuildSpecification> specification);

  const std::string source_;
  const std::optional<BinaryOrigin> origin_;
  mutable std::mutex mutex_;  // guards the following
  std::shared_ptr<const Build> build_;
  std::shared_ptr<const BuildSpecification>
      specification_;  // of what the program is now; nullptr: not built, or not known
};

}  // namespace samcl
