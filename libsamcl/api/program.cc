// Programs. Everything the program can ask about them is answered by the real program on device 0.
// clang-format off
#include "libsamcl/api/unwrap.h"  // before unwrapped_list.h, which calls it
// clang-format on
#include "libsamcl/program/program.h"

#include <algorithm>

#include "entry_points.h"
#include "libsamcl/api/info.h"
#include "libsamcl/api/unwrapped_list.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/objects/building.h"
#include "libsamcl/objects/machine.h"
#include "libsamcl/program/known_binaries.h"

namespace samcl::api {
namespace {

using BuildCallback = void(CL_CALLBACK*)(cl_program, void*);

cl_program hand_out(const std::shared_ptr<Context>& context, cl_program real, std::string source,
                    std::string why_one_device, std::optional<BinaryOrigin> origin = std::nullopt) {
  return Program::hand_out(
      Program::make_shared(context, real, std::move(source), std::move(why_one_device), std::move(origin)));
}

// The virtual programs behind handles; nullptr for the driver's own.
std::vector<std::shared_ptr<Program>> programs_of(cl_uint count, const cl_program* handles) {
  std::vector<std::shared_ptr<Program>> programs;
  for (cl_uint i = 0; handles && i < count; ++i) {
    programs.push_back(is_virtual(handles[i]) ? find<Program>(handles[i]) : nullptr);
  }
  return programs;
}

// Whether each of a list, of which these are the real ones, is a program.
bool are_programs(cl_uint count, const UnwrappedList<cl_program>& real) {
  return !real.get() || std::find(real.get(), real.get() + count, nullptr) == real.get() + count;
}

void set(cl_int* errcode_ret, cl_int error) {
  if (errcode_ret) *errcode_ret = error;
}

// A device list given with a virtual program may name its context's device and parts of it only.
bool valid_devices(const Context& context, cl_uint count, const cl_device_id* devices, cl_int* error,
                   bool may_be_none = true) {
  *error = CL_SUCCESS;
  if ((count == 0) != (devices == nullptr) || (count == 0 && !may_be_none)) {
    *error = CL_INVALID_VALUE;
  } else {
    for (cl_uint i = 0; i < count; ++i) {
      if (!context.device->includes(devices[i])) *error = CL_INVALID_DEVICE;
    }
  }
  return *error == CL_SUCCESS;
}

// Tells the program that its asynchronous build has ended. It was done before the call returned, which the
// standard allows.
void notify(const std::shared_ptr<Program>& program, BuildCallback callback, void* user_data) {
  if (callback) {
    program->context->callbacks.post([program, callback, user_data] { callback(program->api(), user_data); });
  }
}

// What the driver has for each device of its context, of which the program knows the first. its: where the driver
// writes to, if what it has are places.
template <typename T>
cl_int info_of_first(const Program& program, cl_program_info param, T& its) {
  const auto& devices = program.context->devices;
  const auto is_listed = [&](const auto& device) { return device->context() == devices[0]->context(); };
  std::vector<cl_device_id> listed(static_cast<size_t>(std::ranges::count_if(devices, is_listed)));
  std::vector<T> all(listed.size());
  const auto& cl = driver::real();
  const cl_int error = cl.clGetProgramInfo(program.original, CL_PROGRAM_DEVICES, listed.size() * sizeof listed[0],
                                           listed.data(), nullptr);
  if (error != CL_SUCCESS) return error;
  T& first = all[static_cast<size_t>(std::ranges::find(listed, devices[0]->id) - listed.begin()) % all.size()];
  first = its;
  const cl_int answered = cl.clGetProgramInfo(program.original, param, all.size() * sizeof(T), all.data(), nullptr);
  its = first;
  return answered;
}

cl_int binary_size(const Program& program, const Answer& answer) {
  size_t bytes = 0;
  const cl_int error = info_of_first(program, CL_PROGRAM_BINARY_SIZES, bytes);
  return error == CL_SUCCESS ? answer.with<size_t>(bytes) : error;
}

cl_int binaries(const Program& program, const Answer& answer) {
  const bool is_wanted = answer.value && answer.size >= sizeof(unsigned char*);
  auto* binary = is_wanted ? *static_cast<unsigned char**>(answer.value) : nullptr;
  if (!binary) return answer.with<unsigned char*>(nullptr);  // PoCL writes to a place that is none
  cl_int error = info_of_first(program, CL_PROGRAM_BINARIES, binary);
  if (error == CL_SUCCESS) error = answer.with<unsigned char*>(binary);
  size_t length = 0;
  if (error == CL_SUCCESS && binary && info_of_first(program, CL_PROGRAM_BINARY_SIZES, length) == CL_SUCCESS)
    program.binary_was_read({binary, length});
  return error;
}

// A program made by a function that takes a context: created on device 0 and wrapped.
template <typename Create>
cl_program create_on_first(cl_context context_handle, cl_int* errcode_ret, const char* why_one_device, Create create,
                           const std::optional<BinaryOrigin>& origin = std::nullopt) {
  auto context = find<Context>(context_handle);
  cl_int error = CL_INVALID_CONTEXT;
  cl_program real = context ? create(context->devices[0]->context(), &error) : nullptr;
  set(errcode_ret, error);
  if (!real) return nullptr;
  return hand_out(context, real, {}, why_one_device, origin);
}

}  // namespace

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context_handle, cl_uint count, const char** strings,
                                                 const size_t* lengths, cl_int* errcode_ret) {
  if (!is_virtual(context_handle)) {
    return driver::real().clCreateProgramWithSource(context_handle, count, strings, lengths, errcode_ret);
  }
  auto context = find<Context>(context_handle);
  cl_int error = CL_INVALID_CONTEXT;
  cl_program real = nullptr;
  if (context) {
    real = driver::real().clCreateProgramWithSource(context->devices[0]->context(), count, strings, lengths, &error);
  }
  set(errcode_ret, error);
  if (!real) return nullptr;
  std::string source;
  for (cl_uint i = 0; i < count; ++i) {
    if (lengths && lengths[i]) {
      source.append(strings[i], lengths[i]);
    } else {
      source.append(strings[i]);
    }
  }
  return hand_out(context, real, std::move(source), "not built yet");
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id* devices,
                                                 const size_t* lengths, const unsigned char** binaries, cl_int* status,
                                                 cl_int* errcode_ret) {
  const auto& cl = driver::real();
  if (!is_virtual(context)) {
    const UnwrappedList<cl_device_id> real_devices(count, devices);
    return cl.clCreateProgramWithBinary(context, count, real_devices.get(), lengths, binaries, status, errcode_ret);
  }
  cl_int error;
  if (auto found = find<Context>(context); found && !valid_devices(*found, count, devices, &error, false)) {
    set(errcode_ret, error);
    return nullptr;
  }
  std::optional<BinaryOrigin> origin;
  if (lengths && binaries && lengths[0] > 0 && binaries[0]) origin = origin_of({binaries[0], lengths[0]});
  auto create = [&](cl_context real, cl_int* result) {
    const UnwrappedList<cl_device_id> real_devices(count, devices);
    return cl.clCreateProgramWithBinary(real, count, real_devices.get(), lengths, binaries, status, result);
  };
  return create_on_first(context, errcode_ret, "given as a binary", create, origin);
}

cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count, const cl_device_id* devices,
                                                         const char* names, cl_int* errcode_ret) {
  const auto& cl = driver::real();
  if (!is_virtual(context)) {
    const UnwrappedList<cl_device_id> real_devices(count, devices);
    return cl.clCreateProgramWithBuiltInKernels(context, count, real_devices.get(), names, errcode_ret);
  }
  cl_int error;
  if (auto found = find<Context>(context); found && !valid_devices(*found, count, devices, &error, false)) {
    set(errcode_ret, error);
    return nullptr;
  }
  return create_on_first(context, errcode_ret, "built-in kernels", [&](cl_context real, cl_int* result) {
    const UnwrappedList<cl_device_id> real_devices(count, devices);
    return cl.clCreateProgramWithBuiltInKernels(real, count, real_devices.get(), names, result);
  });
}

cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void* il, size_t length, cl_int* errcode_ret) {
  const auto& cl = driver::real();
  if (!is_virtual(context)) return cl.clCreateProgramWithIL(context, il, length, errcode_ret);
  return create_on_first(context, errcode_ret, "given as intermediate language", [&](cl_context real, cl_int* result) {
    return cl.clCreateProgramWithIL(real, il, length, result);
  });
}

cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint count, const cl_device_id* devices,
                                     const char* options, cl_uint input_count, const cl_program* inputs,
                                     BuildCallback callback, void* user_data, cl_int* errcode_ret) {
  const Building building;
  const auto& cl = driver::real();
  if (!is_virtual(context)) {
    const UnwrappedList<cl_device_id> real_devices(count, devices);
    return cl.clLinkProgram(context, count, real_devices.get(), options, input_count, inputs, callback, user_data,
                            errcode_ret);
  }
  cl_int error;
  if (auto found = find<Context>(context); found && !valid_devices(*found, count, devices, &error)) {
    set(errcode_ret, error);
    return nullptr;
  }
  if (!callback && user_data) {
    set(errcode_ret, CL_INVALID_VALUE);
    return nullptr;
  }
  auto virtual_context = find<Context>(context);
  error = CL_INVALID_CONTEXT;
  std::shared_ptr<Program> program;
  if (virtual_context) {
    const UnwrappedList<cl_program> real_inputs(input_count, inputs);
    if (!are_programs(input_count, real_inputs)) return failed(errcode_ret, CL_INVALID_PROGRAM);
    program = Program::link(virtual_context, options, input_count, real_inputs.get(), programs_of(input_count, inputs),
                            &error);
  }
  set(errcode_ret, error);
  if (!program) return nullptr;
  const cl_program handle = Program::hand_out(program);
  notify(program, callback, user_data);
  return handle;
}

cl_int CL_API_CALL clBuildProgram(cl_program handle, cl_uint count, const cl_device_id* devices, const char* options,
                                  BuildCallback callback, void* user_data) {
  const Building building;
  if (!is_virtual(handle)) {
    const UnwrappedList<cl_device_id> real_devices(count, devices);
    return driver::real().clBuildProgram(handle, count, real_devices.get(), options, callback, user_data);
  }
  auto program = find<Program>(handle);
  if (!program) return CL_INVALID_PROGRAM;
  if (!callback && user_data) return CL_INVALID_VALUE;
  cl_int error;
  if (!valid_devices(*program->context, count, devices, &error)) return error;
  error = program->build(options);
  notify(program, callback, user_data);
  return error;
}

cl_int CL_API_CALL clCompileProgram(cl_program handle, cl_uint count, const cl_device_id* devices, const char* options,
                                    cl_uint header_count, const cl_program* headers, const char** header_names,
                                    BuildCallback callback, void* user_data) {
  const Building building;
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    const UnwrappedList<cl_device_id> real_devices(count, devices);
    return cl.clCompileProgram(handle, count, real_devices.get(), options, header_count, headers, header_names,
                               callback, user_data);
  }
  auto program = find<Program>(handle);
  if (!program) return CL_INVALID_PROGRAM;
  if (!callback && user_data) return CL_INVALID_VALUE;
  cl_int error;
  if (!valid_devices(*program->context, count, devices, &error)) return error;
  const UnwrappedList<cl_program> real_headers(header_count, headers);
  if (!are_programs(header_count, real_headers)) return CL_INVALID_PROGRAM;
  error = program->compile(options, header_count, real_headers.get(), header_names, programs_of(header_count, headers));
  notify(program, callback, user_data);
  return error;
}

cl_int CL_API_CALL clRetainProgram(cl_program handle) {
  if (!is_virtual(handle)) return driver::real().clRetainProgram(handle);
  auto program = find<Program>(handle);
  if (!program) return CL_INVALID_PROGRAM;
  program->retain();
  return CL_SUCCESS;
}

cl_int CL_API_CALL clReleaseProgram(cl_program handle) {
  if (!is_virtual(handle)) return driver::real().clReleaseProgram(handle);
  auto program = find<Program>(handle);
  if (!program) return CL_INVALID_PROGRAM;
  if (program->release()) program->context->tell_untold();
  return CL_SUCCESS;
}

cl_int CL_API_CALL clGetProgramInfo(cl_program handle, cl_program_info param, size_t size, void* value,
                                    size_t* size_ret) {
  const auto& cl = driver::real();
  auto program = is_virtual(handle) ? find<Program>(handle) : nullptr;
  if (is_virtual(handle) && !program) return CL_INVALID_PROGRAM;
  if (!program) {
    size_t bytes = 0;
    const cl_int error = cl.clGetProgramInfo(handle, param, size, value, &bytes);
    if (error == CL_SUCCESS && size_ret) *size_ret = bytes;
    if (error == CL_SUCCESS && param == CL_PROGRAM_DEVICES && value) as_programs_devices(value, bytes);
    return error;
  }
  const Answer answer{size, value, size_ret};
  switch (param) {
    case CL_PROGRAM_CONTEXT: return answer.with<cl_context>(program->context->api());
    case CL_PROGRAM_REFERENCE_COUNT: return answer.with<cl_uint>(program->references());
    case CL_PROGRAM_DEVICES: return answer.with<cl_device_id>(program->context->device->api());
    case CL_PROGRAM_NUM_DEVICES: return answer.with<cl_uint>(1);
    case CL_PROGRAM_BINARY_SIZES: return binary_size(*program, answer);
    case CL_PROGRAM_BINARIES: return binaries(*program, answer);
    default: return cl.clGetProgramInfo(program->original, param, size, value, size_ret);
  }
}

}  // namespace samcl::api
