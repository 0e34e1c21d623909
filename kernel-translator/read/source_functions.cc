#include "kernel-translator/read/source_functions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include "clang/Basic/SourceManager.h"
#include "kernel-translator/ir/builtins.h"

namespace samcl::translator {
namespace {

using clang::FunctionDecl;

bool is_kernel(const FunctionDecl* function) {
  for (const FunctionDecl* declaration : function->redecls())
    if (declaration->hasAttr<clang::OpenCLKernelAttr>()) return true;
  return false;
}

std::string name_of(const FunctionDecl* function) {
  return function->getIdentifier() ? function->getNameAsString() : std::string();
}

std::string type_of(const FunctionDecl* function) { return function->getType().getCanonicalType().getAsString(); }

std::string key_of(const FunctionDecl* function) {
  const std::string name = name_of(function);
  const bool by_name = !name.empty() && !function->hasAttr<clang::OverloadableAttr>() &&
                       (is_kernel(function) || !function->getASTContext().getLangOpts().CPlusPlus);
  return by_name ? name : function->getQualifiedNameAsString() + ": " + type_of(function);
}

bool is_affected_builtin(const FunctionDecl* function) {
  const Builtin* builtin = function->getDefinition() ? nullptr : find_builtin(name_of(function));
  return builtin && builtin->by_offset;
}

Function::Linkage linkage_of(const FunctionDecl* function) {
  const FunctionDecl* definition = function->getDefinition();
  if (!definition) return function->isExternallyVisible() ? Function::Linkage::external : Function::Linkage::internal;
  switch (function->getASTContext().GetGVALinkageForFunction(definition)) {
    case clang::GVA_Internal: return Function::Linkage::internal;
    case clang::GVA_AvailableExternally: return Function::Linkage::inlined;
    default: return Function::Linkage::external;
  }
}

bool is_integer_of_the_language(clang::BuiltinType::Kind kind) {
  using clang::BuiltinType;
  switch (kind) {
    case BuiltinType::Char_S:
    case BuiltinType::Char_U:
    case BuiltinType::SChar:
    case BuiltinType::UChar:
    case BuiltinType::Short:
    case BuiltinType::UShort:
    case BuiltinType::Int:
    case BuiltinType::UInt:
    case BuiltinType::Long:
    case BuiltinType::ULong: return true;
    default: return false;
  }
}

// A program may say once more what the language says.
bool is_ulong_itself(const clang::NamedDecl* named) {
  const auto* type = llvm::dyn_cast<clang::TypedefNameDecl>(named);
  return type && named->getName() == "ulong" &&
         type->getUnderlyingType().getCanonicalType() == type->getASTContext().UnsignedLongTy;
}

// Where a token stands in the text.
class TextPlaces {
 public:
  TextPlaces(const std::string& text, const clang::SourceManager& files) : text_(text), files_(files) {}

  Offset of(clang::SourceLocation location, const std::string& token) const {
    if (location.isInvalid()) return std::nullopt;
    const auto [file, offset] = files_.getDecomposedLoc(files_.getSpellingLoc(location));
    if (file != files_.getMainFileID() || text_.compare(offset, token.size(), token) != 0) return std::nullopt;
    return offset;
  }
  bool holds(clang::SourceLocation location) const { return files_.isInMainFile(files_.getSpellingLoc(location)); }

 private:
  const std::string& text_;
  const clang::SourceManager& files_;
};

using namespace clang::ast_matchers;

// Takes the matches of a tree from top to bottom, so that a call comes before the name of what it calls.
class FunctionCollector : public MatchFinder::MatchCallback {
 public:
  FunctionCollector(SourceFunctions& result, TextPlaces places) : result_(result), places_(places) {}

  void collect(clang::ASTContext& tree) {
    const auto in_function = optionally(hasAncestor(functionDecl(isDefinition()).bind("function")));
    const auto name = declRefExpr(to(functionDecl().bind("named"))).bind("name");
    MatchFinder finder;
    finder.addMatcher(functionDecl().bind("declared"), this);
    finder.addMatcher(callExpr(callee(expr(ignoringParenImpCasts(name))), in_function).bind("call"), this);
    finder.addMatcher(declRefExpr(name, in_function), this);
    finder.addMatcher(blockExpr(in_function).bind("block"), this);
    finder.addMatcher(namedDecl(hasAnyName("get_global_id", "ulong")).bind("hiding"), this);
    finder.matchAST(tree);
  }

  void run(const MatchFinder::MatchResult& found) override {
    if (const auto* declared = found.Nodes.getNodeAs<FunctionDecl>("declared")) {
      if (is_programs_own(declared)) add_declaration(declared);
      return;
    }
    if (const auto* hiding = found.Nodes.getNodeAs<clang::NamedDecl>("hiding")) {
      const bool hides = !hiding->isImplicit() && places_.holds(hiding->getLocation()) && !is_ulong_itself(hiding);
      result_.hides_words_of_variants = result_.hides_words_of_variants || hides;
      return;
    }
    const auto* within = found.Nodes.getNodeAs<FunctionDecl>("function");
    Function* function = within && is_programs_own(within) ? &entry_of(within) : nullptr;
    if (found.Nodes.getNodeAs<clang::BlockExpr>("block")) {
      if (function) function->has_block = true;
      return;
    }
    const auto* name = found.Nodes.getNodeAs<clang::DeclRefExpr>("name");
    const auto* named = found.Nodes.getNodeAs<FunctionDecl>("named");
    if (const auto* call = found.Nodes.getNodeAs<clang::CallExpr>("call")) {
      if (function) add_call(*function, call, name, named);
    } else {
      add_name(function, name, named);
    }
  }

 private:
  // Declared by the program, not by the language.
  bool is_programs_own(const FunctionDecl* function) const {
    if (is_affected_builtin(function)) return false;
    return function->getDefinition() ||
           (!function->isImplicit() && !function->getBuiltinID() && places_.holds(function->getLocation()));
  }

  Function& entry_of(const FunctionDecl* function) {
    Function& entry = result_.functions[key_of(function)];
    if (!entry.name.empty()) return entry;
    entry.name = name_of(function);
    entry.type = type_of(function);
    entry.kernel = is_kernel(function);
    entry.linkage = linkage_of(function);
    return entry;
  }

  void add_declaration(const FunctionDecl* function) {
    Function& entry = entry_of(function);
    entry.defined = entry.defined || function->isThisDeclarationADefinition();
    Declaration& declaration = entry.declarations.emplace_back();
    declaration.has_parameters = function->getNumParams() > 0;
    if (function->isThisDeclarationADefinition()) {
      if (const clang::Stmt* body = function->getBody()) declaration.body = places_.of(body->getBeginLoc(), "{");
      if (entry.kernel) add_integers(entry, function);
    }
    const clang::FunctionTypeLoc type = function->getFunctionTypeLoc();
    if (!type || function->isVariadic()) return;
    declaration.left = places_.of(type.getLParenLoc(), "(");
    declaration.right = places_.of(type.getRParenLoc(), ")");
  }

  void add_integers(Function& kernel, const FunctionDecl* definition) {
    const clang::PrintingPolicy& policy = definition->getASTContext().getPrintingPolicy();
    for (uint32_t number = 0; number < definition->getNumParams(); ++number) {
      const clang::ParmVarDecl* parameter = definition->getParamDecl(number);
      const clang::QualType type = parameter->getType().getCanonicalType();
      const auto* integer = llvm::dyn_cast<clang::BuiltinType>(type.getTypePtr());
      if (!integer || !is_integer_of_the_language(integer->getKind())) continue;
      IntegerParameter& found = kernel.integers.emplace_back();
      found.number = number;
      found.name = parameter->getNameAsString();
      found.type = (type.isConstQualified() ? "const " : "") + integer->getName(policy).str();
      if (!found.name.empty()) found.place = places_.of(parameter->getLocation(), found.name);
      found.is_plain = !type.isVolatileQualified() && parameter->getStorageClass() == clang::SC_None;
    }
  }

  void add_call(Function& function, const clang::CallExpr* call, const clang::DeclRefExpr* name,
                const FunctionDecl* callee) {
    // What stands between the braces of a vector is in the tree twice.
    if (!called_.insert(name).second) return;
    const bool affected = is_affected_builtin(callee);
    if (!affected && !is_programs_own(callee)) return;
    function.calls.push_back({affected ? name_of(callee) : key_of(callee), affected,
                              places_.of(name->getLocation(), name_of(callee)), places_.of(call->getRParenLoc(), ")"),
                              call->getNumArgs() > 0});
  }

  void add_name(Function* function, const clang::DeclRefExpr* name, const FunctionDecl* named) {
    const bool affected = is_affected_builtin(named), own = is_programs_own(named);
    if (!own) result_.builtins_named.insert(name_of(named));
    if (!function) {
      result_.names_outside = result_.names_outside || affected;
      if (own) result_.functions_named_outside.insert(key_of(named));
      return;
    }
    const std::string key = affected ? name_of(named) : key_of(named);
    if (affected) function->builtins.insert(key);
    if (own) function->functions.insert(key);
    if (!called_.count(name)) function->addressed.insert(key);
  }

  SourceFunctions& result_;
  const TextPlaces places_;
  std::set<const clang::DeclRefExpr*> called_;
};

bool holds_pointer(clang::QualType type, int depth = 0) {
  if (depth > 16) return true;
  type = type.getCanonicalType();
  if (type->isAnyPointerType()) return true;
  if (const auto* array = type->getAsArrayTypeUnsafe()) return holds_pointer(array->getElementType(), depth + 1);
  if (const auto* record = type->getAs<clang::RecordType>())
    for (const clang::FieldDecl* field : record->getDecl()->fields())
      if (holds_pointer(field->getType(), depth + 1)) return true;
  return false;
}

KernelArgument describe(const clang::ParmVarDecl* parameter, clang::ASTContext& tree, KernelFacts& kernel) {
  KernelArgument argument;
  argument.name = parameter->getNameAsString();
  const clang::QualType type = parameter->getType();
  const clang::PrintingPolicy& policy = tree.getPrintingPolicy();
  argument.type_name = type.getUnqualifiedType().getAsString(policy);
  if (type->isAnyPointerType()) {
    const clang::QualType target = type->getPointeeType();
    argument.type_name = target.getUnqualifiedType().getAsString(policy) + "*";
    switch (target.getAddressSpace()) {
      case clang::LangAS::opencl_global:
      case clang::LangAS::opencl_global_device:
      case clang::LangAS::opencl_global_host: argument.kind = ArgumentKind::global_buffer; break;
      case clang::LangAS::opencl_constant: argument.kind = ArgumentKind::constant_buffer; break;
      case clang::LangAS::opencl_local:
        argument.kind = ArgumentKind::local_memory;
        kernel.depends_on_local_size = true;
        break;
      default: kernel.no_slice("argument " + argument.name + " points to an address space of another kind");
    }
  } else if (type->isImageType()) {
    argument.kind = ArgumentKind::image;
    argument.type_name = argument.type_name.substr(argument.type_name.find(' ') + 1);
    const auto* access = parameter->getAttr<clang::OpenCLAccessAttr>();
    argument.may_read = argument.loads = !access || !access->isWriteOnly();
    argument.may_write = argument.stores = access && !access->isReadOnly();
    // Loops may wait for pixels that others write.
    if (argument.may_read && argument.may_write) kernel.no_slice("reads and writes the image " + argument.name);
  } else if (type->isSamplerT()) {
    argument.kind = ArgumentKind::sampler;
  } else if (type->isPipeType()) {
    argument.kind = ArgumentKind::pipe;
    kernel.no_slice("uses a pipe");
  } else if (type->isOpenCLSpecificType()) {
    kernel.no_slice("argument " + argument.name + " is of an unknown kind");
  } else {
    argument.kind = ArgumentKind::value;
    argument.size = static_cast<uint64_t>(tree.getTypeSizeInChars(type).getQuantity());
    if (holds_pointer(type)) kernel.no_slice("argument " + argument.name + " holds a pointer");
  }
  return argument;
}

// A kernel's facts but for what it reaches by calls.
KernelFacts kernel_of(const FunctionDecl* function, clang::ASTContext& tree) {
  KernelFacts kernel;
  kernel.name = name_of(function);
  for (const clang::ParmVarDecl* parameter : function->parameters())
    kernel.arguments.push_back(describe(parameter, tree, kernel));
  for (const FunctionDecl* each : function->redecls())
    if (const auto* size = each->getAttr<clang::ReqdWorkGroupSizeAttr>())
      kernel.required_work_group_size = {size->getXDim(), size->getYDim(), size->getZDim()};
  return kernel;
}

}  // namespace

void FunctionReader::read(clang::ASTContext& tree) {
  result.is_cpp = tree.getLangOpts().OpenCLCPlusPlus;
  FunctionCollector(result, TextPlaces(text_, tree.getSourceManager())).collect(tree);
  for (const clang::Decl* declaration : tree.getTranslationUnitDecl()->decls()) {
    const auto* function = llvm::dyn_cast<FunctionDecl>(declaration);
    if (function && function->isThisDeclarationADefinition() && is_kernel(function))
      result.kernels.push_back(kernel_of(function, tree));
  }
}

}  // namespace samcl::translator
