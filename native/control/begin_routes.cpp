// POST /v1/runs: a run of any pipeline, from the request that this pipeline takes.
#include <memory>
#include <optional>
#include <utility>

#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "native/control/begin_run.hpp"
#include "native/control/control.hpp"
#include "native/control/route_table.hpp"

namespace plumb::control {

namespace {

std::string text_in(const json::Value& object, std::string_view name) {
  const json::Value* value = object.find(name);
  return value != nullptr && value->is(json::Kind::string) ? std::string(value->str()) : std::string();
}

std::string names_of(const Control& control) {
  std::string out;
  for (const pipelines::Known& one : control.pipelines) {
    out += (out.empty() ? "" : ", ") + std::string(one.pipeline.name);
  }
  return out;
}

// What a body asks for.
struct Asked {
  std::string pipeline, owner, same_as;
  std::optional<std::string> request;  // JSON
};

Answer read_body(const std::string& body, Asked& asked) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(body, arena);
  if (!read) {
    return refuse(Wrong::bad_request, read.error());
  }
  const json::Value* request = read.value().find("request");
  asked.pipeline = text_in(read.value(), "pipeline");
  asked.owner = text_in(read.value(), "owner");
  asked.same_as = text_in(read.value(), "same_as");
  if (asked.pipeline.empty() || request == nullptr) {
    return refuse(Wrong::bad_request,
                  R"(The body is {"pipeline": "...", "request": {...}}, and "owner" where it has one.)");
  }
  asked.request = json::value_text(*request);
  return {};
}

}  // namespace

BegunRun begin_run(Control& control, std::string_view pipeline, const std::string& body, StartedBy by) {
  BegunRun out;
  const pipelines::Known* known = control.known(pipeline);
  if (known == nullptr) {
    out.refused = refuse(Wrong::not_processable, Error{ErrorCode::invalid_argument,
                                                       "there is no pipeline '" + json::excerpt(pipeline, 60) +
                                                           "'; there are " + names_of(control),
                                                       "/pipeline", 0, 0});
    return out;
  }
  const auto prepared = std::make_shared<std::optional<pipelines::Prepared>>();
  Answer made = isolated("a request for " + std::string(pipeline), [known, texts = control.texts, body, prepared] {
    json::Arena arena;
    const Result<json::Value> read = json::parse(body, arena);
    if (!read) {
      return refuse(Wrong::bad_request, read.error());
    }
    // What a call costs follows from who is asked, and that is for the server to say.
    if (read.value().find("providers") != nullptr) {
      return refuse(Wrong::not_processable,
                    Error{ErrorCode::invalid_argument,
                          "providers are chosen where the server is started; leave this out", "/providers", 0, 0});
    }
    Result<pipelines::Prepared> ready = known->prepare(read.value(), texts);
    if (!ready) {
      return refuse(ready.error().code == ErrorCode::limit ? Wrong::too_large : Wrong::not_processable, ready.error());
    }
    *prepared = std::move(ready).value();
    return Answer{};
  });
  if (made.problem) {
    out.refused = std::move(made);
    return out;
  }
  host::StartOptions options;
  options.owner = std::move(by.owner);
  options.request_key = std::move(by.request_key);
  options.same_as = std::move(by.same_as);
  const Result<host::Started> started = control.host->start(pipeline, std::move(**prepared), options);
  if (!started) {
    const bool another = !options.same_as.empty() && started.error().code == ErrorCode::invalid_argument;
    out.refused = another ? refuse(Wrong::conflict, started.error()) : refuse(started.error());
    return out;
  }
  out.id = started.value().id;
  out.fresh = started.value().fresh;
  return out;
}

Answer post_run(Control& control, const Request& request) {
  Asked asked;
  if (Answer wrong = read_body(*request.body, asked); wrong.problem) {
    return wrong;
  }
  const BegunRun begun = begin_run(control, asked.pipeline, *asked.request,
                                   {asked.owner, std::string(request.header("Idempotency-Key")), asked.same_as});
  if (begun.refused) {
    return *begun.refused;
  }
  std::string text;
  json::Writer(text)
      .begin_object()
      .member("id", begun.id)
      .member("pipeline", asked.pipeline)
      .member_boolean("fresh", begun.fresh)
      .end_object();
  Answer answer = json_answer(202, std::move(text));
  answer.headers.emplace_back("Location", "/v1/runs/" + begun.id);
  return answer;
}

}  // namespace plumb::control
