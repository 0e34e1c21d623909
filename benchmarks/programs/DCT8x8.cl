// The two-dimensional discrete cosine transform (DCT-II, orthonormal) of each 8 x 8 block of an image: B X B^T,
// where row k of `basis` is the k-th cosine. A work-group of 8 x 8 per block.
kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void dct8x8(global const float* image, global float* coefficients, constant float* basis, uint width) {
  local float block[8][8];
  local float half_done[8][8];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint at = get_global_id(1) * width + get_global_id(0);
  block[y][x] = image[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (uint i = 0; i < 8; ++i) sum += basis[y * 8 + i] * block[i][x];
  half_done[y][x] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = 0;
  for (uint i = 0; i < 8; ++i) sum += half_done[y][i] * basis[x * 8 + i];
  coefficients[at] = sum;
}
