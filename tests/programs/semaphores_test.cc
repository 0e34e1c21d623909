// Semaphores (cl_khr_semaphore): order between queues, contexts and, as file descriptors, what is not OpenCL. A case
// that would wait for ever on a driver that does wrong gives up after a while, and leaves the process to the end of its
// queues.
#include <CL/cl_ext.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "base/test_seed.h"
#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

// Younger than the headers of 2022.
constexpr cl_properties kDeviceHandleList = 0x2053;
using ReImport = cl_int(CL_API_CALL*)(cl_semaphore_khr, cl_properties*, int);

constexpr size_t kItems = 4096;
const std::vector<cl_properties> kBinary{CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};

class Semaphores : public OpenCl {
 protected:
  void SetUp() override {
    if (!bench::has_extension(device(), "cl_khr_semaphore")) GTEST_SKIP() << "the device has no semaphores";
    find(create_, "clCreateSemaphoreWithPropertiesKHR");
    find(retain_, "clRetainSemaphoreKHR");
    find(release_, "clReleaseSemaphoreKHR");
    find(info_, "clGetSemaphoreInfoKHR");
    find(wait_, "clEnqueueWaitSemaphoresKHR");
    find(signal_, "clEnqueueSignalSemaphoresKHR");
    ASSERT_TRUE(create_ && retain_ && release_ && info_ && wait_ && signal_);
    cl_int status = CL_SUCCESS;
    s_ = create(kBinary, status);
    ASSERT_OK(status);
    t_ = create(kBinary, status);
    ASSERT_OK(status);
  }
  void TearDown() override {
    for (const cl_semaphore_khr made : made_) EXPECT_OK(release_(made));
  }

  template <typename Function>
  void find(Function& function, const char* name) const {
    const auto platform = device_info<cl_platform_id>(CL_DEVICE_PLATFORM);
    function = reinterpret_cast<Function>(clGetExtensionFunctionAddressForPlatform(platform, name));
  }

  // Released at the end.
  cl_semaphore_khr create(const std::vector<cl_properties>& properties, cl_int& status) {
    const cl_semaphore_khr made = create_(context(), properties.data(), &status);
    if (made) made_.push_back(made);
    return made;
  }
  template <typename T>
  T info(cl_semaphore_khr semaphore, cl_semaphore_info_khr name) const {
    T value{};
    size_t bytes = 0;
    EXPECT_OK(info_(semaphore, name, sizeof value, &value, &bytes));
    EXPECT_EQ(bytes, sizeof value);
    return value;
  }
  cl_ulong payload(cl_semaphore_khr semaphore) const {
    return info<cl_semaphore_payload_khr>(semaphore, CL_SEMAPHORE_PAYLOAD_KHR);
  }

  using Enqueue = clEnqueueWaitSemaphoresKHR_fn;  // signals have the same type
  static Event enqueue(Enqueue function, const Queue& queue, const std::vector<cl_semaphore_khr>& semaphores,
                       const std::vector<cl_event>& after) {
    cl_event event = nullptr;
    check(function(queue.get(), static_cast<cl_uint>(semaphores.size()), semaphores.data(), nullptr,
                   static_cast<cl_uint>(after.size()), after.empty() ? nullptr : after.data(), &event));
    check(clFlush(queue.get()));
    return Event(event);
  }
  Event wait(const Queue& queue, const std::vector<cl_semaphore_khr>& semaphores,
             const std::vector<cl_event>& after = {}) const {
    return enqueue(wait_, queue, semaphores, after);
  }
  Event signal(const Queue& queue, const std::vector<cl_semaphore_khr>& semaphores,
               const std::vector<cl_event>& after = {}) const {
    return enqueue(signal_, queue, semaphores, after);
  }
  // Its last status, if it has not ended after ten seconds.
  static cl_int end_of(const Event& event) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (status_of(event) > CL_COMPLETE && std::chrono::steady_clock::now() < give_up)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return status_of(event);
  }
  Queue in_order() const {
    cl_int status = CL_SUCCESS;
    Queue made(clCreateCommandQueue(context(), device(), 0, &status));
    check(status);
    return made;
  }

  clCreateSemaphoreWithPropertiesKHR_fn create_ = nullptr;
  clRetainSemaphoreKHR_fn retain_ = nullptr;
  clReleaseSemaphoreKHR_fn release_ = nullptr;
  clGetSemaphoreInfoKHR_fn info_ = nullptr;
  Enqueue wait_ = nullptr, signal_ = nullptr;
  cl_semaphore_khr s_ = nullptr, t_ = nullptr;

 private:
  std::vector<cl_semaphore_khr> made_;
};

// What a device and its platform say of semaphores.
template <typename Ask>
std::vector<cl_uint> types(Ask ask) {
  size_t bytes = 0;
  check(ask(0, nullptr, &bytes));
  std::vector<cl_uint> values(bytes / sizeof(cl_uint));
  check(ask(bytes, values.data(), nullptr));
  return values;
}

TEST_F(Semaphores, DeviceAndPlatformTellTheirTypes) {
  const auto platform = device_info<cl_platform_id>(CL_DEVICE_PLATFORM);
  const auto of_device = types([&](size_t size, void* value, size_t* bytes) {
    return clGetDeviceInfo(device(), CL_DEVICE_SEMAPHORE_TYPES_KHR, size, value, bytes);
  });
  const auto of_platform = types([&](size_t size, void* value, size_t* bytes) {
    return clGetPlatformInfo(platform, CL_PLATFORM_SEMAPHORE_TYPES_KHR, size, value, bytes);
  });
  EXPECT_EQ(std::count(of_device.begin(), of_device.end(), CL_SEMAPHORE_TYPE_BINARY_KHR), 1);
  EXPECT_EQ(std::count(of_platform.begin(), of_platform.end(), CL_SEMAPHORE_TYPE_BINARY_KHR), 1);
}

TEST_F(Semaphores, AreInBothListsOfExtensions) {
  size_t bytes = 0;
  ASSERT_OK(clGetDeviceInfo(device(), CL_DEVICE_EXTENSIONS_WITH_VERSION, 0, nullptr, &bytes));
  std::vector<cl_name_version> all(bytes / sizeof(cl_name_version));
  ASSERT_OK(clGetDeviceInfo(device(), CL_DEVICE_EXTENSIONS_WITH_VERSION, bytes, all.data(), nullptr));
  EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                          [](const auto& named) { return std::string("cl_khr_semaphore") == named.name; }));
}

TEST_F(Semaphores, KnowWhatTheyAre) {
  EXPECT_EQ(info<cl_semaphore_type_khr>(s_, CL_SEMAPHORE_TYPE_KHR),
            cl_semaphore_type_khr{CL_SEMAPHORE_TYPE_BINARY_KHR});
  EXPECT_EQ(info<cl_context>(s_, CL_SEMAPHORE_CONTEXT_KHR), context());
  EXPECT_EQ(payload(s_), 0u);
  size_t bytes = 0;
  ASSERT_OK(info_(s_, CL_SEMAPHORE_PROPERTIES_KHR, 0, nullptr, &bytes));
  std::vector<cl_properties> properties(bytes / sizeof(cl_properties));
  ASSERT_OK(info_(s_, CL_SEMAPHORE_PROPERTIES_KHR, bytes, properties.data(), nullptr));
  EXPECT_EQ(properties, kBinary);
  EXPECT_NE(info_(s_, 0x1234, 0, nullptr, nullptr), CL_SUCCESS);
  char little = 0;
  EXPECT_STATUS(info_(s_, CL_SEMAPHORE_TYPE_KHR, sizeof little, &little, nullptr), CL_INVALID_VALUE);
}

TEST_F(Semaphores, AreCounted) {
  EXPECT_EQ(info<cl_uint>(s_, CL_SEMAPHORE_REFERENCE_COUNT_KHR), 1u);
  EXPECT_OK(retain_(s_));
  EXPECT_EQ(info<cl_uint>(s_, CL_SEMAPHORE_REFERENCE_COUNT_KHR), 2u);
  EXPECT_OK(release_(s_));
  EXPECT_EQ(info<cl_uint>(s_, CL_SEMAPHORE_REFERENCE_COUNT_KHR), 1u);
}

TEST_F(Semaphores, AreOfTheDevicesTheyWereMadeFor) {
  const auto handle = reinterpret_cast<cl_properties>(device());
  const std::vector<cl_properties> wanted{
      CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, kDeviceHandleList, handle, 0, 0};
  cl_int status = CL_SUCCESS;
  const cl_semaphore_khr made = create(wanted, status);
  if (!made) GTEST_SKIP() << "the driver takes no list of devices: " << bench::status_name(status);
  EXPECT_EQ(info<cl_device_id>(made, kDeviceHandleList), device());
  size_t bytes = 0;
  ASSERT_OK(info_(made, CL_SEMAPHORE_PROPERTIES_KHR, 0, nullptr, &bytes));
  std::vector<cl_properties> properties(bytes / sizeof(cl_properties));
  ASSERT_OK(info_(made, CL_SEMAPHORE_PROPERTIES_KHR, bytes, properties.data(), nullptr));
  EXPECT_EQ(properties, wanted);
}

TEST_F(Semaphores, AreSignalledUntilTheyAreWaitedFor) {
  const Queue q = in_order();
  for (int round = 0; round < 3; ++round) {
    signal(q, {s_});
    ASSERT_OK(clFinish(q.get()));
    EXPECT_EQ(payload(s_), 1u);
    wait(q, {s_});
    ASSERT_OK(clFinish(q.get()));
    EXPECT_EQ(payload(s_), 0u);
  }
}

// Each queue's kernel needs what the other's has written; nothing but semaphores orders them.
TEST_F(Semaphores, OrderKernelsOfTwoQueues) {
  const auto k = kernel("__kernel void k(__global int* x) { size_t i = get_global_id(0); x[i] = 3 * x[i] + 1; }");
  const Buffer x = buffer(counting<cl_int>(kItems));
  set_arguments(k, x);
  const Queue one = in_order(), other = in_order();
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) wait(one, {t_});
    launch(k, {{kItems}}, {}, one.get());
    signal(one, {s_});
    wait(other, {s_});
    launch(k, {{kItems}}, {}, other.get());
    signal(other, {t_});
  }
  wait(one, {t_});
  std::vector<cl_int> expected = counting<cl_int>(kItems);
  for (int i = 0; i < 2 * kRounds; ++i) {
    for (cl_int& value : expected) value = static_cast<cl_int>(3U * static_cast<cl_uint>(value) + 1U);
  }
  EXPECT_EQ(read<cl_int>(x, kItems, 0, one.get()), expected);
  ASSERT_OK(clFinish(other.get()));
}

TEST_F(Semaphores, AreWaitedForAndSignalledSeveralAtOnce) {
  const Queue one = in_order(), other = in_order();
  signal(one, {s_, t_});
  const Event end = wait(other, {t_, s_});
  EXPECT_EQ(end_of(end), CL_COMPLETE);
  EXPECT_EQ(payload(s_) + payload(t_), 0u);
  signal(one, {s_});
  signal(one, {t_});
  EXPECT_EQ(end_of(wait(other, {s_, t_})), CL_COMPLETE);
}

// By what comes into another queue later.
TEST_F(Semaphores, MayBeWaitedForBeforeTheirSignalIsEnqueued) {
  const Queue one = in_order(), other = in_order();
  const Buffer x = buffer(std::vector<cl_int>{0});
  const Event waited = wait(one, {s_});
  const Event after = fill(x, 7, {}, one.get());
  ASSERT_OK(clFlush(one.get()));
  fill(x, 5, {}, other.get());
  ASSERT_OK(clFinish(other.get()));
  EXPECT_GT(status_of(waited), CL_COMPLETE);
  EXPECT_GT(status_of(after), CL_COMPLETE);
  EXPECT_EQ(read<cl_int>(x, 1, 0, other.get())[0], 5);
  const Event signalled = signal(other, {s_});
  EXPECT_EQ(end_of(after), CL_COMPLETE);
  EXPECT_EQ(end_of(waited), CL_COMPLETE);
  EXPECT_EQ(end_of(signalled), CL_COMPLETE);
  EXPECT_EQ(read<cl_int>(x, 1, 0, other.get())[0], 7);
}

TEST_F(Semaphores, SignalsComeAfterTheirWaitList) {
  const Queue one = in_order(), other = in_order();
  const Event gate = user_event();
  const Event signalled = signal(one, {s_}, {gate.get()});
  const Event waited = wait(other, {s_});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GT(status_of(signalled), CL_COMPLETE);
  EXPECT_GT(status_of(waited), CL_COMPLETE);
  EXPECT_EQ(payload(s_), 0u);
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  EXPECT_EQ(end_of(waited), CL_COMPLETE);
  EXPECT_EQ(end_of(signalled), CL_COMPLETE);
}

TEST_F(Semaphores, WaitsComeAfterTheirWaitList) {
  const Queue one = in_order(), other = in_order();
  const Event gate = user_event();
  const Event waited = wait(other, {s_}, {gate.get()});
  signal(one, {s_});
  ASSERT_OK(clFinish(one.get()));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GT(status_of(waited), CL_COMPLETE);
  EXPECT_EQ(payload(s_), 1u) << "it is taken when the wait is given to the device";
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  EXPECT_EQ(end_of(waited), CL_COMPLETE);
  EXPECT_EQ(payload(s_), 0u);
}

// The first wait takes the first signal, and must not wait for the second.
TEST_F(Semaphores, SignalsAreTakenOneByOne) {
  const Queue one = in_order(), other = in_order(), third = in_order();
  const Event gate = user_event();
  signal(one, {s_});
  signal(other, {s_}, {gate.get()});
  EXPECT_EQ(end_of(wait(third, {s_})), CL_COMPLETE);
  const Event second = wait(third, {s_});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GT(status_of(second), CL_COMPLETE);
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  EXPECT_EQ(end_of(second), CL_COMPLETE);
}

// In an out-of-order queue only events say what a wait holds back.
TEST_F(Semaphores, WaitsHoldBackNothingElseOutOfOrder) {
  const Queue loose = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), other = in_order();
  const Buffer x = buffer(std::vector<cl_int>{0}), y = buffer(std::vector<cl_int>{0});
  const Event gate = user_event();
  signal(other, {s_}, {gate.get()});
  const Event waited = wait(loose, {s_});
  const Event free = fill(x, 1, {}, loose.get());
  const Event held = fill(y, 1, {waited.get()}, loose.get());
  ASSERT_OK(clFlush(loose.get()));
  EXPECT_EQ(end_of(free), CL_COMPLETE);
  EXPECT_GT(status_of(held), CL_COMPLETE);
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  EXPECT_EQ(end_of(held), CL_COMPLETE);
}

TEST_F(Semaphores, MayBeReleasedWhileCommandsNeedThem) {
  const Queue one = in_order(), other = in_order();
  const Event gate = user_event();
  cl_int status = CL_SUCCESS;
  const cl_semaphore_khr brief = create_(context(), kBinary.data(), &status);
  ASSERT_OK(status);
  signal(one, {brief}, {gate.get()});
  const Event waited = wait(other, {brief});
  EXPECT_OK(release_(brief));
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  EXPECT_EQ(end_of(waited), CL_COMPLETE);
}

TEST_F(Semaphores, TellTheEndOfAWaitByCallback) {
  const Queue one = in_order(), other = in_order();
  const Event gate = user_event();
  signal(one, {s_}, {gate.get()});
  const Event waited = wait(other, {s_});
  std::atomic<int> told{0};
  ASSERT_OK(clSetEventCallback(
      waited.get(), CL_COMPLETE,
      [](cl_event, cl_int status, void* to) { *static_cast<std::atomic<int>*>(to) = status == CL_COMPLETE ? 1 : -1; },
      &told));
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  ASSERT_OK(clFinish(other.get()));
  for (int i = 0; i < 5000 && told == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(told, 1);
}

// Another thread signals what this one waits for, which sleeps in clFinish.
TEST_F(Semaphores, AreSignalledByAnotherThread) {
  const Queue one = in_order(), other = in_order();
  const Buffer x = buffer(std::vector<cl_int>{0});
  for (int round = 1; round <= 20; ++round) {
    const Event gate = user_event();
    signal(other, {s_}, {gate.get()});
    wait(one, {s_});
    fill(x, round, {}, one.get());
    std::thread opens([&] { check(clSetUserEventStatus(gate.get(), CL_COMPLETE)); });
    EXPECT_EQ(read<cl_int>(x, 1, 0, one.get())[0], round);
    opens.join();
  }
}

// The right to a buffer goes from queue to queue, by semaphores alone; some signals wait for the host.
class HandOvers {
 public:
  HandOvers(unsigned seed, std::vector<Queue> queues) : random_(seed), queues_(std::move(queues)) {}
  size_t below(size_t bound) { return random_() % bound; }
  const Queue& holder() const { return queues_[holder_]; }
  // Another queue, or the same.
  const Queue& next() { return queues_[holder_ = below(queues_.size())]; }

 private:
  std::mt19937 random_;
  std::vector<Queue> queues_;
  size_t holder_ = 0;
};

// SAMCL_SEED repeats what a run had.
TEST_F(Semaphores, OrderRandomHandOversInTwoThreads) {
  const samcl::TestSeed chosen;
  const auto seed = static_cast<unsigned>(chosen);
  constexpr int kSteps = 60;
  const auto program =
      build("__kernel void k(__global int* x, int a, int b) { size_t i = get_global_id(0); x[i] = a * x[i] + b; }");
  const auto play = [&](unsigned its_seed, const std::vector<cl_semaphore_khr>& semaphores) {
    const Kernel k = bench::make_kernel(program, "k");
    std::vector<Queue> queues;
    for (int i = 0; i < 3; ++i) queues.push_back(in_order());
    HandOvers hand(its_seed, std::move(queues));
    std::vector<cl_uint> expected(kItems, 1);
    const Buffer x = buffer(std::vector<cl_int>(kItems, 1));
    std::vector<Event> gates;
    for (int step = 0; step < kSteps; ++step) {
      const auto a = static_cast<cl_int>(hand.below(5)), b = static_cast<cl_int>(hand.below(100));
      set_arguments(k, x, a, b);
      launch(k, {{kItems}}, {}, hand.holder().get());
      for (cl_uint& value : expected) value = static_cast<cl_uint>(a) * value + static_cast<cl_uint>(b);
      if (hand.below(8) == 0) gates.push_back(user_event());
      const bool is_gated = hand.below(4) == 0 && !gates.empty();
      const cl_semaphore_khr by = semaphores[static_cast<size_t>(step)];  // two waits for one would be in no order
      signal(hand.holder(), {by}, is_gated ? std::vector{gates.back().get()} : std::vector<cl_event>());
      wait(hand.next(), {by});
      if (hand.below(6) == 0) {
        for (const Event& gate : gates) check(clSetUserEventStatus(gate.get(), CL_COMPLETE));
        gates.clear();
      }
      if (gates.empty() && hand.below(10) == 0) check(clFinish(hand.holder().get()));
    }
    for (const Event& gate : gates) check(clSetUserEventStatus(gate.get(), CL_COMPLETE));
    const std::vector<cl_int> values = read<cl_int>(x, kItems, 0, hand.holder().get());
    return std::vector<cl_uint>(values.begin(), values.end()) == expected;
  };
  cl_int status = CL_SUCCESS;
  std::vector<cl_semaphore_khr> some, more;
  for (int step = 0; step < kSteps; ++step) {
    some.push_back(create(kBinary, status));
    more.push_back(create(kBinary, status));
  }
  ASSERT_OK(status);
  bool is_right = false;
  std::thread other([&] { is_right = play(seed + 1, more); });
  EXPECT_TRUE(play(seed, some));
  other.join();
  EXPECT_TRUE(is_right);
}

TEST_F(Semaphores, CommandsAreCheckedWhenTheyAreEnqueued) {
  const Queue q = in_order();
  for (const Enqueue function : {wait_, signal_}) {
    EXPECT_STATUS(function(nullptr, 1, &s_, nullptr, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
    EXPECT_STATUS(function(q.get(), 0, &s_, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
    EXPECT_STATUS(function(q.get(), 1, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
    EXPECT_STATUS(function(q.get(), 1, &s_, nullptr, 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
    const bench::Session elsewhere = bench::Session::open(0, 0);
    EXPECT_STATUS(function(elsewhere.queue.get(), 1, &s_, nullptr, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
  }
  // What was refused is not in the queue.
  signal(q, {s_});
  wait(q, {s_});
  EXPECT_OK(clFinish(q.get()));
}

TEST_F(Semaphores, AreCheckedWhenTheyAreMade) {
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(create_(nullptr, kBinary.data(), &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(create_(context(), nullptr, &status), nullptr);
  EXPECT_NE(status, CL_SUCCESS);
  const cl_properties unknown[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0x1234, 1, 0};
  EXPECT_EQ(create_(context(), unknown, &status), nullptr);
  EXPECT_NE(status, CL_SUCCESS);
}

// Those that go out of OpenCL and come back. What a driver does not export is skipped.
class ExternalSemaphores : public Semaphores {
 protected:
  void SetUp() override {
    Semaphores::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    find(handle_, "clGetSemaphoreHandleForTypeKHR");
    find(re_import_, "clReImportSemaphoreSyncFdKHR");
  }
  cl_semaphore_khr exportable(cl_properties type, cl_int& status) {
    return create(
        {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, type, 0, 0},
        status);
  }
  cl_semaphore_khr imported(cl_properties type, int file, cl_int& status) {
    return create({CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, type, static_cast<cl_properties>(file), 0},
                  status);
  }
  cl_int export_as(cl_uint type, cl_semaphore_khr semaphore, int& file) const {
    return handle_(semaphore, device(), type, sizeof file, &file, nullptr);
  }

  clGetSemaphoreHandleForTypeKHR_fn handle_ = nullptr;
  ReImport re_import_ = nullptr;
};

TEST_F(ExternalSemaphores, OpaqueFileIsTheSameSemaphore) {
  if (!bench::has_extension(device(), "cl_khr_external_semaphore_opaque_fd"))
    GTEST_SKIP() << "the device has no opaque files";
  ASSERT_NE(handle_, nullptr);
  cl_int status = CL_SUCCESS;
  const cl_semaphore_khr out = exportable(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, status);
  if (!out) GTEST_SKIP() << "the driver exports none: " << bench::status_name(status);
  int file = -1;
  status = export_as(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, out, file);
  if (status != CL_SUCCESS) GTEST_SKIP() << "the driver exports none: " << bench::status_name(status);
  const cl_semaphore_khr in = imported(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, file, status);
  ASSERT_OK(status);
  const Queue one = in_order(), other = in_order();
  const Buffer x = buffer(std::vector<cl_int>{0});
  for (int round = 1; round <= 5; ++round) {
    fill(x, round, {}, one.get());
    signal(one, {out});
    const Event waited = wait(other, {in});
    ASSERT_EQ(end_of(waited), CL_COMPLETE);
    EXPECT_EQ(read<cl_int>(x, 1, 0, other.get())[0], round);
  }
}

TEST_F(ExternalSemaphores, SyncFileIsASignalThatIsOnItsWay) {
  if (!bench::has_extension(device(), "cl_khr_external_semaphore_sync_fd"))
    GTEST_SKIP() << "the device has no sync files";
  ASSERT_TRUE(handle_ && re_import_);
  cl_int status = CL_SUCCESS;
  const cl_semaphore_khr out = exportable(CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, status);
  if (!out) GTEST_SKIP() << "the driver exports none: " << bench::status_name(status);
  int file = -1;
  EXPECT_NE(export_as(CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, out, file), CL_SUCCESS) << "nobody signals it";
  const Queue one = in_order(), other = in_order();
  const Event gate = user_event();
  signal(one, {out}, {gate.get()});
  status = export_as(CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, out, file);
  if (status != CL_SUCCESS) {
    check(clSetUserEventStatus(gate.get(), CL_COMPLETE));
    GTEST_SKIP() << "the driver exports no signal that waits for an event: " << bench::status_name(status);
  }
  const cl_semaphore_khr in = imported(CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, -1, status);
  ASSERT_OK(status);
  ASSERT_OK(re_import_(in, nullptr, file));
  const Event waited = wait(other, {in});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GT(status_of(waited), CL_COMPLETE);
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  EXPECT_EQ(end_of(waited), CL_COMPLETE);
}

TEST_F(ExternalSemaphores, OfAHandleTypeThatTheyWereNotMadeForAreRefused) {
  ASSERT_NE(handle_, nullptr);
  int file = -1;
  EXPECT_NE(export_as(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, s_, file), CL_SUCCESS);
}

// As renderers do it: wait, take the memory, compute, give the memory back, signal. What waits is enqueued first.
TEST_F(ExternalSemaphores, HandOverMemoryFromOutside) {
  if (!bench::has_extension(device(), "cl_khr_external_memory_opaque_fd"))
    GTEST_SKIP() << "the device imports no memory";
  constexpr size_t kBytes = kItems * sizeof(cl_int);
  const int file = memfd_create("semaphores_test", 0);
  ASSERT_EQ(ftruncate(file, kBytes), 0);
  auto* const outside = static_cast<cl_int*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, static_cast<cl_mem_properties>(file),
                                          0};
  cl_int status = CL_SUCCESS;
  const Buffer memory(clCreateBufferWithProperties(context(), properties, CL_MEM_READ_WRITE, kBytes, nullptr, &status));
  if (status != CL_SUCCESS) GTEST_SKIP() << "the driver imports no such file: " << bench::status_name(status);
  clEnqueueAcquireExternalMemObjectsKHR_fn acquire = nullptr;
  clEnqueueReleaseExternalMemObjectsKHR_fn give_back = nullptr;
  find(acquire, "clEnqueueAcquireExternalMemObjectsKHR");
  find(give_back, "clEnqueueReleaseExternalMemObjectsKHR");
  const auto k =
      kernel("__kernel void k(__global const int* x, __global int* y) { y[get_global_id(0)] = x[get_global_id(0)]; }");
  const auto make = kernel("__kernel void k(__global int* x) { x[get_global_id(0)] = get_global_id(0) + 5; }");
  const Buffer x = buffer_of(kBytes);
  set_arguments(make, x);
  set_arguments(k, x, memory);
  const Queue one = in_order(), other = in_order();
  launch(make, {{kItems}}, {}, one.get());  // perhaps on several devices
  wait(one, {s_});
  const cl_mem handle = memory.get();
  ASSERT_OK(acquire(one.get(), 1, &handle, 0, nullptr, nullptr));
  launch(k, {{kItems}}, {}, one.get());
  ASSERT_OK(give_back(one.get(), 1, &handle, 0, nullptr, nullptr));
  signal(one, {t_});
  const Event taken = wait(other, {t_});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GT(status_of(taken), CL_COMPLETE);
  EXPECT_EQ(outside[3], 0);
  const Queue third = in_order();
  signal(third, {s_});
  ASSERT_EQ(end_of(taken), CL_COMPLETE);
  EXPECT_EQ(std::vector<cl_int>(outside, outside + kItems), counting<cl_int>(kItems, 5));
  munmap(outside, kBytes);
  close(file);
}

}  // namespace
}  // namespace cases
