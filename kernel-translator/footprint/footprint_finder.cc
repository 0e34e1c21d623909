#include "kernel-translator/footprint/footprint_finder.h"

#include <algorithm>
#include <map>

#include "contract/footprint/footprint.h"
#include "kernel-translator/footprint/integer_nodes.h"
#include "kernel-translator/footprint/kernel_regions.h"
#include "kernel-translator/ir/control_flow.h"
#include "kernel-translator/ir/memory_effect.h"
#include "kernel-translator/ir/pointer_roots.h"
#include "kernel-translator/ir/private_loops.h"

namespace samcl::translator {

using footprint::Access;
using footprint::Id;
using footprint::kNone;
using footprint::Op;

namespace {

class Finder {
 public:
  Finder(llvm::Function& function, const KernelFacts& kernel)
      : function_(function),
        kernel_(kernel),
        shape_(function),
        nodes_(function, shape_, symbolic_),
        regions_(shape_, nodes_, symbolic_) {}

  footprint::SymbolicFootprint run() {
    for (llvm::BasicBlock& block : function_) {
      place_ = nullptr;
      block_ = &block;
      for (const llvm::Instruction& instruction : block) visit(instruction);
    }
    add_what_is_missing();
    bound();
    std::stable_sort(symbolic_.accesses.begin(), symbolic_.accesses.end(),
                     [](const Access& a, const Access& b) { return a.region < b.region; });
    return std::move(symbolic_);
  }

 private:
  void visit(const llvm::Instruction& instruction);
  void visit_access(const MemoryAccess& access);
  void visit_image_access(const ImageAccess& access);
  void add_what_is_missing();
  void bound();

  llvm::Function& function_;
  const KernelFacts& kernel_;
  footprint::SymbolicFootprint symbolic_;
  const Shape shape_;
  IntegerNodes nodes_;
  KernelRegions regions_;
  const llvm::BasicBlock* block_ = nullptr;
  const KernelRegions::Place* place_ = nullptr;  // of block_, once asked for
};

// Sure bytes count only where the block is surely reached.
void Finder::visit_access(const MemoryAccess& access) {
  const Roots roots = roots_of(access.pointer);
  if (!roots.global()) return;
  if (!place_) place_ = &regions_.of(block_);
  const bool somewhere = !roots.unknown && access.width != 0;
  Access model;
  model.region = place_->region;
  model.reads = access.reads;
  model.writes = access.writes;
  model.width = 1;
  model.offset = somewhere ? nodes_.offset_of(access.pointer) : kNone;
  if (model.offset != kNone) {
    model.width = access.width;
    // A pointer into one of several buffers has its offset in whichever it is.
    if (place_->surely && roots.arguments.size() == 1) model.sure_width = access.sure_width;
    if (access.index) {
      const unsigned bits = nodes_.pointer_bits();
      const Id index = nodes_.resized(nodes_.of(access.index), bits, false);
      const Id stride = nodes_.constant(static_cast<int64_t>(access.index_stride), bits);
      model.offset = nodes_.make(Op::add, bits, model.offset, nodes_.make(Op::multiply, bits, index, stride));
    }
    if (access.count) {
      model.repeat = nodes_.of(access.count);
      model.stride = access.count_stride;
    }
  }
  for (Id i = 0; i < kernel_.arguments.size(); ++i) {
    const bool buffer = kernel_.arguments[i].kind == ArgumentKind::global_buffer;
    if (!roots.arguments.count(i) && !(roots.unknown && buffer)) continue;
    model.argument = i;
    symbolic_.accesses.push_back(model);
    // What it leaves there depends on what was there; that it looks is sure.
    const bool looks = access.reads && access.writes && model.offset != kNone && place_->surely;
    if (!looks || access.sure_width > 0 || roots.arguments.size() != 1) continue;
    symbolic_.accesses.push_back(model);
    symbolic_.accesses.back().writes = false;
    symbolic_.accesses.back().sure_width = access.width;
  }
}

void Finder::visit(const llvm::Instruction& instruction) {
  const MemoryEffect effect = effect_of(instruction);
  if (!effect.not_understood.empty()) symbolic_.anything = true;
  const Builtin::Kind kind = effect.image.kind;
  if (kind == Builtin::Kind::image_read || kind == Builtin::Kind::image_write) visit_image_access(effect.image);
  for (const MemoryAccess& access : effect.accesses) visit_access(access);
}

// A pixel that is written counts where it lies inside the image; one that is read, as the one nearest to it inside,
// whatever the sampler makes of others.
void Finder::visit_image_access(const ImageAccess& image) {
  constexpr size_t kPitches[] = {offsetof(ImageNumbers, pixel), offsetof(ImageNumbers, row_pitch),
                                 offsetof(ImageNumbers, slice_pitch)};
  constexpr size_t kSizes[] = {offsetof(ImageNumbers, width), offsetof(ImageNumbers, height),
                               offsetof(ImageNumbers, depth)};
  constexpr unsigned kBits = 64;
  if (!place_) place_ = &regions_.of(block_);
  const bool writes = image.kind == Builtin::Kind::image_write;
  Access model;
  model.width = 1;
  model.reads = !writes;
  model.writes = writes;
  model.argument = image.argument;
  model.region = place_->region;
  const unsigned axes = image.coordinates ? axes_of_image(kernel_.arguments[image.argument].type_name) : 0;
  if (axes > 0) {
    const Id zero = nodes_.constant(0, kBits), one = nodes_.constant(1, kBits);
    Id inside = nodes_.constant(1, 1);
    model.offset = zero;
    for (unsigned axis = 0; axis < axes; ++axis) {
      Id at = nodes_.resized(nodes_.of(image.coordinates, axis), kBits, true);
      const Id size = nodes_.image_number(image.argument, kSizes[axis]);
      if (writes) {
        const Id before = nodes_.make(Op::less_signed, 1, at, zero), below = nodes_.make(Op::less_signed, 1, at, size);
        inside = nodes_.both(inside, nodes_.both(nodes_.negation(before), below));
      } else {
        const Id last = nodes_.make(Op::subtract, kBits, size, one, kNone, true);
        at = nodes_.make(Op::maximum_signed, kBits, at, zero);
        at = nodes_.make(Op::minimum_signed, kBits, at, last);
      }
      const Id bytes = nodes_.make(Op::multiply, kBits, at, nodes_.image_number(image.argument, kPitches[axis]));
      model.offset = nodes_.make(Op::add, kBits, model.offset, bytes);
    }
    model.repeat = nodes_.image_number(image.argument, offsetof(ImageNumbers, pixel));
    model.stride = 1;
    if (writes) {
      model.region = regions_.within(place_->region, inside);
      model.sure_width = place_->surely ? 1 : 0;
    }
  }
  symbolic_.accesses.push_back(model);
}

void Finder::add_what_is_missing() {
  for (Id i = 0; i < kernel_.arguments.size(); ++i) {
    const KernelArgument& argument = kernel_.arguments[i];
    if (argument.kind != ArgumentKind::global_buffer && argument.kind != ArgumentKind::constant_buffer) continue;
    Access missing;
    missing.argument = i;
    missing.reads = argument.may_read;
    missing.writes = argument.may_write;
    for (const Access& access : symbolic_.accesses) {
      if (access.argument != i) continue;
      if (access.reads) missing.reads = false;
      if (access.writes) missing.writes = false;
    }
    if (missing.reads || missing.writes) symbolic_.accesses.push_back(missing);
  }
}

// Evaluation takes its time for every access: each counts once, and where there are too many, those of the
// arguments with most of them become one that may be anywhere.
void Finder::bound() {
  std::vector<Access> once;
  for (const Access& access : symbolic_.accesses)
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
  symbolic_.accesses = std::move(once);
}

bool has_only_loops(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  return is_nest_of_loops(function, llvm::LoopInfo(dominators));
}

}  // namespace

footprint::SymbolicFootprint find_footprint(llvm::Function& function, const KernelFacts& kernel) {
  unroll_loops_over_private_arrays(function);
  if (!has_only_loops(function)) {
    footprint::SymbolicFootprint unknown;
    unknown.anything = true;
    return unknown;
  }
  footprint::SymbolicFootprint symbolic = Finder(function, kernel).run();
  footprint::prune(symbolic);
  // More would take too long at every launch.
  constexpr size_t kMostNodes = 4000, kMostRegions = 500;
  if (symbolic.nodes.size() > kMostNodes || symbolic.regions.size() > kMostRegions) symbolic.anything = true;
  if (symbolic.anything || !footprint::from_text(footprint::to_text(symbolic))) {
    symbolic = {};
    symbolic.anything = true;
  }
  return symbolic;
}

}  // namespace samcl::translator
