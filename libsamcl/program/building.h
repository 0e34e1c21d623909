// Whether OpenCL programs are being built: the program's own, and parts of them beside it. What a job takes meanwhile
// says nothing of the jobs after it, and no profile tells of it. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>

namespace samcl {

// One build, for as long as the object lives. What a driver does after it returned, to call back, is not seen.
class Building {
 public:
  Building() {
    begun_.fetch_add(1);
    if (const auto tell = tells.load()) tell();
  }
  ~Building() { ended_.fetch_add(1); }
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;

  // How many have ended by now; and whether, since then, there was one for any time.
  static uint64_t ended() { return ended_.load(); }
  static bool since(uint64_t ended) { return begun_.load() > ended; }

  // Called as each begins, by the thread that builds; nullptr: nobody wants to know.
  static inline std::atomic<void (*)()> tells{nullptr};

 private:
  static inline std::atomic<uint64_t> begun_{0}, ended_{0};
};

}  // namespace samcl
