// A client's call for a provider of another wire.
//
//   Result<ModelRequest> request = translated_request(Wire::openai, body, Wire::anthropic);
//   Result<std::string> to_upstream = request_body(Wire::anthropic, request.value(), options);
//
// Carried: system and developer messages, texts, images (by data and by address), calls of tools and their results,
// tools and the choice among them, parallel calls, the answer's format, stop, temperature, the token limit, stream, and
// those settings for which both sides have a word (top_p, top_k, seed, user, penalties, reasoning effort for Ollama's
// `think`). A setting that says what the other side does anyway (`n: 1`, `logprobs: false`, null) needs no word. What
// cannot be carried is an error that names it, with its place in the body; nothing is dropped in silence, but for what
// is Plumbline's own (`plumb`) and what only concerns the provider's books (`store: false`, `service_tier: "auto"`,
// cache marks, signatures of thinking).
//
// With `upstream` equal to `client` it gives the neutral request of the same call, with all members that it has no
// field for in `extra`: what a repair of the answer is made from.
#pragma once

#include <string_view>

#include "core/result.hpp"
#include "core/wire/model.hpp"

namespace plumb::wire {

Result<ModelRequest> translated_request(Wire client, std::string_view body, Wire upstream);

}  // namespace plumb::wire
