#include "libsamcl/driver/event_end.h"

#include <thread>

#include "libsamcl/driver/driver.h"

namespace samcl::driver {

bool ends_well(cl_event event, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    cl_int status = CL_QUEUED;
    if (real().clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) != CL_SUCCESS)
      return false;
    if (status <= CL_COMPLETE) return status == CL_COMPLETE;
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

}  // namespace samcl::driver
