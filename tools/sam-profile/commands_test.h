// Commands and jobs for the tests, at times written out.
#pragma once

#include "tools/sam-profile/jobs.h"

namespace samcl::profile {

// CL_COMMAND_WRITE_BUFFER, _NDRANGE_KERNEL and _READ_BUFFER.
inline constexpr unsigned kWrite = 0x11F4, kKernel = 0x11F0, kRead = 0x11F3;

inline Span link(unsigned device, Time begin, Time end, unsigned pieces = 1, Time longest = 0) {
  return {SpanKind::link, device, begin, end, 100, pieces, pieces == 1 ? end - begin : longest};
}
inline Span gpu(unsigned device, Time begin, Time end, unsigned pieces = 1, Time longest = 0) {
  return {SpanKind::gpu, device, begin, end, 0, pieces, pieces == 1 ? end - begin : longest};
}
inline Span merging(unsigned device, Time begin, Time end) {
  return {SpanKind::host, device, begin, end, 0, 1, end - begin};
}

inline Command transfer(unsigned type, Time begin, Time end) { return {type, "", begin, end, {link(0, begin, end)}}; }
inline Command launch(const std::string& kernel, Time begin, Time end) {
  return {kKernel, kernel, begin, end, {gpu(0, begin, end)}};
}

}  // namespace samcl::profile
