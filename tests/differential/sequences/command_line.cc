#include "tests/differential/sequences/command_line.h"

#include <cinttypes>
#include <exception>

namespace sequences {

void add_options(CLI::App& app, PlayOptions& options, size_t& steps, const std::string& narrates) {
  app.add_option("--seed", options.seed, "Seed of the first sequence")->capture_default_str();
  app.add_option("--count", options.count, "How many sequences")->capture_default_str();
  app.add_option("--steps", steps, "About how many steps each")->capture_default_str();
  app.add_option("--platform", options.platform, "Index of the OpenCL platform")->capture_default_str();
  app.add_option("--device", options.device, "Index of the device in the platform's list")->capture_default_str();
  app.add_option("--per-context", options.per_context, "Sequences in one context")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_option("--limit", options.limit_s, "Seconds after which a sequence counts as hanging")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_flag("--print", options.print, "Print each sequence before it is played");
  app.add_flag("--narrate", options.narrate, narrates);
  app.add_flag("--shrink", options.shrink, "Make a sequence that fails as short as possible");
  app.add_option("--shrink-tries", options.shrink_tries, "How often a shorter one is played")->capture_default_str();
  app.add_flag("--keep-going", options.keep_going, "Go on after a failure");
  app.add_flag("--self-test", options.self_test, "Leave out a command in each sequence: not to notice it is a failure");
}

int conclude(const char* program, size_t count, uint64_t seed, const std::function<size_t()>& run) {
  try {
    const size_t failures = run();
    if (failures)
      std::printf("%zu failed: FAIL\n", failures);
    else
      std::printf("%zu sequences from seed %" PRIu64 ": PASS\n", count, seed);
    return failures ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 2;
  }
}

}  // namespace sequences
