// Lifetimes: reference counts, what may be released while work is in flight, callbacks at the end, no leaks.
#include <dirent.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

constexpr char kIncrement[] = "__kernel void k(__global int* x) { x[get_global_id(0)] += 1; }";

class Lifetimes : public OpenCl {
 protected:
  template <typename Object, typename Query>
  static cl_uint references(Query query, Object object, cl_uint parameter) {
    cl_uint count = 0;
    check(query(object, parameter, sizeof count, &count, nullptr));
    return count;
  }
  static size_t entries(const char* directory) {
    size_t count = 0;
    DIR* opened = opendir(directory);
    while (readdir(opened)) ++count;
    closedir(opened);
    return count;
  }
  static size_t threads() { return entries("/proc/self/task"); }
  static size_t files() { return entries("/proc/self/fd"); }

  // Threads may take a moment to end: waits up to 5 s until there are at most `limit`.
  static size_t threads_settled(size_t limit) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (threads() > limit && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return threads();
  }
};

TEST_F(Lifetimes, RetainAndReleaseCount) {
  const auto k = kernel(kIncrement);
  const Buffer x = buffer_of(16);
  const Event e = user_event();
  ASSERT_OK(clRetainMemObject(x.get()));
  EXPECT_EQ(references(clGetMemObjectInfo, x.get(), CL_MEM_REFERENCE_COUNT), 2u);
  ASSERT_OK(clReleaseMemObject(x.get()));
  EXPECT_EQ(references(clGetMemObjectInfo, x.get(), CL_MEM_REFERENCE_COUNT), 1u);

  ASSERT_OK(clRetainKernel(k.get()));
  EXPECT_EQ(references(clGetKernelInfo, k.get(), CL_KERNEL_REFERENCE_COUNT), 2u);
  ASSERT_OK(clReleaseKernel(k.get()));
  EXPECT_EQ(references(clGetKernelInfo, k.get(), CL_KERNEL_REFERENCE_COUNT), 1u);

  ASSERT_OK(clRetainEvent(e.get()));
  EXPECT_EQ(references(clGetEventInfo, e.get(), CL_EVENT_REFERENCE_COUNT), 2u);
  ASSERT_OK(clReleaseEvent(e.get()));
  EXPECT_EQ(references(clGetEventInfo, e.get(), CL_EVENT_REFERENCE_COUNT), 1u);
  ASSERT_OK(clSetUserEventStatus(e.get(), CL_COMPLETE));

  const Queue q = make_queue();
  const cl_uint before = references(clGetCommandQueueInfo, q.get(), CL_QUEUE_REFERENCE_COUNT);
  ASSERT_OK(clRetainCommandQueue(q.get()));
  EXPECT_EQ(references(clGetCommandQueueInfo, q.get(), CL_QUEUE_REFERENCE_COUNT), before + 1);
  ASSERT_OK(clReleaseCommandQueue(q.get()));
  EXPECT_EQ(references(clGetCommandQueueInfo, q.get(), CL_QUEUE_REFERENCE_COUNT), before);

  const cl_uint programs = references(clGetProgramInfo, k.program.get(), CL_PROGRAM_REFERENCE_COUNT);
  ASSERT_OK(clRetainProgram(k.program.get()));
  EXPECT_EQ(references(clGetProgramInfo, k.program.get(), CL_PROGRAM_REFERENCE_COUNT), programs + 1);
  ASSERT_OK(clReleaseProgram(k.program.get()));
}

TEST_F(Lifetimes, ContextCountIsOneWhenFresh) {
  cl_int status = CL_SUCCESS;
  const cl_device_id target = device();
  const Context fresh(clCreateContext(nullptr, 1, &target, nullptr, nullptr, &status));
  ASSERT_OK(status);
  EXPECT_EQ(references(clGetContextInfo, fresh.get(), CL_CONTEXT_REFERENCE_COUNT), 1u);
}

TEST_F(Lifetimes, KernelReleasedRightAfterEnqueue) {
  const Buffer x = buffer(std::vector<cl_int>(5000, 0));
  for (int i = 0; i < 20; ++i) {
    const auto k = kernel(kIncrement);  // kernel and program go at the end of each round
    set_arguments(k, x);
    launch(k, {{5000}});
  }
  EXPECT_EQ(read<cl_int>(x, 5000), std::vector<cl_int>(5000, 20));
}

TEST_F(Lifetimes, BufferReleasedRightAfterEnqueue) {
  const auto k = kernel(
      "__kernel void k(__global const int* in, __global int* out) { size_t i = get_global_id(0); out[i] += "
      "in[i]; }");
  const Buffer sum = buffer(std::vector<cl_int>(5000, 0));
  for (cl_int i = 1; i <= 20; ++i) {
    const Buffer part = buffer(std::vector<cl_int>(5000, i));
    set_arguments(k, part, sum);
    launch(k, {{5000}});
  }
  EXPECT_EQ(read<cl_int>(sum, 5000), std::vector<cl_int>(5000, 210));
}

// A pool that waits for its buffers' ends must not wait for the kernels.
TEST_F(Lifetimes, BeingAnArgumentKeepsNoBufferAlive) {
  static std::atomic<int> gone;
  gone = 0;
  const auto k = kernel(kIncrement), again = kernel(kIncrement);
  for (int i = 1; i <= 3; ++i) {
    {
      const Buffer x = buffer(std::vector<cl_int>(8, 0));
      ASSERT_OK(clSetMemObjectDestructorCallback(x.get(), [](cl_mem, void*) { ++gone; }, nullptr));
      set_arguments(k, x);
      set_arguments(again, x);
      launch(k, {{8}});
      ASSERT_OK(clFinish(queue()));
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (gone < i && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    ASSERT_EQ(gone, i);
  }
}

TEST_F(Lifetimes, SamplerIsCountedForTheProgramAlone) {
  if (!has_images()) GTEST_SKIP() << "the device has no images";
  cl_int status = CL_SUCCESS;
  const cl_sampler sampler = clCreateSampler(context(), CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
  ASSERT_OK(status);
  const auto count = [&] {
    cl_uint references = 0;
    check(clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof references, &references, nullptr));
    return references;
  };
  const auto k = kernel("__kernel void k(__global int* x, sampler_t s) { x[0] = 1; }");
  ASSERT_EQ(count(), 1u);
  ASSERT_OK(clSetKernelArg(k.get(), 1, sizeof sampler, &sampler));
  EXPECT_EQ(count(), 1u);
  ASSERT_OK(clRetainSampler(sampler));
  EXPECT_EQ(count(), 2u);
  ASSERT_OK(clReleaseSampler(sampler));
  ASSERT_OK(clReleaseSampler(sampler));
}

TEST_F(Lifetimes, BuffersOfAKernelsArgumentsMayGoBeforeTheKernel) {
  const auto k = kernel(kIncrement);
  {
    const Buffer x = buffer(std::vector<cl_int>(8, 0));
    set_arguments(k, x);
    launch(k, {{8}});
  }
  const Buffer y = buffer(std::vector<cl_int>(8, 5));
  set_arguments(k, y);
  launch(k, {{8}});
  EXPECT_EQ(read<cl_int>(y, 8), std::vector<cl_int>(8, 6));
}

TEST_F(Lifetimes, QueueReleasedRightAfterEnqueue) {
  const auto k = kernel(kIncrement);
  const Buffer x = buffer(std::vector<cl_int>(5000, 0));
  set_arguments(k, x);
  for (int i = 0; i < 10; ++i) {
    Event done;
    {
      const Queue temporary = make_queue();
      done = launch(k, {{5000}}, {}, temporary.get());
    }
    ASSERT_OK(clWaitForEvents(1, done.address()));
  }
  EXPECT_EQ(read<cl_int>(x, 5000), std::vector<cl_int>(5000, 10));
}

TEST_F(Lifetimes, EventsReleasedWhileOthersWaitForThem) {
  const auto k = kernel(kIncrement);
  const Buffer x = buffer(std::vector<cl_int>(100, 0));
  set_arguments(k, x);
  Event last = launch(k, {{100}});
  for (int i = 0; i < 50; ++i) last = launch(k, {{100}}, {last.get()});  // the one before is released here
  EXPECT_EQ(read<cl_int>(x, 100), std::vector<cl_int>(100, 51));
}

TEST_F(Lifetimes, EverythingButTheBufferReleasedThenContextStillServesIt) {
  cl_int status = CL_SUCCESS;
  const cl_device_id target = device();
  cl_context brief = clCreateContext(nullptr, 1, &target, nullptr, nullptr, &status);
  ASSERT_OK(status);
  cl_int value = 41;
  const Buffer x(clCreateBuffer(brief, CL_MEM_COPY_HOST_PTR, 4, &value, &status));
  ASSERT_OK(status);
  const Queue q(clCreateCommandQueue(brief, target, 0, &status));
  ASSERT_OK(status);
  ASSERT_OK(clReleaseContext(brief));  // queue and buffer keep it alive
  value = 0;
  ASSERT_OK(clEnqueueReadBuffer(q.get(), x.get(), CL_TRUE, 0, 4, &value, 0, nullptr, nullptr));
  EXPECT_EQ(value, 41);
}

// What still runs is then the last to hold any of it.
TEST_F(Lifetimes, EverythingReleasedWhileItRuns) {
  constexpr size_t kBytes = 1 << 20;
  const cl_device_id target = device();
  const std::string_view source = kIncrement;
  static const std::vector<cl_int> input(kBytes / sizeof(cl_int), 1);  // read after the case's end, perhaps
  std::vector<cl_int> results(kBytes / sizeof(cl_int), 0);
  for (int round = 0; round < 16; ++round) {
    cl_int status = CL_SUCCESS;
    const Context brief(clCreateContext(nullptr, 1, &target, nullptr, nullptr, &status));
    ASSERT_OK(status);
    const Queue q(clCreateCommandQueue(brief.get(), target, 0, &status));
    ASSERT_OK(status);
    const Buffer x(clCreateBuffer(brief.get(), CL_MEM_READ_WRITE, kBytes, nullptr, &status));
    ASSERT_OK(status);
    const char* text = source.data();
    const size_t length = source.size();
    const Program program(clCreateProgramWithSource(brief.get(), 1, &text, &length, &status));
    ASSERT_OK(status);
    ASSERT_OK(clBuildProgram(program.get(), 1, &target, "", nullptr, nullptr));
    const Kernel k(clCreateKernel(program.get(), "k", &status));
    ASSERT_OK(status);
    set_arguments(k, x);
    const size_t items = input.size();
    ASSERT_OK(clEnqueueWriteBuffer(q.get(), x.get(), CL_FALSE, 0, kBytes, input.data(), 0, nullptr, nullptr));
    ASSERT_OK(clEnqueueNDRangeKernel(q.get(), k.get(), 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
    if (round % 2 == 0) continue;
    ASSERT_OK(clEnqueueReadBuffer(q.get(), x.get(), CL_TRUE, 0, kBytes, results.data(), 0, nullptr, nullptr));
    EXPECT_EQ(results, std::vector<cl_int>(items, 2));
    std::fill(results.begin(), results.end(), 0);
    ASSERT_OK(clEnqueueWriteBuffer(q.get(), x.get(), CL_FALSE, 0, kBytes, input.data(), 0, nullptr, nullptr));
  }
}

TEST_F(Lifetimes, DestructorCallbacksComeLastSetFirst) {
  struct Log {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<int> calls;
    struct Entry {
      Log* log;
      int number;
    } entries[3] = {{this, 1}, {this, 2}, {this, 3}};
    static void CL_CALLBACK call(cl_mem, void* raw) {
      auto* entry = static_cast<Entry*>(raw);
      const std::lock_guard lock(entry->log->mutex);
      entry->log->calls.push_back(entry->number);
      entry->log->changed.notify_all();
    }
  } log;
  {
    const Buffer x = buffer_of(64);
    for (auto& entry : log.entries) ASSERT_OK(clSetMemObjectDestructorCallback(x.get(), Log::call, &entry));
    const std::lock_guard lock(log.mutex);
    EXPECT_TRUE(log.calls.empty());
  }
  std::unique_lock lock(log.mutex);
  log.changed.wait_for(lock, std::chrono::seconds(20), [&] { return log.calls.size() == 3; });
  EXPECT_EQ(log.calls, (std::vector<int>{3, 2, 1}));
}

// The memory under a USE_HOST_PTR buffer may be freed in the callback: nothing may touch it afterwards.
TEST_F(Lifetimes, DestructorCallbackFreesTheHostMemory) {
  struct Owned {
    std::vector<cl_int> memory = std::vector<cl_int>(1000, 1);
    std::atomic<bool> gone = false;
    static void CL_CALLBACK call(cl_mem, void* raw) {
      auto* owned = static_cast<Owned*>(raw);
      std::vector<cl_int>().swap(owned->memory);
      owned->gone = true;
    }
  } owned;
  const auto k = kernel(kIncrement);
  {
    const Buffer x = session_.make_buffer(CL_MEM_USE_HOST_PTR, 4000, owned.memory.data());
    ASSERT_OK(clSetMemObjectDestructorCallback(x.get(), Owned::call, &owned));
    set_arguments(k, x);
    launch(k, {{1000}});
    ASSERT_OK(clFinish(queue()));
  }
  const Buffer other = buffer_of(16);  // the kernel may hold no reference, but lets go of this buffer for sure here
  set_arguments(k, other);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!owned.gone && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_TRUE(owned.gone);
}

TEST_F(Lifetimes, TwoHundredQueuesLeaveNoThreadAndNoFile) {
  const auto k = kernel(kIncrement);
  const Buffer x = buffer(std::vector<cl_int>(16, 0));
  set_arguments(k, x);
  const auto use_one = [&] {
    const Queue q = make_queue();
    launch(k, {{16}}, {}, q.get());
    check(clFinish(q.get()));
  };
  for (int i = 0; i < 3; ++i) use_one();
  constexpr size_t kMadeLate = 4;  // threads may be made when they are first needed
  const size_t threads_before = threads() + kMadeLate, files_before = files();
  for (int i = 0; i < 200; ++i) use_one();
  EXPECT_LE(threads_settled(threads_before), threads_before);
  EXPECT_LE(files(), files_before);
  EXPECT_EQ(read<cl_int>(x, 16), std::vector<cl_int>(16, 203));
}

TEST_F(Lifetimes, TwoHundredQueuesAtOnce) {
  const auto k = kernel(kIncrement);
  const Buffer x = buffer(std::vector<cl_int>(16, 0));
  set_arguments(k, x);
  std::vector<Queue> queues;
  for (int i = 0; i < 200; ++i) queues.push_back(make_queue());
  for (const Queue& q : queues) {
    launch(k, {{16}}, {}, q.get());
    ASSERT_OK(clFinish(q.get()));
  }
  EXPECT_EQ(read<cl_int>(x, 16), std::vector<cl_int>(16, 200));
}

TEST_F(Lifetimes, ContextsLeaveNoThreadAndNoFile) {
  const auto use_one = [&] {
    cl_int status = CL_SUCCESS;
    const cl_device_id target = device();
    const Context brief(clCreateContext(nullptr, 1, &target, nullptr, nullptr, &status));
    check(status);
    const Queue q(clCreateCommandQueue(brief.get(), target, 0, &status));
    check(status);
    const Buffer x(clCreateBuffer(brief.get(), 0, 64, nullptr, &status));
    check(status);
    const cl_int five = 5;
    check(clEnqueueFillBuffer(q.get(), x.get(), &five, 4, 0, 64, 0, nullptr, nullptr));
    check(clFinish(q.get()));
  };
  use_one();
  const size_t threads_before = threads(), files_before = files();
  for (int i = 0; i < 30; ++i) use_one();
  EXPECT_LE(threads_settled(threads_before), threads_before);
  EXPECT_LE(files(), files_before);
}

TEST_F(Lifetimes, ManyBuffersComeAndGo) {
  const auto k = kernel(kIncrement);
  for (int i = 0; i < 300; ++i) {
    const Buffer x = buffer(std::vector<cl_int>(64, i));
    set_arguments(k, x);
    launch(k, {{64}});
    ASSERT_EQ(read<cl_int>(x, 1, 63)[0], i + 1);
  }
}

}  // namespace
}  // namespace cases
