// Functions of extensions, which a program asks for by name, guarded as the generated entry points are: no exception
// comes out, and the call is counted as the program's.
#pragma once

#include <CL/cl.h>
#include <cxxabi.h>

#include <tuple>
#include <type_traits>

#include "libsamcl/api/info.h"
#include "libsamcl/api/program_call.h"

namespace samcl::api {

template <auto kFunction>
struct Guarded;
template <typename Result, typename... Arguments, Result(CL_API_CALL* kFunction)(Arguments...)>
struct Guarded<kFunction> {
  static inline const char* name = nullptr;
  static Result CL_API_CALL call(Arguments... arguments) {
    try {
      const ProgramCall call(name, false);
      return kFunction(arguments...);
    } catch (abi::__forced_unwind&) {
      throw;
    } catch (...) {
      if constexpr (std::is_pointer_v<Result>) {
        return failed(std::get<sizeof...(Arguments) - 1>(std::tie(arguments...)), CL_OUT_OF_HOST_MEMORY);
      } else {
        return CL_OUT_OF_HOST_MEMORY;
      }
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
