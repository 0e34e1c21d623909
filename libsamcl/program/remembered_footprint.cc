#include "libsamcl/program/remembered_footprint.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
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
    bytes_.reserve(512);
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
  void add(std::span<const ShownBytes> shown, bool asks_entangled) {
    for (const ShownBytes& each : shown) {
      add(each.object);
      add(each.in_one_memory);
      add(each.may_overlap);
      add(each.range);
      add(each.before);
    }
    add(asks_entangled);
  }

  std::string_view bytes() const { return bytes_; }

 private:
  template <typename T>
  void add(const T& value) {
    static_assert(std::has_unique_object_representations_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  std::string bytes_;
};

// The last answers. Threads: any.
template <typename Answer>
class LastAnswers {
 public:
  using Pointer = std::shared_ptr<const Answer>;

  // nullptr: it is not among them.
  Pointer find(const Question& question) const {
    const size_t hash = hash_of(question);
    std::lock_guard lock(mutex_);
    for (const Known& known : known_)
      if (known.hash == hash && known.question.bytes() == question.bytes()) return known.answer;
    return nullptr;
  }
  void keep(Question question, Pointer answer) {
    Known known{hash_of(question), std::move(question), std::move(answer)};
    std::lock_guard lock(mutex_);
    if (known_.size() < kRemembered)
      known_.push_back(std::move(known));
    else
      std::swap(known_[std::exchange(oldest_, (oldest_ + 1) % kRemembered)], known);
  }

 private:
  struct Known {
    size_t hash;
    Question question;
    Pointer answer;
  };
  static size_t hash_of(const Question& question) { return std::hash<std::string_view>()(question.bytes()); }

  mutable std::mutex mutex_;  // guards what is below
  std::vector<Known> known_;  // at most kRemembered
  size_t oldest_ = 0;
};

}  // namespace

struct RememberedFootprint::State {
  explicit State(Footprint its) : footprint(std::move(its)) {}

  const Footprint footprint;
  LastAnswers<ByPart> footprints;
  LastAnswers<Partition> partitions;
};

RememberedFootprint::RememberedFootprint(Footprint footprint) : state_(std::make_shared<State>(std::move(footprint))) {}

std::shared_ptr<const RememberedFootprint::ByPart> RememberedFootprint::evaluate(const LaunchInputs& launch,
                                                                                 const std::vector<Part>& parts) const {
  Question question(state_->footprint, launch, parts);
  if (auto known = state_->footprints.find(question)) return known;
  auto found = std::make_shared<ByPart>();
  for (const Part& part : parts) found->push_back(state_->footprint.evaluate(launch, part.box));
  state_->footprints.keep(std::move(question), found);
  return found;
}

std::vector<ArgumentFootprint> RememberedFootprint::evaluate_writes(const LaunchInputs& launch,
                                                                    const GroupBox& box) const {
  return state_->footprint.evaluate_writes(launch, box);
}

std::vector<Reach> RememberedFootprint::reaches(const LaunchInputs& launch) const {
  return state_->footprint.reaches(launch);
}

std::shared_ptr<const Partition> RememberedFootprint::partition(const LaunchInputs& launch,
                                                                const std::vector<Part>& parts,
                                                                std::span<const ShownBytes> shown,
                                                                bool asks_entangled) const {
  Question question(state_->footprint, launch, parts);
  question.add(shown, asks_entangled);
  if (auto known = state_->partitions.find(question)) return known;
  auto found = std::make_shared<const Partition>(partition_of(*evaluate(launch, parts), shown, asks_entangled));
  state_->partitions.keep(std::move(question), found);
  return found;
}

}  // namespace samcl
