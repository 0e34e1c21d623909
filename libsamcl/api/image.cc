// Images as objects: created and queried. An image is virtual like a buffer, its bytes being its pixels row after row,
// or it shows the bytes of a virtual buffer. What that does not describe (several samples, mipmaps, rows with gaps in
// the program's memory, formats that not all devices have) is the driver's own image on the first device.
// clang-format off
#include "libsamcl/api/unwrap.h"
// clang-format on
#include <CL/cl.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "entry_points.h"
#include "libsamcl/api/info.h"
#include "libsamcl/api/memory_flags.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/vendor.h"

namespace samcl::api {
namespace {

constexpr uint64_t kLargestPixel = 16;  // bytes

struct ImageRequest {
  std::shared_ptr<Context> context;
  const cl_mem_properties* properties = nullptr;  // null, or an empty list
  cl_mem_flags flags = 0;
  const cl_image_format* format = nullptr;
  const cl_image_desc* description = nullptr;
  void* host_ptr = nullptr;
};

// The fields of a description that concern its type; the others may hold anything.
cl_image_desc relevant(const cl_image_desc& given) {
  cl_image_desc description{};
  description.image_type = given.image_type;
  description.image_width = given.image_width;
  description.image_row_pitch = given.image_row_pitch;
  description.num_mip_levels = given.num_mip_levels;
  description.num_samples = given.num_samples;
  description.mem_object = given.mem_object;
  switch (given.image_type) {
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER: break;
    case CL_MEM_OBJECT_IMAGE2D: description.image_height = given.image_height; break;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
      description.image_array_size = given.image_array_size;
      description.image_slice_pitch = given.image_slice_pitch;
      break;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
      description.image_height = given.image_height;
      description.image_array_size = given.image_array_size;
      description.image_slice_pitch = given.image_slice_pitch;
      break;
    case CL_MEM_OBJECT_IMAGE3D:
      description.image_height = given.image_height;
      description.image_depth = given.image_depth;
      description.image_slice_pitch = given.image_slice_pitch;
      break;
    default: return given;  // the driver may know it
  }
  return description;
}

// How the bytes lie in host memory. pixel: bytes.
ImageLayout layout_of(const cl_image_desc& d, uint64_t pixel) {
  uint64_t height = 1, depth = 1;
  switch (d.image_type) {
    case CL_MEM_OBJECT_IMAGE2D: height = d.image_height; break;
    case CL_MEM_OBJECT_IMAGE3D: height = d.image_height, depth = d.image_depth; break;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY: height = d.image_array_size; break;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY: height = d.image_height, depth = d.image_array_size; break;
    default: break;
  }
  ImageLayout layout = ImageLayout::packed(pixel, d.image_width, height, depth);
  if (d.image_row_pitch != 0) {
    layout.row_pitch = d.image_row_pitch;
    layout.slice_pitch = layout.row_pitch * height;
  }
  if (d.image_slice_pitch != 0) {
    (d.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? layout.row_pitch : layout.slice_pitch) = d.image_slice_pitch;
    if (depth == 1) layout.slice_pitch = layout.row_pitch * height;
  }
  return layout;
}

bool has_gaps(const ImageLayout& layout) {
  const ImageLayout packed = ImageLayout::packed(layout.pixel, layout.width, layout.height, layout.depth);
  return layout.row_pitch != packed.row_pitch || layout.slice_pitch != packed.slice_pitch;
}

bool has_format(cl_context context, const ImageReplicas& image) {
  const auto& cl = driver::real();
  cl_uint count = 0;
  const auto type = image.description.image_type;
  if (cl.clGetSupportedImageFormats(context, image.flags, type, 0, nullptr, &count) != CL_SUCCESS) return false;
  std::vector<cl_image_format> formats(count);
  if (cl.clGetSupportedImageFormats(context, image.flags, type, count, formats.data(), nullptr) != CL_SUCCESS)
    return false;
  return std::any_of(formats.begin(), formats.end(), [&](const cl_image_format& format) {
    return std::memcmp(&format, &image.format, sizeof format) == 0;
  });
}

cl_mem create_on_first_device(const ImageRequest& request, cl_int* errcode_ret) {
  cl_image_desc description = *request.description;
  if (description.mem_object) description.mem_object = unwrap(description.mem_object);
  const auto& cl = driver::real();
  const cl_context context = request.context->devices[0]->context();
  if (request.properties) {
    return cl.clCreateImageWithProperties(context, request.properties, request.flags, request.format, &description,
                                          request.host_ptr, errcode_ret);
  }
  return cl.clCreateImage(context, request.flags, request.format, &description, request.host_ptr, errcode_ret);
}

std::vector<cl_mem_properties> list_of(const cl_mem_properties* properties) {
  return properties ? std::vector<cl_mem_properties>{0} : std::vector<cl_mem_properties>{};
}

struct Release {
  void operator()(cl_mem image) const { driver::real().clReleaseMemObject(image); }
};
using RealImage = std::unique_ptr<_cl_mem, Release>;

uint64_t pixel_of(const RealImage& image) {
  size_t bytes = 0;
  driver::real().clGetImageInfo(image.get(), CL_IMAGE_ELEMENT_SIZE, sizeof bytes, &bytes, nullptr);
  return bytes;
}

// The description without what is another's.
cl_image_desc bare(cl_image_desc description) {
  description.image_row_pitch = description.image_slice_pitch = 0;
  description.mem_object = nullptr;
  return description;
}

// An image that shows a virtual buffer, or a virtual image in another way.
cl_mem create_on_parent(const ImageRequest& request, cl_int* errcode_ret) {
  const auto parent = find<Buffer>(request.description->mem_object);
  if (!parent || parent->context != request.context) return failed(errcode_ret, CL_INVALID_IMAGE_DESCRIPTOR);
  if (!narrows(request.flags, parent->flags)) return failed(errcode_ret, CL_INVALID_VALUE);
  cl_image_desc description = *request.description;
  if (description.image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER && description.image_type != CL_MEM_OBJECT_IMAGE2D) {
    return failed(errcode_ret, CL_INVALID_IMAGE_DESCRIPTOR);
  }
  const cl_mem_flags flags = inherit(request.flags, parent->flags);
  // The driver checks the rest.
  cl_int error;
  const Storage::Pin pin(*parent->storage);
  description.mem_object = parent->real(0, &error);
  if (!description.mem_object) return failed(errcode_ret, error);
  const RealImage trial(driver::real().clCreateImage(request.context->devices[0]->context(), flags & kKernelAccess,
                                                     request.format, &description, nullptr, &error));
  if (!trial) return failed(errcode_ret, error);
  const uint64_t pixel = pixel_of(trial);
  const ImageLayout layout = layout_of(*request.description, pixel);
  if (pixel == 0 || layout.bytes() > parent->size()) return failed(errcode_ret, CL_INVALID_IMAGE_SIZE);
  auto image = Buffer::make_shared(parent->context, parent->storage, parent->part(0, layout.bytes()), flags,
                                   parent->host_ptr, parent, list_of(request.properties),
                                   Image{*request.format, bare(*request.description), layout});
  return created(errcode_ret, Buffer::hand_out(std::move(image)));
}

void copy_packed(std::byte* to, const ImageLayout& packed, const void* from, const ImageLayout& source) {
  const size_t all[3] = {source.width, source.height, source.depth}, none[3] = {};
  const Rectangle target = Image{{}, {}, packed}.rectangle(none, all);
  Image{{}, {}, source}.rectangle(none, all).for_each_row([&](uint64_t index, Range row) {
    std::memcpy(to + target.row(index), static_cast<const std::byte*>(from) + row.begin, row.size());
  });
}

cl_mem create(ImageRequest request, cl_int* errcode_ret) {
  if (!request.context) return failed(errcode_ret, CL_INVALID_CONTEXT);
  if (driver::is_part_without_images(request.context->devices[0]->id)) return failed(errcode_ret, CL_INVALID_OPERATION);
  if (!request.format) return failed(errcode_ret, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  if (!request.description) return failed(errcode_ret, CL_INVALID_IMAGE_DESCRIPTOR);
  const cl_image_desc description = relevant(*request.description);
  request.description = &description;
  if (!is_object(description.mem_object)) return failed(errcode_ret, CL_INVALID_IMAGE_DESCRIPTOR);
  if (request.properties && *request.properties != 0) return create_on_first_device(request, errcode_ret);
  if (description.mem_object && is_virtual(description.mem_object)) return create_on_parent(request, errcode_ret);
  const cl_mem_flags ours = request.flags & ~cl_mem_flags{CL_MEM_KERNEL_READ_AND_WRITE};
  if (description.mem_object || description.num_mip_levels > 1 || description.num_samples > 1 || !valid(ours)) {
    return create_on_first_device(request, errcode_ret);
  }
  const bool needs_pointer = request.flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  if (needs_pointer != (request.host_ptr != nullptr) ||
      (!request.host_ptr && (description.image_row_pitch != 0 || description.image_slice_pitch != 0))) {
    return create_on_first_device(request, errcode_ret);  // it is the driver's to refuse
  }

  ImageReplicas replicas{
      request.flags & (kKernelAccess | CL_MEM_KERNEL_READ_AND_WRITE), *request.format, bare(description), {}};
  // The driver checks the rest.
  cl_int error;
  const cl_context first = request.context->devices[0]->context();
  RealImage real(
      driver::real().clCreateImage(first, replicas.flags, request.format, &replicas.description, nullptr, &error));
  if (!real) return failed(errcode_ret, error);
  const uint64_t pixel = pixel_of(real);
  if (!std::has_single_bit(pixel) || pixel > kLargestPixel) return create_on_first_device(request, errcode_ret);
  const ImageLayout given = layout_of(description, pixel);
  if (given.row_pitch < given.width * pixel || given.slice_pitch < given.row_pitch * given.height) {
    return failed(errcode_ret, CL_INVALID_IMAGE_DESCRIPTOR);  // some drivers take them, and write where they should not
  }
  if (given.row_pitch % pixel != 0 || given.slice_pitch % given.row_pitch != 0) {
    return create_on_first_device(request, errcode_ret);
  }
  if ((request.flags & CL_MEM_USE_HOST_PTR) && has_gaps(given)) return create_on_first_device(request, errcode_ret);
  replicas.layout = ImageLayout::packed(pixel, given.width, given.height, given.depth);
  for (const auto& device : request.context->devices) {
    if (request.context->device->kinds[device->index] != 0 && !has_format(device->context(), replicas))
      return create_on_first_device(request, errcode_ret);
  }

  void* const used = request.flags & CL_MEM_USE_HOST_PTR ? request.host_ptr : nullptr;
  auto storage = std::make_shared<Storage>(request.context, replicas, real.release(), used);
  const Range all{0, storage->size()};
  if (request.flags & CL_MEM_COPY_HOST_PTR) {
    std::byte* const host = storage->host();
    if (!host) return failed(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    copy_packed(host, replicas.layout, request.host_ptr, given);
    storage->written_by_program(all, only(kHost));
  }
  cl_mem_flags flags = request.flags;
  if (!(flags & kKernelAccess)) flags |= CL_MEM_READ_WRITE;
  auto image =
      Buffer::make_shared(request.context, std::move(storage), all, flags, used, nullptr, list_of(request.properties),
                          Image{*request.format, replicas.description, replicas.layout});
  return created(errcode_ret, Buffer::hand_out(std::move(image)));
}

}  // namespace

cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                                 const cl_image_desc* description, void* host_ptr, cl_int* errcode_ret) {
  if (!context) return failed(errcode_ret, CL_INVALID_CONTEXT);
  if (!is_virtual(context)) {
    return driver::real().clCreateImage(context, flags, format, description, host_ptr, errcode_ret);
  }
  return create({find<Context>(context), nullptr, flags, format, description, host_ptr}, errcode_ret);
}

cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties* properties,
                                               cl_mem_flags flags, const cl_image_format* format,
                                               const cl_image_desc* description, void* host_ptr, cl_int* errcode_ret) {
  if (!context) return failed(errcode_ret, CL_INVALID_CONTEXT);
  if (!is_virtual(context)) {
    return driver::real().clCreateImageWithProperties(context, properties, flags, format, description, host_ptr,
                                                      errcode_ret);
  }
  return create({find<Context>(context), properties, flags, format, description, host_ptr}, errcode_ret);
}

cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format* format, size_t width,
                                   size_t height, size_t row_pitch, void* host_ptr, cl_int* errcode_ret) {
  if (!is_virtual(context)) {
    return driver::real().clCreateImage2D(context, flags, format, width, height, row_pitch, host_ptr, errcode_ret);
  }
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = width;
  description.image_height = height;
  description.image_row_pitch = row_pitch;
  return samcl::api::clCreateImage(context, flags, format, &description, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format* format, size_t width,
                                   size_t height, size_t depth, size_t row_pitch, size_t slice_pitch, void* host_ptr,
                                   cl_int* errcode_ret) {
  if (!is_virtual(context)) {
    return driver::real().clCreateImage3D(context, flags, format, width, height, depth, row_pitch, slice_pitch,
                                          host_ptr, errcode_ret);
  }
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE3D;
  description.image_width = width;
  description.image_height = height;
  description.image_depth = depth;
  description.image_row_pitch = row_pitch;
  description.image_slice_pitch = slice_pitch;
  return samcl::api::clCreateImage(context, flags, format, &description, host_ptr, errcode_ret);
}

cl_int CL_API_CALL clGetImageInfo(cl_mem handle, cl_image_info name, size_t size, void* value, size_t* size_ret) {
  if (!handle) return CL_INVALID_MEM_OBJECT;
  const auto& cl = driver::real();
  if (!is_virtual(handle)) return cl.clGetImageInfo(handle, name, size, value, size_ret);
  const auto image = find<Buffer>(handle);
  if (!image || !image->image) return CL_INVALID_MEM_OBJECT;
  const Answer answer{size, value, size_ret};
  if (name == CL_IMAGE_BUFFER) return answer.with<cl_mem>(image->parent ? image->parent->api() : nullptr);
  cl_int error;
  cl_mem real = image->real(0, &error);
  return real ? cl.clGetImageInfo(real, name, size, value, size_ret) : error;
}

}  // namespace samcl::api
