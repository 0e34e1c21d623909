// The launch that is made up, and what footprints say about it.
#include <algorithm>
#include <cstring>

#include "contract/footprint/footprint.h"
#include "contract/footprint/symbolic_footprint.h"
#include "kernel-translator/evaluation_time.h"
#include "kernel-translator/survey/survey.h"

namespace samcl::survey {
namespace {

// Dimensions in which the kernel asks where it is; at least one.
unsigned dimensions_of(const footprint::SymbolicFootprint& symbolic) {
  unsigned dimensions = 1;
  for (const footprint::Node& node : symbolic.nodes)
    if (node.op >= footprint::Op::group_id && node.op <= footprint::Op::global_offset)
      dimensions = std::max(dimensions, node.a + 1);
  return dimensions;
}

// 4096 work-items in a row, in a square or in a cube, and integers as large as its side: sizes and strides fit.
Ndrange made_up_ndrange(unsigned dimensions, const KernelTranslation& kernel) {
  constexpr uint64_t kSide[] = {4096, 64, 16}, kGroup[] = {64, 8, 4};
  Ndrange ndrange;
  ndrange.dimensions = dimensions;
  for (unsigned d = 0; d < dimensions; ++d) {
    ndrange.local[d] = kGroup[dimensions - 1];
    if (kernel.required_work_group_size) ndrange.local[d] = (*kernel.required_work_group_size)[d];
    ndrange.global[d] = std::max(kSide[dimensions - 1], 4 * ndrange.local[d]) / ndrange.local[d] * ndrange.local[d];
  }
  return ndrange;
}

std::vector<std::byte> made_up_value(const KernelArgument& argument, uint64_t side) {
  std::vector<std::byte> bytes(argument.size);
  const bool wide = argument.size == 8 || argument.type_name.find("long") != std::string::npos;
  const uint64_t element = std::min<uint64_t>(argument.size, wide ? 8 : argument.size % 4 == 0 ? 4 : argument.size);
  for (uint64_t at = 0; element > 0 && at + element <= argument.size; at += element)
    std::memcpy(bytes.data() + at, &side, std::min<uint64_t>(element, sizeof side));
  return bytes;
}

// Far beyond what the launch can reach with indices of its own; an index of 32 bits that is read from memory
// reaches all of it.
constexpr uint64_t kBufferBytes = uint64_t{1} << 31;

// Likewise.
constexpr uint64_t kImageSide = 1 << 14, kPixelBytes = 4;
constexpr ImageNumbers kImage = {
    kPixelBytes, kPixelBytes* kImageSide, kPixelBytes* kImageSide* kImageSide, kImageSide, kImageSide, kImageSide};

// "image2d_array_t" has three coordinates.
uint64_t bytes_of_image(const std::string& type_name) {
  const bool one = type_name.find("1d") != std::string::npos, three = type_name.find("3d") != std::string::npos;
  unsigned axes = (one ? 1 : three ? 3 : 2) + (type_name.find("array") != std::string::npos ? 1 : 0);
  uint64_t bytes = kPixelBytes;
  for (; axes > 0; --axes) bytes *= kImageSide;
  return bytes;
}

Extent extent_of(const ByteSet& set, uint64_t size) {
  if (set.empty()) return Extent::none;
  return !set.whole && bounds(set, size).size() < size / 2 ? Extent::known : Extent::whole;
}

}  // namespace

KernelVerdict judge(const KernelTranslation& kernel) {
  KernelVerdict verdict;
  verdict.name = kernel.name;
  verdict.may_split = kernel.may_split;
  verdict.why_not_split = kernel.why_not_split;
  verdict.gathers = !kernel.gathers_by.empty();
  const auto symbolic = footprint::from_text(kernel.footprint);
  const auto footprint = Footprint::parse(kernel.footprint);
  if (!symbolic || !footprint) {
    verdict.writes_known = false;
    return verdict;
  }
  const Ndrange ndrange = made_up_ndrange(dimensions_of(*symbolic), kernel);
  std::vector<std::vector<std::byte>> bytes;
  std::vector<ArgumentValue> values;
  for (const KernelArgument& argument : kernel.arguments) {
    bytes.push_back(argument.kind == ArgumentKind::value ? made_up_value(argument, ndrange.global[0])
                                                         : std::vector<std::byte>());
    values.push_back({bytes.back(), kBufferBytes});
    if (argument.kind == ArgumentKind::image)
      values.back() = {std::as_bytes(std::span(&kImage, 1)), bytes_of_image(argument.type_name)};
  }
  const LaunchInputs launch{ndrange, values};
  const auto whole = footprint->evaluate(launch);
  verdict.microseconds = time_of_evaluation(*footprint, launch, 5, 1);
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const ArgumentKind kind = kernel.arguments[i].kind;
    const bool memory =
        kind == ArgumentKind::global_buffer || kind == ArgumentKind::constant_buffer || kind == ArgumentKind::image;
    if (!memory) continue;
    const uint64_t size = values[i].buffer_bytes;
    verdict.buffers.push_back(
        {kernel.arguments[i].name, extent_of(whole[i].reads, size), extent_of(whole[i].may_write, size)});
    if (verdict.buffers.back().writes == Extent::whole) verdict.writes_known = false;
  }
  for (unsigned d = 0; d < ndrange.dimensions && verdict.writes_known; ++d) {
    GroupBox low{{0, 0, 0}, ndrange.groups()}, high = low;
    low.count[d] /= 2;
    high.first[d] = low.count[d];
    high.count[d] -= low.count[d];
    const auto a = footprint->evaluate(launch, low), b = footprint->evaluate(launch, high);
    bool apart = true;
    for (size_t i = 0; i < a.size(); ++i) apart = apart && disjoint(a[i].may_write, b[i].may_write);
    verdict.writes_disjoint = verdict.writes_disjoint || apart;
  }
  return verdict;
}

}  // namespace samcl::survey
