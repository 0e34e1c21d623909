// The first `count` points of a Sobol sequence, in Gray code order, a dimension per row: coordinate i is the
// exclusive or of the direction numbers at the ones of i's Gray code, as a fraction of 2^32 cut to 24 bits.
kernel void sobol(global const uint* directions, global float* points, uint count) {
  local uint mine[32];
  const uint i = get_global_id(0), dimension = get_global_id(1);
  for (uint bit = get_local_id(0); bit < 32; bit += get_local_size(0)) mine[bit] = directions[dimension * 32 + bit];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= count) return;
  uint fraction = 0;
  for (uint gray = i ^ i >> 1, bit = 0; gray != 0; gray >>= 1, ++bit)
    if (gray & 1) fraction ^= mine[bit];
  points[dimension * count + i] = (float)(fraction >> 8) * 0x1p-24f;
}
