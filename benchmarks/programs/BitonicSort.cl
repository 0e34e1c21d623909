// One step of a bitonic sort of a power of two keys, in place: work-item i compares one pair, `distance` apart,
// in blocks of `block` keys whose order alternates.
__kernel void compare_and_swap(__global uint* keys, uint distance, uint block) {
  const uint i = get_global_id(0);
  const uint low = 2 * distance * (i / distance) + i % distance;
  const uint high = low + distance;
  const uint a = keys[low], b = keys[high];
  const bool ascending = (low & block) == 0;
  if ((a > b) == ascending) {
    keys[low] = b;
    keys[high] = a;
  }
}
