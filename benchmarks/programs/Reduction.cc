// The sum of 64-bit words (modulo 2^64), in as many launches as it takes until one value is left. The
// launches use two buffers in turn. Written with OpenCL's C++ bindings.
#include <numeric>

#include "Reduction.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/cpp_bindings.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 128;

class Reduction : public Workload {
 public:
  const char* name() const override { return "Reduction"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--size", n_, {.usual = 16 << 20, .small = 40013, .least = 1, .most = 1 << 28}, "Words to sum");
  }
  std::string size() const override { return std::to_string(n_); }

  void set_up(const Session& session, uint64_t seed) override {
    Random random(seed);
    values_.resize(n_);
    for (cl_ulong& value : values_) value = random.next();
    const cl::Context context = cpp_context(session);
    queue_ = cpp_queue(session);
    device_values_ = cl::Buffer(context, CL_MEM_READ_ONLY, bytes_of(values_));
    for (cl::Buffer& sums : device_sums_) sums = cl::Buffer(context, CL_MEM_READ_WRITE, groups(n_) * sizeof(cl_ulong));
    cl::Program program(context, kReductionCl);
    program.build("-cl-std=CL1.2");
    kernel_ = cl::Kernel(program, "reduce");
  }

  void upload(JobEvents& events) override {
    queue_.enqueueWriteBuffer(device_values_, CL_FALSE, 0, bytes_of(values_), values_.data(), nullptr,
                              Into(events.upload));
  }
  void launch(JobEvents& events) override {
    const cl::Buffer* from = &device_values_;
    last_ = 1;
    for (cl_uint left = n_; from == &device_values_ || left > 1; left = groups(left)) {
      last_ = 1 - last_;
      kernel_.setArg(0, *from);
      kernel_.setArg(1, left);
      kernel_.setArg(2, device_sums_[last_]);
      kernel_.setArg(3, cl::Local(kLocal * sizeof(cl_ulong)));
      queue_.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(groups(left) * kLocal), cl::NDRange(kLocal),
                                  nullptr, Into(events.kernel));
      from = &device_sums_[last_];
    }
  }
  void download(JobEvents& events) override {
    queue_.enqueueReadBuffer(device_sums_[last_], CL_TRUE, 0, sizeof sum_[0], sum_.data(), nullptr,
                             Into(events.download));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(sum_)); }

  // Exact.
  std::string verify() override {
    return compare(sum_, std::vector{std::accumulate(values_.begin(), values_.end(), cl_ulong{0})});
  }

 private:
  static cl_uint groups(cl_uint values) { return static_cast<cl_uint>((values + 2 * kLocal - 1) / (2 * kLocal)); }

  cl_uint n_ = 0;
  std::vector<cl_ulong> values_, sum_ = std::vector<cl_ulong>(1);
  size_t last_ = 0;  // which of the two holds the last launch's sums
  cl::CommandQueue queue_;
  cl::Buffer device_values_, device_sums_[2];
  cl::Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  Reduction program;
  return run(program, argc, argv);
}
