// C = A B in tiles of local memory. Nothing blocks but the last wait: the commands are tied by events.
#include <cmath>

#include "MatrixMultiplication.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr cl_uint kTile = 16;
constexpr size_t kChecked = 4096;  // elements compared with the reference, if there are more

class MatrixMultiplication : public Workload {
 public:
  const char* name() const override { return "MatrixMultiplication"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--rows", m_, {.usual = 2048, .small = 35, .least = 1, .most = 16384}, "Rows of A and C");
    sizes.add("--columns", n_, {.usual = 2048, .small = 100, .least = 1, .most = 16384}, "Columns of B and C");
    sizes.add("--inner", k_, {.usual = 2048, .small = 41, .least = 1, .most = 16384}, "Columns of A, rows of B");
  }
  std::string size() const override {
    return std::to_string(m_) + " x " + std::to_string(k_) + " x " + std::to_string(n_);
  }

  void set_up(const Session& session, uint64_t seed) override {
    seed_ = seed;
    Random random(seed);
    a_ = random.units(size_t{m_} * k_);
    b_ = random.units(size_t{k_} * n_);
    c_.resize(size_t{m_} * n_);
    queue_ = session.queue.get();
    device_a_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(a_));
    device_b_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(b_));
    device_c_ = session.make_buffer(CL_MEM_WRITE_ONLY, bytes_of(c_));
    program_ = session.build(kMatrixMultiplicationCl, "-DTILE=" + std::to_string(kTile));
    kernel_ = make_kernel(program_, "multiply");
    set_arguments(kernel_, device_a_, device_b_, device_c_, m_, n_, k_);
  }

  void upload(JobEvents& events) override {
    write(queue_, device_a_, a_, events.upload);
    write(queue_, device_b_, b_, events.upload);
  }
  void launch(JobEvents& events) override {
    enqueue(queue_, kernel_, {round_up(n_, kTile), round_up(m_, kTile)}, {kTile, kTile}, events.kernel,
            {events.upload.data(), events.upload.size()});
  }
  void download(JobEvents& events) override {
    check(clEnqueueReadBuffer(queue_, device_c_.get(), CL_FALSE, 0, bytes_of(c_), c_.data(), events.kernel.size(),
                              events.kernel.data(), events.download.add()));
    check(clWaitForEvents(events.download.size(), events.download.data()));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(c_)); }

  // All elements, or a random sample of a large product. Tolerance: the bound of a dot product's rounding
  // error in any order of summation, k * eps * sum |a||b| (Higham, Accuracy and Stability, section 3.1).
  std::string verify() override {
    Random random(seed_ + 1);
    const size_t count = std::min(c_.size(), kChecked);
    for (size_t i = 0; i < count; ++i) {
      const size_t at = count == c_.size() ? i : random.below(static_cast<cl_uint>(c_.size()));
      const size_t row = at / n_, column = at % n_;
      double sum = 0, magnitude = 0;
      for (size_t j = 0; j < k_; ++j) {
        const double product = double{a_[row * k_ + j]} * double{b_[j * n_ + column]};
        sum += product;
        magnitude += std::fabs(product);
      }
      // Written so that NaN fails.
      if (!(std::fabs(c_[at] - sum) <= k_ * 0x1p-23 * magnitude)) return differs(at, double{c_[at]}, sum);
    }
    return {};
  }

 private:
  cl_uint m_ = 0, n_ = 0, k_ = 0;
  uint64_t seed_ = 0;
  std::vector<float> a_, b_, c_;
  cl_command_queue queue_ = nullptr;
  Buffer device_a_, device_b_, device_c_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  MatrixMultiplication program;
  return run(program, argc, argv);
}
