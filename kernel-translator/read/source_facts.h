// What is known about the kernels of one source: filled in by the rewriter (from the syntax tree) and by the
// study of memory use (from LLVM IR), printed by main. The same facts reach libsamcl through
// kernel-translator/client/translation.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace samcl::translator {

struct Argument {
  std::string name, type_name;
  std::string kind = "other";
  uint64_t size = 0;  // bytes of a value
  bool may_read = false, may_write = false;
  uint32_t store_width = 0;  // bytes of the narrowest store; 0: none
  std::string accumulates;   // all accesses are atomic operations of that kind, on store_width bytes; "": not so

  // The kernel stores `width` bytes at once through this argument.
  void written(uint32_t width) {
    may_write = true;
    if (!store_width || width < store_width) store_width = width;
  }
};

struct Kernel {
  std::string name;
  std::vector<Argument> arguments;
  std::set<std::string> affected_builtins;
  bool needs_ndrange_argument = false;
  std::string why_not_split, why_not_slice;  // empty: it may
  bool splits_in_one_memory = true;          // it may where all devices see one memory
  bool may_split_disjoint = false;  // why_not_split does not count where no part touches what another one writes
  bool depends_on_local_size = false;
  bool depends_on_addresses = false;  // stores, compares or follows addresses kept in memory
  std::optional<std::array<uint64_t, 3>> required_work_group_size;

  // The first reason stands.
  void no_split(const std::string& why) {
    no_split_apart(why);
    splits_in_one_memory = false;
  }
  // Only where devices have memories of their own.
  void no_split_apart(const std::string& why) {
    if (why_not_split.empty()) why_not_split = why;
  }
  void no_slice(const std::string& why) {
    no_split(why);
    if (why_not_slice.empty()) why_not_slice = why;
  }
};

}  // namespace samcl::translator
