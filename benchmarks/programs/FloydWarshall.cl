// Pass k of Floyd and Warshall's shortest paths between all pairs of n nodes: shorter by way of node k? Row and
// column k do not change in pass k, since the way from k to k has no length.
kernel void relax(global uint* distances, global uint* via, uint n, uint k) {
  const uint to = get_global_id(0), from = get_global_id(1);
  if (to >= n || from >= n) return;
  const uint through = distances[from * n + k] + distances[k * n + to];
  if (through < distances[from * n + to]) {
    distances[from * n + to] = through;
    via[from * n + to] = k;
  }
}
