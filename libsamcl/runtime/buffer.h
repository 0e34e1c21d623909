// Virtual buffers and sub-buffers: a range of a Storage, as the program holds it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "libsamcl/coherence/storage.h"
#include "libsamcl/runtime/object.h"

namespace samcl {

class Buffer;

template <>
struct HandleTraits<Buffer> {
  static constexpr Kind kKind = Kind::buffer;
  using Api = cl_mem;
};

class Buffer : public Object<Buffer> {
 public:
  // parent: nullptr for a buffer; then `range` is all of `storage`. host_ptr: as given, for clGetMemObjectInfo.
  Buffer(std::shared_ptr<Storage> storage, Range range, cl_mem_flags flags, void* host_ptr,
         std::shared_ptr<Buffer> parent, std::vector<cl_mem_properties> properties);
  ~Buffer();

  // The live buffer with that handle; nullptr if the bits are no such handle. Does not look at memory, so it
  // may be asked about any value a program passes as a kernel argument.
  static std::shared_ptr<Buffer> find_live(cl_mem handle);

  const std::shared_ptr<Storage> storage;
  const Range range;  // of the storage, bytes
  const cl_mem_flags flags;
  void* const host_ptr;
  const std::shared_ptr<Buffer> parent;
  const std::vector<cl_mem_properties> properties;

  const std::shared_ptr<Context>& context() const { return storage->context(); }
  uint64_t size() const { return range.size(); }
  // The part [offset, offset + bytes) of this buffer, as a range of the storage.
  Range part(uint64_t offset, uint64_t bytes) const {
    return {range.begin + offset, range.begin + offset + bytes};
  }

  // The real buffer or sub-buffer on a device; nullptr and the driver's code if it can't be had.
  cl_mem real(unsigned device, cl_int* error);

  // Bytes the program has mapped. A pointer may be mapped several times; each unmap ends one mapping.
  struct Mapping {
    void* pointer;
    Range range;
    cl_map_flags flags;
  };
  void add_mapping(const Mapping& mapping);
  std::optional<Mapping> remove_mapping(void* pointer);
  cl_uint mappings() const;

  using DestructorCallback = void(CL_CALLBACK*)(cl_mem, void*);
  void add_destructor_callback(DestructorCallback callback, void* user_data);

 private:
  struct Destructor {
    DestructorCallback function;
    void* user_data;
  };
  mutable std::mutex mutex_;  // guards what is below
  std::vector<cl_mem> views_;  // real sub-buffers by device; empty if we are no sub-buffer
  std::vector<Mapping> mappings_;
  std::vector<Destructor> destructors_;
};

}  // namespace samcl
