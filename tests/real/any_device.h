// Included before all else in programs that ask for a GPU: they take what there is.
#pragma once

#include <CL/cl.h>

#undef CL_DEVICE_TYPE_GPU
#define CL_DEVICE_TYPE_GPU CL_DEVICE_TYPE_ALL
