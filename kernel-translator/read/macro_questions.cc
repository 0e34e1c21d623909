#include "kernel-translator/read/macro_questions.h"

#include <algorithm>
#include <array>

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticLex.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

namespace samcl::translator {
namespace {

// They stay in the text, where the device's compiler gives them its own values.
constexpr std::array<const char*, 6> kPlaces = {"__FILE__", "__BASE_FILE__", "__FILE_NAME__",
                                                "__DATE__", "__TIME__",      "__TIMESTAMP__"};

bool is_place(llvm::StringRef name) {
  return std::any_of(kPlaces.begin(), kPlaces.end(), [&](const char* each) { return name == each; });
}

// Built into every compiler, with one meaning. _Pragma is C99's operator, which Clang takes for a macro.
bool is_everywhere(llvm::StringRef name) {
  return name == "__LINE__" || name == "__INCLUDE_LEVEL__" || name == "_Pragma";
}

// Macros with operands, which a compiler has built in.
bool is_operator(llvm::StringRef name) { return name.starts_with("__has_") || name.starts_with("__is_"); }

// Those that a compiler answers by 0 or 1 for a name. The text that stands for them here makes one identifier of
// operator and operand: #if finds it to be no macro, which is a question as any other, and an answer defines it.
constexpr std::array<const char*, 4> kAskable = {"__has_builtin", "__has_feature", "__has_extension",
                                                 "__has_attribute"};

bool is_askable(llvm::StringRef name) {
  return std::any_of(kAskable.begin(), kAskable.end(), [&](const char* each) { return name == each; });
}

std::string identifier_of(const std::string& askable, const std::string& operand) {
  return "samcl_asks" + askable + "_" + operand;
}

// "__has_builtin(f)" for such an identifier; another one is its own question.
std::string question_of(const std::string& identifier) {
  for (const std::string askable : kAskable) {
    const std::string begin = identifier_of(askable, "");
    if (identifier.starts_with(begin)) return askable + "(" + identifier.substr(begin.size()) + ")";
  }
  return identifier;
}

// The macro that such a question, or a name, is answered by.
std::string macro_of(const std::string& question) {
  const size_t open = question.find('(');
  if (open == std::string::npos) return question;
  return identifier_of(question.substr(0, open), question.substr(open + 1, question.size() - open - 2));
}

class Questioner : public clang::PPCallbacks {
 public:
  Questioner(clang::Preprocessor& preprocessor, const MacroGround& ground, MacroQuestions& questions)
      : preprocessor_(preprocessor), files_(preprocessor.getSourceManager()), ground_(ground), questions_(questions) {}

  void MacroExpands(const clang::Token& name, const clang::MacroDefinition& definition, clang::SourceRange,
                    const clang::MacroArgs*) override {
    const clang::MacroInfo* macro = definition.getMacroInfo();
    if (!macro || is_ours(name.getLocation())) return;
    const llvm::StringRef word = name.getIdentifierInfo()->getName();
    if (macro->isBuiltinMacro()) {
      if (!is_everywhere(word)) questions_.hopeless = word.str();
      return;
    }
    const Origin origin = origin_of(*macro, word);
    if (origin == Origin::header) {
      // The text keeps its name.
      const bool elsewhere = is_place(word) && !files_.isInMainFile(files_.getExpansionLoc(name.getLocation()));
      if (elsewhere) questions_.hopeless = word.str();
      if (!preprocessor_.isParsingIfOrElifDirective()) return;
    }
    if (origin != Origin::source) questions_.names.insert(word.str());
  }

  void Defined(const clang::Token& name, const clang::MacroDefinition& definition, clang::SourceRange) override {
    test(name, definition);
  }
  void Ifdef(clang::SourceLocation, const clang::Token& name, const clang::MacroDefinition& definition) override {
    test(name, definition);
  }
  void Ifndef(clang::SourceLocation, const clang::Token& name, const clang::MacroDefinition& definition) override {
    test(name, definition);
  }
  void Elifdef(clang::SourceLocation, const clang::Token& name, const clang::MacroDefinition& definition) override {
    test(name, definition);
  }
  void Elifndef(clang::SourceLocation, const clang::Token& name, const clang::MacroDefinition& definition) override {
    test(name, definition);
  }

 private:
  // Who defined a macro: the program, the header of built-ins, or the compiler itself. What is answered counts as
  // the program's.
  enum class Origin { source, header, compiler };

  bool is_ours(clang::SourceLocation place) const {
    const clang::SourceLocation at = files_.getExpansionLoc(place);
    return at.isInvalid() || files_.getFileID(at) == preprocessor_.getPredefinesFileID() ||
           files_.getFilename(at).starts_with(ground_.own_folder);
  }

  Origin origin_of(const clang::MacroInfo& macro, llvm::StringRef name) const {
    if (ground_.by_options.count(name.str())) return Origin::source;
    const clang::SourceLocation at = macro.getDefinitionLoc();
    if (macro.isBuiltinMacro() || at.isInvalid() || files_.getFileID(at) == preprocessor_.getPredefinesFileID())
      return Origin::compiler;
    const llvm::StringRef file = files_.getFilename(at);
    if (file == ground_.answers_file) return is_askable(name) ? Origin::compiler : Origin::source;
    return file.starts_with(ground_.own_folder) ? Origin::header : Origin::source;
  }

  void test(const clang::Token& name, const clang::MacroDefinition& definition) {
    if (is_ours(name.getLocation()) || !name.getIdentifierInfo()) return;
    const llvm::StringRef word = name.getIdentifierInfo()->getName();
    const clang::MacroInfo* macro = definition.getMacroInfo();
    if (!macro || origin_of(*macro, word) != Origin::source) questions_.names.insert(word.str());
  }

  clang::Preprocessor& preprocessor_;
  const clang::SourceManager& files_;
  const MacroGround& ground_;
  MacroQuestions& questions_;
};

class QuestionDiagnostics : public clang::DiagnosticConsumer {
 public:
  QuestionDiagnostics(std::unique_ptr<clang::DiagnosticConsumer> next, std::string own_folder,
                      MacroQuestions& questions)
      : next_(std::move(next)), own_folder_(std::move(own_folder)), questions_(questions) {}

  void BeginSourceFile(const clang::LangOptions& language, const clang::Preprocessor* preprocessor) override {
    next_->BeginSourceFile(language, preprocessor);
  }
  void EndSourceFile() override { next_->EndSourceFile(); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& diagnostic) override {
    if (diagnostic.getID() == clang::diag::warn_pp_undef_identifier) {
      const clang::SourceManager& files = diagnostic.getSourceManager();
      if (files.getFilename(files.getExpansionLoc(diagnostic.getLocation())).starts_with(own_folder_)) return;
      questions_.names.insert(question_of(diagnostic.getArgIdentifier(0)->getName().str()));
      return;
    }
    if (level < clang::DiagnosticsEngine::Error) return;
    DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    next_->HandleDiagnostic(level, diagnostic);
  }

 private:
  const std::unique_ptr<clang::DiagnosticConsumer> next_;
  const std::string own_folder_;
  MacroQuestions& questions_;
};

}  // namespace

void collect_questions(clang::Preprocessor& preprocessor, const MacroGround& ground, MacroQuestions& questions) {
  preprocessor.addPPCallbacks(std::make_unique<Questioner>(preprocessor, ground, questions));
}

std::unique_ptr<clang::DiagnosticConsumer> question_diagnostics(std::unique_ptr<clang::DiagnosticConsumer> next,
                                                                const std::string& own_folder,
                                                                MacroQuestions& questions) {
  return std::make_unique<QuestionDiagnostics>(std::move(next), own_folder, questions);
}

std::set<std::string> names_by_options(const std::vector<std::string>& options) {
  std::set<std::string> names;
  for (const std::string& option : options)
    if (option.starts_with("-D") || option.starts_with("-U"))
      names.insert(option.substr(2, option.find_first_of("=(") - 2));
  return names;
}

std::string directives_of(const MacroAnswers& answers, const std::set<std::string>& by_options) {
  std::string text;
  for (const std::string askable : kAskable)
    if (!by_options.count(askable))
      text += "#undef " + askable + "\n#define " + askable + "(x) " + identifier_of(askable, "") + "##x\n";
  for (const auto& [name, value] : answers) {
    const std::string macro = macro_of(name);
    if (by_options.count(name) || (value && (is_operator(macro) || is_place(name)))) continue;
    text += "#undef " + macro + "\n";
    if (value) text += "#define " + macro + " " + *value + "\n";
  }
  return text;
}

std::string directives_for_places() {
  std::string text;
  for (const std::string name : kPlaces) text += "#undef " + name + "\n#define " + name + " " + name + "\n";
  return text;
}

}  // namespace samcl::translator
