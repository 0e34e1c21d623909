// How often a value occurs, in one counter.
kernel void count(global const uint* values, uint n, uint wanted, volatile global uint* counter) {
  const uint i = get_global_id(0);
  if (i < n && values[i] == wanted) atomic_inc(counter);
}

// Where it occurs, in no particular order: the counter's old value says where each occurrence is noted.
kernel void collect(global const uint* values, uint n, uint wanted, volatile global uint* counter,
                    global uint* places, uint capacity) {
  const uint i = get_global_id(0);
  if (i >= n || values[i] != wanted) return;
  const uint place = atomic_inc(counter);
  if (place < capacity) places[place] = i;
}
