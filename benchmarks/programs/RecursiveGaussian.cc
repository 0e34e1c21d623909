// A Gaussian blur by a recursive filter: columns, transpose, columns, transpose, the two kernels launched
// twice each with exchanged buffers and sizes. The filter's weights are a structure in constant memory.
#include <cmath>

#include "RecursiveGaussian.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kTile = 8, kLocal = 64;
constexpr size_t kChannels = 4;

// As in the kernel. R. Deriche, Recursively implementing the Gaussian and its derivatives, 1993: order 0.
template <typename Real>
struct Weights {
  Real a0, a1, a2, a3, b1, b2, first_downwards, first_upwards;
};

Weights<double> weights(double sigma) {
  const double alpha = 1.695 / sigma, e = std::exp(-alpha);
  const double k = (1 - e) * (1 - e) / (1 + 2 * alpha * e - e * e);
  Weights<double> w = {k, k * (alpha - 1) * e, k * (alpha + 1) * e, -k * e * e, -2 * e, e * e, 0, 0};
  w.first_downwards = (w.a0 + w.a1) / (1 + w.b1 + w.b2);
  w.first_upwards = (w.a2 + w.a3) / (1 + w.b1 + w.b2);
  return w;
}

class RecursiveGaussian : public Workload {
 public:
  const char* name() const override { return "RecursiveGaussian"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--width", width_, {.usual = 2048, .small = 83, .least = 1, .most = 8192}, "Pixels per row");
    sizes.add("--height", height_, {.usual = 2048, .small = 71, .least = 1, .most = 8192}, "Rows");
    sizes.add("--sigma", sigma_, {.usual = 8, .small = 3, .least = 1, .most = 32}, "Standard deviation in pixels");
  }
  std::string size() const override {
    return std::to_string(width_) + " x " + std::to_string(height_) + ", sigma " + std::to_string(sigma_);
  }

  void set_up(const Session& session, uint64_t seed) override {
    in_ = Random(seed).units(size_t{width_} * height_ * kChannels);
    out_.resize(in_.size());
    const Weights<double> exact = weights(sigma_);
    Weights<cl_float> w = {float(exact.a0),
                           float(exact.a1),
                           float(exact.a2),
                           float(exact.a3),
                           float(exact.b1),
                           float(exact.b2),
                           float(exact.first_downwards),
                           float(exact.first_upwards)};
    queue_ = session.queue.get();
    device_weights_ = session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof w, &w);
    for (Buffer& image : device_images_) image = session.make_buffer(CL_MEM_READ_WRITE, bytes_of(in_));
    program_ = session.build(kRecursiveGaussianCl, "-DTILE=" + std::to_string(kTile));
    blur_ = make_kernel(program_, "blur_columns");
    transpose_ = make_kernel(program_, "transpose");
  }

  void upload(JobEvents& events) override { write(queue_, device_images_[0], in_, events.upload); }
  void launch(JobEvents& events) override {
    cl_uint width = width_, height = height_;
    for (int direction = 0; direction < 2; ++direction) {
      set_arguments(blur_, device_images_[0], device_images_[1], width, height, device_weights_);
      enqueue(queue_, blur_, {round_up(width, kLocal)}, {kLocal}, events.kernel);
      set_arguments(transpose_, device_images_[1], device_images_[0], width, height);
      enqueue(queue_, transpose_, {round_up(width, kTile), round_up(height, kTile)}, {kTile, kTile}, events.kernel);
      std::swap(width, height);
    }
  }
  void download(JobEvents& events) override { read(queue_, device_images_[0], out_, events.download); }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(out_)); }

  // All pixels, in double precision. Tolerance: a step of one of the four passes rounds terms of at most
  // |b1| + |b2| + 1 < 4 in sum, four times each and once in the weight; an error e = exp(-1.695 / sigma) of a
  // value lives on in the later ones, in sum 1 / (1 - e)^2 times, e = exp(-1.695 / sigma). The input is
  // within +-1 and so is all that follows.
  std::string verify() override {
    const double e = std::exp(-1.695 / sigma_);
    const double bound = 4 * 4 * 5 * kFloatRounding / ((1 - e) * (1 - e));
    std::vector<double> image(in_.begin(), in_.end());
    const size_t row = width_ * kChannels;
    for (size_t i = 0; i < row; ++i) blur(image.data() + i, height_, row);
    for (size_t y = 0; y < height_; ++y)
      for (size_t c = 0; c < kChannels; ++c) blur(&image[y * row + c], width_, kChannels);
    for (size_t i = 0; i < image.size(); ++i) {
      const std::string wrong = compare_within(i, out_[i], image[i], bound);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  // Filters `count` values that are `stride` apart, in place.
  void blur(double* values, size_t count, size_t stride) const {
    const Weights<double> w = weights(sigma_);
    std::vector<double> x(count), upwards(count);
    for (size_t i = 0; i < count; ++i) x[i] = values[i * stride];
    auto x_at = [&](size_t i) { return x[std::min(i, count - 1)]; };
    auto upwards_at = [&](size_t i) { return i < count ? upwards[i] : x[count - 1] * w.first_upwards; };
    for (size_t i = count; i-- > 0;)
      upwards[i] = w.a2 * x_at(i + 1) + w.a3 * x_at(i + 2) - w.b1 * upwards_at(i + 1) - w.b2 * upwards_at(i + 2);
    double last = x[0] * w.first_downwards, second_last = last;
    for (size_t i = 0; i < count; ++i) {
      const double value = w.a0 * x[i] + w.a1 * x[i == 0 ? 0 : i - 1] - w.b1 * last - w.b2 * second_last;
      second_last = last;
      last = value;
      values[i * stride] = value + upwards[i];
    }
  }

  cl_uint width_ = 0, height_ = 0, sigma_ = 0;
  std::vector<cl_float> in_, out_;
  cl_command_queue queue_ = nullptr;
  Buffer device_weights_, device_images_[2];
  Program program_;
  Kernel blur_, transpose_;
};

}  // namespace

int main(int argc, char** argv) {
  RecursiveGaussian program;
  return run(program, argc, argv);
}
