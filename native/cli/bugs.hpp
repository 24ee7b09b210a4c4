// What the command says and does about a bug of its own: it names the broken assumption, asks for a report and ends
// with exit code 2, never with a core dump or a stack trace.
#pragma once

#include "core/result.hpp"

namespace plumb::cli {

// For PLUMB_REQUIRE and for exceptions that nothing handles.
void install_bug_handlers();

// An error that only a bug of ours can have made: told with the sentence that asks for a report. Gives exit code 2.
int fail_by_a_bug(const Error& error);

// The sentence that asks for a report, on standard error.
void ask_for_a_report();

}  // namespace plumb::cli
