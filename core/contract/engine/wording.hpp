// Wording of findings: pointers, item labels, and messages, the contract's or the engine's own.
#pragma once

#include <cstdint>
#include <string>

#include "core/contract/engine/findings.hpp"

namespace plumb::contract {

inline constexpr std::size_t shown_max = 200;  // code points of a value that a finding shows

// The JSON Pointer of the open instance with this many tokens.
std::string pointer_of(const Engine& engine, std::uint32_t tokens);
// The nearest item label at or above an instance. Also sets `prefix` if the label goes before messages.
std::string nearest_label(const Engine& engine, std::uint32_t at, std::string* prefix);
// A message of the contract, about a finding or nullptr, at an instance with this many tokens.
std::string render(const Engine& engine, const MessageTemplate& text, const Found* f, std::uint32_t at);
std::string default_message(const Found& f);

}  // namespace plumb::contract
