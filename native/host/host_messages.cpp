#include "native/host/host_messages.hpp"

#include <utility>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"

namespace plumb::host {

namespace {

constexpr std::string_view kinds[] = {"reply", "deadline", "cancel", "signal", "answer", "choice", "stop"};
constexpr std::string_view ways[] = {"same", "chosen", "here"};

Error unavailable(std::string message, const std::string& id) {
  return Error{ErrorCode::unavailable, std::move(message), "run " + id, 0, 0};
}

}  // namespace

std::string question_text(const std::string& run, const Event& event) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("run", run).member("what", kinds[static_cast<std::size_t>(event.what)]);
  json.member("key", event.key).member("name", event.name).member("with", ways[static_cast<std::size_t>(event.with)]);
  if (event.what == Event::What::signal || event.what == Event::What::answer) {
    json.key("value").raw(event.value.text());
  }
  json.end_object();
  return out;
}

Result<RunQuestion> read_question(const std::string& text) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(text, arena);
  RunQuestion out;
  bool known = false;
  const std::string_view what = read ? json::text_of(read.value(), "what") : std::string_view();
  for (const Event::What one : {Event::What::cancel, Event::What::signal, Event::What::answer, Event::What::choice}) {
    if (kinds[static_cast<std::size_t>(one)] == what) {
      out.event.what = one;
      known = true;
    }
  }
  if (!known) {
    return Error{ErrorCode::invalid_argument, "another host, of a later version, asked what this one does not know", "",
                 0, 0};
  }
  const json::Value& value = read.value();
  for (const GoOn one : {GoOn::same, GoOn::chosen, GoOn::here}) {
    if (ways[static_cast<std::size_t>(one)] == json::text_of(value, "with")) {
      out.event.with = one;
    }
  }
  out.run = json::text_of(value, "run");
  out.event.key = json::text_of(value, "key");
  out.event.name = json::text_of(value, "name");
  if (const json::Value* given = value.find("value")) {
    out.event.value = run::Data::written(json::value_text(*given));
  }
  return out;
}

std::string answer_text(const Result<bool>& answer) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (answer) {
    json.member_boolean("done", answer.value());
  } else {
    json.member("error", answer.error().message).member("code", error_code_name(answer.error().code));
  }
  json.end_object();
  return out;
}

Result<bool> read_answer(const std::string& text, const std::string& run) {
  json::Arena arena;
  const Result<json::Value> value = json::parse(text, arena);
  if (!value) {
    return unavailable("the host that drives it gave an answer that is not JSON", run);
  }
  if (value.value().find("error") == nullptr) {
    return json::flag_of(value.value(), "done");
  }
  Error error = unavailable(std::string(json::text_of(value.value(), "error")), run);
  for (const ErrorCode code : {ErrorCode::invalid_argument, ErrorCode::not_found, ErrorCode::limit}) {
    if (error_code_name(code) == json::text_of(value.value(), "code")) {
      error.code = code;
    }
  }
  return error;
}

}  // namespace plumb::host
