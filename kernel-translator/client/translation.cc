#include "kernel-translator/client/translation.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "kernel-translator/client/cache.h"
#include "kernel-translator/client/run_translator.h"
#include "kernel-translator/client/translation_json.h"

namespace samcl {
namespace {

// Changes with what the answers hold, so that kept ones of another form are not found.
constexpr char kAnswerForm[] = "3: with several sources";

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
      if (c == quote) quote = 0;
      else word += c;
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
  std::vector<std::string> arguments{settings.program, "-", "--json",
                                     "--device-version", device.device_version,
                                     "--opencl-c-version", device.opencl_c_version,
                                     "--extensions", device.extensions,
                                     "--address-bits", std::to_string(device.address_bits)};
  if (device.image_support) arguments.push_back("--images");
  if (settings.split_printf) arguments.push_back("--split-printf");
  for (const std::string& define : device.defines) arguments.insert(arguments.end(), {"--define", define});
  return arguments;
}

Result<Translation> read(const std::string& answer) {
  Result<Translation> translation = parse_translation(answer);
  if (translation)
    for (IncludedFile& file : translation->includes) file.stamp = file_stamp(file.path);
  return translation;
}

// The cache's answer, or else the translator's to that input on its command line. `options` are as the program
// gave them.
Result<Translation> ask(const std::vector<std::string>& arguments, const std::string& options,
                        const std::string& input, const TranslatorSettings& settings) {
  std::string question = std::string(kAnswerForm) + "\n" + file_stamp(settings.program) + "\n" + options + "\n";
  for (const std::string& argument : arguments) question += argument + "\n";
  question += input;
  const TranslationCache cache(settings.cache_directory);
  if (auto kept = cache.find(question)) {
    if (auto translation = read(*kept)) return translation;
  }
  const Result<std::string> answer = run_translator(arguments, input, settings.timeout_ms);
  if (!answer) return tl::unexpected(answer.error());
  Result<Translation> translation = read(*answer);
  if (!translation) return translation;
  std::vector<std::string> paths;
  for (const IncludedFile& file : translation->includes) paths.push_back(file.path);
  cache.keep(question, *answer, paths);
  return translation;
}

// The program's source goes with build options as the program gave them, not as they were taken apart.
void keep_own_options(TranslatedSource& translated, const std::string& options) {
  if (!translated.source) translated.options = options;
}

}  // namespace

const KernelTranslation* Translation::find(const std::string& kernel_name) const {
  for (const KernelTranslation& kernel : kernels) {
    if (kernel.name == kernel_name) return &kernel;
  }
  return nullptr;
}

Result<Translation> translate(const std::string& source, const std::string& build_options, const DeviceFacts& device,
                              const TranslatorSettings& settings) {
  try {
    std::vector<std::string> arguments = command(device, settings);
    arguments.push_back("--");
    for (std::string& option : split_options(build_options)) arguments.push_back(std::move(option));
    Result<Translation> translation = ask(arguments, build_options, source, settings);
    if (translation && translation->sources.size() != 1) return fail("the translator's answer is about another program");
    if (translation) keep_own_options(translation->sources[0], build_options);
    return translation;
  } catch (const std::exception& error) {
    return fail(std::string("the source could not be translated: ") + error.what());
  }
}

Result<Translation> translate_linked(std::span<const LinkedSource> sources, const DeviceFacts& device,
                                     const TranslatorSettings& settings) {
  try {
    nlohmann::json list = nlohmann::json::array();
    for (const LinkedSource& source : sources)
      list.push_back({{"source", source.source}, {"options", split_options(source.options)}, {"headers", source.headers}});
    const nlohmann::json document = {{"sources", list}};
    std::string input;
    nlohmann::json::to_cbor(document, input);
    std::vector<std::string> arguments = command(device, settings);
    arguments.push_back("--sources");
    Result<Translation> translation = ask(arguments, "", input, settings);
    if (translation && translation->sources.size() != sources.size())
      return fail("the translator's answer is about another program");
    for (size_t i = 0; translation && i < sources.size(); ++i)
      keep_own_options(translation->sources[i], sources[i].options);
    return translation;
  } catch (const std::exception& error) {
    return fail(std::string("the sources could not be translated: ") + error.what());
  }
}

}  // namespace samcl
