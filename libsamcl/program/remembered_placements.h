// Where a program's memory objects were needed (coherence/placements.h), kept on disk beside the translations for the
// next process that runs the same program with the same arguments on devices like these.
#pragma once

#include <memory>

#include "libsamcl/objects/context.h"

namespace samcl {

// Begins to foresee with what is remembered, where bytes have to move between a context's devices. Before the first
// memory object.
void recall_placements(Context& context);

// Keeps these, on a thread of its own; none: as if nothing had been kept. Any thread.
void remember_placements(const std::shared_ptr<Context>& context, Placements::ByNumber all);

// What was kept has not helped: no process foresees anything again. Any thread.
void forget_placements(const std::shared_ptr<Context>& context);

}  // namespace samcl
