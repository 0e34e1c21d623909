#include "analysis/makespan/model.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <numeric>
#include <optional>

namespace samcl::analysis::makespan {
namespace {

// string := (item count?)*; item := letter | '(' string ')'; count := digits.
class StringParser {
 public:
  explicit StringParser(const std::string& text) : text_(text) {}

  Result<std::string> parse() {
    auto all = sequence();
    if (all && at_ < text_.size()) return error("unexpected ')'");
    if (all && all->empty()) return fail("kernel string: it has no instructions, expected letters such as LLCLL");
    return all;
  }

 private:
  Result<std::string> sequence() {
    std::string result;
    while (skip_blanks(), at_ < text_.size() && text_[at_] != ')') {
      auto item = text_[at_] == '(' ? group() : letter();
      if (!item) return item;
      const auto times = count();
      if (!times) return tl::unexpected(times.error());
      if (result.size() + item->size() * *times > kMostInstructions)
        return error("more than " + std::to_string(kMostInstructions) + " instructions");
      for (size_t n = 0; n < *times; ++n) result += *item;
    }
    return result;
  }

  Result<std::string> group() {
    constexpr int kDeepest = 100;
    if (++depth_ > kDeepest) return error("parentheses nested too deeply");
    ++at_;
    auto inner = sequence();
    if (!inner) return inner;
    if (at_ == text_.size()) return error("expected ')'");
    ++at_;
    --depth_;
    return inner;
  }

  Result<std::string> letter() {
    const char c = text_[at_];
    if (std::isalpha(static_cast<unsigned char>(c)) == 0)
      return error(std::string("'") + c + "' is neither a unit's letter nor a parenthesis nor a count after one");
    ++at_;
    return std::string(1, c);
  }

  Result<size_t> count() {
    skip_blanks();
    if (at_ == text_.size() || std::isdigit(static_cast<unsigned char>(text_[at_])) == 0) return 1;
    size_t value = 0;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_)
      value = std::min(kMostInstructions + 1, value * 10 + static_cast<size_t>(text_[at_] - '0'));
    return value;
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  tl::unexpected<Error> error(const std::string& what) const {
    return fail("kernel string, character " + std::to_string(at_ + 1) + ": " + what);
  }

  const std::string& text_;
  size_t at_ = 0;
  int depth_ = 0;
};

Result<void> check_rates(const std::vector<UnitRate>& rates) {
  for (size_t i = 0; i < rates.size(); ++i) {
    const std::string unit = std::string("unit ") + rates[i].letter + ": ";
    if (rates[i].warps < 1 || rates[i].warps > kMostWarps || rates[i].slots < 1 || rates[i].slots > 1000)
      return fail(unit + "its rate is " + std::to_string(rates[i].warps) + "/" + std::to_string(rates[i].slots) +
                  ", expected 1 to " + std::to_string(kMostWarps) + " warps per 1 to 1000 slots");
    if (rates[i].latency < 1 || rates[i].latency > kMostLatency)
      return fail(unit + "its latency is " + std::to_string(rates[i].latency) + ", expected 1 to " +
                  std::to_string(kMostLatency) + " slots");
    for (size_t j = 0; j < i; ++j)
      if (rates[j].letter == rates[i].letter) return fail(unit + "it is given twice");
  }
  return {};
}

UnitRate rate_of(char letter, const std::vector<UnitRate>& rates) {
  for (UnitRate rate : rates) {
    if (rate.letter != letter) continue;
    const int divisor = std::gcd(rate.warps, rate.slots);
    rate.warps /= divisor;
    rate.slots /= divisor;
    return rate;
  }
  return {.letter = letter};
}

}  // namespace

Result<UnitRate> parse_rate(const std::string& text) {
  UnitRate rate;
  int used = 0;
  const auto whole = [&] { return used == static_cast<int>(text.size()); };
  // Digits are bounded so that nothing overflows; check_rates() knows the limits.
  const bool good =
      (std::sscanf(text.c_str(), "%c=%6d%n", &rate.letter, &rate.warps, &used) == 2 && whole()) ||
      (std::sscanf(text.c_str(), "%c=%6d:%6d%n", &rate.letter, &rate.warps, &rate.latency, &used) == 3 && whole()) ||
      (std::sscanf(text.c_str(), "%c=%6d/%6d%n", &rate.letter, &rate.warps, &rate.slots, &used) == 3 && whole()) ||
      (std::sscanf(text.c_str(), "%c=%6d/%6d:%6d%n", &rate.letter, &rate.warps, &rate.slots, &rate.latency, &used) ==
           4 &&
       whole());
  if (!good || std::isalpha(static_cast<unsigned char>(rate.letter)) == 0)
    return fail("\"" + text +
                "\" is no unit, expected LETTER=WARPS, LETTER=WARPS/SLOTS or either with :LATENCY, such as L=1/2:20");
  return rate;
}

Result<Kernel> parse_kernel(const std::string& text, const std::vector<UnitRate>& rates) {
  const auto parsed = StringParser(text).parse();
  if (!parsed) return tl::unexpected(parsed.error());
  if (auto good = check_rates(rates); !good) return tl::unexpected(good.error());
  Kernel kernel;
  for (const char letter : *parsed) {
    const UnitRate rate = rate_of(letter, rates);
    auto unit = std::find_if(kernel.units.begin(), kernel.units.end(),
                             [&](const Unit& known) { return known.letter == letter; });
    if (unit == kernel.units.end()) unit = kernel.units.insert(unit, Unit{letter, rate.warps});
    const auto index = static_cast<size_t>(unit - kernel.units.begin());
    for (int n = 1; n < rate.slots; ++n) kernel.instructions.push_back({index, 1});
    kernel.instructions.push_back({index, rate.latency});
  }
  for (const UnitRate& rate : rates)
    if (std::none_of(kernel.units.begin(), kernel.units.end(),
                     [&](const Unit& unit) { return unit.letter == rate.letter; }))
      kernel.units.push_back({rate.letter, rate_of(rate.letter, rates).warps});
  if (auto good = check(kernel, 1); !good) return tl::unexpected(good.error());
  return kernel;
}

Result<void> check(const Kernel& kernel, int warps) {
  if (warps < 1 || warps > kMostWarps)
    return fail("the number of warps is " + std::to_string(warps) + ", expected 1 to " + std::to_string(kMostWarps));
  if (kernel.instructions.empty()) return fail("kernel: it has no instructions");
  if (kernel.instructions.size() > kMostInstructions)
    return fail("kernel: " + std::to_string(kernel.instructions.size()) +
                " instructions (a letter of a unit with rate 1/n is n of them), expected at most " +
                std::to_string(kMostInstructions));
  int64_t slots = 0;
  for (const Instruction& instruction : kernel.instructions) {
    if (instruction.unit >= kernel.units.size()) return fail("kernel: an instruction's unit does not exist");
    if (instruction.latency < 1 || instruction.latency > kMostLatency)
      return fail("kernel: a latency is " + std::to_string(instruction.latency) + ", expected 1 to " +
                  std::to_string(kMostLatency));
    slots += instruction.latency;
  }
  if (slots > kMostSlotsPerWarp)
    return fail("kernel: one warp alone takes " + std::to_string(slots) + " slots, expected at most " +
                std::to_string(kMostSlotsPerWarp));
  for (const Unit& unit : kernel.units)
    if (unit.capacity < 1) return fail(std::string("unit ") + unit.letter + ": its capacity is below 1");
  return {};
}

std::string letters(const Kernel& kernel) {
  std::string text;
  for (const Instruction& instruction : kernel.instructions) text += kernel.units[instruction.unit].letter;
  return text;
}

}  // namespace samcl::analysis::makespan
