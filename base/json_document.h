// JSON that asks for no memory when it goes. Pure; any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <utility>

namespace samcl {

/// Frees what a value holds, from its leaves. nlohmann's own destructor makes a list of all values first, and the
/// process ends where there is no memory for it; of values that hold nothing there is no list. Nor may an object be
/// made by an initializer list, where the library destroys lists of two as it goes: assign its members.
inline void take_apart(nlohmann::json& value) noexcept {
  if (!value.is_structured()) return;
  for (nlohmann::json& each : value) take_apart(each);
  value.clear();
}

/// A value that is taken apart at its end.
class JsonDocument {
 public:
  explicit JsonDocument(nlohmann::json value) noexcept : value_(std::move(value)) {}
  ~JsonDocument() { take_apart(value_); }
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  nlohmann::json& operator*() { return value_; }
  const nlohmann::json& operator*() const { return value_; }
  nlohmann::json* operator->() { return &value_; }
  const nlohmann::json* operator->() const { return &value_; }

 private:
  nlohmann::json value_;
};

}  // namespace samcl
