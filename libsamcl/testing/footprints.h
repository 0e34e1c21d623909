// Footprints of kernels that a test makes up.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <string>

#include "contract/footprint/footprint.h"
#include "contract/footprint/symbolic_footprint.h"

namespace samcl::testing {

// Accesses of one uint per work-item, each at (global id + shift) * step in its buffer.
class Footprints {
 public:
  enum How { reads, surely_reads, surely_writes, may_write, adds };

  Footprints() { symbolic_.regions.resize(1); }

  Footprints& element(unsigned argument, How how, int64_t shift = 0, int64_t step = sizeof(cl_uint)) {
    footprint::Id id = node({.op = footprint::Op::global_id, .a = 0});
    id = node({.op = footprint::Op::add, .a = id, .b = number(shift)});
    return access(argument, how, node({.op = footprint::Op::multiply, .a = id, .b = number(step)}));
  }
  // A row of so many uints for each global id of that dimension, row-major.
  Footprints& row(unsigned argument, How how, uint64_t dimension, uint32_t words) {
    const footprint::Id id = node({.op = footprint::Op::global_id, .a = static_cast<footprint::Id>(dimension)});
    const int64_t bytes = int64_t{words} * static_cast<int64_t>(sizeof(cl_uint));
    return access(argument, how, node({.op = footprint::Op::multiply, .a = id, .b = number(bytes)}), words);
  }
  // The uint at global ids 0 and 1 as column and row of a matrix of so many columns.
  Footprints& cell(unsigned argument, How how, int64_t columns) {
    const footprint::Id column = node({.op = footprint::Op::global_id, .a = 0});
    footprint::Id id = node({.op = footprint::Op::global_id, .a = 1});
    id = node({.op = footprint::Op::multiply, .a = id, .b = number(columns)});
    id = node({.op = footprint::Op::add, .a = id, .b = column});
    return access(argument, how, node({.op = footprint::Op::multiply, .a = id, .b = number(sizeof(cl_uint))}));
  }
  // The first uint of the buffer, by every work-item.
  Footprints& first(unsigned argument, How how) { return access(argument, how, number(0)); }
  Footprints& anywhere(unsigned argument, How how) { return access(argument, how, footprint::kNone); }
  // By-value argument `length`: element (global id + length).
  Footprints& beyond(unsigned argument, How how, unsigned length) {
    footprint::Id id = node({.op = footprint::Op::global_id, .a = 0});
    id = node({.op = footprint::Op::add, .a = id, .b = node({.op = footprint::Op::argument, .a = length, .b = 0})});
    return access(argument, how, node({.op = footprint::Op::multiply, .a = id, .b = number(sizeof(cl_uint))}));
  }

  std::string text() const { return footprint::to_text(symbolic_); }
  Footprint made() const { return Footprint::parse(text()).value(); }

 private:
  footprint::Id node(footprint::Node node) {
    symbolic_.nodes.push_back(node);
    return static_cast<footprint::Id>(symbolic_.nodes.size() - 1);
  }
  footprint::Id number(int64_t value) { return node({.op = footprint::Op::constant, .value = value}); }
  Footprints& access(unsigned argument, How how, footprint::Id offset, uint32_t words = 1) {
    footprint::Access access;
    access.argument = argument;
    access.offset = offset;
    access.width = words * sizeof(cl_uint);
    access.sure_width = how == surely_writes || how == surely_reads ? access.width : 0;
    access.reads = how == reads || how == surely_reads || how == adds;
    access.writes = !(how == reads || how == surely_reads);
    symbolic_.accesses.push_back(access);
    return *this;
  }
  footprint::SymbolicFootprint symbolic_;
};

}  // namespace samcl::testing
