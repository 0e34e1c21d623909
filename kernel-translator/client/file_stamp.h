// What a file held when a source was read: by it an answer that depended on the file is known to be stale.
#pragma once

#include <string>
#include <string_view>

namespace samcl {

// Of these bytes: their number and a hash of 128 bits.
std::string stamp_of_bytes(std::string_view bytes);

// Of what stands at a path, relative to the process's folder: a file's contents, or "absent", "folder", "special".
// Neither times nor sizes tell whether a header is the same: archives and copies keep them.
std::string stamp_of_path(const std::string& path);

// Whether the stamp is that of a file's contents.
bool is_of_contents(const std::string& stamp);

// Of a program too large to be read at each start: where it lies on its disk, its size and its times.
std::string stamp_of_program(const std::string& path);

}  // namespace samcl
