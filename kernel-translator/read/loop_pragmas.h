// Pragmas about loops, such as "#pragma unroll RADIUS": Clang's printer leaves macros in them as they are, and what
// defines them is not in its text.
#pragma once

#include <string>
#include <vector>

namespace clang {
class Preprocessor;
}

namespace samcl::translator {

class LoopPragmas {
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
