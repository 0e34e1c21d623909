// The dot products of n pairs of 4-vectors.
kernel void dot_products(global const float4* restrict a, global const float4* restrict b,
                         global float* restrict products, uint n) {
  const uint i = get_global_id(0);
  if (i < n) products[i] = dot(a[i], b[i]);
}
