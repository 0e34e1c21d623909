// Virtual contexts and the virtual device behind them.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/small_vector.h"
#include "libsamcl/backend/device_backend.h"
#include "libsamcl/coherence/directory.h"
#include "libsamcl/cost/ways.h"
#include "libsamcl/cost/width.h"
#include "libsamcl/device/peer_memory.h"
#include "libsamcl/device/real_device.h"
#include "libsamcl/objects/graph.h"
#include "libsamcl/objects/homes.h"
#include "libsamcl/objects/lineage.h"
#include "libsamcl/objects/object.h"
#include "libsamcl/objects/process_end.h"
#include "libsamcl/threads/worker.h"

namespace samcl {

class Device;

template <>
struct HandleTraits<Device> {
  using Api = cl_device_id;
};
template <>
struct HandleTraits<Context> {
  using Api = cl_context;
};

// One device as the program sees it: a group of alike real devices. Lives as long as the process.
class Device : public Object<Device> {
 public:
  // kinds: by real device, the first one that is like it; empty: all are alike.
  Device(cl_platform_id platform, std::vector<cl_device_id> real, std::vector<LeaseTarget> leases,
         std::vector<unsigned> kinds = {});

  // Whether that handle is this device or, as clCreateSubDevices made it, a part of it. Parts are the driver's own, of
  // the first real device: what a program does with them in one of our contexts, the whole device does.
  bool includes(cl_device_id handle);

  const cl_platform_id platform;          // the real one
  const std::vector<cl_device_id> real;   // in the order they are used
  const std::vector<LeaseTarget> leases;  // one per real device
  const std::vector<unsigned> kinds;      // one per real device, see above

  // Whether its real devices are not all alike: kernels are then built for each kind, and go by measured speeds.
  bool is_mixed() const {
    return std::any_of(kinds.begin(), kinds.end(), [](unsigned kind) { return kind != 0; });
  }
  // Whether kernels use real devices unlike the first one only where self-tests have shown the same bytes.
  bool joins_exactly() const;
};

class Context : public Object<Context>, public DeviceSet, private DeviceBackend::EndListener {
 public:
  // Creates the device's real contexts, or the first one (opens_later); on failure *error is the driver's code.
  static std::shared_ptr<Context> create(std::shared_ptr<Device> device, const cl_context_properties* properties,
                                         cl_int* error);
  Context(std::shared_ptr<Device> device, const cl_context_properties* properties);  // for create()
  ~Context() override;

  const uint32_t ordinal;  // from 0, in the order of making
  const std::shared_ptr<Device> device;
  const std::vector<cl_context_properties> properties;  // as given, with the closing 0; or empty
  // Devices beside the first one are opened when something needs them: a program's parts, or memory there.
  const bool opens_later;
  DeviceBackend backend{*this, *this};
  Graph graph{backend};
  Worker callbacks{"samcl-callback"};                    // runs the program's callback functions
  Worker semaphores{"samcl-semaphore"};                  // tells the graph what waited for them, and has ended
  Worker builder{"samcl-build", arrange_compilers_end};  // makes what launches may need later

  // Guarded by the graph's lock.
  Ways ways;
  Width width;
  Strands strands;  // where it may have any
  Homes homes;
  Lineage lineage;  // of what devices alone have, if they may be lost
  // Whether launches may have parts on fewer devices than are in use (width): nobody has said on how many they are to
  // run, and bytes have to be where parts are. Any thread.
  bool may_be_narrower() const {
    return width.all().size() > 1 && !shares_host_memory() && !is_managed() && !splits_always() && !device->is_mixed();
  }
  // Begins to make that strand of the device, if that has not begun. Under the graph's lock.
  void make_strand(unsigned device, unsigned number);
  // The same for all those for launches that run beside others of their queue; such are expected: any thread.
  void make_strands_for_beside(unsigned device);
  void expect_beside(unsigned device);
  // The program has waited for what it launched.
  void program_waited();
  // Whether it has since this was asked last. Any thread, as program_waited().
  bool has_waited() { return has_waited_.exchange(false, std::memory_order_relaxed); }
  // Ends what the program knows to have ended and has not been ended yet, since it might have gone on
  // (Graph::follow()): when the program has let go of an object, which that may hold. Any thread, without locks.
  void tell_untold();
  // Whether an end may go untold: the program has let go of nothing since this was asked last. Any thread.
  bool may_leave_untold() { return !has_let_go_.exchange(false); }

  // A command failed since its device is gone, with the machine it is in. Parts of what the program computed are, too:
  // as a driver does with its one device, we take no more commands. Any thread.
  std::atomic<bool> has_lost_device{false};
  // An operation on that device failed. If that is because the device is gone, and the context survives it, what it had
  // is valid elsewhere only from now on. Under the graph's lock.
  void operation_failed(unsigned index, cl_int status);
  // The program has released a memory object for good. Any thread, without locks.
  void memory_released(const Storage& memory);
  // Without the graph's lock.
  Room room(unsigned device) {
    return Room([this, device] { return backend.make_room(*devices[device]); });
  }

  // The context that a real context (of an image, say) belongs to; nullptr if it is none of ours.
  static std::shared_ptr<Context> of_real(cl_context real);
  // What the program knows it as: the same handle if it is none of ours.
  static cl_context to_program(cl_context real);

  using DestructorCallback = void(CL_CALLBACK*)(cl_context, void*);
  void add_destructor_callback(DestructorCallback callback, void* user_data);

  // Waits until the workers have nothing left to do, but no longer than until then; false if they still have. For the
  // end of the process. compilers_until: for those that build programs.
  static bool drain_all(std::chrono::steady_clock::time_point until,
                        std::chrono::steady_clock::time_point compilers_until);

  // No thread of ours waits for work any more; what comes still is done.
  static void end_threads_when_idle();

  static std::vector<std::shared_ptr<Context>> all();  // live ones, some more than once

 private:
  struct Destructor {
    DestructorCallback function;
    void* user_data;
  };
  void ended(const engine::NodePtr& node, cl_int status) override { graph.ended(node, status); }
  void ended(std::span<const CompletedNode> nodes) override { graph.ended(nodes); }
  std::shared_ptr<void> keep_alive() override { return shared_from_this(); }
  bool make_room(unsigned device, bool is_locked) override;
  bool set_aside(unsigned device, const std::function<bool(const Storage&)>& is_needed,
                 const std::function<bool(const SetAside&)>& guarded) override;

  std::vector<unsigned> strands_made_;  // by device, bits: or being made
  std::atomic<bool> has_let_go_{false};
  std::atomic<bool> has_waited_{false};
  std::mutex destructors_mutex_;
  std::vector<Destructor> destructors_;
};

}  // namespace samcl
