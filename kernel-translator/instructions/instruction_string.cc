#include "kernel-translator/instructions/instruction_string.h"

#include <algorithm>

#include "kernel-translator/instructions/region_string.h"
#include "kernel-translator/instructions/uniformity.h"
#include "kernel-translator/ir/builtins.h"
#include "kernel-translator/ir/control_flow.h"
#include "kernel-translator/ir/inlining.h"
#include "kernel-translator/ir/mangled_name.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Passes/PassBuilder.h"

namespace samcl::translator {
namespace {

uint64_t lanes(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

Piece letters(char unit, uint64_t count) {
  if (count == 0) return {};
  return {std::string(1, unit) + (count == 1 ? "" : std::to_string(count)), count};
}

class Reader {
 public:
  Reader(llvm::Function& kernel, const std::map<unsigned, uint64_t>& rounds) : kernel_(kernel), given_(rounds) {
    builder_options_.LoopUnrolling = false;  // a loop stays one, to be told with its rounds
    builder_options_.LoopVectorization = false;
    builder_options_.SLPVectorization = false;
    llvm::PassBuilder builder(nullptr, builder_options_);
    builder.registerModuleAnalyses(module_analyses_);
    builder.registerCGSCCAnalyses(components_);
    builder.registerFunctionAnalyses(functions_);
    builder.registerLoopAnalyses(loop_analyses_);
    builder.crossRegisterProxies(loop_analyses_, functions_, components_, module_analyses_);
    builder.buildFunctionSimplificationPipeline(llvm::OptimizationLevel::O2, llvm::ThinOrFullLTOPhase::None)
        .run(kernel, functions_);
  }

  InstructionString run() {
    if (!is_nest_of_loops(kernel_, functions_.getResult<llvm::LoopAnalysis>(kernel_))) {
      result_.error = "it has a cycle that is no loop";
      return std::move(result_);
    }
    for (const llvm::BasicBlock& block : kernel_) judge_branch(block);
    const Piece all = region(nullptr);
    if (all.weight == 0 && result_.error.empty()) result_.error = "it executes nothing";
    result_.string = all.string;
    const auto branches = [](size_t count) { return std::to_string(count) + (count == 1 ? " branch" : " branches"); };
    if (divergent_ > 0) note(branches(divergent_) + " by which work-items of a warp may part: both sides are counted");
    if (uniform_ > 0)
      note(branches(uniform_) +
           " that all work-items take alike: the side with more instructions is counted, another "
           "may need one of the units more");
    return std::move(result_);
  }

 private:
  void note(const std::string& what) {
    if (std::find(result_.unseen.begin(), result_.unseen.end(), what) == result_.unseen.end())
      result_.unseen.push_back(what);
  }

  // Loops' own branches back are no choice.
  void judge_branch(const llvm::BasicBlock& block) {
    const llvm::Instruction* end = block.getTerminator();
    if (end->getNumSuccessors() < 2) return;
    const auto& loops = functions_.getResult<llvm::LoopAnalysis>(kernel_);
    const llvm::Loop* loop = loops.getLoopFor(&block);
    const bool closes_loop = loop && loop->getExitingBlock() == &block;
    const bool uniform = uniformity_.is_uniform(end->getOperand(0));
    branches_[&block] = uniform;
    if (closes_loop) return;
    ++(uniform ? uniform_ : divergent_);
    result_.is_static = false;
  }

  Piece region(const llvm::Loop* loop) {
    const auto& loops = functions_.getResult<llvm::LoopAnalysis>(kernel_);
    const RegionGraph graph = region_graph(kernel_, loops, loop, branches_);
    std::vector<Piece> pieces;
    for (const RegionGraph::Node& node : graph.nodes)
      pieces.push_back(node.loop ? repeated(*node.loop) : of_block(*node.block));
    return along(graph, pieces);
  }

  Piece repeated(const llvm::Loop& loop) {
    LoopRounds rounds;
    if (const llvm::DebugLoc start = loop.getStartLoc()) rounds.line = start.getLine();
    const size_t place = result_.loops.size();
    result_.loops.push_back(rounds);
    Piece body = region(&loop);
    auto& evolution = functions_.getResult<llvm::ScalarEvolutionAnalysis>(kernel_);
    rounds.rounds = evolution.getSmallConstantMaxTripCount(&loop);
    if (rounds.rounds == 0 || evolution.getSmallConstantTripCount(&loop) != rounds.rounds) {
      result_.is_static = false;
      // What is larger follows from the type of a counter alone.
      constexpr uint64_t kLargestBound = 100'000;
      if (rounds.rounds > kLargestBound) rounds.rounds = 0;
    }
    const auto given = given_.find(rounds.line);
    if (given != given_.end() && (rounds.rounds == 0 || given->second < rounds.rounds)) {
      rounds.rounds = given->second;
      rounds.given = true;
    }
    if (rounds.rounds == 0 && result_.error.empty())
      result_.error = "the loop in line " + std::to_string(rounds.line) +
                      " has unknown rounds; give a bound, such as --loop-bounds " + std::to_string(rounds.line) + "=64";
    result_.loops[place] = rounds;
    if (body.weight == 0) return {};
    body.string = "(" + body.string + ")" + std::to_string(rounds.rounds);
    body.weight =
        rounds.rounds > 0 && body.weight > UINT64_MAX / rounds.rounds ? UINT64_MAX : body.weight * rounds.rounds;
    return body;
  }

  Piece of_block(const llvm::BasicBlock& block) {
    Piece all;
    char unit = 0;
    uint64_t count = 0;
    for (const llvm::Instruction& instruction : block) {
      const Piece one = of_instruction(instruction);
      if (one.weight == 0) continue;
      if (one.string[0] != unit) {
        all.append(letters(unit, count));
        unit = one.string[0];
        count = 0;
      }
      count += one.weight;
    }
    all.append(letters(unit, count));
    return all;
  }

  Piece of_instruction(const llvm::Instruction& instruction) {
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return of_call(*call);
    if (llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction))
      return letters(kMemoryUnit, 1);
    if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
      return letters(kCoreUnit, address->hasAllConstantIndices() ? 0 : 1);
    if (llvm::isa<llvm::BranchInst, llvm::SwitchInst>(instruction))
      return letters(kCoreUnit, instruction.getNumSuccessors() > 1 ? 1 : 0);
    if (llvm::isa<llvm::PHINode, llvm::AllocaInst, llvm::BitCastInst, llvm::AddrSpaceCastInst, llvm::PtrToIntInst,
                  llvm::IntToPtrInst, llvm::FreezeInst, llvm::ReturnInst, llvm::UnreachableInst,
                  llvm::InsertElementInst, llvm::ExtractElementInst, llvm::ShuffleVectorInst, llvm::ExtractValueInst,
                  llvm::InsertValueInst>(instruction))
      return {};
    const uint64_t wide = lanes(instruction.getType());
    switch (instruction.getOpcode()) {
      case llvm::Instruction::FDiv:
      case llvm::Instruction::FRem:
      case llvm::Instruction::UDiv:
      case llvm::Instruction::SDiv:
      case llvm::Instruction::URem:
      case llvm::Instruction::SRem: return letters(kFunctionUnit, wide);
      default: return letters(kCoreUnit, wide);
    }
  }

  Piece of_call(const llvm::CallBase& call) {
    if (llvm::isa<llvm::DbgInfoIntrinsic, llvm::AssumeInst, llvm::LifetimeIntrinsic>(call)) return {};
    const llvm::Function* callee = call.getCalledFunction();
    const uint64_t wide = lanes(call.getType());
    if (!callee) {
      note("a call through a pointer, counted as one instruction");
      return letters(kCoreUnit, 1);
    }
    if (llvm::isa<llvm::MemIntrinsic>(call)) return copy_of_memory();
    if (callee->isIntrinsic()) {
      const Builtin* same = find_builtin(callee->getName().substr(5).split('.').first);  // "sqrt" of "llvm.sqrt.f32"
      return letters(same && same->elementary ? kFunctionUnit : kCoreUnit, wide);
    }
    using Kind = Builtin::Kind;
    const Builtin* builtin = builtin_of(call);
    if (!builtin || builtin->kind == Kind::group) {
      if (!callee->isDeclaration() || !callee->getName().starts_with("_Z"))
        note("the function " + plain_name(callee->getName()) + ", counted as one instruction");
      return letters(kCoreUnit, wide);
    }
    switch (builtin->kind) {
      case Kind::work_item:
      case Kind::image_query: return letters(kCoreUnit, 1);
      case Kind::atomic:
      case Kind::vector_load:
      case Kind::vector_store:
      case Kind::image_read:
      case Kind::image_write: return letters(kMemoryUnit, 1);
      case Kind::group_copy: return copy_of_memory();
      case Kind::barrier:
        note("barriers: warps of a work-group wait there for each other, the model lets them go on");
        return letters(kCoreUnit, 1);
      default: return letters(builtin->elementary ? kFunctionUnit : kCoreUnit, wide);
    }
  }

  Piece copy_of_memory() {
    note("a copy or fill of memory, counted as one memory instruction");
    return letters(kMemoryUnit, 1);
  }

  llvm::Function& kernel_;
  const std::map<unsigned, uint64_t>& given_;
  llvm::PipelineTuningOptions builder_options_;
  llvm::LoopAnalysisManager loop_analyses_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager module_analyses_;
  Uniformity uniformity_;
  std::map<const llvm::BasicBlock*, bool> branches_;  // whether uniform
  size_t divergent_ = 0, uniform_ = 0;
  InstructionString result_;
};

}  // namespace

InstructionString instruction_string(llvm::Function& kernel, const std::map<unsigned, uint64_t>& rounds) {
  inline_all_calls({&kernel});
  return Reader(kernel, rounds).run();
}

}  // namespace samcl::translator
