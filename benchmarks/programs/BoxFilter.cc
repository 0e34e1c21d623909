// Averages an RGBA image over a square around each pixel: rows, then columns. The two kernels run in queues
// of their own; what the second needs of the first is said by a barrier that waits for its event.
#include <algorithm>
#include <array>

#include "BoxFilter.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

using Pixel = std::array<cl_uchar, 4>;

constexpr size_t kLocal = 32;
constexpr size_t kChecked = 1 << 16;  // pixels compared with the reference, if there are more

class BoxFilter : public Workload {
 public:
  const char* name() const override { return "BoxFilter"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--width", width_, {.usual = 2048, .small = 131, .least = 1, .most = 16384}, "Pixels per row");
    sizes.add("--height", height_, {.usual = 2048, .small = 75, .least = 1, .most = 16384}, "Rows");
    sizes.add("--radius", radius_, {.usual = 8, .small = 3, .least = 0, .most = 64}, "Pixels to each side");
  }
  std::string size() const override {
    return std::to_string(width_) + " x " + std::to_string(height_) + ", radius " + std::to_string(radius_);
  }

  void set_up(const Session& session, uint64_t seed) override {
    seed_ = seed;
    Random random(seed);
    in_.resize(size_t(width_) * size_t(height_));
    out_.resize(in_.size());
    for (Pixel& pixel : in_)
      for (cl_uchar& channel : pixel) channel = static_cast<cl_uchar>(random.next());
    rows_queue_ = session.make_queue();
    columns_queue_ = session.make_queue();
    device_in_ = session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, bytes_of(in_));
    device_sums_ = session.make_buffer(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, in_.size() * sizeof(cl_uint4));
    device_out_ = session.make_buffer(CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY, bytes_of(out_));
    program_ = session.build(kBoxFilterCl);
    rows_ = make_kernel(program_, "sum_rows");
    columns_ = make_kernel(program_, "average_columns");
    set_arguments(rows_, device_in_, device_sums_, width_, height_, radius_);
    set_arguments(columns_, device_sums_, device_out_, width_, height_, radius_);
  }

  void upload(JobEvents& events) override { write(rows_queue_.get(), device_in_, in_, events.upload); }
  void launch(JobEvents& events) override {
    enqueue(rows_queue_.get(), rows_, {round_up(size_t(height_), kLocal)}, {kLocal}, events.kernel);
    check(clFlush(rows_queue_.get()));
    check(clEnqueueBarrierWithWaitList(columns_queue_.get(), 1, events.kernel.data(), nullptr));
    enqueue(columns_queue_.get(), columns_, {round_up(size_t(width_), kLocal)}, {kLocal}, events.kernel);
  }
  void download(JobEvents& events) override { read(columns_queue_.get(), device_out_, out_, events.download); }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(out_)); }

  // Exact; all pixels or a sample.
  std::string verify() override {
    for (size_t at : to_verify(out_.size(), kChecked, seed_ + 1)) {
      const Pixel expected = averaged(static_cast<int>(at) % width_, static_cast<int>(at) / width_);
      for (size_t channel = 0; channel < 4; ++channel)
        if (out_[at][channel] != expected[channel])
          return differs(at * 4 + channel, out_[at][channel], expected[channel]);
    }
    return {};
  }

 private:
  Pixel averaged(int x, int y) const {
    std::array<cl_uint, 4> sum{};
    for (int dy = -radius_; dy <= radius_; ++dy)
      for (int dx = -radius_; dx <= radius_; ++dx) {
        const int row = std::clamp(y + dy, 0, height_ - 1), column = std::clamp(x + dx, 0, width_ - 1);
        for (size_t c = 0; c < 4; ++c) sum[c] += in_[size_t(row) * size_t(width_) + size_t(column)][c];
      }
    const cl_uint side = static_cast<cl_uint>(2 * radius_ + 1), area = side * side;
    Pixel pixel;
    for (size_t c = 0; c < 4; ++c) pixel[c] = static_cast<cl_uchar>((sum[c] + area / 2) / area);
    return pixel;
  }

  cl_int width_ = 0, height_ = 0, radius_ = 0;
  uint64_t seed_ = 0;
  std::vector<Pixel> in_, out_;
  Queue rows_queue_, columns_queue_;
  Buffer device_in_, device_sums_, device_out_;
  Program program_;
  Kernel rows_, columns_;
};

}  // namespace

int main(int argc, char** argv) {
  BoxFilter program;
  return run(program, argc, argv);
}
