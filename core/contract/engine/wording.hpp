// What findings say: pointers, item labels, messages of the contract and our own.
#pragma once

#include <cstdint>
#include <string>

#include "core/contract/engine/findings.hpp"

namespace plumb::contract {

inline constexpr std::size_t shown_max = 200;  // code points of a value in a finding

// The JSON Pointer to what is open, as far as `tokens` reach.
std::string pointer_of(const Engine& engine, std::uint32_t tokens);
// The item label nearest to an instance, from it upwards; in `prefix` too where the label goes before messages.
std::string nearest_label(const Engine& engine, std::uint32_t at, std::string* prefix);
// A message of the contract, about a finding (or none), at an instance so many tokens deep.
std::string render(const Engine& engine, const MessageTemplate& text, const Found* f, std::uint32_t at);
std::string default_message(const Found& f);

}  // namespace plumb::contract
