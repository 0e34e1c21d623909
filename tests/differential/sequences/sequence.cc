#include "tests/differential/sequences/sequence.h"

#include <charconv>
#include <sstream>
#include <stdexcept>

namespace sequences {
namespace {

template <size_t N>
using Names = std::array<std::string_view, N>;

constexpr Names<24> kKinds = {"create", "create_index", "sub_buffer", "release",    "renew_queue", "write",
                              "read",   "fill",         "copy",       "write_rect", "read_rect",   "copy_rect",
                              "map",    "unmap",        "launch",     "barrier",    "marker",      "follow",
                              "gate",   "complete",     "finish",     "flush",      "wait",        "failing"};
constexpr Names<6> kHomes = {"plain", "copy_host", "use_host", "use_host_shifted", "alloc_host", "alloc_copy"};
constexpr Names<3> kMapAccesses = {"read", "write", "invalidate"};
constexpr Names<5> kTies = {"events", "all_events", "barrier", "marker", "host"};

constexpr auto& names(StepKind) { return kKinds; }
constexpr auto& names(Home) { return kHomes; }
constexpr auto& names(MapAccess) { return kMapAccesses; }
constexpr auto& names(Tie) { return kTies; }

template <typename T>
concept Enumeration = std::is_enum_v<T>;

std::string print(const std::string& value) { return value; }
std::string print(std::unsigned_integral auto value) { return std::to_string(value); }
std::string print(Enumeration auto value) { return std::string(names(value)[static_cast<size_t>(value)]); }
std::string print(const Triple& value) {
  return std::to_string(value[0]) + "x" + std::to_string(value[1]) + "x" + std::to_string(value[2]);
}

void scan(std::string_view word, std::string& value) { value = word; }
void scan(std::string_view word, std::unsigned_integral auto& value) {
  unsigned long long number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) throw std::runtime_error("is no number");
  value = static_cast<std::remove_reference_t<decltype(value)>>(number);
}
template <Enumeration T>
void scan(std::string_view word, T& value) {
  for (size_t i = 0; i < names(value).size(); ++i)
    if (names(value)[i] == word) return void(value = T(i));
  throw std::runtime_error("is not known");
}
void scan(std::string_view word, Triple& value) {
  for (size_t d = 0; d < 3; ++d) {
    const size_t end = d < 2 ? word.find('x') : word.size();
    if (end == word.npos) throw std::runtime_error("is not three numbers with 'x' between");
    scan(word.substr(0, end), value[d]);
    if (d < 2) word.remove_prefix(end + 1);
  }
}

// Every field but the kind, by its name in the text.
template <typename S, typename Visit>
void each_field(S& step, Visit visit) {
  visit("queue", step.queue);
  visit("kernel", step.kernel);
  visit("number", step.number);
  visit("to", step.to);
  visit("from", step.from);
  visit("index", step.index);
  visit("home", step.home);
  visit("offset", step.offset);
  visit("from_offset", step.from_offset);
  visit("bytes", step.bytes);
  visit("origin", step.origin);
  visit("from_origin", step.from_origin);
  visit("region", step.region);
  visit("row_pitch", step.row_pitch);
  visit("slice_pitch", step.slice_pitch);
  visit("from_row_pitch", step.from_row_pitch);
  visit("from_slice_pitch", step.from_slice_pitch);
  visit("pattern", step.pattern);
  visit("n", step.n);
  visit("width", step.width);
  visit("height", step.height);
  visit("a", step.a);
  visit("b", step.b);
  visit("dimensions", step.dimensions);
  visit("global", step.global);
  visit("local", step.local);
  visit("start", step.start);
  visit("null_local", step.null_local);
  visit("seed", step.seed);
  visit("blocking", step.blocking);
  visit("access", step.access);
  visit("tie", step.tie);
  visit("gate", step.gate);
  visit("late", step.late);
  visit("callback", step.callback);
  visit("event", step.event);
  visit("poll", step.poll);
}

const Step kDefault;

Step parse_line(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  Step step;
  try {
    scan(word, step.kind);
    while (words >> word) {
      const size_t equals = word.find('=');
      bool known = false;
      each_field(step, [&](std::string_view name, auto& value) {
        if (equals == word.npos || name != std::string_view(word).substr(0, equals)) return;
        scan(std::string_view(word).substr(equals + 1), value);
        known = true;
      });
      if (!known) throw std::runtime_error("is no field of a step with a value");
    }
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("'" + word + "' " + error.what() + " in the line: " + line);
  }
  return step;
}

}  // namespace

std::string_view name(StepKind kind) { return kKinds[static_cast<size_t>(kind)]; }

std::string text(const Step& step) {
  std::string line(name(step.kind));
  std::vector<std::string> values;
  each_field(kDefault, [&](std::string_view, const auto& value) { values.push_back(print(value)); });
  size_t i = 0;
  each_field(step, [&](std::string_view name, const auto& value) {
    const std::string printed = print(value);
    if (printed != values[i++]) line += " " + std::string(name) + "=" + printed;
  });
  return line;
}

std::string text(const Sequence& sequence) {
  std::string lines;
  for (const Step& step : sequence) lines += text(step) + "\n";
  return lines;
}

Sequence parse(const std::string& text) {
  Sequence sequence;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != '#') sequence.push_back(parse_line(line));
  return sequence;
}

}  // namespace sequences
