__kernel void nothing(void) {}

__kernel void one_argument(__global int* unused) {}
