#include "kernel-translator/ir/stored_bytes.h"

#include <algorithm>
#include <vector>

#include "llvm/IR/DataLayout.h"

namespace samcl::translator {
namespace {

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

// How many of a vector's lanes, from the first on, are more than chance: a vector of three is stored as one
// of four.
unsigned defined_lanes(const llvm::Value* value, unsigned lanes, int depth = 0) {
  if (depth > 16) return 0;
  const auto of_all = [&](const auto& values) {
    unsigned least = lanes;
    for (const llvm::Value* each : values) least = std::min(least, defined_lanes(each, lanes, depth + 1));
    return least;
  };
  const auto count = [&](const auto& is_defined) {
    unsigned lane = 0;
    while (lane < lanes && is_defined(lane)) ++lane;
    return lane;
  };
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) return of_all(phi->incoming_values());
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(value))
    return of_all(std::vector<const llvm::Value*>{select->getTrueValue(), select->getFalseValue()});
  if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value))
    return count([&](unsigned lane) { return shuffle->getMaskValue(lane) >= 0; });
  if (const auto* known = llvm::dyn_cast<llvm::Constant>(value))
    return count([&](unsigned lane) {
      const llvm::Constant* element = known->getAggregateElement(lane);
      return element && !llvm::isa<llvm::UndefValue>(element);
    });
  return lanes;
}

uint64_t size_of(const llvm::StoreInst& store, llvm::Type* type) {
  return store.getDataLayout().getTypeStoreSize(type);
}

}  // namespace

uint32_t narrowest_store(uint64_t size, uint64_t alignment) {
  uint64_t width = 16;
  while (width > 1 && (size % width != 0 || alignment % width != 0)) width /= 2;
  return static_cast<uint32_t>(width);
}

uint32_t narrowest_store(const llvm::StoreInst& store) {
  const llvm::Value* value = store.getValueOperand();
  llvm::Type* type = value->getType();
  if (type->isVectorTy() && is_partly_loaded(value)) type = type->getScalarType();
  return narrowest_store(size_of(store, type), store.getAlign().value());
}

uint64_t surely_stored(const llvm::StoreInst& store) {
  const llvm::Value* value = store.getValueOperand();
  if (!store.isSimple() || llvm::isa<llvm::UndefValue>(value)) return 0;
  llvm::Type* type = value->getType();
  const uint64_t all = size_of(store, type);
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    if (vector->getElementType()->isIntegerTy(1)) return 0;
    const unsigned lanes = defined_lanes(value, vector->getNumElements());
    return std::min(all, lanes * size_of(store, vector->getElementType()));
  }
  return type->isIntegerTy() || type->isFloatingPointTy() || type->isPointerTy() ? all : 0;
}

bool copies_all_bytes(const llvm::MemTransferInst& copy, uint64_t size) {
  const llvm::MDNode* fields = copy.getMetadata(llvm::LLVMContext::MD_tbaa_struct);
  if (!fields) return false;
  uint64_t next = 0;
  for (unsigned i = 0; i + 2 < fields->getNumOperands(); i += 3) {
    const auto* at = llvm::mdconst::dyn_extract<llvm::ConstantInt>(fields->getOperand(i));
    const auto* length = llvm::mdconst::dyn_extract<llvm::ConstantInt>(fields->getOperand(i + 1));
    if (!at || !length || at->getZExtValue() > next) return false;
    next = std::max(next, at->getZExtValue() + length->getZExtValue());
  }
  return next >= size;
}

}  // namespace samcl::translator
