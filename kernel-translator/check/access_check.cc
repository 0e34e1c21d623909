#include "kernel-translator/check/access_check.h"

#include "kernel-translator/check/box_masks.h"

namespace samcl::check {
namespace {

// The first byte that contradicts the footprint, in words; empty if none does.
std::string breach(const Masks& said, const Recorder::Touched& seen) {
  for (size_t at = 0; at < seen.loaded.size(); ++at) {
    const std::string place = "byte " + std::to_string(at);
    if (seen.loaded[at] && !said.reads[at]) return place + " was read";
    if (seen.stored[at] && !said.may_write[at]) return place + " was written";
    // What is said to be read as well may keep its contents: where a component of a vector is stored, say.
    if (said.surely[at] && !said.reads[at] && !seen.stored[at]) return place + " was not written";
  }
  return "";
}

uint64_t count_both(const Mask& a, const Mask& b) {
  uint64_t both = 0;
  for (size_t at = 0; at < a.size(); ++at) both += a[at] && b[at];
  return both;
}

}  // namespace

Result<Accesses> check_accesses(const BoxRunner& runner, const LaunchCase& launch, Recorder& recorder) {
  const KernelTranslation* kernel = runner.find(launch.kernel);
  if (!kernel) return fail("there is no kernel " + launch.kernel);
  const auto footprint = Footprint::parse(kernel->footprint);
  if (!footprint) return tl::unexpected(footprint.error());
  return check_accesses(runner, launch, recorder, *footprint);
}

Result<Accesses> check_accesses(const BoxRunner& runner, const LaunchCase& launch, Recorder& recorder,
                                const Footprint& footprint) {
  const KernelTranslation* kernel = runner.find(launch.kernel);
  if (!kernel || kernel->arguments.size() != launch.arguments.size())
    return fail("there is no kernel " + launch.kernel + " with such arguments");

  Contents given;
  std::vector<size_t> with_contents;  // arguments, in the order in which their buffers are made
  std::vector<uint64_t> sizes;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    given.push_back(launch.arguments[i].has_contents() ? launch.arguments[i].bytes : std::vector<std::byte>());
    if (!launch.arguments[i].has_contents()) continue;
    with_contents.push_back(i);
    sizes.push_back(given[i].size());
  }
  Accesses found;
  for (size_t i : with_contents) found.arguments.push_back({.name = kernel->arguments[i].name});

  const CaseValues values(launch);
  for (const GroupBox& box : boxes_of(launch.ndrange)) {
    if (!kernel->may_slice && box.total() != launch.ndrange.total_groups()) continue;
    recorder.begin();
    if (auto run = runner.run(launch, box, given); !run) return tl::unexpected(run.error());
    const std::vector<Recorder::Touched> seen = recorder.touched(sizes);
    const std::vector<Masks> masks = values.masks(footprint, box);
    for (size_t n = 0; n < with_contents.size(); ++n) {
      const Masks& said = masks[with_contents[n]];
      ArgumentAccesses& argument = found.arguments[n];
      const std::string what = breach(said, seen[n]);
      if (!what.empty()) found.breaches.push_back(argument.name + ", " + words(box) + ": " + what);
      argument.said_read += count(said.reads);
      argument.loaded += count_both(said.reads, seen[n].loaded);
      argument.said_written += count(said.may_write);
      argument.stored += count_both(said.may_write, seen[n].stored);
    }
  }
  return found;
}

}  // namespace samcl::check
