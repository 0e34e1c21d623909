#include "libsamcl/driver/driver.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "libsamcl/driver/devices.h"
#include "libsamcl/driver/dispatch.h"
#include "libsamcl/driver/loader.h"
#include "libsamcl/driver/modules.h"
#include "libsamcl/driver/vendor.h"

// A function that this test program exports under an OpenCL name, as libsamcl.so does: a driver's table that
// was bound to it is what Oclgrind's looks like under LD_PRELOAD.
extern "C" __attribute__((visibility("default"))) void* CL_API_CALL clGetExtensionFunctionAddress(const char*) {
  return nullptr;
}

namespace samcl::driver {
namespace {

namespace fs = std::filesystem;

class Driver : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("POCL_DEVICES", "basic basic", 1); }
  void SetUp() override {
    devices_ = list_devices();
    if (devices_.size() < 2 || vendor_facts(devices_[0].platform).vendor != Vendor::pocl)
      GTEST_SKIP() << "needs two PoCL devices";
  }
  std::vector<Device> devices_;
};

TEST_F(Driver, LeavesNoSlotEmpty) {
  for (size_t i = 0; i < slots_of(real()).size(); ++i) EXPECT_NE(slots_of(real())[i], nullptr) << entry_names()[i];
}

TEST_F(Driver, TurnsWhatPoclLeavesOutIntoAnErrorCode) {
  cl_int error = CL_SUCCESS;
  cl_context context = real().clCreateContext(nullptr, 1, &devices_[0].id, nullptr, nullptr, &error);
  cl_command_queue queue = real().clCreateCommandQueue(context, devices_[0].id, 0, &error);
  EXPECT_EQ(real().clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, nullptr), CL_INVALID_OPERATION);
  real().clReleaseCommandQueue(queue);
  real().clReleaseContext(context);
}

TEST_F(Driver, ANullHandleGetsTheStandardsErrorCode) {
  EXPECT_EQ(direct_table().clFinish(nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(direct_table().clWaitForEvents(0, nullptr), CL_INVALID_VALUE);
  cl_int error = CL_SUCCESS;
  EXPECT_EQ(direct_table().clCreateBuffer(nullptr, 0, 1, nullptr, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_CONTEXT);
}

TEST_F(Driver, ATableBoundToOurFunctionsIsRepairedWithTheDriversOwn) {
  cl_icd_dispatch table = **reinterpret_cast<const cl_icd_dispatch* const*>(devices_[0].platform);
  table.clGetExtensionFunctionAddress = &::clGetExtensionFunctionAddress;
  table.clFinish = nullptr;
  table.clCreateSampler = nullptr;
  const cl_icd_dispatch* object = &table;
  const cl_icd_dispatch* repaired = table_of(&object);
  ASSERT_NE(repaired, nullptr);
  EXPECT_FALSE(is_this_library(reinterpret_cast<void*>(repaired->clGetExtensionFunctionAddress)));
  EXPECT_NE(repaired->clGetExtensionFunctionAddress("clIcdGetPlatformIDsKHR"), nullptr);
  EXPECT_EQ(repaired->clFinish(nullptr), CL_INVALID_OPERATION);
  cl_int error = CL_SUCCESS;
  EXPECT_EQ(repaired->clCreateSampler(nullptr, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_OPERATION);
  EXPECT_EQ(repaired->clGetDeviceIDs, table.clGetDeviceIDs);
  EXPECT_EQ(table_of(&object), repaired) << "tables are repaired once";
}

TEST_F(Driver, KnowsADriversCodeFromAPrograms) {
  const auto* table = table_of(devices_[0].platform);
  EXPECT_TRUE(is_opencl_code(reinterpret_cast<const void*>(table->clGetPlatformInfo)));
  EXPECT_FALSE(is_opencl_code(reinterpret_cast<const void*>(&::clGetExtensionFunctionAddress)));
  EXPECT_FALSE(is_opencl_code(reinterpret_cast<const void*>(&std::abort)));
}

// The linker gives what it loads the place of what it unloaded.
TEST(Modules, AreNotTakenForThoseThatLayThereBefore) {
  const auto code_of = [](void* module) { return dlsym(module, "inside"); };
  const auto place_of = [](void* module) {
    link_map* map = nullptr;
    return dlinfo(module, RTLD_DI_LINKMAP, &map) == 0 ? map : nullptr;
  };
  bool used_again = false;
  for (int i = 0; i < 20 && !used_again; ++i) {
    void* const plugin = dlopen(PLUGIN_MODULE, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(plugin, nullptr) << dlerror();
    EXPECT_FALSE(is_opencl_code(code_of(plugin)));
    EXPECT_EQ(dlerror(), nullptr);
    const link_map* const before = place_of(plugin);
    dlclose(plugin);
    void* const driver = dlopen(DRIVER_MODULE, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(driver, nullptr) << dlerror();
    used_again = place_of(driver) == before;
    EXPECT_TRUE(is_opencl_code(code_of(driver)));
    dlclose(driver);
  }
  if (!used_again) GTEST_SKIP() << "the linker used no place again";
}

// Without distinct_option() PoCL 3.1 fails an assertion within a few launches.
TEST_F(Driver, TwoPoclDevicesRunOneKernelAtOnceIfItsSourcesAreDistinct) {
  std::atomic<int> ready{0};
  std::atomic<int> failures{0};
  const auto run = [&](unsigned n) {
    const auto& cl = real();
    cl_int error = CL_SUCCESS;
    cl_context context = cl.clCreateContext(nullptr, 1, &devices_[n].id, nullptr, nullptr, &error);
    cl_command_queue queue = cl.clCreateCommandQueue(context, devices_[n].id, 0, &error);
    const char* source = "kernel void k(global int* a) { a[get_global_id(0)] += (int)get_group_id(0); }";
    cl_program program = cl.clCreateProgramWithSource(context, 1, &source, nullptr, &error);
    const std::string options = "-cl-std=CL1.2" + distinct_option(vendor_facts(devices_[n].platform), n);
    cl.clBuildProgram(program, 0, nullptr, options.c_str(), nullptr, nullptr);
    cl_kernel kernel = cl.clCreateKernel(program, "k", &error);
    cl_mem buffer = cl.clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 16, nullptr, &error);
    cl.clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
    ++ready;
    while (ready < 2) std::this_thread::yield();
    for (size_t r = 0; r < 300; ++r) {
      const size_t size = 256 * (1 + (r * 7 + n * 3) % 13), offset = 64 * ((r + n) % 5), local = 64;
      error |= cl.clEnqueueNDRangeKernel(queue, kernel, 1, &offset, &size, &local, 0, nullptr, nullptr);
      error |= cl.clFinish(queue);
    }
    if (error != CL_SUCCESS) ++failures;
    cl.clReleaseMemObject(buffer);
    cl.clReleaseKernel(kernel);
    cl.clReleaseProgram(program);
    cl.clReleaseCommandQueue(queue);
    cl.clReleaseContext(context);
  };
  std::thread first(run, 0), second(run, 1);
  first.join();
  second.join();
  EXPECT_EQ(failures, 0);
}

class FindLoader : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("samcl_loader_" + std::to_string(getpid()));
    fs::create_directories(root_ / "ours");
    fs::create_directories(root_ / "theirs");
    std::ofstream(root_ / "libsamcl.so") << "us";
  }
  void TearDown() override { fs::remove_all(root_); }
  fs::path root_;
};

TEST_F(FindLoader, PassesOverALinkToOurselves) {
  fs::create_symlink(root_ / "libsamcl.so", root_ / "ours" / "libOpenCL.so.1");
  std::ofstream(root_ / "theirs" / "libOpenCL.so.1") << "them";
  EXPECT_EQ(find_loader({root_ / "ours", root_ / "theirs"}, root_ / "libsamcl.so"),
            root_ / "theirs" / "libOpenCL.so.1");
}

TEST_F(FindLoader, PassesOverAHardLinkToOurselves) {
  fs::create_hard_link(root_ / "libsamcl.so", root_ / "ours" / "libOpenCL.so.1");
  EXPECT_EQ(find_loader({root_ / "ours", root_ / "theirs"}, root_ / "libsamcl.so"), "");
}

TEST_F(FindLoader, PassesOverADanglingLink) {
  fs::create_symlink(root_ / "nothing", root_ / "ours" / "libOpenCL.so.1");
  std::ofstream(root_ / "ours" / "libOpenCL.so") << "them";
  EXPECT_EQ(find_loader({root_ / "ours"}, root_ / "libsamcl.so"), root_ / "ours" / "libOpenCL.so");
}

TEST(LoaderDirectories, BeginWithLdLibraryPath) {
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::string saved = before ? before : "";
  setenv("LD_LIBRARY_PATH", "/first::/second", 1);
  const auto directories = loader_directories();
  setenv("LD_LIBRARY_PATH", saved.c_str(), 1);
  ASSERT_GE(directories.size(), 3u);
  EXPECT_EQ(directories[0], "/first");
  EXPECT_EQ(directories[1], "/second");
}

}  // namespace
}  // namespace samcl::driver
