// The messages between the daemon and its clients: fixed in size, versioned, checked before they are
// believed. Programs send acquire, release and adopt without waiting for an answer; everything else is
// answered in the sender's reply queue. Strings end with a zero inside their array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "libsamcl/result.h"

namespace samcl::protocol {

constexpr uint32_t kMagic = 0x4c434d53;  // "SMCL"
constexpr uint16_t kVersion = 3;
constexpr uint32_t kMaxDevices = 32;
constexpr uint32_t kResourcesPerDevice = 2;  // in the order of lease::ResourceKind: gpu, pcie
constexpr uint32_t kMaxResources = kMaxDevices * kResourcesPerDevice;
constexpr uint32_t kMaxClients = 64;
constexpr size_t kNameBytes = 64;  // with the final zero
constexpr size_t kPathBytes = 256;
constexpr uint32_t kMaxProfileBytes = 1 << 18;

enum class Kind : uint16_t {
  hello,     // a program connects: task, devices, the most GPUs it uses
  goodbye,   // it leaves; what it holds is granted on
  acquire,   // it waits for `resource`; `sequence` comes back in its grant word
  release,   // it gives back `resource`, which someone waits for
  adopt,     // `tid` is to run with the task's priority
  enroll,    // sam-ctl register; `devices`: those the task may use
  withdraw,  // sam-ctl unregister
  list,      // sam-ctl list: an answer in pieces, from byte `offset`
  status,    // sam-ctl status: likewise
  analysis,  // sam-ctl analyze: likewise
  profile,   // a piece of the profile for the enroll that follows, from byte `offset`
  reply,
};

struct Header {
  uint32_t magic = kMagic;
  uint16_t version = kVersion;
  Kind kind = Kind::hello;
  int32_t pid = 0;
  uint32_t client = 0;  // as given in the reply to hello; 0: not connected
  uint64_t sequence = 0;
};

struct Request {
  Header header;
  uint32_t resource = 0;
  int32_t tid = 0;
  uint32_t again = 0;  // adopt: 1: another daemon gave the thread a priority before
  uint32_t offset = 0;
  int32_t priority = 0;
  uint64_t period_ns = 0;
  uint64_t deadline_ns = 0;
  uint64_t start_time = 0;  // hello: process_start_time() of the sender
  uint32_t gpus = 0;        // 0: as many as there are
  uint32_t device_count = 0;
  uint32_t strict = 0;         // enroll: 1: refuse what would break a guarantee
  uint32_t profile_bytes = 0;  // enroll, profile: of the whole profile; 0: none
  uint32_t length = 0;         // profile: bytes of it in `text`
  char task[kNameBytes] = {};
  char match[kPathBytes] = {};
  union {
    char devices[kMaxDevices][kNameBytes] = {};
    char text[kMaxDevices * kNameBytes];  // profile
  };
};

struct Reply {
  Header header;
  uint32_t refused = 0;               // 1: `text` says why
  uint32_t total = 0;                 // bytes of the whole answer
  uint32_t length = 0;                // bytes of it in `text`
  uint8_t devices[kMaxDevices] = {};  // hello: the daemon's index for each device announced
  char text[3072] = {};
};

static_assert(sizeof(Request) <= 4096 && sizeof(Reply) <= 4096, "must fit the system's default message size");

// Whether `bytes` of what was received are a request that can be acted upon; the error says what is wrong.
Result<void> check(const Request& request, size_t bytes);

// Whether they are the reply to the request with that sequence number.
Result<void> check(const Reply& reply, size_t bytes, uint64_t sequence);

// Copies a string that fits, with its final zero; false if it does not fit.
bool store(std::string_view text, char* target, size_t bytes);

template <size_t N>
bool store(std::string_view text, char (&target)[N]) {
  return store(text, target, N);
}

}  // namespace samcl::protocol
