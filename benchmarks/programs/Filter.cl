// Smooths an RGBA image of 8 bits per channel with a 5 x 5 kernel of integer weights; pixels beyond the edge
// repeat those at it. Alpha is kept.
kernel void smooth(global const uchar4* in, global uchar4* out, constant int* weights, int total) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int width = get_global_size(0), height = get_global_size(1);
  int4 sum = (int4)(0);
  for (int dy = -2; dy <= 2; ++dy) {
    for (int dx = -2; dx <= 2; ++dx) {
      const int from_x = clamp(x + dx, 0, width - 1), from_y = clamp(y + dy, 0, height - 1);
      sum += convert_int4(in[from_y * width + from_x]) * weights[(dy + 2) * 5 + dx + 2];
    }
  }
  uchar4 pixel = convert_uchar4((sum + total / 2) / total);
  pixel.w = in[y * width + x].w;
  out[y * width + x] = pixel;
}
