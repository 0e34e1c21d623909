// Smooths an image that lies in host memory with padded rows: it travels as rectangles. Local size: NULL.
#include <algorithm>
#include <array>

#include "Filter.cl.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

using Pixel = std::array<cl_uchar, 4>;

// The outer product of a row of binomial coefficients with itself.
constexpr std::array<cl_int, 5> kRow = {1, 4, 6, 4, 1};
constexpr std::array<cl_int, 25> kWeights = [] {
  std::array<cl_int, 25> weights{};
  for (size_t i = 0; i < 25; ++i) weights[i] = kRow[i / 5] * kRow[i % 5];
  return weights;
}();
constexpr cl_int kTotal = 256;  // sum of the weights
constexpr size_t kPadding = 7;  // pixels after each row of the host's image

class Filter : public Workload {
 public:
  const char* name() const override { return "Filter"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--width", width_, {.usual = 1024, .small = 101, .least = 1, .most = 16384}, "Pixels per row");
    sizes.add("--height", height_, {.usual = 768, .small = 67, .least = 1, .most = 16384}, "Rows");
  }
  std::string size() const override { return std::to_string(width_) + " x " + std::to_string(height_); }

  void set_up(const Session& session, uint64_t seed) override {
    Random random(seed);
    in_.resize((width_ + kPadding) * height_);
    out_.resize(width_ * height_);
    for (Pixel& pixel : in_)
      for (cl_uchar& channel : pixel) channel = static_cast<cl_uchar>(random.next());
    queue_ = session.queue.get();
    const size_t bytes = out_.size() * sizeof(Pixel);
    auto weights = kWeights;
    device_in_ = session.make_buffer(CL_MEM_READ_ONLY, bytes);
    device_out_ = session.make_buffer(CL_MEM_WRITE_ONLY, bytes);
    device_weights_ = session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof weights, weights.data());
    program_ = session.build(kFilterCl);
    kernel_ = make_kernel(program_, "smooth");
    set_arguments(kernel_, device_in_, device_out_, device_weights_, kTotal);
  }

  void upload(JobEvents& events) override {
    const size_t origin[] = {0, 0, 0}, region[] = {width_ * sizeof(Pixel), height_, 1};
    check(clEnqueueWriteBufferRect(queue_, device_in_.get(), CL_FALSE, origin, origin, region, width_ * sizeof(Pixel),
                                   0, (width_ + kPadding) * sizeof(Pixel), 0, in_.data(), 0, nullptr,
                                   events.upload.add()));
  }
  void launch(JobEvents& events) override {
    const size_t global[] = {width_, height_};
    check(clEnqueueNDRangeKernel(queue_, kernel_.get(), 2, nullptr, global, nullptr, 0, nullptr, events.kernel.add()));
  }
  void download(JobEvents& events) override {
    check(clEnqueueReadBuffer(queue_, device_out_.get(), CL_FALSE, 0, out_.size() * sizeof(Pixel), out_.data(), 0,
                              nullptr, events.download.add()));
    check(clFinish(queue_));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(out_)); }

  // Exact, all pixels.
  std::string verify() override {
    for (size_t y = 0; y < height_; ++y)
      for (size_t x = 0; x < width_; ++x) {
        const Pixel expected = smoothed(x, y), is = out_[y * width_ + x];
        for (size_t channel = 0; channel < 4; ++channel)
          if (is[channel] != expected[channel])
            return differs<int>((y * width_ + x) * 4 + channel, is[channel], expected[channel]);
      }
    return {};
  }

 private:
  Pixel smoothed(size_t x, size_t y) const {
    auto clamped = [](size_t at, int by, size_t count) {
      return static_cast<size_t>(
          std::clamp<ptrdiff_t>(static_cast<ptrdiff_t>(at) + by, 0, static_cast<ptrdiff_t>(count) - 1));
    };
    std::array<cl_int, 4> sum{};
    for (int dy = -2; dy <= 2; ++dy)
      for (int dx = -2; dx <= 2; ++dx) {
        const Pixel& from = in_[clamped(y, dy, height_) * (width_ + kPadding) + clamped(x, dx, width_)];
        for (size_t c = 0; c < 4; ++c) sum[c] += from[c] * kWeights[static_cast<size_t>((dy + 2) * 5 + dx + 2)];
      }
    Pixel pixel = in_[y * (width_ + kPadding) + x];
    for (size_t c = 0; c < 3; ++c) pixel[c] = static_cast<cl_uchar>((sum[c] + kTotal / 2) / kTotal);
    return pixel;
  }

  size_t width_ = 0, height_ = 0;
  std::vector<Pixel> in_, out_;  // rows of in_ are padded
  cl_command_queue queue_ = nullptr;
  Buffer device_in_, device_out_, device_weights_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  Filter program;
  return run(program, argc, argv);
}
