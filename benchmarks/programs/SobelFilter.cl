// The strength of the edges in an image: the sum of the absolute horizontal and vertical gradients after Sobel,
// saturated, for each colour. The sampler repeats the pixels at the edge beyond it.
kernel void sobel(read_only image2d_t in, sampler_t at_edge, write_only image2d_t out) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (at.x >= get_image_width(in) || at.y >= get_image_height(in)) return;
  int4 p[3][3];
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) p[dy][dx] = convert_int4(read_imageui(in, at_edge, at + (int2)(dx - 1, dy - 1)));
  const int4 across = p[0][2] + 2 * p[1][2] + p[2][2] - p[0][0] - 2 * p[1][0] - p[2][0];
  const int4 down = p[2][0] + 2 * p[2][1] + p[2][2] - p[0][0] - 2 * p[0][1] - p[0][2];
  uint4 strength = min(abs(across) + abs(down), (uint4)(255));
  strength.w = p[1][1].w;
  write_imageui(out, at, strength);
}
