#include "libsamcl/runtime/recipe.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

namespace samcl {
namespace {

using Json = nlohmann::json;

// Times of files are those of the kernel's last tick, at most this much too early.
constexpr int64_t kTick = 20'000'000;  // ns

// Whether a file may have changed since that time; times of change are not the program's to set.
bool may_have_changed(const std::string& path, int64_t since) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return true;
  return info.st_ctim.tv_sec * 1'000'000'000 + info.st_ctim.tv_nsec + kTick >= since;
}

std::string folder_of_process() {
  std::error_code error;
  return std::filesystem::current_path(error);
}

void collect(const Recipe& recipe, std::vector<const Recipe*>& found) {
  if (recipe.step == Recipe::Step::link) {
    for (const auto& input : recipe.inputs) collect(*input, found);
  } else if (std::find(found.begin(), found.end(), &recipe) == found.end()) {
    found.push_back(&recipe);
  }
}

Result<Translation> translate_inputs(const Recipe& recipe, const DeviceFacts& device,
                                     const TranslatorSettings& settings) {
  std::vector<LinkedSource> sources;
  int64_t begun = INT64_MAX;
  bool elsewhere = false;
  for (const Recipe* each : sources_of(recipe)) {
    sources.push_back({each->source, each->options, each->headers});
    begun = std::min(begun, each->begun);
    elsewhere = elsewhere || each->folder != folder_of_process();
  }
  Result<Translation> translation = translate_linked(sources, device, settings);
  if (!translation) return translation;
  if (elsewhere && !translation->includes.empty()) {
    return fail("it includes files, and the process has changed its folder since it was compiled");
  }
  for (const IncludedFile& file : translation->includes) {
    if (may_have_changed(file.path, begun)) return fail(file.path + " may have changed since it was compiled");
  }
  return translation;
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
  recipe->begun = time_of_day();
  recipe->folder = folder_of_process();
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

int64_t time_of_day() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::shared_ptr<Recipe> begin_recipe(Recipe::Step step, const char* options, const std::string& source) {
  return std::make_shared<Recipe>(Recipe{.step = step,
                                         .options = options ? options : "",
                                         .source = source,
                                         .begun = time_of_day(),
                                         .folder = folder_of_process()});
}

std::vector<const Recipe*> sources_of(const Recipe& recipe) {
  std::vector<const Recipe*> found;
  collect(recipe, found);
  return found;
}

Result<Translation> translate(const Recipe& recipe, const DeviceFacts& device, const TranslatorSettings& settings) {
  if (recipe.step == Recipe::Step::build) return translate(recipe.source, recipe.options, device, settings);
  return translate_inputs(recipe, device, settings);
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
