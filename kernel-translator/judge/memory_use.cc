#include "kernel-translator/judge/memory_use.h"

#include <algorithm>
#include <map>

#include "kernel-translator/ir/image_access.h"
#include "kernel-translator/ir/inline_assembly.h"
#include "kernel-translator/ir/inlining.h"
#include "kernel-translator/ir/mangled_name.h"
#include "kernel-translator/ir/pointer_roots.h"
#include "kernel-translator/judge/address_use.h"
#include "kernel-translator/judge/waiting_loops.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace samcl::translator {
namespace {

uint32_t store_width(uint64_t size, uint64_t alignment) {
  uint64_t width = 16;
  while (width > 1 && (size % width != 0 || alignment % width != 0)) width /= 2;
  return static_cast<uint32_t>(width);
}

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* each) { return name == each; });
}

bool starts_with_one_of(const std::string& name, std::initializer_list<const char*> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const char* each) { return name.rfind(each, 0) == 0; });
}

// How atomics change memory, as Argument::accumulates; "": in another way.
std::string kind_of(const llvm::AtomicRMWInst& change) {
  switch (change.getOperation()) {
    case llvm::AtomicRMWInst::Add:
    case llvm::AtomicRMWInst::Sub: return "add";
    case llvm::AtomicRMWInst::And: return "and";
    case llvm::AtomicRMWInst::Or: return "or";
    case llvm::AtomicRMWInst::Xor: return "xor";
    case llvm::AtomicRMWInst::Min: return "min_signed";
    case llvm::AtomicRMWInst::UMin: return "min_unsigned";
    case llvm::AtomicRMWInst::Max: return "max_signed";
    case llvm::AtomicRMWInst::UMax: return "max_unsigned";
    default: return "";
  }
}

// The same of a built-in: "atomic_add", "atom_add", "atomic_fetch_add", "atomic_fetch_add_explicit".
std::string kind_of(const llvm::CallBase& call, llvm::StringRef name, llvm::StringRef mangled) {
  if (!name.consume_front("atomic_") && !name.consume_front("atom_")) return "";
  name.consume_front("fetch_");
  const bool has_orders = name.consume_back("_explicit");
  if (name == "inc" || name == "dec") return call.arg_size() == 1 && call.getType()->isIntegerTy() ? "add" : "";
  if (call.arg_size() < 2 || !call.getArgOperand(1)->getType()->isIntegerTy()) return "";
  if (name == "add" || name == "sub") return "add";
  if (name == "and" || name == "or" || name == "xor") return name.str();
  // The operand comes last.
  if ((name != "min" && name != "max") || has_orders || mangled.empty()) return "";
  const char type = mangled.back();
  if (type == 'i' || type == 'l') return name.str() + "_signed";
  return type == 'j' || type == 'm' ? name.str() + "_unsigned" : "";
}

// One kernel.
class Study {
 public:
  Study(llvm::Function& function, Kernel& kernel, bool split_printf)
      : function_(function),
        layout_(function.getParent()->getDataLayout()),
        kernel_(kernel),
        split_printf_(split_printf) {}

  void run() {
    for (llvm::Instruction& instruction : llvm::instructions(function_)) visit(instruction);
    judge_accumulations();
    if (const std::string why = exposes_addresses(function_); !why.empty()) {
      kernel_.no_slice(why);
      kernel_.depends_on_addresses = true;
    }
    check_waiting();
    judge_volatile();
  }

 private:
  void visit(llvm::Instruction& instruction);
  void visit_call(llvm::CallBase& call);
  void visit_builtin(llvm::CallBase& call, const std::string& name, llvm::StringRef mangled);
  // how: see Argument::accumulates; "": of another kind.
  void atomic(llvm::Instruction& instruction, const llvm::Value* pointer, uint32_t width, bool may_wait,
              const std::string& how);
  bool accumulates(const llvm::Instruction& instruction, const llvm::Value* pointer, uint32_t width,
                   const std::string& how);
  void judge_accumulations();

  void reads(const llvm::Value* pointer) { touch(pointer, true, 0); }
  void writes(const llvm::Value* pointer, uint32_t width) { touch(pointer, false, width); }
  void touch(const llvm::Value* pointer, bool read, uint32_t width);
  // Something that may do anything: no parts, and every buffer may be read and written.
  void worst(const std::string& why);
  void volatile_access(const llvm::Value* pointer);
  void judge_volatile();
  bool writes_to(const llvm::Value* pointer) const;  // where the pointer may lead
  bool in_loop(const llvm::Instruction& instruction) const;
  void check_waiting();
  void check_local_variables(const llvm::Value* value, int depth = 0);

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  Kernel& kernel_;
  const bool split_printf_;
  std::vector<const llvm::Value*> volatile_;  // pointers to global memory
  bool communicates_ = false;                 // work-groups may talk: global atomics, volatile memory, fences

  // What is done to an argument by accumulating atomics, and whether that is all.
  struct Accumulated {
    std::string how;
    uint32_t width = 0;
    bool otherwise = false;
  };
  std::map<unsigned, Accumulated> accumulated_;  // by argument
};

void Study::touch(const llvm::Value* pointer, bool read, uint32_t width) {
  const Roots roots = roots_of(pointer);
  if (roots.from_memory) {
    kernel_.no_slice("follows a pointer kept in global memory");
    kernel_.depends_on_addresses = true;
  }
  for (unsigned i = 0; i < kernel_.arguments.size(); ++i) {
    Argument& argument = kernel_.arguments[i];
    const bool buffer = argument.kind == "global_buffer" || argument.kind == "constant_buffer";
    if (!buffer || !(roots.arguments.count(i) || (roots.unknown && argument.kind == "global_buffer"))) continue;
    accumulated_[i].otherwise = true;
    if (read)
      argument.may_read = true;
    else
      argument.written(width);
  }
}

void Study::worst(const std::string& why) {
  kernel_.no_slice(why);
  assume_all_accesses(kernel_);
}

void Study::volatile_access(const llvm::Value* pointer) {
  if (!roots_of(pointer).global()) return;
  communicates_ = true;
  volatile_.push_back(pointer);
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

bool Study::accumulates(const llvm::Instruction& instruction, const llvm::Value* pointer, uint32_t width,
                        const std::string& how) {
  const Roots roots = roots_of(pointer);
  const bool one_argument = !roots.unknown && !roots.from_memory && roots.arguments.size() == 1;
  if (how.empty() || !instruction.use_empty() || !roots.global() || !one_argument || (width != 4 && width != 8))
    return false;
  const unsigned index = *roots.arguments.begin();
  Argument& argument = kernel_.arguments[index];
  if (argument.kind != "global_buffer") return false;
  Accumulated& all = accumulated_[index];
  if (!all.how.empty() && (all.how != how || all.width != width)) all.otherwise = true;
  all.how = how;
  all.width = width;
  argument.may_read = true;
  argument.written(width);
  communicates_ = true;
  return true;
}

void Study::judge_accumulations() {
  for (const auto& [index, all] : accumulated_) {
    if (all.how.empty()) continue;
    if (all.otherwise)
      kernel_.no_split_apart("uses atomics on global memory");
    else
      kernel_.arguments[index].accumulates = all.how;
  }
}

void Study::atomic(llvm::Instruction& instruction, const llvm::Value* pointer, uint32_t width, bool may_wait,
                   const std::string& how) {
  if (accumulates(instruction, pointer, width, how)) return;
  reads(pointer);
  writes(pointer, width);
  if (!roots_of(pointer).global()) return;
  communicates_ = true;
  // Work-groups of a later slice may never run while an earlier one waits for them.
  if (may_wait) kernel_.no_slice("waits on atomics in global memory");
  if (!instruction.use_empty() && in_loop(instruction))
    kernel_.no_slice("uses the result of a global atomic in a loop, which may wait");
  kernel_.no_split_apart("uses atomics on global memory");
}

void Study::check_local_variables(const llvm::Value* value, int depth) {
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
    if (variable->getAddressSpace() == kLocal) kernel_.depends_on_local_size = true;
  } else if (const auto* constant = llvm::dyn_cast<llvm::ConstantExpr>(value); constant && depth < 32) {
    for (const llvm::Use& operand : constant->operands()) check_local_variables(operand.get(), depth + 1);
  }
}

// A component of a vector is stored by loading, changing and storing the whole; drivers may store it alone.
bool is_partly_loaded(const llvm::Value* value, bool changed = false, int depth = 0) {
  if (depth > 32) return true;
  if (llvm::isa<llvm::LoadInst>(value)) return changed;
  if (const auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(value))
    return is_partly_loaded(insert->getOperand(0), true, depth + 1);
  if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value))
    return is_partly_loaded(shuffle->getOperand(0), true, depth + 1) ||
           is_partly_loaded(shuffle->getOperand(1), true, depth + 1);
  return false;
}

void Study::visit(llvm::Instruction& instruction) {
  for (const llvm::Use& operand : instruction.operands()) check_local_variables(operand.get());
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    reads(load->getPointerOperand());
    if (load->isVolatile()) volatile_access(load->getPointerOperand());
    if (load->isAtomic() && roots_of(load->getPointerOperand()).global())
      kernel_.no_slice("waits on atomics in global memory");
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    llvm::Type* type = store->getValueOperand()->getType();
    uint64_t size = layout_.getTypeStoreSize(type);
    if (type->isVectorTy() && is_partly_loaded(store->getValueOperand()))
      size = layout_.getTypeStoreSize(type->getScalarType());
    writes(store->getPointerOperand(), store_width(size, store->getAlign().value()));
    if (store->isVolatile()) volatile_access(store->getPointerOperand());
    if (store->isAtomic() && roots_of(store->getPointerOperand()).global()) {
      communicates_ = true;
      kernel_.no_split_apart("uses atomics on global memory");
    }
  } else if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    atomic(*change, change->getPointerOperand(), store_width(layout_.getTypeStoreSize(change->getType()), 16), false,
           kind_of(*change));
  } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    atomic(*exchange, exchange->getPointerOperand(), 1, true, "");
  } else if (llvm::isa<llvm::FenceInst>(&instruction)) {
    communicates_ = true;
    if (in_loop(instruction)) kernel_.no_slice("has a memory fence in a loop");
  } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    visit_call(*call);
  } else if (instruction.mayReadOrWriteMemory()) {
    worst("has an instruction that is not understood");
  }
}

void Study::visit_call(llvm::CallBase& call) {
  if (call.isInlineAsm()) {
    if (!only_computes(call)) worst("has inline assembly that may do more than compute");
    return;
  }
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee) return worst("calls through a function pointer");
  if (!callee->isDeclaration()) return worst("is recursive, or too large to be studied");
  if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
    const uint64_t size = length ? length->getZExtValue() : 1;
    writes(copy->getRawDest(), store_width(size ? size : 1, copy->getDestAlign().valueOrOne().value()));
    if (copy->isVolatile()) volatile_access(copy->getRawDest());
    if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy)) {
      reads(transfer->getRawSource());
      if (copy->isVolatile()) volatile_access(transfer->getRawSource());
    }
    return;
  }
  if (callee->isIntrinsic()) {
    const bool harmless = call.doesNotAccessMemory() || call.isLifetimeStartOrEnd() || call.isDebugOrPseudoInst() ||
                          llvm::isa<llvm::AssumeInst>(call) || call.onlyAccessesInaccessibleMemory();
    if (!harmless) worst("uses " + callee->getName().str() + ", which is not understood");
    return;
  }
  visit_builtin(call, plain_name(callee->getName()), callee->getName());
}

void Study::visit_builtin(llvm::CallBase& call, const std::string& name, llvm::StringRef mangled) {
  if (starts_with_one_of(
          name, {"barrier", "work_group_", "sub_group_", "intel_sub_group_", "get_group_id", "get_local_",
                 "get_num_groups", "get_enqueued_", "get_global_linear_id", "get_sub_group_", "get_num_sub_groups",
                 "get_max_sub_group_size", "async_work_group_", "__sub_group", "__work_group"}))
    kernel_.depends_on_local_size = true;

  if (image_call(call, name).kind == ImageCall::Kind::unknown)
    return worst("calls " + name + ", which is not understood");
  std::vector<const llvm::Value*> pointers;
  for (const llvm::Use& argument : call.args())
    if (argument->getType()->isPointerTy()) pointers.push_back(argument.get());
  const auto scalar_size = [&](const llvm::Value* value) {
    return static_cast<uint32_t>(layout_.getTypeStoreSize(value->getType()->getScalarType()));
  };

  if (name == "printf") {
    if (!split_printf_) kernel_.no_split("uses printf (see SAMCL_SPLIT_PRINTF)");
    return;
  }
  if (name.find("pipe") != std::string::npos) return worst("uses a pipe");
  if (name.find("enqueue_") != std::string::npos && name.find("get_enqueued_") == std::string::npos)
    return worst("enqueues kernels");
  if (name == "get_default_queue" || name.find("user_event") != std::string::npos ||
      starts_with_one_of(name, {"__get_kernel_", "ndrange_"}))
    return worst("enqueues kernels");
  if (name.find("mem_fence") != std::string::npos || name == "atomic_work_item_fence") {
    communicates_ = true;
    if (in_loop(call)) kernel_.no_slice("has a memory fence in a loop");
    return;
  }
  if (starts_with_one_of(name, {"atom_", "atomic_", "__opencl_atomic_", "__atomic_"})) {
    // Further pointers hold the value that a compare-exchange expects.
    const bool may_wait = name.find("load") != std::string::npos || name.find("cmpxchg") != std::string::npos ||
                          name.find("compare_exchange") != std::string::npos ||
                          name.find("test_and_set") != std::string::npos;
    for (const llvm::Value* pointer : pointers) {
      uint32_t width = 1;
      if (pointers.size() == 1) {
        if (!call.getType()->isVoidTy())
          width = store_width(scalar_size(&call), 16);
        else if (call.arg_size() > 1)
          width = store_width(scalar_size(call.getArgOperand(1)), 16);
      }
      atomic(call, pointer, width, may_wait, pointers.size() == 1 ? kind_of(call, name, mangled) : "");
    }
    return;
  }
  if (pointers.empty()) return;
  if (starts_with_one_of(name, {"vload", "vloada"})) return reads(pointers[0]);
  if (name == "prefetch" || name == "wait_group_events") return;
  if (starts_with_one_of(name, {"vstore_half", "vstorea_half"})) return writes(pointers[0], 2);
  if (starts_with_one_of(name, {"vstore"})) return writes(pointers[0], scalar_size(call.getArgOperand(0)));
  if (is_one_of(name, {"async_work_group_copy", "async_work_group_strided_copy"}) && pointers.size() >= 2) {
    writes(pointers[0], std::max(1u, pointee_of(mangled).element));
    return reads(pointers[1]);
  }
  if (is_one_of(name, {"sincos", "fract", "modf"})) return writes(pointers[0], scalar_size(call.getArgOperand(0)));
  if (is_one_of(name, {"frexp", "remquo", "lgamma_r"})) return writes(pointers[0], 4);
  if (changes_address_space(name) || name == "get_fence") return;
  for (const llvm::Value* pointer : pointers) {
    // What lies in private memory may hold pointers in turn.
    const unsigned space = pointer->getType()->getPointerAddressSpace();
    if (space == kPrivate || space == kGeneric) worst("calls " + name + ", which is not understood");
    reads(pointer);
    writes(pointer, 1);
  }
}

// A variable of the program in global memory: each device would have its own.
const llvm::GlobalVariable* program_variable(const llvm::Module& module) {
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.getAddressSpace() == kGlobal && !variable.isConstant()) return &variable;
  return nullptr;
}

}  // namespace

void assume_all_accesses(Kernel& kernel) {
  kernel.depends_on_local_size = true;
  for (Argument& argument : kernel.arguments) {
    if (argument.kind != "global_buffer") continue;
    argument.may_read = true;
    argument.written(1);
  }
}

void study_memory_use(llvm::Module& module, std::vector<Kernel>& kernels, bool split_printf) {
  std::vector<llvm::Function*> functions;
  for (const Kernel& kernel : kernels)
    if (llvm::Function* function = module.getFunction(kernel.name); function && !function->isDeclaration())
      functions.push_back(function);
  inline_all_calls(functions);
  const llvm::GlobalVariable* variable = program_variable(module);
  for (Kernel& kernel : kernels) {
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
