// Preloaded, it makes the clock of the day jump whenever it is read, by up to eleven days back and forth, as if
// somebody set it all the time. Waits, limits and orders that depend on that clock go wrong then; those of samcl are of
// the monotonic one, which stays as it is.
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <ctime>

namespace {

constexpr long kLongestJump = 1'000'000;  // s

bool can_be_set(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

// Far from the last one, and never the same twice in a row.
long next_jump() {
  static std::atomic<long> readings = 0;
  return readings.fetch_add(1) * 777'777 % (2 * kLongestJump) - kLongestJump;
}

int read_clock(clockid_t clock, timespec* now) {
  const auto failed = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  if (failed == 0 && can_be_set(clock)) now->tv_sec += next_jump();
  return failed;
}

}  // namespace

// Their declarations say that they throw nothing.
extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept { return read_clock(clock, now); }

int gettimeofday(timeval* out, void*) noexcept {
  timespec now{};
  if (read_clock(CLOCK_REALTIME, &now) != 0) return -1;
  *out = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  if (read_clock(CLOCK_REALTIME, &now) != 0) return -1;
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
}
