// Virtual contexts and the virtual device behind them.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/small_vector.h"
#include "libsamcl/coherence/directory.h"
#include "libsamcl/cost/ways.h"
#include "libsamcl/device/device_backend.h"
#include "libsamcl/device/real_device.h"
#include "libsamcl/runtime/graph.h"
#include "libsamcl/runtime/object.h"
#include "libsamcl/runtime/process_end.h"
#include "libsamcl/runtime/worker.h"
#include "libsamcl/transfer/peer_memory.h"

namespace samcl {

class Device;

template <>
struct HandleTraits<Device> {
  static constexpr Kind kKind = Kind::device;
  using Api = cl_device_id;
};
template <>
struct HandleTraits<Context> {
  static constexpr Kind kKind = Kind::context;
  using Api = cl_context;
};

// One device as the program sees it: a group of alike real devices. Lives as long as the process.
class Device : public Object<Device> {
 public:
  // kinds: by real device, the first one that is like it; empty: all are alike.
  Device(cl_platform_id platform, std::vector<cl_device_id> real, std::vector<LeaseTarget> leases,
         std::vector<unsigned> kinds = {});

  // Whether that handle is this device or, as clCreateSubDevices made it, a part of it. Parts are the driver's own, of the
  // first real device: what a program does with them in one of our contexts, the whole device does.
  bool includes(cl_device_id handle);

  const cl_platform_id platform;          // the real one
  const std::vector<cl_device_id> real;   // in the order they are used
  const std::vector<LeaseTarget> leases;  // one per real device
  const std::vector<unsigned> kinds;      // one per real device, see above

  // Whether its real devices are not all alike: kernels are then built for each kind, and go by measured speeds.
  bool is_mixed() const { return std::any_of(kinds.begin(), kinds.end(), [](unsigned kind) { return kind != 0; }); }
};

class Context : public Object<Context> {
 public:
  // The device's real contexts are created at once; on failure *error is the driver's code.
  static std::shared_ptr<Context> create(std::shared_ptr<Device> device,
                                         const cl_context_properties* properties, cl_int* error);
  Context(std::shared_ptr<Device> device, const cl_context_properties* properties);  // for create()
  ~Context();

  const std::shared_ptr<Device> device;
  const std::vector<cl_context_properties> properties;  // as given, with the closing 0; or empty
  std::vector<std::unique_ptr<RealDevice>> devices;     // one per real device, fixed after creation
  std::unique_ptr<PeerMemory> peers;                    // nullptr where devices cannot use each other's memory
  DeviceBackend backend{*this};
  Graph graph{backend};
  Worker callbacks{"samcl-callback"};  // runs the program's callback functions
  Worker builder{"samcl-build", arrange_compilers_end};  // makes what launches may need later

  // The devices that kernels are split over at present: the manager's choice, at most SAMCL_GPUS, else all. What
  // can't be split runs on the first of them, if it can run there. Never empty.
  SmallVector<unsigned, 8> devices_in_use() const;
  Places places_in_use() const;

  // Whether launches are split wherever they may be: a manager's plan for a task counts on it, as its profile was taken,
  // or SAMCL_SPLIT=always asks for it.
  bool splits_always() const;
  // Guarded by the graph's lock.
  Ways ways;
  const TransferRates& rates() const { return rates_; }
  // The program has waited for what it launched.
  void program_waited();

  // Whether all devices compute in host memory: a buffer over one block of it is the same bytes for all and the host.
  bool shares_host_memory() const { return shares_host_memory_; }

  // The context that a real context (of an image, say) belongs to; nullptr if it is none of ours.
  static std::shared_ptr<Context> of_real(cl_context real);

  using DestructorCallback = void(CL_CALLBACK*)(cl_context, void*);
  void add_destructor_callback(DestructorCallback callback, void* user_data);

  // Waits until the workers have nothing left to do, for at most the given time; false if they still have.
  // For the end of the process.
  static bool drain_all(int milliseconds);

  // No thread of ours waits for work any more; what comes still is done.
  static void end_threads_when_idle();

 private:
  static std::vector<std::shared_ptr<Context>> all();  // live ones, some more than once
  struct Destructor {
    DestructorCallback function;
    void* user_data;
  };
  void choose_transports();

  bool shares_host_memory_ = false;
  TransferRates rates_;
  std::vector<uint32_t> announced_;  // by device: its index among those announced to the manager
  std::vector<unsigned> unmanaged_;  // the devices in use as long as no manager has a say
  std::mutex destructors_mutex_;
  std::vector<Destructor> destructors_;
};

}  // namespace samcl
