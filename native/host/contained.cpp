#include "native/host/contained.hpp"

namespace plumb::host {

namespace {

// Containments of this thread, one in another. Process-wide state: a handler gets nothing else to know them by.
thread_local int depth = 0;

}  // namespace

Containment::Containment() { ++depth; }
Containment::~Containment() { --depth; }
// While another exception goes its way nothing can be thrown.
bool Containment::holds() { return depth > 0 && std::uncaught_exceptions() == 0; }

}  // namespace plumb::host
