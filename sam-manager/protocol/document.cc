#include "sam-manager/protocol/document.h"

#include <algorithm>

#include "base/json_text.h"
#include "base/visible.h"
#include "sam-manager/protocol/limits.h"

namespace samcl::protocol {

using nlohmann::json;

namespace {

// Of arrays and objects. The parser and what comes after it may take memory or stack in proportion.
int nesting(std::string_view text) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

// The length of the UTF-8 sequence at the front; 0: there is none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  const size_t length = first < 0x80                    ? 1
                        : first >= 0xc2 && first < 0xe0 ? 2
                        : first >= 0xe0 && first < 0xf0 ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4
                                                        : 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Longer than needed, surrogates, beyond Unicode.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0) || (first == 0xf0 && byte(1) < 0x90) ||
      (first == 0xf4 && byte(1) >= 0x90))
    return 0;
  return length;
}

}  // namespace

Result<json> parse_json(std::string_view bytes, size_t most_bytes) {
  if (bytes.size() > most_bytes)
    return fail("it has " + std::to_string(bytes.size()) + " bytes, expected at most " + std::to_string(most_bytes));
  if (nesting(bytes) > kMaxNesting)
    return fail("it is nested more than " + std::to_string(kMaxNesting) + " levels deep");
  json value = try_read_json(bytes);
  if (!value.is_object()) return fail("it is no JSON object");
  return value;
}

Result<json> parse_document(std::string_view bytes) {
  auto document = parse_json(bytes, kMaxDocumentBytes);
  if (!document) return document;
  const auto version = document->find("samcl");
  if (version == document->end() || !version->is_number_integer()) return fail("\"samcl\" (its version) is missing");
  if (*version != kVersion)
    return fail("it speaks version " + version->dump() + ", expected " + std::to_string(kVersion) +
                ": program and daemon are of different releases of samcl");
  return document;
}

std::string format_document(json document) {
  document["samcl"] = kVersion;
  return json_text(document);
}

Result<void> check_name(const std::string& text, size_t most_bytes) {
  if (text.empty() || text.size() > most_bytes)
    return fail("has " + std::to_string(text.size()) + " bytes, expected 1 to " + std::to_string(most_bytes));
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    const size_t length = utf8_length(rest);
    if (length == 0) return fail("is no UTF-8 text");
    if (control_character(rest) > 0) return fail("has a control character");
    at += length;
  }
  return {};
}

Fields::Fields(const json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object_.is_object()) error_ = where_ + ": expected an object";
}

const json* Fields::find(const char* field) {
  if (!error_.empty()) return nullptr;
  const auto found = object_.find(field);
  return found == object_.end() ? nullptr : &*found;
}

void Fields::wrong(const char* field, const std::string& expected) {
  if (error_.empty()) error_ = where_ + ": " + field + ": " + expected;
}

std::string Fields::text(const char* field, size_t most_bytes) {
  const json* value = find(field);
  if (!value) return "";
  if (!value->is_string()) return wrong(field, "expected a string"), "";
  auto text = value->get<std::string>();
  if (text.empty()) return text;
  if (const auto checked = check_name(text, most_bytes); !checked) return wrong(field, checked.error().message), "";
  return text;
}

std::string Fields::name(const char* field, size_t most_bytes) {
  auto text = this->text(field, most_bytes);
  if (text.empty()) wrong(field, "expected a name");
  return text;
}

int64_t Fields::integer(const char* field, int64_t least, int64_t most) {
  if (!find(field)) return wrong(field, "it is missing"), least;
  return integer_or(field, least, most, least);
}

int64_t Fields::integer_or(const char* field, int64_t least, int64_t most, int64_t absent) {
  const json* value = find(field);
  if (!value) return absent;
  const std::string expected = "expected an integer, " + std::to_string(least) + " to " + std::to_string(most);
  if (!value->is_number_integer()) return wrong(field, expected), absent;
  if (value->is_number_unsigned() && value->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
    return wrong(field, expected), absent;
  const auto number = value->get<int64_t>();
  if (number < least || number > most) return wrong(field, expected + ", not " + std::to_string(number)), absent;
  return number;
}

bool Fields::flag(const char* field) {
  const json* value = find(field);
  if (!value) return false;
  if (!value->is_boolean()) return wrong(field, "expected true or false"), false;
  return value->get<bool>();
}

std::vector<std::string> Fields::names(const char* field, size_t most, size_t most_bytes) {
  const json* value = find(field);
  if (!value) return {};
  if (!value->is_array() || value->size() > most)
    return wrong(field, "expected an array of at most " + std::to_string(most) + " names"), std::vector<std::string>();
  std::vector<std::string> names;
  for (const json& entry : *value) {
    const auto checked =
        entry.is_string() ? check_name(entry.get<std::string>(), most_bytes) : Result<void>(fail("is no string"));
    if (!checked) return wrong(field, "name " + std::to_string(names.size()) + " " + checked.error().message), names;
    names.push_back(entry.get<std::string>());
  }
  return names;
}

std::vector<int64_t> Fields::integers(const char* field, size_t count, int64_t least, int64_t most) {
  const json* value = find(field);
  const auto is_one = [&](const json& entry) {
    return entry.is_number_unsigned()
               ? entry.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX) &&
                     static_cast<int64_t>(entry.get<uint64_t>()) >= least &&
                     static_cast<int64_t>(entry.get<uint64_t>()) <= most
               : entry.is_number_integer() && entry.get<int64_t>() >= least && entry.get<int64_t>() <= most;
  };
  if (!value || !value->is_array() || value->size() != count || !std::all_of(value->begin(), value->end(), is_one)) {
    wrong(field,
          "expected " + std::to_string(count) + " integers, " + std::to_string(least) + " to " + std::to_string(most));
    return {};
  }
  return value->get<std::vector<int64_t>>();
}

const json* Fields::object(const char* field) {
  const json* value = find(field);
  if (value && !value->is_object()) return wrong(field, "expected an object"), nullptr;
  return value;
}

Result<void> Fields::end() {
  if (!error_.empty()) return fail(error_);
  return {};
}

}  // namespace samcl::protocol
