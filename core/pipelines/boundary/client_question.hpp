// What a boundary asks a client program in place of a model: a typed question, never a prompt.
//
//   run::Data request = judge_question(items, rules, context, cycle);     // the request of a model effect
//   Result<run::Reply> reply = client_reply(request.value(), answer);     // what the client answered
//
// The question is the request's member `question`:
//
//   {"what": "judge", "cycle": 0, "items": [{"id", "name"?, "item"}], "rules": [{"id", "title"?, "ask"}], "context"?}
//   {"what": "revise", "cycle": 1, "id", "name"?, "item", "rejection": {"rule", "reason", "suggestion"?, "action"?,
//    "unusable"?}, "upstream"}
//
// An answer is one of these objects, each of which may have `usage` {"input_tokens", "output_tokens"}:
//
//   {"rejected": [{"id", "rule", "reason", "suggestion"?}], "accepted"?: [id]}    to `judge`
//   {"item": ITEM} or {"items": [ITEM]}                                          to `revise`
//   {"error": "why there is no answer"}                                         to both: the call has failed
//
// `id` in an answer is an item's id, or a name that no other item of the question has.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/run/boundary.hpp"

namespace plumb::pipelines {

// A rule of a contract, as far as a boundary uses it.
struct BoundaryRule {
  std::string id, title, ask, action;
};

run::Data judge_question(std::span<const run::BoundaryItem* const> items, const std::vector<BoundaryRule>& rules,
                         std::string_view context, std::size_t cycle);
run::Data revise_question(const run::BoundaryItem& item, const run::Rejection& why, std::string_view unusable,
                          std::size_t cycle);

// The reply of a model that would say the same. An error, `invalid_argument` with the member, if the answer has none of
// these forms.
Result<run::Reply> client_reply(const json::Value& request, const json::Value& answer);
// The reply where there is no answer: the call has failed. `why` is one sentence.
run::Reply client_failure(const json::Value& request, std::string_view why, const json::Value* answer = nullptr);

}  // namespace plumb::pipelines
