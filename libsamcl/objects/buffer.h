// Virtual buffers, sub-buffers and images: a range of a Storage, as the program holds it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "base/rectangle.h"
#include "libsamcl/memory/storage.h"
#include "libsamcl/objects/object.h"

namespace samcl {

class Buffer;
class Context;
class Kernel;

template <>
struct HandleTraits<Buffer> {
  using Api = cl_mem;
};

// The flags that say what kernels may do with a memory object.
constexpr cl_mem_flags kKernelAccess = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;

// What makes a memory object an image.
struct Image {
  cl_image_format format;
  cl_image_desc description;  // without memory objects and pitches
  ImageLayout layout;         // of the buffer's range; packed if the image has no parent

  // The bytes of a block of pixels, relative to the image's begin.
  Rectangle rectangle(const size_t* origin, const size_t* region) const {
    return {origin[2] * layout.slice_pitch + origin[1] * layout.row_pitch + origin[0] * layout.pixel,
            layout.row_pitch,
            layout.slice_pitch,
            {region[0] * layout.pixel, region[1], region[2]}};
  }
  bool is_1d_array() const { return description.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY; }
};

class Buffer : public Object<Buffer> {
 public:
  // parent: nullptr for a buffer; then `range` is all of `storage`, or a part of it that is shared virtual memory.
  // host_ptr: as given, for clGetMemObjectInfo. image: an image on a storage of its own, or one that shows the bytes of
  // its parent.
  Buffer(std::shared_ptr<Context> context, std::shared_ptr<Storage> storage, Range range, cl_mem_flags flags,
         void* host_ptr, std::shared_ptr<Buffer> parent, std::vector<cl_mem_properties> properties,
         std::optional<Image> image = std::nullopt);
  ~Buffer();

  // The live buffer with that handle; nullptr if the bits are no such handle. Does not look at memory, so it
  // may be asked about any value a program passes as a kernel argument.
  static std::shared_ptr<Buffer> find_live(cl_mem handle);

  const std::shared_ptr<Context> context;
  const std::shared_ptr<Storage> storage;
  const Range range;  // of the storage, bytes
  const cl_mem_flags flags;
  void* const host_ptr;
  const std::shared_ptr<Buffer> parent;
  const std::vector<cl_mem_properties> properties;
  const std::optional<Image> image;

  uint64_t size() const { return range.size(); }
  // The part [offset, offset + bytes) of this buffer, as a range of the storage.
  Range part(uint64_t offset, uint64_t bytes) const { return {range.begin + offset, range.begin + offset + bytes}; }

  // Whether kernels can use it on the first device only: shared virtual memory that stays there, or a part of some that
  // begins where no other device's replica can be cut.
  bool is_first_devices() const;

  // The real buffer, sub-buffer or image on a device; nullptr and the driver's code if it can't be had. For operations,
  // in their order, and for who holds a Storage::Pin.
  cl_mem real(unsigned device, cl_int* error);

  // Bytes the program has mapped. A pointer may be mapped several times; each unmap ends one mapping.
  struct Mapping {
    void* pointer;
    Rectangle rows;  // of the storage
    cl_map_flags flags;
    std::shared_ptr<Storage::Pin> pin = nullptr;  // until the end of its unmapping; add_mapping() makes it
  };
  void add_mapping(const Mapping& mapping);
  std::optional<Mapping> remove_mapping(void* pointer);
  cl_uint mappings() const;

  // It is a kernel's argument, which must not keep it alive.
  void set_for(std::weak_ptr<Kernel> kernel);
  // The program has released it for good: kernels forget it. Defined with them.
  void leave_kernels();

  // Whether nobody sees for how long it is kept when the program has released it: its memory is another object's, which
  // the program has, and nobody is to be told of its end.
  bool may_be_kept() const;

  using DestructorCallback = void(CL_CALLBACK*)(cl_mem, void*);
  void add_destructor_callback(DestructorCallback callback, void* user_data);

 private:
  struct Destructor {
    DestructorCallback function;
    void* user_data;
  };
  mutable std::mutex mutex_;  // guards what is below
  cl_mem make_view(unsigned device, cl_int* error);

  // Real sub-buffers of the parent's, or images on it, or buffers on a part of shared virtual memory, by device; empty:
  // it is all of its storage.
  std::vector<cl_mem> views_;
  std::optional<Storage::Pin> pin_;  // if there are any
  std::vector<Mapping> mappings_;
  using Kernels = std::set<std::weak_ptr<Kernel>, std::owner_less<>>;
  Kernels kernels_;            // whose argument it is, or was
  size_t living_kernels_ = 8;  // of these, when the dead ones were last taken out; 8 at least
  std::vector<Destructor> destructors_;
};

}  // namespace samcl
