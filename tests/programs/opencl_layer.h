// What the OpenCL layers beside it have in common: the loader's entry points, and answers to queries.
#pragma once

#include <CL/cl_icd.h>

#include <cstddef>

// What the layer stands on; set before replace() is called.
extern const cl_icd_dispatch* beneath;

// Of each layer: puts its own functions where those of what is beneath are.
void replace(cl_icd_dispatch& table);

// Answers a query as the standard has it: CL_INVALID_VALUE where there is no room.
cl_int answer(const void* bytes, size_t length, size_t size, void* value, size_t* size_ret);
