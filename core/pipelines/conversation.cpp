#include "core/pipelines/conversation.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/contract/check.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/require.hpp"

namespace plumb::pipelines {

namespace {

using json::list_of;
using json::number_of;
using json::text_of;
using json::Value;
using run::Data;

constexpr std::array<std::string_view, 11> names = {"submitted", "answered", "turns",     "tokens", "time",      "loop",
                                                    "invalid",   "person",   "cancelled", "failed", "checkpoint"};
constexpr std::string_view stop_word = "stop";

std::string message(std::string_view role, std::string_view content) {
  std::string out;
  json::Writer(out).begin_object().member("role", role).member("content", content).end_object();
  return out;
}

// What people said, so that a model knows whose words these are and cannot take them for a tool's.
std::string said_by_person(const Data& value) {
  const Value& told = value.value();
  const std::string_view text = told.is(json::Kind::string) ? told.str() : text_of(told, "text");
  const std::string_view who = text_of(told, "from");
  return message("user", (who.empty() ? std::string("A person says:\n") : json::excerpt(who, 80) + " says:\n") +
                             fenced("person", text));
}

const Tool* find_tool(const std::vector<Tool>& tools, std::string_view name) {
  const auto found = std::find_if(tools.begin(), tools.end(), [&](const Tool& one) { return one.name == name; });
  return found == tools.end() ? nullptr : &*found;
}

// What is cut of an answer of a tool is said inside of it.
std::string within(std::string text, std::size_t most) {
  if (text.size() <= most) {
    return text;
  }
  return envelope(
      "success",
      [&](json::Writer& json) { json.member("cut", text.substr(0, most / 2)).member_uint("bytes", text.size()); },
      "This is the beginning of what the tool answered. Ask for less of it, or go on with this.");
}

// One call, judged and carried out. What it was stands in the turn's result.
struct CallDone {
  std::string name, id, arguments, envelope;  // arguments: JSON
  bool valid = false;                         // it was carried out
  bool over = false;                          // and ends the conversation
};

CallDone carry_out(run::Run& run, const Conversation& talk, const Value& call) {
  CallDone out;
  out.name = text_of(call, "name");
  out.id = text_of(call, "id");
  const Value* given = call.find("arguments");
  std::string raw = given == nullptr                ? "{}"
                    : given->is(json::Kind::string) ? std::string(given->str())
                                                    : json::value_text(*given);
  raw = raw.empty() ? "{}" : raw;
  json::append_string(out.arguments, raw);
  const Tool* tool = find_tool(talk.tools, out.name);
  if (tool == nullptr) {
    std::vector<std::string_view> known;
    for (const Tool& one : talk.tools) {
      known.push_back(one.name);
    }
    out.envelope = unknown_tool_envelope(out.name, known);
    return out;
  }
  const contract::Contract& contract = run.contract(tool->contract);
  std::string strict = strict_json(contract, raw);
  const contract::Verdict verdict = contract::check_text(contract, strict.empty() ? raw : strict);
  if (strict.empty() || !verdict.valid) {
    out.envelope = invalid_arguments_envelope(out.name, verdict);
    return out;
  }
  out.arguments = strict;
  out.valid = true;
  const Data arguments = Data::written(std::move(strict));
  const Data done = run.scope("call", [&](run::Run& part) {
    const Tool::Done result = tool->does(part, arguments.value());
    std::string text;
    json::Writer(text).begin_object().member("envelope", result.envelope).member_boolean("ok", result.ok).end_object();
    return Data::written(std::move(text));
  });
  out.envelope = within(std::string(text_of(done.value(), "envelope")), talk.message_bytes_max);
  out.over = tool->ends && json::flag_of(done.value(), "ok");
  return out;
}

// The state of a conversation before a turn, all of it from the turns before.
struct State {
  std::string messages;  // members of an array
  std::vector<Data> turns;
  std::size_t heard = 0;  // of what people said
  std::size_t invalid = 0;
  std::size_t calls = 0;  // of all turns
  std::size_t told = 0;   // of these, to who holds the conversation
};

// Tells of a call; `number` counts all of them from 1.
void tell(const Conversation& talk, State& state, std::size_t number, const Value& call) {
  if (number <= state.told) {
    return;
  }
  state.told = number;
  const Value* arguments = call.find("arguments");
  const Value* result = call.find("result");
  if (talk.carried_out && json::flag_of(call, "valid") && arguments != nullptr && result != nullptr) {
    talk.carried_out(text_of(call, "tool"), *arguments, *result);
  }
}

void add(std::string& messages, std::string_view one) {
  messages += messages.empty() ? "" : ",";
  messages += one;
}

// What a turn leaves: {"messages": [...], "calls": [{"tool", "arguments", "result", "valid"}], "text", "tokens",
// "ended"?, "reason"?, "value"?}
struct TurnWriter {
  std::string messages, calls, text, reason, value;
  std::optional<Ended> ended;
  bool evaluate = false;
  std::uint64_t tokens = 0;

  Data data() const {
    std::string out;
    json::Writer json(out);
    json.begin_object().key("messages").raw("[" + messages + "]").key("calls").raw("[" + calls + "]");
    json.member("text", text).member_uint("tokens", tokens);
    if (ended) {
      json.member("ended", ended_name(*ended)).member("reason", reason);
    }
    if (evaluate) {
      json.member_boolean("evaluate", true);
    }
    if (!value.empty()) {
      json.key("value").raw(value);
    }
    json.end_object();
    return Data::written(std::move(out));
  }
  void end(Ended how, std::string why) {
    ended = how;
    reason = std::move(why);
  }
};

// An answer without a call: the end, or a question to a person.
void without_call(run::Run& run, const Conversation& talk, TurnWriter& turn) {
  if (!talk.asks_people) {
    turn.end(Ended::answered, "the model answered");
    return;
  }
  run::Effect effect;
  effect.kind = run::EffectKind::person;
  effect.request = [&] {
    std::string out;
    json::Writer json(out);
    json.begin_object().member("question", turn.text).member("kind", "text").member("signal", talk.people);
    json.member("reason", "The conversation goes on with what you say; '" + std::string(stop_word) + "' ends it.");
    json.end_object();
    return Data::written(std::move(out));
  };
  const run::Reply& reply = run.ask(std::move(effect));
  if (!reply.ok()) {
    turn.end(reply.status == run::Status::cancelled ? Ended::cancelled : Ended::person,
             "nobody answered: " + std::string(run::status_name(reply.status)));
    return;
  }
  const std::string_view said = text_of(reply.value.value(), "decision");
  if (said == stop_word || said.empty()) {
    turn.end(Ended::person, "a person ended it");
    return;
  }
  add(turn.messages, said_by_person(Data::string(said)));
}

void take_calls(run::Run& run, const Conversation& talk, State& state, std::span<const Value> calls, TurnWriter& turn) {
  json::Writer written(turn.calls);
  std::size_t number = 0;
  for (const Value& call : calls) {
    CallDone done;
    if (++number > talk.calls_max || turn.ended) {
      done.name = text_of(call, "name");
      done.id = text_of(call, "id");
      done.arguments = "{}";
      done.envelope = failed_envelope(turn.ended ? "the conversation was over before this call"
                                                 : "there are more than " + json::uint_text(talk.calls_max) +
                                                       " calls in this turn; this one was not carried out",
                                      "Go on with what the others answered.");
    } else {
      done = carry_out(run, talk, call);
    }
    std::string answer;
    json::Writer(answer)
        .begin_object()
        .member("role", "tool")
        .member("call_id", done.id)
        .member("tool_name", done.name)
        .member("content", done.envelope)
        .end_object();
    add(turn.messages, answer);
    std::string one;
    json::Writer json(one);
    json.begin_object().member("tool", done.name).key("arguments").raw(done.arguments);
    json.key("result").raw(done.envelope).member_boolean("valid", done.valid).end_object();
    tell(talk, state, state.calls + number, Data::written(one).value());
    add(turn.calls, one);
    if (done.over) {
      turn.end(Ended::submitted, "'" + done.name + "' ended it");
      turn.value = done.arguments;
    }
  }
}

// One turn: the model is asked, and its calls are carried out.
Data take_turn(run::Run& run, Spent& spent, const Conversation& talk, State& state, std::string_view tools,
               std::uint64_t left_ms) {
  TurnWriter turn;
  ModelCall call = talk.call;
  call.further = state.messages;
  call.tools = tools;
  call.checkpoints = talk.checkpoints;
  if (left_ms > 0 && (call.deadline_ms == 0 || call.deadline_ms > left_ms)) {
    call.deadline_ms = left_ms;
  }
  const std::uint64_t before = spent.tokens;
  const Answer answer = call_model(run, spent, call);
  turn.tokens = spent.tokens - before;
  turn.text = answer.text;
  if (!answer.error.empty()) {
    const bool full = answer.no_room && talk.checkpoints && !state.turns.empty();
    turn.end(answer.cancelled                                 ? Ended::cancelled
             : full                                           ? Ended::checkpoint
             : answer.no_room || is_over_budget(answer.error) ? Ended::tokens
                                                              : Ended::failed,
             answer.error);
    return turn.data();
  }
  turn.evaluate = answer.checkpoint == Checkpoint::evaluate;
  if (answer.checkpoint == Checkpoint::at_once) {
    turn.end(Ended::checkpoint, "the window is all but full");
  }
  const Value& value = answer.reply->value.value();
  const auto calls = list_of(value, "calls");
  std::string said;
  json::Writer json(said);
  json.begin_object().member("role", "assistant").member("content", answer.text);
  if (!calls.empty()) {
    json.key("calls").begin_array();
    for (const Value& one : calls) {
      json.value(one);
    }
    json.end_array();
  }
  json.end_object();
  add(turn.messages, said);
  if (turn.ended) {
    return turn.data();
  }
  if (calls.empty()) {
    without_call(run, talk, turn);
  } else {
    take_calls(run, talk, state, calls, turn);
  }
  if (!turn.ended && answer.checkpoint != Checkpoint::none) {
    turn.end(Ended::checkpoint, "the window fills");
  }
  return turn.data();
}

// The calls of all turns, as the loops are looked for among them.
std::string loop_in(const Conversation& talk, const State& state) {
  std::vector<budget::Call> calls;
  for (const Data& turn : state.turns) {
    for (const Value& one : list_of(turn.value(), "calls")) {
      const Tool* tool = find_tool(talk.tools, text_of(one, "tool"));
      calls.push_back({text_of(one, "tool"), one.find("arguments"), one.find("result"),
                       tool != nullptr && tool->changes && json::flag_of(one, "valid")});
    }
  }
  budget::LoopSettings settings = talk.loops;
  for (const Tool& tool : talk.tools) {
    if (tool.polling) {
      settings.polling.push_back(tool.name);
    }
  }
  const std::vector<budget::Loop> loops = budget::find_loops(calls, settings);
  return loops.empty() ? std::string() : loops.front().explanation;
}

void take_over(const Conversation& talk, State& state, const Data& turn) {
  for (const Value& one : list_of(turn.value(), "messages")) {
    add(state.messages, json::value_text(one));
  }
  const auto calls = list_of(turn.value(), "calls");
  for (const Value& one : calls) {
    tell(talk, state, ++state.calls, one);
  }
  const bool none = !calls.empty() && std::none_of(calls.begin(), calls.end(),
                                                   [](const Value& one) { return json::flag_of(one, "valid"); });
  state.invalid = none ? state.invalid + 1 : 0;
  state.turns.push_back(turn);
}

void finish(run::Run& run, const Conversation& talk, const Conversed& how) {
  run.note("conversation", [&] {
    std::string out;
    json::Writer json(out);
    json.begin_object().member("name", talk.name).member("ended", ended_name(how.ended)).member("reason", how.reason);
    json.member_uint("turns", how.turns).member_uint("calls", how.calls).member_uint("tokens", how.tokens).end_object();
    return Data::written(std::move(out));
  });
}

}  // namespace

std::string_view ended_name(Ended ended) { return names[static_cast<std::size_t>(ended)]; }

Data tools_json(const run::Run& run, const std::vector<Tool>& tools) {
  std::string out;
  json::Writer json(out);
  json.begin_array();
  for (const Tool& tool : tools) {
    json.begin_object().member("name", tool.name).member("description", tool.about);
    json.key("parameters").raw(run.pin(tool.contract).text()).end_object();
  }
  json.end_array();
  return Data::written(std::move(out));
}

namespace {

void end(Conversed& how, Ended ended, std::string reason) {
  how.ended = ended;
  how.reason = std::move(reason);
}

// Whether a conversation may not go on with another turn, and why.
bool at_a_bound(const run::Run& run, const Conversation& talk, Conversed& how, std::uint64_t took_ms) {
  if (run.cancelled()) {
    end(how, Ended::cancelled, "the run was cancelled");
    return true;
  }
  if (how.turns >= talk.turns_max) {
    end(how, Ended::turns, "it has had its " + json::uint_text(talk.turns_max) + " turns");
    return true;
  }
  if (talk.tokens_max > 0 && how.tokens >= talk.tokens_max) {
    end(how, Ended::tokens,
        "it has spent " + json::uint_text(how.tokens) + " tokens; it may have " + json::uint_text(talk.tokens_max));
    return true;
  }
  if (talk.time_ms_max > 0 && took_ms >= talk.time_ms_max) {
    end(how, Ended::time,
        "it has taken " + json::uint_text(took_ms / 1000) + " s; it may take " +
            json::uint_text(talk.time_ms_max / 1000));
    return true;
  }
  return false;
}

Conversed take_turns(run::Run& run, Spent& spent, const Conversation& talk, State& state) {
  const Data tools = tools_json(run, talk.tools);
  Conversed how;
  const std::uint64_t begun_ms = run.now_ms();
  const std::uint64_t spent_before = spent.tokens;
  for (;; ++how.turns) {
    const std::uint64_t took_ms = run.now_ms() - begun_ms;
    if (at_a_bound(run, talk, how, took_ms)) {
      break;
    }
    const std::vector<Data> said = run.signals(talk.people);
    for (; state.heard < said.size(); ++state.heard) {
      // The answer to a question is a signal too; it stands in its turn.
      if (said[state.heard].value().find("decision") == nullptr) {
        add(state.messages, said_by_person(said[state.heard]));
      }
    }
    const Data turn = run.scope("turn", [&](run::Run& part) {
      return take_turn(part, spent, talk, state, tools.text(), talk.time_ms_max > 0 ? talk.time_ms_max - took_ms : 0);
    });
    take_over(talk, state, turn);
    const Value& value = turn.value();
    how.tokens += number_of(value, "tokens");
    spent.tokens = spent_before + how.tokens;  // the same whether the turn was taken now or is read
    how.calls += list_of(value, "calls").size();
    how.text = text_of(value, "text").empty() ? how.text : std::string(text_of(value, "text"));
    if (const std::string_view ended = text_of(value, "ended"); !ended.empty()) {
      const auto found = std::find(names.begin(), names.end(), ended);
      PLUMB_REQUIRE(found != names.end(), "a turn ends as a conversation can");
      end(how, static_cast<Ended>(found - names.begin()), std::string(text_of(value, "reason")));
      how.evaluate = json::flag_of(value, "evaluate");
      if (const Value* result = value.find("value")) {
        how.value = Data::written(json::value_text(*result));
      }
      ++how.turns;
      break;
    }
    if (std::string loop = loop_in(talk, state); !loop.empty()) {
      end(how, Ended::loop, std::move(loop));
      ++how.turns;
      break;
    }
    if (state.invalid >= talk.invalid_turns_max) {
      end(how, Ended::invalid, "no call of the last " + json::uint_text(state.invalid) + " turns could be carried out");
      ++how.turns;
      break;
    }
  }
  return how;
}

// What a conversation leaves in the journal, and what is read of that.
Data told_of(const Conversation& talk, const State& state, const Conversed& how) {
  std::string text;
  json::Writer json(text);
  json.begin_object().member("ended", ended_name(how.ended)).member("reason", how.reason).member("text", how.text);
  if (!how.value.is_null()) {
    json.key("value").raw(how.value.text());
  }
  if (how.evaluate) {
    json.member_boolean("evaluate", true);
  }
  if (talk.leaves) {
    json.key("left").begin_object();
    talk.leaves(json);
    json.end_object();
  }
  json.member_uint("turns", how.turns).member_uint("calls", how.calls).member_uint("tokens", how.tokens);
  json.key("messages").raw("[" + state.messages + "]").end_object();
  return Data::written(std::move(text));
}

Conversed read_told(const Data& told) {
  Conversed out;
  const Value& value = told.value();
  out.ended = static_cast<Ended>(std::find(names.begin(), names.end(), text_of(value, "ended")) - names.begin());
  out.reason = text_of(value, "reason");
  out.text = text_of(value, "text");
  if (const Value* result = value.find("value")) {
    out.value = Data::part(told, result);
  }
  out.evaluate = json::flag_of(value, "evaluate");
  if (const Value* left = value.find("left")) {
    out.left = Data::part(told, left);
  }
  out.turns = number_of(value, "turns");
  out.calls = number_of(value, "calls");
  out.tokens = number_of(value, "tokens");
  std::string messages = json::value_text(*value.find("messages"));
  out.messages = messages.substr(1, messages.size() - 2);
  return out;
}

}  // namespace

Conversed converse(run::Run& outer, Spent& spent, const Conversation& talk) {
  const std::uint64_t before = spent.tokens;
  const Data told = outer.scope(talk.name, [&](run::Run& run) {
    State state;
    Conversed how = take_turns(run, spent, talk, state);
    finish(run, talk, how);
    return told_of(talk, state, how);
  });
  Conversed out = read_told(told);
  spent.tokens = before + out.tokens;
  return out;
}

}  // namespace plumb::pipelines
