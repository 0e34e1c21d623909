#include "analysis/exchange/tags.h"

#include <algorithm>

namespace samcl::analysis {
namespace {

constexpr const char* kSpace = " \t\r\n";

std::string unescaped(std::string text) {
  for (const auto& [entity, letter] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
    for (size_t found = 0; (found = text.find(entity, found)) != std::string::npos; ++found)
      text.replace(found, std::string(entity).size(), letter);
  return text;
}

// name="value" or name='value', as often as there are.
Result<void> read_attributes(const std::string& inside, size_t at, Tag& tag) {
  while ((at = inside.find_first_not_of(kSpace, at)) != std::string::npos) {
    const size_t equals = inside.find('=', at);
    const size_t open = equals == std::string::npos ? equals : inside.find_first_not_of(kSpace, equals + 1);
    const bool quoted = open != std::string::npos && (inside[open] == '"' || inside[open] == '\'');
    const size_t close = quoted ? inside.find(inside[open], open + 1) : std::string::npos;
    if (close == std::string::npos)
      return fail("line " + std::to_string(tag.line) + ": in <" + tag.name + ">, expected name=\"value\"");
    const size_t end = inside.find_last_not_of(kSpace, equals - 1) + 1;
    tag.attributes[inside.substr(at, end - at)] = unescaped(inside.substr(open + 1, close - open - 1));
    at = close + 1;
  }
  return {};
}

// Of the text from `at` to the next tag.
std::string text_behind(const std::string& text, size_t at) {
  const std::string behind = unescaped(text.substr(at, text.find('<', at) - at));
  const size_t begin = behind.find_first_not_of(kSpace);
  if (begin == std::string::npos) return "";
  return behind.substr(begin, behind.find_last_not_of(kSpace) + 1 - begin);
}

}  // namespace

std::string where(const Tag& tag) { return "line " + std::to_string(tag.line) + ", <" + tag.name + ">, "; }

Result<std::vector<Tag>> parse_tags(const std::string& text) {
  std::vector<Tag> tags;
  for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    const int line =
        1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    const bool comment = text.compare(at, 4, "<!--") == 0;
    const size_t end = comment ? text.find("-->", at) : text.find('>', at);
    if (end == std::string::npos) return fail("line " + std::to_string(line) + ": '<' without its end");
    std::string inside = text.substr(at + 1, end - at - 1);
    at = end + 1;
    if (comment || inside.empty() || inside[0] == '?' || inside[0] == '!') continue;
    Tag tag;
    tag.line = line;
    tag.text = text_behind(text, at);
    tag.closed = inside.back() == '/';
    if (tag.closed) inside.pop_back();
    const size_t name_end = std::min(inside.find_first_of(kSpace), inside.size());
    tag.name = inside.substr(0, name_end);
    if (auto good = read_attributes(inside, name_end, tag); !good) return tl::unexpected(good.error());
    tags.push_back(std::move(tag));
  }
  return tags;
}

}  // namespace samcl::analysis
