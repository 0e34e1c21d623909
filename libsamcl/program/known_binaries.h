// Programs that keep their compiled binaries and load them at the next start (pyopencl, hashcat) never show
// their source again. So what each binary that a program takes from us was made from is remembered on disk,
// beside the translations; a binary that comes back byte for byte is then translated and split like its source.
//
// Threads: any.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "libsamcl/program/build_specification.h"

namespace samcl {

// What a binary was made from.
struct BinaryOrigin {
  std::shared_ptr<const BuildSpecification> specification;
  std::vector<IncludedFile> includes;  // as they were then; a translation with others is not the binary's
};

void remember_binary(std::span<const unsigned char> binary, const BinaryOrigin& origin);

// nullopt if the binary is not one of those remembered.
std::optional<BinaryOrigin> origin_of(std::span<const unsigned char> binary);

}  // namespace samcl
