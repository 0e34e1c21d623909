// A kernel's footprint before its arguments are known: the integer arithmetic that leads to its addresses,
// the conditions under which they are used, and the accesses. Made by sam-translate, evaluated by libsamcl;
// this is the one definition both share.
//
// Nodes are values of one work-item in one round of its loops. Integers of `bits` bits are known modulo
// 2^bits; conditions have one bit. Regions form a tree: each adds one condition, or one loop that is entered,
// to its parent; region 0 is the kernel's entry. Every access belongs to a region and happens at most where
// all conditions up to the root hold; a `sure` one happens wherever they do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/small_vector.h"

namespace samcl::footprint {

using Id = uint32_t;
constexpr Id kNone = UINT32_MAX;

enum class Op : uint8_t {
  constant,  // value
  argument,  // by-value argument a, from byte b on, bits/8 of them
  unknown,   // any value
  work_dim,
  group_id,  // of dimension a; so up to global_offset
  local_id,
  global_id,
  num_groups,
  local_size,
  enqueued_local_size,
  global_size,
  global_offset,
  counter,  // b + round * c, in round 0, 1, ... of loop a
  add,      // of a and b; so up to maximum_unsigned
  subtract,
  multiply,
  multiply_24_signed,  // any value unless both factors have 24 bits: there devices differ
  multiply_24_unsigned,
  divide_signed,
  divide_unsigned,
  remainder_signed,
  remainder_unsigned,
  shift_left,
  shift_right_signed,
  shift_right_unsigned,
  bit_and,
  bit_or,
  bit_xor,
  minimum_signed,
  minimum_unsigned,
  maximum_signed,
  maximum_unsigned,
  absolute,     // of a
  sign_extend,  // of a; so up to truncate
  zero_extend,
  truncate,
  up_to,   // any value from 0 to a, as unsigned numbers; each such node is a value of its own
  select,  // a ? b : c
  either,  // a or b, not known which
  equal,   // conditions; of a and b
  less_signed,
  less_unsigned,
  both,      // a and b
  negation,  // not a
  last = negation,
};

struct Node {
  Op op = Op::unknown;
  uint8_t bits = 64;  // 1..64
  Id a = kNone, b = kNone, c = kNone;
  int64_t value = 0;  // of a constant, less than 2^63 in size; else 1: best seen as signed
  bool operator==(const Node&) const = default;
};

// A condition that holds (`when`: true) or does not.
struct Condition {
  Id node = kNone;
  bool when = true;
};

// Every round but the last ends with all of `stay`, checked in each round that is begun.
struct Loop {
  std::vector<Condition> stay;
  bool single_exit = false;  // and with nothing but the first of `stay`
};

struct Region {
  Id parent = kNone;
  Condition condition;  // node kNone: a loop is entered instead
  Id loop = kNone;      // the loop entered, or the loop whose first `stay` the condition is
  bool left = false;    // a loop entered: the region is where it has been left
};

struct Access {
  Id argument = 0;
  Id region = 0;
  Id offset = kNone;        // bytes from the argument's start; kNone: anywhere
  uint64_t width = 1;       // bytes
  uint64_t sure_width = 0;  // bytes of these that are surely read or written, the first ones
  Id repeat = kNone;        // node: the access is repeated that often, each time `stride` bytes on
  uint64_t stride = 0;
  bool reads = false, writes = false;
  bool operator==(const Access&) const = default;
};

struct SymbolicFootprint {
  std::vector<Node> nodes;  // operands come before their users
  std::vector<Loop> loops;
  std::vector<Region> regions;   // parents come before their children
  std::vector<Access> accesses;  // in the order of their regions
  bool anything = false;         // nothing is known: every argument may be touched anywhere
};

// The nodes that a node is made of.
SmallVector<Id, 3> operands_of(const Node& node);

// Leaves out nodes and regions that no access needs.
void prune(SymbolicFootprint& symbolic);

// One line of text, and back. Errors: the text is not what to_text() makes; all indices in a SymbolicFootprint that
// comes out are in range, and no node lies deeper than kMostDepth.
constexpr unsigned kMostDepth = 1000;
std::string to_text(const SymbolicFootprint& symbolic);
Result<SymbolicFootprint> from_text(std::string_view text);

}  // namespace samcl::footprint
