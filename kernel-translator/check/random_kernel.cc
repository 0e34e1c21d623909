#include "kernel-translator/check/random_kernel.h"

#include <cstring>

namespace samcl::check {
namespace {

// An integer expression and a bound on its size.
struct Expression {
  std::string text;
  long bound;
};

class Writer {
 public:
  explicit Writer(std::mt19937_64& random) : random_(random) {}

  std::string kernel(const std::string& name) {
    variables_ = 0;
    return "__kernel void " + name + "(__global int* p, __global const int* q, int n, uint m) {\n" +
           block(2) + "}\n";
  }

 private:
  unsigned long below(unsigned long end) { return random_() % end; }
  bool chance(unsigned percent) { return below(100) < percent; }

  Expression leaf() {
    static const Expression kLeaves[] = {{"(int)get_global_id(0)", 40},
                                         {"(int)get_global_id(1)", 40},
                                         {"(int)get_local_id(0)", 8},
                                         {"(int)get_local_id(1)", 8},
                                         {"(int)get_group_id(0)", 8},
                                         {"(int)get_group_id(1)", 8},
                                         {"n", 20},
                                         {"(int)m", 20},
                                         {"(int)get_local_size(0)", 8},
                                         {"(int)get_global_size(0)", 40},
                                         {"(int)get_num_groups(1)", 8}};
    if (chance(25)) return {std::to_string(below(6)), 6};
    if (!loops_.empty() && chance(40)) return loops_[below(loops_.size())];
    return kLeaves[below(std::size(kLeaves))];
  }

  // At most `limit` in size.
  Expression bounded(Expression e, long limit) {
    if (e.bound <= limit) return e;
    const std::string end = std::to_string(limit);
    return {"clamp(" + e.text + ", -" + end + ", " + end + ")", limit};
  }

  Expression integer(int depth) {
    if (depth == 0 || chance(15)) return leaf();
    const Expression a = integer(depth - 1), b = integer(depth - 1);
    const std::string small = std::to_string(1 + below(7));
    switch (below(14)) {
      case 0:
      case 1:
      case 2:
        return {"(" + a.text + " + " + b.text + ")", a.bound + b.bound};
      case 3:
        return {"(" + a.text + " - " + b.text + ")", a.bound + b.bound};
      case 4:
      case 5:
        return {"(" + a.text + " * " + small + ")", a.bound * 7};
      case 6: {
        const Expression x = bounded(a, 60), y = bounded(b, 60);
        return {"(" + x.text + " * " + y.text + ")", x.bound * y.bound};
      }
      case 7:
        return {"(" + a.text + " / " + small + ")", a.bound};
      case 8:
        return {"(" + a.text + " % " + small + ")", 7};
      case 9:
        return {"min(" + a.text + ", " + b.text + ")", std::max(a.bound, b.bound)};
      case 10:
        return {"max(" + a.text + ", " + b.text + ")", std::max(a.bound, b.bound)};
      case 11:
        return {"(" + a.text + " & " + std::to_string((1 << below(5)) - 1) + ")", 16};
      case 12:
        return {"(" + condition(depth - 1) + " ? " + a.text + " : " + b.text + ")",
                std::max(a.bound, b.bound)};
      default:
        return {"(" + a.text + " >> 1)", a.bound};
    }
  }

  std::string condition(int depth) {
    if (depth > 0 && chance(25))
      return "(" + condition(depth - 1) + (chance(50) ? " && " : " || ") + condition(depth - 1) + ")";
    if (chance(10)) return "(q[" + index() + "] > 0)";
    static const char* const kCompare[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
    const std::string compare = kCompare[below(6)];
    if (chance(20)) return "((uint)" + integer(1).text + compare + "m)";
    return "(" + integer(1).text + compare + integer(1).text + ")";
  }

  // Inside the buffers.
  std::string index() {
    const int middle = kRandomBufferInts / 2;
    return std::to_string(middle) + " + " + bounded(integer(3), middle - 1).text;
  }

  std::string statement(int depth) {
    const unsigned long kind = below(10);
    if (kind < 5 || depth == 0) {
      std::string change = chance(80) ? " = " : " += ";
      return "p[" + index() + "]" + change + (chance(60) ? "q[" + index() + "] * 3 + 1" : integer(1).text) +
             ";\n";
    }
    if (kind < 6 && loops_.empty()) return "if (" + condition(1) + ") return;\n";
    if (kind < 8) {
      std::string text = "if (" + condition(1) + ") {\n" + block(depth - 1) + "}\n";
      if (chance(30)) text += "else {\n" + block(depth - 1) + "}\n";
      return text;
    }
    return loop(depth);
  }

  std::string loop(int depth) {
    const std::string i = "i" + std::to_string(variables_++);
    const std::string type = chance(50) ? "int" : "uint";
    const std::string start = bounded(integer(1), 20).text;
    std::string head;
    switch (below(4)) {
      case 0:
        head = type + " " + i + " = 0; " + i + " < n; ++" + i;
        break;
      case 1:
        head = "int " + i + " = n; " + i + " > 0; --" + i;
        break;
      case 2:
        head = "int " + i + " = " + start + "; " + i + " < 20; " + i + " += " + std::to_string(1 + below(5));
        break;
      default:
        head = "uint " + i + " = 0; " + i + " != m; " + i + "++";
        break;
    }
    loops_.push_back({"(int)" + i, 25});
    std::string text = "for (" + head + ") {\n" + block(depth - 1);
    if (chance(15)) text += "if (" + condition(0) + ") break;\n" + statement(0);
    text += "}\n";
    loops_.pop_back();
    return text;
  }

  std::string block(int depth) {
    std::string text;
    for (unsigned long i = 0, count = 1 + below(3); i < count; ++i) text += statement(depth);
    return text;
  }

  std::mt19937_64& random_;
  std::vector<Expression> loops_;
  unsigned variables_ = 0;
};

template <typename T>
CaseArgument value(T number) {
  CaseArgument argument;
  argument.bytes.resize(sizeof number);
  std::memcpy(argument.bytes.data(), &number, sizeof number);
  return argument;
}

CaseArgument buffer(std::mt19937_64& random) {
  CaseArgument argument;
  argument.kind = CaseArgument::Kind::buffer;
  for (unsigned i = 0; i < kRandomBufferInts; ++i) {
    const CaseArgument element = value(static_cast<int32_t>(random() % 2000) - 1000);
    argument.bytes.insert(argument.bytes.end(), element.bytes.begin(), element.bytes.end());
  }
  return argument;
}

}  // namespace

std::string random_kernels(std::mt19937_64& random, unsigned count) {
  Writer writer(random);
  std::string source;
  for (unsigned i = 0; i < count; ++i) source += writer.kernel("k" + std::to_string(i));
  return source;
}

LaunchCase random_launch(std::mt19937_64& random, const std::string& source, const std::string& kernel) {
  LaunchCase launch;
  launch.source = source;
  launch.kernel = kernel;
  launch.ndrange.dimensions = 2;
  for (unsigned d = 0; d < 2; ++d) {
    launch.ndrange.local[d] = 1 + random() % 8;
    launch.ndrange.global[d] = launch.ndrange.local[d] * (1 + random() % 4);
    launch.ndrange.offset[d] = random() % 3 == 0 ? random() % 5 : 0;
  }
  launch.arguments = {buffer(random), buffer(random), value(static_cast<int32_t>(random() % 20)),
                      value(static_cast<uint32_t>(random() % 20))};
  return launch;
}

}  // namespace samcl::check
