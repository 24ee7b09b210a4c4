// What the routes of jobs and of runs share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/writer.hpp"
#include "native/control/control.hpp"

namespace plumb::control {

// ?limit= and ?cursor= of a list. A cursor is the number of a run, which counts those of all; so for a project it is
// the run's id instead.
struct PageAsked {
  store::ListQuery query;
  std::optional<Answer> refused;
};
PageAsked page_asked(Control& control, const Request& request, std::size_t limit_max);
// `next_cursor`, where `next`, the number of the last of `runs`, is not 0.
void write_next(json::Writer& json, const Control& control, std::uint64_t next, const std::vector<store::RunRow>& runs);

// A page of the list of runs.
Answer page_answer(Control& control, const store::ListQuery& query);
// The members that every run has.
void write_row(json::Writer& json, const store::RunRow& row);

// GET /v1/runs/{id}.
Answer run_answer(Control& control, const std::string& id, int status);
// What the pipeline shows of its journal.
Answer view_answer(Control& control, const pipelines::Known& known, const std::string& id, int status);

// Cancels, and waits a little for the end. Nothing: it is cancelled, or will be; a second cancel is no error.
std::optional<Answer> cancel_run(Control& control, const std::string& id, std::string_view why);

}  // namespace plumb::control
