// A boundary around two functions, as one call: for hosts without a store, such as libplumbline.
//
//   BoundaryFunctions functions;
//   functions.judge = [](std::string_view question) { return std::string(R"({"rejected": []})"); };
//   Result<BoundaryCall> called = call_boundary(request, {}, functions, clock);
//   called.value().envelope;                                        // what `plumb boundary --envelope` writes
//
// Questions and answers are those of client_question.hpp, as JSON text. The functions are called one after another, in
// the order of the questions. An answer that is empty, is not JSON or has another form means that the call has failed.
// Without a function, `otherwise` answers, as the provider `extract`: rules with `ask` are then not judged.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/pipelines/pipelines.hpp"
#include "core/run/effect.hpp"

namespace plumb::pipelines {

using ClientFunction = std::function<std::string(std::string_view question)>;

struct BoundaryFunctions {
  ClientFunction judge, revise;  // may be empty
  std::function<run::Reply(const json::Value& request)> otherwise;
};

struct BoundaryCall {
  std::string envelope;  // JSON
  std::string journal;   // a journal file (core/run/journal_file.hpp)
};

// `request`: as boundary_pipeline.hpp has it, without `judge`, `revise` and `providers`. `now_ms`: milliseconds since
// 1970. An error if the request is wrong, or the run fails.
Result<BoundaryCall> call_boundary(const json::Value& request, const Texts& texts, const BoundaryFunctions& functions,
                                   const std::function<std::uint64_t()>& now_ms);

}  // namespace plumb::pipelines
