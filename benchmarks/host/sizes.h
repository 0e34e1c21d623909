// A program's sizes as options of its command line. Each has two values beside what the user gives: the usual
// one, as in the literature's measurements, and a small one for tests.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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
  // Adds --small to the options. `app` must outlive the sizes.
  explicit Sizes(CLI::App& app);

  // `option` sets `value`, which starts at the usual one. `value` must outlive the parsing.
  template <typename T>
  CLI::Option* add(const std::string& option, T& value, const SizeValues& values, const std::string& what) {
    value = static_cast<T>(values.usual);
    return add_option(option, values, what, [&value](uint64_t given) { value = static_cast<T>(given); });
  }

  // Reads the command line; after --small, the sizes that it does not give are small. The exit code if the
  // program shall end here: 0 after --help, 2 if the command line is wrong, which is then told on stderr.
  std::optional<int> parse(int argc, const char* const* argv);

 private:
  CLI::Option* add_option(const std::string& option, const SizeValues& values, const std::string& what,
                          const std::function<void(const uint64_t&)>& set);

  CLI::App& app_;
  bool small_ = false;
  std::vector<std::function<void()>> choose_small_;  // where the command line does not say otherwise
};

}  // namespace bench
