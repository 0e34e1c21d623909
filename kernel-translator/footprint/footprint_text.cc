#include "kernel-translator/footprint/footprint_text.h"

#include <algorithm>

namespace samcl::translator {

using footprint::Access;
using footprint::Id;
using footprint::kNone;
using footprint::Node;
using footprint::Op;
using footprint::Region;

namespace {

constexpr int kDeepestShown = 12;

// Of samcl::ImageNumbers.
std::string image_number(Id byte) {
  static const char* const kNames[] = {".pixel", ".row_pitch", ".slice_pitch", ".width", ".height", ".depth"};
  return byte % 8 == 0 && byte / 8 < std::size(kNames) ? kNames[byte / 8] : ".?";
}

class Writer {
 public:
  Writer(const footprint::SymbolicFootprint& symbolic, const KernelFacts& kernel)
      : symbolic_(symbolic), kernel_(kernel) {}

  std::string of(Id id, int depth = 0) const {
    const Node& node = symbolic_.nodes[id];
    const std::string bytes = std::to_string(node.b);
    if (depth > kDeepestShown) return "...";
    const auto inner = [&](Id operand) { return of(operand, depth + 1); };
    const auto pair = [&](const char* between) {
      return "(" + inner(node.a) + " " + between + " " + inner(node.b) + ")";
    };
    const auto call = [&](const char* name) {
      return std::string(name) + "(" + inner(node.a) + ", " + inner(node.b) + ")";
    };
    const auto placed = [&](const char* name) { return name + std::to_string(node.a); };
    switch (node.op) {
      case Op::constant: return std::to_string(node.value);
      case Op::argument:
        if (node.a >= kernel_.arguments.size()) return "?";
        if (kernel_.arguments[node.a].kind == ArgumentKind::image)
          return kernel_.arguments[node.a].name + image_number(node.b);
        return kernel_.arguments[node.a].name + (node.b == 0 ? "" : "[byte " + bytes + "]");
      case Op::unknown: return "?";
      case Op::work_dim: return "dimensions";
      case Op::group_id: return placed("group");
      case Op::local_id: return placed("lid");
      case Op::global_id: return placed("gid");
      case Op::num_groups: return placed("groups");
      case Op::local_size:
      case Op::enqueued_local_size: return placed("lsize");
      case Op::global_size: return placed("gsize");
      case Op::global_offset: return placed("goffset");
      case Op::counter: return "(" + inner(node.b) + " + " + inner(node.c) + " * round" + std::to_string(node.a) + ")";
      case Op::add: {
        const Node &a = symbolic_.nodes[node.a], &b = symbolic_.nodes[node.b];
        if (a.op == Op::constant && a.value == 0) return inner(node.b);
        if (b.op == Op::constant && b.value == 0) return inner(node.a);
        return pair("+");
      }
      case Op::subtract: return pair("-");
      case Op::multiply: return pair("*");
      case Op::multiply_24_signed:
      case Op::multiply_24_unsigned: return call("mul24");
      case Op::divide_signed:
      case Op::divide_unsigned: return pair("/");
      case Op::remainder_signed:
      case Op::remainder_unsigned: return pair("%");
      case Op::shift_left: return pair("<<");
      case Op::shift_right_signed:
      case Op::shift_right_unsigned: return pair(">>");
      case Op::bit_and: return pair("&");
      case Op::bit_or: return pair("|");
      case Op::bit_xor: return pair("^");
      case Op::minimum_signed:
      case Op::minimum_unsigned: return call("min");
      case Op::maximum_signed:
      case Op::maximum_unsigned: return call("max");
      case Op::absolute: return "abs(" + inner(node.a) + ")";
      case Op::sign_extend:
      case Op::zero_extend:
      case Op::truncate: return of(node.a, depth);
      case Op::up_to: return "(0.." + inner(node.a) + ")";
      case Op::select: return "(" + inner(node.a) + " ? " + inner(node.b) + " : " + inner(node.c) + ")";
      case Op::either: return call("either");
      case Op::equal: return pair("==");
      case Op::less_signed:
      case Op::less_unsigned: return pair("<");
      case Op::both: return pair("&&");
      case Op::negation: return opposite(node.a, depth);
    }
    return "?";
  }

  // "a >= b" for what is not a < b.
  std::string opposite(Id id, int depth = 0) const {
    const Node& node = symbolic_.nodes[id];
    const auto pair = [&](const char* between) {
      return "(" + of(node.a, depth + 1) + " " + between + " " + of(node.b, depth + 1) + ")";
    };
    if (node.op == Op::less_signed || node.op == Op::less_unsigned) return pair(">=");
    if (node.op == Op::equal) return pair("!=");
    if (node.op == Op::negation) return of(node.a, depth);
    return "!" + of(id, depth + 1);
  }

  std::string conditions(Id region) const {
    std::vector<std::string> all;
    for (Id at = region; at != kNone; at = symbolic_.regions[at].parent) {
      const Region& each = symbolic_.regions[at];
      if (each.condition.node != kNone)
        all.push_back(each.condition.when ? of(each.condition.node) : opposite(each.condition.node));
    }
    std::string text;
    for (size_t i = all.size(); i-- > 0;) text += (text.empty() ? " where " : " and ") + all[i];
    return text;
  }

  std::string describe(const Access& access) const {
    const bool sure = access.sure_width > 0;
    std::string text = access.argument < kernel_.arguments.size() ? kernel_.arguments[access.argument].name : "?";
    text += access.reads && access.writes ? ": changes "
            : access.reads                ? ": reads "
            : sure                        ? ": writes "
                                          : ": may write ";
    if (access.offset == kNone) return text + "anywhere";
    const bool is_pixel = kernel_.arguments[access.argument].kind == ArgumentKind::image;
    text += is_pixel ? "the pixel at byte " : std::to_string(access.width) + " bytes at ";
    text += of(access.offset);
    if (access.repeat != kNone && !is_pixel) text += ", repeated " + of(access.repeat) + " times";
    return text + conditions(access.region);
  }

 private:
  const footprint::SymbolicFootprint& symbolic_;
  const KernelFacts& kernel_;
};

}  // namespace

std::vector<std::string> describe(const footprint::SymbolicFootprint& symbolic, const KernelFacts& kernel) {
  if (symbolic.anything) return {"anything"};
  const Writer writer(symbolic, kernel);
  std::vector<std::string> lines;
  for (const Access& access : symbolic.accesses) {
    std::string line = writer.describe(access);
    if (line.size() > 400) line = line.substr(0, 397) + "...";
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace samcl::translator
