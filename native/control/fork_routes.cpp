// POST /v1/runs/{id}/fork: a new run that begins with what another one had settled, and goes on at once.
#include "core/ascii.hpp"
#include "core/json/writer.hpp"
#include "native/control/control.hpp"
#include "native/control/route_table.hpp"
#include "native/control/run_answers.hpp"

namespace plumb::control {

namespace {

constexpr std::string_view form =
    R"(The body is {"at": ENTRY, "redo": ["PART"], "input": ANY, "pins": {"NAME": "TEXT"}, "here": true} or less.)";

// What is not as `form` says: false.
bool read_wish(const run::Data& body, host::ForkWish& wish, bool& here) {
  if (!body.value().is(json::Kind::object)) {
    return false;
  }
  for (const json::Member& member : body.value().object()) {
    const json::Value& value = member.value;
    if (member.key == "at") {
      const std::string_view digits = value.is(json::Kind::number) ? value.str() : std::string_view();
      if (digits.empty() || digits.size() > 12 || !ascii::only(digits, ascii::digits)) {
        return false;
      }
      wish.at = std::stoull(std::string(digits));
      if (wish.at == 0) {
        return false;
      }
    } else if (member.key == "redo") {
      if (!value.is(json::Kind::array)) {
        return false;
      }
      for (const json::Value& part : value.array()) {
        if (!part.is(json::Kind::string)) {
          return false;
        }
        wish.redo.emplace_back(part.str());
      }
    } else if (member.key == "input") {
      wish.input = run::Data::part(body, &value);
    } else if (member.key == "pins") {
      if (!value.is(json::Kind::object)) {
        return false;
      }
      for (const json::Member& pin : value.object()) {
        wish.pins.emplace_back(std::string(pin.key), pin.value.is(json::Kind::string)
                                                         ? std::string(pin.value.str())
                                                         : std::string(run::Data::part(body, &pin.value).text()));
      }
    } else if (member.key == "here" && value.is(json::Kind::boolean)) {
      here = value.boolean;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

Answer post_run_fork(Control& control, const Request& request) {
  const std::string id(request.value("id"));
  host::ForkWish wish;
  bool here = false;
  if (!request.body->empty()) {
    const Result<run::Data> body = run::Data::read(*request.body);
    if (!body) {
      return refuse(Wrong::bad_request, body.error());
    }
    if (!read_wish(body.value(), wish, here)) {
      return refuse(Wrong::not_processable, std::string(form));
    }
  }
  const Result<host::ForkStarted> started =
      control.host->fork(id, std::move(wish), here ? host::GoOn::here : host::GoOn::same);
  if (!started) {
    return started.error().code == ErrorCode::invalid_argument ? refuse(Wrong::not_processable, started.error())
                                                               : refuse(started.error());
  }
  std::string text;
  json::Writer json(text);
  json.begin_object().member("id", started.value().id).member("forked_from", id);
  json.member_uint("taken", started.value().taken).key("left").begin_array();
  for (const std::string& part : started.value().left) {
    json.string(part);
  }
  json.end_array().end_object();
  Answer answer = json_answer(201, std::move(text));
  answer.headers.emplace_back("Location", "/v1/runs/" + started.value().id);
  return answer;
}

}  // namespace plumb::control
