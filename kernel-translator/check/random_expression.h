// Random integer expressions of OpenCL C, with a bound on their size, so that indices made of them stay
// inside a buffer.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace samcl::check {

constexpr long kRandomElements = 8192;  // of the kernels' buffers

// An int, from -bound to bound.
struct Expression {
  std::string text;
  long bound = 0;
};

// A function or macro of two ints.
struct Helper {
  std::string name;
  long most_argument = 0;  // either argument is at most that in size
  long bound = 0;          // of what it gives
};

class ExpressionWriter {
 public:
  explicit ExpressionWriter(std::mt19937_64& random) : random_(random) {}

  unsigned long below(unsigned long end) { return random_() % end; }
  bool chance(unsigned percent) { return below(100) < percent; }

  Expression integer(int depth);
  std::string condition(int depth);
  // Clamped where it might be larger than `most` in size.
  Expression bounded(const Expression& expression, long most) const;
  // From 0 to end - 1.
  std::string index(long end);

  std::vector<Expression> variables;  // in scope
  std::vector<Helper> helpers;        // that may be called
  bool has_arguments = false;         // the kernel's arguments are in scope (random_kernel.h)
  void forget() {
    variables.clear();
    helpers.clear();
    has_arguments = false;
  }

 private:
  Expression leaf();
  Expression arithmetic(const Expression& a, const Expression& b);
  Expression of_bits(const Expression& a, const Expression& b);
  Expression builtin(const Expression& a, const Expression& b);
  Expression conversion(const Expression& a, const Expression& b);
  Expression vector(const Expression& a, const Expression& b);
  std::string number(unsigned long end) { return std::to_string(below(end)); }

  std::mt19937_64& random_;
};

}  // namespace samcl::check
