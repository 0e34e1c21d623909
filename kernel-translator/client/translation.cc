#include "kernel-translator/client/translation.h"

#include <algorithm>
#include <utility>

#include "base/cbor_text.h"
#include "kernel-translator/client/cache.h"
#include "kernel-translator/client/file_stamp.h"
#include "kernel-translator/client/run_translator.h"
#include "kernel-translator/client/translation_json.h"

namespace samcl {
namespace {

// Changes with what the answers hold, so that kept ones of another form are not found.
constexpr char kAnswerForm[] = "6: launches that are gathered";

// Build options as a compiler driver takes them apart: blanks separate, quotes and backslashes protect.
std::vector<std::string> split_options(const std::string& options) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;
  char quote = 0;
  for (size_t i = 0; i < options.size(); ++i) {
    const char c = options[i];
    if (c == '\\' && i + 1 < options.size() && quote != '\'') {
      word += options[++i];
      open = true;
    } else if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      open = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (open) words.push_back(std::exchange(word, {}));
      open = false;
    } else {
      word += c;
      open = true;
    }
  }
  if (open) words.push_back(word);
  return words;
}

std::vector<std::string> command(const DeviceFacts& device, const TranslatorSettings& settings) {
  std::vector<std::string> arguments{settings.program,
                                     "-",
                                     "--json",
                                     "--sources",
                                     "--device-version",
                                     device.device_version,
                                     "--opencl-c-version",
                                     device.opencl_c_version,
                                     "--extensions",
                                     device.extensions,
                                     "--address-bits",
                                     std::to_string(device.address_bits)};
  if (device.image_support) arguments.push_back("--images");
  if (settings.split_printf) arguments.push_back("--split-printf");
  return arguments;
}

// macros: of each source; none if the device's compiler can't be asked.
std::string document_of(std::span<const LinkedSource> sources, const std::vector<MacroAnswers>& macros) {
  CborText document;
  document.map(1).text("sources").list(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    const LinkedSource& source = sources[i];
    document.map(macros.empty() ? 3 : 4).text("source").text(source.source);
    const std::vector<std::string> options = split_options(source.options);
    document.text("options").list(options.size());
    for (const std::string& option : options) document.text(option);
    document.text("headers").map(source.headers.size());
    for (const auto& [name, text] : source.headers) document.text(name).text(text);
    if (macros.empty()) continue;
    document.text("macros").map(macros[i].size());
    for (const auto& [name, value] : macros[i]) {
      document.text(name);
      if (value)
        document.text(*value);
      else
        document.nothing();
    }
  }
  return document.take();
}

// Whatever the translator dies of, be it one kernel alone that does not run in parts.
Result<std::string> run_or_study_apart(std::vector<std::string> arguments, const std::string& input, int timeout_ms) {
  bool died = false;
  Result<std::string> answer = run_translator(arguments, input, timeout_ms, &died);
  if (!died) return answer;
  arguments.insert(arguments.end(), {"--apart", std::to_string(std::max(1, timeout_ms / 2))});
  return run_translator(arguments, input, timeout_ms);
}

// Answers depend on macros, which may be asked about in turn; so often at most.
constexpr int kMostRounds = 30;

// The translator's answer, and the answers of the device's compiler that it needs.
Result<std::string> consult(const std::vector<std::string>& arguments, std::span<const LinkedSource> sources,
                            const DeviceFacts& device, const TranslatorSettings& settings) {
  std::vector<MacroAnswers> macros(settings.ask_compiler ? sources.size() : 0);
  for (int round = 0; round < kMostRounds; ++round) {
    Result<std::string> answer = run_or_study_apart(arguments, document_of(sources, macros), settings.timeout_ms);
    if (!answer) return answer;
    const auto questions = parse_questions(*answer);
    if (!questions) return tl::unexpected(questions.error());
    if (questions->empty()) return answer;
    if (questions->size() != macros.size()) return fail("the translator's questions are about another program");
    for (size_t i = 0; i < macros.size(); ++i) {
      const MacroQuestion& question = (*questions)[i];
      if (question.names.empty()) continue;
      const MacroTable table(TranslationCache(settings.cache_directory), device.compiler, question.options);
      Result<MacroAnswers> answers = table.answers(question.names, settings.ask_compiler);
      if (!answers) return tl::unexpected(answers.error());
      macros[i].merge(*answers);
    }
  }
  return fail("its macros depend on each other without end");
}

// The cache's answer, or else the translator's.
Result<Translation> ask(std::span<const LinkedSource> sources, const DeviceFacts& device,
                        const TranslatorSettings& settings, const char* further = nullptr) {
  std::vector<std::string> arguments = command(device, settings);
  if (further) arguments.emplace_back(further);
  std::string question =
      std::string(kAnswerForm) + "\n" + stamp_of_program(settings.program) + "\n" + device.compiler + "\n";
  for (const std::string& argument : arguments) question += argument + "\n";
  question += document_of(sources, {});
  const TranslationCache cache(settings.cache_directory);
  if (auto kept = cache.find(question)) {
    if (auto translation = parse_translation(*kept)) return translation;
  }
  const Result<std::string> answer = consult(arguments, sources, device, settings);
  if (!answer) return tl::unexpected(answer.error());
  Result<Translation> translation = parse_translation(*answer);
  if (!translation) return translation;
  std::map<std::string, std::string> includes;
  for (const IncludedFile& file : translation->includes) includes[file.path] = file.stamp;
  cache.keep(question, *answer, includes);
  return translation;
}

// The program's source goes with build options as the program gave them, not as they were taken apart.
void keep_own_options(TranslatedSource& translated, const std::string& options) {
  if (!translated.source) translated.options = options;
}

}  // namespace

Result<Translation> translate(const std::string& source, const std::string& build_options, const DeviceFacts& device,
                              const TranslatorSettings& settings) {
  return translate_linked(std::vector<LinkedSource>{{source, build_options, {}}}, device, settings);
}

Result<Translation> translate_linked(std::span<const LinkedSource> sources, const DeviceFacts& device,
                                     const TranslatorSettings& settings) {
  try {
    Result<Translation> translation = ask(sources, device, settings);
    if (translation && translation->sources.size() != sources.size())
      return fail("the translator's answer is about another program");
    for (size_t i = 0; translation && i < sources.size(); ++i)
      keep_own_options(translation->sources[i], sources[i].options);
    return translation;
  } catch (const std::exception& error) {
    return fail(std::string("the source could not be translated: ") + error.what());
  }
}

Result<TranslatedSource> preprocess(const LinkedSource& source, const DeviceFacts& device,
                                    const TranslatorSettings& settings) {
  try {
    Result<Translation> translation = ask({&source, 1}, device, settings, "--preprocess");
    if (!translation) return tl::unexpected(translation.error());
    if (translation->sources.size() != 1 || !translation->sources[0].source)
      return fail("the translator's answer is about another program");
    return std::move(translation->sources[0]);
  } catch (const std::exception& error) {
    return fail(std::string("the source could not be preprocessed: ") + error.what());
  }
}

}  // namespace samcl
