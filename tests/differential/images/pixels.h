// Formats of unsigned integers, in which what kernels read and write is exact.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace image_sequences {

enum class Format { rgba8, r16, rgba32 };
inline constexpr std::array kFormats{Format::rgba8, Format::r16, Format::rgba32};

std::string_view name(Format format);
size_t pixel_bytes(Format format);
uint32_t largest(Format format);  // value of a channel

using Pixel = std::array<uint32_t, 4>;

// As our kernels use it: channels that the format lacks are 0.
Pixel load(Format format, const std::byte* from);
// `pixel` has no value beyond largest().
void store(Format format, std::byte* to, const Pixel& pixel);

}  // namespace image_sequences
