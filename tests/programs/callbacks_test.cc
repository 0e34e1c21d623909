// Callbacks of events: when they come, what they are told, what they may do.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

// Collects the statuses that callbacks were called with; must outlive the callbacks.
class CallbackLog {
 public:
  static void CL_CALLBACK note(cl_event event, cl_int status, void* log) {
    auto* self = static_cast<CallbackLog*>(log);
    cl_int reached = 0;
    const bool told =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof reached, &reached, nullptr) == CL_SUCCESS;
    const std::lock_guard lock(self->mutex_);
    self->statuses_.push_back(status);
    self->early_ |= !told || reached > status;
    self->changed_.notify_all();
  }
  // Waits until so many calls were made (at most 20 s) and returns the statuses in the order of the calls.
  std::vector<cl_int> wait_for(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return statuses_.size() >= count; });
    return statuses_;
  }
  // True if a callback came while the event was not yet in the status it was told.
  bool early() {
    const std::lock_guard lock(mutex_);
    return early_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<cl_int> statuses_;
  bool early_ = false;
};

class Callbacks : public OpenCl {};

TEST_F(Callbacks, ComeOnceWhenTheCommandIsComplete) {
  CallbackLog log;
  const Buffer x = buffer(std::vector<cl_int>{1});
  const Event gate = user_event();
  const Event filled = fill(x, 2, {gate.get()});
  ASSERT_OK(clSetEventCallback(filled.get(), CL_COMPLETE, CallbackLog::note, &log));
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  ASSERT_OK(clFinish(queue()));
  EXPECT_EQ(log.wait_for(1), std::vector<cl_int>{CL_COMPLETE});
  EXPECT_FALSE(log.early());
}

TEST_F(Callbacks, ComeForAllThreeStatuses) {
  CallbackLog log;
  const Buffer x = buffer(std::vector<cl_int>{1});
  const Event gate = user_event();
  const Event filled = fill(x, 2, {gate.get()});
  for (cl_int status : {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE})
    ASSERT_OK(clSetEventCallback(filled.get(), status, CallbackLog::note, &log));
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  ASSERT_OK(clFinish(queue()));
  std::vector<cl_int> statuses = log.wait_for(3);
  std::sort(statuses.rbegin(), statuses.rend());
  EXPECT_EQ(statuses, (std::vector<cl_int>{CL_SUBMITTED, CL_RUNNING, CL_COMPLETE}));
  EXPECT_FALSE(log.early());
}

TEST_F(Callbacks, ComeAtOnceIfSetAfterCompletion) {
  CallbackLog log;
  const Buffer x = buffer(std::vector<cl_int>{1});
  const Event filled = fill(x, 2, {});
  ASSERT_OK(clFinish(queue()));
  ASSERT_OK(clSetEventCallback(filled.get(), CL_COMPLETE, CallbackLog::note, &log));
  EXPECT_EQ(log.wait_for(1), std::vector<cl_int>{CL_COMPLETE});
}

TEST_F(Callbacks, AllComeOfSeveralOnOneEvent) {
  CallbackLog log;
  const Event gate = user_event();
  for (int i = 0; i < 5; ++i) ASSERT_OK(clSetEventCallback(gate.get(), CL_COMPLETE, CallbackLog::note, &log));
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  EXPECT_EQ(log.wait_for(5), std::vector<cl_int>(5, CL_COMPLETE));
}

TEST_F(Callbacks, GetTheStatusOfAFailedEvent) {
  CallbackLog log;
  const Event gate = user_event();
  ASSERT_OK(clSetEventCallback(gate.get(), CL_COMPLETE, CallbackLog::note, &log));
  ASSERT_OK(clSetUserEventStatus(gate.get(), -42));
  EXPECT_EQ(log.wait_for(1), std::vector<cl_int>{-42});
}

TEST_F(Callbacks, MayReleaseTheirEvent) {
  struct Release {
    CallbackLog log;
    static void CL_CALLBACK call(cl_event event, cl_int status, void* self) {
      clReleaseEvent(event);
      CallbackLog::note(event, status, &static_cast<Release*>(self)->log);
    }
  } release;
  const Buffer x = buffer(std::vector<cl_int>{1});
  const Event gate = user_event();
  const Event filled = fill(x, 2, {gate.get()});
  ASSERT_OK(clRetainEvent(filled.get()));  // the reference that the callback gives up
  ASSERT_OK(clSetEventCallback(filled.get(), CL_COMPLETE, Release::call, &release));
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  EXPECT_EQ(release.log.wait_for(1), std::vector<cl_int>{CL_COMPLETE});
  ASSERT_OK(clFinish(queue()));
}

TEST_F(Callbacks, MaySetAUserEventThatOthersWaitFor) {
  struct Open {
    cl_event gate;
    static void CL_CALLBACK call(cl_event, cl_int, void* self) {
      clSetUserEventStatus(static_cast<Open*>(self)->gate, CL_COMPLETE);
    }
  };
  const Queue second = make_queue();
  const Buffer x = buffer(std::vector<cl_int>{1}), y = buffer(std::vector<cl_int>{1});
  const Event gate = user_event();
  Open open{gate.get()};
  const Event behind = fill(x, 5, {gate.get()}, second.get());
  const Event before = fill(y, 6, {});
  ASSERT_OK(clSetEventCallback(before.get(), CL_COMPLETE, Open::call, &open));
  ASSERT_OK(clFlush(queue()));
  ASSERT_OK(clFlush(second.get()));
  ASSERT_OK(clWaitForEvents(1, behind.address()));
  EXPECT_EQ(read<cl_int>(x, 1)[0], 5);
}

TEST_F(Callbacks, MayEnqueue) {
  struct Enqueue {
    cl_command_queue queue;
    cl_mem buffer;
    CallbackLog log;
    static void CL_CALLBACK call(cl_event event, cl_int status, void* self) {
      auto* own = static_cast<Enqueue*>(self);
      const cl_int nine = 9;
      clEnqueueFillBuffer(own->queue, own->buffer, &nine, 4, 0, 4, 0, nullptr, nullptr);
      clFlush(own->queue);
      CallbackLog::note(event, status, &own->log);
    }
  };
  const Queue second = make_queue();
  const Buffer x = buffer(std::vector<cl_int>{1}), y = buffer(std::vector<cl_int>{1});
  Enqueue enqueue{second.get(), y.get(), {}};
  const Event filled = fill(x, 2, {});
  ASSERT_OK(clSetEventCallback(filled.get(), CL_COMPLETE, Enqueue::call, &enqueue));
  ASSERT_OK(clFinish(queue()));
  ASSERT_EQ(enqueue.log.wait_for(1).size(), 1u);
  EXPECT_EQ(read<cl_int>(y, 1, 0, second.get())[0], 9);
}

TEST_F(Callbacks, Errors) {
  CallbackLog log;
  const Event gate = user_event();
  EXPECT_STATUS(clSetEventCallback(gate.get(), CL_COMPLETE, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clSetEventCallback(gate.get(), 17, CallbackLog::note, &log), CL_INVALID_VALUE);
  EXPECT_STATUS(clSetEventCallback(nullptr, CL_COMPLETE, CallbackLog::note, &log), CL_INVALID_EVENT);
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
}

}  // namespace
}  // namespace cases
