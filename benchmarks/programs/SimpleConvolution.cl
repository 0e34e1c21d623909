// Convolves the inside of an image with a square mask; launched with an offset, over pixels whose whole
// neighbourhood is inside. Both masks and images are row-major.
kernel void convolve(global const float* image, constant float* mask, global float* out, uint width, uint side) {
  const uint x = get_global_id(0), y = get_global_id(1), reach = side / 2;
  float sum = 0;
  for (uint row = 0; row < side; ++row)
    for (uint column = 0; column < side; ++column)
      sum += mask[(side - 1 - row) * side + side - 1 - column] * image[(y + row - reach) * width + x + column - reach];
  out[y * width + x] = sum;
}
