// A footprint, evaluated for launches as programs make them and as they should not.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "contract/footprint/footprint.h"

using namespace samcl;

namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

const std::array<Ndrange, 4> kNdranges = {
    Ndrange{1, {0, 0, 0}, {1000, 1, 1}, {64, 1, 1}}, Ndrange{2, {3, 5, 0}, {64, 33, 1}, {16, 4, 1}},
    Ndrange{3, {1, 2, 3}, {8, 8, 8}, {2, 2, 2}}, Ndrange{1, {kMost - 100, 0, 0}, {kMost, 1, 1}, {1, 1, 1}}};
const std::array<uint64_t, 5> kValues = {0, 1, 40, 0x8000000080000000, kMost};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto footprint = Footprint::parse({reinterpret_cast<const char*>(data), size});
  if (!footprint) return 0;
  for (const Ndrange& ndrange : kNdranges) {
    for (const uint64_t number : kValues) {
      const ImageNumbers image{4, 64, 1024, 16, number, 1};
      std::array<ArgumentValue, 6> arguments;
      arguments[1].buffer_bytes = 4096;
      arguments[2].value = std::as_bytes(std::span(&number, 1));
      arguments[3].value = std::as_bytes(std::span(&number, 1)).first(4);
      arguments[4].value = std::as_bytes(std::span(&image, 1));
      arguments[5].buffer_bytes = 0;
      const auto used = footprint->evaluate({ndrange, arguments}, {{0, 0, 0}, ndrange.groups()});
      if (used.size() != arguments.size()) std::abort();
    }
  }
  return 0;
}
