// Rules about the text of one string, judged when it has ended.
#pragma once

#include <cstdint>

namespace plumb::contract {

struct Engine;

void check_text_rules(Engine& engine, std::uint32_t index);

}  // namespace plumb::contract
