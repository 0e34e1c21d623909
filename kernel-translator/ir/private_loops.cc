#include "kernel-translator/ir/private_loops.h"

#include <algorithm>
#include <vector>

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

namespace samcl::translator {
namespace {

constexpr unsigned kMostRounds = 64;

bool holds_integers(const llvm::Type* type) {
  while (type->isArrayTy()) type = type->getArrayElementType();
  return type->isIntegerTy() || (type->isVectorTy() && type->getScalarType()->isIntegerTy());
}

// An array of the work-item's own that may hold indices, at a place that is no constant.
bool is_indexed_array(const llvm::Value* pointer) {
  const auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
  if (!element || element->hasAllConstantIndices()) return false;
  const auto* array = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
  return array && array->getAllocatedType()->isArrayTy() && holds_integers(array->getAllocatedType());
}

bool runs_through_array(const llvm::Loop& loop) {
  return std::ranges::any_of(loop.blocks(), [](const llvm::BasicBlock* block) {
    return std::ranges::any_of(*block, [](const llvm::Instruction& instruction) {
      const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      return pointer && is_indexed_array(pointer);
    });
  });
}

// What LLVM knows of a function, anew after each change.
struct Known {
  explicit Known(llvm::Function& function)
      : dominators(function),
        loops(dominators),
        library_info(llvm::Triple(function.getParent()->getTargetTriple())),
        library(library_info, &function),
        assumptions(function),
        evolution(function, library, assumptions, dominators, loops),
        target(function.getDataLayout()),
        remarks(&function) {}

  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::TargetLibraryInfoImpl library_info;
  llvm::TargetLibraryInfo library;
  llvm::AssumptionCache assumptions;
  llvm::ScalarEvolution evolution;
  llvm::TargetTransformInfo target;
  llvm::OptimizationRemarkEmitter remarks;
};

size_t instructions_in(const llvm::Loop& loop) {
  size_t count = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) count += block->size();
  return count;
}

// The first loop found, inner ones first, is written out; whether there was one.
bool unroll_one(llvm::Function& kernel, unsigned most) {
  Known known(kernel);
  std::vector<llvm::Loop*> inner_first;
  for (llvm::Loop* loop : known.loops.getLoopsInPreorder()) inner_first.insert(inner_first.begin(), loop);
  for (llvm::Loop* loop : inner_first) {
    if (!runs_through_array(*loop)) continue;
    llvm::simplifyLoop(loop, &known.dominators, &known.loops, &known.evolution, &known.assumptions, nullptr, false);
    if (!loop->isLoopSimplifyForm()) continue;
    llvm::BasicBlock* exiting = loop->getExitingBlock();
    const unsigned rounds = exiting ? known.evolution.getSmallConstantTripCount(loop, exiting) : 0;
    if (rounds < 2 || rounds > kMostRounds || rounds * instructions_in(*loop) > most) continue;
    llvm::formLCSSARecursively(*loop, known.dominators, &known.loops, &known.evolution);
    llvm::UnrollLoopOptions options{};
    options.Count = rounds;
    options.Force = true;
    options.AllowExpensiveTripCount = true;
    options.ForgetAllSCEV = true;
    if (llvm::UnrollLoop(loop, options, &known.loops, &known.evolution, &known.dominators, &known.assumptions,
                         &known.target, &known.remarks, true) == llvm::LoopUnrollResult::FullyUnrolled)
      return true;
  }
  return false;
}

// Elements become variables, and conditions that are now known disappear.
void simplify(llvm::Function& kernel) {
  for (llvm::BasicBlock& block : kernel) llvm::ConstantFoldTerminator(&block, true);
  llvm::removeUnreachableBlocks(kernel);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.run(kernel, functions);
}

}  // namespace

void unroll_loops_over_private_arrays(llvm::Function& kernel, unsigned most) {
  while (kernel.getInstructionCount() <= most && unroll_one(kernel, most)) simplify(kernel);
}

}  // namespace samcl::translator
