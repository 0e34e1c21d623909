#include "kernel-translator/ndrange_rewriter.h"

#include <array>
#include <functional>
#include <optional>
#include <set>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

namespace samcl::translator {
namespace {

using clang::FunctionDecl;

const std::set<std::string> kAffected = {"get_group_id", "get_num_groups", "get_global_size",
                                         "get_global_offset", "get_global_linear_id"};

const char kStructure[] =
    "struct samcl_ndrange { ulong group_offset[3], num_groups[3], global_size[3], global_offset[3]; };";
const char kHelperParameter[] = "__private const struct samcl_ndrange* samcl_nd";
const char kKernelParameter[] = "struct samcl_ndrange samcl_nd";

bool is_kernel(const FunctionDecl* function) {
  for (const FunctionDecl* declaration : function->redecls())
    if (declaration->hasAttr<clang::OpenCLKernelAttr>()) return true;
  return false;
}

struct Call {
  const clang::CallExpr* expression;
  const clang::DeclRefExpr* callee;
};

// What one function with a body does.
struct Body {
  std::set<std::string> builtins;  // the affected ones it names itself
  std::set<const FunctionDecl*> callees;
  std::vector<Call> calls;
  std::vector<const clang::DeclRefExpr*> names;  // every use of a function's name
  std::string undefined;                         // a function of the program without body here
  bool has_block = false;
};

std::string name_of(const FunctionDecl* function) {
  return function->getIdentifier() ? function->getNameAsString() : std::string();
}

bool is_affected_builtin(const FunctionDecl* function) {
  return !function->getDefinition() && kAffected.count(name_of(function));
}

class BodyReader : public clang::RecursiveASTVisitor<BodyReader> {
 public:
  std::map<const FunctionDecl*, Body> bodies;  // by canonical declaration
  bool names_outside = false;                  // an affected built-in is named outside every body

  bool TraverseFunctionDecl(FunctionDecl* function) {
    Body* outer = current_;
    if (function->isThisDeclarationADefinition()) current_ = &bodies[function->getCanonicalDecl()];
    const bool go_on = RecursiveASTVisitor::TraverseFunctionDecl(function);
    current_ = outer;
    return go_on;
  }
  bool VisitBlockExpr(clang::BlockExpr*) {
    if (current_) current_->has_block = true;
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    const auto* callee = llvm::dyn_cast<clang::DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts());
    if (current_ && callee) current_->calls.push_back({call, callee});
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    const auto* function = llvm::dyn_cast<FunctionDecl>(name->getDecl());
    if (!function) return true;
    if (!current_) {
      names_outside = names_outside || is_affected_builtin(function);
      return true;
    }
    current_->names.push_back(name);
    if (is_affected_builtin(function)) {
      current_->builtins.insert(name_of(function));
    } else if (function->getDefinition()) {
      current_->callees.insert(function->getCanonicalDecl());
    } else if (!function->isImplicit() && !function->getBuiltinID()) {
      const clang::SourceManager& files = function->getASTContext().getSourceManager();
      if (files.isInMainFile(files.getSpellingLoc(function->getLocation())))
        current_->undefined = name_of(function);
    }
    return true;
  }

 private:
  Body* current_ = nullptr;
};

// Everything that a function reaches, itself included.
std::set<const FunctionDecl*> reached_from(const FunctionDecl* start,
                                           const std::map<const FunctionDecl*, Body>& bodies) {
  std::set<const FunctionDecl*> reached;
  std::vector<const FunctionDecl*> open = {start->getCanonicalDecl()};
  while (!open.empty()) {
    const FunctionDecl* function = open.back();
    open.pop_back();
    if (!reached.insert(function).second) continue;
    const auto body = bodies.find(function);
    if (body != bodies.end())
      open.insert(open.end(), body->second.callees.begin(), body->second.callees.end());
  }
  return reached;
}

bool holds_pointer(clang::QualType type, int depth = 0) {
  if (depth > 16) return true;
  type = type.getCanonicalType();
  if (type->isAnyPointerType()) return true;
  if (const auto* array = type->getAsArrayTypeUnsafe())
    return holds_pointer(array->getElementType(), depth + 1);
  if (const auto* record = type->getAs<clang::RecordType>())
    for (const clang::FieldDecl* field : record->getDecl()->fields())
      if (holds_pointer(field->getType(), depth + 1)) return true;
  return false;
}

Argument describe(const clang::ParmVarDecl* parameter, clang::ASTContext& tree, Kernel& kernel) {
  Argument argument;
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
      case clang::LangAS::opencl_global_host:
        argument.kind = "global_buffer";
        break;
      case clang::LangAS::opencl_constant:
        argument.kind = "constant_buffer";
        break;
      case clang::LangAS::opencl_local:
        argument.kind = "local_memory";
        kernel.depends_on_local_size = true;
        break;
      default:
        kernel.no_slice("argument " + argument.name + " points to an address space of another kind");
    }
  } else if (type->isImageType()) {
    argument.kind = "image";
    argument.type_name = argument.type_name.substr(argument.type_name.find(' ') + 1);
    const auto* access = parameter->getAttr<clang::OpenCLAccessAttr>();
    argument.may_read = !access || !access->isWriteOnly();
    argument.may_write = access && !access->isReadOnly();
    kernel.no_split("uses an image");
  } else if (type->isSamplerT()) {
    argument.kind = "sampler";
    kernel.no_split("uses a sampler");
  } else if (type->isPipeType()) {
    argument.kind = "pipe";
    kernel.no_slice("uses a pipe");
  } else if (type->isOpenCLSpecificType()) {
    kernel.no_slice("argument " + argument.name + " is of an unknown kind");
  } else {
    argument.kind = "value";
    argument.size = static_cast<uint64_t>(tree.getTypeSizeInChars(type).getQuantity());
    if (holds_pointer(type)) kernel.no_slice("argument " + argument.name + " holds a pointer");
  }
  return argument;
}

// One pass over the affected functions; any place it cannot rewrite makes it fail as a whole.
class Editor {
 public:
  Editor(const std::string& text, const clang::SourceManager& files) : text_(text), files_(files) {}

  struct Replacement {
    size_t offset, length;
    std::string text;
  };
  std::vector<Replacement> replacements;

  // Adds the parameter to one declaration.
  bool declare(const FunctionDecl* declaration, bool kernel) {
    const clang::FunctionTypeLoc type = declaration->getFunctionTypeLoc();
    if (!type || declaration->isVariadic()) return false;
    const auto left = offset_of(type.getLParenLoc(), "("), right = offset_of(type.getRParenLoc(), ")");
    if (!left || !right || *left >= *right) return false;
    const std::string parameter = kernel ? kKernelParameter : kHelperParameter;
    if (declaration->getNumParams() > 0)
      replacements.push_back({*right, 0, ", " + parameter});
    else
      replacements.push_back({*left + 1, *right - *left - 1, parameter});
    return true;
  }

  // Passes `argument` at a call, and calls `name` if it is not empty.
  bool call(const Call& call, const std::string& argument, const std::string& name) {
    const auto right = offset_of(call.expression->getRParenLoc(), ")");
    if (!right) return false;
    replacements.push_back({*right, 0, (call.expression->getNumArgs() ? ", " : "") + argument});
    if (name.empty()) return true;
    const std::string old = name_of(llvm::cast<FunctionDecl>(call.callee->getDecl()));
    const auto at = offset_of(call.callee->getLocation(), old);
    if (!at) return false;
    replacements.push_back({*at, old.size(), name});
    return true;
  }

 private:
  // Where the token stands in the text; nullopt if it does not stand there as expected.
  std::optional<size_t> offset_of(clang::SourceLocation location, const std::string& token) const {
    if (location.isInvalid()) return std::nullopt;
    const auto [file, offset] = files_.getDecomposedLoc(files_.getSpellingLoc(location));
    if (file != files_.getMainFileID() || text_.compare(offset, token.size(), token) != 0)
      return std::nullopt;
    return offset;
  }

  const std::string& text_;
  const clang::SourceManager& files_;
};

}  // namespace

void NdrangeRewriter::read(clang::ASTContext& tree) {
  BodyReader reader;
  reader.TraverseDecl(tree.getTranslationUnitDecl());

  // The affected functions, and the kernels' own facts.
  std::set<const FunctionDecl*> affected;
  for (const auto& [function, body] : reader.bodies)
    builtins_.insert(body.builtins.begin(), body.builtins.end());
  for (const auto& [function, body] : reader.bodies)
    for (const FunctionDecl* reached : reached_from(function, reader.bodies)) {
      const auto found = reader.bodies.find(reached);
      if (found != reader.bodies.end() && !found->second.builtins.empty()) affected.insert(function);
    }
  for (const clang::Decl* declaration : tree.getTranslationUnitDecl()->decls()) {
    const auto* function = llvm::dyn_cast<FunctionDecl>(declaration);
    if (!function || !function->isThisDeclarationADefinition() || !is_kernel(function)) continue;
    Kernel kernel;
    kernel.name = name_of(function);
    for (const clang::ParmVarDecl* parameter : function->parameters())
      kernel.arguments.push_back(describe(parameter, tree, kernel));
    for (const FunctionDecl* each : function->redecls())
      if (const auto* size = each->getAttr<clang::ReqdWorkGroupSizeAttr>())
        kernel.required_work_group_size = {size->getXDim(), size->getYDim(), size->getZDim()};
    for (const FunctionDecl* reached : reached_from(function, reader.bodies)) {
      const Body& body = reader.bodies[reached];
      kernel.affected_builtins.insert(body.builtins.begin(), body.builtins.end());
      if (!body.undefined.empty())
        kernel.no_slice("calls " + body.undefined + ", which is defined elsewhere");
      if (body.has_block) kernel.no_slice("uses a block");
    }
    kernel.needs_ndrange_argument = !kernel.affected_builtins.empty();
    kernels_.push_back(std::move(kernel));
  }

  Editor editor(text_, tree.getSourceManager());
  bool possible = !reader.names_outside && !tree.getLangOpts().OpenCLCPlusPlus;
  for (const FunctionDecl* function : affected) {
    const Body& body = reader.bodies[function];
    const bool in_kernel = is_kernel(function);
    possible = possible && !body.has_block;
    for (const FunctionDecl* declaration : function->redecls())
      possible = possible && editor.declare(declaration, in_kernel);
    std::set<const clang::DeclRefExpr*> called;
    for (const Call& call : body.calls) {
      const auto* callee = llvm::dyn_cast<FunctionDecl>(call.callee->getDecl());
      if (!callee) continue;
      called.insert(call.callee);
      const std::string pointer = in_kernel ? "&samcl_nd" : "samcl_nd";
      const std::string value = in_kernel ? "samcl_nd" : "*samcl_nd";
      if (is_affected_builtin(callee))
        possible = possible && editor.call(call, pointer, "samcl_" + name_of(callee));
      else if (affected.count(callee->getCanonicalDecl()))
        possible = possible && editor.call(call, is_kernel(callee) ? value : pointer, "");
    }
    for (const clang::DeclRefExpr* name : body.names) {
      const auto* named = llvm::cast<FunctionDecl>(name->getDecl());
      if (is_affected_builtin(named) || affected.count(named->getCanonicalDecl()))
        possible = possible && called.count(name);
    }
  }

  if (possible) {
    for (const auto& each : editor.replacements) edits_[each.offset] = {each.length, each.text};
  } else {
    for (Kernel& kernel : kernels_)
      if (kernel.needs_ndrange_argument) {
        kernel.needs_ndrange_argument = false;
        kernel.no_slice("its use of " + *kernel.affected_builtins.begin() + " cannot be rewritten");
      }
  }
}

std::string NdrangeRewriter::helpers() const {
  const std::string parameter = kHelperParameter;
  const std::string prefix = static_functions_ ? " static inline " : " ";
  std::string line = kStructure;
  // Beyond the third dimension drivers differ; there the driver's own answer stands.
  const auto array = [&](const std::string& builtin, const std::string& expression) {
    if (builtins_.count(builtin))
      line += prefix + "size_t samcl_" + builtin + "(uint samcl_d, " + parameter +
              ") { return samcl_d < 3 ? (size_t)(" + expression + ") : " + builtin + "(samcl_d); }";
  };
  array("get_group_id", "get_group_id(samcl_d) + samcl_nd->group_offset[samcl_d]");
  array("get_num_groups", "samcl_nd->num_groups[samcl_d]");
  array("get_global_size", "samcl_nd->global_size[samcl_d]");
  array("get_global_offset", "samcl_nd->global_offset[samcl_d]");
  if (builtins_.count("get_global_linear_id"))
    line += prefix + "size_t samcl_get_global_linear_id(" + parameter +
            ") { ulong samcl_id = 0; for (uint samcl_d = get_work_dim(); samcl_d-- > 0;) "
            "samcl_id = samcl_id * samcl_nd->global_size[samcl_d] + (get_global_id(samcl_d) - "
            "samcl_nd->global_offset[samcl_d]); "
            "return (size_t)samcl_id; }";
  return line + "\n";
}

std::string NdrangeRewriter::rewritten() const {
  std::string result = helpers();
  size_t at = 0;
  for (const auto& [offset, edit] : edits_) {
    result += text_.substr(at, offset - at) + edit.text;
    at = offset + edit.length;
  }
  return result + text_.substr(at);
}

}  // namespace samcl::translator
