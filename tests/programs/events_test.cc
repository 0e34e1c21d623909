// Events: user events, failure that spreads, profiling times, what an event says about itself.
#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

class Events : public OpenCl {
 protected:
  cl_command_type type_of(const Event& event) {
    cl_command_type type = 0;
    check(clGetEventInfo(event.get(), CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr));
    return type;
  }
};

TEST_F(Events, UserEventStartsAsSubmitted) { EXPECT_EQ(status_of(user_event()), CL_SUBMITTED); }

TEST_F(Events, CommandWaitsForAUserEvent) {
  const Buffer x = buffer(std::vector<cl_int>{1});
  const Event gate = user_event();
  const Event filled = fill(x, 2, {gate.get()});
  ASSERT_OK(clFlush(queue()));
  EXPECT_GT(status_of(filled), CL_COMPLETE);
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  ASSERT_OK(clWaitForEvents(1, filled.address()));
  EXPECT_EQ(status_of(filled), CL_COMPLETE);
  EXPECT_EQ(read<cl_int>(x, 1)[0], 2);
}

TEST_F(Events, KernelWaitsForAUserEvent) {
  const auto k = kernel("__kernel void k(__global int* x) { x[get_global_id(0)] += 1; }");
  const Buffer x = buffer(std::vector<cl_int>(100, 1));
  set_arguments(k, x);
  const Event gate = user_event();
  const Event ran = launch(k, {{100}}, {gate.get()});
  ASSERT_OK(clFlush(queue()));
  EXPECT_GT(status_of(ran), CL_COMPLETE);
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  ASSERT_OK(clFinish(queue()));
  EXPECT_EQ(read<cl_int>(x, 100), std::vector<cl_int>(100, 2));
}

TEST_F(Events, FailedUserEventFailsTheCommandsThatWaitForIt) {
  const Queue second = make_queue();
  const Buffer x = buffer(std::vector<cl_int>{1});
  const Event gate = user_event();
  const Event direct = fill(x, 2, {gate.get()}, second.get());
  const Event indirect = fill(x, 3, {direct.get()}, second.get());
  ASSERT_OK(clSetUserEventStatus(gate.get(), -5));
  EXPECT_STATUS(clWaitForEvents(1, direct.address()), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_STATUS(clWaitForEvents(1, indirect.address()), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_LT(status_of(direct), 0);
  EXPECT_LT(status_of(indirect), 0);
  EXPECT_EQ(status_of(gate), -5);
  EXPECT_EQ(read<cl_int>(x, 1)[0], 1) << "a command that failed must not have run";
}

TEST_F(Events, FinishReturnsWhenCommandsHaveFailed) {
  const Queue second = make_queue();
  const Buffer x = buffer(std::vector<cl_int>{1});
  const Event gate = user_event();
  const Event filled = fill(x, 2, {gate.get()}, second.get());
  ASSERT_OK(clSetUserEventStatus(gate.get(), -1));
  clFinish(second.get());
  EXPECT_LT(status_of(filled), 0);
}

TEST_F(Events, BlockingReadBehindAFailedEventSaysSo) {
  const Queue second = make_queue();
  const Buffer x = buffer(std::vector<cl_int>{1});
  const Event gate = user_event();
  ASSERT_OK(clSetUserEventStatus(gate.get(), -1));
  cl_int value = 77;
  EXPECT_STATUS(clEnqueueReadBuffer(second.get(), x.get(), CL_TRUE, 0, 4, &value, 1, gate.address(), nullptr),
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(value, 77);
}

TEST_F(Events, UserEventStatusCanBeSetOnce) {
  const Event gate = user_event();
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  EXPECT_STATUS(clSetUserEventStatus(gate.get(), CL_COMPLETE), CL_INVALID_OPERATION);
}

TEST_F(Events, UserEventCannotBeSetToRunning) {
  const Event gate = user_event();
  EXPECT_STATUS(clSetUserEventStatus(gate.get(), CL_RUNNING), CL_INVALID_VALUE);
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
}

TEST_F(Events, OnlyUserEventsCanBeSet) {
  const Buffer x = buffer(std::vector<cl_int>{1});
  const Event filled = fill(x, 2, {});
  EXPECT_STATUS(clSetUserEventStatus(filled.get(), CL_COMPLETE), CL_INVALID_EVENT);
  ASSERT_OK(clFinish(queue()));
}

TEST_F(Events, ProfilingTimesAreInOrder) {
  const auto k = kernel("__kernel void k(__global int* x) { x[get_global_id(0)] += 1; }");
  const Buffer x = buffer(std::vector<cl_int>(1000, 1));
  set_arguments(k, x);
  const Event ran = launch(k, {{1000}}), filled = fill(x, 1, {});
  ASSERT_OK(clFinish(queue()));
  for (const Event* event : {&ran, &filled}) {
    cl_ulong queued = 0, submit = 0, start = 0, end = 0;
    ASSERT_OK(clGetEventProfilingInfo(event->get(), CL_PROFILING_COMMAND_QUEUED, 8, &queued, nullptr));
    ASSERT_OK(clGetEventProfilingInfo(event->get(), CL_PROFILING_COMMAND_SUBMIT, 8, &submit, nullptr));
    ASSERT_OK(clGetEventProfilingInfo(event->get(), CL_PROFILING_COMMAND_START, 8, &start, nullptr));
    ASSERT_OK(clGetEventProfilingInfo(event->get(), CL_PROFILING_COMMAND_END, 8, &end, nullptr));
    EXPECT_LE(queued, submit);
    EXPECT_LE(submit, start);
    EXPECT_LE(start, end);
    EXPECT_GT(queued, 0u);
  }
}

TEST_F(Events, InOrderCommandsDoNotOverlapInTime) {
  const auto k = kernel("__kernel void k(__global int* x) { x[get_global_id(0)] += 1; }");
  const Buffer x = buffer(std::vector<cl_int>(10000, 1));
  set_arguments(k, x);
  const Event first = launch(k, {{10000}}), second = launch(k, {{10000}});
  ASSERT_OK(clFinish(queue()));
  cl_ulong end = 0, start = 0;
  ASSERT_OK(clGetEventProfilingInfo(first.get(), CL_PROFILING_COMMAND_END, 8, &end, nullptr));
  ASSERT_OK(clGetEventProfilingInfo(second.get(), CL_PROFILING_COMMAND_START, 8, &start, nullptr));
  EXPECT_LE(end, start);
}

TEST_F(Events, NoProfilingWithoutTheProperty) {
  cl_int status = CL_SUCCESS;
  const Queue plain(clCreateCommandQueue(context(), device(), 0, &status));
  ASSERT_OK(status);
  const Buffer x = buffer(std::vector<cl_int>{1});
  const Event filled = fill(x, 2, {}, plain.get());
  ASSERT_OK(clFinish(plain.get()));
  cl_ulong time = 0;
  EXPECT_STATUS(clGetEventProfilingInfo(filled.get(), CL_PROFILING_COMMAND_START, 8, &time, nullptr),
                CL_PROFILING_INFO_NOT_AVAILABLE);
}

TEST_F(Events, NoProfilingOfUserEvents) {
  const Event gate = user_event();
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  cl_ulong time = 0;
  EXPECT_STATUS(clGetEventProfilingInfo(gate.get(), CL_PROFILING_COMMAND_END, 8, &time, nullptr),
                CL_PROFILING_INFO_NOT_AVAILABLE);
}

TEST_F(Events, KnowTheirQueueAndContext) {
  const Buffer x = buffer(std::vector<cl_int>{1});
  const Event filled = fill(x, 2, {});
  ASSERT_OK(clFinish(queue()));
  cl_command_queue its_queue = nullptr;
  cl_context its_context = nullptr;
  ASSERT_OK(clGetEventInfo(filled.get(), CL_EVENT_COMMAND_QUEUE, sizeof its_queue, &its_queue, nullptr));
  ASSERT_OK(clGetEventInfo(filled.get(), CL_EVENT_CONTEXT, sizeof its_context, &its_context, nullptr));
  EXPECT_EQ(its_queue, queue());
  EXPECT_EQ(its_context, context());
}

TEST_F(Events, UserEventHasNoQueue) {
  const Event gate = user_event();
  cl_command_queue its_queue = queue();
  ASSERT_OK(clGetEventInfo(gate.get(), CL_EVENT_COMMAND_QUEUE, sizeof its_queue, &its_queue, nullptr));
  EXPECT_EQ(its_queue, nullptr);
  EXPECT_EQ(type_of(gate), cl_command_type{CL_COMMAND_USER});
}

TEST_F(Events, KnowTheTypeOfTheirCommand) {
  const auto k = kernel("__kernel void k(__global int* x) { x[get_global_id(0)] = 1; }");
  const Buffer x = buffer(std::vector<cl_int>(64, 1)), y = buffer_of(256);
  set_arguments(k, x);
  std::vector<cl_int> host(64);
  const size_t origin[] = {0, 0, 0}, region[] = {16, 4, 1};
  cl_event e[9] = {};
  ASSERT_OK(clEnqueueReadBuffer(queue(), x.get(), CL_FALSE, 0, 4, host.data(), 0, nullptr, &e[0]));
  ASSERT_OK(clEnqueueWriteBuffer(queue(), x.get(), CL_FALSE, 0, 4, host.data(), 0, nullptr, &e[1]));
  ASSERT_OK(clEnqueueCopyBuffer(queue(), x.get(), y.get(), 0, 0, 4, 0, nullptr, &e[2]));
  ASSERT_OK(clEnqueueReadBufferRect(queue(), x.get(), CL_FALSE, origin, origin, region, 16, 0, 16, 0, host.data(), 0,
                                    nullptr, &e[3]));
  cl_int status = CL_SUCCESS;
  void* mapped = clEnqueueMapBuffer(queue(), x.get(), CL_FALSE, CL_MAP_READ, 0, 4, 0, nullptr, &e[4], &status);
  ASSERT_OK(status);
  ASSERT_OK(clWaitForEvents(1, &e[4]));
  ASSERT_OK(clEnqueueUnmapMemObject(queue(), x.get(), mapped, 0, nullptr, &e[5]));
  ASSERT_OK(clEnqueueMarkerWithWaitList(queue(), 0, nullptr, &e[6]));
  ASSERT_OK(clEnqueueBarrierWithWaitList(queue(), 0, nullptr, &e[7]));
  const size_t global = 64;
  ASSERT_OK(clEnqueueNDRangeKernel(queue(), k.get(), 1, nullptr, &global, nullptr, 0, nullptr, &e[8]));
  ASSERT_OK(clFinish(queue()));
  const cl_command_type expected[] = {CL_COMMAND_READ_BUFFER,      CL_COMMAND_WRITE_BUFFER, CL_COMMAND_COPY_BUFFER,
                                      CL_COMMAND_READ_BUFFER_RECT, CL_COMMAND_MAP_BUFFER,   CL_COMMAND_UNMAP_MEM_OBJECT,
                                      CL_COMMAND_MARKER,           CL_COMMAND_BARRIER,      CL_COMMAND_NDRANGE_KERNEL};
  for (int i = 0; i < 9; ++i) EXPECT_EQ(type_of(Event(e[i])), expected[i]) << "command " << i;
}

TEST_F(Events, WaitingForEventsOfSeveralQueues) {
  const Queue second = make_queue();
  const Buffer x = buffer(std::vector<cl_int>{1}), y = buffer(std::vector<cl_int>{1});
  const Event a = fill(x, 2, {}), b = fill(y, 3, {}, second.get());
  const cl_event both[] = {a.get(), b.get()};
  ASSERT_OK(clWaitForEvents(2, both));
  EXPECT_EQ(status_of(a), CL_COMPLETE);
  EXPECT_EQ(status_of(b), CL_COMPLETE);
}

// Nothing has to move for these commands: their events must complete all the same.
TEST_F(Events, CommandsWithNothingToMoveCompleteToo) {
  const auto k = kernel("__kernel void k(void) {}");
  const Buffer x = buffer(std::vector<cl_int>{4});
  const Event empty = launch(k, {{1}, {1}});
  cl_int value = 0;
  cl_event again[2] = {};
  for (cl_event& event : again)
    ASSERT_OK(clEnqueueReadBuffer(queue(), x.get(), CL_FALSE, 0, 4, &value, 0, nullptr, &event));
  const Event first(again[0]), second(again[1]);
  ASSERT_OK(clWaitForEvents(2, again));
  EXPECT_EQ(status_of(empty), CL_COMPLETE);
  EXPECT_EQ(status_of(first), CL_COMPLETE);
  EXPECT_EQ(status_of(second), CL_COMPLETE);
  EXPECT_EQ(value, 4);
}

}  // namespace
}  // namespace cases
