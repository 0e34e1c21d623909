#include "libsamcl/objects/buffer.h"

#include <algorithm>
#include <ranges>
#include <shared_mutex>
#include <unordered_set>

#include "libsamcl/driver/driver.h"
#include "libsamcl/objects/context.h"

namespace samcl {
namespace {

struct LiveBuffers {
  std::shared_mutex mutex;
  std::unordered_set<const void*> handles;
};

LiveBuffers& live_buffers() {
  static LiveBuffers* const live = new LiveBuffers;
  return *live;
}

}  // namespace

Buffer::Buffer(std::shared_ptr<Context> buffer_context, std::shared_ptr<Storage> buffer_storage, Range buffer_range,
               cl_mem_flags buffer_flags, void* program_memory, std::shared_ptr<Buffer> buffer_parent,
               std::vector<cl_mem_properties> buffer_properties, std::optional<Image> buffer_image)
    : context(std::move(buffer_context)),
      storage(std::move(buffer_storage)),
      range(buffer_range),
      flags(buffer_flags),
      host_ptr(program_memory),
      parent(std::move(buffer_parent)),
      properties(std::move(buffer_properties)),
      image(buffer_image),
      views_(parent || (storage->svm() && range.size() != storage->size()) ? context->devices.size() : 0, nullptr) {
  std::lock_guard lock(live_buffers().mutex);
  live_buffers().handles.insert(api());
}

std::shared_ptr<Buffer> Buffer::find_live(cl_mem handle) {
  std::shared_lock lock(live_buffers().mutex);
  return live_buffers().handles.contains(handle) ? find<Buffer>(handle) : nullptr;
}

Buffer::~Buffer() {
  {
    std::lock_guard lock(live_buffers().mutex);
    live_buffers().handles.erase(api());
  }
  for (unsigned device = 0; device < views_.size(); ++device) {
    if (!views_[device]) continue;
    if (parent && !image)
      storage->sub_buffers().release(device, views_[device]);
    else
      driver::real().clReleaseMemObject(views_[device]);
  }
  for (const auto& last : std::views::reverse(destructors_)) last.function(api(), last.user_data);
}

bool Buffer::is_first_devices() const {
  if (!storage->svm() || storage->shared()) return false;
  return storage->svm()->stays || (parent ? parent->is_first_devices() : range.begin != 0);
}

bool Buffer::may_be_kept() const {
  std::lock_guard lock(mutex_);
  return parent && parent->references() > 0 && destructors_.empty();
}

cl_mem Buffer::real(unsigned device, cl_int* error) {
  if (views_.empty()) return storage->replica(device, error);
  std::lock_guard lock(mutex_);
  *error = CL_SUCCESS;
  if (!pin_) pin_.emplace(*storage);
  if (!views_[device]) views_[device] = make_view(device, error);
  return views_[device];
}

cl_mem Buffer::make_view(unsigned device, cl_int* error) {
  const auto& cl = driver::real();
  if (!parent) {
    return cl.clCreateBuffer(context->devices[device]->context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, range.size(),
                             host_ptr, error);
  }
  if (!image) {
    const cl_mem whole = parent->real(device, error);
    return whole ? storage->sub_buffers().make(device, whole, parent->range.begin, range, error) : nullptr;
  }
  cl_image_desc description = image->description;
  description.mem_object = parent->real(device, error);
  if (!description.mem_object) return nullptr;
  if (!parent->image && description.image_type == CL_MEM_OBJECT_IMAGE2D)
    description.image_row_pitch = image->layout.row_pitch;
  return cl.clCreateImage(context->devices[device]->context(), flags & kKernelAccess, &image->format, &description,
                          nullptr, error);
}

void Buffer::add_mapping(const Mapping& mapping) {
  std::lock_guard lock(mutex_);
  mappings_.push_back(mapping);
  mappings_.back().pin = std::make_shared<Storage::Pin>(*storage);
}

std::optional<Buffer::Mapping> Buffer::remove_mapping(void* pointer) {
  std::lock_guard lock(mutex_);
  auto found = std::find_if(mappings_.begin(), mappings_.end(),
                            [&](const Mapping& mapping) { return mapping.pointer == pointer; });
  if (found == mappings_.end()) return std::nullopt;
  Mapping mapping = *found;
  mappings_.erase(found);
  return mapping;
}

cl_uint Buffer::mappings() const {
  std::lock_guard lock(mutex_);
  return static_cast<cl_uint>(mappings_.size());
}

void Buffer::set_for(std::weak_ptr<Kernel> kernel) {
  std::lock_guard lock(mutex_);
  if (!kernels_.insert(std::move(kernel)).second || kernels_.size() < 2 * living_kernels_) return;
  std::erase_if(kernels_, [](const std::weak_ptr<Kernel>& other) { return other.expired(); });
  living_kernels_ = std::max<size_t>(kernels_.size(), 8);
}

void Buffer::add_destructor_callback(DestructorCallback callback, void* user_data) {
  std::lock_guard lock(mutex_);
  destructors_.push_back({callback, user_data});
}

}  // namespace samcl
