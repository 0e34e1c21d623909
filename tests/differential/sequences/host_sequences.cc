// Plays random sequences of OpenCL host commands and compares everything that the host can see with what a
// model computes. --help teaches it.
#include <CLI/CLI.hpp>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "benchmarks/host/random.h"
#include "tests/differential/sequences/command_line.h"
#include "tests/differential/sequences/generator.h"
#include "tests/differential/sequences/model.h"
#include "tests/differential/sequences/player.h"
#include "tests/differential/sequences/shrink.h"

namespace {

using namespace sequences;

constexpr const char* kAbout =
    R"(host_sequences: plays random sequences of OpenCL host commands and compares what the host sees with a model

A sequence makes, uses and releases buffers and sub-buffers, writes, reads, fills, copies, maps them, launches
kernels on them, in several queues in and out of order, with events, user events, barriers, callbacks and what these enqueue,
waiting and polling. Its result is determined: commands that touch the same bytes wait for each other. A model computes
on the host what every read and map must show, and the times of commands must be in their order. The program knows
nothing of what it tests: run it as it is, or under samcl.

  host_sequences --devices 1 --around-pocl                   the bare driver
  sam-run --manager off -- host_sequences --devices 2        samcl on two of PoCL's devices
  ... --seed 17 --count 1 --print                            show sequence 17, and play it
  ... --seed 17 --count 1 --shrink                           if it fails: find the shortest that fails alike
  ... --play steps.txt                                       play what --print or --shrink has shown
  ... --count 50 --self-test                                 leave out one command in each: all must be noticed

Sequence i of a run has seed --seed + i. Each failure is shown with its seed and its steps, one a line: the kind,
then what differs from the default; tests/differential/sequences/sequence.h says what it means.
Exit code 0: all passed; 1: not; 2: wrong use.
)";

struct Options : PlayOptions {
  Options() { shrink_tries = 600; }
  Limits limits;
  unsigned devices = 0;
  std::string driver = "basic";
  bool around_pocl = false;
  std::string play;
};

// What the child keeps from sequence to sequence.
struct Device {
  bench::Session session;
  bench::Program kernels;
  unsigned used = 0;
};

class Sequences {
 public:
  explicit Sequences(const Options& options) : options_(options) {}

  // The number of failures.
  size_t run() {
    run_in_children(
        0, count(), options_.limit_s, [this](size_t i) { return perform(i); },
        [this](size_t i, const Verdict& verdict) {
          if (verdict.kind != Verdict::Kind::passed) failed(i, verdict);
          return failures_ == 0 || options_.keep_going;
        });
    return failures_;
  }

 private:
  size_t count() const { return options_.play.empty() ? options_.count : 1; }
  Sequence sequence(size_t i) const {
    if (options_.play.empty()) return generate(options_.seed + i, options_.limits);
    std::ifstream file(options_.play);
    std::ostringstream all;
    if (!(all << file.rdbuf())) throw std::runtime_error("cannot read " + options_.play);
    return parse(all.str());
  }

  // In the child.
  std::string perform(size_t i) {
    const Sequence steps = sequence(i);
    if (options_.print) {
      std::printf("# seed %" PRIu64 "\n%s", options_.seed + i, text(steps).c_str());
      std::fflush(stdout);
    }
    return options_.self_test ? self_test(i, steps) : play_once(steps);
  }
  std::string play_once(const Sequence& steps) {
    const Ordering ordering = order(steps);
    return play(device(), ordering, see(ordering));
  }
  std::string play(Device& device, const Ordering& ordering, const Sights& expected,
                   std::optional<size_t> left_out = {}) {
    return sequences::play(device.session, device.kernels, ordering, expected,
                           {.left_out = left_out, .narrate = options_.narrate});
  }
  Device& device() {
    if (!device_ || device_->used >= options_.per_context) {
      device_.reset();
      bench::Session session = bench::Session::open(options_.platform, options_.device);
      bench::Program kernels = session.build(kernels_source());
      device_.reset(new Device{std::move(session), std::move(kernels)});
    }
    ++device_->used;
    return *device_;
  }

  // Leaves out a command that the model says can be noticed.
  std::string self_test(size_t i, const Sequence& steps) {
    const Ordering ordering = order(steps);
    const Sights expected = see(ordering);
    bench::Random random(options_.seed + i);
    for (unsigned tries = 0; tries < 50; ++tries) {
      const size_t left_out = random.below(static_cast<uint32_t>(ordering.actions.size()));
      if (!can_be_left_out(ordering.actions[left_out])) continue;
      const Sights without = see(ordering, left_out);
      bool shows = false;
      for (size_t k = 0; k < ordering.actions.size(); ++k)
        shows |= !alike(ordering.actions[k], without[k], expected[k]);
      if (!shows) continue;
      if (play(device(), ordering, expected, left_out).empty())
        return "not noticed that " + text(ordering, left_out) + " was left out";
      return "";
    }
    return "";  // nothing in it can be noticed
  }
  static bool can_be_left_out(const Action& action) {
    if (action.step.kind == StepKind::unmap) return action.step.access != MapAccess::read;
    if (!action.made_from) return false;
    switch (action.step.kind) {
      case StepKind::write:
      case StepKind::read:
      case StepKind::fill:
      case StepKind::copy:
      case StepKind::write_rect:
      case StepKind::read_rect:
      case StepKind::copy_rect:
      case StepKind::launch: return true;
      default: return false;
    }
  }

  // In the parent.
  void failed(size_t i, const Verdict& verdict) {
    ++failures_;
    const std::string seed = options_.play.empty() ? "seed " + std::to_string(options_.seed + i) : options_.play;
    show_failure(
        options_, seed, verdict, sequence(i), [](const Sequence& steps) { return steps.size(); },
        [this](const Sequence& steps) { return play_once(steps); }, sequences::shrink);
  }

  const Options& options_;
  size_t failures_ = 0;
  std::unique_ptr<Device> device_;  // only in children
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(kAbout);
  Options options;
  add_options(app, options, options.limits.steps, "Print each action before it is done, with what it waits for");
  app.add_option("--most-bytes", options.limits.largest_buffer, "Of a buffer")
      ->capture_default_str()
      ->check(CLI::Range(16, 1 << 28));
  app.add_option("--kernels", options.limits.kernels, "Launch only these, e.g. affine,scatter")
      ->delimiter(',')
      ->check([](const std::string& name) { return find_kernel(name) ? "" : "there is no kernel " + name; });
  app.add_flag("--around-pocl", options.around_pocl,
               "Leave out what PoCL 3.1 does wrong without samcl: rectangles copied from or to sub-buffers "
               "(crash) and "
               "user events (it waits for itself)");
  app.add_flag("--no-sub-buffer-rects{false}", options.limits.copy_rect_of_sub_buffers,
               "No rectangles copied from or to sub-buffers (PoCL 3.1 crashes, also where samcl hands them on)");
  app.add_flag("--few-local-sizes", options.limits.few_local_sizes,
               "For drivers that compile for each anew, to save time");
  app.add_option("--devices", options.devices, "Set POCL_DEVICES to so many of --driver");
  app.add_option("--driver", options.driver, "PoCL's basic or pthread")->capture_default_str();
  app.add_option("--play", options.play, "Play the steps in this file")->check(CLI::ExistingFile);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) ? 2 : 0;
  }
  if (options.around_pocl) {
    options.limits.copy_rect_of_sub_buffers = options.limits.failures = options.limits.gates = false;
  }
  if (options.devices) {
    std::string devices;
    for (unsigned i = 0; i < options.devices; ++i) devices += (i ? " " : "") + options.driver;
    setenv("POCL_DEVICES", devices.c_str(), 1);
  }
  return conclude("host_sequences", options.play.empty() ? options.count : 1, options.seed,
                  [&] { return Sequences(options).run(); });
}
