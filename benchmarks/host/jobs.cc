#include "benchmarks/host/jobs.h"

#include <samcl/samcl.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "benchmarks/host/checksum.h"

namespace bench {
namespace {

double since(Clock::time_point start) { return Milliseconds(Clock::now() - start).count(); }

// Start and end of commands on the device's clock, ns.
struct DeviceSpan {
  cl_ulong first_start = ~cl_ulong{0};
  cl_ulong last_end = 0;
};

// Sum of the durations of the phase's commands, ms; widens `span` to include them.
double device_time(const EventList& events, DeviceSpan& span) {
  cl_ulong sum = 0;
  for (cl_uint i = 0; i < events.size(); ++i) {
    cl_event event = events.data()[i];
    cl_ulong start = 0, end = 0;
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr));
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr));
    sum += end - start;
    span.first_start = std::min(span.first_start, start);
    span.last_end = std::max(span.last_end, end);
  }
  return static_cast<double>(sum) * 1e-6;
}

// What an earlier job left must not pass for the next one's result.
void forget_result(Workload& workload) { std::memset(workload.result().data(), 0xdb, workload.result().size()); }

JobTimes run_job(Workload& workload) {
  JobEvents events;
  JobTimes times;
  const auto release = Clock::now();
  workload.upload(events);
  times.host[kUpload] = since(release);
  auto phase = Clock::now();
  workload.launch(events);
  times.host[kKernel] = since(phase);
  phase = Clock::now();
  workload.download(events);
  times.host[kDownload] = since(phase);
  times.host[kTotal] = since(release);

  for (const EventList* list : {&events.upload, &events.kernel, &events.download})
    if (list->size() > 0) check(clWaitForEvents(list->size(), list->data()));
  DeviceSpan span;
  times.device[kUpload] = device_time(events.upload, span);
  times.device[kKernel] = device_time(events.kernel, span);
  times.device[kDownload] = device_time(events.download, span);
  times.device[kTotal] = static_cast<double>(span.last_end - span.first_start) * 1e-6;
  return times;
}

// Compares the result just computed with the first one.
void compare_result(Workload& workload, size_t job, JobLog& log) {
  const uint64_t sum = checksum(workload.result());
  if (log.compared++ == 0) log.checksum = sum;
  if (sum != log.checksum && !log.first_changed) log.first_changed = job;
}

}  // namespace

JobLog run_back_to_back(Workload& workload, size_t warmup, size_t count) {
  JobLog log;
  for (size_t job = 0; job < warmup + count; ++job) {
    forget_result(workload);
    const JobTimes times = run_job(workload);
    if (job >= warmup) log.jobs.push_back(times);
    compare_result(workload, job, log);
  }
  return log;
}

JobLog run_periodic(Workload& workload, size_t warmup, size_t count, Milliseconds period, Milliseconds deadline) {
  JobLog log = run_back_to_back(workload, warmup, 0);
  const auto begin = Clock::now();
  checksum(workload.result());
  forget_result(workload);
  Milliseconds comparing = 2 * Milliseconds(Clock::now() - begin);  // twice: the machine may be busier the next time
  const auto start = Clock::now();
  for (size_t job = 0; job < count; ++job) {
    const auto release = start + std::chrono::duration_cast<Clock::duration>(period * static_cast<double>(job));
    std::this_thread::sleep_until(release);
    samcl_job_begin();
    JobTimes times = run_job(workload);
    samcl_job_end();
    const double response = since(release);
    times.host[kTotal] = response;
    log.jobs.push_back(times);
    log.responses.push_back(response);
    if (response > deadline.count()) ++log.misses;
    const auto next = start + std::chrono::duration_cast<Clock::duration>(period * static_cast<double>(job + 1));
    const auto finished = Clock::now();
    const bool last = job + 1 == count;
    if (!last && next - finished < comparing) continue;
    compare_result(workload, warmup + job, log);
    if (last) break;
    forget_result(workload);
    comparing = 2 * Milliseconds(Clock::now() - finished);
  }
  return log;
}

}  // namespace bench
