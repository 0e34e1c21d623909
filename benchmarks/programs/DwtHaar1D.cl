// The one-dimensional Haar wavelet transform of n values, a power of two. A work-group takes two values per
// work-item through all levels until one average is left; the details of the level that halves m values to m / 2
// lie at [m / 2, m) of the output, and the groups' averages at its beginning.
kernel void decompose(global const float* in, global float* out, uint n, local float* block) {
  const float half_root = 0.70710678f;
  const uint l = get_local_id(0), group = get_group_id(0), size = get_local_size(0);
  block[l] = in[group * 2 * size + l];
  block[l + size] = in[group * 2 * size + size + l];
  uint half_values = n / 2;
  for (uint pairs = size; pairs > 0; pairs /= 2) {
    float a = 0, b = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < pairs) {
      a = block[2 * l];
      b = block[2 * l + 1];
      out[half_values + group * pairs + l] = (a - b) * half_root;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < pairs) block[l] = (a + b) * half_root;
    half_values /= 2;
  }
  if (l == 0) out[group] = block[0];
}
