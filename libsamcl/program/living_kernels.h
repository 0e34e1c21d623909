// The kernels that a program has, also those that it has released and samcl still needs: the driver builds the program
// anew only when all of them are gone.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <unordered_set>

namespace samcl {

class Kernel;

// Any thread.
class LivingKernels {
 public:
  // One of them, until the driver's own are released.
  class Entry {
   public:
    Entry(LivingKernels& all, const Kernel& kernel);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    LivingKernels& all_;
    const Kernel& kernel_;
  };

  // Until those that the program has released are gone, at most so long. Returns at once if it has others, too. Whether
  // none is left.
  bool wait_for_released(std::chrono::milliseconds patience);

 private:
  std::mutex mutex_;
  std::condition_variable gone_;
  std::unordered_set<const Kernel*> kernels_;  // guarded by mutex_
};

}  // namespace samcl
