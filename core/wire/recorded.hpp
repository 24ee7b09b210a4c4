// Recorded calls of models: a value of somebody's log, read as the party that wrote it publishes its format.
//
//   std::vector<RecordedAnswer> answers;
//   if (!read_recorded(RecordedBy::openai, value, text, answers)) { ... }    // nothing of it is a call of a model
//   for (const RecordedAnswer& one : answers) { one.id; one.model; one.text; one.calls; one.unanswered; }
//
// - openai: chat completions and responses: an answer alone, or with its request, under `response`, `body`,
//   `response_body`, `result`, `answer` or `message`, one in another; a line of a batch's output. A stream is its text.
// - anthropic: messages, in the same ways; a line of a message batch's results.
// - otlp: OTLP/JSON of traces and logs with GenAI's conventions: messages in attributes or events of spans, or in logs,
//   as the conventions have had them from 1.28 on, and numbered attributes (`gen_ai.completion.0.content`).
// - plumb: a line that the proxy recorded. (Of a journal, read_journalled() reads the value of a model's reply.)
//
// Each choice is an answer of its own. What holds no whole answer (an error, a refusal, one cut by a limit) says so in
// `unanswered`, never in an empty text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "core/wire/model_reply.hpp"

namespace plumb::wire {

enum class RecordedBy : std::uint8_t { openai, anthropic, otlp, plumb };
std::optional<RecordedBy> recorded_by_named(std::string_view name);

struct RecordedAnswer {
  std::string id;     // the record's own name: custom_id, the answer's id, a span's
  std::string model;  // that answered, else that was asked
  std::string part;   // "choice 2", where a record has several
  std::string text;
  std::vector<ToolCall> calls;
  std::string unanswered;  // a sentence: why there is nothing to judge; empty where there is
  std::uint64_t from = 0;  // where it is in the text, for its line
};

// `text` is what `record` was read from. False where it holds nothing of a model's call: a span of a database.
bool read_recorded(RecordedBy by, const json::Value& record, std::string_view text,
                   std::vector<RecordedAnswer>& answers);

// The value of an `ok` reply of a model effect, as append_model_reply() writes it.
RecordedAnswer read_journalled(const json::Value& reply);

// Why an answer that ended so is none to judge, in a sentence; empty where it is one. `word` is the provider's own.
std::string unanswered_by(Finish finish, std::string_view word, std::string_view refusal);

// The part of read_recorded() for OTLP/JSON (recorded_otlp.cpp).
bool read_recorded_otlp(const json::Value& record, std::vector<RecordedAnswer>& answers);

}  // namespace plumb::wire
