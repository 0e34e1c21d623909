// Which macros of the device's compiler a source asks about: those that no source and no build option defines, and
// that are tested (#ifdef, defined, #if) or stand for something in the text. Clang's own answers are another
// compiler's; the device's has to be asked (samcl::MacroAnswers).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clang {
class DiagnosticConsumer;
class Preprocessor;
}  // namespace clang

namespace samcl::translator {

// What the device's compiler says, by name or by operator and operand ("__has_builtin(f)"): what the macro stands for,
// or nullopt: it is not defined.
using MacroAnswers = std::map<std::string, std::optional<std::string>>;

struct MacroQuestions {
  std::set<std::string> names;  // to be answered; also "__has_builtin(f)" and its like, whose answer is 0 or 1
  std::string hopeless;         // one that has no answer which serves, e.g. "__COUNTER__"; empty: none

  bool empty() const { return names.empty() && hopeless.empty(); }
};

// Files that begin with `own_folder` are ours: what they define is the compiler's. `answers_file` holds the answers.
struct MacroGround {
  std::string own_folder, answers_file;
  std::set<std::string> by_options;  // names that build options define or undefine
};

// Collects the questions of what `preprocessor` reads.
void collect_questions(clang::Preprocessor& preprocessor, const MacroGround& ground, MacroQuestions& questions);

// Passes errors on to `next`; of warnings, takes the names that #if finds to be no macros (-Wundef must be on).
std::unique_ptr<clang::DiagnosticConsumer> question_diagnostics(std::unique_ptr<clang::DiagnosticConsumer> next,
                                                                const std::string& own_folder,
                                                                MacroQuestions& questions);

// The names that -D and -U give, of options in Clang's spelling.
std::set<std::string> names_by_options(const std::vector<std::string>& options);

// Directives that make the answers so, but for names that build options decide.
std::string directives_of(const MacroAnswers& answers, const std::set<std::string>& by_options);

// Directives by which the macros that tell where and when a source was compiled stand for their own names.
std::string directives_for_places();

}  // namespace samcl::translator
