// y = A x for a row-major matrix, one work-group per row. The local size is a power of two.
kernel void multiply(global const float* restrict a, global const float* restrict x, global float* restrict y,
                     uint columns, local float* part) {
  const uint row = get_group_id(0), l = get_local_id(0);
  global const float* values = a + row * columns;
  float sum = 0;
  for (uint column = l; column < columns; column += get_local_size(0)) sum += values[column] * x[column];
  part[l] = sum;
  for (uint reach = get_local_size(0) / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < reach) part[l] += part[l + reach];
  }
  if (l == 0) y[row] = part[0];
}
