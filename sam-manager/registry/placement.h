// Which devices a program uses: the least loaded of those it may use. Utilisations are not known, so load is
// a number of programs. Pure logic.
//
// A program loads each device it uses by one, and the first of them by one more: work that can't be spread
// runs there. What delays a program are others that are at least as urgent, so these count first, and all
// others only between devices that are equal in that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace samcl::registry {

// A program that has its devices.
struct Tenant {
  int priority = 0;
  std::vector<uint8_t> devices;  // that it uses, the first one first
};

// The devices of a program of that priority, best first; equally loaded ones stay in the order given.
// `devices` and tenants name devices by the same numbers. Returns positions in `devices`.
std::vector<uint8_t> order_by_load(const std::vector<uint8_t>& devices, int priority,
                                   const std::vector<Tenant>& tenants);

// The positions in `announced` that a task's affinity names: by a position ("0") or by a device's name. What the
// program does not have is left out; all positions if that leaves none, or nothing is wished.
std::vector<uint8_t> affine_positions(const std::vector<std::string>& affinity,
                                      const std::vector<std::string>& announced);

// Of two numbers of GPUs of which 0 stands for all, the smaller.
uint32_t fewer_gpus(uint32_t a, uint32_t b);

}  // namespace samcl::registry
