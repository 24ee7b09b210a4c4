// Logs wrap an answer as their writers please, so it is looked for: a value that is one by its own members, else what
// is under the names that are in use for it, one in another. What is found is read by the codecs of this folder, as it
// would be from the network.
#include "core/wire/recorded.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/wire/answer_rules.hpp"
#include "core/wire/reply.hpp"

namespace plumb::wire {

namespace {

constexpr int wrappers_max = 4;
constexpr std::array<std::string_view, 7> wrappers = {"response", "result",  "answer", "response_body",
                                                      "body",     "message", "output"};
constexpr std::array<std::string_view, 3> requests = {"request", "request_body", "body"};
constexpr std::size_t choices_max = 1'024;
constexpr std::size_t told_code_points_max = 200;

bool there(const json::Value* value) { return value != nullptr && !value->is(json::Kind::null); }
bool is_list(const json::Value* value) { return value != nullptr && value->is(json::Kind::array); }

bool is_answer(RecordedBy by, const json::Value& value) {
  if (by != RecordedBy::anthropic && (is_list(value.find("choices")) || is_list(value.find("output")))) {
    return true;
  }
  return by != RecordedBy::openai && is_list(value.find("content")) && text_member(value, "role") == "assistant";
}

// A text that holds an answer, not one of a message: a stream, or JSON.
bool is_written(std::string_view text) {
  text = ascii::trim_front(text);
  return text.starts_with('{') || text.starts_with("data:") || text.starts_with("event:") || text.starts_with(':');
}

// The answer in a record, or the error that came in its place; nullptr where there is neither.
const json::Value* find_answer(RecordedBy by, const json::Value& record) {
  const json::Value* at = &record;
  for (int depth = 0; depth < wrappers_max; ++depth) {
    if (at->is(json::Kind::string) || is_answer(by, *at)) {
      return at;
    }
    const json::Value* inner = nullptr;
    for (const std::string_view name : wrappers) {
      const json::Value* const member = at->find(name);
      if (member != nullptr && (member->is(json::Kind::object) || is_written(member->str()))) {
        inner = member;
        break;
      }
    }
    if (inner == nullptr) {
      const json::Value* const error = at->find("error");
      return !there(error) ? nullptr : there(error->find("error")) ? error : at;
    }
    at = inner;
  }
  return nullptr;
}

Wire wire_of(RecordedBy by, const json::Value& answer) {
  if (by == RecordedBy::anthropic || (by == RecordedBy::plumb && is_list(answer.find("content")))) {
    return Wire::anthropic;
  }
  const std::string_view stream = answer.is(json::Kind::string) ? answer.str() : std::string_view();
  if (by == RecordedBy::plumb && stream.find("\"message_start\"") != std::string_view::npos) {
    return Wire::anthropic;
  }
  const bool responses = is_list(answer.find("output")) ||
                         stream.find("\"response.created\"") != std::string_view::npos ||
                         stream.find("\"object\":\"response\"") != std::string_view::npos;
  return responses ? Wire::responses : Wire::openai;
}

std::string shown(std::string_view text) { return json::excerpt(text, told_code_points_max); }

RecordedAnswer answer_of(Wire wire, ReplyOutcome outcome) {
  ModelReply& reply = outcome.reply;
  // A log may have left out why the answer was over. A response has its status beside it.
  if (wire != Wire::responses && outcome.failure && outcome.failure->code == no_finish_reason) {
    outcome.failure.reset();
  }
  RecordedAnswer answer{reply.id, reply.model, "", std::move(reply.text), std::move(reply.calls), "", 0};
  const bool over = wire == Wire::openai || reply.finish != Finish::other;
  if (outcome.failure) {
    answer.unanswered = "the call failed: " + outcome.failure->message;
  } else if (!over) {
    answer.unanswered = "the answer is not over: " + shown(reply.finish_text);
  } else {
    answer.unanswered = unanswered_by(reply.finish, reply.finish_text, reply.refusal);
  }
  if (answer.unanswered.empty() && answer.text.empty() && answer.calls.empty()) {
    answer.unanswered = "the answer has no text and calls no tool";
  }
  return answer;
}

ReplyOutcome read_stream(Wire wire, std::string_view text) {
  ReplyOptions options;
  options.done_required = false;  // a log may leave the last line out
  ReplyStream stream(wire, options);
  stream.push(text);
  ModelDelta delta;
  while (stream.next(delta)) {
  }
  stream.end();
  while (stream.next(delta)) {
  }
  std::optional<Failure> failure = stream.failure();
  return {stream.take_reply(), std::move(failure)};
}

// The body with one of its choices alone, as the first.
std::string with_choice(const json::Value& body, const json::Value& choice) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  for (const json::Member& member : body.object()) {
    if (member.key != "choices") {
      json.key(member.key).value(member.value);
      continue;
    }
    json.key("choices").begin_array().begin_object();
    for (const json::Member& part : choice.object()) {
      if (part.key != "index") {
        json.key(part.key).value(part.value);
      }
    }
    json.end_object().end_array();
  }
  json.end_object();
  return out;
}

void read_body(RecordedBy by, const json::Value& body, std::string_view text, std::vector<RecordedAnswer>& answers) {
  const Wire wire = wire_of(by, body);
  if (body.is(json::Kind::string)) {
    answers.push_back(answer_of(wire, read_stream(wire, body.str())));
    return;
  }
  const json::Value* const choices = body.find("choices");
  if (wire == Wire::openai && choices != nullptr && choices->array().size() > 1) {
    std::size_t number = 0;
    for (const json::Value& choice : choices->array()) {
      if (++number > choices_max) {
        RecordedAnswer more;
        more.unanswered = "more than 1,024 choices: the rest is not judged";
        answers.push_back(std::move(more));
        break;
      }
      answers.push_back(answer_of(wire, read_reply(wire, with_choice(body, choice))));
      answers.back().part = "choice " + json::uint_text(number);
    }
    return;
  }
  answers.push_back(answer_of(wire, read_reply(wire, text.substr(static_cast<std::size_t>(body.from),
                                                                 static_cast<std::size_t>(body.to - body.from)))));
}

// What a record says where there is no answer in it.
std::string no_answer(const json::Value& record) {
  const json::Value* const result = record.find("result");
  const std::string_view type = result == nullptr ? std::string_view() : text_member(*result, "type");
  if (!type.empty()) {
    return "the batch has no answer to it: " + shown(type);
  }
  if (record.find("messages") != nullptr || record.find("input") != nullptr || record.find("request") != nullptr ||
      record.find("url") != nullptr) {
    return "a request without an answer";
  }
  return "it has no answer in a form that is known here";
}

}  // namespace

std::optional<RecordedBy> recorded_by_named(std::string_view name) {
  if (name == "openai") {
    return RecordedBy::openai;
  }
  if (name == "anthropic") {
    return RecordedBy::anthropic;
  }
  if (name == "otlp") {
    return RecordedBy::otlp;
  }
  return name == "plumb" ? std::optional(RecordedBy::plumb) : std::nullopt;
}

std::string unanswered_by(Finish finish, std::string_view word, std::string_view refusal) {
  const std::string said = word.empty() ? "" : " (" + shown(word) + ")";
  if (finish == Finish::length) {
    return "the answer was cut off by the limit of its tokens" + said;
  }
  if (finish == Finish::content_filter) {
    return "the provider's filter stopped the answer" + said;
  }
  if (finish == Finish::refusal || !refusal.empty()) {
    return "the model refused" + (refusal.empty() ? said : ": " + shown(refusal));
  }
  return "";
}

RecordedAnswer read_journalled(const json::Value& reply) {
  RecordedAnswer answer;
  answer.model = text_member(reply, "model");
  answer.text = text_member(reply, "text");
  if (const json::Value* const calls = reply.find("calls")) {
    for (const json::Value& call : calls->array()) {
      answer.calls.push_back({std::string(text_member(call, "id")), std::string(text_member(call, "name")),
                              std::string(text_member(call, "arguments"))});
    }
  }
  const std::string_view word = text_member(reply, "finish");
  for (const Finish finish : {Finish::length, Finish::content_filter, Finish::refusal}) {
    if (word == finish_name(finish)) {
      answer.unanswered = unanswered_by(finish, "", text_member(reply, "refusal"));
    }
  }
  if (answer.unanswered.empty() && answer.text.empty() && answer.calls.empty()) {
    answer.unanswered = "the answer has no text and calls no tool";
  }
  return answer;
}

bool read_recorded(RecordedBy by, const json::Value& record, std::string_view text,
                   std::vector<RecordedAnswer>& answers) {
  if (by == RecordedBy::otlp) {
    return read_recorded_otlp(record, answers);
  }
  // The proxy records calls that want no answer to judge, too.
  const std::string_view route = by == RecordedBy::plumb ? text_member(record, "route") : std::string_view();
  if (route.find("embeddings") != std::string_view::npos || route.find("count_tokens") != std::string_view::npos) {
    return false;
  }
  const std::size_t before = answers.size();
  if (const json::Value* const body = find_answer(by, record)) {
    read_body(by, *body, text, answers);
  } else {
    RecordedAnswer none;
    none.unanswered = record.is(json::Kind::object) ? no_answer(record) : "a record is a JSON object";
    answers.push_back(std::move(none));
  }
  std::string_view model;
  for (const std::string_view name : requests) {
    const json::Value* const request = record.find(name);
    const json::Value* const inner = request == nullptr ? nullptr : request->find("body");
    model = model.empty() && request != nullptr ? text_member(inner == nullptr ? *request : *inner, "model") : model;
  }
  model = model.empty() ? text_member(record, "model") : model;
  const std::string_view custom = text_member(record, "custom_id");
  for (std::size_t i = before; i < answers.size(); ++i) {
    RecordedAnswer& answer = answers[i];
    const std::string_view own = custom.empty() ? text_member(record, "id") : custom;
    answer.id = !custom.empty() || answer.id.empty() || by == RecordedBy::plumb ? std::string(own) : answer.id;
    answer.model = answer.model.empty() ? std::string(model) : answer.model;
    answer.from = record.from;
  }
  return true;
}

}  // namespace plumb::wire
