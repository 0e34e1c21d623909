#include "libsamcl/objects/eviction.h"

#include <pthread.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/block_signals.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/event.h"
#include "libsamcl/objects/planner.h"

namespace samcl {
namespace {

constexpr int kLookMs = 1000;  // between looks whether the program has grown beyond a limit

class Eviction : public Command {
 public:
  Eviction(unsigned device, uint64_t bytes) : device_(device), bytes_(bytes) {}
  cl_int plan(Planner& planner, const std::shared_ptr<Event>& event) override {
    event->set_running();
    planner.evict(*event->context, device_, bytes_);
    return CL_SUCCESS;
  }

 private:
  const unsigned device_;
  const uint64_t bytes_;
};

void keep_limits(const std::shared_ptr<Context>& context, const lease::Client& client) {
  for (const auto& device : context->devices) {
    const uint64_t limit = client.memory_limit(device->lease.index), has = client.memory(device->lease.index);
    if (limit == 0 || has <= limit) continue;
    const auto event = Event::make_shared(context, nullptr, CL_COMMAND_MIGRATE_MEM_OBJECTS);
    context->graph.enter(event, eviction(device->index, has - limit));
    event->wait();  // so that the next context's share is what is still too much
  }
}

struct Watch {
  std::mutex mutex;
  bool runs = false;
};
Watch& watch() {
  static Watch* const watch = new Watch;
  return *watch;
}

void run(lease::Client& client) {
  pthread_setname_np(pthread_self(), "samcl-memory");
  while (true) {
    try {
      std::vector<std::shared_ptr<Context>> contexts;  // we may be the last to hold one: gone without the lock
      {
        std::lock_guard lock(watch().mutex);
        contexts = Context::all();
        watch().runs = !contexts.empty();
      }
      if (contexts.empty()) return;
      for (const auto& context : contexts) keep_limits(context, client);
    } catch (...) {  // no memory: the next time
    }
    client.wait_for_memory_limit(kLookMs);
  }
}

}  // namespace

std::shared_ptr<Command> eviction(unsigned device, uint64_t bytes) { return std::make_shared<Eviction>(device, bytes); }

bool evict_idle(const DeviceSet& set, unsigned device) {
  std::vector<std::shared_ptr<Storage>> memory = set.storages.all();
  std::erase_if(memory, [&](const auto& each) { return !each->is_idle_replica(device) || !each->can_evict(); });
  std::ranges::sort(memory, {}, [](const auto& each) { return std::pair(each->last_use(), each->number()); });
  return std::ranges::any_of(memory, [&](const auto& each) { return each->give_back_idle(device); });
}

bool set_aside(const DeviceSet& set, unsigned device, const std::function<bool(const Storage&)>& is_needed) {
  std::vector<std::shared_ptr<Storage>> memory = set.storages.all();
  std::erase_if(memory, [&](const auto& each) { return !each->has_replica(device) || is_needed(*each); });
  std::ranges::sort(memory, std::greater(),
                    [](const auto& each) { return std::pair(each->last_use(), each->number()); });
  return std::ranges::any_of(memory, [&](const auto& each) { return each->set_aside(device); });
}

void keep_memory_limits(lease::Client& client) {
  std::lock_guard lock(watch().mutex);
  if (watch().runs || client.is_task()) return;
  const BlockSignals here;  // of the program: they are its own threads' business
  try {
    watch().runs = true;
    std::thread([&client] { run(client); }).detach();
  } catch (...) {
    watch().runs = false;  // new replicas still make room for themselves
  }
}

}  // namespace samcl
