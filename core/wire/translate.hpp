// A client's call for a provider of another wire.
//
//   Result<ModelRequest> request = translated_request(Wire::openai, body, Wire::anthropic);
//   // ... with the names of the settings that were left out in a list, where one is given
//   Result<std::string> to_upstream = request_body(Wire::anthropic, request.value(), options);
//
// Carried: system and developer messages, texts, images (by data and by address), calls of tools and their results,
// tools and the choice among them, parallel calls, the answer's format, and settings as the table of carried.hpp has
// it. A setting that says what the other side does anyway (`n: 1`, `logprobs: false`, null) needs no word. What is
// left out because nothing depends on it is in `lost`, by name; anything else that cannot be carried is an error
// that names it, with its place in the body. Nothing is dropped in silence but what is Plumbline's own (`plumb`), cache
// marks and signatures of thinking.
//
// With `upstream` equal to `client` it gives the neutral request of the same call, with all members that it has no
// field for in `extra`: what a repair of the answer is made from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/wire/model.hpp"

namespace plumb::wire {

Result<ModelRequest> translated_request(Wire client, std::string_view body, Wire upstream,
                                        std::vector<std::string>* lost = nullptr);

}  // namespace plumb::wire
