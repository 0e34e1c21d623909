#include "kernel-translator/check/access_recorder.h"

#include <oclgrind/Context.h>
#include <oclgrind/Memory.h>
#include <oclgrind/Plugin.h>

#include <map>
#include <mutex>
#include <vector>

namespace {

struct Access {
  size_t buffer, offset, bytes;
  bool stores;
};

struct Seen {
  std::mutex mutex;
  std::map<size_t, size_t> buffers;  // the simulator's number: ours
  std::vector<Access> accesses;
};

Seen& seen() {
  static Seen* const seen = new Seen;
  return *seen;
}

class Recorder : public oclgrind::Plugin {
 public:
  using Plugin::Plugin;

  void memoryAllocated(const oclgrind::Memory* memory, size_t address, size_t, cl_mem_flags, const uint8_t*) override {
    if (memory->getAddressSpace() != oclgrind::AddrSpaceGlobal) return;
    std::lock_guard lock(seen().mutex);
    seen().buffers.emplace(memory->extractBuffer(address), seen().buffers.size());
  }

  void memoryLoad(const oclgrind::Memory* memory, const oclgrind::WorkItem*, size_t address, size_t size) override {
    note(memory, address, size, false);
  }
  void memoryLoad(const oclgrind::Memory* memory, const oclgrind::WorkGroup*, size_t address, size_t size) override {
    note(memory, address, size, false);
  }
  void memoryAtomicLoad(const oclgrind::Memory* memory, const oclgrind::WorkItem*, oclgrind::AtomicOp, size_t address,
                        size_t size) override {
    note(memory, address, size, false);
  }
  void memoryStore(const oclgrind::Memory* memory, const oclgrind::WorkItem*, size_t address, size_t size,
                   const uint8_t*) override {
    note(memory, address, size, true);
  }
  void memoryStore(const oclgrind::Memory* memory, const oclgrind::WorkGroup*, size_t address, size_t size,
                   const uint8_t*) override {
    note(memory, address, size, true);
  }
  void memoryAtomicStore(const oclgrind::Memory* memory, const oclgrind::WorkItem*, oclgrind::AtomicOp, size_t address,
                         size_t size) override {
    note(memory, address, size, true);
  }

 private:
  static void note(const oclgrind::Memory* memory, size_t address, size_t size, bool stores) {
    if (memory->getAddressSpace() != oclgrind::AddrSpaceGlobal) return;
    std::lock_guard lock(seen().mutex);
    const auto buffer = seen().buffers.find(memory->extractBuffer(address));
    if (buffer == seen().buffers.end()) return;
    seen().accesses.push_back({buffer->second, memory->extractOffset(address), size, stores});
  }
};

}  // namespace

void samcl_accesses_begin() {
  std::lock_guard lock(seen().mutex);
  seen().buffers.clear();
  seen().accesses.clear();
}

void samcl_accesses_visit(SamclAccessVisit visit, void* user) {
  std::lock_guard lock(seen().mutex);
  for (const Access& access : seen().accesses) visit(user, access.buffer, access.stores, access.offset, access.bytes);
}

// What the simulator calls.
extern "C" {
void initializePlugins(oclgrind::Context* context) { context->registerPlugin(new Recorder(context)); }
void releasePlugins(oclgrind::Context*) {}
}
