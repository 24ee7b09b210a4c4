// Findings are completed when their value has ended: what it was, how large, where, and the message.
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
// What the value was: its kind, size, text and end. The value has ended, or the text has.
void describe(Engine& engine, Found& f);
void complete(Engine& engine, std::uint32_t index);
// All that waits for the scalar, or for the container, that has just ended.
void complete_token(Engine& engine);
void complete_frame(Engine& engine, Frame& frame, std::uint64_t to);

}  // namespace plumb::contract
