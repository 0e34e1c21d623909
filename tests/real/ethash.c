// ethminer's ethash.cl on a cache that is made up: a small DAG, then searches with a found-list.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define CHECK(e)                                   \
  do {                                             \
    if (e) {                                       \
      printf("line %d: %d\n", __LINE__, (int)(e)); \
      return 1;                                    \
    }                                              \
  } while (0)
int main(int argc, char** argv) {
  enum { LIGHT = 1021, DAG = 2048, WORK = 64, GLOBAL = 1024 };  // nodes of 64 bytes; the DAG's 128-byte entries
  static char text[100000];
  FILE* f = fopen(argv[1], "r");
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  const char* s = text;
  cl_int e;
  cl_platform_id p;
  cl_device_id d;
  CHECK(clGetPlatformIDs(1, &p, 0));
  CHECK(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, 0));
  cl_context c = clCreateContext(0, 1, &d, 0, 0, &e);
  CHECK(e);
  cl_command_queue q = clCreateCommandQueue(c, d, 0, &e);
  CHECK(e);
  cl_program g = clCreateProgramWithSource(c, 1, &s, 0, &e);
  CHECK(e);
  // __Tahiti__: with barriers, not warp-synchronous.
  CHECK(clBuildProgram(g, 1, &d, argv[2], 0, 0));
  cl_kernel make = clCreateKernel(g, "GenerateDAG", &e);
  CHECK(e);
  cl_kernel search = clCreateKernel(g, "search", &e);
  CHECK(e);
  unsigned* light = malloc(LIGHT * 64);
  unsigned seed = 1;
  for (int i = 0; i < LIGHT * 16; i++) light[i] = seed = seed * 1664525u + 1013904223u;
  cl_mem cache = clCreateBuffer(c, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, LIGHT * 64, light, &e);
  CHECK(e);
  cl_mem dag[2] = {clCreateBuffer(c, CL_MEM_READ_ONLY, DAG * 64, 0, &e),
                   clCreateBuffer(c, CL_MEM_READ_ONLY, DAG * 64, 0, &e)};
  cl_mem header = clCreateBuffer(c, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, 32, light, &e);
  CHECK(e);
  struct {
    struct {
      cl_uint gid, mix[8], pad[7];
    } found[4];
    cl_uint count, hashes, abort;
  } result;
  cl_mem out = clCreateBuffer(c, CL_MEM_WRITE_ONLY, sizeof result, 0, &e);
  CHECK(e);
  cl_uint size = LIGHT;
  clSetKernelArg(make, 1, 8, &cache);
  clSetKernelArg(make, 2, 8, &dag[0]);
  clSetKernelArg(make, 3, 8, &dag[1]);
  clSetKernelArg(make, 4, 4, &size);
  size_t local = WORK, chunk = 1024, global = GLOBAL;
  for (cl_uint start = 0; start < DAG * 2; start += chunk) {
    clSetKernelArg(make, 0, 4, &start);
    CHECK(clEnqueueNDRangeKernel(q, make, 1, 0, &chunk, &local, 0, 0, 0));
    CHECK(clFinish(q));
  }
  static unsigned char bytes[2 * DAG * 64];
  for (int i = 0; i < 2; i++)
    CHECK(clEnqueueReadBuffer(q, dag[i], CL_TRUE, 0, DAG * 64, bytes + i * DAG * 64, 0, 0, 0));
  unsigned long long hash = 1469598103934665603ull;
  for (int i = 0; i < 2 * DAG * 64; i++) hash = (hash ^ bytes[i]) * 1099511628211ull;
  printf("DAG %016llx\n", hash);
  cl_uint entries = DAG;
  cl_ulong nonce = 12345, target = 0xffffffffffffffffull >> 14;
  clSetKernelArg(search, 0, 8, &out);
  clSetKernelArg(search, 1, 8, &header);
  clSetKernelArg(search, 2, 8, &dag[0]);
  clSetKernelArg(search, 3, 8, &dag[1]);
  clSetKernelArg(search, 4, 4, &entries);
  clSetKernelArg(search, 6, 8, &target);
  const cl_uint zeros[3] = {0};
  for (int round = 0; round < 120; round++, nonce += GLOBAL) {
    CHECK(clEnqueueWriteBuffer(q, out, CL_FALSE, (char*)&result.count - (char*)&result, 12, zeros, 0, 0, 0));
    clSetKernelArg(search, 5, 8, &nonce);
    CHECK(clEnqueueNDRangeKernel(q, search, 1, 0, &global, &local, 0, 0, 0));
    CHECK(clEnqueueReadBuffer(q, out, CL_TRUE, (char*)&result.count - (char*)&result, 12, &result.count, 0, 0, 0));
    int n = result.count < 4 ? result.count : 4;
    if (n) CHECK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, n * 64, result.found, 0, 0, 0));
    if (n) printf("round %d: %u found\n", round, result.count);
    for (int i = 0; i < n; i++)
      printf("  gid %u mix %08x %08x\n", result.found[i].gid, result.found[i].mix[0], result.found[i].mix[7]);
  }
  return 0;
}
