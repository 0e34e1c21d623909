// Points of a Sobol sequence with random initial numbers. Little goes to the device, much comes back: the
// result is copied out of its map row by row.
#include <algorithm>
#include <array>
#include <bit>

#include "QuasiRandomSequence.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

using Directions = std::array<cl_uint, 32>;

constexpr size_t kLocal = 64;

// The period of the shift register whose feedback is the polynomial x^degree + ... + 1 over GF(2), bit i for
// x^i.
cl_uint period(cl_uint polynomial, int degree) {
  cl_uint state = 1, steps = 0;
  do {
    state <<= 1;
    if (state >> degree & 1) state ^= polynomial;
    ++steps;
  } while (state != 1 && steps < 1u << degree);
  return steps;
}

// The next primitive polynomial after this one, in ascending order.
cl_uint next_primitive(cl_uint polynomial) {
  for (;;) {
    polynomial += 2;
    const int degree = std::bit_width(polynomial) - 1;
    if (period(polynomial, degree) == (1u << degree) - 1) return polynomial;
  }
}

// Sobol's recurrence m_k = 2 a_1 m_{k-1} ^ ... ^ 2^s a_s m_{k-s} ^ m_{k-s}, over numbers shifted to the top
// bits. The first s numbers m_k are any odd ones below 2^k.
Directions directions(cl_uint polynomial, Random& random) {
  const size_t degree = static_cast<size_t>(std::bit_width(polynomial) - 1);
  Directions made;
  for (size_t k = 0; k < 32; ++k) {
    if (k < degree) {
      made[k] = (random.below(1u << k) * 2 + 1) << (31 - k);
      continue;
    }
    made[k] = made[k - degree] ^ made[k - degree] >> degree;
    for (size_t i = 1; i < degree; ++i)
      if (polynomial >> (degree - i) & 1) made[k] ^= made[k - i];
  }
  return made;
}

class QuasiRandomSequence : public Workload {
 public:
  const char* name() const override { return "QuasiRandomSequence"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--points", count_, {.usual = 1 << 20, .small = 3001, .least = 2, .most = 1 << 24}, "Points");
    sizes.add("--dimensions", dimensions_, {.usual = 32, .small = 7, .least = 1, .most = 64}, "Dimensions");
  }
  std::string size() const override {
    return std::to_string(count_) + " points in " + std::to_string(dimensions_) + " dimensions";
  }

  void set_up(const Session& session, uint64_t seed) override {
    Random random(seed);
    Directions& halves = directions_.emplace_back();  // the first dimension is van der Corput's sequence
    for (size_t k = 0; k < 32; ++k) halves[k] = 1u << (31 - k);
    for (cl_uint polynomial = 1; directions_.size() < dimensions_;) {
      polynomial = next_primitive(polynomial);
      directions_.push_back(directions(polynomial, random));
    }
    points_.resize(size_t{count_} * dimensions_);
    queue_ = session.queue.get();
    device_directions_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(directions_));
    device_points_ = session.make_buffer(CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes_of(points_));
    program_ = session.build(kQuasiRandomSequenceCl);
    kernel_ = make_kernel(program_, "sobol");
    set_arguments(kernel_, device_directions_, device_points_, count_);
  }

  void upload(JobEvents& events) override { write(queue_, device_directions_, directions_, events.upload, CL_TRUE); }
  void launch(JobEvents& events) override {
    enqueue(queue_, kernel_, {round_up(count_, kLocal), dimensions_}, {kLocal, 1}, events.kernel);
  }
  void download(JobEvents& events) override {
    for (size_t dimension = 0; dimension < dimensions_; ++dimension) {
      cl_int status = CL_SUCCESS;
      void* row = clEnqueueMapBuffer(queue_, device_points_.get(), CL_TRUE, CL_MAP_READ, dimension * row_bytes(),
                                     row_bytes(), 0, nullptr, events.download.add(), &status);
      check(status);
      std::copy_n(static_cast<const cl_float*>(row), count_, &points_[dimension * count_]);
      unmap(queue_, device_points_, row, events.download);
    }
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(points_)); }

  // Exact, by the recurrence that goes from point to point; and the property that makes the sequence Sobol's:
  // in every dimension the first 2^k points have one in each of 2^k equal intervals.
  std::string verify() override {
    for (size_t dimension = 0; dimension < dimensions_; ++dimension) {
      const cl_float* row = &points_[dimension * count_];
      cl_uint fraction = 0;
      for (cl_uint i = 0; i < count_; ++i) {
        const float expected = static_cast<float>(fraction >> 8) * 0x1p-24f;
        if (row[i] != expected) return differs(dimension * count_ + i, row[i], expected);
        fraction ^= directions_[dimension][static_cast<size_t>(std::countr_zero(i + 1))];
      }
      const cl_uint intervals = std::bit_floor(count_);
      std::vector<bool> taken(intervals, false);
      for (cl_uint i = 0; i < intervals; ++i) taken[static_cast<size_t>(row[i] * static_cast<float>(intervals))] = true;
      if (std::find(taken.begin(), taken.end(), false) != taken.end())
        return "dimension " + std::to_string(dimension) + " leaves an interval out";
    }
    return {};
  }

 private:
  size_t row_bytes() const { return count_ * sizeof(cl_float); }

  cl_uint count_ = 0;
  size_t dimensions_ = 0;
  std::vector<Directions> directions_;
  std::vector<cl_float> points_;
  cl_command_queue queue_ = nullptr;
  Buffer device_directions_, device_points_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  QuasiRandomSequence program;
  return run(program, argc, argv);
}
