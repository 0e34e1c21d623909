#include "kernel-translator/client/translation_json.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "base/json_document.h"
#include "base/json_text.h"
#include "contract/translation_json.h"

namespace samcl {

namespace {

using Json = nlohmann::json;

bool is_integer(const KernelArgument& argument) {
  const uint64_t size = argument.size;
  return argument.kind == ArgumentKind::value && (size == 1 || size == 2 || size == 4 || size == 8);
}

// Launches are made of what stands here: nobody looks at it again.
void check_gathering(const Translation& translation) {
  const auto has_variants = [](const TranslatedSource& source) { return source.gathered.has_value(); };
  for (const KernelTranslation& kernel : translation.kernels) {
    const std::vector<uint32_t>& by = kernel.gathers_by;
    if (std::adjacent_find(by.begin(), by.end(), std::greater_equal<>()) != by.end())
      throw std::invalid_argument("gathers_by of " + kernel.name + " does not ascend");
    for (const uint32_t number : by)
      if (number >= kernel.arguments.size() || !is_integer(kernel.arguments[number]))
        throw std::invalid_argument("gathers_by of " + kernel.name + " names what is no integer");
    if (!by.empty() && !std::all_of(translation.sources.begin(), translation.sources.end(), has_variants))
      throw std::invalid_argument("there is no source in which " + kernel.name + " gathers launches");
  }
}

}  // namespace

Result<std::vector<MacroQuestion>> parse_questions(const std::string& text) {
  std::vector<MacroQuestion> questions;
  if (!text.starts_with("{\"questions\"")) return questions;
  try {
    const JsonDocument document(read_json(text));
    for (const Json& each : document->at("questions"))
      questions.push_back({each.at("names").get<std::set<std::string>>(), each.at("options").get<std::string>()});
    return questions;
  } catch (const std::exception& error) {
    return fail(std::string("the translator's questions can't be read: ") + error.what());
  }
}

Result<Translation> parse_translation(const std::string& text) {
  try {
    const JsonDocument document(read_json(text));
    const Json& json = *document;
    Translation translation;
    if (json.contains("sources"))
      json.at("sources").get_to(translation.sources);
    else
      translation.sources.push_back(json.get<TranslatedSource>());
    for (const auto& [path, stamp] : json.at("includes").items())
      translation.includes.push_back({path, stamp.get<std::string>()});
    json.at("kernels").get_to(translation.kernels);
    check_gathering(translation);
    return translation;
  } catch (const std::exception& error) {
    return fail(std::string("the translator's answer can't be read: ") + error.what());
  }
}

}  // namespace samcl
