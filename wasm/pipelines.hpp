// The pipelines that the module of runs knows: those that are built in (wasm/pipelines.cpp). The tests link the module
// with a table of their own instead (tests/wasm/pipelines.cpp).
#pragma once

#include <span>

#include "core/pipelines/pipelines.hpp"

namespace plumb::wasm {

std::span<const pipelines::Known> module_pipelines();

}  // namespace plumb::wasm
