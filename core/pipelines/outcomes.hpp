// What a run of each pipeline has come to, read from its journal.
#pragma once

#include <optional>
#include <string_view>

#include "core/run/journal.hpp"
#include "core/run/outcome.hpp"

namespace plumb::pipelines {

// Of a journal that has its end.
run::Outcome outcome_of(const run::Journal& journal);

// The same from the end alone, for lists; nothing where the notes before it are needed too.
std::optional<run::Outcome> outcome_in(std::string_view pipeline, const run::Stored& end);

}  // namespace plumb::pipelines
