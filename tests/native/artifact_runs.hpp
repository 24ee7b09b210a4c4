// Runs of the artifact pipeline with the built-in provider, for the kill matrix and the benchmark of runs.
#pragma once

#include <memory>
#include <string>

#include "core/pipelines/pipelines.hpp"
#include "native/host/fulfil.hpp"

namespace plumb::test {

// Model effects answered by `extract`.
std::unique_ptr<host::Fulfiller> extract_fulfiller();
// A quiz of two questions from the example chapter, passed on though the judge does not settle it. No fingerprint.
pipelines::Prepared prepared_quiz();

}  // namespace plumb::test
