// Inclusive prefix sums in place, in a tree whose levels are launches. Level by level, the elements are every
// stride-th value: element j is values[(j + 1) * stride - 1]. A work-group scans a block of two elements per
// work-item, a power of two; the last of each block, then its sum, is an element of the next level.

// Up: scans each block (Blelloch's work-efficient scan).
kernel void scan_blocks(global uint* values, uint n, uint stride, local uint* tree) {
  const uint l = get_local_id(0), size = 2 * get_local_size(0);
  const uint first = (get_group_id(0) * size + l + 1) * stride - 1;
  const uint second = first + size / 2 * stride;
  const uint a = first < n ? values[first] : 0, b = second < n ? values[second] : 0;
  tree[l] = a;
  tree[l + size / 2] = b;
  uint gap = 1;
  for (uint pairs = size / 2; pairs > 0; pairs /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < pairs) tree[gap * (2 * l + 2) - 1] += tree[gap * (2 * l + 1) - 1];
    gap *= 2;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) tree[size - 1] = 0;
  for (uint pairs = 1; pairs < size; pairs *= 2) {
    gap /= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < pairs) {
      const uint left = gap * (2 * l + 1) - 1, right = gap * (2 * l + 2) - 1;
      const uint sum = tree[left];
      tree[left] = tree[right];
      tree[right] += sum;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (first < n) values[first] = tree[l] + a;
  if (second < n) values[second] = tree[l + size / 2] + b;
}

// Down: the sum of all blocks before it goes to all elements of a block but the last, which has it already.
kernel void add_carries(global uint* values, uint n, uint stride, uint block) {
  const uint element = get_global_id(0);
  const uint at = (element + 1) * stride - 1;
  if (at >= n || element < block || (element + 1) % block == 0) return;
  values[at] += values[element / block * block * stride - 1];
}
