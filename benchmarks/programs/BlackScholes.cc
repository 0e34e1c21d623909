// Prices of European call and put options. Prices, strikes and years are sub-buffers of one buffer, written
// in one transfer; the two results are sub-buffers of another. Local size: NULL.
#include <array>
#include <cmath>

#include "BlackScholes.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr cl_float kRate = 0.02f, kVolatility = 0.3f;

class BlackScholes : public Workload {
 public:
  const char* name() const override { return "BlackScholes"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--options", n_, {.usual = 16 << 20, .small = 10007, .least = 1, .most = 1 << 26}, "Options to price");
  }
  std::string size() const override { return std::to_string(n_) + " options"; }

  void set_up(const Session& session, uint64_t seed) override {
    queue_ = session.queue.get();
    part_ = round_up(n_ * sizeof(cl_float), session.sub_buffer_alignment()) / sizeof(cl_float);
    Random random(seed);
    in_.resize(3 * part_);
    out_.resize(2 * part_);
    for (cl_uint i = 0; i < n_; ++i) {
      in_[i] = 17.5f + 12.5f * random.unit();                // price: 5 to 30
      in_[part_ + i] = 50.5f + 49.5f * random.unit();        // strike: 1 to 100
      in_[2 * part_ + i] = 5.125f + 4.875f * random.unit();  // years: 1/4 to 10
    }
    device_in_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(in_));
    device_out_ = session.make_buffer(CL_MEM_READ_WRITE, bytes_of(out_));
    for (size_t i = 0; i < parts_.size(); ++i) {
      const bool input = i < 3;
      parts_[i] = make_sub_buffer(input ? device_in_ : device_out_, input ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY,
                                  (input ? i : i - 3) * part_ * sizeof(cl_float), n_ * sizeof(cl_float));
    }
    program_ = session.build(kBlackScholesCl);
    kernel_ = make_kernel(program_, "black_scholes");
    set_arguments(kernel_, parts_[0], parts_[1], parts_[2], parts_[3], parts_[4], kRate, kVolatility, n_);
  }

  void upload(JobEvents& events) override {
    write(queue_, device_in_, in_, events.upload);
    // What lies between the parts is part of the result, too.
    const cl_float zero = 0;
    check(clEnqueueFillBuffer(queue_, device_out_.get(), &zero, sizeof zero, 0, bytes_of(out_), 0, nullptr,
                              events.upload.add()));
  }
  void launch(JobEvents& events) override { enqueue(queue_, kernel_, {round_up(n_, 64)}, {}, events.kernel); }
  void download(JobEvents& events) override { read(queue_, device_out_, out_, events.download); }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(out_)); }

  // All prices against the formula in double precision with the C library's erfc. Tolerance: both terms of a
  // price are at most share or strike times a probability, which the approximation gives within 7.5e-8 and
  // rounding (some 30 operations, d's error damped by the density) within 32 roundings.
  std::string verify() override {
    for (cl_uint i = 0; i < n_; ++i) {
      const double s = in_[i], x = in_[part_ + i], t = in_[2 * part_ + i];
      const double deviation = kVolatility * std::sqrt(t);
      const double d1 = (std::log(s / x) + (kRate + kVolatility * kVolatility / 2.0) * t) / deviation;
      auto normal = [](double d) { return std::erfc(-d / std::sqrt(2.0)) / 2; };
      const double discounted = x * std::exp(-kRate * t);
      const double call = s * normal(d1) - discounted * normal(d1 - deviation);
      const double bound = (s + x) * (7.5e-8 + 32 * kFloatRounding);
      std::string wrong = compare_within(i, out_[i], call, bound);
      if (wrong.empty()) wrong = compare_within(part_ + i, out_[part_ + i], call + discounted - s, bound);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  cl_uint n_ = 0;
  size_t part_ = 0;  // elements from one part to the next
  std::vector<cl_float> in_, out_;
  cl_command_queue queue_ = nullptr;
  Buffer device_in_, device_out_;
  std::array<Buffer, 5> parts_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  BlackScholes program;
  return run(program, argc, argv);
}
