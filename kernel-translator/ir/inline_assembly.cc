#include "kernel-translator/ir/inline_assembly.h"

#include <set>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InlineAsm.h"

namespace samcl::translator {
namespace {

// PTX ISA, chapters on integer, floating-point, comparison, logic and data movement between registers.
const std::set<std::string> kPtx = {
    "abs",  "add",   "addc", "and",  "bfe",  "bfi",  "bfind", "brev", "clz",   "cnot",  "copysign", "cos",   "cvt",
    "div",  "dp2a",  "dp4a", "ex2",  "fma",  "lg2",  "lop3",  "mad",  "mad24", "madc",  "max",      "min",   "mov",
    "mul",  "mul24", "neg",  "not",  "or",   "popc", "prmt",  "rcp",  "rem",   "rsqrt", "sad",      "selp",  "set",
    "setp", "shf",   "shl",  "shr",  "sin",  "slct", "sqrt",  "sub",  "subc",  "szext", "tanh",     "testp", "vabsdiff",
    "vadd", "vmad",  "vmax", "vmin", "vset", "vshl", "vshr",  "vsub", "xor"};

// GCN's vector instructions work on registers alone; these of them ask for the lane, take another lane's register,
// one that a number names, or change which lanes run.
constexpr llvm::StringLiteral kBetweenLanes[] = {"v_read",   "v_write",  "v_mbcnt", "v_perm", "v_cmpx",
                                                 "v_interp", "v_movrel", "v_swap",  "v_nop",  "v_clrexcp"};

bool is_arithmetic(llvm::StringRef instruction) {
  const std::string name = instruction.split('.').first.lower();
  if (kPtx.count(name) != 0) return true;
  const auto begins = [&](llvm::StringRef each) { return llvm::StringRef(name).starts_with(each); };
  return begins("v_") && llvm::none_of(kBetweenLanes, begins);
}

class Reader {
 public:
  // One instruction or declaration; empty ones count as harmless.
  bool harmless(llvm::StringRef statement) {
    statement = statement.trim(" \t\r{}");
    if (statement.empty()) return true;
    if (statement.consume_front(".reg")) {
      llvm::StringRef rest = statement.ltrim();
      rest = rest.drop_front(std::min(rest.size(), rest.find_first_of(" \t")));  // the type
      for (const llvm::StringRef name : operands(rest)) declared_.insert(name.str());
      return true;
    }
    const size_t space = statement.find_first_of(" \t");
    if (statement.starts_with("@")) {  // a predicate
      llvm::StringRef predicate = statement.substr(1, space == llvm::StringRef::npos ? space : space - 1);
      predicate.consume_front("!");
      return is_known(predicate) && harmless(statement.substr(std::min(space, statement.size())));
    }
    if (!is_arithmetic(statement.substr(0, space))) return false;
    for (const llvm::StringRef operand : operands(statement.substr(std::min(space, statement.size()))))
      if (!is_known(operand)) return false;
    return true;
  }

 private:
  static llvm::SmallVector<llvm::StringRef, 8> operands(llvm::StringRef list) {
    llvm::SmallVector<llvm::StringRef, 8> parts, kept;
    list.split(parts, ',');
    for (const llvm::StringRef part : parts)
      if (const llvm::StringRef operand = part.trim(" \t\r{}|"); !operand.empty()) kept.push_back(operand);
    return kept;
  }
  bool is_known(llvm::StringRef operand) const {
    if (operand.starts_with("$") || operand.equals_insensitive("vcc")) return true;
    const llvm::StringRef number = operand.ltrim("-");
    if (!number.empty() && isdigit(number[0])) return true;
    return declared_.count(operand.str()) != 0;
  }

  std::set<std::string> declared_;
};

}  // namespace

bool only_computes(const llvm::CallBase& call) {
  const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  if (!assembly) return false;
  for (const llvm::InlineAsm::ConstraintInfo& constraint : assembly->ParseConstraints()) {
    if (constraint.isIndirect) return false;
    for (const std::string& code : constraint.Codes)
      if (code == "m" || code == "o" || code == "{memory}") return false;
  }
  for (const llvm::Use& argument : call.args())
    if (argument->getType()->isPointerTy()) return false;
  std::string text(assembly->getAsmString());
  for (char& each : text)
    if (each == ';') each = '\n';
  if (llvm::StringRef(text).contains("//") || llvm::StringRef(text).contains("/*")) return false;
  llvm::SmallVector<llvm::StringRef, 16> statements;
  llvm::StringRef(text).split(statements, '\n');
  Reader reader;
  for (const llvm::StringRef statement : statements)
    if (!reader.harmless(statement)) return false;
  return true;
}

}  // namespace samcl::translator
