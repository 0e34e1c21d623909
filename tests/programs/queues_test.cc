// Command queues: several of them, several threads, in order and out of order, markers, barriers, flushing.
#include <chrono>
#include <numeric>
#include <thread>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

// x = 3 x + step: the result tells the order of the steps.
constexpr char kStep[] = R"(
  __kernel void k(__global uint* x, uint step) { size_t i = get_global_id(0); x[i] = 3 * x[i] + step; })";

class Queues : public OpenCl {
 protected:
  // What the steps 1..n in this order make of x.
  static cl_uint after_steps(cl_uint x, cl_uint n) {
    for (cl_uint step = 1; step <= n; ++step) x = 3 * x + step;
    return x;
  }
  // Starts the step on `where`.
  Event step(const Kernel& kernel, const Buffer& x, cl_uint number, cl_command_queue where,
             std::vector<cl_event> after = {}) {
    set_arguments(kernel, x, number);
    return launch(kernel, {{64}, {8}}, std::move(after), where);
  }
  Queue out_of_order() {
    if (!(device_info<cl_command_queue_properties>(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) &
          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
      return Queue();
    return make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  }
};

TEST_F(Queues, SecondQueueReadsWhatTheFirstComputed) {
  const Queue second = make_queue();
  const auto k = kernel(kStep);
  const Buffer x = buffer(std::vector<cl_uint>(64, 5));
  step(k, x, 1, queue());
  ASSERT_OK(clFinish(queue()));
  EXPECT_EQ(read<cl_uint>(x, 64, 0, second.get()), std::vector<cl_uint>(64, 16));
}

TEST_F(Queues, EventsTieCommandsOfTwoQueues) {
  const Queue second = make_queue();
  const auto k = kernel(kStep);
  const Buffer x = buffer(std::vector<cl_uint>(64, 0));
  Event last;
  for (cl_uint i = 1; i <= 12; ++i) {
    const cl_command_queue where = i % 2 ? queue() : second.get();
    last = step(k, x, i, where, i == 1 ? std::vector<cl_event>{} : std::vector<cl_event>{last.get()});
    ASSERT_OK(clFlush(where));
  }
  ASSERT_OK(clWaitForEvents(1, last.address()));
  EXPECT_EQ(read<cl_uint>(x, 64), std::vector<cl_uint>(64, after_steps(0, 12)));
}

// No argument of the kernels tells that the second needs what the first does.
TEST_F(Queues, EventsOrderWhatIsDoneToVariablesOfTheProgram) {
  constexpr char kRemember[] = R"(
    __global uint last = 0;
    __kernel void k(__global uint* x, uint value, uint rounds) {
      if (rounds == 0) { x[value] = last; return; }
      uint sum = value;
      for (uint i = 0; i < rounds; ++i) sum = sum * 1664525u + x[sum & 15];
      x[16] = sum;
      last = value;
    })";
  const char* source = kRemember;
  cl_int error = CL_SUCCESS;
  const Program program(clCreateProgramWithSource(context(), 1, &source, nullptr, &error));
  cl_device_id its_device = device();
  if (clBuildProgram(program.get(), 1, &its_device, "-cl-std=CL2.0", nullptr, nullptr) != CL_SUCCESS)
    GTEST_SKIP() << "the device's compiler has no variables of programs";
  const Kernel sets = bench::make_kernel(program, "k"), tells = bench::make_kernel(program, "k");
  constexpr cl_uint kTimes = 20;
  const Queue second = make_queue();
  const Buffer x = buffer(std::vector<cl_uint>(32, 1)), told = buffer(std::vector<cl_uint>(kTimes, 0));
  Event before;
  for (cl_uint i = 0; i < kTimes; ++i) {
    set_arguments(sets, x, i + 1, cl_uint{300'000});
    set_arguments(tells, told, i, cl_uint{0});
    const Event set = launch(sets, {{1}, {1}}, i == 0 ? std::vector<cl_event>() : std::vector{before.get()}, queue());
    before = launch(tells, {{1}, {1}}, {set.get()}, second.get());
    ASSERT_OK(clFlush(queue()));
    ASSERT_OK(clFlush(second.get()));
  }
  std::vector<cl_uint> expected(kTimes);
  std::iota(expected.begin(), expected.end(), 1u);
  EXPECT_EQ(read<cl_uint>(told, kTimes, 0, second.get()), expected);
}

TEST_F(Queues, TwoThreadsEachWithAQueue) {
  const Program program = build(kStep);
  std::vector<std::vector<cl_uint>> results(2);
  auto work = [&](cl_uint who) {
    const Queue own = make_queue();
    const Kernel k = bench::make_kernel(program, "k");
    const Buffer x = buffer(std::vector<cl_uint>(64, who));
    for (cl_uint i = 1; i <= 50; ++i) step(k, x, i, own.get());
    results[who] = read<cl_uint>(x, 64, 0, own.get());
  };
  std::thread one(work, 0), two(work, 1);
  one.join();
  two.join();
  EXPECT_EQ(results[0], std::vector<cl_uint>(64, after_steps(0, 50)));
  EXPECT_EQ(results[1], std::vector<cl_uint>(64, after_steps(1, 50)));
}

TEST_F(Queues, TwoThreadsShareOneQueue) {
  const Program program = build(kStep);
  std::vector<std::vector<cl_uint>> results(2);
  auto work = [&](cl_uint who) {
    const Kernel k = bench::make_kernel(program, "k");
    const Buffer x = buffer(std::vector<cl_uint>(64, who));
    for (cl_uint i = 1; i <= 50; ++i) step(k, x, i, queue());
    results[who] = read<cl_uint>(x, 64);
  };
  std::thread one(work, 0), two(work, 1);
  one.join();
  two.join();
  EXPECT_EQ(results[0], std::vector<cl_uint>(64, after_steps(0, 50)));
  EXPECT_EQ(results[1], std::vector<cl_uint>(64, after_steps(1, 50)));
}

TEST_F(Queues, OutOfOrderQueueFollowsWaitLists) {
  const Queue loose = out_of_order();
  if (!loose.get()) GTEST_SKIP() << "no out-of-order queues";
  const auto k = kernel(kStep);
  const Buffer x = buffer(std::vector<cl_uint>(64, 1));
  std::vector<Event> steps;
  for (cl_uint i = 1; i <= 20; ++i)
    steps.push_back(step(k, x, i, loose.get(),
                         steps.empty() ? std::vector<cl_event>{} : std::vector<cl_event>{steps.back().get()}));
  std::vector<cl_uint> result(64);
  ASSERT_OK(clEnqueueReadBuffer(loose.get(), x.get(), CL_TRUE, 0, 64 * sizeof(cl_uint), result.data(), 1,
                                steps.back().address(), nullptr));
  EXPECT_EQ(result, std::vector<cl_uint>(64, after_steps(1, 20)));
}

// Two branches from one command that come together again.
TEST_F(Queues, OutOfOrderQueueJoinsBranches) {
  const Queue loose = out_of_order();
  if (!loose.get()) GTEST_SKIP() << "no out-of-order queues";
  const auto sum = kernel(R"(__kernel void k(__global int* a, __global int* b, __global int* c) {
                               size_t i = get_global_id(0); c[i] = a[i] + 10 * b[i]; })");
  const Buffer a = buffer(std::vector<cl_int>(32, 1)), b = buffer(std::vector<cl_int>(32, 2)), c = buffer_of(128),
               d = buffer_of(128), e = buffer_of(128);
  set_arguments(sum, a, b, c);
  const Event first = launch(sum, {{32}}, {}, loose.get());  // c = 21
  set_arguments(sum, c, a, d);
  const Event left = launch(sum, {{32}}, {first.get()}, loose.get());  // d = 31
  set_arguments(sum, b, c, e);
  const Event right = launch(sum, {{32}}, {first.get()}, loose.get());  // e = 212
  set_arguments(sum, d, e, a);
  const Event join = launch(sum, {{32}}, {left.get(), right.get()}, loose.get());  // a = 2151
  ASSERT_OK(clWaitForEvents(1, join.address()));
  EXPECT_EQ(read<cl_int>(a, 32), std::vector<cl_int>(32, 2151));
}

TEST_F(Queues, BarrierInAnOutOfOrderQueueOrdersWhatIsBeforeAndAfter) {
  const Queue loose = out_of_order();
  if (!loose.get()) GTEST_SKIP() << "no out-of-order queues";
  const auto k = kernel(kStep);
  const Buffer x = buffer(std::vector<cl_uint>(64, 7));
  for (cl_uint i = 1; i <= 8; ++i) {
    step(k, x, i, loose.get());
    ASSERT_OK(clEnqueueBarrierWithWaitList(loose.get(), 0, nullptr, nullptr));
  }
  ASSERT_OK(clFinish(loose.get()));
  EXPECT_EQ(read<cl_uint>(x, 64), std::vector<cl_uint>(64, after_steps(7, 8)));
}

TEST_F(Queues, OldBarrierCallOrdersToo) {
  const Queue loose = out_of_order();
  if (!loose.get()) GTEST_SKIP() << "no out-of-order queues";
  const auto k = kernel(kStep);
  const Buffer x = buffer(std::vector<cl_uint>(64, 7));
  for (cl_uint i = 1; i <= 3; ++i) {
    step(k, x, i, loose.get());
    ASSERT_OK(clEnqueueBarrier(loose.get()));
  }
  ASSERT_OK(clFinish(loose.get()));
  EXPECT_EQ(read<cl_uint>(x, 64), std::vector<cl_uint>(64, after_steps(7, 3)));
}

TEST_F(Queues, OldWaitCallOrdersToo) {
  const Queue loose = out_of_order();
  if (!loose.get()) GTEST_SKIP() << "no out-of-order queues";
  const auto k = kernel(kStep);
  const Buffer x = buffer(std::vector<cl_uint>(64, 7));
  for (cl_uint i = 1; i <= 3; ++i) {
    const Event done = step(k, x, i, loose.get());
    ASSERT_OK(clEnqueueWaitForEvents(loose.get(), 1, done.address()));
  }
  ASSERT_OK(clFinish(loose.get()));
  EXPECT_EQ(read<cl_uint>(x, 64), std::vector<cl_uint>(64, after_steps(7, 3)));
}

TEST_F(Queues, MarkerWithoutAListWaitsForAllCommandsBefore) {
  const auto k = kernel(kStep);
  const Buffer x = buffer(std::vector<cl_uint>(64, 0));
  const Event before = step(k, x, 1, queue());
  cl_event marker = nullptr;
  ASSERT_OK(clEnqueueMarkerWithWaitList(queue(), 0, nullptr, &marker));
  const Event owned(marker);
  ASSERT_OK(clWaitForEvents(1, &marker));
  EXPECT_EQ(status_of(before), CL_COMPLETE);
}

TEST_F(Queues, MarkerWithAListWaitsForThatListOnly) {
  const Queue second = make_queue();
  const Event gate = user_event(), never_asked = user_event();
  const Buffer x = buffer_of(4);
  const cl_int zero = 0;
  cl_event blocked = nullptr;
  ASSERT_OK(clEnqueueFillBuffer(second.get(), x.get(), &zero, 4, 0, 4, 1, never_asked.address(), &blocked));
  const Event owned_blocked(blocked);
  cl_event marker = nullptr;
  ASSERT_OK(clEnqueueMarkerWithWaitList(queue(), 1, gate.address(), &marker));
  const Event owned(marker);
  ASSERT_OK(clFlush(queue()));
  EXPECT_GT(status_of(owned), CL_COMPLETE);
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  ASSERT_OK(clWaitForEvents(1, &marker));
  EXPECT_EQ(status_of(owned), CL_COMPLETE);
  EXPECT_GT(status_of(owned_blocked), CL_COMPLETE);
  ASSERT_OK(clSetUserEventStatus(never_asked.get(), CL_COMPLETE));
  ASSERT_OK(clFinish(second.get()));
}

TEST_F(Queues, OldMarkerCallGivesAnEvent) {
  cl_event marker = nullptr;
  ASSERT_OK(clEnqueueMarker(queue(), &marker));
  const Event owned(marker);
  ASSERT_OK(clFinish(queue()));
  EXPECT_EQ(status_of(owned), CL_COMPLETE);
}

TEST_F(Queues, FinishOfAnUnusedQueueReturns) {
  EXPECT_OK(clFinish(queue()));
  EXPECT_OK(clFlush(queue()));
}

TEST_F(Queues, FlushAloneGetsTheWorkDone) {
  const auto k = kernel(kStep);
  const Buffer x = buffer(std::vector<cl_uint>(64, 0));
  const Event done = step(k, x, 1, queue());
  ASSERT_OK(clFlush(queue()));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (status_of(done) != CL_COMPLETE && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  EXPECT_EQ(status_of(done), CL_COMPLETE);
}

TEST_F(Queues, TwoThousandLaunchesThenAMap) {
  const auto k = kernel(kStep);
  const Buffer x = buffer(std::vector<cl_uint>(64, 1));
  for (cl_uint i = 1; i <= 2000; ++i) {
    set_arguments(k, x, i);
    const size_t global = 64;
    ASSERT_OK(clEnqueueNDRangeKernel(queue(), k.get(), 1, nullptr, &global, nullptr, 0, nullptr, nullptr));
  }
  cl_int status = CL_SUCCESS;
  auto* mapped = static_cast<cl_uint*>(clEnqueueMapBuffer(queue(), x.get(), CL_TRUE, CL_MAP_READ, 0,
                                                          64 * sizeof(cl_uint), 0, nullptr, nullptr, &status));
  ASSERT_OK(status);
  EXPECT_EQ(std::vector<cl_uint>(mapped, mapped + 64), std::vector<cl_uint>(64, after_steps(1, 2000)));
  ASSERT_OK(clEnqueueUnmapMemObject(queue(), x.get(), mapped, 0, nullptr, nullptr));
  ASSERT_OK(clFinish(queue()));
}

TEST_F(Queues, TenThousandCommandsEachWaitingForTheOneBefore) {
  const Buffer x = buffer(std::vector<cl_int>{0});
  Event last;
  for (cl_int i = 1; i <= 10000; ++i) {
    cl_event event = nullptr;
    ASSERT_OK(clEnqueueFillBuffer(queue(), x.get(), &i, sizeof i, 0, sizeof i, last.get() ? 1 : 0,
                                  last.get() ? last.address() : nullptr, &event));
    last = Event(event);
  }
  ASSERT_OK(clWaitForEvents(1, last.address()));
  EXPECT_EQ(read<cl_int>(x, 1), std::vector<cl_int>{10000});
}

TEST_F(Queues, LongChainBehindAGateRunsWhenTheGateOpens) {
  const Queue second = make_queue();
  const Event gate = user_event();
  const Buffer x = buffer(std::vector<cl_int>{0});
  cl_event last = gate.get();
  std::vector<Event> all;
  for (cl_int i = 1; i <= 2000; ++i) {
    cl_event event = nullptr;
    ASSERT_OK(
        clEnqueueFillBuffer(i % 2 ? queue() : second.get(), x.get(), &i, sizeof i, 0, sizeof i, 1, &last, &event));
    all.emplace_back(event);
    last = event;
  }
  ASSERT_OK(clFlush(queue()));
  ASSERT_OK(clFlush(second.get()));
  EXPECT_GT(status_of(all.front()), CL_COMPLETE);
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  ASSERT_OK(clWaitForEvents(1, &last));
  EXPECT_EQ(read<cl_int>(x, 1), std::vector<cl_int>{2000});
}

TEST_F(Queues, InfoNamesContextDeviceAndProperties) {
  cl_context its_context = nullptr;
  cl_device_id its_device = nullptr;
  cl_command_queue_properties properties = 0;
  ASSERT_OK(clGetCommandQueueInfo(queue(), CL_QUEUE_CONTEXT, sizeof its_context, &its_context, nullptr));
  ASSERT_OK(clGetCommandQueueInfo(queue(), CL_QUEUE_DEVICE, sizeof its_device, &its_device, nullptr));
  ASSERT_OK(clGetCommandQueueInfo(queue(), CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr));
  EXPECT_EQ(its_context, context());
  EXPECT_EQ(its_device, device());
  EXPECT_EQ(properties, cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE});
}

TEST_F(Queues, CanBeCreatedWithAPropertyList) {
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_int status = CL_SUCCESS;
  const Queue made(clCreateCommandQueueWithProperties(context(), device(), list, &status));
  ASSERT_OK(status);
  const auto k = kernel(kStep);
  const Buffer x = buffer(std::vector<cl_uint>(64, 2));
  step(k, x, 1, made.get());
  EXPECT_EQ(read<cl_uint>(x, 64, 0, made.get()), std::vector<cl_uint>(64, 7));
}

TEST_F(Queues, UnknownPropertiesAreRefused) {
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clCreateCommandQueue(context(), device(), cl_command_queue_properties{1} << 40, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_VALUE);
}

TEST_F(Queues, PropertiesChangeWhereTheDriverChangesThem) {
  char platform[64] = {};
  check(clGetPlatformInfo(device_info<cl_platform_id>(CL_DEVICE_PLATFORM), CL_PLATFORM_NAME, sizeof platform, platform,
                          nullptr));
  if (std::string_view(platform) == "Portable Computing Language")
    GTEST_SKIP() << "PoCL has another function in its place";
  const Queue changed = make_queue();
  const auto k = kernel(kStep);
  const Buffer x = buffer(std::vector<cl_uint>(64, 5));
  const auto times_are_told = [&](const Event& event) {
    cl_ulong began = 0;
    const cl_int status =
        clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START, sizeof began, &began, nullptr);
    return status == CL_SUCCESS && began > 0;
  };
  const Event before = step(k, x, 1, changed.get());
  cl_command_queue_properties old = ~cl_command_queue_properties{0};
  const cl_int status = clSetCommandQueueProperty(changed.get(), CL_QUEUE_PROFILING_ENABLE, CL_TRUE, &old);
  if (status == CL_INVALID_OPERATION) GTEST_SKIP() << "the driver changes none";
  ASSERT_OK(status);
  if (old == CL_QUEUE_PROFILING_ENABLE) GTEST_SKIP() << "all of the driver's queues tell times";  // NVIDIA's
  EXPECT_EQ(old, 0u);
  const auto properties = [&] {
    cl_command_queue_properties now = 0;
    check(clGetCommandQueueInfo(changed.get(), CL_QUEUE_PROPERTIES, sizeof now, &now, nullptr));
    return now;
  };
  EXPECT_EQ(properties(), cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE});
  const Event timed = step(k, x, 2, changed.get());
  constexpr cl_command_queue_properties kBoth = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  ASSERT_OK(clSetCommandQueueProperty(changed.get(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_TRUE, &old));
  EXPECT_EQ(properties(), kBoth);
  const Event third = step(k, x, 3, changed.get());
  const Event fourth = step(k, x, 4, changed.get(), {third.get()});
  ASSERT_OK(clSetCommandQueueProperty(changed.get(), kBoth, CL_FALSE, &old));
  EXPECT_EQ(old, kBoth);
  EXPECT_EQ(properties(), 0u);
  const Event last = step(k, x, 5, changed.get());
  EXPECT_EQ(read<cl_uint>(x, 64, 0, changed.get()), std::vector<cl_uint>(64, after_steps(5, 5)));
  EXPECT_FALSE(times_are_told(before));
  EXPECT_TRUE(times_are_told(timed));
  EXPECT_TRUE(times_are_told(fourth));
  EXPECT_FALSE(times_are_told(last));
}

}  // namespace
}  // namespace cases
