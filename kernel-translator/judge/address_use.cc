#include "kernel-translator/judge/address_use.h"

#include <map>
#include <optional>
#include <set>

#include "kernel-translator/ir/builtins.h"
#include "kernel-translator/ir/pointer_roots.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace samcl::translator {
namespace {

bool is_null(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  return constant && constant->isNullValue();
}

// One object of which it is known that it is the same.
bool is_one_object(const Bases& bases) {
  return bases.size() == 1 && llvm::isa<llvm::Argument, llvm::AllocaInst, llvm::GlobalVariable>(*bases.begin());
}

bool same_object(const Bases& a, const Bases& b) { return is_one_object(a) && a == b; }

// Memory of one work-item or work-group.
bool is_own_memory(const Bases& bases) {
  for (const llvm::Value* base : bases) {
    const unsigned space = base->getType()->isPointerTy() ? base->getType()->getPointerAddressSpace() : kGlobal;
    const auto* argument = llvm::dyn_cast<llvm::Argument>(base);
    const bool by_value = argument && argument->hasByValAttr();
    if (!llvm::isa<llvm::AllocaInst>(base) && !by_value && space != kLocal && !is_null(base)) return false;
  }
  return true;
}

bool holds_pointers(const llvm::Type* type) {
  if (type->isPtrOrPtrVectorTy()) return true;
  for (const llvm::Type* part : type->subtypes())
    if (holds_pointers(part)) return true;
  return false;
}

// An integer that is an address plus what is none, and may become a pointer again. `bases`: of which object.
struct Address {
  Bases bases;
};

class Search {
 public:
  explicit Search(llvm::Function& kernel) : kernel_(kernel) {}

  std::string run() {
    find_integers();
    find_keepers();
    for (const llvm::Instruction& instruction : llvm::instructions(kernel_)) {
      const char* why = judge(instruction);
      if (*why) return why;
    }
    return "";
  }

 private:
  // Integers computed from addresses. Grows until nothing is new; what is more than an address and an offset is
  // judged where it is computed.
  void find_integers() {
    for (bool more = true; more;) {
      more = false;
      for (const llvm::Instruction& instruction : llvm::instructions(kernel_)) {
        const auto bases = address_made_by(instruction);
        if (!bases) continue;
        auto [known, added] = integers_.try_emplace(&instruction, Address{*bases});
        const size_t before = known->second.bases.size();
        known->second.bases.insert(bases->begin(), bases->end());
        more = more || added || known->second.bases.size() != before;
      }
    }
  }

  const Address* address(const llvm::Value* value) const {
    const auto found = integers_.find(value);
    if (found != integers_.end()) return &found->second;
    // Constants may cast in their own operands.
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantExpr>(value);
        constant && !value->getType()->isPointerTy()) {
      for (const llvm::Use& operand : constant->operands())
        if (operand->getType()->isPointerTy() || address(operand.get())) return &anything_;
    }
    return nullptr;
  }

  std::optional<Bases> address_made_by(const llvm::Instruction& instruction) const {
    if (const auto* cast = llvm::dyn_cast<llvm::PtrToIntInst>(&instruction)) return bases_of(cast->getPointerOperand());
    if (const auto* both = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
      const Address *a = address(both->getOperand(0)), *b = address(both->getOperand(1));
      if (both->getOpcode() == llvm::Instruction::Add && (a || b) && !(a && b)) return (a ? a : b)->bases;
      if (both->getOpcode() == llvm::Instruction::Sub && a && !b) return a->bases;
    } else if (llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(instruction)) {
      Bases all;
      bool any = false;
      for (const llvm::Value* operand : instruction.operand_values()) {
        const Address* one = address(operand);
        if (!one || (llvm::isa<llvm::SelectInst>(instruction) && operand == instruction.getOperand(0))) continue;
        any = true;
        all.insert(one->bases.begin(), one->bases.end());
      }
      if (any) return all;
    }
    return std::nullopt;
  }

  // Variables and local memory in which pointers are kept.
  void find_keepers() {
    for (bool more = true; more;) {
      more = false;
      for (const llvm::Instruction& instruction : llvm::instructions(kernel_)) {
        const llvm::Value* to = nullptr;
        if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
          if (holds_pointers(store->getValueOperand()->getType())) to = store->getPointerOperand();
        } else if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
          if (is_keeper(copy->getRawSource())) to = copy->getRawDest();
        }
        if (!to) continue;
        for (const llvm::Value* base : bases_of(to)) more = keepers_.insert(base).second || more;
      }
    }
  }

  bool is_keeper(const llvm::Value* pointer) const {
    if (keepers_.empty()) return false;
    for (const llvm::Value* base : bases_of(pointer)) {
      if (keepers_.count(base)) return true;
      // Found in memory: a pointer into global memory leads to none of them.
      const unsigned space = base->getType()->isPointerTy() ? base->getType()->getPointerAddressSpace() : kGeneric;
      const bool object = llvm::isa<llvm::Argument, llvm::AllocaInst, llvm::GlobalVariable>(base);
      if (!object && space != kGlobal && space != kConstant) return true;
    }
    return false;
  }

  const char* judge(const llvm::Instruction& instruction) const;
  const char* judge_number(const llvm::IntToPtrInst& cast) const;
  const char* judge_compare(const llvm::ICmpInst& compare) const;
  const char* judge_call(const llvm::CallBase& call) const;
  const char* judge_integers(const llvm::Instruction& instruction) const;

  static constexpr const char* kFine = "";
  static constexpr const char* kStores = "stores addresses in memory";
  static constexpr const char* kCompares = "compares addresses of different memory objects";
  static constexpr const char* kComputes = "computes with addresses as numbers";
  static constexpr const char* kFollows = "follows a pointer kept in global memory";
  static constexpr const char* kMakes = "makes an address of a number";

  llvm::Function& kernel_;
  std::map<const llvm::Value*, Address> integers_;
  std::set<const llvm::Value*> keepers_;
  const Address anything_ = {};
};

const char* Search::judge(const llvm::Instruction& instruction) const {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    const llvm::Value* value = store->getValueOperand();
    if (address(value)) return kStores;
    if (!holds_pointers(value->getType()) || is_null(value) || llvm::isa<llvm::UndefValue>(value)) return kFine;
    return is_own_memory(bases_of(store->getPointerOperand())) ? kFine : kStores;
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    if (!holds_pointers(load->getType())) return is_keeper(load->getPointerOperand()) ? kComputes : kFine;
    return kFine;
  }
  if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) return judge_compare(*compare);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return judge_call(*call);
  if (const auto* cast = llvm::dyn_cast<llvm::IntToPtrInst>(&instruction)) return judge_number(*cast);
  return judge_integers(instruction);
}

const char* Search::judge_number(const llvm::IntToPtrInst& cast) const {
  const llvm::Value* number = cast.getOperand(0);
  if (address(number) || is_null(number) || leads_nowhere(&cast)) return kFine;
  return llvm::isa<llvm::LoadInst>(number) ? kFollows : kMakes;
}

const char* Search::judge_compare(const llvm::ICmpInst& compare) const {
  const llvm::Value *a = compare.getOperand(0), *b = compare.getOperand(1);
  if (a->getType()->isPtrOrPtrVectorTy()) {
    if (compare.isEquality() && (is_null(a) || is_null(b))) return kFine;
    return same_object(bases_of(a), bases_of(b)) ? kFine : kCompares;
  }
  const Address *one = address(a), *other = address(b);
  if (!one && !other) return kFine;
  if (one && other) return same_object(one->bases, other->bases) ? kFine : kCompares;
  return compare.isEquality() && (is_null(a) || is_null(b)) ? kFine : kComputes;
}

const char* Search::judge_call(const llvm::CallBase& call) const {
  if (call.isLifetimeStartOrEnd() || call.isDebugOrPseudoInst() || llvm::isa<llvm::AssumeInst>(call)) return kFine;
  for (const llvm::Use& argument : call.args())
    if (address(argument.get())) return kComputes;
  if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&call))
    return is_keeper(copy->getRawSource()) && !is_own_memory(bases_of(copy->getRawDest())) ? kStores : kFine;
  const Builtin* builtin = builtin_of(call);
  // The format comes first.
  if (builtin && builtin->kind == Builtin::Kind::prints) {
    for (unsigned i = 1; i < call.arg_size(); ++i) {
      const llvm::Value* printed = call.getArgOperand(i);
      // Texts are constants.
      if (printed->getType()->isPtrOrPtrVectorTy() && !llvm::isa<llvm::Constant>(printed)) return "prints addresses";
    }
    return kFine;
  }
  if (changes_address_space(call)) return kFine;
  for (const llvm::Use& argument : call.args())
    if (argument->getType()->isPointerTy() && !llvm::isa<llvm::MemIntrinsic>(call) && is_keeper(argument.get()))
      return kComputes;
  return kFine;
}

// Whatever else is computed from an address than that address and an offset.
const char* Search::judge_integers(const llvm::Instruction& instruction) const {
  unsigned addresses = 0;
  for (const llvm::Value* operand : instruction.operand_values()) addresses += address(operand) != nullptr;
  if (addresses == 0) return kFine;
  const auto* both = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
  if (both && both->getOpcode() == llvm::Instruction::Add && addresses == 1) return kFine;
  if (both && both->getOpcode() == llvm::Instruction::Sub) {
    const Address *a = address(both->getOperand(0)), *b = address(both->getOperand(1));
    if (a && (!b || same_object(a->bases, b->bases))) return kFine;
  }
  if (llvm::isa<llvm::PHINode>(instruction)) {
    for (const llvm::Value* operand : instruction.operand_values())
      if (!address(operand)) return kComputes;
    return kFine;
  }
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
    return address(select->getTrueValue()) && address(select->getFalseValue()) ? kFine : kComputes;
  return llvm::isa<llvm::FreezeInst>(instruction) ? kFine : kComputes;
}

}  // namespace

std::string exposes_addresses(llvm::Function& inlined_kernel) { return Search(inlined_kernel).run(); }

}  // namespace samcl::translator
