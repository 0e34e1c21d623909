// Edge detection on images: one is read through a sampler, the other written. The host fills and reads both
// by mapping them (clEnqueueMapImage).
#include <algorithm>
#include <array>
#include <cstdlib>

#include "SobelFilter.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

using Pixel = std::array<cl_uchar, 4>;

constexpr size_t kTile = 16;

class SobelFilter : public Workload {
 public:
  const char* name() const override { return "SobelFilter"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--width", width_, {.usual = 2048, .small = 101, .least = 1, .most = 8192}, "Pixels per row");
    sizes.add("--height", height_, {.usual = 2048, .small = 67, .least = 1, .most = 8192}, "Rows");
  }
  std::string size() const override { return std::to_string(width_) + " x " + std::to_string(height_); }

  void set_up(const Session& session, uint64_t seed) override {
    Random random(seed);
    in_.resize(width_ * height_);
    out_.resize(in_.size());
    for (Pixel& pixel : in_)
      for (cl_uchar& channel : pixel) channel = static_cast<cl_uchar>(random.below(64));
    queue_ = session.queue.get();
    device_in_ = session.make_image(CL_MEM_READ_ONLY, width_, height_);
    device_out_ = session.make_image(CL_MEM_WRITE_ONLY, width_, height_);
    cl_int status = CL_SUCCESS;
    sampler_ =
        Sampler(clCreateSampler(session.context.get(), CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &status));
    check(status);
    program_ = session.build(kSobelFilterCl);
    kernel_ = make_kernel(program_, "sobel");
    set_arguments(kernel_, device_in_, sampler_, device_out_);
  }

  void upload(JobEvents& events) override {
    with_rows(device_in_, CL_MAP_WRITE_INVALIDATE_REGION, events.upload,
              [this](size_t y, Pixel* row) { std::copy_n(&in_[y * width_], width_, row); });
  }
  void launch(JobEvents& events) override {
    enqueue(queue_, kernel_, {round_up(width_, kTile), round_up(height_, kTile)}, {kTile, kTile}, events.kernel);
  }
  void download(JobEvents& events) override {
    with_rows(device_out_, CL_MAP_READ, events.download,
              [this](size_t y, const Pixel* row) { std::copy_n(row, width_, &out_[y * width_]); });
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(out_)); }

  // Exact, all pixels.
  std::string verify() override {
    for (size_t y = 0; y < height_; ++y)
      for (size_t x = 0; x < width_; ++x)
        for (size_t channel = 0; channel < 4; ++channel) {
          const int is = out_[y * width_ + x][channel], expected = strength(x, y, channel);
          if (is != expected) return differs((y * width_ + x) * 4 + channel, is, expected);
        }
    return {};
  }

 private:
  // Maps the image and calls act(y, first pixel) for each row.
  template <typename Act>
  void with_rows(const Image& image, cl_map_flags flags, EventList& events, const Act& act) {
    const size_t origin[] = {0, 0, 0}, region[] = {width_, height_, 1};
    size_t pitch = 0;
    cl_int status = CL_SUCCESS;
    void* mapped = clEnqueueMapImage(queue_, image.get(), CL_TRUE, flags, origin, region, &pitch, nullptr, 0, nullptr,
                                     events.add(), &status);
    check(status);
    for (size_t y = 0; y < height_; ++y) act(y, reinterpret_cast<Pixel*>(static_cast<std::byte*>(mapped) + y * pitch));
    unmap(queue_, image, mapped, events);
  }
  int strength(size_t x, size_t y, size_t channel) const {
    auto at = [&](size_t column, size_t row) -> int {  // one too large: the pixel itself is at 1, 1
      column = std::clamp<size_t>(x + column, 1, width_) - 1;
      row = std::clamp<size_t>(y + row, 1, height_) - 1;
      return in_[row * width_ + column][channel];
    };
    if (channel == 3) return at(1, 1);
    int across = 0, down = 0;
    for (size_t i = 0; i < 3; ++i) {
      const int weight = i == 1 ? 2 : 1;
      across += weight * (at(2, i) - at(0, i));
      down += weight * (at(i, 2) - at(i, 0));
    }
    return std::min(std::abs(across) + std::abs(down), 255);
  }

  size_t width_ = 0, height_ = 0;
  std::vector<Pixel> in_, out_;
  cl_command_queue queue_ = nullptr;
  Image device_in_, device_out_;
  Sampler sampler_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  SobelFilter program;
  return run(program, argc, argv);
}
