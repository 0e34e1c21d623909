// Makes of kernels variants that run many launches at once: launches that differ in integers alone which grow by the
// same from one to the next, as where a loop of the host goes through the planes of a volume. The place in the third
// dimension says which launch a work-item belongs to:
//
//   kernel void k(global int* p, int z) { p[z] = 1; }
//   kernel void k(global int* p, int samcl_first_z, ulong samcl_step_z)
//   { int z = (int)(samcl_first_z + samcl_step_z * get_global_id(2)); p[z] = 1; }
#pragma once

#include <string>
#include <vector>

#include "kernel-translator/read/source_facts.h"
#include "kernel-translator/rewrite/linked_functions.h"
#include "kernel-translator/rewrite/source_edits.h"

namespace samcl::translator {

class Gathering {
 public:
  // The program has no error and must outlive it.
  explicit Gathering(const LinkedFunctions& program) : program_(program), prefix_(unused_prefix(program.sources())) {}

  // Fills in the gathers_by of those whose text is one that can become a variant's. Whether the variant does the same
  // is found out from their IR (judge/gathered_launches.h).
  void find_gatherable(std::vector<KernelFacts>& kernels) const;

  // Each source with the variants of those that have gathers_by; empty if there are none, a text can't be changed, or
  // holds a name that its build options would strike a second time.
  std::vector<std::string> variants(const std::vector<KernelFacts>& kernels) const;

 private:
  using Id = LinkedFunctions::Id;

  bool is_gatherable(const Id& kernel) const;
  bool is_named(const Id& kernel) const;
  bool edit(const Id& kernel, SourceEdits& edits) const;
  std::vector<Id> kernels_named(const std::string& name) const;

  const LinkedFunctions& program_;
  std::string prefix_;  // of the names that we add
};

}  // namespace samcl::translator
