// Clang, run inside this process, on OpenCL C as the program's device would see it.
//
// Two passes: the source becomes text without user macros, and that text becomes a syntax tree and LLVM IR.
// Only the second knows the built-in macros of Clang's header (CLK_LOCAL_MEM_FENCE, as_int, M_PI, ...): in
// the text they keep their names, so that the real compiler gives them its own values.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace clang {
class ASTContext;
}

namespace samcl::translator {

// What the source may know about its device; see samcl::DeviceFacts.
struct Device {
  std::string version;                                 // CL_DEVICE_VERSION; empty: not known
  std::string opencl_c_version;                        // CL_DEVICE_OPENCL_C_VERSION; empty: 1.2
  std::optional<std::vector<std::string>> extensions;  // nullopt: all that Clang knows
  unsigned address_bits = 64;
  bool images = false;
  std::vector<std::string> defines;  // "NAME" or "NAME=VALUE"
};

// The headers that a program gives with its source, by the names that #include uses.
using Headers = std::map<std::string, std::string>;

struct Preprocessed {
  std::string text;
  std::vector<std::string> includes;  // files read by #include
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
  Frontend(Device device, std::vector<std::string> options);

  // Given headers come before files. nullopt: errors, printed on stderr.
  std::optional<Preprocessed> preprocess(const std::string& source, const Headers& headers = {}) const;

  // Parses preprocessed text, hands its tree to `reader`, gives its IR (unoptimised, every function emitted).
  // nullptr: errors, printed on stderr. The context must outlive the module. `with_lines`: the IR tells the lines of
  // the source.
  std::unique_ptr<llvm::Module> compile(const std::string& text, TreeReader& reader, llvm::LLVMContext& context,
                                        bool with_lines = false) const;

  bool is_cpp() const;
  // OpenCL C 1.0 or 1.1, which have no `static` functions.
  bool is_before_1_2() const;

 private:
  std::vector<std::string> common_arguments(const std::string& language) const;

  Device device_;
  std::vector<std::string> options_;
  std::string language_;  // as in -cl-std=
};

}  // namespace samcl::translator
