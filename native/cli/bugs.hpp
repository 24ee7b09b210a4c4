// What the command says and does about a bug of its own: it names the broken assumption, asks for a report and ends
// with exit code 2, never with a core dump or a stack trace.
#pragma once

namespace plumb::cli {

// For PLUMB_REQUIRE and for exceptions that nothing handles.
void install_bug_handlers();

// The sentence that asks for a report, on standard error.
void ask_for_a_report();

}  // namespace plumb::cli
