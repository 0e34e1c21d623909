// One pass of a radix sort of 32-bit keys, least significant digits first. Every work-group owns a block of
// consecutive keys, every work-item a run of ITEMS of them, so that equal digits keep their order.
#define DIGITS 16

uint digit_of(uint key, uint shift) { return key >> shift & (DIGITS - 1); }

// How often each digit occurs in each block: counts[digit * groups + group].
kernel void count_digits(global const uint* keys, global uint* counts, uint n, uint shift) {
  local uint bins[DIGITS];
  const uint l = get_local_id(0), size = get_local_size(0), block = get_group_id(0) * size * ITEMS;
  if (l < DIGITS) bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = block + l; i < min(block + size * ITEMS, n); i += size) atomic_inc(&bins[digit_of(keys[i], shift)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < DIGITS) counts[l * get_num_groups(0) + get_group_id(0)] = bins[l];
}

// Exclusive prefix sums of all counts, in place, by one work-group; a work-item sums a stretch.
kernel void scan_counts(global uint* counts, uint n, local uint* sums) {
  const uint l = get_local_id(0), size = get_local_size(0), stretch = (n + size - 1) / size;
  const uint first = min(l * stretch, n), end = min(first + stretch, n);
  uint sum = 0;
  for (uint i = first; i < end; ++i) sum += counts[i];
  sums[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint before = 0;
  for (uint i = 0; i < l; ++i) before += sums[i];
  for (uint i = first; i < end; ++i) {
    const uint count = counts[i];
    counts[i] = before;
    before += count;
  }
}

// Moves each key to its place: after all smaller digits, and after equal digits that come before it.
kernel void permute(global const uint* keys, global const uint* places, global uint* sorted, uint n, uint shift,
                    local uint* runs) {
  const uint l = get_local_id(0), size = get_local_size(0);
  const uint first = (get_group_id(0) * size + l) * ITEMS;
  for (uint digit = 0; digit < DIGITS; ++digit) runs[digit * size + l] = 0;
  for (uint i = first; i < min(first + ITEMS, n); ++i) ++runs[digit_of(keys[i], shift) * size + l];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < DIGITS) {  // where each run's keys of digit l begin
    uint place = places[l * get_num_groups(0) + get_group_id(0)];
    for (uint i = 0; i < size; ++i) {
      const uint count = runs[l * size + i];
      runs[l * size + i] = place;
      place += count;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = first; i < min(first + ITEMS, n); ++i) sorted[runs[digit_of(keys[i], shift) * size + l]++] = keys[i];
}
