#include "kernel-translator/client/translation.h"

#include <utility>

#include "kernel-translator/client/cache.h"
#include "kernel-translator/client/run_translator.h"
#include "kernel-translator/client/translation_json.h"

namespace samcl {
namespace {

// Changes with what the answers hold, so that kept ones of another form are not found.
constexpr char kAnswerForm[] = "2: with footprints";

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

// The program's source goes with build options as the program gave them, not as they were taken apart.
Translation with_own_options(Translation translation, const std::string& build_options) {
  if (!translation.source) translation.options = build_options;
  return translation;
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
  std::vector<std::string> arguments{settings.program, "-", "--json",
                                     "--device-version", device.device_version,
                                     "--opencl-c-version", device.opencl_c_version,
                                     "--extensions", device.extensions,
                                     "--address-bits", std::to_string(device.address_bits)};
  if (device.image_support) arguments.push_back("--images");
  for (const std::string& define : device.defines) arguments.insert(arguments.end(), {"--define", define});
  arguments.push_back("--");
  for (std::string& option : split_options(build_options)) arguments.push_back(std::move(option));
  try {
    std::string question = std::string(kAnswerForm) + "\n" + file_stamp(settings.program) + "\n" + build_options + "\n";
    for (const std::string& argument : arguments) question += argument + "\n";
    question += source;
    const TranslationCache cache(settings.cache_directory);
    if (auto kept = cache.find(question)) {
      if (auto translation = parse_translation(*kept)) return with_own_options(*translation, build_options);
    }
    const Result<std::string> answer = run_translator(arguments, source, settings.timeout_ms);
    if (!answer) return tl::unexpected(answer.error());
    Result<Translation> translation = parse_translation(*answer);
    if (!translation) return translation;
    cache.keep(question, *answer, included_files(*answer));
    return with_own_options(*translation, build_options);
  } catch (const std::exception& error) {
    return fail(std::string("the source could not be translated: ") + error.what());
  }
}

}  // namespace samcl
