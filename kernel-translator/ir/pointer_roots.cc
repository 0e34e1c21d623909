#include "kernel-translator/ir/pointer_roots.h"

#include <vector>

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace samcl::translator {
namespace {

// What the pointer leads to, but for from_memory; loads that it comes from are added to `loads`.
Roots trace(const llvm::Value* pointer, std::vector<const llvm::LoadInst*>& loads) {
  Roots roots;
  std::set<const llvm::Value*> seen;
  std::vector<const llvm::Value*> open = {pointer};
  while (!open.empty()) {
    const llvm::Value* each = open.back();
    open.pop_back();
    if (!seen.insert(each).second) continue;
    const unsigned space = each->getType()->isPointerTy() ? each->getType()->getPointerAddressSpace() : kGlobal;
    if (space == kLocal) continue;
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(each)) {
      if (space != kPrivate) roots.arguments.insert(argument->getArgNo());
    } else if (const auto* element = llvm::dyn_cast<llvm::GEPOperator>(each)) {
      open.push_back(element->getPointerOperand());
    } else if (llvm::isa<llvm::BitCastOperator, llvm::AddrSpaceCastOperator, llvm::FreezeInst>(each)) {
      open.push_back(llvm::cast<llvm::User>(each)->getOperand(0));
    } else if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(each)) {
      open.insert(open.end(), phi->incoming_values().begin(), phi->incoming_values().end());
    } else if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(each)) {
      open.push_back(select->getTrueValue());
      open.push_back(select->getFalseValue());
    } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(each)) {
      if (space == kPrivate) continue;
      roots.unknown = true;
      loads.push_back(load);
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(each)) {
      const llvm::Function* callee = call->getCalledFunction();
      if (callee && changes_address_space(plain_name(callee->getName())))
        open.push_back(call->getArgOperand(0));
      else
        roots.unknown = true;
    } else if (llvm::isa<llvm::GlobalVariable>(each)) {
      if (space == kGlobal || space == kGeneric) roots.unknown = true;
    } else if (!llvm::isa<llvm::AllocaInst, llvm::ConstantPointerNull, llvm::UndefValue>(each)) {
      roots.unknown = true;
    }
  }
  return roots;
}

}  // namespace

// Lists are followed in loops: a pointer may come from a load through itself. A load through what was loaded from
// memory other than private or local counts as one from global memory, so one step back tells all.
Roots roots_of(const llvm::Value* pointer) {
  std::vector<const llvm::LoadInst*> loads, further;
  Roots roots = trace(pointer, loads);
  for (const llvm::LoadInst* load : loads)
    if (!roots.from_memory) roots.from_memory = trace(load->getPointerOperand(), further).global();
  return roots;
}

std::string plain_name(llvm::StringRef name) {
  if (!name.starts_with("_Z")) return name.str();
  llvm::StringRef rest = name.drop_front(2);
  unsigned length = 0;
  if (rest.consumeInteger(10, length) || length > rest.size()) return name.str();
  return rest.take_front(length).str();
}

bool changes_address_space(const std::string& builtin) {
  for (const char* each : {"__to_global", "__to_local", "__to_private", "to_global", "to_local", "to_private"})
    if (builtin == each) return true;
  return false;
}

}  // namespace samcl::translator
