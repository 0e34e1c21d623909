// Tells a process from the copies of it that fork makes, without a system call: a page that the kernel gives
// to children empty.
#pragma once

#include <atomic>

namespace samcl::lease {

class ForkMark {
 public:
  ForkMark();
  ~ForkMark();
  ForkMark(const ForkMark&) = delete;
  ForkMark& operator=(const ForkMark&) = delete;

  // Whether we are a copy of the process that made this. Thread-safe.
  bool is_copy() const;

 private:
  int process_;
  std::atomic<int>* page_ = nullptr;  // nullptr where the kernel can't do it
};

}  // namespace samcl::lease
