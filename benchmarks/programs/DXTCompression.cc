// Texture compression: reads an image through a sampler of the kernel's own, writes a buffer. The host's rows
// are padded and travel with their pitch (clEnqueueWriteImage).
#include <algorithm>
#include <array>
#include <cmath>

#include "DXTCompression.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

using Pixel = std::array<cl_uchar, 4>;
using Colour = std::array<int, 3>;

constexpr size_t kTile = 8;
constexpr size_t kPadding = 5;  // pixels after each row of the host's image

class DXTCompression : public Workload {
 public:
  const char* name() const override { return "DXTCompression"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--columns", columns_, {.usual = 512, .small = 27, .least = 1, .most = 2048}, "Blocks per row");
    sizes.add("--rows", rows_, {.usual = 512, .small = 19, .least = 1, .most = 2048}, "Rows of blocks");
  }
  std::string size() const override {
    return std::to_string(4 * columns_) + " x " + std::to_string(4 * rows_) + " pixels";
  }

  void set_up(const Session& session, uint64_t seed) override {
    Random random(seed);
    in_.resize(pitch() * 4 * rows_);
    for (size_t y = 0; y < 4 * rows_; ++y)  // gradients with noise, and here and there a block of one colour
      for (size_t x = 0; x < 4 * columns_; ++x)
        for (size_t c = 0; c < 4; ++c) {
          const bool plain = x / 4 % 5 == 3 && y / 4 % 3 == 1;
          const size_t smooth = plain ? 40 * c + 30 : (x * (c + 1) + y * (3 - c)) / 2 % 200;
          in_[y * pitch() + x][c] = static_cast<cl_uchar>(smooth + (plain ? 0 : random.below(40)));
        }
    blocks_.resize(size_t{columns_} * rows_);
    queue_ = session.queue.get();
    device_image_ = session.make_image(CL_MEM_READ_ONLY, 4 * columns_, 4 * rows_);
    device_blocks_ = session.make_buffer(CL_MEM_WRITE_ONLY, bytes_of(blocks_));
    program_ = session.build(kDXTCompressionCl);
    kernel_ = make_kernel(program_, "compress_dxt1");
    set_arguments(kernel_, device_image_, device_blocks_, columns_, rows_);
  }

  void upload(JobEvents& events) override {
    const size_t origin[] = {0, 0, 0}, region[] = {4 * columns_, 4 * rows_, 1};
    check(clEnqueueWriteImage(queue_, device_image_.get(), CL_FALSE, origin, region, pitch() * sizeof(Pixel), 0,
                              in_.data(), 0, nullptr, events.upload.add()));
  }
  void launch(JobEvents& events) override {
    enqueue(queue_, kernel_, {round_up(columns_, kTile), round_up(rows_, kTile)}, {kTile, kTile}, events.kernel);
  }
  void download(JobEvents& events) override { read(queue_, device_blocks_, blocks_, events.download); }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(blocks_)); }

  // Exact: the two colours are the box's corners, and no other choice is nearer to the pixel than the one
  // taken, nor as near and earlier.
  std::string verify() override {
    for (size_t at = 0; at < blocks_.size(); ++at) {
      const Block is = blocks_[at];
      const std::array<Colour, 16> pixels = pixels_of(at);
      const std::array<cl_uint, 2> ends = corners(pixels);
      if (is.colours != (ends[0] | ends[1] << 16)) return differs(2 * at, is.colours, ends[0] | ends[1] << 16);
      cl_uint choices = 0;
      for (size_t i = 0; i < 16 && ends[0] != ends[1]; ++i) choices |= nearest(pixels[i], ends) << 2 * i;
      if (is.choices != choices) return differs(2 * at + 1, is.choices, choices);
    }
    return {};
  }

 private:
  struct Block {
    cl_uint colours, choices;
  };
  size_t pitch() const { return 4 * columns_ + kPadding; }

  std::array<Colour, 16> pixels_of(size_t block) const {
    std::array<Colour, 16> pixels;
    for (size_t i = 0; i < 16; ++i) {
      const Pixel& from = in_[(block / columns_ * 4 + i / 4) * pitch() + block % columns_ * 4 + i % 4];
      pixels[i] = {from[0], from[1], from[2]};
    }
    return pixels;
  }
  // The upper and the lower corner, moved inwards and rounded to 5, 6 and 5 bits.
  static std::array<cl_uint, 2> corners(const std::array<Colour, 16>& pixels) {
    std::array<cl_uint, 2> packed{};
    for (size_t c = 0; c < 3; ++c) {
      auto [low, high] = std::minmax_element(pixels.begin(), pixels.end(),
                                             [c](const Colour& a, const Colour& b) { return a[c] < b[c]; });
      const int bits = c == 1 ? 6 : 5, most = (1 << bits) - 1, inset = ((*high)[c] - (*low)[c]) / 16;
      auto rounded = [&](int value) { return static_cast<cl_uint>(std::lround(value * most / 255.0)); };
      packed[0] = packed[0] << bits | rounded((*high)[c] - inset);
      packed[1] = packed[1] << bits | rounded((*low)[c] + inset);
    }
    return packed;
  }
  static int channel(cl_uint packed, size_t c) {
    const cl_uint value = c == 0 ? packed >> 11 : c == 1 ? packed >> 5 & 63 : packed & 31;
    return static_cast<int>(c == 1 ? value * 4 + value / 16 : value * 8 + value / 4);
  }
  static cl_uint nearest(const Colour& pixel, const std::array<cl_uint, 2>& ends) {
    std::array<int, 4> distance{};
    for (int choice = 0; choice < 4; ++choice)
      for (size_t c = 0; c < 3; ++c) {
        const int a = channel(ends[0], c), b = channel(ends[1], c);
        const int palette[] = {a, b, (2 * a + b) / 3, (a + 2 * b) / 3};
        distance[size_t(choice)] += (pixel[c] - palette[choice]) * (pixel[c] - palette[choice]);
      }
    return static_cast<cl_uint>(std::min_element(distance.begin(), distance.end()) - distance.begin());
  }

  cl_uint columns_ = 0, rows_ = 0;
  std::vector<Pixel> in_;  // rows are padded
  std::vector<Block> blocks_;
  cl_command_queue queue_ = nullptr;
  Image device_image_;
  Buffer device_blocks_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  DXTCompression program;
  return run(program, argc, argv);
}
