// The devices that programs named: each name has an index while a program uses it. Pure logic.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace samcl::daemon {

class Devices {
 public:
  // The index of each name, made where it is new; the index of a device that no program uses may become
  // another name's. None, and nothing changed: there are too many in use.
  std::optional<std::vector<uint8_t>> indices(const std::vector<std::string>& names,
                                              const std::function<bool(uint8_t)>& in_use);

  const std::vector<std::string>& names() const { return names_; }  // by index

 private:
  std::vector<std::string> names_;
};

}  // namespace samcl::daemon
