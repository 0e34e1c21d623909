// One iteration of Pagerank over a graph given by each node's incoming edges (CSR), in five kernels. A node
// without outgoing edges spreads its rank over all nodes.

// 1: what a node gives along each outgoing edge.
__kernel void share(__global const float* rank, __global const uint* out_degree, __global float* shares, uint n) {
  const uint node = get_global_id(0);
  if (node >= n) return;
  const uint degree = out_degree[node];
  shares[node] = degree == 0 ? 0.0f : rank[node] / (float)degree;
}

// 2: the rank of nodes without outgoing edges, summed per work-group.
__kernel void dangling(__global const float* rank, __global const uint* out_degree, __global float* sums, uint n,
                       __local float* part) {
  const uint node = get_global_id(0), l = get_local_id(0);
  part[l] = node < n && out_degree[node] == 0 ? rank[node] : 0.0f;
  for (uint reach = get_local_size(0) / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < reach) part[l] += part[l + reach];
  }
  if (l == 0) sums[get_group_id(0)] = part[0];
}

// 3: one work-item turns those sums into what every node gets regardless of its edges.
__kernel void base(__global const float* sums, uint count, __global float* everywhere, float damping, uint n) {
  float total = 0;
  for (uint i = 0; i < count; ++i) total += sums[i];
  everywhere[0] = (1.0f - damping) / (float)n + damping * total / (float)n;
}

// 4: what comes in along the edges; reads are as irregular as the graph.
__kernel void gather(__global const uint* first_edge, __global const uint* from, __global const float* shares,
                     __global float* incoming, uint n) {
  const uint node = get_global_id(0);
  if (node >= n) return;
  float sum = 0;
  for (uint edge = first_edge[node]; edge < first_edge[node + 1]; ++edge) sum += shares[from[edge]];
  incoming[node] = sum;
}

// 5: the new rank.
__kernel void update(__global const float* incoming, __global const float* everywhere, __global float* rank,
                     float damping, uint n) {
  const uint node = get_global_id(0);
  if (node < n) rank[node] = everywhere[0] + damping * incoming[node];
}
