#include "tests/differential/scenario.h"

#include <algorithm>
#include <numeric>

#include "benchmarks/host/random.h"
#include "tests/differential/kernel_writer.h"

namespace differential {
namespace {

using bench::Random;

constexpr size_t kMaxItems = 3000;
constexpr size_t kMaxGroup = 128;

bool chance(Random& random, unsigned percent) { return random.below(100) < percent; }

// Sizes with a preference for odd ones, primes, and ones.
size_t random_size(Random& random, size_t limit) {
  switch (random.below(6)) {
    case 0: return 1;
    case 1: {
      constexpr std::array<size_t, 8> primes = {2, 3, 7, 13, 31, 97, 251, 997};
      return std::min(primes[random.below(primes.size())], limit);
    }
    case 2: return std::min<size_t>(size_t{1} << random.below(11), limit);
    default: return 1 + random.below(static_cast<uint32_t>(limit));
  }
}

// A divisor of `size`, at most `limit`.
size_t random_divisor(Random& random, size_t size, size_t limit) {
  std::vector<size_t> divisors;
  for (size_t i = 1; i <= std::min(size, limit); ++i)
    if (size % i == 0) divisors.push_back(i);
  // The larger of two: groups of one work-item are not that interesting.
  const auto count = static_cast<uint32_t>(divisors.size());
  return divisors[std::max(random.below(count), random.below(count))];
}

Ndrange random_range(Random& random, bool null_local) {
  Ndrange range;
  range.dimensions = 1 + random.below(3);
  size_t left = kMaxItems, group_left = kMaxGroup;
  for (unsigned d = 0; d < range.dimensions; ++d) {
    range.global[d] =
        random_size(random, std::max<size_t>(1, std::min<size_t>(left, range.dimensions == 1 ? 3000 : 300)));
    left /= range.global[d];
    range.local[d] = random_divisor(random, range.global[d], group_left);
    group_left /= range.local[d];
  }
  range.null_local = null_local;
  range.null_offset = chance(random, 60);
  if (!range.null_offset)
    for (unsigned d = 0; d < range.dimensions; ++d) range.offset[d] = chance(random, 30) ? 0 : random.below(1000);
  return range;
}

// Another range of at most the same number of items and with as many items per group.
Ndrange fewer_groups(Random& random, const Ndrange& range) {
  Ndrange smaller = range;
  for (unsigned d = 0; d < range.dimensions; ++d) {
    const size_t unit = range.null_local ? 1 : range.local[d];
    smaller.global[d] = unit * (1 + random.below(static_cast<uint32_t>(range.global[d] / unit)));
  }
  return smaller;
}

std::string sizes(const Ndrange& range, const std::array<size_t, 3>& values) {
  std::string text;
  for (unsigned d = 0; d < range.dimensions; ++d) text += (d ? "x" : "") + std::to_string(values[d]);
  return text;
}
std::string describe(const Ndrange& range) {
  return sizes(range, range.global) + " by " + (range.null_local ? "NULL" : sizes(range, range.local)) +
         (range.null_offset ? "" : " from " + sizes(range, range.offset));
}

class ScenarioMaker {
 public:
  ScenarioMaker(uint64_t seed, unsigned index) : random_(seed * 1000003 + index) { made_.index = index; }

  Scenario make(bool opencl_c_3) {
    const bool null_local = chance(random_, 30);
    range_ = random_range(random_, null_local);
    made_.items = range_.items();
    made_.slot_bytes = chance(random_, 50) ? 32 : 64;
    made_.data_seed = random_.next();
    made_.queues = chance(random_, 70)   ? Scenario::Queues::one_in_order
                   : chance(random_, 50) ? Scenario::Queues::two_in_order
                                         : Scenario::Queues::out_of_order;
    plan_kernel(null_local, opencl_c_3);
    made_.source = write_kernel(plan_, random_);
    plan_regions();
    plan_steps();
    made_.summary = describe(range_) + (plan_.permuted ? ", permuted" : "") + (plan_.exchange ? ", local memory" : "") +
                    (plan_.local_atomics ? ", local atomics" : "") + (plan_.global_atomics ? ", global atomics" : "") +
                    (plan_.global_atomics && plan_.compares_and_exchanges ? " by compare-exchange" : "") +
                    (plan_.opencl_c_3 ? ", OpenCL C 3.0" : "");
    return std::move(made_);
  }

 private:
  void plan_kernel(bool null_local, bool opencl_c_3) {
    plan_.name = made_.kernel_name = "k" + std::to_string(made_.index);
    plan_.writers = 1 + random_.below(2);
    plan_.readers = 1 + random_.below(2);
    plan_.slot_bytes = made_.slot_bytes;
    plan_.known_local = !null_local;
    plan_.local_items = range_.local[0] * range_.local[1] * range_.local[2];
    plan_.exchange = !null_local && chance(random_, 40);
    plan_.local_argument = chance(random_, 50);
    plan_.local_atomics = !null_local && chance(random_, 20);
    plan_.global_atomics = chance(random_, 12);
    plan_.compares_and_exchanges = chance(random_, 40);
    plan_.permuted = chance(random_, 25);
    plan_.opencl_c_3 = opencl_c_3 && chance(random_, 25);
    plan_.variable_offset_dimension = range_.offset != std::array<size_t, 3>{};
    made_.options = plan_.opencl_c_3 ? "-cl-std=CL3.0" : chance(random_, 50) ? "-cl-std=CL1.2" : "";
    made_.counters = plan_.global_atomics;
    made_.local_bytes = plan_.exchange && plan_.local_argument ? plan_.local_items * 4 : 0;
  }

  void plan_regions() {
    const size_t count = plan_.writers + 1 + random_.below(2);
    while (made_.regions.size() < count) {
      if (chance(random_, 25)) {
        made_.regions.push_back({Region::Home::first_half});
        made_.regions.push_back({Region::Home::second_half});
      } else {
        made_.regions.push_back({chance(random_, 15) ? Region::Home::host_memory : Region::Home::own_buffer});
      }
    }
  }

  void plan_steps() {
    const Ndrange second = chance(random_, 20) ? fewer_groups(random_, range_) : range_;
    const unsigned launches = 1 + random_.below(5);
    for (unsigned i = 0; i < launches; ++i) {
      launch(i % 2 ? second : range_);
      while (chance(random_, 40)) transfer();
    }
  }

  size_t any_region() { return random_.below(static_cast<uint32_t>(made_.regions.size())); }

  void launch(const Ndrange& range) {
    Step step;
    step.kind = Step::Kind::launch;
    step.launch.range = range;
    step.launch.scalar = random_.next();
    std::vector<size_t> order(made_.regions.size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(static_cast<uint32_t>(i))]);
    step.launch.writers.assign(order.begin(), order.begin() + plan_.writers);
    const auto readable = static_cast<uint32_t>(order.size() - plan_.writers);
    for (unsigned i = 0; i < plan_.readers; ++i)
      step.launch.readers.push_back(order[plan_.writers + random_.below(readable)]);
    made_.steps.push_back(std::move(step));
  }

  void transfer() {
    Step step;
    step.kind = Step::Kind(1 + random_.below(8));
    step.region = any_region();
    step.data_seed = random_.next();
    step.blocking = chance(random_, 50);
    const auto all = static_cast<uint32_t>(made_.region_bytes());
    step.offset = random_.below(all);
    step.bytes = 1 + random_.below(all - static_cast<uint32_t>(step.offset));
    if (step.kind == Step::Kind::fill) {
      step.pattern = size_t{1} << random_.below(5);
      step.offset = step.offset / step.pattern * step.pattern;
      step.bytes = std::max(step.pattern, step.bytes / step.pattern * step.pattern);
    } else if (step.kind == Step::Kind::copy) {
      step.from = any_region();
      step.from_offset = random_.below(all - static_cast<uint32_t>(step.bytes) + 1);
      if (step.from == step.region) step.from = (step.from + 1) % made_.regions.size();
    } else if (step.kind == Step::Kind::write_rectangle) {
      step.pitch = 32;
      step.offset = step.offset / 32 * 32 + random_.below(16);
      step.bytes = 1 + random_.below(16);
      step.rows = 1 + random_.below(static_cast<uint32_t>((made_.region_bytes() - step.offset - step.bytes) / 32 + 1));
    }
    made_.steps.push_back(step);
  }

  Random random_;
  Scenario made_;
  Ndrange range_;
  KernelPlan plan_;
};

}  // namespace

Scenario make_scenario(uint64_t seed, unsigned index, bool opencl_c_3) {
  return ScenarioMaker(seed, index).make(opencl_c_3);
}

std::string describe_steps(const Scenario& scenario) {
  static constexpr std::array kinds = {"launch",      "write",         "write rectangle",  "fill", "copy",
                                       "map to read", "map to change", "map to overwrite", "read"};
  std::string text;
  for (const Step& step : scenario.steps) {
    text += kinds[static_cast<size_t>(step.kind)];
    if (step.kind == Step::Kind::launch) {
      text += " " + describe(step.launch.range) + ", writes";
      for (size_t region : step.launch.writers) text += " " + std::to_string(region);
      text += ", reads";
      for (size_t region : step.launch.readers) text += " " + std::to_string(region);
    } else {
      text += " region " + std::to_string(step.region) + ", " + std::to_string(step.bytes) + " bytes at " +
              std::to_string(step.offset);
      if (step.kind == Step::Kind::copy)
        text += ", from region " + std::to_string(step.from) + " at " + std::to_string(step.from_offset);
      if (step.rows) text += ", " + std::to_string(step.rows) + " rows " + std::to_string(step.pitch) + " apart";
      if (step.pattern) text += ", pattern of " + std::to_string(step.pattern);
    }
    text += "\n";
  }
  return text;
}

}  // namespace differential
