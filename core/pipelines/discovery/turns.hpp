// Who speaks in an export of conversations. What agents say is left out, so that no pattern and no evidence is theirs.
// Internal to this folder.
#pragma once

#include <string>
#include <string_view>

#include "core/json/value.hpp"

namespace plumb::pipelines::discovery {

// A turn of those who answer, as exports mark it: {"author": "agent"}, {"author": {"type": "admin"}}, a column `role`
// with "Support agent", {"direction": "outbound"}.
bool is_agents(const json::Value& turn);

// A transcript without what agents say: a line "Agent: ..." or "Ben (Support): ..." begins a turn of theirs, however
// many paragraphs it has, and a line "User: ..." ends it. A text that has not both stays as it is.
std::string without_agents(std::string_view transcript);

// What people said in a record, turn by turn, without what agents answered; nothing where only agents spoke. Turns
// stand in lists under the names that exports give them, behind the text that opened the conversation; HTML is read as
// text.
struct SaidIn {
  std::string text;
  bool agents = false;  // an agent spoke
};
SaidIn said_in(const json::Value& record);

}  // namespace plumb::pipelines::discovery
