// out = transpose of in, both row-major; in has `height` rows of `width`. Compiled with -DTILE=<work-group side>.
// A tile goes through local memory so that both reads and writes are of whole rows.
__kernel void transpose(__global const uint* in, __global uint* out, uint width, uint height, __local uint* tile) {
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
  if (left + x < width && top + y < height) tile[y * (TILE + 1) + x] = in[(top + y) * width + left + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (top + x < height && left + y < width) out[(left + y) * height + top + x] = tile[x * (TILE + 1) + y];
}
