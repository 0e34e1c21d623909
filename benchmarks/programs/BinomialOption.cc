// Prices of European call options on binomial trees, one work-group per option. The work-group's size follows
// from the number of steps; the inputs are made from host memory once (CL_MEM_COPY_HOST_PTR) and rewritten by
// each job.
#include <cmath>

#include "BinomialOption.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr cl_float kRate = 0.02f, kVolatility = 0.3f;
constexpr size_t kChecked = 512;  // options compared with the reference, if there are more

class BinomialOption : public Workload {
 public:
  const char* name() const override { return "BinomialOption"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--options", n_, {.usual = 16384, .small = 33, .least = 2, .most = 1 << 20}, "Options to price");
    sizes.add("--steps", steps_, {.usual = 255, .small = 63, .least = 1, .most = 1023}, "Steps of a tree");
  }
  std::string size() const override { return std::to_string(n_) + " options, " + std::to_string(steps_) + " steps"; }

  void set_up(const Session& session, uint64_t seed) override {
    size_t largest = 0;
    check(clGetDeviceInfo(session.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof largest, &largest, nullptr));
    if (steps_ + 1 > largest)
      throw std::invalid_argument("--steps: a work-group of the device has at most " + std::to_string(largest) +
                                  " work-items, one more than steps");
    seed_ = seed;
    Random random(seed);
    call_.resize(n_);
    for (size_t i = 0; i < n_; ++i) {
      price_.push_back(17.5f + 12.5f * random.unit());    // 5 to 30
      strike_.push_back(17.5f + 12.5f * random.unit());   // 5 to 30
      years_.push_back(5.125f + 4.875f * random.unit());  // 1/4 to 10
    }
    queue_ = session.queue.get();
    device_price_ = filled(session, price_);
    device_strike_ = filled(session, strike_);
    device_years_ = filled(session, years_);
    device_call_ = session.make_buffer(CL_MEM_WRITE_ONLY, bytes_of(call_));
    program_ = session.build(kBinomialOptionCl, "-cl-std=CL1.2");
    kernel_ = make_kernel(program_, "price_options");
    set_arguments(kernel_, device_price_, device_strike_, device_years_, device_call_, kRate, kVolatility,
                  LocalMemory{(steps_ + 1) * sizeof(cl_float)});
  }

  void upload(JobEvents& events) override {
    write(queue_, device_price_, price_, events.upload);
    write(queue_, device_strike_, strike_, events.upload);
    write(queue_, device_years_, years_, events.upload);
  }
  void launch(JobEvents& events) override {
    enqueue(queue_, kernel_, {n_ * (steps_ + 1)}, {steps_ + 1}, events.kernel);
  }
  void download(JobEvents& events) override { read(queue_, device_call_, call_, events.download); }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(call_)); }

  // All options or a sample, as the expectation over the leaves in double precision. Tolerance: the
  // probability of a step upwards is off by up to 32 roundings divided by 2 up, the difference of the two
  // growths below it; values that are neighbours in the tree differ by at most 2 up in proportion to the
  // share's price, whose discounted expectation is today's; so this adds 32 roundings of today's price per
  // step, and the weighted sum 3. A leaf's logarithm, at most steps * up, is off by 4 roundings, its
  // exponential by 8.
  std::string verify() override {
    for (size_t i : to_verify(n_, kChecked, seed_ + 1)) {
      const double step_years = double{years_[i]} / static_cast<double>(steps_);
      const double up = kVolatility * std::sqrt(step_years), growth = std::exp(kRate * step_years);
      const double p = (growth - std::exp(-up)) / (2 * std::sinh(up));
      const double steps = static_cast<double>(steps_);
      double call = 0;
      for (double ups = 0; ups <= steps; ++ups) {
        const double paths = std::lgamma(steps + 1) - std::lgamma(ups + 1) - std::lgamma(steps - ups + 1);
        const double value = price_[i] * std::exp(up * (2 * ups - steps)) - strike_[i];
        call += std::exp(paths + ups * std::log(p) + (steps - ups) * std::log1p(-p)) * std::fmax(value, 0);
      }
      call *= std::exp(-kRate * double{years_[i]});
      const double roundings = steps * (32 + 3) + 4 * steps * up + 8;
      const std::string wrong = compare_within(i, call_[i], call, roundings * kFloatRounding * price_[i]);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  static Buffer filled(const Session& session, std::vector<cl_float>& values) {
    return session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes_of(values), values.data());
  }

  size_t n_ = 0, steps_ = 0;
  uint64_t seed_ = 0;
  std::vector<cl_float> price_, strike_, years_, call_;
  cl_command_queue queue_ = nullptr;
  Buffer device_price_, device_strike_, device_years_, device_call_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  BinomialOption program;
  return run(program, argc, argv);
}
