// Solves many small tridiagonal systems. On the host a system's four rows of numbers lie together; they
// travel as they are, and the device sorts them into four arrays (clEnqueueCopyBufferRect).
#include <bit>
#include <cmath>

#include "Tridiagonal.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

class Tridiagonal : public Workload {
 public:
  const char* name() const override { return "Tridiagonal"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--systems", systems_, {.usual = 16384, .small = 37, .least = 1, .most = 1 << 20}, "Systems");
    sizes.add("--equations", n_, {.usual = 128, .small = 61, .least = 2, .most = 1024}, "Equations per system");
  }
  std::string size() const override {
    return std::to_string(systems_) + " systems of " + std::to_string(n_) + " equations";
  }

  void set_up(const Session& session, uint64_t seed) override {
    size_t largest = 0;
    check(clGetDeviceInfo(session.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof largest, &largest, nullptr));
    if (n_ > largest)
      throw std::invalid_argument("--equations: a work-group of the device has at most " + std::to_string(largest) +
                                  " work-items, one per equation");
    Random random(seed);
    given_ = random.units(systems_ * kArrays * n_);
    for (size_t system = 0; system < systems_; ++system)  // diagonals between 3 and 5, their neighbours within +-1
      for (size_t i = 0; i < n_; ++i) row(system, kDiagonal)[i] += 4;
    x_.resize(systems_ * n_);
    queue_ = session.queue.get();
    device_given_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(given_));
    for (Buffer& array : device_arrays_) array = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(x_));
    device_x_ = session.make_buffer(CL_MEM_WRITE_ONLY, bytes_of(x_));
    program_ = session.build(kTridiagonalCl);
    kernel_ = make_kernel(program_, "solve");
    set_arguments(kernel_, device_arrays_[kLower], device_arrays_[kDiagonal], device_arrays_[kUpper],
                  device_arrays_[kRight], device_x_, LocalMemory{n_ * sizeof(cl_float4)});
  }

  void upload(JobEvents& events) override {
    write(queue_, device_given_, given_, events.upload);
    const size_t bytes = n_ * sizeof(cl_float), region[] = {bytes, systems_, 1}, to[] = {0, 0, 0};
    for (size_t array = 0; array < kArrays; ++array) {
      const size_t from[] = {array * bytes, 0, 0};
      check(clEnqueueCopyBufferRect(queue_, device_given_.get(), device_arrays_[array].get(), from, to, region,
                                    kArrays * bytes, 0, bytes, 0, 0, nullptr, events.upload.add()));
    }
  }
  void launch(JobEvents& events) override { enqueue(queue_, kernel_, {systems_ * n_}, {n_}, events.kernel); }
  void download(JobEvents& events) override { read(queue_, device_x_, x_, events.download); }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(x_)); }

  // All systems, by Thomas's algorithm in double precision. Tolerance: a diagonal is between 3 and 5 and
  // exceeds the sum of its neighbours, at most 2, by at least 1; so |x| <= 1, and rounding an equation's
  // terms, together at most 8, moves x by at most 8 roundings. Reduction keeps that; each of its steps rounds
  // some 10 times.
  std::string verify() override {
    const double steps = std::bit_width(n_ - 1) + 1;
    const double bound = steps * 10 * 8 * kFloatRounding;
    std::vector<double> ratio(n_), x(n_);
    for (size_t system = 0; system < systems_; ++system) {
      const float *a = row(system, kLower), *b = row(system, kDiagonal), *c = row(system, kUpper),
                  *d = row(system, kRight);
      for (size_t i = 0; i < n_; ++i) {
        const double lower = i == 0 ? 0 : a[i], pivot = b[i] - (i == 0 ? 0 : lower * ratio[i - 1]);
        ratio[i] = c[i] / pivot;
        x[i] = (d[i] - (i == 0 ? 0 : lower * x[i - 1])) / pivot;
      }
      for (size_t i = n_ - 1; i-- > 0;) x[i] -= ratio[i] * x[i + 1];
      for (size_t i = 0; i < n_; ++i) {
        const std::string wrong = compare_within(system * n_ + i, x_[system * n_ + i], x[i], bound);
        if (!wrong.empty()) return wrong;
      }
    }
    return {};
  }

 private:
  enum Array { kLower, kDiagonal, kUpper, kRight, kArrays };
  float* row(size_t system, Array array) { return &given_[(system * kArrays + array) * n_]; }

  size_t systems_ = 0, n_ = 0;
  std::vector<cl_float> given_;  // per system: n lower, n diagonal, n upper, n right
  std::vector<cl_float> x_;
  cl_command_queue queue_ = nullptr;
  Buffer device_given_, device_arrays_[kArrays], device_x_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  Tridiagonal program;
  return run(program, argc, argv);
}
