// The artifact of a run as a file of another program (core/exports/exports.hpp).
#pragma once

#include <string>
#include <string_view>

#include "core/exports/exports.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/result.hpp"
#include "core/run/journal.hpp"

namespace plumb::outcome {

// `name` is what a user wrote; the error lists the formats.
Result<const exports::Format*> export_format(std::string_view name);

// `delivered` is what deliverable() gave for the run, so nothing but an accepted artifact is exported. An error where
// the run is not one of `artifact`, or the format is for another type.
Result<std::string> exported(const pipelines::Known& known, const run::Journal& journal, std::string_view delivered,
                             const exports::Format& format);

// What a reader of the file must know and the file does not say: "not verified by a judge". Empty for an artifact
// that was accepted whole.
std::string export_mark(const run::Journal& journal);

}  // namespace plumb::outcome
