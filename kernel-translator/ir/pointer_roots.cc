#include "kernel-translator/ir/pointer_roots.h"

#include <vector>

#include "kernel-translator/ir/builtins.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"

namespace samcl::translator {
namespace {

// What the base of a pointer adds to where it may point, but for from_memory; a load from memory is added to `loads`.
void add_base(const llvm::Value* base, Roots& roots, std::vector<const llvm::LoadInst*>& loads) {
  const unsigned space = base->getType()->isPointerTy() ? base->getType()->getPointerAddressSpace() : kGlobal;
  if (space == kLocal || llvm::isa<llvm::AllocaInst>(base) || leads_nowhere(base)) return;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(base)) {
    if (space != kPrivate) roots.arguments.insert(argument->getArgNo());
  } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(base)) {
    if (space == kPrivate) return;
    roots.unknown = true;
    loads.push_back(load);
  } else if (llvm::isa<llvm::GlobalVariable>(base)) {
    roots.unknown = roots.unknown || space == kGlobal || space == kGeneric;
  } else {
    roots.unknown = true;
  }
}

}  // namespace

bool leads_nowhere(const llvm::Value* pointer) {
  constexpr uint64_t kFirstPage = 4096;
  if (llvm::isa<llvm::ConstantPointerNull>(pointer)) return true;
  const auto* made = llvm::dyn_cast<llvm::IntToPtrInst>(pointer);
  if (!made || (made->getAddressSpace() != kGlobal && made->getAddressSpace() != kConstant)) return false;
  const llvm::DataLayout& layout = made->getModule()->getDataLayout();
  return llvm::computeKnownBits(made->getOperand(0), layout).getMaxValue().ult(kFirstPage);
}

Bases bases_of(const llvm::Value* pointer) {
  Bases bases;
  std::set<const llvm::Value*> seen;
  std::vector<const llvm::Value*> open = {pointer};
  while (!open.empty()) {
    const llvm::Value* each = open.back();
    open.pop_back();
    if (!seen.insert(each).second) continue;
    if (const auto* element = llvm::dyn_cast<llvm::GEPOperator>(each)) {
      open.push_back(element->getPointerOperand());
    } else if (llvm::isa<llvm::BitCastOperator, llvm::AddrSpaceCastOperator, llvm::FreezeInst>(each)) {
      open.push_back(llvm::cast<llvm::User>(each)->getOperand(0));
    } else if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(each)) {
      open.insert(open.end(), phi->incoming_values().begin(), phi->incoming_values().end());
    } else if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(each)) {
      open.push_back(select->getTrueValue());
      open.push_back(select->getFalseValue());
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(each); call && changes_address_space(*call)) {
      open.push_back(call->getArgOperand(0));
    } else if (!llvm::isa<llvm::UndefValue>(each)) {
      bases.insert(each);
    }
  }
  return bases;
}

// Lists are followed in loops: a pointer may come from a load through itself. A load through what was loaded from
// memory other than private or local counts as one from global memory, so one step back tells all.
Roots roots_of(const llvm::Value* pointer) {
  Roots roots;
  std::vector<const llvm::LoadInst*> loads;
  for (const llvm::Value* base : bases_of(pointer)) add_base(base, roots, loads);
  for (const llvm::LoadInst* load : loads) {
    Roots source;
    std::vector<const llvm::LoadInst*> further;
    for (const llvm::Value* base : bases_of(load->getPointerOperand())) add_base(base, source, further);
    roots.from_memory = roots.from_memory || source.global();
  }
  return roots;
}

}  // namespace samcl::translator
