#include "contract/footprint/footprint.h"

#include "contract/footprint/evaluation.h"
#include "contract/footprint/symbolic_footprint.h"

namespace samcl {

Footprint::Footprint() = default;

Result<Footprint> Footprint::parse(std::string_view text) {
  Result<footprint::SymbolicFootprint> symbolic = footprint::from_text(text);
  if (!symbolic) return tl::unexpected(symbolic.error());
  Footprint result;
  result.symbolic_ = std::make_shared<const footprint::SymbolicFootprint>(std::move(*symbolic));
  return result;
}

std::vector<ArgumentFootprint> Footprint::evaluate(const LaunchInputs& launch, const GroupBox& box) const {
  if (!symbolic_ || symbolic_->anything || symbolic_->regions.empty())
    return std::vector<ArgumentFootprint>(launch.arguments.size(), {{true, {}}, {true, {}}, {}});
  return footprint::Evaluation(*symbolic_, launch, box).run();
}

std::vector<ArgumentFootprint> Footprint::evaluate(const LaunchInputs& launch) const {
  return evaluate(launch, {{0, 0, 0}, launch.ndrange.groups()});
}

}  // namespace samcl
