// Sums: each work-group sums two values per work-item; what is left is summed by further launches.
kernel void reduce(global const ulong* values, uint n, global ulong* sums, local ulong* part) {
  const uint l = get_local_id(0), half_block = get_local_size(0);
  const uint i = get_group_id(0) * half_block * 2 + l;
  ulong sum = 0;
  if (i < n) sum = values[i];
  if (i + half_block < n) sum += values[i + half_block];
  part[l] = sum;
  for (uint reach = half_block / 2; reach > 0; reach >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < reach) part[l] += part[l + reach];
  }
  if (l == 0) sums[get_group_id(0)] = part[0];
}
