// Random numbers from independent MT19937 generators, a work-group each (Matsumoto and Nishimura, 1998). The state
// of 624 words is renewed in three stretches, within which no word needs another's new value.
#define STATE 624
#define AHEAD 397

uint renewed(uint word, uint next, uint ahead) {
  const uint joined = (word & 0x80000000u) | (next & 0x7fffffffu);
  return ahead ^ joined >> 1 ^ (joined & 1 ? 0x9908b0dfu : 0);
}

uint tempered(uint word) {
  word ^= word >> 11;
  word ^= word << 7 & 0x9d2c5680u;
  word ^= word << 15 & 0xefc60000u;
  return word ^ word >> 18;
}

// Makes `rounds` times 624 numbers per generator.
kernel void generate(global const uint* seeds, global uint* numbers, uint rounds) {
  local uint state[STATE];
  const uint l = get_local_id(0), size = get_local_size(0), generator = get_group_id(0);
  if (l == 0) {
    state[0] = seeds[generator];
    for (uint i = 1; i < STATE; ++i) state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  numbers += generator * rounds * STATE;
  for (uint round = 0; round < rounds; ++round) {
    // Words below 227 need old words alone, those below 454 the first stretch as well, the rest the second.
    for (uint first = 0; first < STATE; first += STATE - AHEAD) {
      const uint end = min(first + STATE - AHEAD, (uint)STATE);
      // In steps of a work-group: a word's old successor is read before it is renewed.
      for (uint base = first; base < end; base += size) {
        const uint i = base + l;
        uint word = 0;
        if (i < end) word = renewed(state[i], state[(i + 1) % STATE], state[(i + AHEAD) % STATE]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < end) state[i] = word;
        barrier(CLK_LOCAL_MEM_FENCE);
      }
    }
    for (uint i = l; i < STATE; i += size) numbers[round * STATE + i] = tempered(state[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Two normally distributed numbers from two equally distributed ones (Box and Muller).
kernel void box_muller(global const uint2* numbers, global float2* normals, uint pairs) {
  const uint i = get_global_id(0);
  if (i >= pairs) return;
  const float2 equal = (convert_float2(numbers[i] >> 9) + 0.5f) * 0x1p-23f;  // exact; above 0, below 1
  const float radius = sqrt(-2.0f * log(equal.x));
  const float angle = 2.0f * M_PI_F * equal.y;
  normals[i] = (float2)(radius * cos(angle), radius * sin(angle));
}
