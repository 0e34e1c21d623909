// Pragmas in which a compiler replaces macros, such as "#pragma unroll RADIUS" and "#pragma pack(BYTES)": Clang's
// printer leaves the macros as they are, and what defines them is not in its text. A compiler that then reads
// "pack(BYTES)" warns, and lays structures out as if nothing had been said.
#pragma once

#include <string>
#include <vector>

namespace clang {
class Preprocessor;
}

namespace samcl::translator {

class ExpandedPragmas {
 public:
  // Has such pragmas of what is preprocessed next kept here, a word of ours in their places. Outlives the
  // preprocessing.
  void watch(clang::Preprocessor& preprocessor);

  // The preprocessed text with the pragmas in their places again, their macros replaced.
  std::string put_back(const std::string& text) const;

 private:
  std::vector<std::string> kept_;  // what stands after "#pragma", in the order of the text
};

}  // namespace samcl::translator
