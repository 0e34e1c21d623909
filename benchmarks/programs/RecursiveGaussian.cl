// An approximate Gaussian blur of an image of four floats per pixel by Deriche's recursive filter: each column is
// filtered downwards and upwards. Rows are done as the columns of the transposed image.

// The filter's weights of the pixels (a0 to a3), of its own last two values (b1, b2), and its answers to a constant
// image, with which it starts at the edges.
typedef struct {
  float a0, a1, a2, a3, b1, b2, first_downwards, first_upwards;
} Weights;

kernel void blur_columns(global const float4* in, global float4* out, uint width, uint height, constant Weights* w) {
  const uint x = get_global_id(0);
  if (x >= width) return;
  float4 before = in[x];                      // the pixel before
  float4 last = before * w->first_downwards;  // the filter's last two values
  float4 second_last = last;
  for (uint y = 0; y < height; ++y) {
    const float4 pixel = in[y * width + x];
    const float4 value = w->a0 * pixel + w->a1 * before - w->b1 * last - w->b2 * second_last;
    before = pixel;
    second_last = last;
    last = value;
    out[y * width + x] = value;
  }
  before = in[(height - 1) * width + x];
  float4 second_before = before;
  last = second_last = before * w->first_upwards;
  for (uint y = height; y-- > 0;) {
    const float4 value = w->a2 * before + w->a3 * second_before - w->b1 * last - w->b2 * second_last;
    second_before = before;
    before = in[y * width + x];
    second_last = last;
    last = value;
    out[y * width + x] += value;
  }
}

// out = transpose of in, which has `height` rows of `width`; through local memory, by tiles of TILE x TILE.
kernel void transpose(global const float4* in, global float4* out, uint width, uint height) {
  local float4 tile[TILE][TILE + 1];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
  if (left + x < width && top + y < height) tile[y][x] = in[(top + y) * width + left + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (top + x < height && left + y < width) out[(left + y) * height + top + x] = tile[x][y];
}
