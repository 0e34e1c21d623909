// One step of a ring of cells: each is mixed with its neighbours, again and again.
kernel void advance(global const uint* from, global uint* to, uint cells, uint rounds) {
  uint i = get_global_id(0);
  if (i >= cells) return;
  uint x = from[i], near = from[i == 0 ? cells - 1 : i - 1] + 3 * from[i + 1 == cells ? 0 : i + 1];
  for (uint round = 0; round < rounds; ++round) x = (x ^ (x >> 15)) * 0x2c1b3c6du + near;
  to[i] = x;
}
