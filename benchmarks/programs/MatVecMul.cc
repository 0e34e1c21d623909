// A matrix times a vector. Upper and lower rows are sub-buffers of the matrix and of the result, and go
// through queues of their own, so that one half can travel while the other is computed.
#include <cmath>
#include <utility>

#include "MatVecMul.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 64;
constexpr size_t kChecked = 1024;  // rows compared with the reference, if there are more

class MatVecMul : public Workload {
 public:
  const char* name() const override { return "MatVecMul"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--rows", rows_, {.usual = 8192, .small = 2049, .least = 2, .most = 32768}, "Rows of the matrix");
    sizes.add("--columns", columns_, {.usual = 8192, .small = 77, .least = 1, .most = 32768}, "Its columns");
  }
  std::string size() const override { return std::to_string(rows_) + " x " + std::to_string(columns_); }

  void set_up(const Session& session, uint64_t seed) override {
    seed_ = seed;
    Random random(seed);
    a_ = random.units(size_t{rows_} * columns_);
    x_ = random.units(columns_);
    y_.resize(rows_);
    device_a_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(a_));
    device_x_ = session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes_of(x_), x_.data());
    device_y_ = session.make_buffer(CL_MEM_WRITE_ONLY, bytes_of(y_));
    program_ = session.build(kMatVecMulCl, "-cl-std=CL1.2");
    // The upper half ends where a part of y may start: it may be empty.
    const size_t grain = session.sub_buffer_alignment() / sizeof(cl_float), upper = rows_ / 2 / grain * grain;
    for (const auto& [first, rows] : {std::pair(size_t{0}, upper), std::pair(upper, rows_ - upper)}) {
      if (rows == 0) continue;
      Part& part = parts_.emplace_back();
      part.first = first;
      part.rows = rows;
      part.queue = session.make_queue();
      part.a = make_sub_buffer(device_a_, CL_MEM_READ_ONLY, first * row_bytes(), part.rows * row_bytes());
      part.y = make_sub_buffer(device_y_, CL_MEM_WRITE_ONLY, first * sizeof(cl_float), part.rows * sizeof(cl_float));
      part.kernel = make_kernel(program_, "multiply");
      set_arguments(part.kernel, part.a, device_x_, part.y, columns_, LocalMemory{kLocal * sizeof(cl_float)});
    }
  }

  void upload(JobEvents& events) override {
    for (const Part& part : parts_) {
      check(clEnqueueWriteBuffer(part.queue.get(), part.a.get(), CL_FALSE, 0, part.rows * row_bytes(),
                                 &a_[part.first * columns_], 0, nullptr, events.upload.add()));
      check(clFlush(part.queue.get()));
    }
  }
  void launch(JobEvents& events) override {
    for (const Part& part : parts_)
      enqueue(part.queue.get(), part.kernel, {part.rows * kLocal}, {kLocal}, events.kernel);
  }
  void download(JobEvents& events) override {
    for (const Part& part : parts_) {
      check(clEnqueueReadBuffer(part.queue.get(), part.y.get(), CL_FALSE, 0, part.rows * sizeof(cl_float),
                                &y_[part.first], 0, nullptr, events.download.add()));
      check(clFlush(part.queue.get()));
    }
    for (const Part& part : parts_) check(clFinish(part.queue.get()));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(y_)); }

  // All rows or a sample. Tolerance: Higham's bound for a dot product in any order (Accuracy and Stability of
  // Numerical Algorithms, section 3.1).
  std::string verify() override {
    for (size_t row : to_verify(rows_, kChecked, seed_ + 1)) {
      double sum = 0, magnitude = 0;
      for (size_t column = 0; column < columns_; ++column) {
        const double term = double{a_[row * columns_ + column]} * x_[column];
        sum += term;
        magnitude += std::fabs(term);
      }
      const std::string wrong = compare_within(row, y_[row], sum, columns_ * kFloatRounding * magnitude);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  struct Part {
    size_t first = 0, rows = 0;
    Queue queue;
    Buffer a, y;
    Kernel kernel;
  };
  size_t row_bytes() const { return columns_ * sizeof(cl_float); }

  cl_uint rows_ = 0, columns_ = 0;
  uint64_t seed_ = 0;
  std::vector<cl_float> a_, x_, y_;
  Buffer device_a_, device_x_, device_y_;
  Program program_;
  std::vector<Part> parts_;
};

}  // namespace

int main(int argc, char** argv) {
  MatVecMul program;
  return run(program, argc, argv);
}
