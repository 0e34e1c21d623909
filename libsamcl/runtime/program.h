// Virtual programs: the program's source as the driver of device 0 sees it (its build result, log, kernels and
// binaries are the driver's own), and, when it was built and understood, a rewritten twin for each device.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel-translator/client/translation.h"
#include "libsamcl/footprint/footprint.h"
#include "libsamcl/runtime/context.h"
#include "libsamcl/runtime/split_choice.h"

namespace samcl {

class Program;

template <>
struct HandleTraits<Program> {
  static constexpr Kind kKind = Kind::program;
  using Api = cl_program;
};

// What deciding about a kernel's launches needs.
struct Splitting {
  Footprint footprint;
  SplitChoice choice;
};

// The outcome of one successful build; unchangeable.
struct Build {
  ~Build();
  Translation translation;         // empty if why_one_device says why
  std::vector<cl_program> parts;   // rewritten program per device; empty if kernels stay whole
  unsigned whole_device = 0;       // where kernels that stay whole run, as the manager wanted it at the build
  cl_program whole = nullptr;      // the original for that device if it is not the first
  std::string why_one_device;      // why no kernel of this program can be split
  std::string options;             // the program's own
  std::map<std::string, std::unique_ptr<Splitting>> splitting;  // by kernel
};

class Program : public Object<Program> {
 public:
  // original: a real program in device 0's context, owned from now on. source: empty if it has none.
  // binary_options: the source is that of a binary, made with these options; the program's own do not count.
  Program(std::shared_ptr<Context> context, cl_program original, std::string source, std::string why_one_device,
          std::optional<std::string> binary_options = std::nullopt);
  ~Program();

  const std::shared_ptr<Context> context;
  const cl_program original;

  // clBuildProgram on device 0; then, if it went well, the translation and the twins, which may fail without
  // the program's noticing. Returns the driver's code.
  cl_int build(const char* options);

  // The latest successful build; never nullptr.
  std::shared_ptr<const Build> current() const;

  // The program was given the binary of its latest build.
  void binary_was_read(std::span<const unsigned char> binary) const;

 private:
  std::shared_ptr<Build> make_build(const std::string& options, Result<Translation> translation);
  void place_whole(Build& build, const std::string& options) const;

  const std::string source_;
  const std::optional<std::string> binary_options_;
  mutable std::mutex mutex_;  // guards build_
  std::shared_ptr<const Build> build_;
};

}  // namespace samcl
