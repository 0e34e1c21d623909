// One time step of a finite-difference scheme on a three-dimensional grid: a symmetric star of RADIUS points to each
// side per dimension, coefficients[0] for the centre. The grid is padded by RADIUS points at all sides. A work-group
// of WIDTH x HEIGHT goes through all planes; the plane it is at lies in local memory, the planes around it, at the
// work-item's own column, in registers.
#define ROW (nx + 2 * RADIUS)
#define PLANE (ROW * (ny + 2 * RADIUS))

kernel __attribute__((reqd_work_group_size(WIDTH, HEIGHT, 1)))
void step_grid(global const float* in, global float* out, constant float* coefficients, uint nx, uint ny, uint nz) {
  local float tile[HEIGHT + 2 * RADIUS][WIDTH + 2 * RADIUS];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint left = get_group_id(0) * WIDTH, top = get_group_id(1) * HEIGHT;
  const bool inside = left + x < nx && top + y < ny;
  // The column at (x, y) of the padded grid's first plane; the first of all for work-items beyond the grid.
  const uint column = inside ? (top + y + RADIUS) * ROW + left + x + RADIUS : 0;

  float around[2 * RADIUS + 1];  // of the planes from RADIUS below to RADIUS above
  for (uint i = 0; i < 2 * RADIUS; ++i) around[i + 1] = in[i * PLANE + column];
  for (uint z = 0; z < nz; ++z) {
    for (uint i = 0; i < 2 * RADIUS; ++i) around[i] = around[i + 1];
    around[2 * RADIUS] = in[(z + 2 * RADIUS) * PLANE + column];

    for (uint row = y; row < HEIGHT + 2 * RADIUS; row += HEIGHT)
      for (uint at = x; at < WIDTH + 2 * RADIUS; at += WIDTH)
        if (left + at < ROW && top + row < ny + 2 * RADIUS)
          tile[row][at] = in[(z + RADIUS) * PLANE + (top + row) * ROW + left + at];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside) {
      const uint tx = x + RADIUS, ty = y + RADIUS;
      float value = coefficients[0] * around[RADIUS];
      for (uint i = 1; i <= RADIUS; ++i)
        value += coefficients[i] * (around[RADIUS - i] + around[RADIUS + i] + tile[ty - i][tx] + tile[ty + i][tx] +
                                    tile[ty][tx - i] + tile[ty][tx + i]);
      out[(z + RADIUS) * PLANE + column] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
