#include "libsamcl/objects/context.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <mutex>
#include <ranges>

#include "libsamcl/driver/parts.h"
#include "libsamcl/driver/query.h"
#include "libsamcl/driver/vendor.h"
#include "libsamcl/memory/storage.h"
#include "libsamcl/objects/event.h"
#include "libsamcl/objects/eviction.h"
#include "libsamcl/objects/process_end.h"
#include "libsamcl/settings/config.h"
#include "libsamcl/transfer/copy_pool.h"

namespace samcl {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<Context*> living;
};

Registry& registry() {
  static Registry* const registry = new Registry;
  return *registry;
}

std::atomic<uint32_t> next_ordinal{0};

std::vector<cl_context_properties> copy_properties(const cl_context_properties* properties) {
  std::vector<cl_context_properties> copy;
  if (!properties) return copy;
  for (; *properties; properties += 2) copy.insert(copy.end(), {properties[0], properties[1]});
  copy.push_back(0);
  return copy;
}

// A program names the platform of the device that it was shown; another one may be of another.
std::vector<cl_context_properties> for_platform_of(cl_device_id device, std::vector<cl_context_properties> properties) {
  for (size_t i = 0; i + 1 < properties.size(); i += 2) {
    if (properties[i] != CL_CONTEXT_PLATFORM) continue;
    properties[i + 1] =
        reinterpret_cast<cl_context_properties>(driver::value<cl_platform_id>(device, CL_DEVICE_PLATFORM));
  }
  return properties;
}

size_t most_in_use(const Device& device) {
  const size_t all = device.real.size(), wanted = Config::get().gpus;
  return wanted > 0 ? std::min(all, wanted) : all;
}

// Whether the devices beside the first one are opened when something needs them: what that takes many a program never
// gets back. Not where a device may be needed at any time, nor where the driver answers for all of them at once.
bool open_later(const Device& group) {
  const Config& config = Config::get();
  const auto opens_slowly = [](cl_device_id device) { return driver::is_gpu(device) && !driver::is_remote(device); };
  return std::ranges::all_of(group.real, opens_slowly) && !group.is_mixed() && !group.leases[0].client &&
         !config.survive;
}

}  // namespace

Device::Device(cl_platform_id device_platform, std::vector<cl_device_id> real_devices,
               std::vector<LeaseTarget> device_leases, std::vector<unsigned> device_kinds)
    : platform(device_platform),
      real(std::move(real_devices)),
      leases(std::move(device_leases)),
      kinds(device_kinds.empty() ? std::vector<unsigned>(real.size(), 0) : std::move(device_kinds)) {}

bool Device::joins_exactly() const { return is_mixed() && Config::get().mix == Config::Mix::exact; }

bool Device::includes(cl_device_id handle) {
  if (handle == api()) return true;
  while (handle && handle != real[0]) {
    if (is_virtual(handle)) return false;
    handle = driver::whole_of(handle);
  }
  return handle != nullptr;
}

Context::Context(std::shared_ptr<Device> context_device, const cl_context_properties* context_properties)
    : ordinal(next_ordinal++),
      device(std::move(context_device)),
      properties(copy_properties(context_properties)),
      opens_later(open_later(*device)),
      width(most_in_use(*device)),
      strands(Config::get().strands == Config::Strands::always) {}

std::shared_ptr<Context> Context::create(std::shared_ptr<Device> device, const cl_context_properties* properties,
                                         cl_int* error) {
  auto context = make_shared(std::move(device), properties);
  const Device& group = *context->device;
  const auto* const as_given = context->properties.empty() ? nullptr : context->properties.data();
  const auto shared = OneContext::of(group.real, group.leases[0], as_given);
  for (unsigned i = 0; i < group.real.size(); ++i) {
    auto its_properties = group.is_mixed() ? for_platform_of(group.real[i], context->properties) : context->properties;
    auto real = std::make_unique<RealDevice>(i, group.real[i], std::move(its_properties), group.leases[i], shared[i]);
    const bool is_open = (i > 0 && context->opens_later && !shared[i]) || (*error = real->open()) == CL_SUCCESS;
    if (!is_open) return nullptr;
    context->add(std::move(real));
  }
  context->complete();
  arrange_process_end();
  std::lock_guard lock(registry().mutex);
  registry().living.push_back(context.get());
  return context;
}

Context::~Context() {
  {
    std::lock_guard lock(registry().mutex);
    std::erase(registry().living, this);
  }
  for (const auto& last : std::views::reverse(destructors_)) last.function(api(), last.user_data);
}

void Context::operation_failed(unsigned index, cl_int status) {
  if (!survives() || contains(lost(), index)) return;
  const bool is_gone = status == CL_DEVICE_NOT_AVAILABLE ||
                       driver::value<cl_bool>(devices[index]->id, CL_DEVICE_AVAILABLE, CL_TRUE) == CL_FALSE;
  if (!is_gone || !lose(index)) return;
  const std::string name = driver::text(devices[index]->id, CL_DEVICE_NAME);
  const auto stored = storages.all();
  const size_t left = devices.size() - static_cast<size_t>(std::popcount(lost()));
  const bool is_known = lineage.device_lost();
  if (left == 0 || !is_known ||
      std::ranges::any_of(stored, [&](const auto& storage) { return storage->stays_on(index); })) {
    has_lost_device = true;
    return warn("device " + std::to_string(index) + ", " + name + ", is lost: the job cannot go on, " +
                (left == 0   ? "there is no other"
                 : !is_known ? "bytes were there alone that host memory had no room for"
                             : "images or shared virtual memory were there alone"));
  }
  for (const auto& storage : stored) storage->lose_replica(index);
  warn("device " + std::to_string(index) + ", " + name + ", is lost; the job goes on with the other " +
       std::to_string(left) + (left == 1 ? " device" : " devices"));
}

bool Context::make_room(unsigned device, bool is_locked) {
  if (is_locked) return evict_idle(*this, device);
  bool made = false;
  graph.locked([&] { made = evict_idle(*this, device); });
  return made;
}

bool Context::set_aside(unsigned device, const std::function<bool(const Storage&)>& is_needed,
                        const std::function<bool(const SetAside&)>& guarded) {
  bool made = false;
  graph.locked([&] { made = guarded([&] { return samcl::set_aside(*this, device, is_needed); }); });
  return made;
}

void Context::tell_untold() {
  has_let_go_ = true;
  bool has_untold = false;
  each_strand([&](RealDevice& device) { has_untold |= device.completions().has_untold(); });
  if (has_untold) graph.look();
}

void Context::make_strand(unsigned device, unsigned number) {
  const unsigned bit = 1u << number;
  const auto make = [this, device, number] { devices[device]->make_strand(number); };
  try {
    strands_made_.resize(devices.size());
    if (strands_made_[device] & bit) return;
    strands_made_[device] |= bit;
    strands.are_always() ? make() : devices[device]->maker().post(make);
  } catch (...) {  // no memory: what would go there stays in the first one
  }
}

void Context::make_strands_for_beside(unsigned device) {
  for (unsigned strand = Strands::kFirstBeside; strand < Strands::kMost; ++strand) make_strand(device, strand);
}

void Context::expect_beside(unsigned device) {
  graph.locked([&] { make_strands_for_beside(device); });
}

void Context::memory_released(const Storage& memory) {
  if (!survives()) return;
  if (const auto alive = weak_from_this().lock()) graph.memory_released(alive, memory);
}

void Context::program_waited() {
  has_waited_.store(true, std::memory_order_relaxed);
  if (devices.size() < 2 || shares_host_memory() || splits_always()) return;
  graph.locked([this] {
    const bool was_split = ways.taken() == Ways::Way::split;
    ways.waited(now_ns());
    if (was_split && ways.taken() == Ways::Way::whole && width.failed()) ways.parts_change();
  });
}

std::shared_ptr<Context> Context::of_real(cl_context real) {
  const auto is_its = [&](const auto& device) { return device->is_open() && device->context() == real; };
  std::lock_guard lock(registry().mutex);
  for (Context* const context : registry().living)
    if (std::ranges::any_of(context->devices, is_its)) return context->weak_from_this().lock();
  return nullptr;
}

cl_context Context::to_program(cl_context real) {
  const auto ours = of_real(real);
  return ours ? ours->api() : real;
}

void Context::add_destructor_callback(DestructorCallback callback, void* user_data) {
  std::lock_guard lock(destructors_mutex_);
  destructors_.push_back({callback, user_data});
}

std::vector<std::shared_ptr<Context>> Context::all() {
  std::vector<std::shared_ptr<Context>> contexts;
  std::lock_guard lock(registry().mutex);
  for (Context* const context : registry().living) {
    if (auto alive = context->weak_from_this().lock()) contexts.push_back(std::move(alive));
  }
  return contexts;
}

void Context::end_threads_when_idle() {
  Worker::end_threads_when_idle();
  end_copying_threads();
  for (const auto& context : all()) {
    for (const auto& real : context->devices) real->wake_threads();
    context->backend.host_worker().post([] {});
    context->callbacks.post([] {});
    context->semaphores.post([] {});
    context->builder.post([] {});
  }
}

bool Context::drain_all(std::chrono::steady_clock::time_point until,
                        std::chrono::steady_clock::time_point compilers_until) {
  const std::vector<std::shared_ptr<Context>> contexts = all();
  auto left = [](std::chrono::steady_clock::time_point deadline) {
    const auto time =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    return static_cast<int>(std::max<int64_t>(0, time.count()));
  };
  bool idle = true;
  for (const auto& context : contexts) {
    for (const auto& real : context->devices) idle &= real->drain(left(until));
    idle &= context->backend.host_worker().drain(left(until));
    idle &= context->builder.drain(left(compilers_until));
  }
  return idle;
}

}  // namespace samcl
