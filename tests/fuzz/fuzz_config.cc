// The configuration.
#include <cstdint>
#include <string>

#include "sam-manager/daemon/config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  samcl::daemon::parse_config(std::string(reinterpret_cast<const char*>(data), size), "m.toml");
  return 0;
}
