// The provider `extract` as model calls see it: the reply to a model effect, made from its `task`.
//
//   Result<std::string> reply = reply_to(request);    // {"text": ..., "finish": "stop", "model": "extract", ...}
//
// A model effect says in `task` what the call is for: {"name": "artifact.plan", "kind": "quiz", "chunks": [...],
// "plan": {...}, "artifact": {...}, "verdict": {...}, "options": {"count", "depth"}}. Names: artifact.plan, .generate,
// .judge and .repair, and those of core/extract/research.hpp. The reply has the form of any model's; it cost no tokens.
#pragma once

#include <string>

#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::extract {

// The text of the answer, from a `task`; nullptr where a request has none.
Result<std::string> answer_to(const json::Value* task);

// `request` is the request of a model effect. An error where it has no task, or one that extract does not know, cannot
// read, or cannot do with this source.
Result<std::string> reply_to(const json::Value& request);

}  // namespace plumb::extract
