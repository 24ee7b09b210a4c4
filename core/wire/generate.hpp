// Ollama's /api/generate: a prompt instead of messages.
//
//   Result<std::string> chat = chat_of_generate(body);   // the body of the /api/chat that asks the same
//
// `prompt` becomes a message of the user, `system` one before it, and `images` belong to the prompt. All other members
// stay as they are. Refused, with the place, is what a chat cannot say: a template, a context, a suffix, `raw`, and a
// request without a prompt, which only loads a model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace plumb::wire {

Result<std::string> chat_of_generate(std::string_view body, std::uint32_t depth_max = 128);

}  // namespace plumb::wire
