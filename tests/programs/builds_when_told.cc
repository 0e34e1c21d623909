// An OpenCL layer under which builds with the option -DWHEN_TOLD take until they may end: each makes the file `builds`
// in the folder $BUILDS_WHEN_TOLD, and waits for the file `go` there, a minute at most.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "tests/programs/opencl_layer.h"

namespace {

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                         void(CL_CALLBACK* callback)(cl_program, void*), void* user_data) {
  const char* const folder = std::getenv("BUILDS_WHEN_TOLD");
  if (folder && options && std::strstr(options, "-DWHEN_TOLD")) {
    const std::string in = std::string(folder) + "/";
    std::ofstream(in + "builds") << "x";
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (access((in + "go").c_str(), F_OK) != 0 && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return beneath->clBuildProgram(program, count, devices, options, callback, user_data);
}

}  // namespace

void replace(cl_icd_dispatch& table) { table.clBuildProgram = build; }
