#include "kernel-translator/ir/builtins.h"

#include <string>
#include <vector>

#include "kernel-translator/ir/mangled_name.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"

namespace samcl::translator {
namespace {

using Kind = Builtin::Kind;
using Effect = Builtin::Effect;
using Ordering = Builtin::Ordering;
using footprint::Op;

constexpr Builtin work_item(const char* name, Op number, bool of_groups, bool uniform, bool by_offset) {
  return {.name = name,
          .kind = Kind::work_item,
          .number = number,
          .of_groups = of_groups,
          .uniform = uniform,
          .by_offset = by_offset};
}

// A further pointer holds a value that is expected, or takes the result.
constexpr Builtin atomic(const char* name, Effect first, Accumulation how = Accumulation::none,
                         Ordering ordering = Ordering::atomic) {
  return {.name = name,
          .kind = Kind::atomic,
          .first = first,
          .others = Effect::updates,
          .ordering = ordering,
          .accumulates = how};
}

constexpr Builtin group_copy(const char* name) {
  return {.name = name, .kind = Kind::group_copy, .first = Effect::writes, .others = Effect::reads, .of_groups = true};
}

constexpr Builtin second_result(const char* name, uint8_t element) {
  return {.name = name, .first = Effect::writes, .element = element};
}

// Atomics are written "atomic_add" whatever their spelling. The first family that fits a name counts.
constexpr Builtin kBuiltins[] = {
    work_item("get_global_id", Op::global_id, false, false, false),
    work_item("get_local_id", Op::local_id, true, false, false),
    work_item("get_group_id", Op::group_id, true, true, true),
    work_item("get_num_groups", Op::num_groups, true, true, true),
    work_item("get_local_size", Op::local_size, true, true, false),
    work_item("get_enqueued_local_size", Op::enqueued_local_size, true, true, false),
    work_item("get_global_size", Op::global_size, false, true, true),
    work_item("get_global_offset", Op::global_offset, false, true, true),
    work_item("get_work_dim", Op::work_dim, false, true, false),
    work_item("get_global_linear_id", Op::unknown, true, false, true),
    work_item("get_local_linear_id", Op::unknown, true, false, false),
    work_item("get_max_sub_group_size", Op::unknown, true, true, false),
    work_item("get_num_sub_groups", Op::unknown, true, false, false),
    work_item("get_enqueued_num_sub_groups", Op::unknown, true, false, false),
    work_item("get_sub_group_*", Op::unknown, true, false, false),

    {.name = "*pipe*", .kind = Kind::pipe},
    {.name = "enqueue_*", .kind = Kind::enqueues},
    {.name = "__enqueue_*", .kind = Kind::enqueues},
    {.name = "__get_kernel_*", .kind = Kind::enqueues},
    {.name = "ndrange_*", .kind = Kind::enqueues},
    {.name = "get_default_queue", .kind = Kind::enqueues},
    {.name = "create_user_event", .kind = Kind::enqueues},
    {.name = "set_user_event_status", .kind = Kind::enqueues},

    {.name = "barrier", .kind = Kind::barrier, .of_groups = true},
    {.name = "work_group_barrier", .kind = Kind::barrier, .of_groups = true},
    {.name = "mem_fence", .kind = Kind::fence},
    {.name = "read_mem_fence", .kind = Kind::fence},
    {.name = "write_mem_fence", .kind = Kind::fence},
    {.name = "atomic_work_item_fence", .kind = Kind::fence},

    group_copy("async_work_group_copy"),
    group_copy("async_work_group_strided_copy"),
    {.name = "async_work_group_*", .kind = Kind::group, .of_groups = true},
    {.name = "work_group_*", .kind = Kind::group, .of_groups = true},
    {.name = "__work_group_*", .kind = Kind::group, .of_groups = true},
    {.name = "sub_group_*", .kind = Kind::group, .of_groups = true},
    {.name = "__sub_group_*", .kind = Kind::group, .of_groups = true},
    {.name = "intel_sub_group_*", .kind = Kind::group, .of_groups = true},
    {.name = "wait_group_events"},
    {.name = "prefetch"},

    atomic("atomic_load", Effect::reads, Accumulation::none, Ordering::waits),
    atomic("atomic_store", Effect::writes),
    atomic("atomic_init", Effect::writes),
    atomic("atomic_flag_clear", Effect::writes),
    atomic("atomic_xchg", Effect::updates),
    atomic("atomic_exchange", Effect::updates),
    atomic("atomic_add", Effect::updates, Accumulation::add),
    atomic("atomic_sub", Effect::updates, Accumulation::add),
    atomic("atomic_inc", Effect::updates, Accumulation::add),
    atomic("atomic_dec", Effect::updates, Accumulation::add),
    atomic("atomic_and", Effect::updates, Accumulation::bit_and),
    atomic("atomic_or", Effect::updates, Accumulation::bit_or),
    atomic("atomic_xor", Effect::updates, Accumulation::bit_xor),
    atomic("atomic_min", Effect::updates, Accumulation::min_signed),
    atomic("atomic_max", Effect::updates, Accumulation::max_signed),
    atomic("atomic_cmpxchg", Effect::updates, Accumulation::none, Ordering::waits),
    atomic("atomic_compare_exchange_*", Effect::updates, Accumulation::none, Ordering::waits),
    // test-and-set, and what we do not know
    atomic("atomic_*", Effect::updates, Accumulation::none, Ordering::waits),

    {.name = "vload_half*", .kind = Kind::vector_load, .first = Effect::reads, .element = 2},
    {.name = "vloada_half*", .kind = Kind::vector_load, .first = Effect::reads, .element = 2, .aligned = true},
    {.name = "vload*", .kind = Kind::vector_load, .first = Effect::reads},
    {.name = "vstore_half*", .kind = Kind::vector_store, .first = Effect::writes, .element = 2},
    {.name = "vstorea_half*", .kind = Kind::vector_store, .first = Effect::writes, .element = 2, .aligned = true},
    {.name = "vstore*", .kind = Kind::vector_store, .first = Effect::writes},

    second_result("fract", 0),
    second_result("modf", 0),
    second_result("frexp", 4),
    second_result("remquo", 4),
    second_result("lgamma_r", 4),
    {.name = "sincos", .first = Effect::writes, .elementary = true},

    {.name = "get_image_*", .kind = Kind::image_query, .uniform = true},
    {.name = "read_image*", .kind = Kind::image_read},
    {.name = "write_image*", .kind = Kind::image_write},

    {.name = "to_global", .kind = Kind::address_space},
    {.name = "to_local", .kind = Kind::address_space},
    {.name = "to_private", .kind = Kind::address_space},
    {.name = "__to_global", .kind = Kind::address_space},
    {.name = "__to_local", .kind = Kind::address_space},
    {.name = "__to_private", .kind = Kind::address_space},
    {.name = "get_fence"},
    {.name = "printf", .kind = Kind::prints},
};

constexpr const char* kElementary[] = {"sin",  "cos",  "tan",    "asin",   "acos",   "atan",  "atan2", "sinh",
                                       "cosh", "tanh", "asinh",  "acosh",  "atanh",  "sinpi", "cospi", "tanpi",
                                       "exp",  "exp2", "exp10",  "expm1",  "log",    "log2",  "log10", "log1p",
                                       "pow",  "powr", "pown",   "rootn",  "sqrt",   "rsqrt", "cbrt",  "hypot",
                                       "erf",  "erfc", "tgamma", "lgamma", "divide", "recip", "fmod",  "remainder"};

// Atomics differ in their spelling by the version of OpenCL, and in whether they name orders and scopes.
std::string canonical(llvm::StringRef name) {
  for (const char* prefix : {"__opencl_atomic_", "__atomic_", "atomic_", "atom_"})
    if (name.consume_front(prefix)) {
      name.consume_front("fetch_");
      name.consume_back("_explicit");
      return ("atomic_" + name).str();
    }
  return name.str();
}

bool is_in_family(llvm::StringRef name, llvm::StringRef family) {
  if (family.consume_front("*")) return name.contains(family.drop_back());
  return name.starts_with(family.drop_back());
}

struct Table {
  llvm::StringMap<Builtin> by_name;
  std::vector<const Builtin*> families;

  Table() {
    for (const Builtin& each : kBuiltins) {
      if (llvm::StringRef(each.name).contains('*'))
        families.push_back(&each);
      else
        by_name.try_emplace(each.name, each);
    }
    for (const std::string each : kElementary)
      for (const char* precision : {"", "native_", "half_"})
        by_name.try_emplace(precision + each, Builtin{.elementary = true});
  }
};

}  // namespace

const Builtin* find_builtin(llvm::StringRef name) {
  static const Table table;
  const std::string known_as = canonical(name);
  if (const auto found = table.by_name.find(known_as); found != table.by_name.end()) return &found->second;
  for (const Builtin* family : table.families)
    if (is_in_family(known_as, family->name)) return family;
  return nullptr;
}

const Builtin* builtin_of(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || callee->isIntrinsic()) return nullptr;
  return find_builtin(plain_name(callee->getName()));
}

}  // namespace samcl::translator
