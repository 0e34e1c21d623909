// What samcl does when the process ends by exit() or by returning from main(): no thread of ours starts a job any
// more, those that run are waited for (drivers crash if a thread is inside them while they are taken down), and the
// report and the trace are written. The program may still call OpenCL in what runs after that (exit handlers that it
// registered before it used OpenCL): the thread that ends the process then does the work itself.
//
// And what it does when the main thread ends by pthread_exit() and leaves the process to others: our threads end when
// they have no work, since the process ends with its last thread. That is seen if the main thread has made a context.
#pragma once

namespace samcl {

// Arranges for it; called for each context, after the driver was loaded, so that it comes before the driver's
// own end: if the main thread has made a context and ends the process, before whatever was arranged since.
void arrange_process_end();

// Called by a thread of ours before it uses a driver's compiler, which the program has used by then: compilers arrange
// their end when they are first used, and what is arranged last comes first.
void arrange_compilers_end();

// While one lives a compiler of a driver's is at work for us: the end of the process waits for that, also where the
// context is about to be destroyed by another thread.
class Compiling {
 public:
  Compiling();
  ~Compiling();
  Compiling(const Compiling&) = delete;
  Compiling& operator=(const Compiling&) = delete;
};

}  // namespace samcl
