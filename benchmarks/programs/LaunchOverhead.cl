__kernel void nothing(void) {}

__kernel void one_argument(__global int* unused) {}

__kernel void multiply_add(__global int* value, int i) { *value = *value * 3 + i; }
