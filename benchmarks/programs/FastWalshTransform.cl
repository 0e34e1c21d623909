// One step of a fast Walsh-Hadamard transform in place: work-item i replaces the two values of one pair, which are
// `distance` (a power of two) apart, by their sum and difference.
kernel void butterfly(global float* values, uint distance) {
  const uint i = get_global_id(0);
  const uint low = 2 * i - (i & (distance - 1));
  const uint high = low + distance;
  const float a = values[low], b = values[high];
  values[low] = a + b;
  values[high] = a - b;
}
