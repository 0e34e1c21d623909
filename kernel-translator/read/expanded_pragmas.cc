#include "kernel-translator/read/expanded_pragmas.h"

#include <map>
#include <memory>

#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"

namespace samcl::translator {
namespace {

constexpr char kWord[] = "samcl_kept_pragma_";

// Of each space of names, those in which Clang's parser replaces macros. (Pragmas of OPENCL and STDC have none.)
const std::map<std::string, std::vector<const char*>> kExpanded = {
    {"", {"unroll", "unroll_and_jam", "pack", "align", "ms_struct", "float_control"}},
    {"clang", {"loop", "fp", "attribute"}},
    {"GCC", {"unroll"}},
};

// As the operand of _Pragma.
std::string quoted(const std::string& text) {
  std::string inside;
  for (const char c : text) {
    if (c == '"' || c == '\\') inside += '\\';
    inside += c;
  }
  return '"' + inside + '"';
}

class Keeper : public clang::PragmaHandler {
 public:
  // `space`: the word before the name, with a blank.
  Keeper(const std::string& space, llvm::StringRef name, std::vector<std::string>& kept)
      : PragmaHandler(name), space_(space), kept_(kept) {}

  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer, clang::Token& name) override {
    std::string text = space_ + preprocessor.getSpelling(name);
    clang::Token token;
    for (preprocessor.Lex(token); token.isNot(clang::tok::eod); preprocessor.Lex(token))
      text += (token.hasLeadingSpace() ? " " : "") + preprocessor.getSpelling(token);
    auto word = std::make_unique<clang::Token[]>(1);
    word[0].startToken();
    word[0].setKind(clang::tok::identifier);
    word[0].setIdentifierInfo(preprocessor.getIdentifierInfo(kWord + std::to_string(kept_.size())));
    word[0].setLocation(name.getLocation());
    word[0].setFlag(clang::Token::StartOfLine);
    kept_.push_back(std::move(text));
    preprocessor.EnterTokenStream(std::move(word), 1, true, false);
  }

 private:
  const std::string space_;
  std::vector<std::string>& kept_;
};

}  // namespace

void ExpandedPragmas::watch(clang::Preprocessor& preprocessor) {
  for (const auto& [space, names] : kExpanded)
    for (const char* name : names)
      preprocessor.AddPragmaHandler(space, new Keeper(space.empty() ? "" : space + " ", name, kept_));
}

std::string ExpandedPragmas::put_back(const std::string& text) const {
  std::string whole;
  size_t done = 0;
  for (size_t i = 0; i < kept_.size(); ++i) {
    const std::string word = kWord + std::to_string(i);
    const size_t at = text.find(word, done);
    if (at == std::string::npos) break;
    const size_t line = text.rfind('\n', at) + 1;
    whole += text.substr(done, at - done);
    done = at + word.size();
    if (text.find_first_not_of(" \t", line) != at) {
      whole += "_Pragma(" + quoted(kept_[i]) + ")";
      continue;
    }
    whole += "#pragma " + kept_[i] + "\n";
    // What follows was printed into the same line, and an empty one after it.
    const size_t end = text.find('\n', done);
    if (end == std::string::npos || text.compare(end, 2, "\n\n") != 0) continue;
    whole += text.substr(done, end - done);
    done = end + 1;
  }
  return whole + text.substr(done);
}

}  // namespace samcl::translator
