// A real object that is released when its holder goes.
#pragma once

#include <CL/cl.h>

#include <utility>

namespace samcl::driver {

template <typename Object>
class Owned {
 public:
  using Release = cl_int(CL_API_CALL*)(Object);
  Owned(Object object, Release release) : object_(object), release_(release) {}
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)), release_(other.release_) {}
  ~Owned() {
    if (object_) release_(object_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Object get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  Object object_;
  Release release_;
};

}  // namespace samcl::driver
