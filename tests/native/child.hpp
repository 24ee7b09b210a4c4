// Children of a test that go on in its own code after fork(), without exec.
#pragma once

#include <sys/types.h>

namespace plumb::test {

// As fork(), once no other thread of this process runs: one that stops in the middle of an allocation would leave the
// child with a lock that nobody holds (ASan's allocator of clang 14 does not know of fork). Threads that rest for good
// do no harm. Waits 30 s at most, then fails the test.
pid_t fork_when_quiet();

}  // namespace plumb::test
