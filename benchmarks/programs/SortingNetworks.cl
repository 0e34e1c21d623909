// Batcher's odd-even merge sort of many arrays at once, keys with values, ascending. Merging two sorted runs of
// `run` elements takes log2(run) + 1 steps of distance run, run / 2, ..., 1; work-item i has the i-th pair of a step.

// Where the lower element of pair i is; pairs of a step below the first leave out each double run's ends.
bool pair_of(uint i, uint run, uint distance, uint* low) {
  *low = 2 * i - (i & (distance - 1));
  if (distance == run) return true;
  *low -= distance;
  return (i & (run - 1)) >= distance;
}

// Sorts blocks of two elements per work-item in local memory.
kernel void sort_blocks(global uint* keys, global uint* values, local uint* key, local uint* value) {
  const uint l = get_local_id(0), half_block = get_local_size(0), first = get_group_id(0) * 2 * half_block + l;
  key[l] = keys[first];
  value[l] = values[first];
  key[l + half_block] = keys[first + half_block];
  value[l + half_block] = values[first + half_block];
  for (uint run = 1; run <= half_block; run *= 2) {
    for (uint distance = run; distance > 0; distance /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint low;
      if (pair_of(l, run, distance, &low) && key[low] > key[low + distance]) {
        const uint k = key[low], v = value[low];
        key[low] = key[low + distance];
        value[low] = value[low + distance];
        key[low + distance] = k;
        value[low + distance] = v;
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  keys[first] = key[l];
  values[first] = value[l];
  keys[first + half_block] = key[l + half_block];
  values[first + half_block] = value[l + half_block];
}

// One step of merging longer runs.
kernel void merge_step(global uint* keys, global uint* values, uint run, uint distance) {
  uint low;
  if (!pair_of(get_global_id(0), run, distance, &low)) return;
  const uint a = keys[low], b = keys[low + distance];
  if (a <= b) return;
  const uint v = values[low];
  keys[low] = b;
  keys[low + distance] = a;
  values[low] = values[low + distance];
  values[low + distance] = v;
}
