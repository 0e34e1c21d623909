#include "libsamcl/objects/process_end.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <thread>

#include "libsamcl/objects/building.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/observe/prediction.h"
#include "libsamcl/observe/report.h"
#include "libsamcl/observe/trace.h"

namespace samcl {
namespace {

using Clock = std::chrono::steady_clock;

// A kernel that never ends must not keep the process from ending.
constexpr auto kPatience = std::chrono::seconds(5);

// A compiler that is taken down while it works ends the process by a signal; even on a machine with far more to do than
// processors it ends before. But where the process ends in the midst of a build, the others may wait for that one.
constexpr auto kCompilersPatience = std::chrono::seconds(120);

std::atomic<unsigned> compiling{0};
pid_t arranged_by = 0;

bool is_forked_child() { return getpid() != arranged_by; }  // it has none of our threads, and nothing to report

// Called by several handlers. What is compiled began before the first of them; launches may come of the program's own
// handlers in between.
void end_jobs() {
  if (is_forked_child()) return;
  static const auto began = Clock::now();
  const auto compilers_end = began + (Building::is_here() ? kPatience : kCompilersPatience);
  Worker::start_no_more_jobs();
  Context::drain_all(Clock::now() + kPatience, compilers_end);
  while (compiling > 0 && Clock::now() < compilers_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void at_process_end() {
  if (is_forked_child()) return;
  end_jobs();
  report::write();
  prediction::write();
  trace::write();
}

// A thread's own values are destroyed before exit() calls any handler: what is arranged then comes first, also before
// the end of what a driver has first used in a thread of ours, such as its compiler where the program's own builds were
// in the driver's cache. Of the main thread, which nearly always ends the process; where it ends alone, one handler
// more is called at the end.
struct ComesFirst {
  ~ComesFirst() {
    if (is_arranged) static_cast<void>(std::atexit(end_jobs));
  }
  bool is_arranged = false;
};
thread_local ComesFirst comes_first;

// The main thread has ended by pthread_exit(), which is no end of the process: its last thread is, and none of
// ours may be that.
void at_main_threads_end(void*) { Context::end_threads_when_idle(); }

// Called by the destructors of pthread keys, which exit() does not call.
void watch_main_thread() {
  static const pthread_key_t key = [] {
    pthread_key_t made = 0;
    return pthread_key_create(&made, at_main_threads_end) == 0 ? made : PTHREAD_KEYS_MAX;
  }();
  if (gettid() != getpid()) return;
  comes_first.is_arranged = true;
  if (key != PTHREAD_KEYS_MAX) pthread_setspecific(key, &arranged_by);
}

}  // namespace

void arrange_process_end() {
  static const bool once = [] {
    arranged_by = getpid();
    return std::atexit(at_process_end) == 0;
  }();
  static_cast<void>(once);
  watch_main_thread();
}

Compiling::Compiling() { ++compiling; }
Compiling::~Compiling() { --compiling; }

void arrange_compilers_end() { static_cast<void>(std::atexit(end_jobs)); }

}  // namespace samcl
