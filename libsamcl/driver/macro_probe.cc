#include "libsamcl/driver/macro_probe.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <sstream>
#include <vector>

#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/event_end.h"
#include "libsamcl/driver/owned.h"

namespace samcl::driver {
namespace {

constexpr size_t kRoom = 256u << 10;                  // bytes for the answers to all names
constexpr auto kPatience = std::chrono::seconds(20);  // the device may be the program's own for that long

// Only #ifdef can be asked about them.
bool is_operator(const std::string& name) { return name.starts_with("__has_") || name.starts_with("__is_"); }

// "__has_builtin(f)": #if answers it.
bool is_question(const std::string& name) { return name.ends_with(')'); }

enum class Outcome { does_not_build, fails, done };

Outcome run(cl_context context, cl_device_id device, const std::string& source, const std::string& options,
            std::string& output) {
  const auto& cl = real();
  cl_int error = CL_SUCCESS;
  const char* text = source.c_str();
  const Owned<cl_program> program(cl.clCreateProgramWithSource(context, 1, &text, nullptr, &error),
                                  cl.clReleaseProgram);
  if (!program) return Outcome::fails;
  error = cl.clBuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
  if (error == CL_BUILD_PROGRAM_FAILURE) return Outcome::does_not_build;
  if (error != CL_SUCCESS) return Outcome::fails;
  const Owned<cl_kernel> kernel(cl.clCreateKernel(program.get(), "samcl_show", &error), cl.clReleaseKernel);
  const Owned<cl_command_queue> queue(cl.clCreateCommandQueue(context, device, 0, &error), cl.clReleaseCommandQueue);
  const Owned<cl_mem> buffer(cl.clCreateBuffer(context, CL_MEM_READ_WRITE, kRoom, nullptr, &error),
                             cl.clReleaseMemObject);
  if (!kernel || !queue || !buffer) return Outcome::fails;
  const cl_mem to = buffer.get();
  const auto room = static_cast<cl_uint>(kRoom);
  const size_t one = 1;
  cl_event read = nullptr;
  // Should the driver be given up on, it may still write here.
  auto shown = std::make_unique<std::vector<char>>(kRoom);
  if (cl.clSetKernelArg(kernel.get(), 0, sizeof to, &to) != CL_SUCCESS ||
      cl.clSetKernelArg(kernel.get(), 1, sizeof room, &room) != CL_SUCCESS ||
      cl.clEnqueueNDRangeKernel(queue.get(), kernel.get(), 1, nullptr, &one, &one, 0, nullptr, nullptr) != CL_SUCCESS ||
      cl.clEnqueueReadBuffer(queue.get(), to, CL_FALSE, 0, kRoom, shown->data(), 0, nullptr, &read) != CL_SUCCESS) {
    cl.clFinish(queue.get());
    return Outcome::fails;
  }
  const Owned<cl_event> event(read, cl.clReleaseEvent);
  cl.clFlush(queue.get());
  if (!ends_well(read, kPatience)) {
    static_cast<void>(shown.release());
    return Outcome::fails;
  }
  output.assign(shown->begin(), std::find(shown->begin(), shown->end(), '\0'));
  return Outcome::done;
}

// Halves the names until those are found that break the program.
bool ask(cl_context context, cl_device_id device, const std::set<std::string>& names, const std::string& options,
         MacroAnswers& answers) {
  std::string output;
  const Outcome outcome = run(context, device, macro_probe(names), options, output);
  if (outcome == Outcome::fails) return false;
  if (outcome == Outcome::done) {
    auto told = macro_answers(names, output);
    if (told) {
      answers.merge(*told);
      return true;
    }
  }
  if (names.size() < 2) return true;
  const auto middle = std::next(names.begin(), static_cast<long>(names.size() / 2));
  return ask(context, device, {names.begin(), middle}, options, answers) &&
         ask(context, device, {middle, names.end()}, options, answers);
}

}  // namespace

std::string macro_probe(const std::set<std::string>& names) {
  std::ostringstream source;
  // Between parentheses a text may have commas; macros of any number of arguments are no OpenCL C, and NVIDIA's
  // compiler refuses them up to 2.0.
  source << "#define SAMCL_TEXT(text) #text\n#define SAMCL_TEXT_OF(text) SAMCL_TEXT(text)\n"
            "__constant char samcl_texts[] = \"\"\n";
  for (const std::string& name : names) {
    if (is_question(name)) {
      source << "#if " << name << "\n\"+1\\n\"\n#else\n\"+0\\n\"\n#endif\n";
      continue;
    }
    source << "#ifdef " << name << "\n\"+\" ";
    if (is_operator(name))
      source << '"' << name << '"';
    else
      source << "SAMCL_TEXT_OF((" << name << "))";
    source << " \"\\n\"\n#else\n\"-\\n\"\n#endif\n";
  }
  source << ";\n__kernel void samcl_show(__global char* to, uint room) {\n"
            "  uint i = 0;\n"
            "  for (; i + 1 < room && i < sizeof samcl_texts; ++i) to[i] = samcl_texts[i];\n"
            "  to[i] = 0;\n}\n";
  return source.str();
}

std::optional<MacroAnswers> macro_answers(const std::set<std::string>& names, const std::string& output) {
  MacroAnswers answers;
  std::istringstream lines(output);
  for (const std::string& name : names) {
    std::string line;
    if (!std::getline(lines, line) || lines.eof() || line.empty()) return std::nullopt;
    if (line.starts_with("+(") && line.ends_with(')'))
      answers[name] = line.substr(2, line.size() - 3);
    else if (line[0] == '+')
      answers[name] = line.substr(1);
    else if (line == "-")
      answers[name] = std::nullopt;
    else
      return std::nullopt;
  }
  return lines.peek() == EOF ? std::optional(answers) : std::nullopt;
}

Result<MacroAnswers> ask_about_macros(cl_context context, cl_device_id device, const std::set<std::string>& names,
                                      const std::string& options) {
  MacroAnswers answers;
  if (!ask(context, device, names, options, answers))
    return fail("the driver does not run the program that tells the values of macros");
  return answers;
}

}  // namespace samcl::driver
