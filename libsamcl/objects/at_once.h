// Bytes that a device has, brought to host memory all at once: while they are on their way, and if the device is lost
// meanwhile, host memory has what it had.
#pragma once

#include <functional>
#include <vector>

#include "libsamcl/objects/bytes.h"

namespace samcl {

class Context;
class Planner;
struct Traffic;

// Enters the operation that does it. Directories are left to whoever calls. traffic: lives as long as what `arrived`
// holds, which is called when all of them are there, by the thread that brought them.
void bring_at_once(Planner& planner, const Context& context, unsigned device, std::vector<Bytes> what, Traffic& traffic,
                   std::function<void()> arrived);

}  // namespace samcl
