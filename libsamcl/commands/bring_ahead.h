// Brings to devices what the next launch will need of others, right behind the launch that writes it: a program that
// waits for each of its launches would else wait for that, too. A command of ours, in no queue, whose end nobody waits
// for; where it fails, so do the commands that come after what it does (Graph).
#pragma once

#include <CL/cl.h>

#include <memory>
#include <utility>
#include <vector>

#include "libsamcl/objects/command.h"
#include "libsamcl/objects/planner.h"
#include "libsamcl/program/kernel.h"

namespace samcl {

class BringAhead : public Command {
 public:
  // kernel: the one that needs it, in whose traffic it counts.
  explicit BringAhead(std::shared_ptr<Kernel> kernel) : kernel_(std::move(kernel)) {}

  void add(const std::shared_ptr<Storage>& memory, std::vector<Halo::Pass> passes) {
    bytes_.push_back({memory, std::move(passes)});
  }

  cl_int plan(Planner& planner, const std::shared_ptr<Event>& event) override;
  void ended(cl_int error) override;

 private:
  struct Bytes {
    std::shared_ptr<Storage> memory;
    std::vector<Halo::Pass> passes;
  };
  const std::shared_ptr<Kernel> kernel_;
  std::vector<Bytes> bytes_;
};

}  // namespace samcl
