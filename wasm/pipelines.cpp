#include "wasm/pipelines.hpp"

namespace plumb::wasm {

std::span<const pipelines::Known> module_pipelines() { return pipelines::known_pipelines(); }

}  // namespace plumb::wasm
