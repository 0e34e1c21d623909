#include "kernel-translator/check/random_kernel.h"

#include <algorithm>
#include <array>

#include "kernel-translator/check/random_expression.h"

namespace samcl::check {

const char kRandomTypes[] =
    "struct Shape { int width; uint height; short step; long base; };\n"
    "struct Cell { char a; int b; short c; };\n";

namespace {

// What can be stored: how an element is reached through a pointer to global memory, how many there are, and a
// value.
struct Element {
  const char *before, *after;
  long bytes;
  const char *value_before, *value_after;
};
constexpr Element kElements[] = {
    {"((__global short*)p)[", "]", 2, "(short)(", ")"},
    {"((__global uchar*)p)[", "]", 1, "(uchar)(", ")"},
    {"((__global long*)p)[", "]", 8, "(long)(", ")"},
    {"((__global int2*)p)[", "]", 8, "(int2)(1, ", ")"},
    {"((__global int2*)p)[", "].y", 8, "", ""},
    {"((__global int3*)p)[", "]", 16, "(int3)(2, 3, ", ")"},
    {"((__global uchar4*)p)[", "].zw", 4, "(uchar2)((uchar)(", "), 1)"},
    {"((__global struct Cell*)p)[", "].b", 12, "", ""},
    {"((__global struct Cell*)p)[", "].c", 12, "(short)(", ")"},
    {"(p + 3)[", "]", 8, "", ""},
};

class KernelWriter {
 public:
  explicit KernelWriter(std::mt19937_64& random) : write_(random) {}

  std::string helper(unsigned number) {
    write_.forget();
    if (chance(30)) {
      write_.variables = {{"(a)", 100}, {"(b)", 100}};
      const Expression value = write_.bounded(write_.integer(2), 1000);
      helpers_.push_back({"M" + std::to_string(number), 100, value.bound});
      return "#define " + helpers_.back().name + "(a, b) (" + value.text + ")\n";
    }
    write_.variables = {{"a", 100}, {"b", 100}};
    const Expression first = write_.bounded(write_.integer(2), 1000), last = write_.bounded(write_.integer(2), 1000);
    std::string body;
    if (chance(40)) body += "if " + write_.condition(1) + " return " + first.text + ";\n";
    if (chance(30)) body += "for (int i = 0; i < (b & 7); ++i) a += i;\n";
    const long grown = body.find("for") != std::string::npos ? 8 * last.bound + 100'000 : last.bound;
    helpers_.push_back({"h" + std::to_string(number), 100, std::max(first.bound, grown)});
    return (chance(20) ? "__attribute__((noinline)) int " : "int ") + helpers_.back().name + "(int a, int b) {\n" +
           body + "return " + last.text + ";\n}\n";
  }

  std::string kernel(const std::string& name) {
    write_.forget();
    write_.has_arguments = true;
    write_.helpers = helpers_;
    names_ = depth_of_loops_ = 0;
    std::string body = declaration();
    body += declaration();
    if (chance(35)) body += through_local_memory();
    may_return_ = true;
    body += block(2);
    may_return_ = false;
    return "__kernel void " + name + kRandomParameters + " {\n" + body + "}\n";
  }

 private:
  unsigned long below(unsigned long end) { return write_.below(end); }
  bool chance(unsigned percent) { return write_.chance(percent); }
  std::string name(const char* first) { return first + std::to_string(names_++); }
  std::string braces(const std::string& text) { return "{\n" + text + "}\n"; }

  std::string declaration() {
    const Expression value = write_.bounded(write_.integer(2), 200);
    const std::string variable = name("v");
    write_.variables.push_back({variable, 200});
    return "int " + variable + " = " + value.text + ";\n";
  }

  // Each work-item of a group leaves a number that another one takes, or the group copies some.
  std::string through_local_memory() {
    const std::string tile = name("tile"), place = name("l");
    std::string text = "__local int " + tile + "[512];\nint " + place +
                       " = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + "
                       "get_local_id(0);\nfor (int i = " +
                       place + "; i < 512; i += get_local_size(0) * get_local_size(1) * get_local_size(2)) " + tile +
                       "[i] = i;\nbarrier(CLK_LOCAL_MEM_FENCE);\n";
    if (chance(40)) {
      const std::string from =
          std::to_string(below(4000)) + " + " + std::to_string(below(60)) + " * (int)get_group_id(0)";
      text += "event_t e = async_work_group_copy(" + tile + ", q + " + from + ", 512, 0);\nwait_group_events(1, &e);\n";
    } else {
      text += "for (int i = 0; i < 2; ++i) {\n" + tile + "[" + place +
              "] = " + (chance(50) ? "q[" + write_.index(kRandomElements) + "]" : write_.integer(1).text) +
              ";\nbarrier(CLK_LOCAL_MEM_FENCE);\n}\n";
    }
    if (chance(30))
      text += "event_t g = async_work_group_copy(p + " + std::to_string(below(1000)) +
              " + 512 * (int)get_group_id(1), " + tile + ", " + (chance(50) ? "n" : "37") +
              ", 0);\nwait_group_events(1, &g);\n";
    return text + "p[" + write_.index(kRandomElements) + "] = " + tile + "[(" + place + " + n) & 511];\n";
  }

  std::string value() {
    return chance(50) ? "q[" + write_.index(kRandomElements) + "] * 3 + 1" : write_.integer(1).text;
  }

  std::string store() {
    switch (below(14)) {
      case 0:
      case 1:
      case 2: {
        const Element& element = kElements[below(std::size(kElements))];
        return element.before + write_.index(4 * kRandomElements / element.bytes - 4) + element.after + " = " +
               element.value_before + value() + element.value_after + ";\n";
      }
      case 3:
        return "vstore4((int4)(1, 2, 3, " + value() + "), " + write_.index(kRandomElements / 4 - 1) + ", p + n % 4);\n";
      case 4: return "vstore3((int3)(" + value() + "), " + write_.index(kRandomElements / 3 - 1) + ", p);\n";
      case 5:
        return "p[" + write_.index(kRandomElements) + "] = vload2(" + write_.index(kRandomElements / 2 - 1) +
               ", q + 1).y;\n";
      case 6: return "atomic_add(p + " + write_.index(kRandomElements) + ", " + write_.integer(0).text + ");\n";
      case 7:
        return "((__global struct Cell*)p)[" + write_.index(2700) + "] = ((__global const struct Cell*)q)[" +
               write_.index(2700) + "];\n";
      case 8:
        return "r[" + write_.index(kRandomElements) + "] " + (chance(50) ? "=" : "^=") + " (short)" + value() + ";\n";
      case 9:
        return "*(" + write_.condition(1) + " ? p + " + write_.index(kRandomElements) + " : (__global int*)r + " +
               write_.index(kRandomElements / 2) + ") = " + value() + ";\n";
      case 10: return "p[" + write_.index(kRandomElements) + "] += " + value() + ";\n";
      default: return "p[" + write_.index(kRandomElements) + "] = " + value() + ";\n";
    }
  }

  std::string statement(int depth) {
    const unsigned long kind = below(24);
    if (depth == 0 || kind < 10) return store();
    if (kind < 11 && may_return_) return "if (" + write_.condition(1) + ") return;\n";
    if (kind < 13 && !write_.variables.empty()) return assignment();
    if (kind < 17) {
      std::string text = "if (" + write_.condition(1) + ") " + braces(block(depth - 1));
      if (chance(30)) text += "else " + braces(block(depth - 1));
      return text;
    }
    if (kind < 18) {
      std::string text = "switch (" + write_.integer(1).text + " & 3) {\n";
      for (const char* label : {"case 0", "case 2", "default"})
        text += std::string(label) + ":\n" + store() + (chance(70) ? "break;\n" : "");
      return text + "}\n";
    }
    switch (kind) {
      case 18: return walk();
      case 19: return gathering();
      case 20: return grid_stride();
      default: return depth_of_loops_ < 2 ? loop(depth) : store();
    }
  }

  // A declared variable gets another value, on some ways.
  std::string assignment() {
    for (const Expression& variable : write_.variables)
      if (variable.text[0] == 'v' && chance(50))
        return (chance(50) ? "if (" + write_.condition(1) + ") " : "") + variable.text + " = " +
               write_.bounded(write_.integer(2), 200).text + ";\n";
    return store();
  }

  // A pointer that moves, forwards or backwards.
  std::string walk() {
    const std::string pointer = name("w"), counter = name("i");
    const std::string step = std::to_string(static_cast<long>(below(9)) - 4);
    const std::string by = chance(30) ? "shape.step" : step;
    return "__global int* " + pointer + " = p + 200 + " + write_.index(kRandomElements - 400) + ";\nfor (int " +
           counter + " = 0; " + counter + " < n; ++" + counter + ") {\n*" + pointer + " = " + value() + ";\n" +
           (chance(30) ? "if (" + write_.condition(1) + ") " : "") + pointer + " += " + by + ";\n}\n";
  }

  // An index that grows where data tells it to.
  std::string gathering() {
    const std::string at = name("at"), counter = name("i");
    std::string text = "int " + at + " = 100 + " + write_.index(kRandomElements - 300) + ";\nfor (uint " + counter +
                       " = 0; " + counter + " < m; ++" + counter + ") {\n";
    const std::string step =
        chance(50) ? "++" + at : at + (chance(50) ? " -= " : " += ") + std::to_string(1 + below(4));
    text += "if (" + write_.condition(0) + ") { p[" + at + "] = " + value() + "; " + step + "; }\n";
    if (chance(20)) text += "else p[" + at + "] = 7;\n";
    return text + "}\n" + (chance(50) ? "p[" + at + "] = n;\n" : "");
  }

  std::string grid_stride() {
    const std::string i = name("i"), type = chance(50) ? "int" : "uint", d = std::to_string(below(2));
    const std::string first = chance(70) ? "get_global_id" : "get_group_id";
    const std::string stride = first == "get_group_id" ? "get_num_groups" : "get_global_size";
    const std::string end = chance(50) ? "100" : "n * 5";
    return "for (" + type + " " + i + " = " + first + "(" + d + "); " + i + " < " + end + "; " + i + " += " + stride +
           "(" + d + ")) " + braces("p[" + i + " * " + std::to_string(1 + below(5)) + " + 7] = q[" + i + "] + n;\n");
  }

  std::string loop(int depth) {
    const std::string i = name("i"), step = std::to_string(1 + below(5));
    const std::string start = write_.bounded(write_.integer(1), 20).text;
    static const char* const kTypes[] = {"int", "uint", "short", "uchar", "long"};
    const std::string type = kTypes[below(std::size(kTypes))];
    std::string head, tail;
    switch (below(9)) {
      case 0: head = "for (" + type + " " + i + " = 0; " + i + " < n; ++" + i + ") "; break;
      case 1: head = "for (int " + i + " = n; " + i + " > 0; --" + i + ") "; break;
      case 2: head = "for (int " + i + " = " + start + "; " + i + " < 20; " + i + " += " + step + ") "; break;
      case 3: head = "for (uint " + i + " = 0; " + i + " != m; " + i + "++) "; break;
      case 4: head = "for (uint " + i + " = m; " + i + "-- > 0;) "; break;
      case 5: head = "for (int " + i + " = " + start + "; " + i + " >= -20; " + i + " -= " + step + ") "; break;
      case 6: head = "for (int " + i + " = n; " + i + " > 0; " + i + (chance(50) ? " >>= 1) " : " /= 2) "); break;
      case 7: head = "for (uint " + i + " = 1; " + i + " < m; " + i + " *= 2) "; break;
      default:
        head = "int " + i + " = 0;\ndo ";
        tail = "while (++" + i + " < n);\n";
        break;
    }
    const std::vector<Expression> outside = write_.variables;
    write_.variables.push_back({"(int)" + i, 32});
    ++depth_of_loops_;
    std::string body;
    if (tail.empty() && chance(15)) body += "if (" + write_.condition(0) + ") continue;\n";
    body += block(depth - 1);
    if (chance(15)) body += "if (" + write_.condition(0) + ") break;\n" + store();
    --depth_of_loops_;
    write_.variables = outside;
    return head + braces(body) + tail;
  }

  std::string block(int depth) {
    const std::vector<Expression> outside = write_.variables;
    std::string text = chance(20) ? declaration() : "";
    for (unsigned long i = 0, count = 1 + below(3); i < count; ++i) text += statement(depth);
    write_.variables = outside;
    return text;
  }

  ExpressionWriter write_;
  std::vector<Helper> helpers_;
  unsigned names_ = 0, depth_of_loops_ = 0;
  bool may_return_ = false;
};

template <typename T>
CaseArgument value(const T& number) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&number);
  CaseArgument argument;
  argument.bytes.assign(bytes, bytes + sizeof number);
  return argument;
}

CaseArgument buffer(std::mt19937_64& random, unsigned ints) {
  CaseArgument argument;
  argument.kind = CaseArgument::Kind::buffer;
  for (unsigned i = 0; i < ints; ++i) {
    const CaseArgument element = value(static_cast<int32_t>(random() % 2000) - 1000);
    argument.bytes.insert(argument.bytes.end(), element.bytes.begin(), element.bytes.end());
  }
  return argument;
}

// As in kRandomTypes.
struct Shape {
  int32_t width;
  uint32_t height;
  int16_t step;
  std::array<std::byte, 6> padding;
  int64_t base;
};
static_assert(sizeof(Shape) == 24);

CaseArgument shape(std::mt19937_64& random) {
  const auto from = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  return value(
      Shape{from(0, 40), static_cast<uint32_t>(from(0, 20)), static_cast<int16_t>(from(-5, 5)), {}, from(-30, 30)});
}

}  // namespace

std::string random_kernels(std::mt19937_64& random, unsigned count) {
  KernelWriter writer(random);
  std::string source = kRandomTypes;
  for (unsigned i = 0; i < 3; ++i) source += writer.helper(i);
  for (unsigned i = 0; i < count; ++i) source += writer.kernel("k" + std::to_string(i));
  return source;
}

LaunchCase random_launch(std::mt19937_64& random, const std::string& source, const std::string& kernel) {
  LaunchCase launch;
  launch.source = source;
  launch.kernel = kernel;
  launch.ndrange.dimensions = 1 + random() % 3;
  for (unsigned d = 0; d < launch.ndrange.dimensions; ++d) {
    launch.ndrange.local[d] = 1 + random() % (d < 2 ? 8 : 2);
    launch.ndrange.global[d] = launch.ndrange.local[d] * (1 + random() % (d < 2 ? 4 : 2));
    launch.ndrange.offset[d] = random() % 3 == 0 ? random() % 5 : 0;
  }
  const int32_t pair[] = {static_cast<int32_t>(random() % 20), static_cast<int32_t>(random() % 20)};
  launch.arguments = {buffer(random, kRandomElements),
                      buffer(random, kRandomElements),
                      buffer(random, kRandomElements / 2),
                      value(static_cast<int32_t>(random() % 20)),
                      value(static_cast<uint32_t>(random() % 20)),
                      shape(random),
                      value(pair)};
  return launch;
}

}  // namespace samcl::check
