// A box filter of an RGBA image as two running sums, one along rows and one along columns; pixels beyond the edge
// repeat those at it. The first kernel keeps exact sums, the second divides.

kernel void sum_rows(global const uchar4* in, global uint4* sums, int width, int height, int radius) {
  const int y = get_global_id(0);
  if (y >= height) return;
  in += y * width;
  sums += y * width;
  uint4 sum = convert_uint4(in[0]) * (uint)(radius + 1);
  for (int x = 1; x <= radius; ++x) sum += convert_uint4(in[min(x, width - 1)]);
  for (int x = 0; x < width; ++x) {
    sums[x] = sum;
    sum += convert_uint4(in[min(x + radius + 1, width - 1)]) - convert_uint4(in[max(x - radius, 0)]);
  }
}

kernel void average_columns(global const uint4* sums, global uchar4* out, int width, int height, int radius) {
  const int x = get_global_id(0);
  if (x >= width) return;
  const uint area = (2 * radius + 1) * (2 * radius + 1);
  uint4 sum = sums[x] * (uint)(radius + 1);
  for (int y = 1; y <= radius; ++y) sum += sums[min(y, height - 1) * width + x];
  for (int y = 0; y < height; ++y) {
    out[y * width + x] = convert_uchar4((sum + area / 2) / area);
    sum += sums[min(y + radius + 1, height - 1) * width + x] - sums[max(y - radius, 0) * width + x];
  }
}
