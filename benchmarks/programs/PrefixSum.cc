// Inclusive prefix sums in place: a tree of launches over an ever larger stride and back, with changed
// arguments.
#include <numeric>

#include "PrefixSum.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 128;
constexpr cl_uint kBlock = 2 * kLocal;

class PrefixSum : public Workload {
 public:
  const char* name() const override { return "PrefixSum"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--size", n_, {.usual = 16 << 20, .small = 66003, .least = 2, .most = 1 << 28}, "Values");
  }
  std::string size() const override { return std::to_string(n_); }

  void set_up(const Session& session, uint64_t seed) override {
    values_ = Random(seed).words(n_);
    sums_.resize(n_);
    queue_ = session.queue.get();
    device_values_ = session.make_buffer(CL_MEM_READ_WRITE, bytes_of(values_));
    program_ = session.build(kPrefixSumCl);
    scan_ = make_kernel(program_, "scan_blocks");
    carry_ = make_kernel(program_, "add_carries");
  }

  void upload(JobEvents& events) override { write(queue_, device_values_, values_, events.upload); }
  void launch(JobEvents& events) override {
    std::vector<cl_uint> strides;
    for (cl_uint stride = 1; strides.empty() || n_ / strides.back() > kBlock; stride *= kBlock) {
      strides.push_back(stride);
      set_arguments(scan_, device_values_, n_, stride, LocalMemory{kBlock * sizeof(cl_uint)});
      enqueue(queue_, scan_, {round_up(n_ / stride, kBlock) / 2}, {kLocal}, events.kernel);
    }
    strides.pop_back();  // a single block, without carries
    for (; !strides.empty(); strides.pop_back()) {
      set_arguments(carry_, device_values_, n_, strides.back(), kBlock);
      enqueue(queue_, carry_, {round_up(n_ / strides.back(), kLocal)}, {kLocal}, events.kernel);
    }
  }
  void download(JobEvents& events) override { read(queue_, device_values_, sums_, events.download); }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(sums_)); }

  // Exact, modulo 2^32.
  std::string verify() override {
    std::vector<cl_uint> expected(n_);
    std::partial_sum(values_.begin(), values_.end(), expected.begin());
    return compare(sums_, expected);
  }

 private:
  cl_uint n_ = 0;
  std::vector<cl_uint> values_, sums_;
  cl_command_queue queue_ = nullptr;
  Buffer device_values_;
  Program program_;
  Kernel scan_, carry_;
};

}  // namespace

int main(int argc, char** argv) {
  PrefixSum program;
  return run(program, argc, argv);
}
