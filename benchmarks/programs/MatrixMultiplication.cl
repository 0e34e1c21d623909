// C = A B for row-major float matrices: A is m x k, B is k x n. Compiled with -DTILE=<work-group side>.
// Work-groups of TILE x TILE; tiles beyond the edges are filled with zeros.
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void multiply(__global const float* a, __global const float* b, __global float* c, uint m, uint n, uint k) {
  __local float tile_a[TILE][TILE];
  __local float tile_b[TILE][TILE];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint column = get_group_id(0) * TILE + x;
  const uint row = get_group_id(1) * TILE + y;
  float sum = 0;
  for (uint start = 0; start < k; start += TILE) {
    tile_a[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0.0f;
    tile_b[y][x] = start + y < k && column < n ? b[(start + y) * n + column] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < TILE; ++i) sum += tile_a[y][i] * tile_b[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
