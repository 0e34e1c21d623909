// Platforms, devices and contexts: what can be asked of them, and how contexts come about.
#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

class Devices : public OpenCl {
 protected:
  cl_platform_id platform() const { return device_info<cl_platform_id>(CL_DEVICE_PLATFORM); }
  std::string text(cl_device_info parameter) const {
    size_t size = 0;
    check(clGetDeviceInfo(device(), parameter, 0, nullptr, &size));
    std::string value(size, '?');
    check(clGetDeviceInfo(device(), parameter, size, value.data(), nullptr));
    EXPECT_EQ(value.back(), '\0');
    value.pop_back();
    return value;
  }
};

// Every parameter of OpenCL 1.2, by its number range and the later ones where the device knows them.
TEST_F(Devices, EveryParameterTellsItsSizeAndRefusesTooLittleRoom) {
  std::vector<cl_device_info> parameters;
  for (cl_device_info p = CL_DEVICE_TYPE; p <= CL_DEVICE_EXTENSIONS; ++p) parameters.push_back(p);
  for (cl_device_info p : {CL_DEVICE_PLATFORM, CL_DEVICE_DOUBLE_FP_CONFIG, CL_DEVICE_HOST_UNIFIED_MEMORY,
                           CL_DEVICE_OPENCL_C_VERSION, CL_DEVICE_LINKER_AVAILABLE, CL_DEVICE_BUILT_IN_KERNELS,
                           CL_DEVICE_PARENT_DEVICE, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, CL_DEVICE_REFERENCE_COUNT,
                           CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, CL_DEVICE_PRINTF_BUFFER_SIZE})
    parameters.push_back(p);
  size_t known = 0;
  for (cl_device_info parameter : parameters) {
    SCOPED_TRACE(parameter);
    size_t size = 0;
    if (clGetDeviceInfo(device(), parameter, 0, nullptr, &size) != CL_SUCCESS) continue;  // a number without a meaning
    ++known;
    std::vector<char> value(size + 16, 'x');
    size_t size_again = 0;
    EXPECT_OK(clGetDeviceInfo(device(), parameter, value.size(), value.data(), &size_again));
    EXPECT_EQ(size_again, size);
    EXPECT_EQ(value[size], 'x') << "wrote more than it said";
    if (size > 1) {
      EXPECT_STATUS(clGetDeviceInfo(device(), parameter, size - 1, value.data(), nullptr), CL_INVALID_VALUE);
    }
  }
  EXPECT_GE(known, 55u);
}

TEST_F(Devices, LimitsAreThoseTheStandardDemands) {
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS), 1u);
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS), 3u);
  EXPECT_GE(device_info<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), 1u);
  EXPECT_GE(device_info<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE), 1024u);
  EXPECT_GE(device_info<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE), 32u << 10);
  EXPECT_GE(device_info<cl_ulong>(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE), 64u << 10);
  EXPECT_GE(device_info<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE),
            std::min<cl_ulong>(device_info<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE) / 4, 128u << 20));
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN), 8u);
  EXPECT_TRUE(device_info<cl_bool>(CL_DEVICE_AVAILABLE));
}

TEST_F(Devices, StringsAreStrings) {
  EXPECT_FALSE(text(CL_DEVICE_NAME).empty());
  EXPECT_EQ(text(CL_DEVICE_VERSION).rfind("OpenCL ", 0), 0u);
  EXPECT_EQ(text(CL_DEVICE_OPENCL_C_VERSION).rfind("OpenCL C ", 0), 0u);
  EXPECT_FALSE(text(CL_DRIVER_VERSION).empty());
}

TEST_F(Devices, AreListedByTypeAndInACountedWay) {
  cl_uint all = 0, same = 0;
  ASSERT_OK(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, nullptr, &all));
  ASSERT_GE(all, 1u);
  std::vector<cl_device_id> devices(all);
  ASSERT_OK(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, all, devices.data(), nullptr));
  EXPECT_EQ(devices[0], device());
  const auto type = device_info<cl_device_type>(CL_DEVICE_TYPE) & ~cl_device_type{CL_DEVICE_TYPE_DEFAULT};
  ASSERT_OK(clGetDeviceIDs(platform(), type, 0, nullptr, &same));
  EXPECT_GE(same, 1u);
  cl_device_id first = nullptr;
  ASSERT_OK(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 1, &first, nullptr));
  EXPECT_EQ(first, device());
  ASSERT_OK(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_DEFAULT, 1, &first, nullptr));
  EXPECT_EQ(first, device());
}

TEST_F(Devices, ListErrors) {
  cl_device_id first = nullptr;
  EXPECT_STATUS(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, &first, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clGetPlatformIDs(0, nullptr, nullptr), CL_INVALID_VALUE);
}

TEST_F(Devices, PlatformTellsItsStrings) {
  for (cl_platform_info parameter :
       {CL_PLATFORM_PROFILE, CL_PLATFORM_VERSION, CL_PLATFORM_NAME, CL_PLATFORM_VENDOR, CL_PLATFORM_EXTENSIONS}) {
    size_t size = 0;
    ASSERT_OK(clGetPlatformInfo(platform(), parameter, 0, nullptr, &size));
    std::string value(size, '?');
    ASSERT_OK(clGetPlatformInfo(platform(), parameter, size, value.data(), nullptr));
    EXPECT_EQ(value.back(), '\0');
    char small = 0;
    if (size > 1) {
      EXPECT_STATUS(clGetPlatformInfo(platform(), parameter, 1, &small, nullptr), CL_INVALID_VALUE);
    }
  }
}

TEST_F(Devices, RootDevicesIgnoreRetainAndRelease) {
  EXPECT_OK(clRetainDevice(device()));
  EXPECT_OK(clReleaseDevice(device()));
  EXPECT_OK(clReleaseDevice(device()));
  EXPECT_EQ(device_info<cl_uint>(CL_DEVICE_REFERENCE_COUNT), 1u);
}

TEST_F(Devices, ContextKnowsItsDevicesAndProperties) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform()),
                                              0};
  cl_int status = CL_SUCCESS;
  const cl_device_id target = device();
  const Context made(clCreateContext(properties, 1, &target, nullptr, nullptr, &status));
  ASSERT_OK(status);
  cl_uint count = 0;
  cl_device_id its_device = nullptr;
  cl_context_properties its_properties[3] = {};
  size_t size = 0;
  ASSERT_OK(clGetContextInfo(made.get(), CL_CONTEXT_NUM_DEVICES, sizeof count, &count, nullptr));
  ASSERT_OK(clGetContextInfo(made.get(), CL_CONTEXT_DEVICES, sizeof its_device, &its_device, nullptr));
  ASSERT_OK(clGetContextInfo(made.get(), CL_CONTEXT_PROPERTIES, sizeof its_properties, its_properties, &size));
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(its_device, target);
  EXPECT_EQ(size, sizeof properties);
  EXPECT_EQ(its_properties[1], properties[1]);
}

TEST_F(Devices, ContextTakesAnErrorCallback) {
  static const auto ignore = [](const char*, const void*, size_t, void*) {};
  void(CL_CALLBACK * callback)(const char*, const void*, size_t, void*) = ignore;
  int user_data = 0;
  cl_int status = CL_SUCCESS;
  const cl_device_id target = device();
  const Context made(clCreateContext(nullptr, 1, &target, callback, &user_data, &status));
  ASSERT_OK(status);
  const Queue q(clCreateCommandQueue(made.get(), target, 0, &status));
  ASSERT_OK(status);
  EXPECT_OK(clFinish(q.get()));
}

TEST_F(Devices, ContextFromTypeWorks) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform()),
                                              0};
  cl_int status = CL_SUCCESS;
  const Context made(clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL, nullptr, nullptr, &status));
  ASSERT_OK(status);
  size_t size = 0;
  ASSERT_OK(clGetContextInfo(made.get(), CL_CONTEXT_DEVICES, 0, nullptr, &size));
  std::vector<cl_device_id> devices(size / sizeof(cl_device_id));
  ASSERT_OK(clGetContextInfo(made.get(), CL_CONTEXT_DEVICES, size, devices.data(), nullptr));
  ASSERT_GE(devices.size(), 1u);
  const Queue q(clCreateCommandQueue(made.get(), devices[0], 0, &status));
  ASSERT_OK(status);
  cl_int value = 12;
  const Buffer x(clCreateBuffer(made.get(), CL_MEM_COPY_HOST_PTR, 4, &value, &status));
  ASSERT_OK(status);
  value = 0;
  ASSERT_OK(clEnqueueReadBuffer(q.get(), x.get(), CL_TRUE, 0, 4, &value, 0, nullptr, nullptr));
  EXPECT_EQ(value, 12);
}

TEST_F(Devices, ContextFromATypeThatIsNotThereFails) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform()),
                                              0};
  const auto type = device_info<cl_device_type>(CL_DEVICE_TYPE);
  cl_int status = CL_SUCCESS;
  const Context made(clCreateContextFromType(
      properties, type & CL_DEVICE_TYPE_ACCELERATOR ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_ACCELERATOR, nullptr, nullptr,
      &status));
  EXPECT_STATUS(status, CL_DEVICE_NOT_FOUND);
}

// Sharing coarse-grained memory where the device offers it.
TEST_F(Devices, SharedVirtualMemoryWhereSupported) {
  cl_device_svm_capabilities capabilities = 0;
  if (clGetDeviceInfo(device(), CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities, nullptr) !=
          CL_SUCCESS ||
      !(capabilities & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)) {
    EXPECT_EQ(clSVMAlloc(context(), CL_MEM_READ_WRITE, 64, 0), nullptr);
    GTEST_SKIP() << "the device has no shared virtual memory";
  }
  auto* x = static_cast<cl_int*>(clSVMAlloc(context(), CL_MEM_READ_WRITE, 400, 0));
  ASSERT_NE(x, nullptr);
  const auto k = kernel("__kernel void k(__global int* x) { x[get_global_id(0)] += 1; }");
  ASSERT_OK(clEnqueueSVMMap(queue(), CL_TRUE, CL_MAP_WRITE, x, 400, 0, nullptr, nullptr));
  for (int i = 0; i < 100; ++i) x[i] = i;
  ASSERT_OK(clEnqueueSVMUnmap(queue(), x, 0, nullptr, nullptr));
  ASSERT_OK(clSetKernelArgSVMPointer(k.get(), 0, x));
  launch(k, {{100}, {10}});
  ASSERT_OK(clEnqueueSVMMap(queue(), CL_TRUE, CL_MAP_READ, x, 400, 0, nullptr, nullptr));
  EXPECT_EQ(std::vector<cl_int>(x, x + 100), counting<cl_int>(100, 1));
  ASSERT_OK(clEnqueueSVMUnmap(queue(), x, 0, nullptr, nullptr));
  ASSERT_OK(clFinish(queue()));
  clSVMFree(context(), x);
}

TEST_F(Devices, ExtensionFunctionsThatDoNotExistAreNull) {
  EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(platform(), "clThereIsNoSuchFunctionKHR"), nullptr);
}

TEST_F(Devices, ExtensionFunctionsOfNoPlatformAreThoseOfTheLoadersFirstOne) {
  EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(nullptr, "clThereIsNoSuchFunctionKHR"), nullptr);
  if (!clGetExtensionFunctionAddress("clGetICDLoaderInfoOCLICD")) GTEST_SKIP() << "another loader's are none";
  EXPECT_NE(clGetExtensionFunctionAddressForPlatform(nullptr, "clIcdGetPlatformIDsKHR"), nullptr);
  const auto info = reinterpret_cast<decltype(&clGetPlatformInfo)>(
      clGetExtensionFunctionAddressForPlatform(nullptr, "clGetPlatformInfo"));
  ASSERT_NE(info, nullptr);
  size_t size = 0;
  EXPECT_OK(info(platform(), CL_PLATFORM_NAME, 0, nullptr, &size));
  EXPECT_GT(size, 1u);
}

TEST_F(Devices, APlatformThatLoadersKnowTellsThemOfItself) {
  char extensions[4096] = "";
  ASSERT_OK(clGetPlatformInfo(platform(), CL_PLATFORM_EXTENSIONS, sizeof extensions, extensions, nullptr));
  if (!strstr(extensions, "cl_khr_icd")) GTEST_SKIP() << "opened by no loader";
  const auto platforms_of = reinterpret_cast<clIcdGetPlatformIDsKHR_fn>(
      clGetExtensionFunctionAddressForPlatform(platform(), "clIcdGetPlatformIDsKHR"));
  ASSERT_NE(platforms_of, nullptr);
  std::vector<cl_platform_id> own(16);
  cl_uint count = 0;
  ASSERT_OK(platforms_of(16, own.data(), &count));
  EXPECT_EQ(std::count(own.begin(), own.end(), platform()), 1);
}

}  // namespace
}  // namespace cases
