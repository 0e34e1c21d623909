// Making real programs of a specification.
#include <algorithm>

#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/vendor.h"
#include "libsamcl/objects/building.h"
#include "libsamcl/program/build_specification.h"

namespace samcl {
namespace {

struct ReleaseProgram {
  void operator()(cl_program program) const { driver::real().clReleaseProgram(program); }
};
using OwnedProgram = std::unique_ptr<std::remove_pointer_t<cl_program>, ReleaseProgram>;

class Builder {
 public:
  Builder(const BuildSpecification& specification, std::span<const TranslatedSource> translated,
          const RealDevice& device)
      : device_(device), sources_(sources_of(specification)), translated_(translated) {}

  // Those that take part more than once in one link are made once.
  cl_program make(const BuildSpecification& specification) {
    OwnedProgram& made = made_[&specification];
    if (!made)
      made.reset(specification.function == BuildSpecification::Function::link ? link(specification)
                                                                              : compile(specification));
    return made.get();
  }
  cl_program take(const BuildSpecification& specification) {
    make(specification);
    return made_[&specification].release();
  }

 private:
  OwnedProgram with_source(const std::string& source) const {
    const char* text = source.c_str();
    const size_t length = source.size();
    cl_int error;
    return OwnedProgram(driver::real().clCreateProgramWithSource(device_.context(), 1, &text, &length, &error));
  }

  // A build or a compilation, of the translated source if there is one.
  cl_program compile(const BuildSpecification& specification) const {
    const size_t place =
        static_cast<size_t>(std::find(sources_.begin(), sources_.end(), &specification) - sources_.begin());
    const TranslatedSource* other = translated_.empty() ? nullptr : &translated_[place];
    const bool rewritten = other && other->source;
    const std::string options =
        (other ? other->options : specification.options) +
        driver::distinct_option(driver::vendor_facts(device_.id), device_.index, driver::is_remote(device_.id));
    OwnedProgram program = with_source(rewritten ? *other->source : specification.source);
    if (!program) return nullptr;
    const auto& cl = driver::real();
    cl_int error;
    if (specification.function == BuildSpecification::Function::build) {
      error = cl.clBuildProgram(program.get(), 1, &device_.id, options.c_str(), nullptr, nullptr);
    } else {
      std::vector<OwnedProgram> owned;
      std::vector<cl_program> headers;
      std::vector<const char*> names;
      if (!rewritten) {
        for (const auto& [name, text] : specification.headers) {
          owned.push_back(with_source(text));
          if (!owned.back()) return nullptr;
          headers.push_back(owned.back().get());
          names.push_back(name.c_str());
        }
      }
      const bool any = !headers.empty();
      error = cl.clCompileProgram(program.get(), 1, &device_.id, options.c_str(), static_cast<cl_uint>(headers.size()),
                                  any ? headers.data() : nullptr, any ? names.data() : nullptr, nullptr, nullptr);
    }
    return error == CL_SUCCESS ? program.release() : nullptr;
  }

  cl_program link(const BuildSpecification& specification) {
    std::vector<cl_program> inputs;
    for (const auto& input : specification.inputs) {
      inputs.push_back(make(*input));
      if (!inputs.back()) return nullptr;
    }
    cl_int error = CL_SUCCESS;
    OwnedProgram program(driver::real().clLinkProgram(device_.context(), 1, &device_.id, specification.options.c_str(),
                                                      static_cast<cl_uint>(inputs.size()), inputs.data(), nullptr,
                                                      nullptr, &error));
    return error == CL_SUCCESS ? program.release() : nullptr;
  }

  const RealDevice& device_;
  const std::vector<const BuildSpecification*> sources_;
  const std::span<const TranslatedSource> translated_;
  std::map<const BuildSpecification*, OwnedProgram> made_;
};

}  // namespace

cl_program make(const BuildSpecification& specification, std::span<const TranslatedSource> translated,
                const RealDevice& device) {
  const Building building;
  return Builder(specification, translated, device).take(specification);
}

}  // namespace samcl
