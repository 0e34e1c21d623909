/* Optional: a program says where its jobs begin and end, for sam-profile and `sam-ctl status`. Without samcl (or with
   one that has neither a trace to write nor a manager) the calls do nothing, so a program may always make them. Nothing
   has to be linked: the marks are looked up by name where the program runs (with a C library older than glibc 2.34,
   link with -ldl). C99 and C++; any thread.

     samcl_job_begin();
     ... OpenCL calls of one job ...
     samcl_job_end();

   Marks of different jobs must not overlap. A call costs about a microsecond, some ten where a manager goes by
   deadlines. Where its task is to be held (sam-ctl register --hold), the begin of a job waits for what is being built,
   up to that limit, until a job has ended in which nothing was. Under a manager's policies k-exclusion and containers a
   job that is marked has a GPU to itself: its first OpenCL command, or its begin, waits for that, and its end gives it
   back. */
#ifndef SAMCL_SAMCL_H
#define SAMCL_SAMCL_H

/* NOLINTBEGIN(modernize-*): C as well */
#include <dlfcn.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls the function of that name that samcl brought into the process, if it did. */
static inline void samcl_call_if_present(const char* name) {
  void (*function)(void);
  void* found = dlsym(NULL, name); /* NULL: all libraries loaded at start, which strict C has no other name for */
  if (!found) return;
  memcpy(&function, &found, sizeof function);
  function();
}

static inline void samcl_job_begin(void) { samcl_call_if_present("samcl_mark_job_begin"); }
static inline void samcl_job_end(void) { samcl_call_if_present("samcl_mark_job_end"); }

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*) */

#endif
