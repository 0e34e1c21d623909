#include "libsamcl/program/recipe.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace samcl {
namespace {

using Json = nlohmann::json;

void collect(const Recipe& recipe, std::vector<const Recipe*>& found) {
  if (recipe.step == Recipe::Step::link) {
    for (const auto& input : recipe.inputs) collect(*input, found);
  } else if (std::find(found.begin(), found.end(), &recipe) == found.end()) {
    found.push_back(&recipe);
  }
}

LinkedSource source_of(const Recipe& recipe) { return {recipe.source, recipe.options, recipe.headers}; }

// What headers are called can be made of macros, but this word cannot.
bool may_include(const Recipe& recipe) {
  const auto mentions = [](const std::string& text) { return text.find("include") != std::string::npos; };
  return mentions(recipe.source) || std::any_of(recipe.headers.begin(), recipe.headers.end(),
                                                [&](const auto& header) { return mentions(header.second); });
}

Json to_json(const Recipe& recipe) {
  Json json = {{"step", recipe.step}, {"options", recipe.options}};
  if (recipe.step == Recipe::Step::link) {
    for (const auto& input : recipe.inputs) json["inputs"].push_back(to_json(*input));
  } else {
    json["source"] = recipe.source;
    json["headers"] = recipe.headers;
  }
  return json;
}

std::shared_ptr<const Recipe> from_json(const Json& json) {
  auto recipe = std::make_shared<Recipe>();
  recipe->step = json.at("step").get<Recipe::Step>();
  recipe->options = json.at("options").get<std::string>();
  if (recipe->step == Recipe::Step::link) {
    for (const Json& input : json.at("inputs")) recipe->inputs.push_back(from_json(input));
  } else {
    recipe->source = json.at("source").get<std::string>();
    recipe->headers = json.at("headers").get<std::map<std::string, std::string>>();
  }
  return recipe;
}

}  // namespace

bool Recipe::is_executable() const {
  if (step != Step::link) return step == Step::build;
  std::istringstream words(options);
  for (std::string word; words >> word;) {
    if (word == "-create-library") return false;
  }
  return true;
}

std::vector<const Recipe*> sources_of(const Recipe& recipe) {
  std::vector<const Recipe*> found;
  collect(recipe, found);
  return found;
}

Result<Translation> translate(const Recipe& recipe, const DeviceFacts& device, const TranslatorSettings& settings) {
  std::vector<LinkedSource> sources;
  for (const Recipe* each : sources_of(recipe)) sources.push_back(source_of(*each));
  return translate_linked(sources, device, settings);
}

Result<std::shared_ptr<const Recipe>> without_files(Recipe compilation, const DeviceFacts& device,
                                                    const TranslatorSettings& settings) {
  if (may_include(compilation)) {
    Result<TranslatedSource> text = preprocess(source_of(compilation), device, settings);
    if (!text) return tl::unexpected(text.error());
    compilation.source = *std::move(text->source);
    compilation.options = std::move(text->options);
    compilation.headers.clear();
  }
  return std::make_shared<const Recipe>(std::move(compilation));
}

std::vector<uint8_t> to_bytes(const Recipe& recipe) { return Json::to_cbor(to_json(recipe)); }

Result<std::shared_ptr<const Recipe>> recipe_from_bytes(std::span<const uint8_t> bytes) {
  try {
    return from_json(Json::from_cbor(bytes));
  } catch (const Json::exception& error) {
    return fail(std::string("not a recipe: ") + error.what());
  }
}

}  // namespace samcl
