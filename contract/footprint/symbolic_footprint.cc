#include "contract/footprint/symbolic_footprint.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace samcl::footprint {
namespace {

constexpr int64_t kVersion = 2;
constexpr uint64_t kMost = 1u << 16;  // nodes, loops, regions or accesses

class Writer {
 public:
  void operator()(int64_t number) {
    if (!text_.empty()) text_ += ' ';
    text_ += std::to_string(number);
  }
  void id(Id id) { (*this)(id == kNone ? -1 : static_cast<int64_t>(id)); }
  void condition(const Condition& condition) {
    id(condition.node);
    (*this)(condition.when);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// Reads numbers; after the first that is missing or out of its range, ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  int64_t number(int64_t least = INT64_MIN, int64_t most = INT64_MAX) {
    while (!text_.empty() && text_[0] == ' ') text_.remove_prefix(1);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    ok_ = ok_ && error == std::errc() && value >= least && value <= most;
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return ok_ ? value : least;
  }
  bool flag() { return number(0, 1) == 1; }
  uint64_t size() { return static_cast<uint64_t>(number(0, INT64_MAX)); }
  // Below `end`; or none.
  Id id(size_t end) {
    const int64_t value = number(-1, static_cast<int64_t>(end) - 1);
    return value < 0 ? kNone : static_cast<Id>(value);
  }
  Condition condition(size_t nodes) {
    Condition condition;
    condition.node = id(nodes);
    condition.when = flag();
    return condition;
  }
  size_t count() { return ok_ ? static_cast<size_t>(number(0, kMost)) : 0; }
  bool ok() const { return ok_; }
  bool at_end() const { return text_.find_first_not_of(" \n") == std::string_view::npos; }

 private:
  std::string_view text_;
  bool ok_ = true;
};

// Which operands an operation has: 0 none or numbers, 1 a, 2 a and b, 3 all three.
int operands(Op op) {
  if (op <= Op::global_offset) return 0;
  if (op == Op::counter || op == Op::select) return 3;
  if (op >= Op::absolute && op <= Op::up_to) return 1;
  return op == Op::negation ? 1 : 2;
}

Node read_node(Reader& reader, size_t index, size_t loops) {
  Node node;
  node.op = static_cast<Op>(reader.number(0, static_cast<int64_t>(Op::last)));
  node.bits = static_cast<uint8_t>(reader.number(1, 64));
  node.value = reader.number();
  const int count = operands(node.op);
  const bool by_dimension = node.op >= Op::group_id && node.op <= Op::global_offset;
  if (node.op == Op::counter) {
    node.a = static_cast<Id>(reader.number(0, static_cast<int64_t>(loops) - 1));
    node.b = static_cast<Id>(reader.number(0, static_cast<int64_t>(index) - 1));
    node.c = static_cast<Id>(reader.number(0, static_cast<int64_t>(index) - 1));
  } else if (node.op == Op::argument) {
    node.a = static_cast<Id>(reader.number(0, kMost));
    node.b = static_cast<Id>(reader.number(0, kMost));
  } else if (by_dimension) {
    node.a = static_cast<Id>(reader.number(0, 2));
  } else {
    Id* const places[] = {&node.a, &node.b, &node.c};
    for (int i = 0; i < count; ++i) *places[i] = static_cast<Id>(reader.number(0, static_cast<int64_t>(index) - 1));
  }
  return node;
}

// The nodes that a node is made of; kNone in unused places.
std::array<Id*, 3> operand_places(Node& node) {
  static Id none = kNone;
  const int count = operands(node.op);
  Id* const a = count > 0 && node.op != Op::counter ? &node.a : &none;
  return {a, count > 1 ? &node.b : &none, count > 2 ? &node.c : &none};
}

bool too_deep(const SymbolicFootprint& symbolic) {
  std::vector<unsigned> depth(symbolic.nodes.size(), 0);
  for (size_t i = 0; i < symbolic.nodes.size(); ++i) {
    Node node = symbolic.nodes[i];
    for (const Id* id : operand_places(node))
      if (*id != kNone) depth[i] = std::max(depth[i], depth[*id] + 1);
    if (depth[i] > kMostDepth) return true;
  }
  return false;
}

void write_node(Writer& write, const Node& node) {
  write(static_cast<int64_t>(node.op));
  write(node.bits);
  write(node.value);
  const int count = operands(node.op);
  if (node.op == Op::argument) {
    write(node.a);
    write(node.b);
  } else if (node.op >= Op::group_id && node.op <= Op::global_offset) {
    write(node.a);
  } else {
    if (count > 0) write(node.a);
    if (count > 1) write(node.b);
    if (count > 2) write(node.c);
  }
}

// Drops the elements not in use; gives the new number of each.
template <typename T>
std::vector<Id> compact(std::vector<T>& elements, const std::vector<bool>& used) {
  std::vector<Id> number(elements.size(), kNone);
  Id next = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!used[i]) continue;
    number[i] = next;
    elements[next++] = elements[i];
  }
  elements.resize(next);
  return number;
}

}  // namespace

SmallVector<Id, 3> operands_of(const Node& node) {
  Node copy = node;
  SmallVector<Id, 3> operands;
  for (const Id* operand : operand_places(copy))
    if (*operand != kNone) operands.push_back(*operand);
  return operands;
}

void prune(SymbolicFootprint& symbolic) {
  std::vector<bool> regions(symbolic.regions.size(), false), nodes(symbolic.nodes.size(), false);
  std::vector<bool> loops(symbolic.loops.size(), false);
  if (!regions.empty()) regions[0] = true;
  const auto use = [&](Id node) {
    if (node != kNone) nodes[node] = true;
  };
  for (const Access& access : symbolic.accesses) {
    regions[access.region] = true;
    use(access.offset);
    use(access.repeat);
  }
  for (size_t i = regions.size(); i-- > 1;) {
    if (!regions[i]) continue;
    const Region& region = symbolic.regions[i];
    regions[region.parent] = true;
    use(region.condition.node);
    if (region.loop != kNone) loops[region.loop] = true;
  }
  for (size_t i = 0; i < loops.size(); ++i) {
    if (!loops[i]) symbolic.loops[i].stay.clear();
    for (const Condition& stay : symbolic.loops[i].stay) use(stay.node);
  }
  for (size_t i = nodes.size(); i-- > 0;)
    if (nodes[i])
      for (const Id* operand : operand_places(symbolic.nodes[i])) use(*operand);

  const std::vector<Id> node_number = compact(symbolic.nodes, nodes),
                        region_number = compact(symbolic.regions, regions);
  const auto renumber = [](Id& id, const std::vector<Id>& number) {
    if (id != kNone) id = number[id];
  };
  for (Node& node : symbolic.nodes)
    for (Id* operand : operand_places(node))
      if (*operand != kNone) *operand = node_number[*operand];
  for (Loop& loop : symbolic.loops)
    for (Condition& stay : loop.stay) renumber(stay.node, node_number);
  for (Region& region : symbolic.regions) {
    renumber(region.parent, region_number);
    renumber(region.condition.node, node_number);
  }
  for (Access& access : symbolic.accesses) {
    renumber(access.region, region_number);
    renumber(access.offset, node_number);
    renumber(access.repeat, node_number);
  }
}

std::string to_text(const SymbolicFootprint& symbolic) {
  Writer write;
  write(kVersion);
  write(symbolic.anything);
  write(static_cast<int64_t>(symbolic.nodes.size()));
  write(static_cast<int64_t>(symbolic.loops.size()));
  write(static_cast<int64_t>(symbolic.regions.size()));
  write(static_cast<int64_t>(symbolic.accesses.size()));
  for (const Node& node : symbolic.nodes) write_node(write, node);
  for (const Loop& loop : symbolic.loops) {
    write(loop.single_exit);
    write(static_cast<int64_t>(loop.stay.size()));
    for (const Condition& stay : loop.stay) write.condition(stay);
  }
  for (const Region& region : symbolic.regions) {
    write.id(region.parent);
    write.condition(region.condition);
    write.id(region.loop);
    write(region.left);
  }
  for (const Access& access : symbolic.accesses) {
    write(access.argument);
    write(access.region);
    write.id(access.offset);
    write(static_cast<int64_t>(access.width));
    write(static_cast<int64_t>(access.sure_width));
    write.id(access.repeat);
    write(static_cast<int64_t>(access.stride));
    write(access.reads);
    write(access.writes);
  }
  return write.take();
}

Result<SymbolicFootprint> from_text(std::string_view text) {
  Reader reader(text);
  if (reader.number() != kVersion) return fail("a footprint of another version");
  SymbolicFootprint symbolic;
  symbolic.anything = reader.flag();
  const size_t nodes = reader.count(), loops = reader.count(), regions = reader.count(), accesses = reader.count();
  for (size_t i = 0; i < nodes && reader.ok(); ++i) symbolic.nodes.push_back(read_node(reader, i, loops));
  for (size_t i = 0; i < loops && reader.ok(); ++i) {
    Loop& loop = symbolic.loops.emplace_back();
    loop.single_exit = reader.flag();
    for (size_t count = reader.count(); count > 0 && reader.ok(); --count) {
      loop.stay.push_back(reader.condition(nodes));
      if (loop.stay.back().node == kNone) return fail("a loop without its condition");
    }
  }
  for (size_t i = 0; i < regions && reader.ok(); ++i) {
    Region& region = symbolic.regions.emplace_back();
    region.parent = reader.id(i);
    region.condition = reader.condition(nodes);
    region.loop = reader.id(loops);
    region.left = reader.flag();
    if ((region.parent == kNone) != (i == 0)) return fail("a footprint's regions are no tree");
    if (i > 0 && region.condition.node == kNone && region.loop == kNone) return fail("a region without a reason");
  }
  for (size_t i = 0; i < accesses && reader.ok(); ++i) {
    Access& access = symbolic.accesses.emplace_back();
    access.argument = static_cast<Id>(reader.number(0, kMost));
    access.region = reader.id(regions);
    access.offset = reader.id(nodes);
    access.width = static_cast<uint64_t>(reader.number(1, INT32_MAX));
    access.sure_width = static_cast<uint64_t>(reader.number(0, INT32_MAX));
    access.repeat = reader.id(nodes);
    access.stride = static_cast<uint64_t>(reader.number(0, INT32_MAX));
    access.reads = reader.flag();
    access.writes = reader.flag();
    if (access.region == kNone || access.sure_width > access.width) return fail("an access out of place");
    if (i > 0 && access.region < symbolic.accesses[i - 1].region) return fail("accesses out of order");
  }
  if (!reader.ok() || !reader.at_end()) return fail("a footprint that can't be read");
  if (too_deep(symbolic)) return fail("a footprint too deep to evaluate");
  return symbolic;
}

}  // namespace samcl::footprint
