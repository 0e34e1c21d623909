// Lists of properties as the program gives them to creating functions: pairs of a name and a value up to a 0, where the
// values of some names are lists that end with a 0 themselves.
#pragma once

#include <CL/cl_ext.h>

#include <cstddef>
#include <vector>

namespace samcl::api {

// Names whose values are lists: of devices (memory objects' and semaphores', as headers of 2022 and of later years have
// it), of handle types.
constexpr cl_properties kDeviceHandleList = 0x2051, kSemaphoreDeviceHandleList = 0x2053, kExportHandleTypes = 0x203F;

// The list with its closing 0; none if it is null.
inline std::vector<cl_properties> property_list(const cl_properties* properties) {
  std::vector<cl_properties> list;
  while (properties && *properties != 0) {
    const cl_properties name = *properties++;
    list.push_back(name);
    const bool is_list = name == kDeviceHandleList || name == kSemaphoreDeviceHandleList || name == kExportHandleTypes;
    while (is_list && *properties != 0) list.push_back(*properties++);
    list.push_back(*properties++);
  }
  if (properties) list.push_back(0);
  return list;
}

// Each device of such a list becomes change(device). The list may be cut short.
template <typename Change>
void change_devices(std::vector<cl_properties>& list, Change change) {
  for (size_t i = 0; i + 1 < list.size() && list[i] != 0;) {
    const cl_properties name = list[i++];
    const bool is_devices = name == kDeviceHandleList || name == kSemaphoreDeviceHandleList;
    if (is_devices || name == kExportHandleTypes) {
      for (; i < list.size() && list[i] != 0; ++i) {
        if (is_devices) list[i] = reinterpret_cast<cl_properties>(change(reinterpret_cast<cl_device_id>(list[i])));
      }
    }
    ++i;
  }
}

}  // namespace samcl::api
