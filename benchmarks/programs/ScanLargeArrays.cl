// Exclusive prefix sums of blocks, and what joins them. A work-group scans a block of as many values as it has
// work-items, in two halves of local memory in turn (Hillis and Steele).
kernel void scan_blocks(global const float* values, global float* sums, global float* totals, uint n,
                        local float* buffers) {
  const uint i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
  local float* from = buffers;
  local float* to = buffers + size;
  const float mine = i < n ? values[i] : 0.0f;
  from[l] = mine;
  for (uint reach = 1; reach < size; reach *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    to[l] = l >= reach ? from[l] + from[l - reach] : from[l];
    local float* const swap = from;
    from = to;
    to = swap;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) sums[i] = l == 0 ? 0.0f : from[l - 1];
  if (l == size - 1) totals[get_group_id(0)] = from[l];
}

// What all blocks before it sum to is added to each value of a block.
kernel void add_offsets(global float* sums, global const float* offsets, uint n) {
  const uint i = get_global_id(0);
  if (i < n) sums[i] += offsets[get_group_id(0)];
}
