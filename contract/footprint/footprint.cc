#include "contract/footprint/footprint.h"

#include "contract/footprint/evaluation.h"
#include "contract/footprint/launch_numbers.h"
#include "contract/footprint/symbolic_footprint.h"

namespace samcl {

struct footprint::Prepared {
  explicit Prepared(SymbolicFootprint its) : symbolic(std::move(its)), numbers(symbolic) {}
  const SymbolicFootprint symbolic;
  const LaunchNumbers numbers;
};

Footprint::Footprint() = default;

Result<Footprint> Footprint::parse(std::string_view text) {
  Result<footprint::SymbolicFootprint> symbolic = footprint::from_text(text);
  if (!symbolic) return tl::unexpected(symbolic.error());
  Footprint result;
  if (!symbolic->anything && !symbolic->regions.empty())
    result.prepared_ = std::make_shared<const footprint::Prepared>(std::move(*symbolic));
  return result;
}

std::vector<ArgumentFootprint> Footprint::evaluate(const LaunchInputs& launch, const GroupBox& box) const {
  if (!prepared_) return std::vector<ArgumentFootprint>(launch.arguments.size(), {{true, {}}, {true, {}}, {}});
  return footprint::Evaluation(prepared_->symbolic, launch, box).run();
}

std::vector<ArgumentFootprint> Footprint::evaluate_writes(const LaunchInputs& launch, const GroupBox& box) const {
  if (!prepared_) return std::vector<ArgumentFootprint>(launch.arguments.size(), {{}, {true, {}}, {}});
  return footprint::Evaluation(prepared_->symbolic, launch, box).run([](const footprint::Access& access) {
    return access.writes;
  });
}

std::vector<Reach> Footprint::reaches(const LaunchInputs& launch) const {
  if (prepared_) return footprint::Evaluation(prepared_->symbolic, launch, {{}, launch.ndrange.groups()}).reaches();
  std::vector<Reach> all;
  for (size_t argument = 0; argument < launch.arguments.size(); ++argument)
    all.push_back({.argument = argument, .writes = true, .is_anywhere = true});
  return all;
}

std::vector<uint64_t> Footprint::numbers(const LaunchInputs& launch) const {
  return prepared_ ? prepared_->numbers.of(prepared_->symbolic, launch) : std::vector<uint64_t>();
}

std::vector<ArgumentFootprint> Footprint::evaluate(const LaunchInputs& launch) const {
  return evaluate(launch, {{0, 0, 0}, launch.ndrange.groups()});
}

}  // namespace samcl
