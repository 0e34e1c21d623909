#include "kernel-translator/footprint/integer_nodes.h"

#include "kernel-translator/ir/builtins.h"
#include "kernel-translator/ir/pointer_roots.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace samcl::translator {

using footprint::Condition;
using footprint::Id;
using footprint::kNone;
using footprint::Node;
using footprint::Op;

namespace {

constexpr unsigned kDeepest = 150;

bool is_integer(const llvm::Type* type) {
  return type->getScalarType()->isIntegerTy() && type->getScalarSizeInBits() <= 64;
}

}  // namespace

unsigned bits_of(const llvm::Value* value) {
  const unsigned bits = value->getType()->getScalarSizeInBits();
  return bits == 0 || bits > 64 ? 64 : bits;
}

bool seen_as_signed(const llvm::Value* value) {
  const auto counts_signed = [](const llvm::Value* each) {
    const auto* operation = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(each);
    return operation && operation->hasNoSignedWrap();
  };
  if (counts_signed(value)) return true;
  for (const llvm::User* user : value->users()) {
    if (llvm::isa<llvm::SExtInst>(user) || counts_signed(user)) return true;
    if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(user); compare && compare->isSigned()) return true;
    if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(user)) {
      const auto code = operation->getOpcode();
      if (code == llvm::Instruction::SDiv || code == llvm::Instruction::SRem || code == llvm::Instruction::AShr)
        return true;
    }
  }
  return false;
}

IntegerNodes::IntegerNodes(llvm::Function& kernel, const Shape& shape, footprint::SymbolicFootprint& symbolic)
    : kernel_(kernel),
      layout_(kernel.getParent()->getDataLayout()),
      shape_(shape),
      symbolic_(symbolic),
      pointer_bits_(layout_.getIndexSizeInBits(kGlobal)) {}

Id IntegerNodes::make(Op op, unsigned bits, Id a, Id b, Id c, bool is_signed) {
  const auto number = [](Id id) { return static_cast<int64_t>(id); };
  const std::array<int64_t, 6> key{static_cast<int64_t>(op), bits, number(a), number(b), number(c), is_signed};
  const auto [at, fresh] = made_.try_emplace(key, static_cast<Id>(symbolic_.nodes.size()));
  if (fresh) symbolic_.nodes.push_back({op, static_cast<uint8_t>(bits), a, b, c, is_signed});
  return at->second;
}

Id IntegerNodes::constant(int64_t value, unsigned bits) {
  const std::array<int64_t, 6> key{static_cast<int64_t>(Op::constant), bits, value, 0, 0, 0};
  const auto [at, fresh] = made_.try_emplace(key, static_cast<Id>(symbolic_.nodes.size()));
  if (fresh) symbolic_.nodes.push_back({Op::constant, static_cast<uint8_t>(bits), kNone, kNone, kNone, value});
  return at->second;
}

// Each is a value of its own.
Id IntegerNodes::unknown(const llvm::Value* value, unsigned bits) {
  symbolic_.nodes.push_back({Op::unknown, static_cast<uint8_t>(bits), kNone, kNone, kNone, seen_as_signed(value)});
  return static_cast<Id>(symbolic_.nodes.size() - 1);
}

Id IntegerNodes::resized(Id node, unsigned bits, bool is_signed) {
  const unsigned own = symbolic_.nodes[node].bits;
  if (own == bits) return node;
  if (own > bits) return make(Op::truncate, bits, node);
  return make(is_signed ? Op::sign_extend : Op::zero_extend, bits, node);
}

Id IntegerNodes::both(Id a, Id b) {
  for (const Id each : {a, b}) {
    const Node& node = symbolic_.nodes[each];
    if (node.op == Op::constant) return (node.value & 1) != 0 ? (each == a ? b : a) : each;
  }
  return make(Op::both, 1, a, b);
}

Id IntegerNodes::negation(Id a) {
  const Node node = symbolic_.nodes[a];
  if (node.op == Op::constant) return constant((node.value & 1) != 0 ? 0 : 1, 1);
  if (node.op == Op::negation) return node.a;
  return make(Op::negation, 1, a);
}

Id IntegerNodes::of(const llvm::Value* value, unsigned lane) {
  const Key key{value, lane};
  if (const auto at = known_.find(key); at != known_.end()) return at->second;
  ++depth_;
  const Id id = depth_ > kDeepest ? unknown(value, bits_of(value)) : compute(value, lane);
  --depth_;
  known_[key] = id;
  return id;
}

Id IntegerNodes::compute(const llvm::Value* value, unsigned lane) {
  if (!is_integer(value->getType())) return unknown(value, bits_of(value));
  if (const auto* known = llvm::dyn_cast<llvm::Constant>(value)) return of_constant(known, lane);
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) return of_argument(argument, lane);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(value)) return of_load(load, lane);
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value)) return of_binary(operation, lane);
  if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(value)) return of_compare(compare, lane);
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) return of_cast(cast, lane);
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) return of_phi(phi, lane);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(value)) return of_call(call, lane);
  if (const auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(value)) return of(freeze->getOperand(0), lane);
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(value)) {
    const bool by_lane = select->getCondition()->getType()->isVectorTy();
    const Id condition = of(select->getCondition(), by_lane ? lane : 0);
    const Id a = of(select->getTrueValue(), lane), b = of(select->getFalseValue(), lane);
    if (bits_of(value) == 1) return any_of(both(condition, a), both(negation(condition), b));
    return make(Op::select, bits_of(value), condition, a, b, seen_as_signed(value));
  }
  if (const auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(value)) {
    const auto* index = llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(extract->getVectorOperandType());
    if (index && type && index->getValue().ult(type->getNumElements()))
      return of(extract->getVectorOperand(), static_cast<unsigned>(index->getZExtValue()));
  } else if (const auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(value)) {
    if (const auto* index = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2)))
      return index->getValue() == lane ? of(insert->getOperand(1)) : of(insert->getOperand(0), lane);
  } else if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value)) {
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(shuffle->getOperand(0)->getType());
    const auto mask = shuffle->getShuffleMask();
    if (type && lane < mask.size() && mask[lane] >= 0) {
      const unsigned from = static_cast<unsigned>(mask[lane]), count = type->getNumElements();
      return from < count ? of(shuffle->getOperand(0), from) : of(shuffle->getOperand(1), from - count);
    }
  }
  return unknown(value, bits_of(value));
}

Id IntegerNodes::of_constant(const llvm::Constant* value, unsigned lane) {
  const llvm::Constant* element = value;
  if (value->getType()->isVectorTy()) element = value->getAggregateElement(lane);
  if (const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(element))
    return constant(number->getSExtValue(), bits_of(value));
  return unknown(value, bits_of(value));
}

Id IntegerNodes::of_argument(const llvm::Argument* argument, unsigned lane) {
  const unsigned bits = bits_of(argument);
  if (bits % 8 != 0) return unknown(argument, bits);
  return make(Op::argument, bits, argument->getArgNo(), lane * bits / 8);
}

// A field of a structure passed by value, which no one has changed.
Id IntegerNodes::of_load(const llvm::LoadInst* load, unsigned lane) {
  const unsigned bits = bits_of(load);
  const llvm::Value* pointer = load->getPointerOperand();
  llvm::APInt offset(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
  const llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(layout_, offset, true);
  const auto* argument = llvm::dyn_cast<llvm::Argument>(base);
  if (!argument || !argument->hasByValAttr() || bits % 8 != 0 || load->isVolatile() || offset.isNegative())
    return unknown(load, bits);
  std::vector<const llvm::Value*> open = {argument};
  while (!open.empty()) {
    const llvm::Value* at = open.back();
    open.pop_back();
    for (const llvm::User* user : at->users()) {
      if (llvm::isa<llvm::LoadInst>(user)) continue;
      if (llvm::isa<llvm::GEPOperator, llvm::BitCastOperator, llvm::AddrSpaceCastOperator>(user)) {
        open.push_back(user);
        continue;
      }
      const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user);
      if (!copy || copy->getRawDest() == at) return unknown(load, bits);
    }
  }
  return make(Op::argument, bits, argument->getArgNo(), static_cast<Id>(offset.getZExtValue()) + lane * bits / 8);
}

Id IntegerNodes::of_binary(const llvm::BinaryOperator* operation, unsigned lane) {
  const unsigned bits = bits_of(operation);
  const Id a = of(operation->getOperand(0), lane), b = of(operation->getOperand(1), lane);
  const auto known = [&](Op op) { return make(op, bits, a, b, kNone, seen_as_signed(operation)); };
  const auto code = operation->getOpcode();
  if (bits == 1) {
    if (code == llvm::Instruction::And) return both(a, b);
    if (code == llvm::Instruction::Or) return any_of(a, b);
    if (code == llvm::Instruction::Xor) return any_of(both(a, negation(b)), both(negation(a), b));
    return unknown(operation, bits);
  }
  switch (code) {
    case llvm::Instruction::Add: return known(Op::add);
    case llvm::Instruction::Sub: return difference(a, b, bits, seen_as_signed(operation));
    case llvm::Instruction::Mul: return known(Op::multiply);
    case llvm::Instruction::UDiv: return known(Op::divide_unsigned);
    case llvm::Instruction::SDiv: return known(Op::divide_signed);
    case llvm::Instruction::URem: return known(Op::remainder_unsigned);
    case llvm::Instruction::SRem: return known(Op::remainder_signed);
    case llvm::Instruction::Shl: return known(Op::shift_left);
    case llvm::Instruction::LShr: return known(Op::shift_right_unsigned);
    case llvm::Instruction::AShr: return known(Op::shift_right_signed);
    case llvm::Instruction::And: return known(Op::bit_and);
    case llvm::Instruction::Or: return known(Op::bit_or);
    case llvm::Instruction::Xor: return known(Op::bit_xor);
    default: return unknown(operation, bits);
  }
}

Id IntegerNodes::difference(Id a, Id b, unsigned bits, bool is_signed) {
  const auto has_term = [&](Id sum, Id term, auto&& has_term) -> bool {
    if (sum == term) return true;
    const Node& node = symbolic_.nodes[sum];
    const auto is_constant = [&](Id id) { return symbolic_.nodes[id].op == Op::constant; };
    if (node.op == Op::add) return has_term(node.a, term, has_term) || has_term(node.b, term, has_term);
    if (node.op == Op::shift_left && is_constant(node.b)) return node.a == term;
    return node.op == Op::multiply &&
           ((node.a == term && is_constant(node.b)) || (node.b == term && is_constant(node.a)));
  };
  const Node masked = symbolic_.nodes[b];
  if (masked.op == Op::bit_and)
    for (const bool swap : {false, true}) {
      const Id number = swap ? masked.b : masked.a, mask = swap ? masked.a : masked.b;
      if (!has_term(a, number, has_term)) continue;
      // number - (number & mask) = number & ~mask
      const Id others = make(Op::bit_xor, bits, mask, constant(-1, bits));
      const Id rest = make(Op::bit_and, bits, number, others, kNone, is_signed);
      return make(Op::add, bits, make(Op::subtract, bits, a, number, kNone, is_signed), rest, kNone, is_signed);
    }
  return make(Op::subtract, bits, a, b, kNone, is_signed);
}

Id IntegerNodes::of_compare(const llvm::ICmpInst* compare, unsigned lane) {
  const llvm::Value *left = compare->getOperand(0), *right = compare->getOperand(1);
  Id a = kNone, b = kNone;
  if (left->getType()->isPointerTy()) {
    const Roots x = roots_of(left), y = roots_of(right);
    const bool same = !x.unknown && x.arguments.size() == 1 && x.arguments == y.arguments && !y.unknown;
    if (!same) return unknown(compare, 1);
    a = offset_of(left);
    b = offset_of(right);
    if (a == kNone || b == kNone) return unknown(compare, 1);
  } else if (!is_integer(left->getType())) {
    return unknown(compare, 1);
  } else {
    a = of(left, lane);
    b = of(right, lane);
  }
  // A condition that was widened and is compared with 0.
  const Node widened = symbolic_.nodes[a], other = symbolic_.nodes[b];
  const bool widening = widened.op == Op::zero_extend || widened.op == Op::sign_extend;
  const bool is_condition = widening && symbolic_.nodes[widened.a].bits == 1;
  if (is_condition && other.op == Op::constant && other.value == 0 && compare->isEquality())
    return compare->getPredicate() == llvm::ICmpInst::ICMP_NE ? widened.a : negation(widened.a);
  if (widened.bits == 1) {
    if (!compare->isEquality()) return unknown(compare, 1);
    const Id differ = any_of(both(a, negation(b)), both(negation(a), b));
    return compare->getPredicate() == llvm::ICmpInst::ICMP_NE ? differ : negation(differ);
  }
  switch (compare->getPredicate()) {
    case llvm::ICmpInst::ICMP_EQ: return make(Op::equal, 1, a, b);
    case llvm::ICmpInst::ICMP_NE: return negation(make(Op::equal, 1, a, b));
    case llvm::ICmpInst::ICMP_SLT: return make(Op::less_signed, 1, a, b);
    case llvm::ICmpInst::ICMP_SGE: return negation(make(Op::less_signed, 1, a, b));
    case llvm::ICmpInst::ICMP_SGT: return make(Op::less_signed, 1, b, a);
    case llvm::ICmpInst::ICMP_SLE: return negation(make(Op::less_signed, 1, b, a));
    case llvm::ICmpInst::ICMP_ULT: return make(Op::less_unsigned, 1, a, b);
    case llvm::ICmpInst::ICMP_UGE: return negation(make(Op::less_unsigned, 1, a, b));
    case llvm::ICmpInst::ICMP_UGT: return make(Op::less_unsigned, 1, b, a);
    case llvm::ICmpInst::ICMP_ULE: return negation(make(Op::less_unsigned, 1, b, a));
    default: return unknown(compare, 1);
  }
}

Id IntegerNodes::of_cast(const llvm::CastInst* cast, unsigned lane) {
  const llvm::Value* from = cast->getOperand(0);
  const unsigned bits = bits_of(cast);
  if (!is_integer(from->getType())) return unknown(cast, bits);
  if (llvm::isa<llvm::BitCastInst>(cast)) {
    const bool same = from->getType()->getScalarSizeInBits() == cast->getType()->getScalarSizeInBits();
    return same ? of(from, lane) : unknown(cast, bits);
  }
  const Id inner = of(from, lane);
  if (llvm::isa<llvm::ZExtInst>(cast)) return resized(inner, bits, false);
  if (llvm::isa<llvm::SExtInst>(cast)) return resized(inner, bits, true);
  if (!llvm::isa<llvm::TruncInst>(cast)) return unknown(cast, bits);
  if (bits != 1) return resized(inner, bits, false);
  const Node node = symbolic_.nodes[inner];
  const bool widened = (node.op == Op::zero_extend || node.op == Op::sign_extend) && symbolic_.nodes[node.a].bits == 1;
  if (widened) return node.a;
  if (node.op == Op::constant) return constant(node.value & 1, 1);
  return unknown(cast, 1);
}

Id IntegerNodes::index_sum(const llvm::GEPOperator* element) {
  llvm::MapVector<llvm::Value*, llvm::APInt> variable;
  llvm::APInt fixed(pointer_bits_, 0);
  if (!element->collectOffset(layout_, pointer_bits_, variable, fixed)) return kNone;
  Id sum = constant(fixed.getSExtValue(), pointer_bits_);
  for (const auto& [index, scale] : variable) {
    if (!index->getType()->isIntegerTy()) return kNone;
    const Id number = resized(of(index), pointer_bits_, true);
    const Id bytes = make(Op::multiply, pointer_bits_, number, constant(scale.getSExtValue(), pointer_bits_));
    sum = make(Op::add, pointer_bits_, sum, bytes);
  }
  return sum;
}

Id IntegerNodes::offset_of(const llvm::Value* pointer) {
  if (const auto at = known_offsets_.find(pointer); at != known_offsets_.end()) return at->second;
  ++depth_;
  Id id = kNone;
  if (depth_ > kDeepest) {
  } else if (llvm::isa<llvm::Argument>(pointer)) {
    id = constant(0, pointer_bits_);
  } else if (const auto* element = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    const Id base = offset_of(element->getPointerOperand());
    const Id more = base == kNone ? kNone : index_sum(element);
    if (more != kNone) id = make(Op::add, pointer_bits_, base, more);
  } else if (llvm::isa<llvm::BitCastOperator, llvm::AddrSpaceCastOperator, llvm::FreezeInst>(pointer)) {
    id = offset_of(llvm::cast<llvm::User>(pointer)->getOperand(0));
  } else if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(pointer)) {
    const llvm::Value *first = select->getTrueValue(), *second = select->getFalseValue();
    const Id a = offset_of(leads_nowhere(first) ? second : first),
             b = offset_of(leads_nowhere(second) ? first : second);
    if (a != kNone && b != kNone) id = make(Op::select, pointer_bits_, of(select->getCondition()), a, b, true);
  } else if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(pointer)) {
    const auto offset = [&](const llvm::Value* value) { return offset_of(value); };
    const auto grows = [&](const llvm::Value* value) { return pointer_increment(value, phi); };
    const llvm::Loop* loop = shape_.loops.getLoopFor(phi->getParent());
    if (!loop || loop->getHeader() != phi->getParent())
      id = joined(phi, pointer_bits_, true, offset);
    else if (const auto counted = counter(phi, pointer_bits_, offset, grows))
      id = *counted;
  } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(pointer)) {
    if (changes_address_space(*call)) id = offset_of(call->getArgOperand(0));
  }
  --depth_;
  known_offsets_[pointer] = id;
  return id;
}

// ---- Ways through the kernel: phis and branches ----

Condition IntegerNodes::edge(const llvm::BasicBlock* block, const llvm::BasicBlock* next) {
  const llvm::Instruction* end = block->getTerminator();
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(end); branch && branch->isConditional()) {
    if (branch->getSuccessor(0) == branch->getSuccessor(1)) return {};
    return {of(branch->getCondition()), branch->getSuccessor(0) == next};
  }
  return {};
}

bool IntegerNodes::same_every_round(const llvm::Value* value, const llvm::Loop* loop, int depth) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || !loop->contains(instruction)) return true;
  if (depth > 30 || llvm::isa<llvm::PHINode>(instruction) || instruction->mayReadOrWriteMemory()) {
    // Built-ins about the place of the work-item are always worth the same.
    const auto* call = llvm::dyn_cast<llvm::CallBase>(instruction);
    const Builtin* builtin = call ? builtin_of(*call) : nullptr;
    return builtin && depth <= 30 && builtin->kind == Builtin::Kind::work_item &&
           llvm::all_of(call->args(),
                        [&](const llvm::Use& use) { return same_every_round(use.get(), loop, depth + 1); });
  }
  for (const llvm::Value* operand : instruction->operand_values())
    if (!llvm::isa<llvm::Function>(operand) && !same_every_round(operand, loop, depth + 1)) return false;
  return true;
}

template <typename OfValue, typename Increment>
std::optional<Id> IntegerNodes::counter(const llvm::PHINode* phi, unsigned bits, OfValue of_value,
                                        Increment increment) {
  const llvm::Loop* loop = shape_.loops.getLoopFor(phi->getParent());
  if (!loop->getLoopLatch() || phi->getNumIncomingValues() != 2) return std::nullopt;
  const llvm::Value* next = phi->getIncomingValueForBlock(loop->getLoopLatch());
  std::optional<Id> step = increment(next);
  const bool every_round = step.has_value();
  if (!every_round) step = step_of_some_rounds(next, phi, increment);
  if (!step) return std::nullopt;
  const int before = phi->getIncomingBlock(0) == loop->getLoopLatch() ? 1 : 0;
  const Id start = of_value(phi->getIncomingValue(static_cast<unsigned>(before)));
  if (start == kNone) return std::nullopt;
  const Id loop_id = shape_.loop_ids.at(loop);
  if (every_round) return make(Op::counter, bits, loop_id, start, *step, seen_as_signed(phi));
  // It grew in no more rounds than there were.
  const Id rounds = make(Op::counter, 64, loop_id, constant(0, 64), constant(1, 64));
  symbolic_.nodes.push_back({Op::up_to, 64, rounds, kNone, kNone, 0});
  const Id grown = resized(static_cast<Id>(symbolic_.nodes.size() - 1), bits, false);
  return make(Op::add, bits, start, make(Op::multiply, bits, grown, *step), kNone, seen_as_signed(phi));
}

template <typename Increment>
std::optional<Id> IntegerNodes::step_of_some_rounds(const llvm::Value* value, const llvm::PHINode* phi,
                                                    Increment increment) {
  if (const auto step = increment(value)) return step;
  // Where ways meet that each take place once in a round.
  const auto* meeting = llvm::dyn_cast<llvm::PHINode>(value);
  const llvm::Loop* loop = shape_.loops.getLoopFor(phi->getParent());
  if (!meeting || meeting == phi || shape_.loops.getLoopFor(meeting->getParent()) != loop) return std::nullopt;
  if (meeting->getNumIncomingValues() > 8 || depth_ > kDeepest) return std::nullopt;
  std::optional<Id> step;
  ++depth_;
  for (const llvm::Value* incoming : meeting->incoming_values()) {
    const auto one = step_of_some_rounds(incoming, phi, increment);
    const auto is_zero = [&](Id id) {
      return symbolic_.nodes[id].op == Op::constant && symbolic_.nodes[id].value == 0;
    };
    if (!one || (step && *one != *step && !is_zero(*one) && !is_zero(*step))) {
      --depth_;
      return std::nullopt;
    }
    if (!step || is_zero(*step)) step = one;
  }
  --depth_;
  return step;
}

std::optional<Id> IntegerNodes::increment(const llvm::Value* value, const llvm::PHINode* phi, unsigned lane) {
  const unsigned bits = bits_of(phi);
  if (value == phi) return constant(0, bits);
  if (depth_ > kDeepest || bits_of(value) < bits || !is_integer(value->getType())) return std::nullopt;
  // Modulo 2^bits it makes no difference that the sum is made of wider numbers.
  if (llvm::isa<llvm::TruncInst, llvm::ZExtInst, llvm::SExtInst>(value))
    return increment(llvm::cast<llvm::CastInst>(value)->getOperand(0), phi, lane);
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
  if (!operation) return std::nullopt;
  const bool plus = operation->getOpcode() == llvm::Instruction::Add;
  if (!plus && operation->getOpcode() != llvm::Instruction::Sub) return std::nullopt;
  const llvm::Loop* loop = shape_.loops.getLoopFor(phi->getParent());
  for (const unsigned grown : {0u, 1u}) {
    if (grown == 1 && !plus) break;
    const llvm::Value* other = operation->getOperand(1 - grown);
    if (!same_every_round(other, loop)) continue;
    ++depth_;
    const auto so_far = increment(operation->getOperand(grown), phi, lane);
    --depth_;
    if (so_far) return make(plus ? Op::add : Op::subtract, bits, *so_far, resized(of(other, lane), bits, true));
  }
  return std::nullopt;
}

std::optional<Id> IntegerNodes::pointer_increment(const llvm::Value* value, const llvm::PHINode* phi) {
  if (value == phi) return constant(0, pointer_bits_);
  const auto* element = llvm::dyn_cast<llvm::GEPOperator>(value);
  if (!element || depth_ > kDeepest) return std::nullopt;
  const llvm::Loop* loop = shape_.loops.getLoopFor(phi->getParent());
  for (const llvm::Value* index : element->indices())
    if (!same_every_round(index, loop)) return std::nullopt;
  ++depth_;
  const auto so_far = pointer_increment(element->getPointerOperand(), phi);
  --depth_;
  if (!so_far) return std::nullopt;
  const Id more = index_sum(element);
  if (more == kNone) return std::nullopt;
  return make(Op::add, pointer_bits_, *so_far, more);
}

// What holds where control goes from `from`, which dominates `last`, to `last` and on to `to`.
IntegerNodes::Way IntegerNodes::way(const llvm::BasicBlock* from, const llvm::BasicBlock* last,
                                    const llvm::BasicBlock* to) {
  Way way{constant(1, 1), true};
  const auto add = [&](const Condition& condition) {
    if (condition.node == kNone) return;
    way.condition = both(way.condition, condition.when ? condition.node : negation(condition.node));
  };
  const auto branches = [](const llvm::BasicBlock* block) { return block->getTerminator()->getNumSuccessors() > 1; };
  if (branches(last)) {
    const Condition condition = edge(last, to);
    add(condition);
    way.just_then = condition.node != kNone;
  }
  for (const llvm::BasicBlock* at = last; at != from;) {
    const auto* node = shape_.dominators.getNode(at);
    if (!node || !node->getIDom()) return {constant(1, 1), false};
    const llvm::BasicBlock* above = node->getIDom()->getBlock();
    if (shape_.loops.getLoopFor(at) != shape_.loops.getLoopFor(from)) way.just_then = false;
    if (at->getSinglePredecessor() == above) {
      const Condition condition = edge(above, at);
      add(condition);
      if (branches(above) && condition.node == kNone) way.just_then = false;
    } else if (shape_.loops.getLoopFor(at) || !shape_.post_dominators.dominates(at, above)) {
      way.just_then = false;  // in a loop another round may come between the two
    }
    at = above;
  }
  return way;
}

template <typename OfValue>
Id IntegerNodes::joined(const llvm::PHINode* phi, unsigned bits, bool is_signed, OfValue of_value) {
  const llvm::BasicBlock* block = phi->getParent();
  const auto* node = shape_.dominators.getNode(block);
  const unsigned ways = phi->getNumIncomingValues();
  if (!node || !node->getIDom() || ways > 8) return phi->getType()->isPointerTy() ? kNone : unknown(phi, bits);
  const llvm::BasicBlock* from = node->getIDom()->getBlock();
  const bool is_condition = bits == 1;
  Id result = kNone;
  for (unsigned i = ways; i-- > 0;) {
    if (phi->getType()->isPointerTy() && leads_nowhere(phi->getIncomingValue(i))) continue;
    const llvm::BasicBlock* last = phi->getIncomingBlock(i);
    const Id worth = of_value(phi->getIncomingValue(i));
    if (worth == kNone) return kNone;
    const Way taken = way(from, last, block);
    if (is_condition) {
      // By some way, and true by it.
      Id true_by_it = both(taken.condition, worth);
      const bool never = symbolic_.nodes[true_by_it].op == Op::constant && symbolic_.nodes[true_by_it].value == 0;
      if (!taken.just_then && !never) true_by_it = both(true_by_it, unknown(phi, 1));
      result = result == kNone ? true_by_it : any_of(true_by_it, result);
    } else if (result == kNone) {
      result = worth;
    } else if (taken.just_then) {
      result = make(Op::select, bits, taken.condition, worth, result, is_signed);
    } else {
      result = make(Op::either, bits, worth, result, kNone, is_signed);
    }
  }
  return result;
}

Id IntegerNodes::of_phi(const llvm::PHINode* phi, unsigned lane) {
  const unsigned bits = bits_of(phi);
  const llvm::Loop* loop = shape_.loops.getLoopFor(phi->getParent());
  const auto worth = [&](const llvm::Value* value) { return of(value, lane); };
  if (!loop || loop->getHeader() != phi->getParent()) return joined(phi, bits, seen_as_signed(phi), worth);
  if (bits == 1) return unknown(phi, bits);
  const auto grows = [&](const llvm::Value* value) { return increment(value, phi, lane); };
  if (const auto counted = counter(phi, bits, worth, grows)) return *counted;
  return unknown(phi, bits);
}

}  // namespace samcl::translator
