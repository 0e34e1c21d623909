#include "kernel-translator/read/loop_pragmas.h"

#include <memory>

#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"

namespace samcl::translator {
namespace {

constexpr char kWord[] = "samcl_kept_pragma_";

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

void LoopPragmas::watch(clang::Preprocessor& preprocessor) {
  for (const char* name : {"unroll", "unroll_and_jam"}) preprocessor.AddPragmaHandler(new Keeper("", name, kept_));
  preprocessor.AddPragmaHandler("clang", new Keeper("clang ", "loop", kept_));
}

std::string LoopPragmas::put_back(const std::string& text) const {
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
      whole += "_Pragma(\"" + kept_[i] + "\")";
      continue;
    }
    whole += "#pragma " + kept_[i] + "\n";
    // The loop was printed into the same line, and an empty one after it.
    const size_t end = text.find('\n', done);
    if (end == std::string::npos || text.compare(end, 2, "\n\n") != 0) continue;
    whole += text.substr(done, end - done);
    done = end + 1;
  }
  return whole + text.substr(done);
}

}  // namespace samcl::translator
