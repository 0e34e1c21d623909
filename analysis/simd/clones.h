// SAMCL_CLONES before a function: compiled for several processors, the best for the one at hand chosen at
// start. Sanitizers come too late for such choices, and Clang inlines nothing of another processor's into a clone.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)
#define SAMCL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SAMCL_CLONES
#endif
