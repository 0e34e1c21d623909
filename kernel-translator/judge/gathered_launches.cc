#include "kernel-translator/judge/gathered_launches.h"

#include "kernel-translator/ir/builtins.h"
#include "kernel-translator/ir/mangled_name.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

namespace samcl::translator {
namespace {

using footprint::Op;

bool asks_below_the_third(const llvm::CallBase& call) {
  if (call.arg_size() != 1) return false;
  const auto* dimension = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
  return dimension && dimension->getValue().ult(2);
}

// The third dimension is one work-item deep in each work-group.
bool is_the_same(const llvm::CallBase& call, llvm::StringRef name, Op number) {
  switch (number) {
    case Op::local_id:
    case Op::local_size:
    case Op::enqueued_local_size: return true;
    case Op::global_id:
    case Op::group_id:
    case Op::num_groups:
    case Op::global_size:
    case Op::global_offset: return asks_below_the_third(call);
    default: return name == "get_local_linear_id";
  }
}

bool may_gather_call(const llvm::CallBase& call) {
  const Builtin* builtin = builtin_of(call);
  if (!builtin) return true;  // it knows its operands alone, or the kernel is refused for it
  const std::string name = plain_name(call.getCalledFunction()->getName());
  switch (builtin->kind) {
    case Builtin::Kind::work_item: return is_the_same(call, name, builtin->number);
    case Builtin::Kind::group: return name.find("sub_group") == std::string::npos;
    case Builtin::Kind::prints: return false;
    default: return true;
  }
}

}  // namespace

bool may_gather(const llvm::Function& kernel) {
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    if (llvm::isa<llvm::FPMathOperator>(instruction) && instruction.hasAllowReassoc()) return false;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && !may_gather_call(*call)) return false;
  }
  return true;
}

}  // namespace samcl::translator
