// The ways by which a program's OpenCL calls come to samcl. All lead to one set of functions,
// samcl::api::clXxx:
//
//   exported symbols  generated (exports.cc) with the version nodes of libOpenCL.so.1. LD_PRELOAD puts them
//                     before the loader's for every program that is linked to libOpenCL or looks symbols up
//                     in the global scope.
//   OpenCL layer      clGetLayerInfo, clInitLayer[WithProperties], clDeinitLayer below. The constructor adds
//                     our path to OPENCL_LAYERS; a loader that knows layers then routes through
//                     samcl_dispatch what it is called with, however the program got hold of it
//                     (dlopen of libOpenCL.so, dlsym, dlvsym, a plugin's local scope).
//   handles           a virtual object's first word is samcl_dispatch, so a loader without layers brings
//                     calls on our own objects back to us as well.
//
// The library keeps its own name as SONAME. Were it libOpenCL.so.1, the dynamic linker would take us for the
// program's loader even without layers, but then a function or version that a newer loader has and we don't
// would kill the program at its start, and the loader the program was linked to (by its RPATH, say) would be
// lost to us. For the few loaders without layers sam-run makes a directory of links instead.
#pragma once

#include <string>

namespace samcl {

// OPENCL_LAYERS with our path added at the end, unless one of its entries (separated by colons) is our file.
std::string with_our_layer(const std::string& layers, const std::string& our_path);

}  // namespace samcl
