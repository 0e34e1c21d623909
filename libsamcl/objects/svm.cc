#include "libsamcl/objects/svm.h"

#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "libsamcl/device/svm_probe.h"
#include "libsamcl/objects/context.h"

namespace samcl::svm {
namespace {

struct Allocations {
  std::shared_mutex mutex;
  std::map<const std::byte*, std::shared_ptr<Buffer>> from;  // by first byte
  std::atomic<size_t> count{0};                              // most programs have none, and ask often
};

Allocations& allocations() {
  static Allocations* const allocations = new Allocations;
  return *allocations;
}

const std::byte* bytes_at(const void* pointer) { return static_cast<const std::byte*>(pointer); }

}  // namespace

void note(const std::shared_ptr<Context>& context, void* memory, size_t bytes, cl_svm_mem_flags flags) {
  const bool stays = (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) || !buffers_share_svm(*context->devices[0]);
  auto storage = std::make_shared<Storage>(context, bytes, SvmMemory{memory, stays});
  auto allocation = Buffer::make_shared(context, std::move(storage), Range{0, bytes}, flags, memory, nullptr,
                                        std::vector<cl_mem_properties>{});
  Allocations& known = allocations();
  std::lock_guard lock(known.mutex);
  known.from[bytes_at(memory)] = std::move(allocation);
  known.count = known.from.size();
}

std::shared_ptr<Buffer> forget(const Context& context, const void* begin) {
  Allocations& known = allocations();
  std::lock_guard lock(known.mutex);
  const auto found = known.from.find(bytes_at(begin));
  if (found == known.from.end() || found->second->context.get() != &context) return nullptr;
  std::shared_ptr<Buffer> allocation = std::move(found->second);
  known.from.erase(found);
  known.count = known.from.size();
  return allocation;
}

std::shared_ptr<Buffer> at(const Context& context, const void* address) {
  Allocations& known = allocations();
  if (known.count == 0 || !address) return nullptr;
  std::shared_lock lock(known.mutex);
  auto after = known.from.upper_bound(bytes_at(address));
  if (after == known.from.begin()) return nullptr;
  const auto& [begin, allocation] = *std::prev(after);
  const bool inside = static_cast<uint64_t>(bytes_at(address) - begin) < allocation->size();
  return inside && allocation->context.get() == &context ? allocation : nullptr;
}

std::vector<std::shared_ptr<Buffer>> all(const Context& context) {
  Allocations& known = allocations();
  std::vector<std::shared_ptr<Buffer>> found;
  if (known.count == 0) return found;
  std::shared_lock lock(known.mutex);
  for (const auto& [begin, allocation] : known.from) {
    if (allocation->context.get() == &context) found.push_back(allocation);
  }
  return found;
}

}  // namespace samcl::svm
