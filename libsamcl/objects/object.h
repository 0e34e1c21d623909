// What the program holds in its hands: virtual OpenCL objects. Each begins with the words that an ICD loader
// looks at, then says of itself what it is and whether it is alive.
//
// Lifetime: an object lives as long as the program's reference count is above zero or anything inside samcl
// (a command in flight, a child object) holds a std::shared_ptr to it. The memory of dead objects is kept for
// later objects of the same type and never given back, so that a stale handle can be recognised.
//
// Threads: every function here may be called from any thread.
#pragma once

#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/pool.h"
#include "libsamcl/driver/real_objects.h"

namespace samcl {

// The dispatch table that every handle of ours carries in its first word (generated, libsamcl/api).
extern const cl_icd_dispatch samcl_dispatch;

enum class ObjectKind : uint32_t { device = 1, context, queue, buffer, program, kernel, event, command_buffer };

struct Handle {
  const cl_icd_dispatch* dispatch;
  void* reserved = nullptr;  // loaders of ICD 2.0 keep their own data here
  const ObjectKind kind;
  std::atomic<bool> alive{true};

  explicit Handle(ObjectKind k) : dispatch(&samcl_dispatch), kind(k) {}
  ~Handle() { alive.store(false, std::memory_order_relaxed); }
};

// What virtual objects of an OpenCL type are; 0: there are none.
template <typename Api>
inline constexpr ObjectKind kKindOf{};
template <>
inline constexpr ObjectKind kKindOf<cl_device_id> = ObjectKind::device;
template <>
inline constexpr ObjectKind kKindOf<cl_context> = ObjectKind::context;
template <>
inline constexpr ObjectKind kKindOf<cl_command_queue> = ObjectKind::queue;
template <>
inline constexpr ObjectKind kKindOf<cl_mem> = ObjectKind::buffer;
template <>
inline constexpr ObjectKind kKindOf<cl_program> = ObjectKind::program;
template <>
inline constexpr ObjectKind kKindOf<cl_kernel> = ObjectKind::kernel;
template <>
inline constexpr ObjectKind kKindOf<cl_event> = ObjectKind::event;

template <typename Derived>
struct HandleTraits;  // gives the cl_* type; specialised beside each class

// Base of all virtual objects. No class derived from it may have virtual functions: the first word is taken.
template <typename Derived>
class Object : public Handle, public std::enable_shared_from_this<Derived> {
 public:
  using Api = typename HandleTraits<Derived>::Api;

  Object() : Handle(kKindOf<Api>) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  // How all of them are made.
  template <typename... Arguments>
  static std::shared_ptr<Derived> make_shared(Arguments&&... arguments) {
    return std::allocate_shared<Derived>(PoolAllocator<Derived, kQuarantine>{}, std::forward<Arguments>(arguments)...);
  }

  // Gives the object to the program, with a reference count of one.
  static Api hand_out(std::shared_ptr<Derived> object) {
    Derived* raw = object.get();
    raw->references_.store(1, std::memory_order_relaxed);
    raw->self_ = std::move(object);
    return raw->api();
  }

  Api api() { return reinterpret_cast<Api>(static_cast<Handle*>(this)); }

  cl_uint references() const { return references_.load(std::memory_order_relaxed); }

  void retain() {
    if (references_.fetch_add(1, std::memory_order_relaxed) == 0) self_ = this->shared_from_this();
  }

  // One reference of the program less; whether it was the last. Then the object lives on as long as samcl needs it.
  bool release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    std::shared_ptr<Derived> last = std::move(self_);
    return true;
  }

 private:
  static constexpr size_t kQuarantine = 64;  // dead objects that are not reused yet

  std::atomic<cl_uint> references_{0};
  std::shared_ptr<Derived> self_;  // keeps us alive while references_ > 0
};

// Whether a handle is one of ours, dead or alive; otherwise it is the driver's. Any non-null handle of a
// conforming OpenCL implementation has a readable first word.
inline bool is_virtual(const void* handle) {
  return handle && static_cast<const Handle*>(handle)->dispatch == &samcl_dispatch;
}

// Whether what a program passes for an object of that type is null, one of ours of the type, dead or alive, or a
// driver's; else nobody may look into it.
template <typename Api>
bool is_object(Api handle) {
  if (!handle) return true;
  if (!driver::is_place_of_object(handle)) return false;
  if (is_virtual(handle)) return reinterpret_cast<const Handle*>(handle)->kind == kKindOf<Api>;
  return driver::may_be_object(handle);
}

// The virtual object behind a handle; nullptr if the handle is null, real, dead or of another kind.
template <typename T>
std::shared_ptr<T> find(typename HandleTraits<T>::Api handle) {
  if (!is_virtual(handle)) return nullptr;
  Handle* header = reinterpret_cast<Handle*>(handle);
  if (header->kind != kKindOf<typename HandleTraits<T>::Api> || !header->alive.load(std::memory_order_relaxed))
    return nullptr;
  return static_cast<T*>(header)->weak_from_this().lock();
}

}  // namespace samcl
