// What samcl does when the process ends by exit() or by returning from main(): no job starts any more, those
// that run are waited for (drivers crash if a thread is inside them while they are taken down), and the
// report is written.
#pragma once

namespace samcl {

// Arranges for it, once; called after the driver was loaded, so that it comes before the driver's own end.
void arrange_process_end();

}  // namespace samcl
