#include "kernel-translator/check/footprint_check.h"

#include <algorithm>
#include <random>

#include "kernel-translator/check/box_masks.h"
#include "kernel-translator/evaluation_time.h"

namespace samcl::check {
namespace {

// The buffers with all bytes changed that are said not to be read.
Contents poisoned(const Contents& contents, const std::vector<Masks>& masks, std::mt19937_64* random) {
  Contents result = contents;
  for (size_t i = 0; i < result.size(); ++i)
    for (size_t at = 0; at < result[i].size(); ++at)
      if (!masks[i].reads[at]) result[i][at] = random ? static_cast<std::byte>((*random)()) : ~result[i][at];
  return result;
}

// Whether the set has no end but the buffer's: an index of 32 bits that may have any value reaches this far.
bool is_anywhere(const ByteSet& set) {
  constexpr uint64_t kFar = uint64_t{1} << 31;
  return set.whole || (!set.empty() && bounds(set, UINT64_MAX).size() >= kFar);
}

// Notes which arguments may be touched anywhere, by a launch on buffers without end.
void note_unbounded(const Footprint& footprint, const LaunchCase& launch, std::vector<ArgumentValue> values,
                    std::vector<ArgumentEvidence>& all) {
  for (size_t i = 0; i < values.size(); ++i)
    if (launch.arguments[i].kind == CaseArgument::Kind::buffer) values[i].buffer_bytes = uint64_t{1} << 40;
  const std::vector<ArgumentFootprint> used = footprint.evaluate({launch.ndrange, values});
  for (size_t i = 0; i < used.size(); ++i) {
    all[i].reads_anywhere = is_anywhere(used[i].reads);
    all[i].writes_anywhere = is_anywhere(used[i].may_write);
  }
}

// The first byte of an argument that shows a breach, in words; empty if there is none. `written` gets what
// was seen to be written.
std::string breach(const std::vector<Contents>& before, const std::vector<Contents>& after, size_t argument,
                   const Masks& masks, Mask& written) {
  for (size_t at = 0; at < before[0][argument].size(); ++at) {
    bool changed = false, same = true;
    for (size_t run = 0; run < before.size(); ++run) {
      changed = changed || after[run][argument][at] != before[run][argument][at];
      same = same && after[run][argument][at] == after[0][argument][at];
    }
    if (changed) written[at] = true;
    const std::string place = "byte " + std::to_string(at);
    if (changed && !masks.may_write[at]) return place + " was written";
    if (masks.surely[at] && !same) return place + " was not written, or depends on what is said not to be read";
    if (changed && !same) return place + " depends on what is said not to be read";
  }
  return "";
}

}  // namespace

Result<Evidence> check_footprint(const BoxRunner& runner, const LaunchCase& launch) {
  const KernelTranslation* kernel = runner.find(launch.kernel);
  if (!kernel) return fail("there is no kernel " + launch.kernel);
  const auto footprint = Footprint::parse(kernel->footprint);
  if (!footprint) return tl::unexpected(footprint.error());
  return check_footprint(runner, launch, *footprint);
}

Result<Evidence> check_footprint(const BoxRunner& runner, const LaunchCase& launch, const Footprint& footprint) {
  const KernelTranslation* kernel = runner.find(launch.kernel);
  if (!kernel) return fail("there is no kernel " + launch.kernel);
  if (kernel->arguments.size() != launch.arguments.size())
    return fail(launch.kernel + " has " + std::to_string(kernel->arguments.size()) + " arguments");

  Contents given;
  for (const CaseArgument& argument : launch.arguments)
    given.push_back(argument.has_contents() ? argument.bytes : std::vector<std::byte>());
  const CaseValues values(launch);

  Evidence evidence;
  std::vector<ArgumentEvidence> all(launch.arguments.size());
  std::mt19937_64 random(given.size());
  for (const GroupBox& box : boxes_of(launch.ndrange)) {
    // A kernel that may not run in parts runs whole.
    if (!kernel->may_slice && box.total() != launch.ndrange.total_groups()) continue;
    const std::vector<Masks> masks = values.masks(footprint, box);
    const std::vector<Contents> before = {given, poisoned(given, masks, nullptr), poisoned(given, masks, &random)};
    std::vector<Contents> after;
    for (const Contents& contents : before) {
      auto result = runner.run(launch, box, contents);
      if (!result) return tl::unexpected(result.error());
      after.push_back(std::move(*result));
    }
    ++evidence.boxes;
    for (size_t i = 0; i < masks.size(); ++i) {
      if (!launch.arguments[i].has_contents()) continue;
      Mask written(given[i].size(), false);
      const std::string what = breach(before, after, i, masks[i], written);
      if (!what.empty()) evidence.breaches.push_back(kernel->arguments[i].name + ", " + words(box) + ": " + what);
      all[i].name = kernel->arguments[i].name;
      all[i].bytes += given[i].size();
      all[i].said_read += count(masks[i].reads);
      all[i].said_written += count(masks[i].may_write);
      all[i].said_surely += count(masks[i].surely);
      all[i].written += count(written);
    }
  }
  note_unbounded(footprint, launch, values.values(), all);
  evidence.microseconds = time_of_evaluation(footprint, {launch.ndrange, values.values()}, 20, 50);
  for (size_t i = 0; i < all.size(); ++i)
    if (launch.arguments[i].has_contents()) evidence.arguments.push_back(all[i]);
  return evidence;
}

}  // namespace samcl::check
