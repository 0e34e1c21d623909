// What samcl needs of a machine, one check each: what was found, and what to do where that is not enough. The
// findings are pure; main.cc asks the machine.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace samcl::doctor {

struct Finding {
  bool fine = false;
  std::string what;
  std::string advice;  // "" if it is fine
};

// `devices`: how many OpenCL names, or why it names none.
Finding about_devices(const Result<unsigned>& devices);
// A part of samcl that lies beside the programs; `file` is "" if it does not.
Finding about_part(const std::string& name, const std::string& file, const std::string& without);
// Where the translator's answers are kept: whether files can be made there.
Finding about_cache(const std::string& directory, bool writable);

// `manager`: what connecting to it said.
Finding about_manager(const std::string& instance, const Result<void>& manager);
// The scheduling policy of the manager's process; -1: none runs, or it can't be told.
Finding about_realtime(int policy);
// How much of a second real-time threads may have, as the kernel says; -1: all of it. 0: none.
Finding about_throttling(int64_t runtime_us);

Finding about_open_files(uint64_t limit);

// "OK    ...", or "FIX   ..." and the advice on a line of its own.
std::string to_lines(const Finding& finding);

}  // namespace samcl::doctor
