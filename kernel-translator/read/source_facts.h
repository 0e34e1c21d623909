// What is found out about a kernel: samcl::KernelTranslation, as it grows from the worst that its source declares
// (source_functions.h) over what it reaches by calls (ndrange_rewriter.h) to what it does with memory (memory_use.h).
#pragma once

#include <algorithm>
#include <string>

#include "contract/translation.h"

namespace samcl::translator {

struct KernelFacts : KernelTranslation {
  KernelFacts() {
    splits_in_one_memory = true;
    depends_on_local_size = false;
  }

  // The first reason stands.
  void no_split(const std::string& why) {
    no_split_apart(why);
    splits_in_one_memory = false;
  }
  // Only where devices have memories of their own.
  void no_split_apart(const std::string& why) {
    if (why_not_split.empty()) why_not_split = why;
  }
  void no_slice(const std::string& why) {
    no_split(why);
    if (why_not_slice.empty()) why_not_slice = why;
  }

  // May be split and sliced as far as nothing was found against it.
  KernelTranslation judged() const {
    KernelTranslation kernel = *this;
    kernel.may_split = why_not_split.empty();
    kernel.may_slice = why_not_slice.empty();
    return kernel;
  }
};

// The kernel stores `width` bytes at once through the argument.
inline void note_store(KernelArgument& argument, uint32_t width) {
  argument.may_write = true;
  argument.store_width = argument.store_width == 0 ? width : std::min(argument.store_width, width);
}

}  // namespace samcl::translator
