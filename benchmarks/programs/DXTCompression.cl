// Compresses an image to DXT1 (BC1), one block of 4 x 4 pixels per work-item. A block is two colours of 5, 6 and 5
// bits and, per pixel, a choice of two bits among them and the two colours at a third between. The two colours
// are opposite corners of the block's box in colour space, moved inwards by a sixteenth.

constant sampler_t kNearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

uint pack565(int3 colour) {
  return (uint)((colour.x * 31 + 127) / 255) << 11 | (uint)((colour.y * 63 + 127) / 255) << 5 |
         (uint)((colour.z * 31 + 127) / 255);
}

// As decoders do: the upper bits are repeated below.
int3 unpack565(uint packed) {
  const int3 bits = (int3)(packed >> 11 & 31, packed >> 5 & 63, packed & 31);
  return (int3)(bits.x << 3 | bits.x >> 2, bits.y << 2 | bits.y >> 4, bits.z << 3 | bits.z >> 2);
}

kernel void compress_dxt1(read_only image2d_t image, global uint2* blocks, uint blocks_per_row, uint block_rows) {
  const uint column = get_global_id(0), row = get_global_id(1);
  if (column >= blocks_per_row || row >= block_rows) return;
  int3 pixels[16];
  int3 low = (int3)(255), high = (int3)(0);
  for (int i = 0; i < 16; ++i) {
    const int2 at = (int2)(column * 4 + i % 4, row * 4 + i / 4);
    pixels[i] = convert_int3(read_imageui(image, kNearest, at).xyz);
    low = min(low, pixels[i]);
    high = max(high, pixels[i]);
  }
  const int3 inset = (high - low) / 16;
  const uint first = pack565(high - inset), second = pack565(low + inset);

  int3 palette[4];
  palette[0] = unpack565(first);
  palette[1] = unpack565(second);
  palette[2] = (2 * palette[0] + palette[1]) / 3;
  palette[3] = (palette[0] + 2 * palette[1]) / 3;
  uint choices = 0;
  if (first != second) {  // else the format would mean something else by choices 2 and 3
    for (int i = 0; i < 16; ++i) {
      int best = INT_MAX;
      uint choice = 0;
      for (uint c = 0; c < 4; ++c) {
        const int3 d = pixels[i] - palette[c];
        const int distance = d.x * d.x + d.y * d.y + d.z * d.z;
        if (distance < best) {
          best = distance;
          choice = c;
        }
      }
      choices |= choice << 2 * i;
    }
  }
  blocks[row * blocks_per_row + column] = (uint2)(first | second << 16, choices);
}
