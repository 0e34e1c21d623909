// A Haar wavelet transform. Each launch takes the averages of the one before, which the device copies from
// the output to the input (clEnqueueCopyBuffer of a part).
#include <algorithm>
#include <cmath>

#include "DwtHaar1D.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 128;

class DwtHaar1D : public Workload {
 public:
  const char* name() const override { return "DwtHaar1D"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--log2-size", log2_, {.usual = 24, .small = 13, .least = 1, .most = 28},
              "Number of values, as a power of two");
  }
  std::string size() const override { return std::to_string(1u << log2_); }

  void set_up(const Session& session, uint64_t seed) override {
    signal_ = Random(seed).units(size_t{1} << log2_);
    transform_.resize(signal_.size());
    queue_ = session.queue.get();
    device_in_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(signal_));
    device_out_ = session.make_buffer(CL_MEM_READ_WRITE, bytes_of(signal_));
    program_ = session.build(kDwtHaar1DCl);
    kernel_ = make_kernel(program_, "decompose");
  }

  void upload(JobEvents& events) override { write(queue_, device_in_, signal_, events.upload); }
  void launch(JobEvents& events) override {
    for (size_t left = signal_.size(); left > 1;) {
      const size_t local = std::min(left / 2, kLocal);
      set_arguments(kernel_, device_in_, device_out_, static_cast<cl_uint>(left),
                    LocalMemory{2 * local * sizeof(cl_float)});
      enqueue(queue_, kernel_, {left / 2}, {local}, events.kernel);
      left /= 2 * local;
      if (left > 1)
        check(clEnqueueCopyBuffer(queue_, device_out_.get(), device_in_.get(), 0, 0, left * sizeof(cl_float), 0,
                                  nullptr, events.kernel.add()));
    }
  }
  void download(JobEvents& events) override { read(queue_, device_out_, transform_, events.download); }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(transform_)); }

  // By the definition, from sums over the signal: a detail of level k is the difference of the sums over two
  // neighbouring intervals of 2^(k-1) values, divided by 2^(k/2). Tolerance: a level rounds thrice.
  std::string verify() override {
    std::vector<double> sums(signal_.size() + 1), magnitudes(signal_.size() + 1);
    for (size_t i = 0; i < signal_.size(); ++i) {
      sums[i + 1] = sums[i] + signal_[i];
      magnitudes[i + 1] = magnitudes[i] + std::fabs(signal_[i]);
    }
    for (size_t i = 0; i < transform_.size(); ++i) {
      size_t level = log2_;  // of element 0, the average of all, and of element 1, the coarsest detail
      for (size_t top = i; top > 1; top /= 2) --level;
      const size_t length = size_t{1} << level, index = i == 0 ? 0 : i - (size_t{1} << (log2_ - level));
      const size_t first = index * length, middle = first + length / 2, last = first + length;
      const double lower = sums[middle] - sums[first], upper = sums[last] - sums[middle];
      const double scale = std::exp2(-static_cast<double>(level) / 2);
      const std::string wrong = compare_within(
          i, transform_[i], scale * (i == 0 ? lower + upper : lower - upper),
          3 * static_cast<double>(level) * kFloatRounding * scale * (magnitudes[last] - magnitudes[first]));
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  cl_uint log2_ = 0;
  std::vector<cl_float> signal_, transform_;
  cl_command_queue queue_ = nullptr;
  Buffer device_in_, device_out_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  DwtHaar1D program;
  return run(program, argc, argv);
}
