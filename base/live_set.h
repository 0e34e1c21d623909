// Objects that live at present, found as long as they do. T: is std::enable_shared_from_this, takes itself out in its
// destructor; may be incomplete until a function is called. Threads: any.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

namespace samcl {

template <typename T>
class LiveSet {
 public:
  void add(T& object) {
    std::lock_guard lock(mutex_);
    objects_.insert(&object);
  }
  void remove(T& object) {
    std::lock_guard lock(mutex_);
    objects_.erase(&object);
  }
  // In no order; without those that nobody holds by a shared pointer.
  std::vector<std::shared_ptr<T>> all() const {
    std::vector<std::shared_ptr<T>> living;
    std::lock_guard lock(mutex_);
    for (T* object : objects_)
      if (auto held = object->weak_from_this().lock()) living.push_back(std::move(held));
    return living;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_set<T*> objects_;
};

}  // namespace samcl
