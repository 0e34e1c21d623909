// What a device's compiler makes of macros, found by having it compile a small program that shows it: the text that
// each macro stands for, as a string in constant memory that a kernel of one work-item copies out. Compilers tell it
// in no other way, and every guess from versions and extensions is wrong somewhere.
#pragma once

#include <CL/cl.h>

#include <set>
#include <string>

#include "base/result.h"
#include "kernel-translator/client/macro_table.h"

namespace samcl::driver {

// `options`: build options that may change the answers. Of names such as "__has_builtin(f)" the answer is "1" or "0".
// Names without an answer, for their texts break the program, are missing. An error: the driver refuses or does not end
// a program that it should run; another time it may. Makes and releases its own queue; any thread.
Result<MacroAnswers> ask_about_macros(cl_context context, cl_device_id device, const std::set<std::string>& names,
                                      const std::string& options);

// The program, and what its output means; nullopt: it is not what the program writes.
std::string macro_probe(const std::set<std::string>& names);
std::optional<MacroAnswers> macro_answers(const std::set<std::string>& names, const std::string& output);

}  // namespace samcl::driver
