// Clang, run inside this process, on OpenCL C as the program's device would see it.
//
// Two passes: the source becomes text without user macros, and that text becomes a syntax tree and LLVM IR.
// The built-in macros of Clang's header (CLK_LOCAL_MEM_FENCE, as_int, M_PI, ...) keep their names in the text, so
// that the real compiler gives them its own values; the first pass knows that they are defined.
//
// Drivers take more than Clang does: vendors' own built-ins, `asm`, double literals beside vectors of float,
// OpenCL C 2.0 unasked. A source with errors can be read again, each time with more of that allowed. What no
// driver takes fails there, too, so nothing is lost by being generous here.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel-translator/read/macro_questions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace clang {
class ASTContext;
}

namespace samcl::translator {

// What the source may know about its device; see samcl::DeviceFacts.
struct TargetDevice {
  std::string version;                                 // CL_DEVICE_VERSION; empty: not known
  std::string opencl_c_version;                        // CL_DEVICE_OPENCL_C_VERSION; empty: 1.2
  std::optional<std::vector<std::string>> extensions;  // nullopt: all that Clang knows
  unsigned address_bits = 64;
  bool images = false;
};

// The headers that a program gives with its source, by the names that #include uses.
using Headers = std::map<std::string, std::string>;

struct Preprocessed {
  std::string text;
  // What #include and __has_include found, or looked for in vain; stamps by path (client/file_stamp.h).
  std::map<std::string, std::string> includes;
};

// How a source is read.
struct Dialect {
  std::string language;  // as in -cl-std=
  // GNU's keywords are known, and literals without suffix have single precision.
  bool lenient = false;
  std::vector<std::string> declared;  // prefixes of vendors' built-ins that are known: "amd_", "intel_"

  bool is_cpp() const { return language.find("++") != std::string::npos; }
  // OpenCL C 1.0 or 1.1, which have no `static` functions.
  bool is_before_1_2() const { return language == "CL" || language == "CL1.0" || language == "CL1.1"; }
};

// Called with the syntax tree of a source without errors.
class TreeReader {
 public:
  virtual ~TreeReader() = default;
  virtual void read(clang::ASTContext& tree) = 0;
};

class Frontend {
 public:
  // `options`: the words of the program's build options.
  Frontend(TargetDevice device, std::vector<std::string> options);

  // What the options and the device ask for.
  Dialect asked_for() const;
  // The next to try after `tried` gave these errors; nullopt: there is no other.
  std::optional<Dialect> more_generous(const Dialect& tried, const std::string& errors) const;

  // Given headers come before files. nullopt: errors. Diagnostics are appended. `answers`: of the device's compiler,
  // nullptr: Clang's own serve. `questions`: what they lack.
  std::optional<Preprocessed> preprocess(const std::string& source, const Headers& headers, const Dialect& dialect,
                                         const MacroAnswers* answers, MacroQuestions& questions,
                                         std::string& diagnostics) const;

  // Parses preprocessed text, hands its tree to `reader`, gives its IR (unoptimised, every function emitted).
  // nullptr: errors. Diagnostics are appended. The context must outlive the module. `with_lines`: the IR tells the
  // lines of the source.
  std::unique_ptr<llvm::Module> compile(const std::string& text, const Dialect& dialect, TreeReader& reader,
                                        llvm::LLVMContext& context, bool with_lines, std::string& diagnostics) const;

 private:
  std::vector<std::string> common_arguments(const Dialect& dialect, const std::string& language) const;

  TargetDevice device_;
  std::vector<std::string> options_;
};

}  // namespace samcl::translator
