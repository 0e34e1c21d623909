// What daemon and clients tell each other besides waiting for leases: one JSON object per packet, of limited
// size and depth, that names the version it speaks. Reading one never throws; an error names the field. Pure
// logic.
//
//   {"samcl": 4, "ask": "hello", "task": "camera", "devices": ["pocl:0"], "gpus": 0}
//   {"samcl": 4, "error": "..."}   or   {"samcl": 4, ...what was asked for...}
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace samcl::protocol {

// Errors: too long, nested too deeply, no JSON object, of another version.
Result<nlohmann::json> parse_document(std::string_view bytes);

// The same for JSON from anywhere else, which has no version.
Result<nlohmann::json> parse_json(std::string_view bytes, size_t most_bytes);

// With the version; what is no UTF-8 in it is replaced.
std::string format_document(nlohmann::json document);

// Whether it can be shown and stored as a name: UTF-8 without control characters, of 1 to `most_bytes` bytes.
Result<void> check_name(const std::string& text, size_t most_bytes);

// The fields of an object. The first error stays; what is read after it is worthless.
class Fields {
 public:
  // `where`: begins every error, such as "task \"camera\"".
  Fields(const nlohmann::json& object, std::string where);

  std::string text(const char* field, size_t most_bytes);  // a name, or "" or absent
  std::string name(const char* field, size_t most_bytes);  // a name
  int64_t integer(const char* field, int64_t least, int64_t most);
  int64_t integer_or(const char* field, int64_t least, int64_t most, int64_t absent);
  bool flag(const char* field);                                                       // absent: false
  std::vector<std::string> names(const char* field, size_t most, size_t most_bytes);  // absent: none
  std::vector<int64_t> integers(const char* field, size_t count, int64_t least, int64_t most);
  const nlohmann::json* object(const char* field);  // absent: nullptr

  // The first error, if there was one. Fields that were not asked for are left alone.
  Result<void> end();

 private:
  const nlohmann::json* find(const char* field);
  void wrong(const char* field, const std::string& expected);

  const nlohmann::json& object_;
  std::string where_;
  std::string error_;
};

}  // namespace samcl::protocol
