// What the cases about program objects share.
#pragma once

#include <condition_variable>
#include <mutex>

#include "tests/programs/opencl_fixture.h"

namespace cases {

class ProgramCase : public OpenCl {
 protected:
  Program create(std::vector<const char*> strings, const size_t* lengths = nullptr) const {
    cl_int status = CL_SUCCESS;
    Program program(
        clCreateProgramWithSource(context(), static_cast<cl_uint>(strings.size()), strings.data(), lengths, &status));
    check(status);
    return program;
  }
  cl_int build_status(const Program& program, const char* options = nullptr) const {
    const cl_device_id target = device();
    return clBuildProgram(program.get(), 1, &target, options, nullptr, nullptr);
  }
  template <typename T>
  T build_info(const Program& program, cl_program_build_info what) const {
    T value{};
    check(clGetProgramBuildInfo(program.get(), device(), what, sizeof value, &value, nullptr));
    return value;
  }
  cl_build_status state_of(const Program& program) const {
    return build_info<cl_build_status>(program, CL_PROGRAM_BUILD_STATUS);
  }
  // A program that is given the binary of another one.
  Program from_binary_of(const Program& program) const {
    size_t size = 0;
    check(clGetProgramInfo(program.get(), CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
    std::vector<unsigned char> binary(size);
    unsigned char* place = binary.data();
    check(clGetProgramInfo(program.get(), CL_PROGRAM_BINARIES, sizeof place, &place, nullptr));
    const cl_device_id target = device();
    const unsigned char* start = binary.data();
    cl_int status = CL_SUCCESS, of_binary = CL_SUCCESS;
    Program again(clCreateProgramWithBinary(context(), 1, &target, &size, &start, &of_binary, &status));
    check(status);
    check(of_binary);
    return again;
  }
};

// The program's own callback for the end of a build, compilation or link.
struct ProgramTold {
  static void CL_CALLBACK call(cl_program program, void* self) {
    auto* told = static_cast<ProgramTold*>(self);
    const std::lock_guard lock(told->mutex);
    told->program = program;
    told->changed.notify_all();
  }
  // The program that it was called for; null if it is not called.
  cl_program wait() {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::seconds(20), [&] { return program != nullptr; });
    return program;
  }

  std::mutex mutex;
  std::condition_variable changed;
  cl_program program = nullptr;
};

}  // namespace cases
