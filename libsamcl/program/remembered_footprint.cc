#include "libsamcl/program/remembered_footprint.h"

#include <mutex>
#include <span>
#include <utility>

namespace samcl {
namespace {

// A launch is evaluated for a cut along each dimension; programs alternate between a few sizes, and even and odd
// rounds.
constexpr size_t kRemembered = 16;

// All that an answer depends on, as bytes.
class Question {
 public:
  Question(const Footprint& footprint, const LaunchInputs& launch, const std::vector<Part>& parts) {
    add(launch.ndrange.dimensions);
    add(launch.ndrange.offset);
    add(launch.ndrange.global);
    add(launch.ndrange.local);
    add(launch.arguments.size());
    for (const ArgumentValue& argument : launch.arguments) add(argument.buffer_bytes);
    for (const uint64_t number : footprint.numbers(launch)) add(number);
    for (const Part& part : parts) {
      add(part.box.first);
      add(part.box.count);
    }
  }
  bool operator==(const Question&) const = default;

 private:
  template <typename T>
  void add(const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte> bytes_;
};

}  // namespace

struct RememberedFootprint::State {
  struct Answer {
    Question question;
    std::shared_ptr<const ByPart> parts;
  };
  explicit State(Footprint its) : footprint(std::move(its)) {}

  const Footprint footprint;
  std::mutex mutex;             // guards what is below
  std::vector<Answer> answers;  // at most kRemembered
  size_t oldest = 0;
};

RememberedFootprint::RememberedFootprint(Footprint footprint) : state_(std::make_shared<State>(std::move(footprint))) {}

std::shared_ptr<const RememberedFootprint::ByPart> RememberedFootprint::evaluate(const LaunchInputs& launch,
                                                                                 const std::vector<Part>& parts) const {
  Question question(state_->footprint, launch, parts);
  {
    std::lock_guard lock(state_->mutex);
    for (const State::Answer& answer : state_->answers)
      if (answer.question == question) return answer.parts;
  }
  auto found = std::make_shared<ByPart>();
  for (const Part& part : parts) found->push_back(state_->footprint.evaluate(launch, part.box));
  std::lock_guard lock(state_->mutex);
  if (state_->answers.size() < kRemembered) {
    state_->answers.push_back({std::move(question), found});
  } else {
    state_->answers[std::exchange(state_->oldest, (state_->oldest + 1) % kRemembered)] = {std::move(question), found};
  }
  return found;
}

}  // namespace samcl
