#include "kernel-translator/read/literal_precision.h"

#include <cmath>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace samcl::translator {
namespace {

using namespace clang::ast_matchers;

class FoldedNumbers : public MatchFinder::MatchCallback {
 public:
  explicit FoldedNumbers(clang::ASTContext& tree) : tree_(tree) {}

  bool are_there() {
    MatchFinder finder;
    finder.addMatcher(expr().bind("expression"), this);
    finder.matchAST(tree_);
    return found_;
  }

  void run(const MatchFinder::MatchResult& match) override {
    const auto* expression = match.Nodes.getNodeAs<clang::Expr>("expression");
    found_ = found_ || is_folded_number(expression);
  }

 private:
  bool is_folded_number(const clang::Expr* expression) const {
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression)) {
      const auto kind = cast->getCastKind();
      return (kind == clang::CK_FloatingToIntegral || kind == clang::CK_FloatingToBoolean) &&
             depends(cast->getSubExpr());
    }
    if (const auto* same_bits = llvm::dyn_cast<clang::AsTypeExpr>(expression))
      return same_bits->getSrcExpr()->getType()->hasFloatingRepresentation() && depends(same_bits->getSrcExpr());
    if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
      const clang::Expr *left = operation->getLHS(), *right = operation->getRHS();
      return operation->isComparisonOp() && left->getType()->hasFloatingRepresentation() && is_constant(left) &&
             is_constant(right) && (depends(left) || depends(right));
    }
    return false;
  }
  bool is_constant(const clang::Expr* expression) const {
    clang::Expr::EvalResult result;
    return !expression->isValueDependent() && expression->EvaluateAsRValue(result, tree_);
  }
  // A constant, and none of the small whole numbers that are the same in either precision.
  bool depends(const clang::Expr* expression) const {
    const auto* literal = llvm::dyn_cast<clang::FloatingLiteral>(expression->IgnoreParenImpCasts());
    if (literal && literal->getValue().isInteger() && std::abs(literal->getValueAsApproximateDouble()) < 1e6)
      return false;
    return is_constant(expression);
  }

  clang::ASTContext& tree_;
  bool found_ = false;
};

}  // namespace

bool depends_on_literal_precision(clang::ASTContext& tree) { return FoldedNumbers(tree).are_there(); }

void hide_conversions_of_floats(llvm::Module& module) {
  std::vector<llvm::Instruction*> conversions;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      const bool to_other = llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst, llvm::BitCastInst>(instruction) &&
                            instruction.getOperand(0)->getType()->isFPOrFPVectorTy() &&
                            !instruction.getType()->isFPOrFPVectorTy();
      if (to_other || llvm::isa<llvm::FCmpInst>(instruction)) conversions.push_back(&instruction);
    }
  for (llvm::Instruction* conversion : conversions) {
    const std::vector<llvm::Value*> operands(conversion->operand_values().begin(), conversion->operand_values().end());
    std::vector<llvm::Type*> types;
    for (const llvm::Value* operand : operands) types.push_back(operand->getType());
    auto* type = llvm::FunctionType::get(conversion->getType(), types, false);
    auto* hidden = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "samcl_of_floats", module);
    hidden->setDoesNotAccessMemory();
    hidden->setDoesNotThrow();
    auto* call = llvm::CallInst::Create(type, hidden, operands, "", conversion->getIterator());
    conversion->replaceAllUsesWith(call);
    conversion->eraseFromParent();
  }
}

}  // namespace samcl::translator
