#include "kernel-translator/judge/memory_use.h"

#include <algorithm>
#include <map>

#include "kernel-translator/ir/inlining.h"
#include "kernel-translator/ir/memory_effect.h"
#include "kernel-translator/ir/pointer_roots.h"
#include "kernel-translator/judge/address_use.h"
#include "kernel-translator/judge/waiting_loops.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace samcl::translator {
namespace {

// How a compiler cuts a sum into several goes by what it knows of the loop's bounds; in the rewritten kernel it knows
// less of the NDRange's sizes, and may add in another order.
constexpr char kReordersSums[] =
    "adds in an order that its options leave to the compiler, in a loop, and asks for the NDRange's size";

// One kernel.
class Study {
 public:
  Study(llvm::Function& function, KernelFacts& kernel, bool split_printf)
      : function_(function), kernel_(kernel), split_printf_(split_printf) {}

  void run() {
    kernel_.may_print = false;
    for (const llvm::Instruction& instruction : llvm::instructions(function_)) visit(instruction);
    judge_accumulations();
    if (const std::string why = exposes_addresses(function_); !why.empty()) {
      kernel_.no_slice(why);
      kernel_.depends_on_addresses = true;
    }
    check_waiting();
    judge_volatile();
    if (reorders_sums_ && asks_for_sizes_) kernel_.no_slice(kReordersSums);
  }

 private:
  void visit(const llvm::Instruction& instruction);
  void visit_atomic(const llvm::Instruction& instruction, const MemoryAccess& access);
  bool accumulates(const llvm::Instruction& instruction, const MemoryAccess& access);
  void judge_accumulations();

  void touch(const MemoryAccess& access);
  // Something that may do anything: no parts, and every buffer may be read and written.
  void worst(const std::string& why);
  void judge_volatile();
  bool writes_to(const llvm::Value* pointer) const;  // where the pointer may lead
  bool in_loop(const llvm::Instruction& instruction) const;
  void check_waiting();
  void check_local_variables(const llvm::Value* value, int depth = 0);

  llvm::Function& function_;
  KernelFacts& kernel_;
  const bool split_printf_;
  std::vector<const llvm::Value*> volatile_;  // pointers to global memory
  bool communicates_ = false;                 // work-groups may talk: global atomics, volatile memory, fences
  bool reorders_sums_ = false;                // in a loop, as its options allow the compiler
  bool asks_for_sizes_ = false;               // get_global_size() or get_num_groups()

  // What is done to an argument by accumulating atomics, and whether that is all.
  struct Accumulated {
    Accumulation how = Accumulation::none;
    uint32_t width = 0;
    bool otherwise = false;
  };
  std::map<unsigned, Accumulated> accumulated_;  // by argument
};

void Study::touch(const MemoryAccess& access) {
  const Roots roots = roots_of(access.pointer);
  if (roots.from_memory) {
    kernel_.no_slice("follows a pointer kept in global memory");
    kernel_.depends_on_addresses = true;
  }
  for (unsigned i = 0; i < kernel_.arguments.size(); ++i) {
    KernelArgument& argument = kernel_.arguments[i];
    const bool buffer = argument.kind == ArgumentKind::global_buffer || argument.kind == ArgumentKind::constant_buffer;
    if (!buffer || !(roots.arguments.count(i) || (roots.unknown && argument.kind == ArgumentKind::global_buffer)))
      continue;
    accumulated_[i].otherwise = true;
    argument.may_read = argument.may_read || access.reads;
    const bool is_plain = access.ordering == Builtin::Ordering::none;
    argument.loads |= access.reads && is_plain;
    argument.stores |= access.writes && is_plain;
    if (access.writes) note_store(argument, access.store_width);
  }
  if (!access.is_volatile || !roots.global()) return;
  communicates_ = true;
  volatile_.push_back(access.pointer);
}

void Study::worst(const std::string& why) {
  kernel_.no_slice(why);
  kernel_.may_print = true;
  assume_all_accesses(kernel_);
}

bool Study::writes_to(const llvm::Value* pointer) const {
  const Roots roots = roots_of(pointer);
  for (unsigned i = 0; i < kernel_.arguments.size(); ++i)
    if (kernel_.arguments[i].may_write && (roots.unknown || roots.arguments.count(i))) return true;
  return false;
}

// Work-groups that do not wait for each other may still look at what others wrote, unless their parts are apart.
void Study::judge_volatile() {
  if (!kernel_.why_not_split.empty()) return;
  kernel_.may_split_disjoint =
      std::any_of(volatile_.begin(), volatile_.end(), [&](const llvm::Value* pointer) { return writes_to(pointer); });
  if (kernel_.may_split_disjoint) kernel_.no_split_apart("writes volatile global memory");
}

bool Study::in_loop(const llvm::Instruction& instruction) const {
  std::set<const llvm::BasicBlock*> seen;
  std::vector<const llvm::BasicBlock*> open = {instruction.getParent()};
  while (!open.empty()) {
    const llvm::BasicBlock* block = open.back();
    open.pop_back();
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      if (next == instruction.getParent()) return true;
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return false;
}

void Study::check_waiting() {
  if (!kernel_.why_not_slice.empty()) return;
  if (may_wait(function_, communicates_, [this](const llvm::Value* pointer) { return writes_to(pointer); }))
    kernel_.no_slice("has a loop that may wait for what other work-groups write");
}

bool Study::accumulates(const llvm::Instruction& instruction, const MemoryAccess& access) {
  const Roots roots = roots_of(access.pointer);
  const bool one_argument = !roots.unknown && !roots.from_memory && roots.arguments.size() == 1;
  const bool one_width = access.store_width == 4 || access.store_width == 8;
  if (access.accumulates == Accumulation::none || !instruction.use_empty() || !one_argument || !one_width) return false;
  const unsigned index = *roots.arguments.begin();
  KernelArgument& argument = kernel_.arguments[index];
  if (argument.kind != ArgumentKind::global_buffer) return false;
  Accumulated& all = accumulated_[index];
  const bool first = all.how == Accumulation::none;
  if (!first && (all.how != access.accumulates || all.width != access.store_width)) all.otherwise = true;
  all.how = access.accumulates;
  all.width = access.store_width;
  argument.may_read = true;
  note_store(argument, access.store_width);
  communicates_ = true;
  return true;
}

void Study::judge_accumulations() {
  for (const auto& [index, all] : accumulated_) {
    if (all.how == Accumulation::none) continue;
    if (all.otherwise)
      kernel_.no_split_apart("uses atomics on global memory");
    else
      kernel_.arguments[index].accumulates = all.how;
  }
}

void Study::visit_atomic(const llvm::Instruction& instruction, const MemoryAccess& access) {
  if (accumulates(instruction, access)) return;
  touch(access);
  if (!roots_of(access.pointer).global()) return;
  communicates_ = true;
  if (access.reads && access.writes && access.accumulates == Accumulation::none) kernel_.exchanges = true;
  kernel_.no_split_apart("uses atomics on global memory");
}

void Study::check_local_variables(const llvm::Value* value, int depth) {
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
    if (variable->getAddressSpace() == kLocal) kernel_.depends_on_local_size = true;
  } else if (const auto* constant = llvm::dyn_cast<llvm::ConstantExpr>(value); constant && depth < 32) {
    for (const llvm::Use& operand : constant->operands()) check_local_variables(operand.get(), depth + 1);
  }
}

void Study::visit(const llvm::Instruction& instruction) {
  for (const llvm::Use& operand : instruction.operands()) check_local_variables(operand.get());
  if (llvm::isa<llvm::FPMathOperator>(instruction) && instruction.isBinaryOp() && instruction.hasAllowReassoc())
    reorders_sums_ = reorders_sums_ || in_loop(instruction);
  const MemoryEffect effect = effect_of(instruction);
  if (effect.builtin && effect.builtin->of_groups) kernel_.depends_on_local_size = true;
  if (effect.builtin && effect.builtin->kind == Builtin::Kind::work_item)
    asks_for_sizes_ |=
        effect.builtin->number == footprint::Op::global_size || effect.builtin->number == footprint::Op::num_groups;
  if (effect.builtin && effect.builtin->kind == Builtin::Kind::prints) {
    kernel_.may_print = true;
    if (!split_printf_) kernel_.no_split("uses printf (see SAMCL_SPLIT_PRINTF)");
  }
  if (!effect.not_understood.empty()) worst(effect.not_understood);
  kernel_.orders_memory |= effect.orders;
  if (effect.fence) {
    communicates_ = true;
    if (in_loop(instruction)) kernel_.no_slice("has a memory fence in a loop");
  }
  for (const MemoryAccess& access : effect.accesses) {
    if (access.ordering == Builtin::Ordering::none)
      touch(access);
    else
      visit_atomic(instruction, access);
  }
}

// A variable of the program in global memory: each device would have its own.
const llvm::GlobalVariable* program_variable(const llvm::Module& module) {
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.getAddressSpace() == kGlobal && !variable.isConstant()) return &variable;
  return nullptr;
}

}  // namespace

void assume_all_accesses(KernelFacts& kernel) {
  kernel.depends_on_local_size = true;
  for (KernelArgument& argument : kernel.arguments) {
    if (argument.kind != ArgumentKind::global_buffer) continue;
    argument.may_read = argument.loads = argument.stores = true;
    note_store(argument, 1);
  }
}

void study_memory_use(llvm::Module& module, std::vector<KernelFacts>& kernels, bool split_printf) {
  std::vector<llvm::Function*> functions;
  for (const KernelFacts& kernel : kernels)
    if (llvm::Function* function = module.getFunction(kernel.name); function && !function->isDeclaration())
      functions.push_back(function);
  inline_all_calls(functions);
  const llvm::GlobalVariable* variable = program_variable(module);
  for (KernelFacts& kernel : kernels) {
    kernel.has_program_variables = variable != nullptr;
    if (variable) kernel.no_slice("its program has the global variable " + variable->getName().str());
    llvm::Function* function = module.getFunction(kernel.name);
    if (!function || function->isDeclaration() || function->arg_size() != kernel.arguments.size()) {
      kernel.no_slice("its compiled form is not understood");
      assume_all_accesses(kernel);
      continue;
    }
    Study(*function, kernel, split_printf).run();
  }
}

}  // namespace samcl::translator
