#include "libsamcl/device/one_context.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "libsamcl/device/real_device.h"
#include "libsamcl/device/row_commands.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/query.h"
#include "libsamcl/driver/vendor.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

// Of a staging buffer. Only whole ones move, so there are several sizes, each twice the one before.
constexpr uint64_t kLeastStaging = 1 << 10, kMostStaging = driver::ExchangeTimes::kPiece;
uint64_t staging_size(uint64_t bytes) { return std::max(kLeastStaging, std::bit_ceil(bytes)); }

using Devices = std::vector<cl_device_id>;

std::optional<driver::ExchangeTimes> measured(cl_device_id from, cl_device_id to) {
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::pair<cl_device_id, cl_device_id>, std::optional<driver::ExchangeTimes>>;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace({from, to});
  if (is_new) found->second = driver::measure_exchange(from, to);
  return found->second;
}

const driver::ExchangeTimes& slower(const driver::ExchangeTimes& a, const driver::ExchangeTimes& b) {
  return a.in_one_context.many_ns < b.in_one_context.many_ns ? b : a;
}

// From the first of these to each other one, the slowest; nothing if the driver refuses one.
std::optional<driver::ExchangeTimes> slowest(const Devices& devices) {
  std::optional<driver::ExchangeTimes> slowest;
  for (size_t other = 1; other < devices.size(); ++other) {
    const auto times = measured(devices[0], devices[other]);
    if (!times) return std::nullopt;
    slowest = slowest ? slower(*slowest, *times) : *times;
  }
  return slowest;
}

bool is_worth_it(const std::optional<driver::ExchangeTimes>& times) { return times && times->least_in_one_context(); }

// In the order of their first devices.
std::vector<Devices> by_server(const Devices& devices) {
  std::vector<Devices> servers;
  for (const cl_device_id device : devices) {
    const std::string address = driver::server_address(device);
    const auto same = std::ranges::find_if(
        servers, [&](const Devices& server) { return driver::server_address(server[0]) == address; });
    if (same == servers.end())
      servers.push_back({device});
    else
      same->push_back(device);
  }
  return servers;
}

// Of all devices; nothing if the driver refuses a pair of them.
std::optional<OneContext::Times> measured(const std::vector<Devices>& servers) {
  OneContext::Times times;
  Devices firsts;
  for (const Devices& server : servers) {
    firsts.push_back(server[0]);
    if (server.size() < 2) continue;
    const auto its = slowest(server);
    if (!its) return std::nullopt;
    times.within = times.within ? slower(*times.within, *its) : *its;
  }
  if (servers.size() < 2) return times;
  times.across = slowest(firsts);
  return times.across ? std::optional(times) : std::nullopt;
}

std::shared_ptr<OneContext> make(const Devices& devices, const cl_context_properties* properties,
                                 std::optional<OneContext::Times> times) {
  const auto& cl = driver::real();
  cl_int error;
  driver::Owned<cl_context> context(
      cl.clCreateContext(properties, static_cast<cl_uint>(devices.size()), devices.data(), nullptr, nullptr, &error),
      cl.clReleaseContext);
  return context ? std::make_shared<OneContext>(std::move(context), times) : nullptr;
}

std::shared_ptr<OneContext> of_all(const Devices& devices, const std::vector<Devices>& servers, bool is_forced,
                                   bool are_remote, const cl_context_properties* properties) {
  if (!are_remote) return make(devices, properties, std::nullopt);
  const auto times = measured(servers);
  if (!times || (!is_forced && !is_worth_it(servers.size() > 1 ? times->across : times->within))) return nullptr;
  return make(devices, properties, is_forced ? std::nullopt : times);
}

std::shared_ptr<OneContext> of_server(const Devices& devices, bool are_remote,
                                      const cl_context_properties* properties) {
  if (devices.size() < 2) return nullptr;
  if (!are_remote) return make(devices, properties, std::nullopt);
  const auto times = slowest(devices);
  return is_worth_it(times) ? make(devices, properties, OneContext::Times{.within = times, .across = {}}) : nullptr;
}

}  // namespace

std::vector<std::shared_ptr<OneContext>> OneContext::of(const Devices& devices, const LeaseTarget& lease,
                                                        const cl_context_properties* properties) {
  using Transport = Config::Transport;
  const Transport wanted = Config::get().transport;
  std::vector<std::shared_ptr<OneContext>> contexts(devices.size());
  const bool is_forced = wanted == Transport::one_context || wanted == Transport::one_server;
  if (devices.size() < 2 || lease.client || Config::get().survive || (!is_forced && wanted != Transport::automatic))
    return contexts;
  const auto platform = [](cl_device_id device) { return driver::value<cl_platform_id>(device, CL_DEVICE_PLATFORM); };
  const bool are_remote = std::ranges::all_of(devices, driver::is_remote);
  const bool one_platform =
      std::ranges::all_of(devices, [&](cl_device_id device) { return platform(device) == platform(devices[0]); });
  if (!one_platform || (!is_forced && !are_remote)) return contexts;
  const std::vector<Devices> servers = by_server(devices);
  if (wanted != Transport::one_server) {
    if (const auto one = of_all(devices, servers, is_forced, are_remote, properties)) return {devices.size(), one};
    if (is_forced) return contexts;
  }
  for (const Devices& server : servers) {
    const auto one = of_server(server, are_remote, properties);
    for (const cl_device_id device : server)
      contexts[static_cast<size_t>(std::ranges::find(devices, device) - devices.begin())] = one;
  }
  return contexts;
}

OneContext::OneContext(driver::Owned<cl_context> context, std::optional<Times> times)
    : context_(std::move(context)), times_(times) {}

OneContext::~OneContext() {
  for (const auto& [bytes, buffers] : idle_) {
    for (const cl_mem staging : buffers) driver::real().clReleaseMemObject(staging);
  }
}

cl_mem OneContext::take_staging(uint64_t bytes, cl_int* error) {
  {
    const std::lock_guard lock(mutex_);
    std::vector<cl_mem>& idle = idle_[bytes];
    if (!idle.empty()) {
      const cl_mem staging = idle.back();
      idle.pop_back();
      return staging;
    }
  }
  return driver::real().clCreateBuffer(context(), CL_MEM_READ_WRITE, bytes, nullptr, error);
}

void OneContext::give_back(uint64_t bytes, cl_mem staging) {
  const std::lock_guard lock(mutex_);
  idle_[bytes].push_back(staging);
}

// Pieces on their way from one device to another: two staging buffers in turn, so that one is filled while the other
// is emptied.
class OneContext::Passing {
 public:
  Passing(OneContext& staging, cl_command_queue from, cl_command_queue to) : pool_(staging), from_(from), to_(to) {}
  ~Passing() {
    for (Slot& slot : slots_) static_cast<void>(empty(slot));
  }
  Passing(const Passing&) = delete;
  Passing& operator=(const Passing&) = delete;

  cl_int pass(cl_mem source, cl_mem target, const Rectangle& rows) {
    const auto& cl = driver::real();
    Slot& slot = slots_[next_++ % slots_.size()];
    cl_int error = make_ready(slot, staging_size(rows.bytes()));
    if (error != CL_SUCCESS) return error;
    cl_event filled = nullptr;
    error = enqueue_rows(from_, source, slot.staging, rows, rows.dense(), &filled);
    if (error != CL_SUCCESS) return error;
    const driver::Owned<cl_event> owned(filled, cl.clReleaseEvent);
    cl.clFlush(from_);
    // The driver moves it behind that event, and what the in-order queue has next comes after that.
    error = cl.clEnqueueMigrateMemObjects(to_, 1, &slot.staging, 0, 1, &filled, nullptr);
    if (error == CL_SUCCESS) error = enqueue_rows(to_, slot.staging, target, rows.dense(), rows, &slot.emptied);
    cl.clFlush(to_);
    return error;
  }

  // When all has arrived.
  cl_int finish() {
    cl_int error = CL_SUCCESS;
    for (Slot& slot : slots_) {
      const cl_int its = empty(slot);
      if (error == CL_SUCCESS) error = its;
    }
    return error;
  }

 private:
  struct Slot {
    uint64_t bytes = 0;
    cl_mem staging = nullptr;
    cl_event emptied = nullptr;  // by the other device: before that it must not be filled again
  };

  cl_int make_ready(Slot& slot, uint64_t bytes) {
    const auto& cl = driver::real();
    cl_int error = CL_SUCCESS;
    if (slot.staging && slot.bytes == bytes) {
      // What it holds is not moved back.
      error = cl.clEnqueueMigrateMemObjects(from_, 1, &slot.staging, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 1,
                                            &slot.emptied, nullptr);
      cl.clReleaseEvent(std::exchange(slot.emptied, nullptr));
      return error;
    }
    error = empty(slot);
    if (error != CL_SUCCESS) return error;
    slot.staging = pool_.take_staging(bytes, &error);
    slot.bytes = bytes;
    return slot.staging ? CL_SUCCESS : error;
  }

  // Waits, and has no staging buffer any more. One whose commands failed is given up.
  cl_int empty(Slot& slot) {
    if (!slot.staging) return CL_SUCCESS;
    const cl_int error = slot.emptied ? CompletionQueue::wait_for(slot.emptied) : CL_INVALID_EVENT;
    if (error == CL_SUCCESS) {
      pool_.give_back(slot.bytes, slot.staging);
    } else {
      driver::real().clReleaseMemObject(slot.staging);
    }
    slot = {};
    return error;
  }

  OneContext& pool_;
  const cl_command_queue from_, to_;
  std::array<Slot, 2> slots_;
  size_t next_ = 0;
};

cl_int OneContext::pass(RealDevice& from, RealDevice& to, cl_mem source, cl_mem target,
                        std::span<const Rectangle> rows) {
  RealDevice::Queue& down = from.queue(engine::LaneKind::down);
  RealDevice::Queue& up = to.queue(engine::LaneKind::up);
  const std::scoped_lock one_at_a_time(down.mutex, up.mutex);
  Passing passing(*this, down.real, up.real);
  for (const Rectangle& each : rows) {
    for (const auto& pieces : cut(each, each, kMostStaging)) {
      const cl_int error = passing.pass(source, target, pieces.first);
      if (error != CL_SUCCESS) return error;
    }
  }
  return passing.finish();
}

}  // namespace samcl
