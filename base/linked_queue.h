// A queue of shared objects, first in, first out, linked by a member of theirs: to enter one asks for no memory. An
// object is in one such queue at a time, once.
#pragma once

#include <memory>
#include <utility>

namespace samcl {

// kNext: nullptr while the object is in none.
template <typename T, std::shared_ptr<T> T::* kNext>
class LinkedQueue {
 public:
  LinkedQueue() = default;
  LinkedQueue(LinkedQueue&& other) noexcept
      : first_(std::move(other.first_)), last_(std::exchange(other.last_, nullptr)) {}
  LinkedQueue& operator=(LinkedQueue&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(last_, other.last_);
    return *this;
  }
  // One after the other: each would else be destroyed inside the one before it.
  ~LinkedQueue() {
    while (!empty()) pop();
  }

  bool empty() const { return !first_; }
  const std::shared_ptr<T>& front() const { return first_; }
  void push(std::shared_ptr<T> object) {
    T* const entered = object.get();
    (first_ ? last_->*kNext : first_) = std::move(object);
    last_ = entered;
  }
  std::shared_ptr<T> pop() {
    std::shared_ptr<T> object = std::move(first_);
    first_ = std::exchange(object.get()->*kNext, nullptr);
    return object;
  }

 private:
  std::shared_ptr<T> first_;
  T* last_ = nullptr;  // meaningless while there is none
};

}  // namespace samcl
