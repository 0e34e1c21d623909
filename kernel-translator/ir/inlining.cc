#include "kernel-translator/ir/inlining.h"

#include <map>

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

namespace samcl::translator {
namespace {

// Callees first, each simplified before it is copied into its callers.
class Inliner {
 public:
  explicit Inliner(size_t most) : most_(most) {
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(module_analyses_);
    builder.registerCGSCCAnalyses(components_);
    builder.registerFunctionAnalyses(functions_);
    builder.registerLoopAnalyses(loops_);
    builder.crossRegisterProxies(loops_, functions_, components_, module_analyses_);
    passes_.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  }

  void process(llvm::Function& function) {
    if (state_[&function] != State::untouched) return;
    state_[&function] = State::open;
    std::vector<llvm::CallBase*> calls;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || callee->isDeclaration()) continue;
      calls.push_back(call);
    }
    size_t size = function.getInstructionCount();
    for (llvm::CallBase* call : calls) {
      llvm::Function& callee = *call->getCalledFunction();
      process(callee);
      size += callee.getInstructionCount();
      if (state_[&callee] != State::done || size > most_) {
        state_[&function] = State::given_up;
        return;
      }
    }
    for (llvm::CallBase* call : calls) {
      llvm::Function& callee = *call->getCalledFunction();
      // A call whose convention differs from its callee's is not inlined: kernels called by kernels.
      call->setCallingConv(callee.getCallingConv());
      llvm::InlineFunctionInfo facts;
      llvm::InlineFunction(*call, facts, false, nullptr, false);
    }
    llvm::removeUnreachableBlocks(function);
    passes_.run(function, functions_);
    functions_.clear(function, function.getName());
    state_[&function] = State::done;
  }

 private:
  enum class State { untouched, open, done, given_up };

  const size_t most_;
  std::map<const llvm::Function*, State> state_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager module_analyses_;
  llvm::FunctionPassManager passes_;
};

}  // namespace

void inline_all_calls(const std::vector<llvm::Function*>& kernels, size_t most) {
  Inliner inliner(most);
  for (llvm::Function* kernel : kernels) inliner.process(*kernel);
}

}  // namespace samcl::translator
