// For each query the K nearest points, nearest first, equal distances by index. Compiled with -DK=<neighbours>.
// Coordinates are within +-16000, so squared distances fit an int.
inline int squared_distance(int4 a, int4 b) {
  const int4 d = a - b;
  return d.x * d.x + d.y * d.y;
}

__kernel void nearest(__global const int4* points, uint count, __global const int4* queries, uint query_count,
                      __global uint* neighbours) {
  const size_t query = get_global_id(0);
  if (query >= query_count) return;
  const int4 at = queries[query];
  int best[K];
  uint index[K];
  for (int i = 0; i < K; ++i) {
    best[i] = INT_MAX;
    index[i] = UINT_MAX;
  }
  for (uint p = 0; p < count; ++p) {
    const int distance = squared_distance(at, points[p]);
    if (distance >= best[K - 1]) continue;
    int i = K - 1;
    for (; i > 0 && best[i - 1] > distance; --i) {
      best[i] = best[i - 1];
      index[i] = index[i - 1];
    }
    best[i] = distance;
    index[i] = p;
  }
  for (int i = 0; i < K; ++i) neighbours[query * K + i] = index[i];
}
