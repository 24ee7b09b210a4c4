#include "core/guard/guard_answer.hpp"

#include "core/contract/render.hpp"
#include "core/json/writer.hpp"
#include "core/require.hpp"

namespace plumb::guard {

namespace {

constexpr int status_ok = 200;

std::string_view verdict_word(const GuardOutcome& outcome) {
  if (outcome.valid) {
    return "valid";
  }
  for (const PartVerdict& part : outcome.parts) {
    if (part.judged && !part.verdict.valid) {
      return "invalid";
    }
  }
  return "undecided";
}

void write_edits(json::Writer& json, const GuardOutcome& outcome) {
  json.key("edits").begin_array();
  for (const PartVerdict& part : outcome.parts) {
    std::size_t shown = 0;
    for (const contract::Edit& edit : part.verdict.edits) {
      if (!edit.applied || ++shown > contract::edits_shown_max) {
        continue;
      }
      json.begin_object().member("part", part.part).member("class", contract::edit_class_name(edit.edit_class));
      json.member("at", edit.at);
      if (!edit.patch.empty()) {
        json.key("patch").raw(edit.patch);
      }
      json.end_object();
    }
    for (const std::string& fix : part.fixes) {
      json.begin_object().member("part", part.part).member("class", "freeFix").key("patch").begin_array().raw(fix);
      json.end_array().end_object();
    }
  }
  json.end_array();
}

void write_verdict(json::Writer& json, const PartVerdict& part) {
  json.member("contract", part.contract).member("mode", mode_name(part.mode)).key("verdict");
  if (part.judged) {
    json.raw(contract::verdict_json(part.verdict));
  } else {
    json.null().member("reason", part.reason);
  }
}

void write_parts(json::Writer& json, const GuardOutcome& outcome) {
  bool calls = false;
  for (const PartVerdict& part : outcome.parts) {
    if (part.part == "text") {
      write_verdict(json, part);
    } else {
      calls = true;
    }
  }
  if (calls) {
    json.key("calls").begin_array();
    for (const PartVerdict& part : outcome.parts) {
      if (part.part != "text") {
        json.begin_object().member("part", part.part).member("tool", part.tool);
        write_verdict(json, part);
        json.end_object();
      }
    }
    json.end_array();
  }
}

void write_stopped(json::Writer& json, const GuardOutcome& outcome) {
  if (outcome.stopped.empty()) {
    return;
  }
  json.key("stopped").begin_array();
  for (const StoppedCall& stop : outcome.stopped) {
    json.begin_object().member("why", stop.why).member("detail", stop.detail);
    if (!stop.rule.empty()) {
      json.member("rule", stop.rule).member("at", stop.at);
    }
    json.member_uint("at_byte", stop.at_byte).member_uint("written_tokens", stop.written_tokens).end_object();
  }
  json.end_array();
}

void write_judge(json::Writer& json, const JudgeCount& judge) {
  if (!judge.any()) {
    return;
  }
  json.key("judge").begin_object().member_uint("calls", judge.calls);
  json.member_uint("holds", judge.holds).member_uint("broken", judge.broken).member_uint("undecided", judge.open);
  if (!judge.why.empty()) {
    json.member("reason", judge.why);
  }
  json.end_object();
}

}  // namespace

std::string plumb_json(const GuardOutcome& outcome) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member_boolean("valid", outcome.valid);
  json.member("decision", contract::decision_name(outcome.decision));
  write_parts(json, outcome);
  write_edits(json, outcome);
  json.member_uint("attempts", outcome.attempts).key("tokens").begin_object();
  json.member_uint("spent", outcome.tokens_spent).member_uint("saved", outcome.tokens_saved);
  json.member_boolean("estimated", outcome.tokens_estimated).end_object();
  write_stopped(json, outcome);
  write_judge(json, outcome.judge);
  if (!outcome.note.empty()) {
    json.member("note", outcome.note);
  }
  json.end_object();
  return out;
}

std::vector<std::pair<std::string, std::string>> plumb_headers(const GuardOutcome& outcome) {
  return {{"x-plumb-verdict", std::string(verdict_word(outcome))},
          {"x-plumb-decision", std::string(contract::decision_name(outcome.decision))}};
}

int append_whole_answer(std::string& out, wire::Wire client, const GuardOutcome& outcome, const wire::ReplyHead& head) {
  const std::string plumb = plumb_json(outcome);
  if (outcome.failure) {
    wire::append_failure(out, client, *outcome.failure, plumb);
    return wire::status_of(*outcome.failure);
  }
  const Result<bool> written = wire::append_reply(out, client, outcome.reply, head, plumb);
  if (!written) {
    wire::Failure failure = wire::make_failure(wire::FailureClass::malformed, written.error().message);
    wire::append_failure(out, client, failure, plumb);
    return wire::status_of(failure);
  }
  return status_ok;
}

void append_stream_end(std::string& out, wire::StreamWriter& writer, const GuardOutcome& outcome) {
  const std::string plumb = plumb_json(outcome);
  if (outcome.failure) {
    writer.fail(out, *outcome.failure, plumb);
  } else {
    writer.end(out, outcome.reply, plumb);
  }
}

}  // namespace plumb::guard
