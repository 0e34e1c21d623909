#include "kernel-translator/judge/retry_loops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "kernel-translator/ir/memory_effect.h"
#include "kernel-translator/ir/pointer_roots.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace samcl::translator {
namespace {

using llvm::Value;

// What an instruction does to the word at an address.
struct Step {
  const llvm::Instruction* at = nullptr;
  const Value* address = nullptr;
  const llvm::Type* type = nullptr;    // of the word
  bool loads = false;                  // and nothing else
  const Value* compared = nullptr;     // it stores only if it finds this,
  const Value* compared_at = nullptr;  // or what is in the variable there; if not, that gets what it found
  const Value* stored = nullptr;       // nullptr: what we cannot say
};

std::optional<Step> step_of(const llvm::Instruction& at) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&at))
    return Step{.at = &at, .address = load->getPointerOperand(), .type = load->getType(), .loads = true};
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&at)) {
    const Value* stored = store->getValueOperand();
    return Step{.at = &at, .address = store->getPointerOperand(), .type = stored->getType(), .stored = stored};
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&at);
  const Builtin* builtin = call ? builtin_of(*call) : nullptr;
  if (!builtin || builtin->kind != Builtin::Kind::atomic || call->arg_size() == 0) return std::nullopt;
  const llvm::StringRef name = builtin->name;
  const auto operand = [&](unsigned index) { return index < call->arg_size() ? call->getArgOperand(index) : nullptr; };
  Step step{.at = &at, .address = operand(0), .type = call->getType()};
  if (name == "atomic_load") {
    step.loads = true;
  } else if (name == "atomic_store" || name == "atomic_xchg" || name == "atomic_exchange") {
    step.stored = operand(1);
    if (step.stored) step.type = step.stored->getType();
  } else if (name == "atomic_cmpxchg") {
    step.compared = operand(1);
    step.stored = operand(2);
  } else if (name == "atomic_compare_exchange_*") {
    step.compared_at = operand(1);
    step.stored = operand(2);
    if (step.stored) step.type = step.stored->getType();
  }
  return step;
}

// Casts keep the bits: floating-point numbers are exchanged as integers.
const Value* bits(const Value* value) {
  while (const auto* cast = llvm::dyn_cast_or_null<llvm::BitCastInst>(value)) value = cast->getOperand(0);
  return value;
}

bool same_bits(const Value* one, const Value* other) { return one && other && bits(one) == bits(other); }

bool only_computes(const llvm::Instruction& instruction) {
  return !instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::PHINode, llvm::CallBase>(instruction);
}

// In one round of a loop. `seen`: those that are or will be compared.
bool same_value(const Value* one, const Value* other, std::set<std::pair<const Value*, const Value*>>& seen) {
  if (one == other || !seen.emplace(one, other).second) return true;
  const auto* a = llvm::dyn_cast<llvm::Instruction>(one);
  const auto* b = llvm::dyn_cast<llvm::Instruction>(other);
  return a && b && only_computes(*a) && a->isSameOperationAs(b) &&
         std::equal(a->value_op_begin(), a->value_op_end(), b->value_op_begin(),
                    [&](const Value* x, const Value* y) { return same_value(x, y, seen); });
}

bool same_address(const Value* one, const Value* other) {
  std::set<std::pair<const Value*, const Value*>> seen;
  return same_value(one->stripPointerCasts(), other->stripPointerCasts(), seen);
}

// In all rounds.
bool is_fixed(const Value* value, const llvm::Loop& loop, std::set<const Value*>& seen) {
  if (loop.isLoopInvariant(value) || !seen.insert(value).second) return true;
  const auto* instruction = llvm::cast<llvm::Instruction>(value);
  return only_computes(*instruction) && std::all_of(instruction->value_op_begin(), instruction->value_op_end(),
                                                    [&](const Value* each) { return is_fixed(each, loop, seen); });
}

// A variable of the work-item that nothing but loads, stores and compare-exchanges as what these expect uses.
bool is_private_and_seen(const Value* variable) {
  for (const llvm::User* user : variable->users()) {
    if (llvm::isa<llvm::LoadInst>(user)) continue;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (store->getValueOperand() == variable) return false;
    } else if (llvm::isa<llvm::AddrSpaceCastInst>(user)) {
      if (!is_private_and_seen(user)) return false;
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) {
      const std::optional<Step> step = step_of(*call);
      const bool expects = step && step->compared_at == variable && step->address != variable;
      if (!expects && !call->isLifetimeStartOrEnd()) return false;
    } else {
      return false;
    }
  }
  return true;
}

using Path = std::vector<const llvm::BasicBlock*>;

// The ways from the loop's begin back to it, by blocks, each of them once; none if they are too many.
class WaysRound {
 public:
  static constexpr size_t kMost = 64, kMostSteps = 4096;

  explicit WaysRound(const llvm::Loop& loop) : loop_(loop) { go(loop.getHeader()); }

  std::vector<Path> take() {
    return steps_ > kMostSteps || ways_.size() > kMost ? std::vector<Path>() : std::move(ways_);
  }

 private:
  void go(const llvm::BasicBlock* block) {
    if (++steps_ > kMostSteps || ways_.size() > kMost) return;
    way_.push_back(block);
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      if (next == loop_.getHeader()) {
        if (ways_.empty() || ways_.back() != way_) ways_.push_back(way_);
      } else if (loop_.contains(next) && std::ranges::find(way_, next) == way_.end()) {
        go(next);
      }
    }
    way_.pop_back();
  }

  const llvm::Loop& loop_;
  Path way_;
  std::vector<Path> ways_;
  size_t steps_ = 0;
};

// The rounds of a loop, as they are when nobody else writes memory, for one word that it exchanges.
class Rounds {
 public:
  Rounds(const llvm::Loop& loop, const llvm::LoopInfo& loops, const std::vector<Path>& ways, const Value* word)
      : loop_(loop),
        loops_(loops),
        layout_(loop.getHeader()->getModule()->getDataLayout()),
        word_(word),
        all_ways_(ways) {
    for (const Path& way : ways) ways_.push_back(&way);
  }

  // By what the word holds: no way round can be gone, or not again and again.
  bool end() {
    if (!find_steps() || !others_leave_it_alone()) return false;
    std::erase_if(ways_, [&](const Path* way) { return !can_go(*way, nullptr, false); });
    if (ways_.empty()) return true;
    std::set<const Value*> seen;
    if (!is_fixed(word_->stripPointerCasts(), loop_, seen)) return false;
    return expects_what_it_found() || compares_what_it_found();
  }

 private:
  bool is_own(const llvm::BasicBlock* block) const { return loops_.getLoopFor(block) == &loop_; }

  bool find_steps() {
    for (const llvm::BasicBlock* block : loop_.blocks())
      for (const llvm::Instruction& each : *block) {
        const std::optional<Step> step = step_of(each);
        if (!step || !same_address(step->address, word_)) continue;
        if (!is_own(block) || !add(*step)) return false;
      }
    return true;
  }

  // False: it does not go with the others.
  bool add(const Step& step) {
    if (!steps_.empty() && size_of(step) != size_of(steps_.begin()->second)) return false;
    steps_[step.at] = step;
    if (!step.compared_at) return true;
    const Value* variable = step.compared_at->stripPointerCasts();
    if ((expected_ && expected_ != variable) || !llvm::isa<llvm::AllocaInst>(variable)) return false;
    expected_ = variable;
    return is_private_and_seen(variable);
  }

  uint64_t size_of(const Step& step) const {
    return step.type->isSized() ? layout_.getTypeStoreSize(const_cast<llvm::Type*>(step.type)).getFixedValue() : 0;
  }

  bool sets_expected(const llvm::Instruction& instruction) const {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    return store && expected_ && store->getPointerOperand()->stripPointerCasts() == expected_;
  }

  // Nothing else in the loop writes to it, and the variable that it is compared with is set where we see it.
  bool others_leave_it_alone() const {
    const unsigned space = word_->stripPointerCasts()->getType()->getPointerAddressSpace();
    if (space == kGeneric) return false;
    for (const llvm::BasicBlock* block : loop_.blocks())
      for (const llvm::Instruction& each : *block) {
        if (steps_.contains(&each)) continue;
        if (sets_expected(each) && !is_own(block)) return false;
        const MemoryEffect effect = effect_of(each);
        if (!effect.not_understood.empty()) return false;
        for (const MemoryAccess& access : effect.accesses) {
          const Value* pointer = access.pointer->stripPointerCasts();
          const unsigned other = pointer->getType()->getPointerAddressSpace();
          const bool changes_expected = pointer == expected_ && !sets_expected(each);
          if (access.writes && (other == space || other == kGeneric || changes_expected)) return false;
        }
      }
    return true;
  }

  const Step* last_step(const Path& way) const {
    const Step* last = nullptr;
    for (const llvm::BasicBlock* block : way)
      for (const llvm::Instruction& each : *block)
        if (const auto step = steps_.find(&each); step != steps_.end()) last = &step->second;
    return last;
  }

  // From the second round on the word holds what the round before has found last: it read it, or found there
  // something else than it compared with, as else it would have left.
  bool compares_what_it_found() {
    const auto is_told = [&](const llvm::PHINode& phi) {
      return std::ranges::all_of(ways_, [&](const Path* way) {
        const Step* last = last_step(*way);
        if (!last || bits(phi.getIncomingValueForBlock(way->back())) != last->at) return false;
        return last->loads || (last->compared && !can_go_if_exchanged(*way, *last));
      });
    };
    return std::ranges::any_of(loop_.getHeader()->phis(), [&](const llvm::PHINode& phi) {
      return is_told(phi) && std::ranges::none_of(ways_, [&](const Path* way) { return can_go(*way, &phi, false); });
    });
  }

  // Likewise where the variable has got it, and nothing sets that.
  bool expects_what_it_found() {
    for (const llvm::BasicBlock* block : loop_.blocks())
      if (std::ranges::any_of(*block, [&](const llvm::Instruction& each) { return sets_expected(each); })) return false;
    return std::ranges::all_of(ways_, [&](const Path* way) {
      const Step* last = last_step(*way);
      return last && last->compared_at && !can_go_if_exchanged(*way, *last) && !can_go(*way, nullptr, true);
    });
  }

  bool can_go_if_exchanged(const Path& way, const Step& step) {
    known_.clear();
    known_[step.at] = step.compared ? step.compared : llvm::ConstantInt::getTrue(step.at->getType());
    return can_go(way, [](const llvm::Instruction&) {});
  }

  // The round begins with `word` in memory (nullptr: anything), and the variable holds the same or anything.
  bool can_go(const Path& way, const Value* word, bool is_expected) {
    known_.clear();
    return can_go(way, [&](const llvm::Instruction& each) {
      if (const auto step = steps_.find(&each); step != steps_.end())
        take(step->second, word, is_expected);
      else if (sets_expected(each))
        is_expected = same_bits(value_of(each.getOperand(0)), word);
    });
  }

  // False: a condition on the way is surely decided otherwise, or after it on all ways. `take`: what an instruction
  // does to memory.
  template <class Take>
  bool can_go(const Path& way, const Take& take) {
    return walk(way, take) && can_go_after(*way.back());
  }

  bool can_go_after(const llvm::BasicBlock& last) {
    std::map<const Value*, const Value*> begin;
    for (const llvm::PHINode& phi : loop_.getHeader()->phis())
      if (const Value* value = value_of(phi.getIncomingValueForBlock(&last)); llvm::isa<llvm::Constant>(value))
        begin[&phi] = value;
    return begin.empty() || std::ranges::any_of(all_ways_, [&](const Path& way) {
             known_ = begin;
             return walk(way, [](const llvm::Instruction&) {});
           });
  }

  template <class Take>
  bool walk(const Path& way, const Take& take) {
    for (size_t i = 0; i < way.size(); ++i) {
      const llvm::BasicBlock* block = way[i];
      if (!is_own(block)) continue;
      if (i > 0 && is_own(way[i - 1]))
        for (const llvm::PHINode& phi : block->phis())
          known_[&phi] = value_of(phi.getIncomingValueForBlock(way[i - 1]));
      for (const llvm::Instruction& each : *block) take(each);
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (!branch || !branch->isConditional()) continue;
      const llvm::BasicBlock* next = i + 1 < way.size() ? way[i + 1] : loop_.getHeader();
      const auto* decision = llvm::dyn_cast<llvm::ConstantInt>(value_of(branch->getCondition()));
      if (decision && branch->getSuccessor(decision->isZero() ? 1 : 0) != next) return false;
    }
    return true;
  }

  void take(const Step& step, const Value*& word, bool& is_expected) {
    const Value* found = word;
    if (step.loads) {
      if (!word) word = step.at;
    } else if (step.compared_at) {
      if (is_expected) known_[step.at] = llvm::ConstantInt::getTrue(step.at->getType());
      word = is_expected ? step.stored : nullptr;
      found = nullptr;
    } else if (step.compared) {
      const bool exchanged = same_bits(value_of(step.compared), word);
      if (exchanged) found = step.compared;
      word = exchanged ? step.stored : nullptr;
    } else {
      word = step.stored;
    }
    if (!step.loads) is_expected = false;
    if (found && found->getType() == step.at->getType()) known_[step.at] = value_of(found);
    if (word) word = value_of(word);
  }

  // By what is known: a simpler value that is the same, or itself.
  const Value* value_of(const Value* value) {
    if (const auto found = known_.find(value); found != known_.end()) return found->second;
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || !is_own(instruction->getParent()) || !only_computes(*instruction)) return value;
    llvm::SmallVector<Value*, 4> operands;
    for (const Value* operand : instruction->operand_values())
      operands.push_back(const_cast<Value*>(value_of(operand)));
    const Value* simpler =
        llvm::simplifyInstructionWithOperands(const_cast<llvm::Instruction*>(instruction), operands, {layout_});
    return known_[value] = simpler ? simpler : value;
  }

  const llvm::Loop& loop_;
  const llvm::LoopInfo& loops_;
  const llvm::DataLayout& layout_;
  const Value* const word_;  // its address
  const std::vector<Path>& all_ways_;
  std::vector<const Path*> ways_;  // that may be gone
  std::map<const llvm::Instruction*, Step> steps_;
  const Value* expected_ = nullptr;  // the variable that holds what it is compared with
  std::map<const Value*, const Value*> known_;
};

}  // namespace

bool only_tries_again(const llvm::Loop& loop, const llvm::LoopInfo& loops) {
  constexpr size_t kMostWords = 16;
  std::vector<const Value*> words;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& each : *block)
      if (const auto step = step_of(each);
          step && !step->loads && !each.getType()->isVoidTy() && std::ranges::find(words, step->address) == words.end())
        words.push_back(step->address);
  if (words.empty() || words.size() > kMostWords) return false;
  const std::vector<Path> ways = WaysRound(loop).take();
  return !ways.empty() &&
         std::ranges::any_of(words, [&](const Value* word) { return Rounds(loop, loops, ways, word).end(); });
}

}  // namespace samcl::translator
