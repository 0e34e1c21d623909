#include "kernel-translator/footprint/footprint_finder.h"

#include <algorithm>
#include <map>

#include "contract/footprint/footprint.h"
#include "kernel-translator/footprint/integer_nodes.h"
#include "kernel-translator/footprint/kernel_regions.h"
#include "kernel-translator/ir/image_access.h"
#include "kernel-translator/ir/inline_assembly.h"
#include "kernel-translator/ir/mangled_name.h"
#include "kernel-translator/ir/pointer_roots.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace samcl::translator {

using footprint::Access;
using footprint::Id;
using footprint::kNone;
using footprint::Op;

namespace {

bool starts_with(const std::string& name, const char* prefix) { return name.rfind(prefix, 0) == 0; }

// The number at the end of "vload4" or "vstore_half4_rte"; 1 if there is none.
unsigned lanes_of(const std::string& name) {
  for (size_t i = 0; i < name.size(); ++i)
    if (isdigit(name[i])) return static_cast<unsigned>(std::stoul(name.substr(i, 2)));
  return 1;
}

// How many of a vector's lanes, from the first on, are more than chance: a vector of three is stored as one
// of four.
unsigned defined_lanes(const llvm::Value* value, unsigned lanes, int depth = 0) {
  if (depth > 16) return 0;
  const auto of_all = [&](const auto& values) {
    unsigned least = lanes;
    for (const llvm::Value* each : values) least = std::min(least, defined_lanes(each, lanes, depth + 1));
    return least;
  };
  const auto count = [&](const auto& is_defined) {
    unsigned lane = 0;
    while (lane < lanes && is_defined(lane)) ++lane;
    return lane;
  };
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) return of_all(phi->incoming_values());
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(value))
    return of_all(std::vector<const llvm::Value*>{select->getTrueValue(), select->getFalseValue()});
  if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value))
    return count([&](unsigned lane) { return shuffle->getMaskValue(lane) >= 0; });
  if (const auto* known = llvm::dyn_cast<llvm::Constant>(value))
    return count([&](unsigned lane) {
      const llvm::Constant* element = known->getAggregateElement(lane);
      return element && !llvm::isa<llvm::UndefValue>(element);
    });
  return lanes;
}

// Of the bytes that a structure's copy moves, whether all belong to fields: padding may stay as it was.
bool copies_all_bytes(const llvm::MemTransferInst& copy, uint64_t size) {
  const llvm::MDNode* fields = copy.getMetadata(llvm::LLVMContext::MD_tbaa_struct);
  if (!fields) return false;
  uint64_t next = 0;
  for (unsigned i = 0; i + 2 < fields->getNumOperands(); i += 3) {
    const auto* at = llvm::mdconst::dyn_extract<llvm::ConstantInt>(fields->getOperand(i));
    const auto* length = llvm::mdconst::dyn_extract<llvm::ConstantInt>(fields->getOperand(i + 1));
    if (!at || !length || at->getZExtValue() > next) return false;
    next = std::max(next, at->getZExtValue() + length->getZExtValue());
  }
  return next >= size;
}

// Of the built-ins that give a second result through their only pointer; 0: none of these. Drivers differ in
// whether they store it for a number that has none, and a fourth lane of three.
uint64_t bytes_of_second_result(const llvm::CallBase& call, const std::string& name) {
  const bool same_type = name == "fract" || name == "modf" || name == "sincos";
  if (!same_type && name != "frexp" && name != "remquo" && name != "lgamma_r") return 0;
  const llvm::Type* type = call.getType();
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  const unsigned lanes = vector ? vector->getNumElements() : 1;
  const uint64_t element = same_type ? type->getScalarSizeInBits() / 8 : 4;
  return element * (lanes == 3 ? 4 : lanes);
}

class Finder {
 public:
  Finder(llvm::Function& function, const Kernel& kernel)
      : function_(function),
        layout_(function.getParent()->getDataLayout()),
        kernel_(kernel),
        shape_(function),
        nodes_(function, shape_, program_),
        regions_(shape_, nodes_, program_) {}

  footprint::Program run() {
    for (llvm::BasicBlock& block : function_) {
      place_ = nullptr;
      block_ = &block;
      for (llvm::Instruction& instruction : block) visit(instruction);
    }
    add_what_is_missing();
    bound();
    std::stable_sort(program_.accesses.begin(), program_.accesses.end(),
                     [](const Access& a, const Access& b) { return a.region < b.region; });
    return std::move(program_);
  }

 private:
  void visit(llvm::Instruction& instruction);
  void visit_store(const llvm::StoreInst& store);
  void visit_copy(const llvm::MemIntrinsic& copy);
  void visit_call(const llvm::CallBase& call);
  void visit_builtin(const llvm::CallBase& call, const std::string& name, llvm::StringRef mangled);
  void visit_vector_access(const llvm::CallBase& call, const std::string& name, const llvm::Value* pointer);
  void visit_group_copy(const llvm::CallBase& call, const std::string& name, uint64_t element);
  void visit_image_access(const ImageCall& call);
  void add_what_is_missing();
  void bound();

  // An access through `pointer`, like `model` but for argument, region and offset; `further` is added to the
  // offset (kNone: nothing is). Sure bytes count only where the block is surely reached.
  void access(const llvm::Value* pointer, Access model, Id further = kNone);
  void anywhere(const llvm::Value* pointer, bool reads, bool writes);
  uint64_t size_of(llvm::Type* type) const { return layout_.getTypeStoreSize(type); }

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  const Kernel& kernel_;
  footprint::Program program_;
  const Shape shape_;
  IntegerNodes nodes_;
  KernelRegions regions_;
  const llvm::BasicBlock* block_ = nullptr;
  const KernelRegions::Place* place_ = nullptr;  // of block_, once asked for
};

Access reading(uint64_t width, uint64_t sure_width) {
  Access access;
  access.width = width;
  access.sure_width = sure_width;
  access.reads = true;
  return access;
}

Access writing(uint64_t width, uint64_t sure_width) {
  Access access;
  access.width = width;
  access.sure_width = sure_width;
  access.writes = true;
  return access;
}

void Finder::access(const llvm::Value* pointer, Access model, Id further) {
  const Roots roots = roots_of(pointer);
  if (!roots.global()) return;
  if (!place_) place_ = &regions_.of(block_);
  model.region = place_->region;
  if (!place_->surely) model.sure_width = 0;
  const bool somewhere = !roots.unknown && model.width != 0;
  model.offset = somewhere ? nodes_.offset_of(pointer) : kNone;
  if (model.offset == kNone) {
    model.repeat = kNone;
    model.width = 1;
  } else if (further != kNone) {
    model.offset = nodes_.make(Op::add, nodes_.pointer_bits(), model.offset, further);
  }
  // A pointer into one of several buffers has its offset in whichever it is.
  if (model.offset == kNone || roots.arguments.size() != 1) model.sure_width = 0;
  for (Id i = 0; i < kernel_.arguments.size(); ++i) {
    const bool buffer = kernel_.arguments[i].kind == "global_buffer";
    if (!roots.arguments.count(i) && !(roots.unknown && buffer)) continue;
    model.argument = i;
    program_.accesses.push_back(model);
  }
}

void Finder::anywhere(const llvm::Value* pointer, bool reads, bool writes) {
  Access model;
  model.width = 0;
  model.reads = reads;
  model.writes = writes;
  access(pointer, model);
}

void Finder::visit(llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    const uint64_t width = size_of(load->getType());
    access(load->getPointerOperand(), reading(width, width));
  } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    visit_store(*store);
  } else if (const auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    Access model = writing(size_of(change->getType()), 0);
    model.reads = true;
    access(change->getPointerOperand(), model);
  } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    Access model = writing(size_of(exchange->getCompareOperand()->getType()), 0);
    model.reads = true;
    access(exchange->getPointerOperand(), model);
  } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    visit_call(*call);
  } else if (instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::FenceInst>(instruction)) {
    program_.anything = true;
  }
}

void Finder::visit_store(const llvm::StoreInst& store) {
  const llvm::Value* value = store.getValueOperand();
  const uint64_t width = size_of(value->getType());
  // A component of a vector is stored by loading, changing and storing the whole; a driver may store it
  // alone. Then what it leaves is also read, and stands as it was.
  uint64_t sure = width;
  if (const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType())) {
    const unsigned lanes = defined_lanes(value, type->getNumElements());
    sure = lanes * size_of(type->getElementType());
    if (type->getElementType()->isIntegerTy(1)) sure = 0;
  } else if (!value->getType()->isIntegerTy() && !value->getType()->isFloatingPointTy() &&
             !value->getType()->isPointerTy()) {
    sure = 0;
  }
  if (!store.isSimple() || llvm::isa<llvm::UndefValue>(value)) sure = 0;
  access(store.getPointerOperand(), writing(width, std::min(sure, width)));
}

void Finder::visit_copy(const llvm::MemIntrinsic& copy) {
  const auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&copy);
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
  if (!length || length->getValue().ugt(1u << 30)) {
    anywhere(copy.getRawDest(), false, true);
    if (transfer) anywhere(transfer->getRawSource(), true, false);
    return;
  }
  const uint64_t size = length->getZExtValue();
  if (size == 0) return;
  const bool all = !copy.isVolatile() && (!transfer || copies_all_bytes(*transfer, size));
  access(copy.getRawDest(), writing(size, all ? size : 0));
  if (transfer) access(transfer->getRawSource(), reading(size, size));
}

void Finder::visit_call(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (call.isInlineAsm() && only_computes(call)) return;
  if (!callee || !callee->isDeclaration()) {
    program_.anything = true;
  } else if (const auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
    visit_copy(*copy);
  } else if (!callee->isIntrinsic()) {
    visit_builtin(call, plain_name(callee->getName()), callee->getName());
  } else if (!call.doesNotAccessMemory() && !call.isLifetimeStartOrEnd() && !call.isDebugOrPseudoInst() &&
             !llvm::isa<llvm::AssumeInst>(call) && !call.onlyAccessesInaccessibleMemory()) {
    program_.anything = true;
  }
}

void Finder::visit_vector_access(const llvm::CallBase& call, const std::string& name, const llvm::Value* pointer) {
  const bool stores = starts_with(name, "vstore"), half = name.find("_half") != std::string::npos;
  const bool aligned = starts_with(name, "vloada") || starts_with(name, "vstorea");
  const llvm::Type* value = stores ? call.getArgOperand(0)->getType() : call.getType();
  const uint64_t element = half ? 2 : layout_.getTypeStoreSize(value->getScalarType()).getFixedValue();
  const unsigned lanes = lanes_of(name);
  const uint64_t width = element * lanes, stride = element * (aligned && lanes == 3 ? 4 : lanes);
  const unsigned bits = nodes_.pointer_bits();
  const llvm::Value* index = call.getArgOperand(stores ? 1 : 0);
  const Id further = nodes_.make(Op::multiply, bits, nodes_.resized(nodes_.of(index), bits, false),
                                 nodes_.constant(static_cast<int64_t>(stride), bits));
  access(pointer, stores ? writing(width, width) : reading(aligned ? stride : width, width), further);
}

void Finder::visit_group_copy(const llvm::CallBase& call, const std::string& name, uint64_t element) {
  const llvm::Value *to = call.getArgOperand(0), *from = call.getArgOperand(1);
  const bool strided = name == "async_work_group_strided_copy";
  const auto* stride = strided ? llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(3)) : nullptr;
  if (element == 0 || (strided && (!stride || stride->getValue().ugt(1u << 20)))) {
    anywhere(to, false, true);
    return anywhere(from, true, false);
  }
  // The stride is that of the side in global memory.
  Access model = writing(element, element);
  model.repeat = nodes_.of(call.getArgOperand(2));
  model.stride = element * (stride ? stride->getZExtValue() : 1);
  access(to, model);
  model.reads = true;
  model.writes = false;
  access(from, model);
}

// A pixel that is written counts where it lies inside the image; one that is read, as the one nearest to it inside,
// whatever the sampler makes of others.
void Finder::visit_image_access(const ImageCall& call) {
  constexpr size_t kPitches[] = {offsetof(ImageNumbers, pixel), offsetof(ImageNumbers, row_pitch),
                                 offsetof(ImageNumbers, slice_pitch)};
  constexpr size_t kSizes[] = {offsetof(ImageNumbers, width), offsetof(ImageNumbers, height),
                               offsetof(ImageNumbers, depth)};
  constexpr unsigned kBits = 64;
  if (!place_) place_ = &regions_.of(block_);
  const bool writes = call.kind == ImageCall::Kind::write;
  Access model = writes ? writing(1, 0) : reading(1, 0);
  model.argument = call.argument;
  model.region = place_->region;
  const unsigned axes = call.coordinates ? axes_of_image(kernel_.arguments[call.argument].type_name) : 0;
  if (axes > 0) {
    const Id zero = nodes_.constant(0, kBits), one = nodes_.constant(1, kBits);
    Id inside = nodes_.constant(1, 1);
    model.offset = zero;
    for (unsigned axis = 0; axis < axes; ++axis) {
      Id at = nodes_.resized(nodes_.of(call.coordinates, axis), kBits, true);
      const Id size = nodes_.image_number(call.argument, kSizes[axis]);
      if (writes) {
        const Id before = nodes_.make(Op::less_signed, 1, at, zero), below = nodes_.make(Op::less_signed, 1, at, size);
        inside = nodes_.both(inside, nodes_.both(nodes_.negation(before), below));
      } else {
        const Id last = nodes_.make(Op::subtract, kBits, size, one, kNone, true);
        at = nodes_.make(Op::maximum_signed, kBits, at, zero);
        at = nodes_.make(Op::minimum_signed, kBits, at, last);
      }
      const Id bytes = nodes_.make(Op::multiply, kBits, at, nodes_.image_number(call.argument, kPitches[axis]));
      model.offset = nodes_.make(Op::add, kBits, model.offset, bytes);
    }
    model.repeat = nodes_.image_number(call.argument, offsetof(ImageNumbers, pixel));
    model.stride = 1;
    if (writes) {
      model.region = regions_.within(place_->region, inside);
      model.sure_width = place_->surely ? 1 : 0;
    }
  }
  program_.accesses.push_back(model);
}

void Finder::visit_builtin(const llvm::CallBase& call, const std::string& name, llvm::StringRef mangled) {
  switch (const ImageCall image = image_call(call, name); image.kind) {
    case ImageCall::Kind::none: break;
    case ImageCall::Kind::query: return;
    case ImageCall::Kind::read:
    case ImageCall::Kind::write: return visit_image_access(image);
    case ImageCall::Kind::unknown: program_.anything = true; return;
  }
  std::vector<const llvm::Value*> pointers;
  for (const llvm::Use& argument : call.args())
    if (argument->getType()->isPointerTy()) pointers.push_back(argument.get());
  if (name.find("pipe") != std::string::npos || name.find("enqueue_kernel") != std::string::npos ||
      starts_with(name, "__enqueue_") || starts_with(name, "__get_kernel_")) {
    program_.anything = true;
    return;
  }
  if (pointers.empty() || name == "printf" || name == "prefetch" || name == "wait_group_events" ||
      name == "get_fence" || changes_address_space(name))
    return;
  const bool vector_access = starts_with(name, "vload") || starts_with(name, "vstore");
  if (vector_access && pointers.size() == 1 && call.arg_size() >= 2)
    return visit_vector_access(call, name, pointers[0]);
  const bool group_copy = name == "async_work_group_copy" || name == "async_work_group_strided_copy";
  if (group_copy && call.arg_size() >= 4) return visit_group_copy(call, name, pointee_of(mangled).bytes());
  const bool atomic = starts_with(name, "atomic_") || starts_with(name, "atom_");
  if (atomic && pointers.size() == 1 && pointee_of(mangled).bytes() != 0) {
    Access model = writing(pointee_of(mangled).bytes(), 0);
    model.reads = true;
    return access(pointers[0], model);
  }
  if (const uint64_t width = bytes_of_second_result(call, name)) return access(pointers[0], writing(width, 0));
  for (const llvm::Value* pointer : pointers) {
    const unsigned space = pointer->getType()->getPointerAddressSpace();
    // What lies in private memory may hold pointers in turn.
    if (!atomic && (space == kPrivate || space == kGeneric)) program_.anything = true;
    anywhere(pointer, true, true);
  }
}

void Finder::add_what_is_missing() {
  for (Id i = 0; i < kernel_.arguments.size(); ++i) {
    const Argument& argument = kernel_.arguments[i];
    if (argument.kind != "global_buffer" && argument.kind != "constant_buffer") continue;
    Access missing;
    missing.argument = i;
    missing.reads = argument.may_read;
    missing.writes = argument.may_write;
    for (const Access& access : program_.accesses) {
      if (access.argument != i) continue;
      if (access.reads) missing.reads = false;
      if (access.writes) missing.writes = false;
    }
    if (missing.reads || missing.writes) program_.accesses.push_back(missing);
  }
}

// Evaluation takes its time for every access: each counts once, and where there are too many, those of the
// arguments with most of them become one that may be anywhere.
void Finder::bound() {
  std::vector<Access> once;
  for (const Access& access : program_.accesses)
    if (std::find(once.begin(), once.end(), access) == once.end()) once.push_back(access);
  constexpr size_t kMost = 256, kMostOfOne = 32;
  if (once.size() > kMost) {
    std::map<Id, Access> joined;  // by argument
    std::map<Id, size_t> count;
    for (const Access& access : once) ++count[access.argument];
    std::vector<Access> few;
    for (const Access& access : once) {
      if (count[access.argument] <= kMostOfOne) {
        few.push_back(access);
        continue;
      }
      Access& one = joined[access.argument];
      one.argument = access.argument;
      one.reads = one.reads || access.reads;
      one.writes = one.writes || access.writes;
    }
    for (const auto& [argument, one] : joined) few.push_back(one);
    once = std::move(few);
  }
  program_.accesses = std::move(once);
}

bool has_cycle_that_is_no_loop(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
  return llvm::containsIrreducibleCFG<llvm::BasicBlock*>(order, loops);
}

}  // namespace

footprint::Program find_footprint(llvm::Function& function, const Kernel& kernel) {
  if (has_cycle_that_is_no_loop(function)) {
    footprint::Program unknown;
    unknown.anything = true;
    return unknown;
  }
  footprint::Program program = Finder(function, kernel).run();
  footprint::prune(program);
  // More would take too long at every launch.
  constexpr size_t kMostNodes = 4000, kMostRegions = 500;
  if (program.nodes.size() > kMostNodes || program.regions.size() > kMostRegions) program.anything = true;
  if (program.anything || !footprint::from_text(footprint::to_text(program))) {
    program = {};
    program.anything = true;
  }
  return program;
}

}  // namespace samcl::translator
