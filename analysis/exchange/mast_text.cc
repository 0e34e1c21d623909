#include "analysis/exchange/mast_text.h"

#include <algorithm>
#include <cctype>

namespace samcl::analysis {
namespace {

std::string lower_of(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

struct Token {
  std::string text;  // a word, or "(", ")", ",", ";", "=>"; empty at the end
  int line = 0;
};

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) { next(); }

  Result<std::vector<MastValue>> objects() {
    std::vector<MastValue> all;
    while (!token_.text.empty()) {
      MastValue object;
      object.name = lower_of(token_.text);
      object.line = token_.line;
      next();
      if (auto good = list(object); !good) return tl::unexpected(good.error());
      if (auto good = take(";"); !good) return tl::unexpected(good.error());
      all.push_back(std::move(object));
    }
    return all;
  }

 private:
  bool is_word() const {
    return !token_.text.empty() && std::string("(),;=").find(token_.text[0]) == std::string::npos;
  }

  Result<void> take(const std::string& wanted) {
    if (token_.text != wanted)
      return fail("line " + std::to_string(token_.line) + ": '" + token_.text + "', expected '" + wanted + "'");
    next();
    return {};
  }

  // From "(" to ")".
  Result<void> list(MastValue& into) {
    if (auto good = take("("); !good) return good;
    while (true) {
      MastValue value;
      if (auto good = entry(value); !good) return good;
      into.list.push_back(std::move(value));
      if (token_.text != ",") return take(")");
      next();
    }
  }

  // name => value, or a value.
  Result<void> entry(MastValue& into) {
    into.line = token_.line;
    if (token_.text == "(") return list(into);
    if (!is_word())
      return fail("line " + std::to_string(token_.line) + ": '" + token_.text + "', expected a name or a value");
    into.text = token_.text;
    next();
    if (token_.text != "=>") return {};
    next();
    into.name = lower_of(into.text);
    into.text.clear();
    if (token_.text == "(") return list(into);
    if (!is_word()) return fail("line " + std::to_string(token_.line) + ": '" + token_.text + "', expected a value");
    into.text = token_.text;
    next();
    return {};
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (text_.compare(at_, 2, "--") == 0) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        line_ += text_[at_++] == '\n' ? 1 : 0;
      } else {
        return;
      }
    }
  }

  void next() {
    skip_blanks();
    token_ = {"", line_};
    if (at_ >= text_.size()) return;
    if (text_.compare(at_, 2, "=>") == 0) {
      token_.text = "=>";
      at_ += 2;
    } else if (std::string("(),;=").find(text_[at_]) != std::string::npos) {
      token_.text = text_[at_++];
    } else {
      const size_t end = std::min(text_.find_first_of("(),;= \t\r\n", at_), text_.size());
      token_.text = text_.substr(at_, end - at_);
      at_ = end;
    }
  }

  const std::string& text_;
  size_t at_ = 0;
  int line_ = 1;
  Token token_;
};

}  // namespace

const MastValue* MastValue::find(const std::string& wanted) const {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const MastValue& value) { return value.name == wanted; });
  return found == list.end() ? nullptr : &*found;
}

std::string MastValue::lower(const std::string& wanted) const {
  const MastValue* found = find(wanted);
  return found ? lower_of(found->text) : "";
}

Result<std::vector<MastValue>> parse_mast_text(const std::string& text) { return Parser(text).objects(); }

}  // namespace samcl::analysis
