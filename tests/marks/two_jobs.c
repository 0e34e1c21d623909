/* An OpenCL program in C99 (and, included, in C++) that marks its two jobs: one write each. */
#include <CL/cl.h>
#include <samcl/samcl.h>
#include <stdio.h>

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_mem buffer;
  cl_int error;
  int job;
  char bytes[64] = {0};
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) return 2;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) return 3;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  queue = clCreateCommandQueue(context, device, 0, &error);
  buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof bytes, NULL, &error);
  if (error != CL_SUCCESS) return 4;
  for (job = 0; job < 2; ++job) {
    samcl_job_begin();
    error = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL);
    samcl_job_end();
    if (error != CL_SUCCESS) return 5;
  }
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  puts("done");
  return 0;
}
