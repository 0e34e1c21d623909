#include "tests/differential/images/sequence.h"

#include <algorithm>

namespace image_sequences {
namespace {

std::string text(const Triple& triple) {
  return std::to_string(triple[0]) + "," + std::to_string(triple[1]) + "," + std::to_string(triple[2]);
}

std::string text(Access access) {
  switch (access) {
    case Access::read: return "read";
    case Access::write: return "write";
    case Access::read_write: return "read_write";
    default: return "invalidate";
  }
}

std::string text(const Object& object) {
  std::string line(name(object.kind));
  if (!is_image(object.kind)) {
    line += " of " + std::to_string(object.bytes()) + " bytes";
  } else {
    line += " " + std::string(name(object.format)) + " " + text(object.size);
    if (object.kind == Kind::image1d_buffer) line += " of object " + std::to_string(object.buffer);
  }
  if (object.home == Home::copy_host) line += " copy_host";
  if (object.home == Home::use_host) line += " use_host";
  if (object.row_pitch) line += " row_pitch=" + std::to_string(object.row_pitch);
  if (object.slice_pitch) line += " slice_pitch=" + std::to_string(object.slice_pitch);
  return line;
}

void host_side(std::string& line, const Step& step) {
  line += " at=" + text(step.origin) + " region=" + text(step.region);
  if (step.row_pitch) line += " row_pitch=" + std::to_string(step.row_pitch);
  if (step.slice_pitch) line += " slice_pitch=" + std::to_string(step.slice_pitch);
}

void launch(std::string& line, const Step& step) {
  line += " " + std::string(name(step.kernel)) + " to=" + std::to_string(step.to);
  switch (step.kernel) {
    case Kernel::own:
    case Kernel::linear: break;
    case Kernel::scatter: line += " table=" + std::to_string(step.table); break;
    case Kernel::gather: line += " from=" + std::to_string(step.from) + " table=" + std::to_string(step.table); break;
    case Kernel::two: line += " also=" + std::to_string(step.also); [[fallthrough]];
    default: line += " from=" + std::to_string(step.from); break;
  }
  if (step.count) line += " count=" + std::to_string(step.count);
  if (!step.count) line += " start=" + text(step.origin) + " range=" + text(step.region);
  line += " local=" + text(step.local);
  if (step.kernel == Kernel::neighbours)
    line += " shift=" + std::to_string(step.shift[0]) + "," + std::to_string(step.shift[1]) + "," +
            std::to_string(step.shift[2]);
}

}  // namespace

std::string_view name(Kind kind) {
  constexpr std::array<std::string_view, 8> kNames{"buffer",  "table",         "image1d", "image1d_array",
                                                   "image2d", "image2d_array", "image3d", "image1d_buffer"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name(StepKind kind) {
  constexpr std::array<std::string_view, 14> kNames{
      "write", "read",         "copy",        "image_to_buffer", "buffer_to_image", "fill",  "map",
      "unmap", "write_buffer", "read_buffer", "fill_buffer",     "launch",          "renew", "finish"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name(Kernel kernel) {
  constexpr std::array<std::string_view, 9> kNames{"own",     "linear", "neighbours", "conditional", "two",
                                                   "scatter", "gather", "to_buffer",  "from_buffer"};
  return kNames[static_cast<size_t>(kernel)];
}

std::string text(const Step& step) {
  std::string line(name(step.kind));
  const std::string to = " to=" + std::to_string(step.to), from = " from=" + std::to_string(step.from);
  switch (step.kind) {
    case StepKind::write:
    case StepKind::fill:
      line += to;
      host_side(line, step);
      break;
    case StepKind::map:
    case StepKind::unmap:
      line += to;
      host_side(line, step);
      line += " number=" + std::to_string(step.number) + " access=" + text(step.access);
      break;
    case StepKind::read:
      line += from;
      host_side(line, step);
      break;
    case StepKind::copy:
      line += to + from + " at=" + text(step.origin) + " from_at=" + text(step.from_origin) +
              " region=" + text(step.region);
      break;
    case StepKind::image_to_buffer:
    case StepKind::buffer_to_image:
      line += to + from + " at=" + text(step.origin) + " region=" + text(step.region) +
              " offset=" + std::to_string(step.offset);
      break;
    case StepKind::write_buffer:
    case StepKind::fill_buffer:
      line += to + " offset=" + std::to_string(step.offset) + " bytes=" + std::to_string(step.bytes);
      break;
    case StepKind::read_buffer:
      line += from + " offset=" + std::to_string(step.offset) + " bytes=" + std::to_string(step.bytes);
      break;
    case StepKind::launch: launch(line, step); break;
    case StepKind::renew: line += to; break;
    case StepKind::finish: break;
  }
  line += " queue=" + std::to_string(step.queue);
  if (step.ties_by_finish) line += " ties_by_finish";
  if (!step.blocking) line += " not_blocking";
  return line + " seed=" + std::to_string(step.seed);
}

std::string text(const Sequence& sequence) {
  std::string all;
  for (size_t i = 0; i < sequence.objects.size(); ++i)
    all += "object " + std::to_string(i) + ": " + text(sequence.objects[i]) + "\n";
  for (size_t i = 0; i < sequence.steps.size(); ++i)
    all += "step " + std::to_string(i) + ": " + text(sequence.steps[i]) + "\n";
  return all;
}

HostLayout host_layout(Format format, const Triple& region, size_t row_pitch, size_t slice_pitch) {
  HostLayout layout{};
  layout.row = row_pitch ? row_pitch : region[0] * pixel_bytes(format);
  layout.slice = slice_pitch && region[2] > 1 ? slice_pitch : layout.row * region[1];
  layout.bytes = layout.at(region[1] - 1, region[2] - 1) + region[0] * pixel_bytes(format);
  return layout;
}

bool changes_row(Access access, size_t y, size_t z) {
  switch (access) {
    case Access::read: return false;
    case Access::invalidate: return true;
    default: return (y + z) % 2 == 0;
  }
}

}  // namespace image_sequences
