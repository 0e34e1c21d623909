// Solves tridiagonal systems by parallel cyclic reduction (Hockney), a work-group per system and a work-item per
// equation lower * x[i - 1] + diagonal * x[i] + upper * x[i + 1] = right. Each step eliminates the neighbours at a
// distance, which brings in those at twice the distance.
kernel void solve(global const float* lower, global const float* diagonal, global const float* upper,
                  global const float* right, global float* x, local float4* equations) {
  const uint i = get_local_id(0), n = get_local_size(0), at = get_group_id(0) * n + i;
  // Components: lower, diagonal, upper, right. Beyond the ends x = 0.
  const float4 nothing = (float4)(0.0f, 1.0f, 0.0f, 0.0f);
  float4 mine = (float4)(i == 0 ? 0.0f : lower[at], diagonal[at], i == n - 1 ? 0.0f : upper[at], right[at]);
  for (uint distance = 1; distance < n; distance *= 2) {
    equations[i] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float4 before = i >= distance ? equations[i - distance] : nothing;
    const float4 after = i + distance < n ? equations[i + distance] : nothing;
    const float to_before = mine.x / before.y, to_after = mine.z / after.y;
    mine.y -= before.z * to_before + after.x * to_after;
    mine.w -= before.w * to_before + after.w * to_after;
    mine.x = -before.x * to_before;
    mine.z = -after.z * to_after;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  x[at] = mine.w / mine.y;
}
