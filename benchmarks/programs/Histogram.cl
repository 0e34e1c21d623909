// Counts bytes. Each work-group counts its share in local memory and writes a row of 256 counts; the second
// kernel sums the rows.
__kernel void count(__global const uchar* data, uint n, __global uint* rows, __local uint* bins) {
  for (uint bin = get_local_id(0); bin < 256; bin += get_local_size(0)) bins[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&bins[data[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint bin = get_local_id(0); bin < 256; bin += get_local_size(0)) rows[get_group_id(0) * 256 + bin] = bins[bin];
}

__kernel void sum(__global const uint* rows, uint row_count, __global uint* histogram) {
  const uint bin = get_global_id(0);
  uint total = 0;
  for (uint row = 0; row < row_count; ++row) total += rows[row * 256 + bin];
  histogram[bin] = total;
}
