// A kernel's integers, conditions and pointer offsets as nodes of its footprint
// (contract/footprint/symbolic_footprint.h). What is not understood becomes an `unknown` node.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/footprint/symbolic_footprint.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace samcl::translator {

// The shape of an inlined kernel whose loops are in simple form.
struct Shape {
  explicit Shape(llvm::Function& kernel);

  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::PostDominatorTree post_dominators;
  std::map<const llvm::Loop*, footprint::Id> loop_ids;  // outer ones first
};

class IntegerNodes {
 public:
  IntegerNodes(llvm::Function& kernel, const Shape& shape, footprint::SymbolicFootprint& symbolic);

  // The node of an integer, or of one lane of a vector of them.
  footprint::Id of(const llvm::Value* value, unsigned lane = 0);

  // Bytes from the start of the argument that the pointer comes from, where it leads into one; kNone if not understood.
  // Only for pointers of a single root.
  footprint::Id offset_of(const llvm::Value* pointer);

  // The same integer with another number of bits.
  footprint::Id resized(footprint::Id node, unsigned bits, bool is_signed);
  footprint::Id constant(int64_t value, unsigned bits);
  footprint::Id make(footprint::Op op, unsigned bits, footprint::Id a, footprint::Id b = footprint::kNone,
                     footprint::Id c = footprint::kNone, bool is_signed = false);
  unsigned pointer_bits() const { return pointer_bits_; }
  // Of conditions; those known to be true or false disappear.
  footprint::Id both(footprint::Id a, footprint::Id b);
  footprint::Id negation(footprint::Id a);

  // One of the numbers of an image argument: samcl::ImageNumbers, at the given byte of it.
  footprint::Id image_number(unsigned argument, size_t byte, unsigned bits = 64) {
    return make(footprint::Op::argument, bits, argument, static_cast<footprint::Id>(byte));
  }

  // The condition under which control goes from `block` to `next`; node kNone: always, or not a branch of
  // two.
  footprint::Condition edge(const llvm::BasicBlock* block, const llvm::BasicBlock* next);

 private:
  using Key = std::pair<const llvm::Value*, unsigned>;

  footprint::Id unknown(const llvm::Value* value, unsigned bits);
  footprint::Id compute(const llvm::Value* value, unsigned lane);
  footprint::Id of_constant(const llvm::Constant* value, unsigned lane);
  footprint::Id of_argument(const llvm::Argument* argument, unsigned lane);
  footprint::Id of_load(const llvm::LoadInst* load, unsigned lane);
  footprint::Id of_binary(const llvm::BinaryOperator* operation, unsigned lane);
  // a - b; where b is some of the bits of a number that a has as a term, in a form that shows it not to be below 0.
  footprint::Id difference(footprint::Id a, footprint::Id b, unsigned bits, bool is_signed);
  footprint::Id of_compare(const llvm::ICmpInst* compare, unsigned lane);
  footprint::Id of_cast(const llvm::CastInst* cast, unsigned lane);
  footprint::Id of_phi(const llvm::PHINode* phi, unsigned lane);
  footprint::Id of_call(const llvm::CallBase* call, unsigned lane);
  footprint::Id of_builtin(const llvm::CallBase* call, const std::string& name, unsigned lane);
  footprint::Id of_image_query(const llvm::CallBase* call, const std::string& name, unsigned lane);
  footprint::Id place(const llvm::CallBase* call, footprint::Op op);
  footprint::Id linear_id(bool global, unsigned bits);

  // A phi of a loop's header that grows by the same in every round. `of_value`: what its start is worth.
  template <typename OfValue, typename Increment>
  std::optional<footprint::Id> counter(const llvm::PHINode* phi, unsigned bits, OfValue of_value, Increment increment);
  std::optional<footprint::Id> increment(const llvm::Value* value, const llvm::PHINode* phi, unsigned lane);
  // By how much the phi grows in the rounds in which it does, where it stays as it was in others. `value`: what it
  // is worth in the next round.
  template <typename Increment>
  std::optional<footprint::Id> step_of_some_rounds(const llvm::Value* value, const llvm::PHINode* phi,
                                                   Increment increment);
  std::optional<footprint::Id> pointer_increment(const llvm::Value* value, const llvm::PHINode* phi);
  // A phi where ways meet: by which way it was come. `of_value`: what an incoming value is worth.
  template <typename OfValue>
  footprint::Id joined(const llvm::PHINode* phi, unsigned bits, bool is_signed, OfValue of_value);
  footprint::Id index_sum(const llvm::GEPOperator* element);

  footprint::Id any_of(footprint::Id a, footprint::Id b) { return negation(both(negation(a), negation(b))); }

  struct Way {
    footprint::Id condition;
    bool just_then;  // the way is taken wherever the condition holds, not only where
  };
  Way way(const llvm::BasicBlock* from, const llvm::BasicBlock* last, const llvm::BasicBlock* to);
  bool same_every_round(const llvm::Value* value, const llvm::Loop* loop, int depth = 0) const;

  llvm::Function& kernel_;
  const llvm::DataLayout& layout_;
  const Shape& shape_;
  footprint::SymbolicFootprint& symbolic_;
  unsigned pointer_bits_;
  std::map<Key, footprint::Id> known_;
  std::map<const llvm::Value*, footprint::Id> known_offsets_;
  std::map<std::array<int64_t, 6>, footprint::Id> made_;
  unsigned depth_ = 0;
};

// Of an integer, or of each lane of a vector of them; 64 for what is none.
unsigned bits_of(const llvm::Value* value);

// Whether anything takes the value for a signed integer.
bool seen_as_signed(const llvm::Value* value);

}  // namespace samcl::translator
