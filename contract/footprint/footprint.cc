#include "contract/footprint/footprint.h"

#include "contract/footprint/evaluation.h"
#include "contract/footprint/program.h"

namespace samcl {

Footprint::Footprint() = default;

Result<Footprint> Footprint::parse(std::string_view text) {
  Result<footprint::Program> program = footprint::from_text(text);
  if (!program) return tl::unexpected(program.error());
  Footprint result;
  result.program_ = std::make_shared<const footprint::Program>(std::move(*program));
  return result;
}

std::vector<ArgumentFootprint> Footprint::evaluate(const LaunchInputs& launch, const GroupBox& box) const {
  if (!program_ || program_->anything || program_->regions.empty())
    return std::vector<ArgumentFootprint>(launch.arguments.size(), {{true, {}}, {true, {}}, {}});
  return footprint::Evaluation(*program_, launch, box).run();
}

std::vector<ArgumentFootprint> Footprint::evaluate(const LaunchInputs& launch) const {
  return evaluate(launch, {{0, 0, 0}, launch.ndrange.groups()});
}

}  // namespace samcl
