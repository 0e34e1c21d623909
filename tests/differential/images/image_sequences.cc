// Plays random sequences of OpenCL commands on images and compares everything that the host can see with what a model
// computes. --help teaches it.
#include <CLI/CLI.hpp>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include "benchmarks/host/random.h"
#include "tests/differential/images/generator.h"
#include "tests/differential/images/player.h"
#include "tests/differential/images/shrink.h"
#include "tests/differential/sequences/command_line.h"

namespace {

using namespace image_sequences;
using sequences::run_in_children;
using sequences::Verdict;

constexpr const char* kAbout =
    R"(image_sequences: plays random sequences of OpenCL commands on images and compares what the host sees with a model

A sequence makes 2 to 4 images of any kind, of three formats of unsigned integers, with and without contents, on memory of the
program or not, and buffers beside them. It writes, reads, copies, fills and maps regions of them, launches kernels that
write their own pixels, read neighbours, scatter and gather, and releases images and makes them anew. The commands come after
each other, in one in-order queue or in two. A model computes on the host what each read and map must show. The program
knows nothing of what it tests: run it as it is, or under samcl.

  POCL_DEVICES=basic image_sequences                         the bare driver
  POCL_DEVICES="basic basic" sam-run --manager off -- image_sequences
  ... --seed 17 --count 1 --print                            show sequence 17, and play it
  ... --seed 17 --count 1 --shrink                           if it fails: find a short one that fails alike
  ... --count 50 --self-test                                 leave out one command in each: all must be noticed

Sequence i of a run has seed --seed + i. Each failure is shown with its seed, its objects and its steps, one a line;
tests/differential/images/sequence.h says what they mean.
Exit code 0: all passed; 1: not; 2: wrong use.
)";

struct Options : sequences::PlayOptions {
  Limits limits;
  std::vector<size_t> only;
};

class Sequences {
 public:
  explicit Sequences(const Options& options) : options_(options) {}

  // The number of failures.
  size_t run() {
    run_in_children(
        0, options_.count, options_.limit_s, [this](size_t i) { return perform(i); },
        [this](size_t i, const Verdict& verdict) {
          if (verdict.kind != Verdict::Kind::passed) failed(i, verdict);
          return failures_ == 0 || options_.keep_going;
        });
    return failures_;
  }

 private:
  Sequence sequence(size_t i) const {
    Sequence made = generate(options_.seed + i, options_.limits);
    if (options_.only.empty()) return made;
    Sequence some{made.objects, {}};
    for (const size_t step : options_.only) some.steps.push_back(made.steps.at(step));
    return some;
  }

  // In the child.
  std::string perform(size_t i) {
    const Sequence made = sequence(i);
    if (options_.print) {
      std::printf("# seed %" PRIu64 "\n%s", options_.seed + i, text(made).c_str());
      std::fflush(stdout);
    }
    return options_.self_test ? self_test(i, made) : play_once(made);
  }
  std::string play_once(const Sequence& made) { return play(device(), made, see(made), {.narrate = options_.narrate}); }
  Device& device() {
    if (!device_ || used_ >= options_.per_context) {
      device_.reset();
      device_ = std::make_unique<Device>(options_.platform, options_.device, options_.limits.kinds);
      used_ = 0;
    }
    ++used_;
    return *device_;
  }

  // Leaves out a command that the model says can be noticed.
  std::string self_test(size_t i, const Sequence& made) {
    const Sights expected = see(made);
    bench::Random random(options_.seed + i);
    for (unsigned tries = 0; tries < 50; ++tries) {
      const size_t left_out = random.below(static_cast<uint32_t>(made.steps.size()));
      if (!can_be_left_out(made.steps[left_out].kind) || !shows(see(made, left_out), expected)) continue;
      if (!play(device(), made, expected, {.left_out = left_out, .narrate = options_.narrate}).empty()) return "";
      return "not noticed that step " + std::to_string(left_out) + " was left out";
    }
    return "";  // nothing in it can be noticed
  }
  static bool can_be_left_out(StepKind kind) {
    return kind == StepKind::write || kind == StepKind::copy || kind == StepKind::image_to_buffer ||
           kind == StepKind::buffer_to_image || kind == StepKind::fill || kind == StepKind::write_buffer ||
           kind == StepKind::fill_buffer || kind == StepKind::launch;
  }
  static bool shows(const Sights& without, const Sights& expected) {
    for (size_t i = 0; i < expected.size(); ++i)
      for (size_t at = 0; at < expected[i].values.size(); ++at)
        if (without[i].defined[at] && expected[i].defined[at] && without[i].values[at] != expected[i].values[at])
          return true;
    return false;
  }

  // In the parent.
  void failed(size_t i, const Verdict& verdict) {
    ++failures_;
    sequences::show_failure(
        options_, "seed " + std::to_string(options_.seed + i), verdict, sequence(i),
        [](const Sequence& made) { return made.steps.size(); },
        [this](const Sequence& made) { return play_once(made); }, image_sequences::shrink);
  }

  const Options& options_;
  size_t failures_ = 0;
  std::unique_ptr<Device> device_;  // only in children
  unsigned used_ = 0;
};

std::map<std::string, Kind> kinds_by_name() {
  std::map<std::string, Kind> kinds;
  for (const Kind kind : kImageKinds) kinds[std::string(name(kind))] = kind;
  return kinds;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(kAbout);
  Options options;
  sequences::add_options(app, options, options.limits.steps, "Print each step before it is done");
  app.add_option("--only", options.only,
                 "Play only these steps of each sequence, e.g. 3,7,12 as --print numbers them; a map with its "
                 "unmap")
      ->delimiter(',');
  app.add_option("--kinds", options.limits.kinds, "Images of these kinds only, e.g. image2d,image3d")
      ->delimiter(',')
      ->transform(CLI::CheckedTransformer(kinds_by_name()));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) ? 2 : 0;
  }
  return sequences::conclude("image_sequences", options.count, options.seed, [&] { return Sequences(options).run(); });
}
