// The commands that move a buffer's bytes, as plans: where they go or come from, and what the directory says
// afterwards. Arguments are checked by the API; rectangles and offsets are relative to the given buffer.
#pragma once

#include <memory>
#include <vector>

#include "base/rectangle.h"
#include "libsamcl/objects/buffer.h"
#include "libsamcl/objects/command.h"

namespace samcl {

using BufferPtr = std::shared_ptr<Buffer>;
using CommandPtr = std::shared_ptr<Command>;

// `host` describes rows of host memory relative to `to` or `from`.
CommandPtr read_rectangle(BufferPtr buffer, Rectangle rectangle, Rectangle host, void* to);
CommandPtr write_rectangle(BufferPtr buffer, Rectangle rectangle, Rectangle host, const void* from);
CommandPtr copy_rectangle(BufferPtr from, BufferPtr to, Rectangle source, Rectangle target);

CommandPtr read_buffer(BufferPtr buffer, uint64_t offset, uint64_t bytes, void* to);
CommandPtr write_buffer(BufferPtr buffer, uint64_t offset, uint64_t bytes, const void* from);
CommandPtr copy_buffer(BufferPtr from, BufferPtr to, uint64_t from_offset, uint64_t to_offset, uint64_t bytes);
CommandPtr fill_buffer(BufferPtr buffer, uint64_t offset, uint64_t bytes, std::vector<std::byte> pattern);

// Brings the mapped bytes to the host copy.
CommandPtr map_buffer(BufferPtr buffer, Rectangle rows_of_storage, cl_map_flags flags);
CommandPtr unmap_buffer(BufferPtr buffer, Buffer::Mapping mapping);

}  // namespace samcl
