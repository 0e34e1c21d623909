// For a flag that says that something is under way further up the stack: false again when that is left, also by an
// exception.
#pragma once

namespace samcl {

class ResetAtEnd {
 public:
  explicit ResetAtEnd(bool& flag) : flag_(flag) {}
  ~ResetAtEnd() { flag_ = false; }
  ResetAtEnd(const ResetAtEnd&) = delete;
  ResetAtEnd& operator=(const ResetAtEnd&) = delete;

 private:
  bool& flag_;
};

}  // namespace samcl
