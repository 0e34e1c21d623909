// A context on a simulated clock whose kernels are functions: commands are planned, cut, started and merged as in
// earnest, operations do what they do on the fake driver's devices when the clock says that they end, and in the order
// in which they end.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "contract/translation.h"
#include "libsamcl/commands/buffer_commands.h"
#include "libsamcl/commands/launch.h"
#include "libsamcl/engine/testing/simulated_backend.h"
#include "libsamcl/objects/graph.h"
#include "libsamcl/testing/fake_driver.h"
#include "libsamcl/testing/footprints.h"

namespace samcl::testing {

using EventPtr = std::shared_ptr<Event>;
using QueuePtr = std::shared_ptr<Queue>;
using KernelPtr = std::shared_ptr<Kernel>;
using Words = std::vector<cl_uint>;
using Waits = std::vector<EventPtr>;

// first, first + 1, and so on.
inline Words counting(size_t count, cl_uint first = 0) {
  Words words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

// Whether devices compute in host memory: where ctest has the same cases run over the transports that need that.
inline FakeDriver::Kind kind_for_transport() {
  const char* set = std::getenv("SAMCL_TRANSPORT");
  const std::string_view transport = set ? set : "";
  return transport == "shared" || transport == "peer" || transport == "windows" ? FakeDriver::Kind::cpu
                                                                                : FakeDriver::Kind::gpu;
}

class SimulatedMachine {
 public:
  // kinds: as Device's; servers: as FakeDriver's.
  explicit SimulatedMachine(unsigned devices, lease::Client* manager = nullptr, std::vector<unsigned> kinds = {},
                            std::vector<std::string> servers = {});
  // Lets everything end: events that have not and their queues hold each other. And the context's threads, which use
  // the driver and the manager's client, and one of which would else be the last to hold the context.
  ~SimulatedMachine();

  FakeDriver driver;
  const std::shared_ptr<Context> context;
  engine::testing::SimulatedBackend backend;
  Graph graph{backend};

  QueuePtr in_order_queue() const { return queue(0); }
  QueuePtr profiling_queue() const { return queue(CL_QUEUE_PROFILING_ENABLE); }
  QueuePtr out_of_order_queue() const { return queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE); }

  // Of uints, undefined; a part of one.
  BufferPtr buffer(size_t words) const;
  BufferPtr part(const BufferPtr& parent, size_t begin, size_t words) const;

  // A kernel of that translation. run: for one work-item, by its index in the whole NDRange.
  using ItemFunction = std::function<void(size_t item, const std::vector<std::span<cl_uint>>& arguments)>;
  KernelPtr kernel(const KernelTranslation& translation, const ItemFunction& run);
  // What the driver takes for each program, ns.
  uint64_t build_ns = 0;
  // run: for several work-items, on one device.
  KernelPtr kernel(const KernelTranslation& translation, const KernelFunction& run);

  EventPtr submit(const QueuePtr& to, CommandPtr command, const Waits& waits = {}, Order order = Order::ordinary);
  // work-items in groups of `local`, at most; arguments: buffers, one after the other.
  EventPtr launch(const QueuePtr& to, const KernelPtr& kernel, const std::vector<BufferPtr>& arguments, size_t items,
                  const Waits& waits = {}, size_t local = 16, size_t offset = 0);
  EventPtr user_event() const { return Event::make_shared(context, nullptr, CL_COMMAND_USER); }

  // What is written is kept, so that the test need not; what is read comes with its event.
  EventPtr write(const QueuePtr& to, const BufferPtr& buffer, size_t at, Words what, const Waits& waits = {});
  struct Reading {
    std::unique_ptr<Words> words;
    EventPtr event;
  };
  Reading read(const QueuePtr& to, const BufferPtr& buffer, size_t at, size_t words, const Waits& waits = {});
  // Reads, and lets everything end.
  Words contents(const BufferPtr& buffer);

  void run() { backend.run(graph); }

 private:
  QueuePtr queue(cl_command_queue_properties properties) const {
    return Queue::make_shared(context, nullptr, properties, std::vector<cl_queue_properties>());
  }
  cl_int perform(const engine::Node& node);
  Room room(const engine::Node& node);

  std::vector<std::unique_ptr<Words>> written_;
};

// Facts about a kernel that the translator would have found.
class Translated {
 public:
  explicit Translated(std::string name) {
    kernel_.name = std::move(name);
    kernel_.may_split = kernel_.may_slice = true;
    kernel_.has_program_variables = kernel_.may_print = false;
    kernel_.depends_on_local_size = false;
  }
  Translated& prints() {
    kernel_.may_print = true;
    return *this;
  }
  Translated& reads() { return argument(true, false); }
  Translated& writes() { return argument(false, true); }
  Translated& updates() { return argument(true, true); }
  Translated& accumulates(Accumulation how) {
    updates_atomically().kernel_.arguments.back().accumulates = how;
    return *this;
  }
  Translated& updates_atomically() {
    KernelArgument& facts = argument(true, true).kernel_.arguments.back();
    facts.loads = facts.stores = false;
    return *this;
  }
  Translated& footprint(const Footprints& accesses) {
    kernel_.footprint = accesses.text();
    return *this;
  }
  // An integer of 8 bytes, which may grow from launch to launch where these are gathered.
  Translated& number() {
    kernel_.gathers_by.push_back(static_cast<uint32_t>(kernel_.arguments.size()));
    kernel_.arguments.push_back({.name = {}, .type_name = "ulong", .kind = ArgumentKind::value, .size = 8});
    return *this;
  }
  Translated& needs_ndrange() {
    kernel_.needs_ndrange_argument = true;
    return *this;
  }
  Translated& stays_on_one_device(const std::string& why) {
    kernel_.may_split = false;
    kernel_.why_not_split = why;
    return *this;
  }
  Translated& loads(size_t argument) {
    kernel_.arguments[argument].loads = true;
    return *this;
  }
  Translated& splits_in_one_memory(const std::string& why) {
    kernel_.splits_in_one_memory = true;
    return stays_on_one_device(why);
  }
  Translated& orders_memory() {
    kernel_.orders_memory = true;
    return *this;
  }
  Translated& stays_whole(const std::string& why) {
    kernel_.may_split = kernel_.may_slice = false;
    kernel_.why_not_split = kernel_.why_not_slice = why;
    return *this;
  }
  operator const KernelTranslation&() const { return kernel_; }

 private:
  Translated& argument(bool read, bool written) {
    KernelArgument facts;
    facts.kind = ArgumentKind::global_buffer;
    facts.may_read = facts.loads = read;
    facts.may_write = facts.stores = written;
    facts.store_width = written ? sizeof(cl_uint) : 0;
    kernel_.arguments.push_back(facts);
    return *this;
  }
  KernelTranslation kernel_;
};

}  // namespace samcl::testing
