// From a request to its answer, by the table of routes: the token, what a route takes, Idempotency-Key.
#pragma once

#include <optional>

#include "native/control/access.hpp"
#include "native/control/control.hpp"
#include "native/control/route_table.hpp"

namespace plumb::control {

// What is wrong with a request before any route is looked at: its Host, its Origin, what a browser says of the page
// that sends it.
std::optional<Answer> refuse_stranger(const Access& access, const Request& request);

// What is wrong with it for this route, before its body is read. Else the request has its `project`.
std::optional<Answer> refuse_early(const Access& access, const Route& route, Request& request);

// The body has been read. A key of a project is answered from what is the project's alone. Never with a problem: it is
// written out.
Answer dispatch(Control& all, const Route& route, const Request& request);

}  // namespace plumb::control
