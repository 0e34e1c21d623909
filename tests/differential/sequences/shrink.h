// Finds a short sequence with small sizes that still fails, by deleting steps and simplifying what is left.
#pragma once

#include <functional>

#include "tests/differential/sequences/sequence.h"

namespace sequences {

// Whether the sequence still fails in the way that is looked for.
using Fails = std::function<bool(const Sequence&)>;

// `fails` must hold for `sequence`; it holds for what is returned. It is asked at most `most_tries` times.
Sequence shrink(Sequence sequence, const Fails& fails, unsigned most_tries);

}  // namespace sequences
