// IntegerNodes: OpenCL C's built-in functions and LLVM's intrinsics.
#include "contract/footprint/footprint.h"
#include "kernel-translator/footprint/integer_nodes.h"
#include "kernel-translator/ir/mangled_name.h"
#include "kernel-translator/ir/memory_effect.h"
#include "llvm/IR/IntrinsicInst.h"

namespace samcl::translator {

using footprint::Id;
using footprint::kNone;
using footprint::Op;

Id IntegerNodes::place(const llvm::CallBase* call, Op op) {
  const unsigned bits = bits_of(call);
  const auto* dimension = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
  if (!dimension) return unknown(call, bits);
  if (dimension->getValue().ult(3)) return make(op, bits, static_cast<Id>(dimension->getZExtValue()));
  const bool counts =
      op == Op::num_groups || op == Op::local_size || op == Op::enqueued_local_size || op == Op::global_size;
  return constant(counts ? 1 : 0, bits);
}

Id IntegerNodes::linear_id(bool global, unsigned bits) {
  Id sum = constant(0, bits);
  for (Id d = 3; d-- > 0;) {
    Id index = make(global ? Op::global_id : Op::local_id, bits, d);
    if (global) index = make(Op::subtract, bits, index, make(Op::global_offset, bits, d));
    const Id size = make(global ? Op::global_size : Op::local_size, bits, d);
    sum = make(Op::add, bits, make(Op::multiply, bits, sum, size), index);
  }
  return sum;
}

Id IntegerNodes::of_call(const llvm::CallBase* call, unsigned lane) {
  const unsigned bits = bits_of(call);
  const llvm::Function* callee = call->getCalledFunction();
  if (!callee || !callee->isDeclaration()) return unknown(call, bits);
  if (!callee->isIntrinsic()) return of_builtin(call, plain_name(callee->getName()), lane);
  const auto argument = [&](unsigned i) { return of(call->getArgOperand(i), lane); };
  switch (callee->getIntrinsicID()) {
    case llvm::Intrinsic::smin: return make(Op::minimum_signed, bits, argument(0), argument(1));
    case llvm::Intrinsic::smax: return make(Op::maximum_signed, bits, argument(0), argument(1));
    case llvm::Intrinsic::umin: return make(Op::minimum_unsigned, bits, argument(0), argument(1));
    case llvm::Intrinsic::umax: return make(Op::maximum_unsigned, bits, argument(0), argument(1));
    case llvm::Intrinsic::abs: return make(Op::absolute, bits, argument(0));
    case llvm::Intrinsic::expect: return argument(0);
    default: return unknown(call, bits);
  }
}

Id IntegerNodes::of_image_query(const llvm::CallBase* call, const std::string& name, unsigned lane) {
  const unsigned bits = bits_of(call);
  const ImageAccess query = effect_of(*call).image;
  if (query.kind != Builtin::Kind::image_query) return unknown(call, bits);
  const auto number = [&](size_t byte) { return image_number(query.argument, byte, bits); };
  if (name == "get_image_width") return number(offsetof(ImageNumbers, width));
  if (name == "get_image_height") return number(offsetof(ImageNumbers, height));
  if (name == "get_image_depth") return number(offsetof(ImageNumbers, depth));
  if (name == "get_image_dim" && lane < 3) {
    constexpr size_t kSizes[] = {offsetof(ImageNumbers, width), offsetof(ImageNumbers, height),
                                 offsetof(ImageNumbers, depth)};
    return number(kSizes[lane]);
  }
  if (name == "get_image_array_size") {
    const bool of_rows = call->getCalledFunction()->getName().contains("image1d_array");
    return number(of_rows ? offsetof(ImageNumbers, height) : offsetof(ImageNumbers, depth));
  }
  return unknown(call, bits);
}

Id IntegerNodes::of_builtin(const llvm::CallBase* call, const std::string& name, unsigned lane) {
  const unsigned bits = bits_of(call);
  const unsigned count = call->arg_size();
  if (const Builtin* builtin = builtin_of(*call)) {
    if (builtin->kind == Builtin::Kind::image_query) return of_image_query(call, name, lane);
    if (builtin->number == Op::work_dim) return make(Op::work_dim, bits, kNone);
    if (builtin->number != Op::unknown && count == 1) return place(call, builtin->number);
  }
  if (name == "get_global_linear_id") return linear_id(true, bits);
  if (name == "get_local_linear_id") return linear_id(false, bits);

  const ElementType type = first_parameter(call->getCalledFunction()->getName());
  const bool is_signed = type.is_signed();
  if (count == 0 || (!is_signed && !type.is_unsigned())) return unknown(call, bits);
  const auto argument = [&](unsigned i) {
    const llvm::Value* value = call->getArgOperand(i);
    return of(value, value->getType()->isVectorTy() ? lane : 0);  // max(int4, int)
  };
  const Op least = is_signed ? Op::minimum_signed : Op::minimum_unsigned;
  const Op most = is_signed ? Op::maximum_signed : Op::maximum_unsigned;
  if (name == "min" && count == 2) return make(least, bits, argument(0), argument(1));
  if (name == "max" && count == 2) return make(most, bits, argument(0), argument(1));
  if (name == "clamp" && count == 3) return make(least, bits, make(most, bits, argument(0), argument(1)), argument(2));
  if (name == "abs" && count == 1) return is_signed ? make(Op::absolute, bits, argument(0)) : argument(0);
  const Op product = is_signed ? Op::multiply_24_signed : Op::multiply_24_unsigned;
  const auto product_of_24_bits = [&] { return make(product, bits, argument(0), argument(1), kNone, is_signed); };
  if (name == "mul24" && count == 2) return product_of_24_bits();
  if (name == "mad24" && count == 3) return make(Op::add, bits, product_of_24_bits(), argument(2));
  const bool converts = name.rfind("convert_", 0) == 0 && name.find("_sat") == std::string::npos;
  const bool to_integer = converts && name.find("float") == std::string::npos &&
                          name.find("double") == std::string::npos && name.find("half") == std::string::npos;
  if (to_integer && count == 1) return resized(argument(0), bits, is_signed);
  return unknown(call, bits);
}

}  // namespace samcl::translator
