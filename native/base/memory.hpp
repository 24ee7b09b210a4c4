// What the allocator and the loader keep for later, given back to the system.
#pragma once

namespace plumb {

// What the allocator holds and nobody uses. For a thread that has had much to do and has nothing now; some
// milliseconds.
void give_back_memory();

// Pages of the program and its libraries that are mapped though they may never be needed again: most of what the start
// read, and its neighbours, which the system maps along. What is called again is mapped again from the system's own
// copy, 16 pages at a time; nothing is read from the disk as long as that copy is there. Below a millisecond. Nothing
// while a debugger is attached.
void give_back_code();

}  // namespace plumb
