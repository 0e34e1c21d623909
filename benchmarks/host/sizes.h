// A program's sizes as options of its command line. Each has two values beside what the user gives: the usual
// one, as in the literature's measurements, and a small one for tests.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace bench {

struct SizeValues {
  uint64_t usual;
  uint64_t small;
  uint64_t least;  // what the program accepts, both inclusive
  uint64_t most;
};

class Sizes {
 public:
  explicit Sizes(CLI::App& app) : app_(app) {}

  // `option` sets `value`, which starts at the usual one. `value` must outlive the parsing.
  template <typename T>
  CLI::Option* add(const std::string& option, T& value, const SizeValues& values, const std::string& what) {
    value = static_cast<T>(values.usual);
    return add_option(option, values, what, [&value](uint64_t given) { value = static_cast<T>(given); });
  }

  // After parsing: what the command line did not give becomes small.
  void choose_small() const {
    for (const auto& choose : small_) choose();
  }

 private:
  CLI::Option* add_option(const std::string& option, const SizeValues& values, const std::string& what,
                          const std::function<void(const uint64_t&)>& set);

  CLI::App& app_;
  std::vector<std::function<void()>> small_;
};

}  // namespace bench
