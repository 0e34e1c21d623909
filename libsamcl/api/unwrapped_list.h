// A list of handles as the driver wants it: each unwrapped to the real object.
#pragma once

#include <CL/cl.h>

#include <array>
#include <vector>

namespace samcl::api {

// Short lists, the usual case, need no allocation. A null list or a count of 0 is passed on as it was given,
// so that the driver judges it. Call with unwrap() for Handle in scope.
template <typename Handle>
class UnwrappedList {
 public:
  UnwrappedList(cl_uint count, const Handle* handles) : result_(handles) {
    if (!handles || count == 0) return;
    Handle* real = few_.data();
    if (count > few_.size()) {
      many_.resize(count);
      real = many_.data();
    }
    for (cl_uint i = 0; i < count; ++i) real[i] = unwrap(handles[i]);
    result_ = real;
  }
  UnwrappedList(const UnwrappedList&) = delete;
  UnwrappedList& operator=(const UnwrappedList&) = delete;

  const Handle* get() const { return result_; }

 private:
  const Handle* result_;
  std::array<Handle, 16> few_;
  std::vector<Handle> many_;
};

}  // namespace samcl::api
