#include "kernel-translator/check/random_expression.h"

#include <algorithm>

namespace samcl::check {
namespace {

constexpr long kAnyInt = 1L << 31;
// Sums and products of such numbers stay within an int.
constexpr long kModerate = 10'000;

std::string call(const std::string& name, const std::string& a, const std::string& b) {
  return name + "(" + a + ", " + b + ")";
}

std::string between(const std::string& a, const std::string& operation, const std::string& b) {
  return "(" + a + " " + operation + " " + b + ")";
}

}  // namespace

Expression ExpressionWriter::bounded(const Expression& expression, long most) const {
  if (expression.bound <= most) return expression;
  const std::string end = std::to_string(most);
  return {"clamp(" + expression.text + ", -" + end + ", " + end + ")", most};
}

Expression ExpressionWriter::leaf() {
  static const Expression kPlaces[] = {
      {"(int)get_global_id(0)", 45}, {"(int)get_global_id(1)", 45},    {"(int)get_global_id(2)", 45},
      {"(int)get_local_id(0)", 8},   {"(int)get_local_id(1)", 8},      {"(int)get_group_id(0)", 8},
      {"(int)get_group_id(1)", 8},   {"(int)get_local_size(0)", 8},    {"(int)get_global_size(0)", 40},
      {"(int)get_num_groups(1)", 8}, {"(int)get_global_offset(0)", 5}, {"(int)get_work_dim()", 3}};
  static const Expression kArguments[] = {{"n", 20},
                                          {"(int)m", 20},
                                          {"shape.width", 40},
                                          {"(int)shape.height", 20},
                                          {"(int)shape.step", 5},
                                          {"(int)shape.base", 30},
                                          {"pair.x", 20},
                                          {"pair.s1", 20},
                                          {"(int)get_global_id(n & 1)", 45}};
  if (chance(20)) return {number(6), 6};
  if (!variables.empty() && chance(45)) return variables[below(variables.size())];
  if (has_arguments && chance(45)) return kArguments[below(std::size(kArguments))];
  return kPlaces[below(std::size(kPlaces))];
}

Expression ExpressionWriter::integer(int depth) {
  if (depth == 0 || chance(15)) return leaf();
  const Expression a = bounded(integer(depth - 1), kModerate), b = bounded(integer(depth - 1), kModerate);
  if (!helpers.empty() && chance(8)) {
    const Helper& helper = helpers[below(helpers.size())];
    return {call(helper.name, bounded(a, helper.most_argument).text, bounded(b, helper.most_argument).text),
            helper.bound};
  }
  if (has_arguments && chance(3)) return {"q[" + index(kRandomElements) + "]", 1000};
  if (chance(8))
    return {"(" + condition(depth - 1) + " ? " + a.text + " : " + b.text + ")", std::max(a.bound, b.bound)};
  switch (below(10)) {
    case 0:
    case 1: return of_bits(a, b);
    case 2: return builtin(a, b);
    case 3: return conversion(a, b);
    case 4: return vector(a, b);
    default: return arithmetic(a, b);
  }
}

Expression ExpressionWriter::arithmetic(const Expression& a, const Expression& b) {
  const long small = 1 + static_cast<long>(below(7));
  const std::string digit = std::to_string(small);
  switch (below(11)) {
    case 0:
    case 1: return {between(a.text, "+", b.text), a.bound + b.bound};
    case 2: return {between(a.text, "-", b.text), a.bound + b.bound};
    case 3:
    case 4: return {between(a.text, "*", digit), a.bound * small};
    case 5: {
      const Expression x = bounded(a, 60), y = bounded(b, 60);
      return {between(x.text, "*", y.text), x.bound * y.bound};
    }
    case 6: return {between(a.text, "/", digit), a.bound};
    case 7: return {between(a.text, "%", digit), small};
    case 8: return {between(a.text, chance(50) ? "/" : "%", "(1 + (" + b.text + " & 15))"), std::max(a.bound, 16L)};
    case 9: return {"(-" + a.text + ")", a.bound};
    default:  // numbers below zero become very large ones
      return {"(int)(((uint)" + a.text + " + " + digit + "u) " + (chance(50) ? "/ " : "% ") + digit + "u)", kAnyInt};
  }
}

Expression ExpressionWriter::of_bits(const Expression& a, const Expression& b) {
  const std::string shift = number(4);
  switch (below(7)) {
    case 0: return {between(a.text, "&", std::to_string((1 << below(5)) - 1)), 16};
    case 1: return {between(a.text, ">>", shift), a.bound};
    case 2: return {between(a.text, "<<", shift), a.bound * 8};
    case 3: return {between(a.text, chance(50) ? "|" : "^", b.text), 2 * std::max(a.bound, b.bound) + 1};
    case 4: return {"(~" + a.text + ")", a.bound + 1};
    case 5: return {"(int)((uint)" + a.text + " >> " + shift + ")", kAnyInt};
    default: return {between(a.text, "&", b.text), 2 * std::max(a.bound, b.bound) + 1};
  }
}

Expression ExpressionWriter::builtin(const Expression& a, const Expression& b) {
  const long larger = std::max(a.bound, b.bound);
  switch (below(14)) {
    case 0: return {call("min", a.text, b.text), larger};
    case 1: return {call("max", a.text, b.text), larger};
    case 2: return {"(int)abs(" + a.text + ")", a.bound};
    case 3: return {"(int)" + call("abs_diff", a.text, b.text), a.bound + b.bound};
    case 4: {
      const Expression x = bounded(a, 60), y = bounded(b, 60);
      return {call("mul24", x.text, y.text), x.bound * y.bound};
    }
    case 5: {
      const Expression x = bounded(a, 60);
      return {"mad24(" + x.text + ", " + number(9) + ", " + b.text + ")", x.bound * 9 + b.bound};
    }
    case 6: return {call(chance(50) ? "hadd" : "rhadd", a.text, b.text), larger};
    case 7: return {call(chance(50) ? "add_sat" : "sub_sat", a.text, b.text), a.bound + b.bound};
    case 8: return {"(int)rotate((uint)" + a.text + ", " + number(5) + "u)", kAnyInt};
    case 9: return {"select(" + a.text + ", " + b.text + ", (int)" + condition(0) + ")", larger};
    case 10: return {"clamp(" + a.text + ", -" + number(9) + ", " + number(30) + ")", 30};
    case 11: return {"clz(" + a.text + ")", 32};
    case 12: return {call("mul_hi", a.text, b.text), larger};
    default: return {"bitselect(" + a.text + ", " + b.text + ", " + number(64) + ")", kAnyInt};
  }
}

Expression ExpressionWriter::conversion(const Expression& a, const Expression& b) {
  switch (below(10)) {
    case 0: return {"(int)(short)" + a.text, std::min(a.bound, 32768L)};
    case 1: return {"(int)(uchar)" + a.text, 255};
    case 2: return {"(int)(char)" + a.text, 128};
    case 3: return {"(int)((ushort)" + a.text + " + (ushort)" + b.text + ")", 2 * 65535};
    case 4: return {"(int)((long)" + a.text + " * 3 - " + b.text + ")", 3 * a.bound + b.bound};
    case 5: return {"(int)((ulong)" + a.text + " / 5)", kAnyInt};
    case 6: return {"convert_int(" + bounded(a, 30'000).text + " + (size_t)" + number(9) + ")", kAnyInt};
    case 7: return {"(int)convert_uchar_sat(" + a.text + ")", 255};
    case 8: return {"(int)((float)" + bounded(a, 1000).text + " * 0.5f)", 500};
    default: return {"(int)(" + condition(0) + ")", 1};
  }
}

Expression ExpressionWriter::vector(const Expression& a, const Expression& b) {
  const std::string pair = "(int2)(" + a.text + ", " + b.text + ")";
  switch (below(6)) {
    case 0: return {"(" + pair + ").y", b.bound};
    case 1: return {"(" + pair + ".yx + " + number(9) + ").x", b.bound + 9};
    case 2: return {"((int4)(" + a.text + ") * (int4)(1, 2, 3, 4)).w", 4 * a.bound};
    case 3: return {"(" + pair + " - (int2)(" + b.text + ", 1)).s0", a.bound + b.bound};
    case 4: return {"max(" + pair + ", (int2)(0)).x", a.bound};
    default: return {"((int4)(" + pair + ", 3, 4)).hi.x", 3};
  }
}

std::string ExpressionWriter::condition(int depth) {
  if (depth > 0 && chance(25))
    return "(" + condition(depth - 1) + (chance(50) ? " && " : " || ") + condition(depth - 1) + ")";
  if (depth > 0 && chance(10)) return "(!" + condition(depth - 1) + ")";
  if (has_arguments && chance(10)) return "(q[" + index(kRandomElements) + "] > 0)";
  static const char* const kCompare[] = {"<", "<=", ">", ">=", "==", "!="};
  const std::string compare = kCompare[below(6)];
  const Expression a = integer(1), b = integer(1);
  static const char* const kTypes[] = {"(uint)", "(size_t)", "(short)", "(ulong)"};
  const std::string type = chance(25) ? kTypes[below(std::size(kTypes))] : "";
  return between(type + a.text, compare, type + b.text);
}

std::string ExpressionWriter::index(long end) {
  static const char* const kTypes[] = {"(size_t)", "(uint)", "(long)", "(ushort)", "(ulong)"};
  const std::string sum = std::to_string(end / 2) + " + " + bounded(integer(3), end / 2 - 1).text;
  return chance(25) ? kTypes[below(std::size(kTypes))] + ("(" + sum + ")") : sum;
}

}  // namespace samcl::check
