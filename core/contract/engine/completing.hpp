// Completes findings when their value has ended: with the value itself, its size, its place and the message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/contract/engine/containers.hpp"
#include "core/contract/engine/findings.hpp"
#include "core/json/positions.hpp"

namespace plumb::contract {

// The text as a JSON string.
std::string quoted(std::string_view text);
void set_start(Found& f, const json::Place& place);
// Sets what the value was: its kind, size, text and end. Call it after the value, or the whole text, has ended.
void describe(Engine& engine, Found& f);
void complete(Engine& engine, std::uint32_t index);
// Complete all findings that wait for the scalar, or for the container, that has just ended.
void complete_token(Engine& engine);
void complete_frame(Engine& engine, Frame& frame, std::uint64_t to);

}  // namespace plumb::contract
