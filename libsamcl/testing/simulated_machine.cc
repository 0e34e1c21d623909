#include "libsamcl/testing/simulated_machine.h"

#include <cstring>
#include <future>
#include <optional>
#include <utility>

#include "libsamcl/backend/operations.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/objects/eviction.h"

namespace samcl::testing {
namespace {

// Whatever may be split is, and nothing is kept for other processes, unless the test's environment says else.
const bool kSettings = setenv("SAMCL_SPLIT", "always", 0) == 0 && setenv("SAMCL_CACHE_DIR", "/dev/null/none", 0) == 0;

// Of one dimension, which is all that these kernels have.
KernelFunction of_items(const SimulatedMachine::ItemFunction& run) {
  return [run](const KernelCall& call) {
    std::vector<std::span<cl_uint>> words;
    for (const std::span<std::byte> bytes : call.arguments)
      words.emplace_back(reinterpret_cast<cl_uint*>(bytes.data()), bytes.size() / sizeof(cl_uint));
    for (size_t item = call.offset[0]; item < call.offset[0] + call.size[0]; ++item) run(item, words);
  };
}

std::optional<std::string> gathered_source(const KernelTranslation& translation) {
  if (translation.gathers_by.empty()) return std::nullopt;
  return translation.name + " for several launches";
}

// Launches one after the other, of which the third dimension says how many, and the last arguments how others grow.
KernelFunction of_several(const KernelTranslation& translation, const KernelFunction& run) {
  return [translation, run](const KernelCall& all) {
    KernelCall each = all;
    each.size[2] = 1;
    const auto& may_grow = translation.gathers_by;
    std::vector<uint64_t> values(may_grow.size());
    for (uint64_t number = 0; number < all.size[2]; ++number) {
      for (size_t i = 0; i < may_grow.size(); ++i) {
        const std::span<std::byte> first = all.arguments[may_grow[i]];
        uint64_t step = 0;
        std::memcpy(&values[i], first.data(), first.size());
        std::memcpy(&step, all.arguments[translation.arguments.size() + i].data(), sizeof step);
        values[i] += number * step;
        each.arguments[may_grow[i]] = std::as_writable_bytes(std::span(&values[i], 1)).first(first.size());
      }
      run(each);
    }
  };
}

}  // namespace

SimulatedMachine::SimulatedMachine(unsigned devices, lease::Client* manager, std::vector<unsigned> kinds,
                                   std::vector<std::string> servers)
    : driver(devices, kind_for_transport(), std::move(servers)),
      context(driver.make_context(manager, std::move(kinds))) {
  if (!kSettings) std::abort();
  backend.perform = [this](const engine::Node& node) { return perform(node); };
}

SimulatedMachine::~SimulatedMachine() {
  run();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  Context::drain_all(until, until);
}

cl_int SimulatedMachine::perform(const engine::Node& node) {
  if (const auto* run = std::get_if<engine::RunKernel>(&node.operation)) {
    return run_to_end(static_cast<SubKernel&>(*run->work), *context->devices[node.lane.device], room(node));
  }
  return room(node).ask([&] { return execute(*context, node.lane, node.operation); });
}

Room SimulatedMachine::room(const engine::Node& node) {
  return Room([this, device = node.lane.device] {
    bool made = false;
    graph.locked([&] { made = evict_idle(*context, device); });
    return made;
  });
}

BufferPtr SimulatedMachine::buffer(size_t words) const {
  const uint64_t bytes = words * sizeof(cl_uint);
  return Buffer::make_shared(context, std::make_shared<Storage>(context, bytes, nullptr), Range{0, bytes},
                             cl_mem_flags{CL_MEM_READ_WRITE}, nullptr, nullptr, std::vector<cl_mem_properties>());
}

BufferPtr SimulatedMachine::part(const BufferPtr& parent, size_t begin, size_t words) const {
  return Buffer::make_shared(context, parent->storage, parent->part(begin * sizeof(cl_uint), words * sizeof(cl_uint)),
                             cl_mem_flags{CL_MEM_READ_WRITE}, nullptr, parent, std::vector<cl_mem_properties>());
}

KernelPtr SimulatedMachine::kernel(const KernelTranslation& translation, const ItemFunction& run) {
  return kernel(translation, of_items(run));
}

KernelPtr SimulatedMachine::kernel(const KernelTranslation& translation, const KernelFunction& run) {
  const auto& cl = driver::real();
  const char* source = translation.name.c_str();
  cl_int error = CL_SUCCESS;
  const auto arguments = static_cast<unsigned>(translation.arguments.size());
  driver.define_kernel(translation.name, arguments, run);
  if (const auto gathered = gathered_source(translation)) {
    const auto steps = static_cast<unsigned>(translation.gathers_by.size());
    driver.define_kernel(translation.name, arguments + steps, of_several(translation, run), *gathered);
  }
  const cl_program real = cl.clCreateProgramWithSource(context->devices[0]->context(), 1, &source, nullptr, &error);
  auto program = Program::make_shared(context, real, source, "");
  auto specification = std::make_shared<BuildSpecification>(BuildSpecification{.source = source});
  Translations of_kinds;
  for (const unsigned kind : context->device->kinds)
    of_kinds[kind] = {.sources = {{.source = {}, .options = {}, .gathered = gathered_source(translation)}},
                      .kernels = {translation},
                      .includes = {}};
  std::promise<Result<Translations>> translated;
  translated.set_value(std::move(of_kinds));
  std::promise<std::optional<RememberedTimes>> times;
  times.set_value(std::nullopt);
  program->finish(std::move(specification), {translated.get_future(), times.get_future()}, build_ns);
  return Kernel::make_shared(std::move(program), cl.clCreateKernel(real, source, &error));
}

EventPtr SimulatedMachine::submit(const QueuePtr& to, CommandPtr command, const Waits& waits, Order order) {
  auto event = Event::make_shared(context, to, CL_COMMAND_NDRANGE_KERNEL);
  event->observed = true;
  graph.submit(event, std::move(command), waits, order);
  return event;
}

EventPtr SimulatedMachine::launch(const QueuePtr& to, const KernelPtr& kernel, const std::vector<BufferPtr>& arguments,
                                  size_t items, const Waits& waits, size_t local, size_t offset) {
  for (cl_uint i = 0; i < arguments.size(); ++i) {
    const cl_mem handle = arguments[i]->api();
    kernel->set_argument(i, sizeof handle, &handle);
  }
  LaunchRequest request{kernel, kernel->arguments(), {}, true, {}};
  request.ndrange.offset[0] = offset;
  request.ndrange.global[0] = items;
  request.ndrange.local[0] = local;
  return submit(to, std::make_shared<KernelLaunch>(std::move(request), *context), waits);
}

EventPtr SimulatedMachine::write(const QueuePtr& to, const BufferPtr& buffer, size_t at, Words what,
                                 const Waits& waits) {
  written_.push_back(std::make_unique<Words>(std::move(what)));
  const Words& kept = *written_.back();
  return submit(to, write_buffer(buffer, at * sizeof(cl_uint), kept.size() * sizeof(cl_uint), kept.data()), waits);
}

SimulatedMachine::Reading SimulatedMachine::read(const QueuePtr& to, const BufferPtr& buffer, size_t at, size_t words,
                                                 const Waits& waits) {
  auto kept = std::make_unique<Words>(words, 0xdeadbeef);
  EventPtr event = submit(to, read_buffer(buffer, at * sizeof(cl_uint), words * sizeof(cl_uint), kept->data()), waits);
  return {std::move(kept), std::move(event)};
}

Words SimulatedMachine::contents(const BufferPtr& buffer) {
  run();
  const Reading reading = read(in_order_queue(), buffer, 0, buffer->size() / sizeof(cl_uint));
  run();
  return *reading.words;
}

}  // namespace samcl::testing
