// OTLP/JSON with GenAI's conventions. Messages have moved through them: events `gen_ai.choice` (1.28 to 1.36, of spans
// or in logs), the attribute `gen_ai.output.messages` (from 1.37 on, of a span, of its event, or of a log record, as a
// value or as JSON text), before these `gen_ai.content.completion`, and numbered attributes, which are in use though in
// no convention. All are brought into one form: a message, a word for why it ended, and where it is.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/wire/recorded.hpp"
#include "core/wire/reply_state.hpp"

namespace plumb::wire {

namespace {

constexpr std::uint32_t value_depth_max = 64;
constexpr std::size_t answers_max = 128;  // of one span
constexpr std::size_t told_code_points_max = 200;
constexpr std::array<std::string_view, 3> operations = {"chat", "text_completion", "generate_content"};

const json::Value* attribute(const json::Value& holder, std::string_view key) {
  if (const json::Value* const list = holder.find("attributes")) {
    for (const json::Value& one : list->array()) {
      if (text_member(one, "key") == key) {
        return one.find("value");
      }
    }
  }
  return nullptr;
}

std::string_view text_attribute(const json::Value& holder, std::string_view key) {
  const json::Value* const value = attribute(holder, key);
  return value == nullptr ? std::string_view() : text_member(*value, "stringValue");
}

// OTLP's AnyValue as plain JSON.
void write_any(json::Writer& json, const json::Value& any, std::uint32_t depth) {
  const json::Value* const list = any.find("arrayValue");
  const json::Value* const members = any.find("kvlistValue");
  const json::Value* const values = list != nullptr      ? list->find("values")
                                    : members != nullptr ? members->find("values")
                                                         : nullptr;
  if (depth > value_depth_max) {
    json.null();
    return;
  }
  if (list != nullptr) {
    json.begin_array();
    for (const json::Value& one : values == nullptr ? std::span<const json::Value>() : values->array()) {
      write_any(json, one, depth + 1);
    }
    json.end_array();
  } else if (members != nullptr) {
    json.begin_object();
    for (const json::Value& one : values == nullptr ? std::span<const json::Value>() : values->array()) {
      json.key(text_member(one, "key"));
      if (const json::Value* const value = one.find("value")) {
        write_any(json, *value, depth + 1);
      } else {
        json.null();
      }
    }
    json.end_object();
  } else if (const json::Value* const text = any.find("stringValue")) {
    json.string(text->str());
  } else if (const json::Value* const number = any.find("intValue")) {  // a text, as 64 bits are written
    std::uint64_t read = 0;
    if (json::read_uint(number->str(), read)) {
      json.uint(read);
    } else {
      json.string(number->str());
    }
  } else if (const json::Value* const yes = any.find("boolValue")) {
    json.value(*yes);
  } else if (const json::Value* const decimal = any.find("doubleValue")) {
    json.value(*decimal);
  } else {
    json.null();
  }
}

// What an attribute holds: its value, or the JSON that its text is. Into `arena`; a text that is no JSON is a string.
json::Value plain(const json::Value& any, json::Arena& arena) {
  std::string written;
  json::Writer json(written);
  write_any(json, any, 0);
  const json::Value* const text = any.find("stringValue");
  if (text != nullptr) {
    const Result<json::Value> inner = json::parse(text->str(), arena);
    const bool holds = inner && (inner.value().is(json::Kind::array) || inner.value().is(json::Kind::object));
    if (holds) {
      return inner.value();
    }
  }
  const Result<json::Value> read = json::parse(written, arena);
  return read ? read.value() : json::Value();
}

// A span or a record of a log, as far as it names what is found in it.
struct Source {
  std::string id;
  std::string model;
  std::uint64_t from = 0;
  std::vector<RecordedAnswer>& answers;
  std::size_t first = 0;  // its own answers begin here
};

Finish finish_of(std::string_view word) {
  if (word == "tool_call") {
    return Finish::tool_calls;
  }
  const Finish finish = openai_finish(word);
  return finish == Finish::other ? anthropic_finish(word) : finish;
}

void add_call(const json::Value& call, RecordedAnswer& answer) {
  const json::Value* const function = call.find("function");
  const json::Value& holder = function == nullptr ? call : *function;
  const json::Value* const arguments = holder.find("arguments");
  answer.calls.push_back({std::string(text_member(call, "id")), std::string(text_member(holder, "name")), ""});
  if (arguments != nullptr) {
    answer.calls.back().arguments =
        arguments->is(json::Kind::string) ? std::string(arguments->str()) : json::value_text(*arguments);
  }
}

void end_answer(RecordedAnswer answer, std::string_view word, Source& source) {
  if (source.answers.size() - source.first >= answers_max) {
    return;
  }
  answer.id = source.id;
  answer.model = source.model;
  answer.from = source.from;
  answer.unanswered = word == "error" ? "the call failed" : unanswered_by(finish_of(word), word, "");
  if (answer.unanswered.empty() && answer.text.empty() && answer.calls.empty()) {
    answer.unanswered = "the answer has no text and calls no tool";
  }
  source.answers.push_back(std::move(answer));
}

// A message as any of the conventions has it: parts, or content as text or parts, and calls.
void add_message(const json::Value& message, std::string_view word, Source& source) {
  const std::string_view role = text_member(message, "role");
  if (!role.empty() && role != "assistant" && role != "model") {
    return;
  }
  RecordedAnswer answer;
  const json::Value* const parts = message.find("parts");
  const json::Value* const content = parts == nullptr ? message.find("content") : parts;
  if (content != nullptr) {
    answer.text = content->is(json::Kind::string) ? content->str() : std::string_view();
    for (const json::Value& part : content->array()) {
      const std::string_view type = text_member(part, "type");
      if (type == "text") {
        const std::string_view text = text_member(part, "content");
        answer.text += text.empty() ? text_member(part, "text") : text;
      } else if (type == "tool_call") {
        add_call(part, answer);
      }
    }
  }
  if (const json::Value* const calls = message.find("tool_calls")) {
    for (const json::Value& call : calls->array()) {
      add_call(call, answer);
    }
  }
  const std::string_view own = text_member(message, "finish_reason");
  end_answer(std::move(answer), own.empty() ? word : own, source);
}

// An artifact may have a `content`, too.
bool is_message(const json::Value& value) {
  return value.find("role") != nullptr || value.find("parts") != nullptr || value.find("tool_calls") != nullptr;
}

// A list of messages, or one. A text that is none of these is the answer itself, JSON or not.
void add_messages(const json::Value& any, std::string_view word, Source& source) {
  json::Arena arena;
  const json::Value list = plain(any, arena);
  const std::span<const json::Value> messages = list.is(json::Kind::array) ? list.array() : std::span(&list, 1);
  if (!messages.empty() && std::all_of(messages.begin(), messages.end(), is_message)) {
    for (const json::Value& message : messages) {
      add_message(message, word, source);
    }
  } else if (const json::Value* const text = any.find("stringValue")) {
    RecordedAnswer answer;
    answer.text = text->str();
    end_answer(std::move(answer), word, source);
  }
}

// `gen_ai.choice`: its body (of a log, or as text in an attribute), or its attributes.
void add_choice(const json::Value& event, Source& source) {
  json::Arena arena;
  const json::Value* body = event.find("body");
  body = body == nullptr ? attribute(event, "gen_ai.event.content") : body;
  json::Value choice;
  if (body != nullptr) {
    choice = plain(*body, arena);
  }
  const json::Value* const message = choice.find("message");
  const std::string_view own = text_member(choice, "finish_reason");
  const std::string_view word = own.empty() ? text_attribute(event, "finish_reason") : own;
  if (message != nullptr || choice.find("content") != nullptr) {
    add_message(message == nullptr ? choice : *message, word, source);
  } else if (const json::Value* const given = attribute(event, "message")) {
    const json::Value read = plain(*given, arena);
    if (is_message(read) || read.find("content") != nullptr) {
      add_message(read, word, source);
    } else {
      add_messages(*given, word, source);
    }
  } else if (const json::Value* const content = attribute(event, "content")) {
    RecordedAnswer answer;
    answer.text = text_member(*content, "stringValue");
    end_answer(std::move(answer), word, source);
  }
}

void read_event(std::string_view name, const json::Value& event, Source& source) {
  if (name == "gen_ai.choice") {
    add_choice(event, source);
  } else if (name == "gen_ai.content.completion") {
    if (const json::Value* const given = attribute(event, "gen_ai.completion")) {
      add_messages(*given, "", source);
    }
  } else if (name == "gen_ai.client.inference.operation.details") {
    if (const json::Value* const given = attribute(event, "gen_ai.output.messages")) {
      add_messages(*given, "", source);
    }
  }
}

// `gen_ai.completion.0.content` and its kin.
void read_numbered(const json::Value& span, Source& source) {
  for (std::size_t number = 0; number < answers_max; ++number) {
    const std::string before = "gen_ai.completion." + json::uint_text(number) + ".";
    const auto member = [&](std::string_view name) { return text_attribute(span, before + std::string(name)); };
    RecordedAnswer answer;
    answer.text = member("content");
    for (std::size_t call = 0; call < answers_max; ++call) {
      const std::string of = "tool_calls." + json::uint_text(call) + ".";
      const std::string_view name = member(of + "name");
      if (name.empty()) {
        break;
      }
      answer.calls.push_back(
          {std::string(member(of + "id")), std::string(name), std::string(member(of + "arguments"))});
    }
    const std::string_view word = member("finish_reason");
    if (answer.text.empty() && answer.calls.empty() && word.empty() && member("role").empty()) {
      return;
    }
    end_answer(std::move(answer), word, source);
  }
}

std::string model_of(const json::Value& holder) {
  const std::string_view answered = text_attribute(holder, "gen_ai.response.model");
  return std::string(answered.empty() ? text_attribute(holder, "gen_ai.request.model") : answered);
}

std::string id_of(const json::Value& holder) {
  const std::string_view own = text_attribute(holder, "gen_ai.response.id");
  return std::string(own.empty() ? text_member(holder, "spanId") : own);
}

bool has_failed(const json::Value& span) {
  const json::Value* const status = span.find("status");
  const json::Value* const code = status == nullptr ? nullptr : status->find("code");
  return code != nullptr && (code->str() == "2" || code->str() == "STATUS_CODE_ERROR");
}

bool read_span(const json::Value& span, std::vector<RecordedAnswer>& answers) {
  const std::string_view operation = text_attribute(span, "gen_ai.operation.name");
  bool asks = false;
  for (const std::string_view known : operations) {
    asks = asks || operation == known;
  }
  if (!asks && !operation.empty()) {
    return false;  // of an agent, a tool, embeddings: the answers in it are told by spans of their own
  }
  Source source{id_of(span), model_of(span), span.from, answers, answers.size()};
  if (const json::Value* const given = attribute(span, "gen_ai.output.messages")) {
    add_messages(*given, "", source);
  }
  if (answers.size() == source.first) {
    if (const json::Value* const events = span.find("events")) {
      for (const json::Value& event : events->array()) {
        read_event(text_member(event, "name"), event, source);
      }
    }
  }
  if (answers.size() == source.first) {
    read_numbered(span, source);
  }
  if (answers.size() == source.first && asks) {
    RecordedAnswer none;
    const std::string_view type = text_attribute(span, "error.type");
    const json::Value* const status = span.find("status");
    const std::string_view said = status == nullptr ? std::string_view() : text_member(*status, "message");
    none.id = source.id;
    none.model = source.model;
    none.from = source.from;
    none.unanswered = "the span has no messages: whoever recorded it did not record what was said";
    if (has_failed(span) || !type.empty()) {
      none.unanswered = "the call failed: " + json::excerpt(said.empty() ? type : said, told_code_points_max);
    }
    answers.push_back(std::move(none));
  }
  for (std::size_t i = source.first; i < answers.size() && answers.size() - source.first > 1; ++i) {
    answers[i].part = "choice " + json::uint_text(i - source.first + 1);
  }
  return answers.size() > source.first;
}

bool read_log(const json::Value& log, std::vector<RecordedAnswer>& answers) {
  const std::string_view own = text_member(log, "eventName");
  Source source{id_of(log), model_of(log), log.from, answers, answers.size()};
  read_event(own.empty() ? text_attribute(log, "event.name") : own, log, source);
  return answers.size() > source.first;
}

// Every item of `holder`'s list of lists: resourceSpans, scopeSpans, spans.
template <class Read>
bool for_each(const json::Value& record, const std::array<std::string_view, 3>& names, const Read& read) {
  bool any = false;
  const auto items = [](const json::Value& holder, std::string_view name) {
    const json::Value* const list = holder.find(name);
    return list == nullptr ? std::span<const json::Value>() : list->array();
  };
  for (const json::Value& resource : items(record, names[0])) {
    for (const json::Value& scope : items(resource, names[1])) {
      for (const json::Value& one : items(scope, names[2])) {
        any = read(one) || any;
      }
    }
  }
  return any;
}

}  // namespace

bool read_recorded_otlp(const json::Value& record, std::vector<RecordedAnswer>& answers) {
  if (record.find("spanId") != nullptr && record.find("resourceSpans") == nullptr) {
    return read_span(record, answers);  // by itself
  }
  const bool spans = for_each(record, {"resourceSpans", "scopeSpans", "spans"},
                              [&](const json::Value& span) { return read_span(span, answers); });
  const bool logs = for_each(record, {"resourceLogs", "scopeLogs", "logRecords"},
                             [&](const json::Value& log) { return read_log(log, answers); });
  return spans || logs;
}

}  // namespace plumb::wire
