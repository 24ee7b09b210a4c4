// What a run of each pipeline has come to.
#pragma once

#include <optional>
#include <string_view>

#include "core/run/journal.hpp"
#include "core/run/outcome.hpp"

namespace plumb::pipelines {

// Worked out from a journal that has its end, whatever that end says of it. What a machine writes into the end.
run::Outcome came_to(const run::Journal& journal);

// What the end says; of a journal of an earlier program, whose end does not say it, `came_to`.
run::Outcome outcome_of(const run::Journal& journal);

// The same from the end alone, for lists; nothing where the end does not say it and the entries before it are needed.
std::optional<run::Outcome> outcome_in(std::string_view pipeline, const run::Stored& end);

}  // namespace plumb::pipelines
