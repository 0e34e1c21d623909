// Finding the real OpenCL loader: the file that the dynamic linker would have taken for libOpenCL.so.1 if
// samcl were absent. Our own library may stand under that name too (a directory of links in LD_LIBRARY_PATH);
// taking ourselves for the loader would make every call turn in circles.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::driver {

// Opens the loader into a scope of its own and returns its handle, which stays open for ever. In this order:
//   1. the file that SAMCL_OPENCL names, and nothing else if it is set;
//   2. a loader that is in the process already (the program's own), under whatever name;
//   3. what the dynamic linker finds for libOpenCL.so.1;
//   4. libOpenCL.so.1 or libOpenCL.so in the directories of loader_directories().
// Files that are our own library are passed over. The Error names what was looked for.
Result<void*> open_real_loader();

// Directories where a libOpenCL may be, in the dynamic linker's order: LD_LIBRARY_PATH, those of
// ld.so.conf, the system's.
std::vector<std::string> loader_directories();

// The first of the directories' libOpenCL.so.1 (then libOpenCL.so) that exists and is not the file `self`,
// by device and inode, as an absolute path; empty if there is none.
std::string find_loader(const std::vector<std::string>& directories, const std::string& self);

// Absolute path of the library that holds this function. To be asked first while the working directory is
// still that of the program's start: LD_PRELOAD may be relative to it. Never destroyed.
const std::string& this_library_path();

}  // namespace samcl::driver
