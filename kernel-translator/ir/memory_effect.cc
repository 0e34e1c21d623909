#include "kernel-translator/ir/memory_effect.h"

#include <algorithm>
#include <map>

#include "kernel-translator/ir/inline_assembly.h"
#include "kernel-translator/ir/mangled_name.h"
#include "kernel-translator/ir/pointer_roots.h"
#include "kernel-translator/ir/stored_bytes.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"

namespace samcl::translator {
namespace {

using Kind = Builtin::Kind;
using Effect = Builtin::Effect;
using Ordering = Builtin::Ordering;

bool is_opaque(const llvm::Value* value, llvm::StringRef name) {
  const auto* type = llvm::dyn_cast<llvm::TargetExtType>(value->getType());
  return type && type->getName() == name;
}

bool is_integer(const llvm::Value* value) { return value->getType()->getScalarType()->isIntegerTy(32); }

Accumulation accumulation_of(const llvm::AtomicRMWInst& change) {
  switch (change.getOperation()) {
    case llvm::AtomicRMWInst::Add:
    case llvm::AtomicRMWInst::Sub: return Accumulation::add;
    case llvm::AtomicRMWInst::And: return Accumulation::bit_and;
    case llvm::AtomicRMWInst::Or: return Accumulation::bit_or;
    case llvm::AtomicRMWInst::Xor: return Accumulation::bit_xor;
    case llvm::AtomicRMWInst::Min: return Accumulation::min_signed;
    case llvm::AtomicRMWInst::UMin: return Accumulation::min_unsigned;
    case llvm::AtomicRMWInst::Max: return Accumulation::max_signed;
    case llvm::AtomicRMWInst::UMax: return Accumulation::max_unsigned;
    default: return Accumulation::none;
  }
}

MemoryAccess access_through(const llvm::Value* pointer, Effect effect, uint64_t width, uint64_t sure_width) {
  MemoryAccess access;
  access.pointer = pointer;
  access.reads = effect == Effect::reads || effect == Effect::updates;
  access.writes = effect == Effect::writes || effect == Effect::updates;
  access.width = width;
  access.sure_width = sure_width;
  if (access.writes) access.store_width = 1;
  return access;
}

class EffectReader {
 public:
  explicit EffectReader(const llvm::Instruction& instruction)
      : instruction_(instruction), layout_(instruction.getDataLayout()) {}

  MemoryEffect read() {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction_)) {
      const uint64_t width = size_of(load->getType());
      MemoryAccess& access = add(load->getPointerOperand(), Effect::reads, width, width);
      access.is_volatile = load->isVolatile();
      if (load->isAtomic()) access.ordering = Ordering::waits;
      effect_.orders = llvm::isStrongerThanMonotonic(load->getOrdering());
    } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction_)) {
      const uint64_t width = size_of(store->getValueOperand()->getType());
      MemoryAccess& access = add(store->getPointerOperand(), Effect::writes, width, surely_stored(*store));
      access.is_volatile = store->isVolatile();
      access.store_width = narrowest_store(*store);
      if (store->isAtomic()) access.ordering = Ordering::atomic;
      effect_.orders = llvm::isStrongerThanMonotonic(store->getOrdering());
    } else if (const auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction_)) {
      MemoryAccess& access = add(change->getPointerOperand(), Effect::updates, size_of(change->getType()), 0);
      access.store_width = narrowest_store(access.width, 16);
      access.ordering = Ordering::atomic;
      access.accumulates = accumulation_of(*change);
      effect_.orders = llvm::isStrongerThanMonotonic(change->getOrdering());
    } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction_)) {
      const uint64_t width = size_of(exchange->getCompareOperand()->getType());
      add(exchange->getPointerOperand(), Effect::updates, width, 0).ordering = Ordering::waits;
      effect_.orders = llvm::isStrongerThanMonotonic(exchange->getMergedOrdering());
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction_)) {
      read_call(*call);
    } else if (llvm::isa<llvm::FenceInst>(instruction_)) {
      effect_.fence = effect_.orders = true;
    } else if (instruction_.mayReadOrWriteMemory()) {
      effect_.not_understood = "has an instruction that is not understood";
    }
    return std::move(effect_);
  }

 private:
  void read_call(const llvm::CallBase& call);
  void read_copy(const llvm::MemIntrinsic& copy);
  void read_builtin(const llvm::CallBase& call, const std::string& name);
  void read_image_call(const llvm::CallBase& call, const std::string& name);
  void read_atomic(const llvm::CallBase& call, const Builtin& builtin);
  void read_vector_access(const llvm::CallBase& call, const std::string& name, const Builtin& builtin);
  void read_group_copy(const llvm::CallBase& call, const std::string& name, const Builtin& builtin);
  void read_second_result(const llvm::CallBase& call, const Builtin& builtin);
  void read_unknown(const std::string& name);

  uint64_t size_of(llvm::Type* type) const { return layout_.getTypeStoreSize(type); }
  MemoryAccess& add(const llvm::Value* pointer, Effect effect, uint64_t width, uint64_t sure_width) {
    return effect_.accesses.emplace_back(access_through(pointer, effect, width, sure_width));
  }

  const llvm::Instruction& instruction_;
  const llvm::DataLayout& layout_;
  llvm::SmallVector<const llvm::Value*, 4> pointers_;  // of a call
  MemoryEffect effect_;
};

void EffectReader::read_call(const llvm::CallBase& call) {
  if (call.isInlineAsm()) {
    if (!only_computes(call)) effect_.not_understood = "has inline assembly that may do more than compute";
    return;
  }
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee) {
    effect_.not_understood = "calls through a function pointer";
  } else if (!callee->isDeclaration()) {
    effect_.not_understood = "is recursive, or too large to be studied";
  } else if (const auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
    read_copy(*copy);
  } else if (!callee->isIntrinsic()) {
    read_builtin(call, plain_name(callee->getName()));
  } else if (!call.doesNotAccessMemory() && !call.isLifetimeStartOrEnd() && !call.isDebugOrPseudoInst() &&
             !llvm::isa<llvm::AssumeInst>(call) && !call.onlyAccessesInaccessibleMemory()) {
    effect_.not_understood = "uses " + callee->getName().str() + ", which is not understood";
  }
}

void EffectReader::read_copy(const llvm::MemIntrinsic& copy) {
  const auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&copy);
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
  const bool known = length && length->getValue().ule(1u << 30);
  const uint64_t size = known ? length->getZExtValue() : 0;
  if (known && size == 0) return;
  const bool all = !copy.isVolatile() && (!transfer || copies_all_bytes(*transfer, size));
  MemoryAccess& to = add(copy.getRawDest(), Effect::writes, size, all ? size : 0);
  to.is_volatile = copy.isVolatile();
  to.store_width = narrowest_store(known ? size : 1, copy.getDestAlign().valueOrOne().value());
  if (transfer) add(transfer->getRawSource(), Effect::reads, size, size).is_volatile = copy.isVolatile();
}

bool may_fence_global_memory(const llvm::CallBase& barrier) {
  constexpr uint64_t kGlobalMemory = 2;  // CLK_GLOBAL_MEM_FENCE
  const auto* flags = barrier.arg_size() > 0 ? llvm::dyn_cast<llvm::ConstantInt>(barrier.getArgOperand(0)) : nullptr;
  return !flags || (flags->getZExtValue() & kGlobalMemory) != 0;
}

void EffectReader::read_builtin(const llvm::CallBase& call, const std::string& name) {
  for (const llvm::Use& argument : call.args()) {
    if (argument->getType()->isPointerTy()) pointers_.push_back(argument.get());
    if (is_opaque(argument.get(), "spirv.Image")) return read_image_call(call, name);
  }
  effect_.builtin = find_builtin(name);
  if (!effect_.builtin) return read_unknown(name);
  const Builtin& builtin = *effect_.builtin;
  switch (builtin.kind) {
    case Kind::pipe: effect_.not_understood = "uses a pipe"; return;
    case Kind::enqueues: effect_.not_understood = "enqueues kernels"; return;
    case Kind::fence: effect_.fence = effect_.orders = true; return;
    case Kind::barrier: effect_.orders = may_fence_global_memory(call); return;
    case Kind::atomic: return read_atomic(call, builtin);
    case Kind::vector_load:
    case Kind::vector_store: return read_vector_access(call, name, builtin);
    case Kind::group_copy: return read_group_copy(call, name, builtin);
    case Kind::group: return read_unknown(name);
    default:
      if (builtin.first != Effect::none) read_second_result(call, builtin);
  }
}

void EffectReader::read_image_call(const llvm::CallBase& call, const std::string& name) {
  effect_.builtin = find_builtin(name);
  const Kind kind = effect_.builtin ? effect_.builtin->kind : Kind::computes;
  const auto* image = llvm::dyn_cast<llvm::Argument>(call.getArgOperand(0));
  const auto images = std::count_if(call.arg_begin(), call.arg_end(),
                                    [](const llvm::Use& use) { return is_opaque(use.get(), "spirv.Image"); });
  const bool known = kind == Kind::image_query || kind == Kind::image_read || kind == Kind::image_write;
  if (!known || !image || images > 1) {
    effect_.not_understood = "calls " + name + ", which is not understood";
    return;
  }
  effect_.image.kind = kind;
  effect_.image.argument = image->getArgNo();
  unsigned at = 1;
  if (kind == Kind::image_read && at < call.arg_size() && is_opaque(call.getArgOperand(at), "spirv.Sampler")) ++at;
  // A level of detail may follow.
  const unsigned expected = kind == Kind::image_write ? 3 : at + 1;
  if (kind != Kind::image_query && call.arg_size() == expected && is_integer(call.getArgOperand(at)))
    effect_.image.coordinates = call.getArgOperand(at);
}

// Its operand is an integer; increments and decrements have none but what they change.
Accumulation accumulation_of(const llvm::CallBase& call, const Builtin& builtin, const ElementType& pointee) {
  const llvm::Type* operand = call.arg_size() > 1 ? call.getArgOperand(1)->getType() : call.getType();
  if (!operand->isIntegerTy()) return Accumulation::none;
  const auto by_sign = [&](Accumulation of_signed, Accumulation of_unsigned) {
    if (pointee.is_signed()) return of_signed;
    return pointee.is_unsigned() ? of_unsigned : Accumulation::none;
  };
  switch (builtin.accumulates) {
    case Accumulation::min_signed: return by_sign(Accumulation::min_signed, Accumulation::min_unsigned);
    case Accumulation::max_signed: return by_sign(Accumulation::max_signed, Accumulation::max_unsigned);
    default: return builtin.accumulates;
  }
}

// The functions of OpenCL 1 are; those of OpenCL 2 where they are told so.
bool is_relaxed(const llvm::CallBase& call) {
  const llvm::StringRef name = call.getCalledFunction()->getName();
  const auto is_one_of = [name](std::initializer_list<llvm::StringRef> families) {
    return std::ranges::any_of(families, [name](llvm::StringRef family) { return name.contains(family); });
  };
  if (!is_one_of({"atomic_fetch_", "atomic_load", "atomic_store", "atomic_exchange", "atomic_compare_exchange",
                  "atomic_flag_"}))
    return true;
  if (!name.contains("_explicit")) return false;
  const bool compares = is_one_of({"atomic_compare_exchange"});
  const unsigned first = compares ? 3 : is_one_of({"atomic_load", "atomic_flag_"}) ? 1 : 2;
  for (unsigned at = first; at <= first + (compares ? 1u : 0u); ++at) {
    const auto* order = at < call.arg_size() ? llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(at)) : nullptr;
    if (!order || !order->isZero()) return false;
  }
  return true;
}

void EffectReader::read_atomic(const llvm::CallBase& call, const Builtin& builtin) {
  effect_.orders = !is_relaxed(call);
  if (pointers_.size() != 1) {
    for (size_t i = 0; i < pointers_.size(); ++i)
      add(pointers_[i], i == 0 ? builtin.first : builtin.others, 0, 0).ordering = builtin.ordering;
    return;
  }
  const ElementType pointee = first_pointee(call.getCalledFunction()->getName());
  MemoryAccess& access = add(pointers_[0], builtin.first, pointee.bytes(), 0);
  access.ordering = builtin.ordering;
  if (!access.writes) return;
  llvm::Type* value = call.getType();
  if (value->isVoidTy() && call.arg_size() > 1) value = call.getArgOperand(1)->getType();
  if (!value->isVoidTy()) access.store_width = narrowest_store(size_of(value->getScalarType()), 16);
  access.accumulates = accumulation_of(call, builtin, pointee);
}

// The number at the end of "vload4" or "vstore_half4_rte"; 1 if there is none.
unsigned lanes_of(const std::string& name) {
  const auto digit = std::find_if(name.begin(), name.end(), [](char c) { return isdigit(c) != 0; });
  return digit == name.end() ? 1 : static_cast<unsigned>(std::stoul(std::string(digit, name.end())));
}

void EffectReader::read_vector_access(const llvm::CallBase& call, const std::string& name, const Builtin& builtin) {
  const bool stores = builtin.kind == Kind::vector_store;
  const unsigned index = stores ? 1 : 0;
  if (pointers_.size() != 1 || call.arg_size() <= index) return read_unknown(name);
  const llvm::Type* value = stores ? call.getArgOperand(0)->getType() : call.getType();
  const uint64_t element = builtin.element ? builtin.element : size_of(value->getScalarType());
  const unsigned lanes = lanes_of(name);
  const uint64_t width = element * lanes, stride = element * (builtin.aligned && lanes == 3 ? 4 : lanes);
  MemoryAccess& access = add(pointers_[0], builtin.first, stores || !builtin.aligned ? width : stride, width);
  access.index = call.getArgOperand(index);
  access.index_stride = stride;
  if (stores) access.store_width = static_cast<uint32_t>(element);
}

void EffectReader::read_group_copy(const llvm::CallBase& call, const std::string& name, const Builtin& builtin) {
  if (pointers_.size() != 2 || call.arg_size() < 4) return read_unknown(name);
  const ElementType pointee = first_pointee(call.getCalledFunction()->getName());
  const bool strided = call.arg_size() > 4;
  const auto* stride = strided ? llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(3)) : nullptr;
  const bool known = pointee.bytes() != 0 && (!strided || (stride && stride->getValue().ule(1u << 20)));
  const uint64_t width = known ? pointee.bytes() : 0;
  for (size_t i = 0; i < pointers_.size(); ++i) {
    MemoryAccess& access = add(pointers_[i], i == 0 ? builtin.first : builtin.others, width, width);
    if (access.writes) access.store_width = std::max(1u, pointee.element);
    if (!known) continue;
    access.count = call.getArgOperand(2);
    // The stride is that of the side in global memory.
    access.count_stride = width * (stride ? stride->getZExtValue() : 1);
  }
}

// Devices differ in whether they store it for a number that has none, and a fourth lane of three.
void EffectReader::read_second_result(const llvm::CallBase& call, const Builtin& builtin) {
  if (pointers_.empty()) return;
  const llvm::Type* type = call.getType();
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  const unsigned lanes = vector ? vector->getNumElements() : 1;
  const uint32_t element = builtin.element ? builtin.element : type->getScalarSizeInBits() / 8;
  add(pointers_[0], builtin.first, uint64_t{element} * (lanes == 3 ? 4 : lanes), 0).store_width = element;
}

void EffectReader::read_unknown(const std::string& name) {
  for (const llvm::Value* pointer : pointers_) {
    // What lies in private memory may hold pointers in turn.
    const unsigned space = pointer->getType()->getPointerAddressSpace();
    if (space == kPrivate || space == kGeneric) effect_.not_understood = "calls " + name + ", which is not understood";
    add(pointer, Effect::updates, 0, 0);
  }
}

}  // namespace

MemoryEffect effect_of(const llvm::Instruction& instruction) { return EffectReader(instruction).read(); }

unsigned axes_of_image(const std::string& type_name) {
  static const std::map<std::string, unsigned> kAxes = {
      {"image1d_t", 1},       {"image1d_buffer_t", 1}, {"image1d_array_t", 2},       {"image2d_t", 2},
      {"image2d_depth_t", 2}, {"image2d_array_t", 3},  {"image2d_array_depth_t", 3}, {"image3d_t", 3}};
  const auto at = kAxes.find(type_name);
  return at == kAxes.end() ? 0 : at->second;
}

}  // namespace samcl::translator
