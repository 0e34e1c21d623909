// The patterns' kernels. The host computes its reference from the same source: patterns.cc compiles it as C++, an
// item after the other. So no local memory, no barriers and no vectors here.
kernel void jacobi1d(global const float* a, global float* b, int n) {
  int i = get_global_id(0);
  if (i > 0 && i < n - 1) b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
}
kernel void jacobi2d(global const float* a, global float* b, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
    b[y * n + x] = 0.2f * (a[y * n + x] + a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]);
}
kernel void fdtd_ey(global float* ey, global const float* hz, int n, int t) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= n || y >= n) return;
  if (y == 0) ey[x] = t * 0.01f;
  else ey[y * n + x] -= 0.5f * (hz[y * n + x] - hz[(y - 1) * n + x]);
}
kernel void fdtd_ex(global float* ex, global const float* hz, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x > 0 && x < n && y < n) ex[y * n + x] -= 0.5f * (hz[y * n + x] - hz[y * n + x - 1]);
}
kernel void fdtd_hz(global float* hz, global const float* ex, global const float* ey, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < n - 1 && y < n - 1)
    hz[y * n + x] -= 0.7f * (ex[y * n + x + 1] - ex[y * n + x] + ey[(y + 1) * n + x] - ey[y * n + x]);
}
kernel void adi_rows(global float* x, global const float* a, int n) {
  int row = get_global_id(0);
  if (row >= n) return;
  for (int i = 1; i < n; ++i) x[row * n + i] -= 0.5f * x[row * n + i - 1] * a[row * n + i];
}
kernel void adi_columns(global float* x, global const float* a, int n) {
  int column = get_global_id(0);
  if (column >= n) return;
  for (int i = 1; i < n; ++i) x[i * n + column] -= 0.5f * x[(i - 1) * n + column] * a[i * n + column];
}
kernel void lu_column(global float* a, int n, int k) {
  int i = get_global_id(0);
  if (i > k && i < n) a[i * n + k] /= a[k * n + k];
}
kernel void lu_rest(global float* a, int n, int k) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x > k && x < n && y > k && y < n) a[y * n + x] -= a[y * n + k] * a[k * n + x];
}
kernel void gemver_rank2(global float* a, global const float* u, global const float* v, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < n && y < n) a[y * n + x] += u[y] * v[x] + v[y] * u[x];
}
kernel void times_transposed(global const float* a, global const float* y, global float* x, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float sum = 0.0f;
  for (int j = 0; j < n; ++j) sum += a[j * n + i] * y[j];
  x[i] = x[i] * 0.5f + sum;
}
kernel void times(global const float* a, global const float* x, global float* y, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float sum = 0.0f;
  for (int j = 0; j < n; ++j) sum += a[i * n + j] * x[j];
  y[i] = y[i] * 0.5f + sum;
}
kernel void conv3d_plane(global const float* a, global float* b, int n, int z) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  float sum = 0.0f;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy) sum += (dz + 2) * a[((z + dz) * n + y + dy) * n + x + dy];
  b[(z * n + y) * n + x] = 0.1f * sum;
}
kernel void doitgen_sum(global const float* a, global const float* c, global float* sum, int n, int r) {
  int p = get_global_id(0), q = get_global_id(1);
  if (p >= n || q >= n) return;
  float s = 0.0f;
  for (int k = 0; k < n; ++k) s += a[(r * n + q) * n + k] * c[k * n + p];
  sum[(r * n + q) * n + p] = s;
}
kernel void doitgen_back(global float* a, global const float* sum, int n, int r) {
  int p = get_global_id(0), q = get_global_id(1);
  if (p < n && q < n) a[(r * n + q) * n + p] = sum[(r * n + q) * n + p];
}
kernel void gemm(global const float* a, global const float* b, global float* c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= n || y >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = 0.5f * c[y * n + x] + sum;
}
kernel void gs_norm(global const float* a, global float* r, int n, int k) {
  if (get_global_id(0) != 0) return;
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) sum += a[i * n + k] * a[i * n + k];
  r[k * n + k] = sqrt(sum);
}
kernel void gs_scale(global const float* a, global const float* r, global float* q, int n, int k) {
  int i = get_global_id(0);
  if (i < n) q[i * n + k] = a[i * n + k] / r[k * n + k];
}
kernel void gs_project(global float* a, global float* r, global const float* q, int n, int k) {
  int j = get_global_id(0);
  if (j <= k || j >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) sum += q[i * n + k] * a[i * n + j];
  r[k * n + j] = sum;
  for (int i = 0; i < n; ++i) a[i * n + j] -= q[i * n + k] * sum;
}
kernel void permute(global const uint* a, global const uint* index, global uint* b, int n) {
  int i = get_global_id(0);
  if (i < n) b[index[i]] = a[i] * 3u + 1u;
}
kernel void compact(global const uint* a, global uint* b, global uint* count, int n) {
  int i = get_global_id(0);
  if (i < n && (a[i] & 3u) == 0u) b[atomic_inc(count)] = a[i];
}
kernel void spmv(global const uint* first, global const uint* column, global const float* value, global const float* x,
                 global float* y, int n) {
  int row = get_global_id(0);
  if (row >= n) return;
  float sum = 0.0f;
  for (uint k = first[row]; k < first[row + 1]; ++k) sum += value[k] * x[column[k]];
  y[row] = sum;
}
kernel void exchange(global uint* a, int n, int odd) {
  int i = 2 * get_global_id(0) + odd;
  if (i + 1 >= n) return;
  uint left = a[i], right = a[i + 1];
  if (left > right) {
    a[i] = right;
    a[i + 1] = left;
  }
}
// Row i of a triangle has i + 1 entries: the work grows with the index.
kernel void triangle(global const float* a, global const float* x, global float* y, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float sum = 0.0f;
  for (int j = 0; j <= i; ++j) sum += a[j * n + i] * x[j];
  y[i] = sum / (i + 1);
}
// Points that stay near zero under z -> z * z + c, in fixed point of 26 bits: most of the work is in one place.
kernel void escape(global uint* steps, int n, int limit) {
  int column = get_global_id(0), row = get_global_id(1);
  if (column >= n || row >= n) return;
  long x = (3L << 26) * column / n - (2L << 26), y = (3L << 26) * row / n - (2L << 26), re = 0, im = 0;
  uint count = 0;
  for (int i = 0; i < limit && re * re + im * im < (4L << 52); ++i, ++count) {
    long next = (re * re - im * im) / (1L << 26) + x;
    im = re * im / (1L << 25) + y;
    re = next;
  }
  steps[row * n + column] = count;
}
// Numbers of which a long computation says something rare: who finds one takes the next place in the list.
kernel void search(global uint* found, global uint* count, uint n, uint rounds, uint step) {
  uint i = get_global_id(0);
  if (i >= n) return;
  uint number = step * n + i, x = number;
  for (uint round = 0; round < rounds; ++round) x = (x ^ (x >> 15)) * 0x2c1b3c6du + 0x297a2d39u;
  if ((x >> 20) == 0u) found[atomic_inc(count)] = number;
}
// Branches that need nothing of each other, and what brings them together.
kernel void branch(global uint* a, uint n, uint rounds) {
  uint i = get_global_id(0);
  if (i >= n) return;
  uint x = a[i];
  for (uint round = 0; round < rounds; ++round) x = (x ^ (x >> 15)) * 0x2c1b3c6du + round;
  a[i] = x;
}
kernel void bring_together(global uint* sum, global const uint* a, uint n) {
  uint i = get_global_id(0);
  if (i < n) sum[i] = 3u * sum[i] + a[i];
}
