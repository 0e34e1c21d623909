#include "libsamcl/device/peer_memory.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "libsamcl/device/real_device.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/query.h"
#include "libsamcl/driver/vendor.h"

namespace samcl {
namespace {

constexpr uint64_t kLeast = 256 << 10;  // shorter ones pass through the host about as fast
constexpr uint64_t kMost = uint64_t{500} << 20;
constexpr uint64_t kUnit = 2 << 20;        // the least that such memory takes of a device
constexpr uint64_t kMostAhead = 64 << 20;  // that is there and not used
constexpr size_t kMostMissed = 64;
constexpr cl_mem_properties kExternalFd = 0x2060;  // CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR
constexpr cl_mem_properties kDeviceList = 0x2051;  // CL_MEM_DEVICE_HANDLE_LIST_KHR
constexpr cl_device_info kPciBus = 0x4008, kPciSlot = 0x4009, kPciDomain = 0x400A;  // cl_nv_device_attribute_query

// The part of CUDA's driver interface that is used; all functions return 0 on success.
struct Cuda {
  struct Properties {
    int type = 1;           // pinned
    int handle_types = 1;   // POSIX file descriptors
    int location_type = 1;  // a device
    int location = 0;
    void* windows_metadata = nullptr;
    unsigned char flags[8] = {};
  };
  using Handle = unsigned long long;

  int (*init)(unsigned);
  int (*device_by_address)(int*, const char*);
  int (*can_access)(int*, int, int);
  int (*attribute_of_two)(int*, int, int, int) = nullptr;  // not in all releases
  int (*granularity)(size_t*, const Properties*, int);
  int (*create)(Handle*, size_t, const Properties*, unsigned long long);
  int (*release)(Handle);
  int (*export_handle)(void*, Handle, int, unsigned long long);

  // nullptr if it is not there.
  static const Cuda* get() {
    static const Cuda* const cuda = open();
    return cuda;
  }

 private:
  static const Cuda* open() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return nullptr;
    static Cuda cuda;
    const bool complete = find(library, "cuInit", cuda.init) &&
                          find(library, "cuDeviceGetByPCIBusId", cuda.device_by_address) &&
                          find(library, "cuDeviceCanAccessPeer", cuda.can_access) &&
                          find(library, "cuMemGetAllocationGranularity", cuda.granularity) &&
                          find(library, "cuMemCreate", cuda.create) && find(library, "cuMemRelease", cuda.release) &&
                          find(library, "cuMemExportToShareableHandle", cuda.export_handle);
    find(library, "cuDeviceGetP2PAttribute", cuda.attribute_of_two);
    return complete && cuda.init(0) == 0 ? &cuda : nullptr;
  }
  template <typename Function>
  static bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }
};

struct Member {
  const RealDevice* device;
  int cuda;
};

class NvidiaBuffer : public PeerBuffer {
 public:
  NvidiaBuffer(const std::vector<Member>& members, Cuda::Handle handle, uint64_t bytes)
      : members_(members), handle_(handle), bytes_(bytes), seen_(members.size(), nullptr) {}
  ~NvidiaBuffer() override {
    for (cl_mem seen : seen_) {
      if (seen) driver::real().clReleaseMemObject(seen);
    }
    Cuda::get()->release(handle_);
  }

  cl_mem seen_by(unsigned device) override {
    if (!seen_[device]) seen_[device] = import(members_[device]);
    return seen_[device];
  }

 private:
  // The driver owns the descriptor that it takes.
  cl_mem import(const Member& member) const {
    int descriptor = -1;
    if (Cuda::get()->export_handle(&descriptor, handle_, 1, 0) != 0) return nullptr;
    const cl_mem_properties properties[] = {kExternalFd, static_cast<cl_mem_properties>(descriptor),
                                            kDeviceList, reinterpret_cast<cl_mem_properties>(member.device->id),
                                            0,           0};
    cl_int error = CL_SUCCESS;
    cl_mem made = driver::real().clCreateBufferWithProperties(member.device->context(), properties, CL_MEM_READ_WRITE,
                                                              bytes_, nullptr, &error);
    if (!made) close(descriptor);
    return made;
  }

  const std::vector<Member>& members_;
  const Cuda::Handle handle_;
  const uint64_t bytes_;
  std::vector<cl_mem> seen_;  // by device
};

class NvidiaMemory : public PeerMemory {
 public:
  NvidiaMemory(std::vector<Member> members, bool has_atomics)
      : members_(std::move(members)), has_atomics_(has_atomics) {}

  bool serves_all(uint64_t bytes) const override { return has_atomics_ && works_ && bytes <= kMost; }

  bool makes_ahead(uint64_t bytes) const override { return fits(bytes) && bytes <= kMostAhead; }

  void make_ahead(uint64_t bytes) override {
    const uint64_t size = round_up(bytes);
    {
      std::lock_guard lock(mutex_);
      if (missed_.extract(size) || ahead_bytes_ + size > kMostAhead) return;
    }
    auto made = make(0, size);
    std::lock_guard lock(mutex_);
    if (made) ahead_bytes_ += size;
    if (made) ahead_.emplace(size, std::move(made));
  }

  std::unique_ptr<PeerBuffer> allocate(unsigned device, uint64_t bytes, Size wanted) override {
    if (bytes > kMost || (wanted == Size::worth_it && bytes < kLeast)) return nullptr;
    const uint64_t size = round_up(bytes);
    if (device == 0 && size <= kMostAhead) {
      std::lock_guard lock(mutex_);
      if (auto made = ahead_.extract(size)) {
        ahead_bytes_ -= size;
        return std::move(made.mapped());
      }
      if (missed_.size() < kMostMissed) missed_.insert(size);
    }
    return make(device, size);
  }

 private:
  static bool fits(uint64_t bytes) { return bytes >= kLeast && bytes <= kMost; }
  static uint64_t round_up(uint64_t bytes) { return (bytes + kUnit - 1) / kUnit * kUnit; }

  std::unique_ptr<PeerBuffer> make(unsigned device, uint64_t bytes) {
    if (!works_) return nullptr;
    const Cuda& cuda = *Cuda::get();
    Cuda::Properties properties;
    properties.location = members_[device].cuda;
    size_t granularity = 0;
    if (cuda.granularity(&granularity, &properties, 0) != 0 || granularity == 0) return nullptr;
    Cuda::Handle handle = 0;
    if (cuda.create(&handle, (bytes + granularity - 1) / granularity * granularity, &properties, 0) != 0)
      return nullptr;
    auto buffer = std::make_unique<NvidiaBuffer>(members_, handle, bytes);
    works_ = buffer->seen_by(device) != nullptr;
    return works_ ? std::move(buffer) : nullptr;
  }

  const std::vector<Member> members_;
  const bool has_atomics_;
  std::atomic<bool> works_{true};                               // false once the driver has refused an import
  std::mutex mutex_;                                            // guards what follows, of the first device
  std::multimap<uint64_t, std::unique_ptr<PeerBuffer>> ahead_;  // made and not taken, by size
  uint64_t ahead_bytes_ = 0;
  std::multiset<uint64_t> missed_;  // sizes allocated before they had been made ahead
};

bool is_member(const RealDevice& device, Member& member) {
  if (driver::vendor_facts(device.id).vendor != driver::Vendor::nvidia) return false;
  char address[32];
  std::snprintf(address, sizeof address, "%04x:%02x:%02x.0", driver::value<cl_uint>(device.id, kPciDomain, 0),
                driver::value<cl_uint>(device.id, kPciBus, 0), driver::value<cl_uint>(device.id, kPciSlot, 0));
  member = {&device, 0};
  return Cuda::get()->device_by_address(&member.cuda, address) == 0;
}

// Whether the link between them carries all atomic operations.
bool has_native_atomics(int one, int other) {
  constexpr int kNativeAtomics = 3;  // CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED
  int has = 0;
  const auto attribute_of_two = Cuda::get()->attribute_of_two;
  return attribute_of_two && attribute_of_two(&has, kNativeAtomics, one, other) == 0 && has != 0;
}

// A block of host memory under a buffer of each device.
class HostBuffer : public PeerBuffer {
 public:
  HostBuffer(const std::vector<cl_context>& contexts, void* memory, uint64_t bytes)
      : contexts_(contexts), memory_(memory), bytes_(bytes), seen_(contexts.size(), nullptr) {}
  ~HostBuffer() override {
    for (cl_mem seen : seen_) {
      if (seen) driver::real().clReleaseMemObject(seen);
    }
    munmap(memory_, bytes_);
  }

  cl_mem seen_by(unsigned device) override {
    cl_int error;
    if (!seen_[device]) {
      seen_[device] = driver::real().clCreateBuffer(contexts_[device], CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes_,
                                                    memory_, &error);
    }
    return seen_[device];
  }

 private:
  const std::vector<cl_context>& contexts_;
  void* const memory_;
  const uint64_t bytes_;
  std::vector<cl_mem> seen_;  // by device
};

class HostMemory : public PeerMemory {
 public:
  explicit HostMemory(std::vector<cl_context> contexts) : contexts_(std::move(contexts)) {}

  bool serves_all(uint64_t) const override { return true; }

  std::unique_ptr<PeerBuffer> allocate(unsigned device, uint64_t bytes, Size) override {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    auto buffer = std::make_unique<HostBuffer>(contexts_, memory, bytes);
    return buffer->seen_by(device) ? std::move(buffer) : nullptr;
  }

 private:
  const std::vector<cl_context> contexts_;
};

}  // namespace

std::unique_ptr<PeerMemory> PeerMemory::in_host_memory(const std::vector<std::unique_ptr<RealDevice>>& devices) {
  std::vector<cl_context> contexts;
  for (const auto& device : devices) contexts.push_back(device->context());
  return std::make_unique<HostMemory>(std::move(contexts));
}

std::unique_ptr<PeerMemory> PeerMemory::of(const std::vector<std::unique_ptr<RealDevice>>& devices) {
  if (devices.size() < 2 || driver::vendor_facts(devices[0]->id).vendor != driver::Vendor::nvidia || !Cuda::get()) {
    return nullptr;
  }
  std::vector<Member> members(devices.size());
  for (size_t i = 0; i < devices.size(); ++i) {
    if (!is_member(*devices[i], members[i])) return nullptr;
  }
  bool has_atomics = true;
  for (const Member& one : members) {
    for (const Member& other : members) {
      int can = 0;
      if (one.cuda != other.cuda && (Cuda::get()->can_access(&can, one.cuda, other.cuda) != 0 || !can)) return nullptr;
      has_atomics &= one.cuda == other.cuda || has_native_atomics(one.cuda, other.cuda);
    }
  }
  return std::make_unique<NvidiaMemory>(std::move(members), has_atomics);
}

}  // namespace samcl
