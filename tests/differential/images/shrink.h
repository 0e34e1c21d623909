// Makes a sequence that fails shorter.
#pragma once

#include <functional>

#include "tests/differential/images/sequence.h"

namespace image_sequences {

// Deletes steps, a map together with its unmap, as long as `fails` says that what is left fails; asks at most `tries`
// times.
Sequence shrink(Sequence sequence, const std::function<bool(const Sequence&)>& fails, unsigned tries);

}  // namespace image_sequences
