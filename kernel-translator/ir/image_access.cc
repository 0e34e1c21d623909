#include "kernel-translator/ir/image_access.h"

#include <map>

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"

namespace samcl::translator {
namespace {

bool is_opaque(const llvm::Value* value, llvm::StringRef name) {
  const auto* type = llvm::dyn_cast<llvm::TargetExtType>(value->getType());
  return type && type->getName() == name;
}

bool is_integer(const llvm::Value* value) { return value->getType()->getScalarType()->isIntegerTy(32); }

}  // namespace

ImageCall image_call(const llvm::CallBase& call, const std::string& name) {
  const llvm::Argument* image = nullptr;
  unsigned images = 0;
  for (const llvm::Use& use : call.args()) {
    if (!is_opaque(use.get(), "spirv.Image")) continue;
    ++images;
    image = llvm::dyn_cast<llvm::Argument>(use.get());
  }
  if (images == 0) return {};
  ImageCall found;
  found.kind = ImageCall::Kind::unknown;
  if (images > 1 || !image || call.getArgOperand(0) != image) return found;
  found.argument = image->getArgNo();
  const auto starts_with = [&](const char* prefix) { return name.rfind(prefix, 0) == 0; };
  if (starts_with("get_image_")) {
    found.kind = ImageCall::Kind::query;
  } else if (starts_with("read_image")) {
    found.kind = ImageCall::Kind::read;
    unsigned at = 1;
    if (at < call.arg_size() && is_opaque(call.getArgOperand(at), "spirv.Sampler")) ++at;
    // A level of detail may follow.
    if (at + 1 == call.arg_size() && is_integer(call.getArgOperand(at))) found.coordinates = call.getArgOperand(at);
  } else if (starts_with("write_image")) {
    found.kind = ImageCall::Kind::write;
    if (call.arg_size() == 3 && is_integer(call.getArgOperand(1))) found.coordinates = call.getArgOperand(1);
  }
  return found;
}

unsigned axes_of_image(const std::string& type_name) {
  static const std::map<std::string, unsigned> kAxes = {
      {"image1d_t", 1},       {"image1d_buffer_t", 1}, {"image1d_array_t", 2},       {"image2d_t", 2},
      {"image2d_depth_t", 2}, {"image2d_array_t", 3},  {"image2d_array_depth_t", 3}, {"image3d_t", 3}};
  const auto at = kAxes.find(type_name);
  return at == kAxes.end() ? 0 : at->second;
}

}  // namespace samcl::translator
