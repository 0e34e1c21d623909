// AES decryption of independent blocks (ECB), a column of four bytes per work-item; the four of a block exchange
// their columns through local memory (InvShiftRows). The local size is a multiple of four.

// Times x in GF(2^8), each byte.
uchar4 doubled(uchar4 a) { return a << (uchar4)(1) ^ (a >> (uchar4)(7)) * (uchar4)(0x1b); }

// InvMixColumns: the sum of 14, 11, 13 and 9 times the column, turned.
uchar4 unmixed(uchar4 a) {
  const uchar4 a2 = doubled(a), a4 = doubled(a2), a8 = doubled(a4);
  return (a8 ^ a4 ^ a2) ^ (a8 ^ a2 ^ a).yzwx ^ (a8 ^ a4 ^ a).zwxy ^ (a8 ^ a).wxyz;
}

kernel void decrypt(global const uchar4* cipher, global uchar4* plain, constant uchar4* round_keys, uint rounds,
                    constant uchar* inverse_s_box, uint columns, local uchar4* state) {
  const uint at = get_global_id(0), l = get_local_id(0), column = l % 4, block = l - column;
  uchar4 mine = at < columns ? cipher[at] : (uchar4)(0);
  mine ^= round_keys[rounds * 4 + column];
  for (uint round = rounds; round-- > 0;) {
    state[l] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    mine.x = inverse_s_box[state[l].x];
    mine.y = inverse_s_box[state[block + (column + 3) % 4].y];
    mine.z = inverse_s_box[state[block + (column + 2) % 4].z];
    mine.w = inverse_s_box[state[block + (column + 1) % 4].w];
    barrier(CLK_LOCAL_MEM_FENCE);
    mine ^= round_keys[round * 4 + column];
    if (round > 0) mine = unmixed(mine);
  }
  if (at < columns) plain[at] = mine;
}
