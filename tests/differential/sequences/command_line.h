// What the programs that play random sequences have in common: options, how a run ends, and what is shown of a failure.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>

#include "tests/differential/sequences/in_children.h"

namespace sequences {

struct PlayOptions {
  unsigned platform = 0, device = 0;
  uint64_t seed = 1;
  size_t count = 100;
  unsigned per_context = 20;
  int limit_s = 120;
  unsigned shrink_tries = 300;
  bool print = false, narrate = false, shrink = false, self_test = false, keep_going = false;
};

// steps: about how many each has; narrates: what --narrate does.
void add_options(CLI::App& app, PlayOptions& options, size_t& steps, const std::string& narrates);

// `run` plays `count` sequences from that seed and returns the number of failures. The program's exit code.
int conclude(const char* program, size_t count, uint64_t seed, const std::function<size_t()>& run);

// In the parent: prints a failure, and its sequence, made as short as `shrink` can make it where that is asked for.
// Which: its seed or file; steps: of a sequence; play: in a child, what is wrong.
template <typename Sequence, typename Steps, typename Play, typename Shrink>
void show_failure(const PlayOptions& options, const std::string& which, const Verdict& verdict, Sequence made,
                  const Steps& steps, const Play& play, const Shrink& shrink) {
  std::printf("FAIL %s: %s\n", which.c_str(), verdict.what.c_str());
  if (options.shrink && !options.self_test) {
    std::string last;
    const std::function<bool(const Sequence&)> fails_alike = [&](const Sequence& candidate) {
      bool fails = false;
      run_in_children(
          0, 1, options.limit_s, [&](size_t) { return play(candidate); },
          [&](size_t, const Verdict& its) {
            fails = its.kind == verdict.kind;
            if (fails) last = its.what;
            return false;
          });
      return fails;
    };
    if (fails_alike(made)) {
      made = shrink(std::move(made), fails_alike, options.shrink_tries);
      std::printf("shrunk to %zu steps, which fail so: %s\n", steps(made), last.c_str());
    } else {
      std::printf("it passes when played alone: what came before it in the process matters, or chance\n");
    }
  }
  std::printf("%s\n", text(made).c_str());
  std::fflush(stdout);
}

}  // namespace sequences
