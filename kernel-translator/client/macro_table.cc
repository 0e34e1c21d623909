#include "kernel-translator/client/macro_table.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_document.h"
#include "base/json_text.h"

namespace samcl {
namespace {

using Json = nlohmann::json;

}  // namespace

// 2: what was kept before has no answer where NVIDIA's compiler refused the program that asks.
MacroTable::MacroTable(TranslationCache cache, const std::string& compiler, std::string options)
    : cache_(std::move(cache)),
      options_(std::move(options)),
      question_("what macros stand for, 2\n" + compiler + "\n" + options_) {}

// An entry is null (not defined), a text, or false (no answer).
MacroTable::Entries MacroTable::load() const {
  const auto kept = cache_.find(question_);
  if (!kept) return {};
  Entries entries;
  try {
    const JsonDocument all(read_cbor(*kept));
    for (const auto& [name, value] : all->items()) {
      auto& entry = entries[name];
      if (value.is_null()) entry.emplace(std::nullopt);
      if (value.is_string()) entry.emplace(value.get<std::string>());
    }
  } catch (const Json::exception&) {
    return {};
  }
  return entries;
}

void MacroTable::keep(const Entries& entries) const {
  JsonDocument all(Json::object());
  for (const auto& [name, entry] : entries) {
    Json& kept = (*all)[name];
    if (!entry)
      kept = false;
    else if (*entry)
      kept = **entry;
  }
  cache_.keep(question_, cbor_string(*all), {});
}

Result<MacroAnswers> MacroTable::answers(const std::set<std::string>& names, const AskCompiler& ask) const {
  Entries entries = load();
  std::set<std::string> missing;
  for (const std::string& name : names)
    if (!entries.count(name)) missing.insert(name);
  if (!missing.empty()) {
    const Result<MacroAnswers> told = ask(missing, options_);
    if (!told) return tl::unexpected(told.error());
    // Another process may have learned more in the meantime.
    entries = load();
    for (const std::string& name : missing) {
      const auto found = told->find(name);
      auto& entry = entries[name];
      entry.reset();
      if (found != told->end()) entry.emplace(found->second);
    }
    keep(entries);
  }
  MacroAnswers answers;
  for (const std::string& name : names) {
    const auto& entry = entries[name];
    if (!entry)
      return fail("it depends on the macro " + name + ", of which the device's compiler does not tell the value");
    answers[name] = *entry;
  }
  return answers;
}

}  // namespace samcl
