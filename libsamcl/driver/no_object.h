// What the standard has a call refused with whose argument of a type, or an element of a list of them, is no object.
#pragma once

#include <CL/cl.h>

namespace samcl::driver {

// CL_SUCCESS: what is of that type is no object.
template <typename T>
inline constexpr cl_int kNoObject = CL_SUCCESS;
template <>
inline constexpr cl_int kNoObject<cl_platform_id> = CL_INVALID_PLATFORM;
template <>
inline constexpr cl_int kNoObject<cl_device_id> = CL_INVALID_DEVICE;
template <>
inline constexpr cl_int kNoObject<cl_context> = CL_INVALID_CONTEXT;
template <>
inline constexpr cl_int kNoObject<cl_command_queue> = CL_INVALID_COMMAND_QUEUE;
template <>
inline constexpr cl_int kNoObject<cl_mem> = CL_INVALID_MEM_OBJECT;
template <>
inline constexpr cl_int kNoObject<cl_program> = CL_INVALID_PROGRAM;
template <>
inline constexpr cl_int kNoObject<cl_kernel> = CL_INVALID_KERNEL;
template <>
inline constexpr cl_int kNoObject<cl_event> = CL_INVALID_EVENT;
template <>
inline constexpr cl_int kNoObject<cl_sampler> = CL_INVALID_SAMPLER;

template <typename T>
inline constexpr cl_int kNoObject<const T*> = kNoObject<T>;
// What a command waits for; calls that are about events say CL_INVALID_EVENT.
template <>
inline constexpr cl_int kNoObject<const cl_event*> = CL_INVALID_EVENT_WAIT_LIST;

}  // namespace samcl::driver
