// A Walsh-Hadamard transform in place, log2(n) launches with changed arguments. The buffer is the program's
// own memory (CL_MEM_USE_HOST_PTR), handed over by mapping and unmapping.
#include <algorithm>
#include <bit>
#include <cmath>

#include "FastWalshTransform.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

// Terms of the reference's sums: as many elements are verified as these suffice for, at least one.
constexpr size_t kTerms = 1 << 30;

class FastWalshTransform : public Workload {
 public:
  const char* name() const override { return "FastWalshTransform"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--log2-size", log2_, {.usual = 23, .small = 10, .least = 2, .most = 28},
              "Number of values, as a power of two");
  }
  std::string size() const override { return std::to_string(1u << log2_); }

  void set_up(const Session& session, uint64_t seed) override {
    seed_ = seed;
    Random random(seed);
    signal_ = random.units(size_t{1} << log2_);
    shared_.resize(signal_.size());
    transform_.resize(signal_.size());
    queue_ = session.queue.get();
    device_values_ = session.make_buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes_of(shared_), shared_.data());
    program_ = session.build(kFastWalshTransformCl);
    kernel_ = make_kernel(program_, "butterfly");
  }

  void upload(JobEvents& events) override {
    void* mapped = map(queue_, device_values_, CL_MAP_WRITE_INVALIDATE_REGION, bytes_of(shared_), events.upload);
    std::copy(signal_.begin(), signal_.end(), static_cast<cl_float*>(mapped));
    unmap(queue_, device_values_, mapped, events.upload);
  }
  void launch(JobEvents& events) override {
    const size_t pairs = signal_.size() / 2;
    for (cl_uint distance = 1; distance < signal_.size(); distance *= 2) {
      set_arguments(kernel_, device_values_, distance);
      enqueue(queue_, kernel_, {pairs}, {std::min<size_t>(pairs, 256)}, events.kernel);
    }
  }
  void download(JobEvents& events) override {
    void* mapped = map(queue_, device_values_, CL_MAP_READ, bytes_of(shared_), events.download);
    std::copy(shared_.begin(), shared_.end(), transform_.begin());
    unmap(queue_, device_values_, mapped, events.download);
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(transform_)); }

  // By the definition: element i is the sum of all values, value j negated if i and j share an odd number of
  // ones. Tolerance: every value goes through log2(n) rounded additions.
  std::string verify() override {
    double magnitude = 0;
    for (float value : signal_) magnitude += std::fabs(value);
    for (size_t i : to_verify(transform_.size(), std::max(kTerms / signal_.size(), size_t{1}), seed_ + 1)) {
      double sum = 0;
      for (size_t j = 0; j < signal_.size(); ++j) sum += std::popcount(i & j) % 2 == 0 ? signal_[j] : -signal_[j];
      const std::string wrong = compare_within(i, transform_[i], sum, log2_ * kFloatRounding * magnitude);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  cl_uint log2_ = 0;
  uint64_t seed_ = 0;
  std::vector<cl_float> signal_, transform_;
  std::vector<cl_float> shared_;  // the buffer's memory
  cl_command_queue queue_ = nullptr;
  Buffer device_values_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  FastWalshTransform program;
  return run(program, argc, argv);
}
