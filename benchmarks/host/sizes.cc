#include "benchmarks/host/sizes.h"

#include <CLI/CLI.hpp>

namespace bench {

Sizes::Sizes(CLI::App& app) : app_(app) {
  app_.add_flag("--small", small_, "Sizes for a quick test, where they are not given");
}

std::optional<int> Sizes::parse(int argc, const char* const* argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_.exit(error) == 0 ? 0 : 2;
  }
  if (small_)
    for (const auto& choose : choose_small_) choose();
  return std::nullopt;
}

CLI::Option* Sizes::add_option(const std::string& option, const SizeValues& values, const std::string& what,
                               const std::function<void(const uint64_t&)>& set) {
  CLI::Option* added = app_.add_option_function(option, set, what + " (--small: " + std::to_string(values.small) + ")")
                           ->default_str(std::to_string(values.usual))
                           ->check(CLI::Range(values.least, values.most));
  choose_small_.push_back([added, set, small = values.small] {
    if (added->count() == 0) set(small);
  });
  return added;
}

}  // namespace bench
