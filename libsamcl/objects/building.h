// Whether OpenCL programs are being built: the program's own, and parts of them beside it. What a job takes meanwhile
// says nothing of the jobs after it, and no profile tells of it. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace samcl {

// One build, for as long as the object lives. What a driver does after it returned, to call back, is not seen.
class Building {
 public:
  // later: it waits for a thread of ours, and ends on any.
  enum class By : uint8_t { this_thread, later };

  explicit Building(By by = By::this_thread) : by_(by) {
    begun_.fetch_add(1);
    if (by_ == By::this_thread) ++here_;
    if (const auto tell = tells.load()) tell();
  }
  ~Building() {
    if (by_ == By::this_thread) --here_;
    ended_.fetch_add(1);
  }
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;

  // How many have ended by now; and whether, since then, there was one for any time.
  static uint64_t ended() { return ended_.load(); }
  static bool since(uint64_t ended) { return begun_.load() > ended; }

  // Whether this thread is in one: in a handler of a signal, or a callback of the driver.
  static bool is_here() { return here_ > 0; }

  // Waits until none is under way, or `may_wait()` is false; that is asked each millisecond. Who is in one itself does
  // not wait: it would be for itself.
  template <typename MayWait>
  static void wait_for_all(MayWait may_wait) {
    while (!is_here() && since(ended()) && may_wait()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  // Called as each begins, by the thread that builds; nullptr: nobody wants to know.
  static inline std::atomic<void (*)()> tells{nullptr};

 private:
  static inline std::atomic<uint64_t> begun_{0}, ended_{0};
  static inline thread_local unsigned here_ = 0;
  const By by_;
};

}  // namespace samcl
