#include "tests/runs/pipelines.hpp"
#include "wasm/pipelines.hpp"

namespace plumb::wasm {

std::span<const pipelines::Known> module_pipelines() { return test::run_pipelines(); }

}  // namespace plumb::wasm
