// What a short read brings that the program waits for: bytes in memory of ours, from where the waiting thread takes
// them to the program's, unless that is locked as well. Threads: that one.
#pragma once

#include <cstddef>
#include <utility>

#include "base/copy_rows.h"
#include "libsamcl/device/pinned_place.h"

namespace samcl {

class Arriving {
 public:
  // Whether anything is to come.
  bool awaits_any() const { return comes_to_program_ || held_.memory() != nullptr; }
  // It comes to that memory, row by row without gaps, and is for these of the program's.
  void comes_to(PinnedPlace::Held held, std::byte* program, const Rectangle& rows) {
    held_ = std::move(held);
    program_ = program;
    rows_ = rows;
  }
  // It comes to the program's memory by itself.
  void comes_to_program() { comes_to_program_ = true; }
  // It has come.
  void take() {
    if (!comes_to_program_) copy_rows(program_, rows_, held_.memory(), rows_.dense());
  }

 private:
  bool comes_to_program_ = false;
  PinnedPlace::Held held_;
  std::byte* program_ = nullptr;
  Rectangle rows_;
};

}  // namespace samcl
