// Model calls as JSON, as runs ask for them and journals keep them (core/run/effect.hpp).
#pragma once

#include <string>

#include "core/json/value.hpp"
#include "core/result.hpp"
#include "core/wire/model.hpp"

namespace plumb::wire {

// What is asked: `phase`, `model`, `messages` (`role`, `content` as text or parts, `calls`, `call_id`, `tool_name`),
// `tools`
// (`name`, `description`, `parameters`, `strict`), `tool_choice` ("auto", "none", "required" or {"name"}), `format`
// ("json" or
// {"name", "schema", "strict"}), `temperature`, `output_tokens_max`, `stop`, `stream`, `calls_in_parallel`, and
// `extra`, whose members are passed to the provider. Other members are the host's (`contract`, `early_stop`) and are
// left alone. The error's `where` is a pointer.
Result<ModelRequest> read_model_request(const json::Value& request);

// The value of an `ok` reply of a model effect: `text`, `finish`, `model`, `usage`, and what else there is: `calls`,
// `thinking`, `refusal`.
void append_model_reply(std::string& out, const ModelReply& reply);

}  // namespace plumb::wire
