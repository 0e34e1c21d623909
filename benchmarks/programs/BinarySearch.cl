// One step of a search in ascending keys. The range [first, end) is cut into pieces; the work-item whose piece
// can hold the key leaves the piece's bounds.
kernel void narrow(global const uint* keys, uint first, uint end, uint piece, uint wanted, global uint* bounds) {
  const uint low = first + get_global_id(0) * piece;
  if (low >= end) return;
  const uint high = min(low + piece, end);
  if (keys[low] <= wanted && wanted <= keys[high - 1]) {
    bounds[0] = low;
    bounds[1] = high;
  }
}
