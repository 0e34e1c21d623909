// Finite differences in time on a three-dimensional grid: each step reads one padded grid and writes the
// other. The inner grid goes into the padded one and out of it as a box (three-dimensional rectangular
// transfers).
#include <array>

#include "FDTD3d.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kRadius = 4;
constexpr size_t kWidth = 32, kHeight = 4;  // of a work-group
// The centre's, then by distance. In sum over the star 1, so that values stay as small as they are.
constexpr std::array<cl_float, kRadius + 1> kCoefficients = {0.28f, 0.06f, 0.03f, 0.02f, 0.01f};

class FDTD3d : public Workload {
 public:
  const char* name() const override { return "FDTD3d"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--width", nx_, {.usual = 376, .small = 37, .least = 2, .most = 1024}, "Points in x");
    sizes.add("--height", ny_, {.usual = 376, .small = 19, .least = 1, .most = 1024}, "Points in y");
    sizes.add("--depth", nz_, {.usual = 376, .small = 11, .least = 1, .most = 1024}, "Points in z");
    sizes.add("--steps", steps_, {.usual = 5, .small = 3, .least = 1, .most = 1000}, "Time steps");
  }
  std::string size() const override {
    return std::to_string(nx_) + " x " + std::to_string(ny_) + " x " + std::to_string(nz_) + ", " +
           std::to_string(steps_) + " steps";
  }

  void set_up(const Session& session, uint64_t seed) override {
    grid_ = Random(seed).units(size_t{nx_} * ny_ * nz_);
    result_.resize(grid_.size());
    row_ = nx_ + 2 * kRadius;
    plane_ = row_ * (ny_ + 2 * kRadius);
    padded_ = plane_ * (nz_ + 2 * kRadius);
    if (padded_ >= size_t{1} << 32) throw std::invalid_argument("the padded grid has more than 2^32 points");
    queue_ = session.queue.get();
    for (Buffer& grid : device_grids_) grid = session.make_buffer(CL_MEM_READ_WRITE, padded_ * sizeof(cl_float));
    auto coefficients = kCoefficients;
    device_coefficients_ =
        session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof coefficients, coefficients.data());
    program_ = session.build(kFDTD3dCl, "-DRADIUS=" + std::to_string(kRadius) + " -DWIDTH=" + std::to_string(kWidth) +
                                            " -DHEIGHT=" + std::to_string(kHeight));
    kernel_ = make_kernel(program_, "step_grid");
    set_arguments(kernel_, device_grids_[0], device_grids_[1], device_coefficients_, nx_, ny_, nz_);
  }

  void upload(JobEvents& events) override {
    const cl_float zero = 0;
    for (const Buffer& grid : device_grids_)
      check(clEnqueueFillBuffer(queue_, grid.get(), &zero, sizeof zero, 0, padded_ * sizeof zero, 0, nullptr,
                                events.upload.add()));
    check(clEnqueueWriteBufferRect(queue_, device_grids_[0].get(), CL_FALSE, inner_.data(), kOrigin.data(),
                                   box().data(), row_ * sizeof(cl_float), plane_ * sizeof(cl_float), 0, 0, grid_.data(),
                                   0, nullptr, events.upload.add()));
  }
  void launch(JobEvents& events) override {
    for (cl_uint step = 0; step < steps_; ++step) {
      set_argument(kernel_.get(), 0, device_grids_[step % 2]);
      set_argument(kernel_.get(), 1, device_grids_[1 - step % 2]);
      enqueue(queue_, kernel_, {round_up(nx_, kWidth), round_up(ny_, kHeight)}, {kWidth, kHeight}, events.kernel);
    }
  }
  void download(JobEvents& events) override {
    check(clEnqueueReadBufferRect(queue_, device_grids_[steps_ % 2].get(), CL_TRUE, inner_.data(), kOrigin.data(),
                                  box().data(), row_ * sizeof(cl_float), plane_ * sizeof(cl_float), 0, 0,
                                  result_.data(), 0, nullptr, events.download.add()));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(result_)); }

  // All points, in double precision. Tolerance: in a step a value is the sum of 25 products, whose magnitudes
  // are in sum at most 1, as is a value; and errors of the step before pass on at most once.
  std::string verify() override {
    std::vector<double> from(padded_), to(padded_);
    for_each([&](size_t at, size_t padded) { from[padded] = grid_[at]; });
    for (cl_uint step = 0; step < steps_; ++step) {
      for_each([&](size_t, size_t padded) {
        double value = double{kCoefficients[0]} * from[padded];
        for (size_t i = 1; i <= kRadius; ++i)
          for (size_t stride : {size_t{1}, row_, plane_})
            value += double{kCoefficients[i]} * (from[padded - i * stride] + from[padded + i * stride]);
        to[padded] = value;
      });
      from.swap(to);
    }
    std::string wrong;
    for_each([&](size_t at, size_t padded) {
      if (wrong.empty()) wrong = compare_within(at, result_[at], from[padded], steps_ * 25 * kFloatRounding);
    });
    return wrong;
  }

 private:
  static constexpr std::array<size_t, 3> kOrigin = {0, 0, 0};

  std::array<size_t, 3> box() const { return {nx_ * sizeof(cl_float), ny_, nz_}; }
  // Calls visit(place in the grid, place in the padded grid) for all points.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    size_t at = 0;
    for (size_t z = 0; z < nz_; ++z)
      for (size_t y = 0; y < ny_; ++y)
        for (size_t x = 0; x < nx_; ++x) visit(at++, (z + kRadius) * plane_ + (y + kRadius) * row_ + x + kRadius);
  }

  cl_uint nx_ = 0, ny_ = 0, nz_ = 0, steps_ = 0;
  size_t row_ = 0, plane_ = 0, padded_ = 0;  // points of the padded grid
  std::vector<cl_float> grid_, result_;
  const std::array<size_t, 3> inner_ = {kRadius * sizeof(cl_float), kRadius, kRadius};
  cl_command_queue queue_ = nullptr;
  Buffer device_grids_[2], device_coefficients_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  FDTD3d program;
  return run(program, argc, argv);
}
