// A library linked to libOpenCL, loaded into a local scope, as Python does with pyopencl's.
#include "tests/interposition/guest.h"

extern "C" __attribute__((visibility("default"))) void run_plugin() {
  const Functions cl = linked_functions();
  const std::vector<cl_device_id> devices = print_devices(cl);
  if (!devices.empty()) run_kernel(cl, cl, devices[0]);
}
