// What is tried where a driver has no memory left on a device, since other programs have it, and says so when it is to
// make a replica, or to begin with a command for which it has to allocate: something is given back there, and it is
// asked again, until it has enough or there is nothing more to give.
#pragma once

#include <CL/cl.h>

#include <functional>
#include <utility>

namespace samcl {

class Room {
 public:
  // Gives back something of what the device holds. False: there is nothing.
  using Make = std::function<bool()>;

  Room() = default;  // nobody gives anything back
  explicit Room(Make make) : make_(std::move(make)) {}

  // call: returns the driver's code, and may be called again where it refuses for want of memory.
  template <typename Call>
  cl_int ask(Call call) const {
    cl_int error = call();
    while (is_refusal(error) && make_ && make_()) error = call();
    return error;
  }

  static bool is_refusal(cl_int error) {
    return error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES;
  }

 private:
  Make make_;
};

}  // namespace samcl
