#include "tests/differential/images/opencl_image.h"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace image_sequences {
namespace {

cl_image_format opencl(Format format) {
  switch (format) {
    case Format::rgba8: return {CL_RGBA, CL_UNSIGNED_INT8};
    case Format::r16: return {CL_R, CL_UNSIGNED_INT16};
    default: return {CL_RGBA, CL_UNSIGNED_INT32};
  }
}

cl_mem_object_type opencl(Kind kind) {
  switch (kind) {
    case Kind::image1d: return CL_MEM_OBJECT_IMAGE1D;
    case Kind::image1d_array: return CL_MEM_OBJECT_IMAGE1D_ARRAY;
    case Kind::image2d: return CL_MEM_OBJECT_IMAGE2D;
    case Kind::image2d_array: return CL_MEM_OBJECT_IMAGE2D_ARRAY;
    case Kind::image3d: return CL_MEM_OBJECT_IMAGE3D;
    case Kind::image1d_buffer: return CL_MEM_OBJECT_IMAGE1D_BUFFER;
    default: return CL_MEM_OBJECT_BUFFER;
  }
}

bool has_format(const bench::Session& session, Kind kind, Format format) {
  cl_uint count = 0;
  clGetSupportedImageFormats(session.context.get(), CL_MEM_READ_WRITE, opencl(kind), 0, nullptr, &count);
  std::vector<cl_image_format> all(count);
  clGetSupportedImageFormats(session.context.get(), CL_MEM_READ_WRITE, opencl(kind), count, all.data(), nullptr);
  const cl_image_format wanted = opencl(format);
  return std::any_of(all.begin(), all.end(), [&](const cl_image_format& each) {
    return each.image_channel_order == wanted.image_channel_order &&
           each.image_channel_data_type == wanted.image_channel_data_type;
  });
}

}  // namespace

size_t whole_slices(const Object& object) {
  if (!is_image(object.kind)) return object.bytes();
  const HostLayout layout = host_layout(object.format, object.size, object.row_pitch, object.slice_pitch);
  return layout.at(0, object.size[2] - 1) + std::max(layout.slice, layout.at(object.size[1], 0));
}

cl_mem create(cl_context context, const Object& object, cl_mem shown, void* host, cl_int* status) {
  cl_mem_flags flags = CL_MEM_READ_WRITE;
  if (object.home == Home::copy_host) flags |= CL_MEM_COPY_HOST_PTR;
  if (object.home == Home::use_host) flags |= CL_MEM_USE_HOST_PTR;
  if (!is_image(object.kind)) return clCreateBuffer(context, flags, object.bytes(), host, status);
  cl_image_desc description{};
  description.image_type = opencl(object.kind);
  description.image_width = object.size[0];
  if (object.kind == Kind::image2d || object.kind == Kind::image2d_array || object.kind == Kind::image3d)
    description.image_height = object.size[1];
  if (object.kind == Kind::image1d_array) description.image_array_size = object.size[1];
  if (object.kind == Kind::image2d_array) description.image_array_size = object.size[2];
  if (object.kind == Kind::image3d) description.image_depth = object.size[2];
  description.image_row_pitch = object.row_pitch;
  description.image_slice_pitch = object.slice_pitch;
  description.mem_object = shown;
  const cl_image_format format = opencl(object.format);
  return clCreateImage(context, flags, &format, &description, host, status);
}

void must_have_images(const bench::Session& session, const std::vector<Kind>& kinds) {
  const std::span<const Kind> wanted = kinds.empty() ? std::span<const Kind>(kImageKinds) : kinds;
  for (const Kind kind : wanted)
    for (const Format format : kFormats)
      if (!has_format(session, kind, format))
        throw std::runtime_error("the device has no " + std::string(name(kind)) + " of " + std::string(name(format)));
  const bool writes_3d = std::ranges::find(wanted, Kind::image3d) != wanted.end();
  if (writes_3d && !bench::has_extension(session.device, "cl_khr_3d_image_writes"))
    throw std::runtime_error("the device's kernels do not write 3D images");
}

}  // namespace image_sequences
