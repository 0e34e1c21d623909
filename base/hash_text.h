// A hash of 128 bits (FNV-1a) as 32 hexadecimal digits: it tells contents apart, but not from what somebody made alike.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace samcl {

inline std::string hash_text(std::string_view bytes) {
  __extension__ using Hash = unsigned __int128;
  constexpr Hash kBasis = (Hash{0x6c62272e07bb0142} << 64) | 0x62b821756295c58d, kPrime = (Hash{1} << 88) | 0x13b;
  Hash hash = kBasis;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash >> 64),
                static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace samcl
