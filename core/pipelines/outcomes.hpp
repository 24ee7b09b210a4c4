// The outcome of a run, for each pipeline.
#pragma once

#include <optional>
#include <string_view>

#include "core/run/journal.hpp"
#include "core/run/outcome.hpp"

namespace plumb::pipelines {

// Computes the outcome from a journal that has its end, whatever that end stores. A machine writes it into the end.
run::Outcome came_to(const run::Journal& journal);

// The outcome that the end stores. Journals of earlier programs store none; for these, `came_to`.
run::Outcome outcome_of(const run::Journal& journal);

// The same from the end alone, for lists. Nothing if the end does not store it, so that the whole journal is needed.
std::optional<run::Outcome> outcome_in(std::string_view pipeline, const run::Stored& end);

}  // namespace plumb::pipelines
