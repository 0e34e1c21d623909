#include "kernel-translator/pointer_roots.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace samcl::translator {
namespace {

void trace(const llvm::Value* pointer, Roots& roots, std::set<const llvm::Value*>& seen) {
  if (!seen.insert(pointer).second) return;
  const unsigned space =
      pointer->getType()->isPointerTy() ? pointer->getType()->getPointerAddressSpace() : kGlobal;
  if (space == kLocal) return;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(pointer)) {
    if (space != kPrivate) roots.arguments.insert(argument->getArgNo());
  } else if (const auto* element = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    trace(element->getPointerOperand(), roots, seen);
  } else if (llvm::isa<llvm::BitCastOperator, llvm::AddrSpaceCastOperator, llvm::FreezeInst>(pointer)) {
    trace(llvm::cast<llvm::User>(pointer)->getOperand(0), roots, seen);
  } else if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(pointer)) {
    for (const llvm::Value* incoming : phi->incoming_values()) trace(incoming, roots, seen);
  } else if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(pointer)) {
    trace(select->getTrueValue(), roots, seen);
    trace(select->getFalseValue(), roots, seen);
  } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(pointer)) {
    if (space == kPrivate) return;
    roots.unknown = true;
    if (roots_of(load->getPointerOperand()).global()) roots.from_memory = true;
  } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(pointer)) {
    const llvm::Function* callee = call->getCalledFunction();
    if (callee && changes_address_space(plain_name(callee->getName())))
      trace(call->getArgOperand(0), roots, seen);
    else
      roots.unknown = true;
  } else if (llvm::isa<llvm::GlobalVariable>(pointer)) {
    if (space == kGlobal || space == kGeneric) roots.unknown = true;
  } else if (!llvm::isa<llvm::AllocaInst, llvm::ConstantPointerNull, llvm::UndefValue>(pointer)) {
    roots.unknown = true;
  }
}

}  // namespace

Roots roots_of(const llvm::Value* pointer) {
  Roots roots;
  std::set<const llvm::Value*> seen;
  trace(pointer, roots, seen);
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
  for (const char* each :
       {"__to_global", "__to_local", "__to_private", "to_global", "to_local", "to_private"})
    if (builtin == each) return true;
  return false;
}

}  // namespace samcl::translator
