// Random numbers of many Mersenne twisters, and normally distributed ones made of them. The host learns from
// a callback of its last event (clSetEventCallback) that the result is there.
#include <atomic>
#include <cmath>
#include <cstring>
#include <numbers>
#include <random>

#include "MersenneTwister.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 128;
constexpr size_t kState = 624;

class MersenneTwister : public Workload {
 public:
  const char* name() const override { return "MersenneTwister"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--generators", generators_, {.usual = 4096, .small = 11, .least = 1, .most = 65536}, "Twisters");
    sizes.add("--rounds", rounds_, {.usual = 8, .small = 3, .least = 1, .most = 64},
              "Renewals of their states, 624 numbers each");
  }
  std::string size() const override { return std::to_string(generators_) + " x " + std::to_string(rounds_ * kState); }

  void set_up(const Session& session, uint64_t seed) override {
    seeds_ = Random(seed).words(generators_);
    count_ = generators_ * rounds_ * kState;
    result_.resize(2 * count_);
    queue_ = session.queue.get();
    device_seeds_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(seeds_));
    device_numbers_ = session.make_buffer(CL_MEM_READ_WRITE, count_ * sizeof(cl_uint));
    device_normals_ = session.make_buffer(CL_MEM_WRITE_ONLY, count_ * sizeof(cl_float));
    program_ = session.build(kMersenneTwisterCl);
    generate_ = make_kernel(program_, "generate");
    box_muller_ = make_kernel(program_, "box_muller");
    set_arguments(generate_, device_seeds_, device_numbers_, static_cast<cl_uint>(rounds_));
    set_arguments(box_muller_, device_numbers_, device_normals_, static_cast<cl_uint>(count_ / 2));
  }

  void upload(JobEvents& events) override { write(queue_, device_seeds_, seeds_, events.upload, CL_TRUE); }
  void launch(JobEvents& events) override {
    enqueue(queue_, generate_, {generators_ * kLocal}, {kLocal}, events.kernel);
    enqueue(queue_, box_muller_, {round_up(count_ / 2, kLocal)}, {kLocal}, events.kernel);
  }
  void download(JobEvents& events) override {
    const size_t bytes = count_ * sizeof(cl_uint);
    check(clEnqueueReadBuffer(queue_, device_numbers_.get(), CL_FALSE, 0, bytes, result_.data(), 0, nullptr,
                              events.download.add()));
    check(clEnqueueReadBuffer(queue_, device_normals_.get(), CL_FALSE, 0, bytes, &result_[count_], 0, nullptr,
                              events.download.add()));
    told_ = CL_QUEUED;
    auto tell = [](cl_event, cl_int is, void* waiting) {
      auto& told = *static_cast<std::atomic<cl_int>*>(waiting);
      told = is;
      told.notify_one();
    };
    check(clSetEventCallback(events.download.last(), CL_COMPLETE, tell, &told_));
    check(clFlush(queue_));
    told_.wait(CL_QUEUED);
    check(told_);
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(result_)); }

  // Exact for the equally distributed numbers, of the standard library's generator. Tolerance for the normal
  // ones: log, sqrt, sin and cos are within 4 units in the last place, the angle is below 7, and where the
  // logarithm is small its argument is within a rounding of 1.
  std::string verify() override {
    for (size_t generator = 0; generator < generators_; ++generator) {
      std::mt19937 expected(seeds_[generator]);
      const size_t first = generator * rounds_ * kState;
      for (size_t i = first; i < first + rounds_ * kState; ++i)
        if (const cl_uint number = static_cast<cl_uint>(expected()); result_[i] != number)
          return differs(i, result_[i], number);
    }
    for (size_t i = 0; i < count_; i += 2) {
      const double radius = std::sqrt(-2 * std::log(equal(i)));
      const double angle = 2 * std::numbers::pi * equal(i + 1);
      const double bound = 32 * kFloatRounding * std::fmax(radius, 1 / radius);
      std::string wrong = compare_within(count_ + i, normal(i), radius * std::cos(angle), bound);
      if (wrong.empty()) wrong = compare_within(count_ + i + 1, normal(i + 1), radius * std::sin(angle), bound);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  // Between 0 and 1, as in the kernel.
  double equal(size_t i) const { return ((result_[i] >> 9) + 0.5) * 0x1p-23; }
  cl_float normal(size_t i) const {
    cl_float value;
    std::memcpy(&value, &result_[count_ + i], sizeof value);
    return value;
  }

  size_t generators_ = 0, rounds_ = 0, count_ = 0;
  std::vector<cl_uint> seeds_;
  std::vector<cl_uint> result_;           // the numbers, then the bits of the normal ones
  std::atomic<cl_int> told_ = CL_QUEUED;  // by the callback; CL_QUEUED until it comes
  cl_command_queue queue_ = nullptr;
  Buffer device_seeds_, device_numbers_, device_normals_;
  Program program_;
  Kernel generate_, box_muller_;
};

}  // namespace

int main(int argc, char** argv) {
  MersenneTwister program;
  return run(program, argc, argv);
}
