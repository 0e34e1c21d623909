#include "tests/differential/sequences/asked_of_events.h"

#include <array>
#include <thread>

#include "tests/differential/sequences/wrong.h"

namespace sequences {
namespace {

template <typename T>
T info(cl_event event, cl_event_info name) {
  T value{};
  MUST(clGetEventInfo(event, name, sizeof value, &value, nullptr));
  return value;
}

}  // namespace

Times times_of(cl_event event) {
  static constexpr std::array kStages = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                         CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
  std::array<cl_ulong, kStages.size()> times{};
  for (size_t i = 0; i < kStages.size(); ++i) {
    MUST(clGetEventProfilingInfo(event, static_cast<cl_profiling_info>(kStages[i]), sizeof times[i], &times[i],
                                 nullptr));
    if (times[i] == 0) throw Wrong{"the time of a complete command's stage " + std::to_string(i) + " is 0"};
    if (i > 0 && times[i] < times[i - 1])
      throw Wrong{"a complete command's stage " + std::to_string(i) + " came " +
                  std::to_string(times[i - 1] - times[i]) + " ns before the stage before it"};
  }
  return {times[2], times[3]};
}

void has_no_times(cl_event event) {
  cl_ulong time = 0;
  const cl_int status = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof time, &time, nullptr);
  if (status != CL_PROFILING_INFO_NOT_AVAILABLE)
    throw Wrong{"asked for its times, an event of a queue that takes none gave " + bench::status_name(status)};
}

void poll(std::span<const cl_event> events) {
  for (cl_event event : events)
    for (cl_int last = CL_QUEUED; last > CL_COMPLETE;) {
      const auto status = info<cl_int>(event, CL_EVENT_COMMAND_EXECUTION_STATUS);
      if (status > last)
        throw Wrong{"an event's status went from " + std::to_string(last) + " to " + std::to_string(status)};
      if (status < CL_COMPLETE) throw Wrong{"an event that was polled has status " + std::to_string(status)};
      last = status;
      std::this_thread::yield();
    }
}

void is_of(cl_event event, cl_command_type type, cl_command_queue queue) {
  if (const auto its = info<cl_command_type>(event, CL_EVENT_COMMAND_TYPE); its != type)
    throw Wrong{"an event has command type " + std::to_string(its) + " instead of " + std::to_string(type)};
  if (info<cl_command_queue>(event, CL_EVENT_COMMAND_QUEUE) != queue)
    throw Wrong{"an event is of another queue than its command"};
}

}  // namespace sequences
