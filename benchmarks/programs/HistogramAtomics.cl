// Counts 32-bit keys by their upper bits, all work-items into one array.
__kernel void count(__global const uint* keys, __global uint* histogram, uint shift) {
  atomic_inc(&histogram[keys[get_global_id(0)] >> shift]);
}
