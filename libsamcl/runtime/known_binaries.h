// Programs that keep their compiled binaries and load them at the next start (pyopencl, hashcat) never show
// their source again. So the source of each binary that a program takes from us is remembered on disk, beside
// the translations; a binary that comes back byte for byte is then translated and split like its source.
// Sources that include files are not remembered: the files may change.
//
// Threads: any.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace samcl {

// What a binary was made from.
struct BinaryOrigin {
  std::string source;
  std::string options;  // of clBuildProgram
};

void remember_binary(std::span<const unsigned char> binary, const BinaryOrigin& origin);

// nullopt if the binary is not one of those remembered.
std::optional<BinaryOrigin> origin_of(std::span<const unsigned char> binary);

}  // namespace samcl
