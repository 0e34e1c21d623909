// Virtual programs: the program's source as the driver of device 0 sees it (its build result, log, kernels and
// binaries are the driver's own), and, when it was built and understood, a rewritten twin for each device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernel-translator/client/translation.h"
#include "libsamcl/runtime/context.h"

namespace samcl {

class Program;

template <>
struct HandleTraits<Program> {
  static constexpr Kind kKind = Kind::program;
  using Api = cl_program;
};

// The outcome of one successful build; unchangeable.
struct Build {
  ~Build();
  Translation translation;         // empty if why_one_device says why
  std::vector<cl_program> parts;   // rewritten program per device; empty if kernels stay whole
  std::string why_one_device;      // why no kernel of this program can be split
};

class Program : public Object<Program> {
 public:
  // original: a real program in device 0's context, owned from now on. source: empty if it has none (binary).
  Program(std::shared_ptr<Context> context, cl_program original, std::string source, std::string why_one_device);
  ~Program();

  const std::shared_ptr<Context> context;
  const cl_program original;

  // clBuildProgram on device 0; then, if it went well, the translation and the twins, which may fail without
  // the program's noticing. Returns the driver's code.
  cl_int build(const char* options);

  // The latest successful build; never nullptr.
  std::shared_ptr<const Build> current() const;

 private:
  std::shared_ptr<Build> make_build(const std::string& options, Result<Translation> translation);

  const std::string source_;
  mutable std::mutex mutex_;  // guards build_
  std::shared_ptr<const Build> build_;
};

}  // namespace samcl
