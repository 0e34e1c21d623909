// What the functions of one source do about the NDRange, and where the source's text changes once they are to be
// told their sub-kernel's place. Read from the syntax tree; holds nothing of it, so that the sources of one
// program, each parsed by itself, can then be looked at together (ndrange_rewriter.h).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel-translator/read/frontend.h"
#include "kernel-translator/read/source_facts.h"

namespace samcl::translator {

// All offsets are in characters of the preprocessed text; nullopt: the token does not stand there as it should,
// so the text cannot be changed at this place.
using Offset = std::optional<size_t>;

// A declaration of a function, with or without body.
struct Declaration {
  Offset left, right;  // of its parameters' parentheses; nullopt also where more arguments may follow
  bool has_parameters = false;
  Offset body;  // its opening brace
};

// An integer that a kernel takes by value.
struct IntegerParameter {
  uint32_t number = 0;  // among the kernel's arguments
  std::string name;
  std::string type;       // in C's own words, with its const: no name in the source has another meaning for them
  Offset place;           // of the name in the definition
  bool is_plain = false;  // neither volatile nor of a storage class
};

struct Call {
  std::string callee;
  bool to_builtin = false;  // to an affected one
  Offset name;              // where the callee's name begins
  Offset right;             // the closing parenthesis
  bool has_arguments = false;
};

// One function that the source defines or declares.
struct Function {
  std::string name;
  std::string type;  // in full, to compare with other sources' declarations
  bool kernel = false;
  bool defined = false;  // has a body here
  // How it takes part in linking: defined or declared for all sources; `static`; or C's `inline` without
  // `extern`, where another source's definition may stand in for this one.
  enum class Linkage { external, internal, inlined } linkage = Linkage::external;
  std::vector<Declaration> declarations;
  std::vector<IntegerParameter> integers;  // of a kernel that is defined here

  // Of its body:
  std::set<std::string> builtins;   // the affected built-ins it names
  std::set<std::string> functions;  // all that the program itself declares and it names
  std::set<std::string> addressed;  // those of both that it names other than by calling them
  std::vector<Call> calls;          // of both
  bool has_block = false;
};

struct SourceFunctions {
  // By what tells functions of one source apart and joins those of several: the name, and for overloadable
  // ones the type. A function of the program that bears an affected built-in's name is one of these.
  std::map<std::string, Function> functions;
  std::set<std::string> builtins_named;  // names of all built-ins of OpenCL C that are used, affected or not
  std::vector<KernelFacts> kernels;      // in the order of the source; what they reach by calls is not in yet
  bool is_cpp = false;
  bool names_outside = false;                     // an affected built-in is named outside every body
  std::set<std::string> functions_named_outside;  // that the program itself declares
  // It has a get_global_id or ulong of its own, wherever: what is added to its text could mean that one.
  bool hides_words_of_variants = false;
};

// Fills a SourceFunctions from the tree of `text`.
class FunctionReader : public TreeReader {
 public:
  explicit FunctionReader(const std::string& text) : text_(text) {}

  void read(clang::ASTContext& tree) override;

  SourceFunctions result;

 private:
  const std::string& text_;
};

}  // namespace samcl::translator
