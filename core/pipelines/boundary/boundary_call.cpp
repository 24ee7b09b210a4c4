#include "core/pipelines/boundary/boundary_call.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/boundary/boundary_pipeline.hpp"
#include "core/pipelines/boundary/client_question.hpp"
#include "core/pipelines/preparation.hpp"
#include "core/require.hpp"
#include "core/run/journal_file.hpp"
#include "core/run/machine.hpp"
#include "core/run/person.hpp"

namespace plumb::pipelines {

namespace {

using json::Value;

constexpr std::array<std::string_view, 3> of_functions = {"judge", "revise", "providers"};
constexpr std::size_t id_digits = 16;

// The request with who is asked.
std::string request_with(const Value& request, const BoundaryFunctions& functions) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  for (const json::Member& member : request.object()) {
    json.key(member.key).value(member.value);
  }
  for (const auto& [name, function] :
       {std::pair{of_functions[0], &functions.judge}, {of_functions[1], &functions.revise}}) {
    if (*function) {
      json.member(name, run::client_provider);
    }
  }
  json.key("providers").begin_object();
  for (const auto& [phase, function] :
       {std::pair{std::string_view("validate"), &functions.judge}, {std::string_view("revise"), &functions.revise}}) {
    if (!*function) {
      json.member(phase, "extract");
    }
  }
  json.end_object().end_object();
  return out;
}

run::Reply answered(const run::Want& want, const BoundaryFunctions& functions) {
  const Value& request = want.request.value();
  if (!run::asks_client(want.kind, request)) {
    return functions.otherwise(request);
  }
  const Value* question = request.find("question");
  const bool judges = json::text_of(*question, "what") == "judge";
  const std::string text = (judges ? functions.judge : functions.revise)(json::value_text(*question));
  json::Arena arena;
  const Result<Value> answer = json::parse(text, arena);
  if (!answer) {
    return client_failure(request,
                          text.empty() ? "it gave no answer" : "its answer is not JSON: " + answer.error().message);
  }
  const Result<run::Reply> reply = client_reply(request, answer.value());
  return reply ? reply.value() : client_failure(request, reply.error().message);
}

}  // namespace

Result<BoundaryCall> call_boundary(const Value& request, const Texts& texts, const BoundaryFunctions& functions,
                                   const std::function<std::uint64_t()>& now_ms) {
  for (const std::string_view name : of_functions) {
    if (request.find(name) != nullptr) {
      return wrong_request("`" + std::string(name) + "` follows from the functions; leave it out",
                           "/" + std::string(name));
    }
  }
  const Known& known = *known_pipeline("boundary");
  json::Arena arena;
  const std::string whole = request_with(request, functions);
  const Result<Value> read = json::parse(whole, arena);
  PLUMB_REQUIRE(static_cast<bool>(read), "a request is written as JSON");
  Result<Prepared> prepared = known.prepare(read.value(), texts);
  if (!prepared) {
    return prepared.error();
  }
  Prepared& ready = prepared.value();
  run::Machine machine = run::Machine::start(known.pipeline, "r" + ready.fingerprint.substr(0, id_digits), ready.input,
                                             std::move(ready.pins), {}, now_ms());
  BoundaryCall out;
  const auto keep = [&] {
    for (const run::Stored& one : machine.take()) {
      run::append_to_file(out.journal, one);
    }
  };
  while (machine.step(now_ms()) == run::State::waiting) {
    for (const run::Want& want : machine.wanted()) {
      (void)machine.attempt(want.key, now_ms());
    }
    keep();
    const std::vector<run::Want> open = machine.under_way();
    PLUMB_REQUIRE(!open.empty(), "a run that waits has asked for something");
    (void)machine.reply(open.front().key, answered(open.front(), functions), now_ms());
    keep();
  }
  keep();
  if (machine.state() != run::State::done) {
    return machine.error();
  }
  const run::Data view = run::Data::written(known.view(machine.journal()));
  out.envelope = boundary::envelope(view.value());
  return out;
}

}  // namespace plumb::pipelines
