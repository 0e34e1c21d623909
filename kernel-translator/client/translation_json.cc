#include "kernel-translator/client/translation_json.h"

#include "base/json_document.h"
#include "base/json_text.h"
#include "contract/translation_json.h"

namespace samcl {

using Json = nlohmann::json;

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
    return translation;
  } catch (const std::exception& error) {
    return fail(std::string("the translator's answer can't be read: ") + error.what());
  }
}

}  // namespace samcl
