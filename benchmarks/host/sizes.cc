#include "benchmarks/host/sizes.h"

#include <CLI/CLI.hpp>

namespace bench {

CLI::Option* Sizes::add_option(const std::string& option, const SizeValues& values, const std::string& what,
                               const std::function<void(const uint64_t&)>& set) {
  CLI::Option* added =
      app_.add_option_function(option, set, what + " (--small: " + std::to_string(values.small) + ")")
          ->default_str(std::to_string(values.usual))
          ->check(CLI::Range(values.least, values.most));
  small_.push_back([added, set, small = values.small] {
    if (added->count() == 0) set(small);
  });
  return added;
}

}  // namespace bench
