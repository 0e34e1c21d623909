// Answering the queries cl*Info(..., size, value, size_ret), and leaving the functions that create objects.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace samcl::api {

// Where one query wants its answer. `value` may be null (only the size is asked for), `size_ret` as well.
// Every method returns CL_SUCCESS, or CL_INVALID_VALUE if there is too little room.
struct Answer {
  size_t size;
  void* value;
  size_t* size_ret;

  cl_int bytes(const void* from, size_t count) const {
    if (value && size < count) return CL_INVALID_VALUE;
    if (value && count > 0) std::memcpy(value, from, count);
    if (size_ret) *size_ret = count;
    return CL_SUCCESS;
  }
  // T must be spelled out: it is the type that the standard gives the answer.
  template <typename T>
  cl_int with(std::type_identity_t<T> answer) const {
    return bytes(&answer, sizeof(T));
  }
  cl_int text(const std::string& answer) const { return bytes(answer.c_str(), answer.size() + 1); }
  template <typename T>
  cl_int array(const std::vector<T>& answer) const {
    return bytes(answer.data(), answer.size() * sizeof(T));
  }
};

// What a creating function returns after an error; errcode_ret may be null.
inline std::nullptr_t failed(cl_int* errcode_ret, cl_int code) {
  if (errcode_ret) *errcode_ret = code;
  return nullptr;
}

// What it returns after success.
template <typename T>
T created(cl_int* errcode_ret, T object) {
  if (errcode_ret) *errcode_ret = CL_SUCCESS;
  return object;
}

}  // namespace samcl::api
