// AES encryption of independent blocks (ECB), one per work-item. A column of the state is a word whose lowest byte is
// row 0, as a little-endian device loads it. table[x] is a column of MixColumns times the S-box's value of x in row 0:
// the bytes 2 s, s, s, 3 s; in row r it is that, turned by r bytes.
#define ROW(word, r) ((word) >> 8 * (r) & 255)

uint mixed(local const uint* table, uint a, uint b, uint c, uint d) {
  return table[ROW(a, 0)] ^ rotate(table[ROW(b, 1)], 8u) ^ rotate(table[ROW(c, 2)], 16u) ^
         rotate(table[ROW(d, 3)], 24u);
}

// The last round does not mix: the S-box alone is the second byte of the table.
uint substituted(local const uint* table, uint a, uint b, uint c, uint d) {
  return ROW(table[ROW(a, 0)], 1) | ROW(table[ROW(b, 1)], 1) << 8 | ROW(table[ROW(c, 2)], 1) << 16 |
         ROW(table[ROW(d, 3)], 1) << 24;
}

kernel void encrypt(global const uint4* plain, global uint4* cipher, constant uint4* round_keys, uint rounds,
                    global const uint* encryption_table, uint blocks) {
  local uint table[256];
  for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) table[i] = encryption_table[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint at = get_global_id(0);
  if (at >= blocks) return;
  uint4 s = plain[at] ^ round_keys[0];
  for (uint round = 1; round < rounds; ++round)
    s = (uint4)(mixed(table, s.x, s.y, s.z, s.w), mixed(table, s.y, s.z, s.w, s.x),
                mixed(table, s.z, s.w, s.x, s.y), mixed(table, s.w, s.x, s.y, s.z)) ^ round_keys[round];
  s = (uint4)(substituted(table, s.x, s.y, s.z, s.w), substituted(table, s.y, s.z, s.w, s.x),
              substituted(table, s.z, s.w, s.x, s.y), substituted(table, s.w, s.x, s.y, s.z));
  cipher[at] = s ^ round_keys[rounds];
}
