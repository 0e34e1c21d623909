#include "kernel-translator/read/literal_precision.h"

#include <cmath>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace samcl::translator {
namespace {

class FoldedNumbers : public clang::RecursiveASTVisitor<FoldedNumbers> {
 public:
  explicit FoldedNumbers(clang::ASTContext& tree) : tree_(tree) {}
  bool found() const { return found_; }

  bool VisitCastExpr(clang::CastExpr* cast) {
    const auto kind = cast->getCastKind();
    if (kind == clang::CK_FloatingToIntegral || kind == clang::CK_FloatingToBoolean)
      found_ = found_ || depends(cast->getSubExpr());
    return !found_;
  }
  bool VisitAsTypeExpr(clang::AsTypeExpr* same_bits) {
    const clang::Expr* value = same_bits->getSrcExpr();
    found_ = found_ || (value->getType()->hasFloatingRepresentation() && depends(value));
    return !found_;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* operation) {
    const clang::Expr *left = operation->getLHS(), *right = operation->getRHS();
    if (operation->isComparisonOp() && left->getType()->hasFloatingRepresentation())
      found_ = found_ || (is_constant(left) && is_constant(right) && (depends(left) || depends(right)));
    return !found_;
  }

 private:
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

bool depends_on_literal_precision(clang::ASTContext& tree) {
  FoldedNumbers numbers(tree);
  numbers.TraverseDecl(tree.getTranslationUnitDecl());
  return numbers.found();
}

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
