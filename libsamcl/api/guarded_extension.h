// Functions of extensions, which a program asks for by name, guarded as the generated entry points are: what it gives
// for objects are objects, no exception comes out, and the call is counted as the program's.
#pragma once

#include <CL/cl.h>
#include <cxxabi.h>

#include <tuple>
#include <type_traits>
#include <utility>

#include "libsamcl/api/info.h"
#include "libsamcl/api/program_call.h"
#include "libsamcl/driver/no_object.h"
#include "libsamcl/objects/object.h"

namespace samcl::api {

// Of the arguments of a call, a list's number before it.
template <typename Tuple, size_t... kIndex>
cl_int refusal_of(const Tuple& arguments, std::index_sequence<kIndex...>) {
  cl_uint number = 0;
  cl_int refusal = CL_SUCCESS;
  const auto look_at = [&]<typename T>(const T& argument) {
    constexpr cl_int kCode = driver::kNoObject<T>;
    if (refusal != CL_SUCCESS) return;
    if constexpr (std::is_same_v<T, cl_uint>) {
      number = argument;
    } else if constexpr (kCode != CL_SUCCESS && std::is_const_v<std::remove_pointer_t<T>>) {
      for (cl_uint i = 0; argument && i < number; ++i)
        if (!is_object(argument[i])) refusal = kCode;
    } else if constexpr (kCode != CL_SUCCESS) {
      if (!is_object(argument)) refusal = kCode;
    }
  };
  (look_at(std::get<kIndex>(arguments)), ...);
  return refusal;
}

template <auto kFunction>
struct Guarded;
template <typename Result, typename... Arguments, Result(CL_API_CALL* kFunction)(Arguments...)>
struct Guarded<kFunction> {
  static inline const char* name = nullptr;
  static Result CL_API_CALL call(Arguments... arguments) {
    const auto given = std::tie(arguments...);
    const auto fails = [&](cl_int code) -> Result {
      if constexpr (std::is_pointer_v<Result>) {
        return failed(std::get<sizeof...(Arguments) - 1>(given), code);
      } else {
        return code;
      }
    };
    try {
      const ProgramCall call(name, false);
      const cl_int refusal = refusal_of(given, std::index_sequence_for<Arguments...>{});
      return refusal == CL_SUCCESS ? kFunction(arguments...) : fails(refusal);
    } catch (abi::__forced_unwind&) {
      throw;
    } catch (...) {
      return fails(CL_OUT_OF_HOST_MEMORY);
    }
  }
};

// That function as the program is given it under `name`, which lives on.
template <auto kFunction>
void* guarded(const char* name) {
  Guarded<kFunction>::name = name;
  return reinterpret_cast<void*>(&Guarded<kFunction>::call);
}

}  // namespace samcl::api
