// How much there may be of everything that daemon and clients speak of.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samcl::protocol {

constexpr int kVersion = 14;          // of what daemon and clients say to each other, and of the memory they share
constexpr uint32_t kMaxDevices = 32;  // of one program
constexpr uint32_t kMaxKnownDevices = 128;   // of all programs
constexpr uint32_t kResourcesPerDevice = 2;  // in the order of lease::ResourceKind: gpu, link
constexpr uint32_t kMaxResources = kMaxKnownDevices * kResourcesPerDevice;
constexpr uint32_t kMaxPrograms = 1024;
constexpr size_t kNameBytes = 64;  // with a final zero
constexpr size_t kPathBytes = 256;
constexpr size_t kMaxProfileBytes = 1 << 18;
constexpr size_t kMaxDocumentBytes = kMaxProfileBytes + (1 << 16);
constexpr int kMemoryWaitMs = 2000;  // a task's program waits for others to give back what the task reserved
constexpr int kMaxNesting = 32;      // of arrays and objects in a document

}  // namespace samcl::protocol
