#include "tests/differential/images/pixels.h"

#include <cstring>

namespace image_sequences {

std::string_view name(Format format) {
  switch (format) {
    case Format::rgba8: return "rgba8";
    case Format::r16: return "r16";
    default: return "rgba32";
  }
}

size_t pixel_bytes(Format format) {
  switch (format) {
    case Format::rgba8: return 4;
    case Format::r16: return 2;
    default: return 16;
  }
}

uint32_t largest(Format format) {
  switch (format) {
    case Format::rgba8: return 0xff;
    case Format::r16: return 0xffff;
    default: return 0xffffffff;
  }
}

Pixel load(Format format, const std::byte* from) {
  Pixel pixel{};
  if (format == Format::rgba8)
    for (size_t channel = 0; channel < 4; ++channel) pixel[channel] = std::to_integer<uint32_t>(from[channel]);
  if (format == Format::r16) {
    uint16_t red = 0;
    std::memcpy(&red, from, sizeof red);
    pixel[0] = red;
  }
  if (format == Format::rgba32) std::memcpy(pixel.data(), from, sizeof pixel);
  return pixel;
}

void store(Format format, std::byte* to, const Pixel& pixel) {
  if (format == Format::rgba8)
    for (size_t channel = 0; channel < 4; ++channel) to[channel] = static_cast<std::byte>(pixel[channel]);
  if (format == Format::r16) {
    const auto red = static_cast<uint16_t>(pixel[0]);
    std::memcpy(to, &red, sizeof red);
  }
  if (format == Format::rgba32) std::memcpy(to, pixel.data(), sizeof pixel);
}

}  // namespace image_sequences
