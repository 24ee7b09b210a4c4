#include "core/pipelines/conversation.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/contract/check.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/require.hpp"
#include "core/run/data_record.hpp"
#include "core/run/reasons.hpp"

namespace plumb::pipelines {

namespace {

using json::Field;
using json::field;
using json::field_if_set;
using json::list_of;
using json::text_of;
using json::Value;
using run::Data;

constexpr std::array<std::string_view, 11> names = {"submitted", "answered", "turns",     "tokens", "time",      "loop",
                                                    "invalid",   "person",   "cancelled", "failed", "checkpoint"};
constexpr std::string_view stop_word = "stop";

struct Message {
  std::string role;
  std::optional<std::string> call_id, tool_name;  // of a tool
  std::string content;
  std::vector<Data> calls;  // of the model
  static std::span<const Field> fields() {
    static constexpr Field table[] = {field<&Message::role>("role"), field_if_set<&Message::call_id>("call_id"),
                                      field_if_set<&Message::tool_name>("tool_name"),
                                      field<&Message::content>("content"), field_if_set<&Message::calls>("calls")};
    return table;
  }
};

// What people said, so that a model knows whose words these are and cannot take them for a tool's.
Data said_by_person(const Data& value) {
  const Value& told = value.value();
  const std::string_view text = told.is(json::Kind::string) ? told.str() : text_of(told, "text");
  const std::string_view who = text_of(told, "from");
  const std::string says = who.empty() ? "A person says:\n" : json::excerpt(who, 80) + " says:\n";
  return Data::of(Message{"user", {}, {}, says + fenced("person", text), {}});
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

// One call, judged and carried out.
struct CallNote {
  std::string tool;
  Data arguments, result;
  bool valid = false;  // it was carried out
  static std::span<const Field> fields() {
    static constexpr Field table[] = {field<&CallNote::tool>("tool"), field<&CallNote::arguments>("arguments"),
                                      field<&CallNote::result>("result"), field<&CallNote::valid>("valid")};
    return table;
  }
};

// `over`: it ends the conversation.
CallNote carry_out(run::Run& run, const Conversation& talk, const Value& call, bool& over) {
  CallNote out;
  out.tool = text_of(call, "name");
  const Value* given = call.find("arguments");
  std::string raw = given == nullptr                ? "{}"
                    : given->is(json::Kind::string) ? std::string(given->str())
                                                    : json::value_text(*given);
  raw = raw.empty() ? "{}" : raw;
  out.arguments = Data::string(raw);
  const Tool* tool = find_tool(talk.tools, out.tool);
  if (tool == nullptr) {
    std::vector<std::string_view> known;
    for (const Tool& one : talk.tools) {
      known.push_back(one.name);
    }
    out.result = Data::written(unknown_tool_envelope(out.tool, known));
    return out;
  }
  const contract::Contract& contract = run.contract(tool->contract);
  std::string strict = strict_json(contract, raw);
  const contract::Verdict verdict = contract::check_text(contract, strict.empty() ? raw : strict);
  if (strict.empty() || !verdict.valid) {
    out.result = Data::written(invalid_arguments_envelope(out.tool, verdict, raw));
    return out;
  }
  out.arguments = Data::written(std::move(strict));
  out.valid = true;
  const Data result =
      run.scope("call", [&](run::Run& part) { return Data::of(tool->does(part, out.arguments.value())); });
  const auto& done = result.as<Tool::Done>();
  out.result = Data::written(within(done.envelope, talk.message_bytes_max));
  over = tool->ends && done.ok;
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
void tell(const Conversation& talk, State& state, std::size_t number, const CallNote& call) {
  if (number <= state.told) {
    return;
  }
  state.told = number;
  if (talk.carried_out && call.valid) {
    talk.carried_out(call.tool, call.arguments.value(), call.result.value());
  }
}

void add(std::string& messages, const Data& one) {
  messages += messages.empty() ? "" : ",";
  messages += one.text();
}

// What a turn leaves.
struct TurnNote {
  std::vector<Data> messages;
  std::vector<CallNote> calls;
  std::string text;
  std::uint64_t tokens = 0;
  std::optional<Ended> ended;
  std::optional<std::string> reason;  // where it has ended, for people
  Reason why = Reason::none;          // the same for programs
  bool evaluate = false;
  std::optional<Data> value;

  void end(Ended how, std::string words) {
    ended = how;
    reason = std::move(words);
  }
  static std::span<const Field> fields() {
    static constexpr Field table[] = {
        field<&TurnNote::messages>("messages"),  field<&TurnNote::calls>("calls"),
        field<&TurnNote::text>("text"),          field<&TurnNote::tokens>("tokens"),
        field_if_set<&TurnNote::ended>("ended"), field_if_set<&TurnNote::reason>("reason"),
        field_if_set<&TurnNote::why>("why"),     field_if_set<&TurnNote::evaluate>("evaluate"),
        field_if_set<&TurnNote::value>("value")};
    return table;
  }
};

// An answer without a call: the end, or a question to a person.
void without_call(run::Run& run, const Conversation& talk, TurnNote& turn) {
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
  const run::Reply& reply = run.ask(effect);
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
  turn.messages.push_back(said_by_person(Data::string(said)));
}

void take_calls(run::Run& run, const Conversation& talk, State& state, std::span<const Value> calls, TurnNote& turn) {
  std::size_t number = 0;
  for (const Value& call : calls) {
    CallNote done;
    bool over = false;
    if (++number > talk.calls_max || turn.ended) {
      done.tool = text_of(call, "name");
      done.arguments = Data::written("{}");
      done.result =
          Data::written(failed_envelope(turn.ended ? "the conversation was over before this call"
                                                   : "there are more than " + json::uint_text(talk.calls_max) +
                                                         " calls in this turn; this one was not carried out",
                                        "Go on with what the others answered."));
    } else {
      done = carry_out(run, talk, call, over);
    }
    turn.messages.push_back(
        Data::of(Message{"tool", std::string(text_of(call, "id")), done.tool, std::string(done.result.text()), {}}));
    tell(talk, state, state.calls + number, done);
    if (over) {
      turn.end(Ended::submitted, "'" + done.tool + "' ended it");
      turn.value = done.arguments;
    }
    turn.calls.push_back(std::move(done));
  }
}

// One turn: the model is asked, and its calls are carried out.
Data take_turn(run::Run& run, Spent& spent, const Conversation& talk, State& state, std::string_view tools,
               std::uint64_t left_ms) {
  TurnNote turn;
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
    const bool full = answer.reason == Reason::over_window && talk.checkpoints && !state.turns.empty();
    turn.end(answer.cancelled                ? Ended::cancelled
             : full                          ? Ended::checkpoint
             : answer.reason != Reason::none ? Ended::tokens
                                             : Ended::failed,
             answer.error);
    turn.why = answer.reason;
    return Data::of(std::move(turn));
  }
  turn.evaluate = answer.checkpoint == Checkpoint::evaluate;
  if (answer.checkpoint == Checkpoint::at_once) {
    turn.end(Ended::checkpoint, "the window is all but full");
  }
  const Value& value = answer.reply->value.value();
  const auto calls = list_of(value, "calls");
  Message said{"assistant", {}, {}, answer.text, {}};
  for (const Value& one : calls) {
    said.calls.push_back(Data::written(json::value_text(one)));
  }
  turn.messages.push_back(Data::of(std::move(said)));
  if (turn.ended) {
    return Data::of(std::move(turn));
  }
  if (calls.empty()) {
    without_call(run, talk, turn);
  } else {
    take_calls(run, talk, state, calls, turn);
  }
  if (!turn.ended && answer.checkpoint != Checkpoint::none) {
    turn.end(Ended::checkpoint, "the window fills");
  }
  return Data::of(std::move(turn));
}

// The calls of all turns, as the loops are looked for among them.
std::string loop_in(const Conversation& talk, const State& state) {
  std::vector<budget::Call> calls;
  for (const Data& turn : state.turns) {
    for (const CallNote& one : turn.as<TurnNote>().calls) {
      const Tool* tool = find_tool(talk.tools, one.tool);
      calls.push_back(
          {one.tool, &one.arguments.value(), &one.result.value(), tool != nullptr && tool->changes && one.valid});
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
  const TurnNote& note = turn.as<TurnNote>();
  for (const Data& one : note.messages) {
    add(state.messages, one);
  }
  for (const CallNote& one : note.calls) {
    tell(talk, state, ++state.calls, one);
  }
  const bool none = !note.calls.empty() &&
                    std::none_of(note.calls.begin(), note.calls.end(), [](const CallNote& one) { return one.valid; });
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

std::span<const std::string_view> names_of(Ended) { return names; }
std::string_view ended_name(Ended ended) { return names[static_cast<std::size_t>(ended)]; }

std::span<const Field> Tool::Done::fields() {
  static constexpr Field table[] = {field<&Done::envelope>("envelope"), field<&Done::ok>("ok")};
  return table;
}

std::span<const Field> Conversed::fields() {
  static constexpr Field table[] = {
      field<&Conversed::ended>("ended"),        field<&Conversed::reason>("reason"),
      field_if_set<&Conversed::why>("why"),     field<&Conversed::text>("text"),
      field_if_set<&Conversed::value>("value"), field_if_set<&Conversed::evaluate>("evaluate"),
      field_if_set<&Conversed::left>("left"),   field<&Conversed::turns>("turns"),
      field<&Conversed::calls>("calls"),        field<&Conversed::tokens>("tokens")};
  return table;
}

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
    const TurnNote& note = turn.as<TurnNote>();
    how.tokens += note.tokens;
    spent.tokens = spent_before + how.tokens;  // the same whether the turn was taken now or is read
    how.calls += note.calls.size();
    how.text = note.text.empty() ? how.text : note.text;
    PLUMB_REQUIRE(note.ended.has_value() == note.reason.has_value(), "a turn ends as a conversation can");
    if (note.ended) {
      end(how, *note.ended, *note.reason);
      how.why = note.why;
      how.evaluate = note.evaluate;
      how.value = note.value ? Data::written(json::value_text(note.value->value())) : Data();
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

// What a conversation leaves in the journal.
Data told_of(const Conversation& talk, const State& state, Conversed how) {
  std::string text;
  json::Writer json(text);
  json.begin_object();
  if (talk.leaves) {
    std::string left;
    json::Writer inner(left);
    inner.begin_object();
    talk.leaves(inner);
    inner.end_object();
    how.left = Data::written(std::move(left));
  }
  write_fields(json, how);
  json.key("messages").raw("[" + state.messages + "]").end_object();
  return Data::written(std::move(text));
}

}  // namespace

Conversed converse(run::Run& outer, Spent& spent, const Conversation& talk) {
  const std::uint64_t before = spent.tokens;
  const Data told = outer.scope(talk.name, [&](run::Run& run) {
    State state;
    const Conversed how = take_turns(run, spent, talk, state);
    finish(run, talk, how);
    return told_of(talk, state, how);
  });
  Conversed out = told.as<Conversed>();
  out.why = run::reason_of(out.why, out.reason);
  const std::string messages = json::value_text(*told.value().find("messages"));
  out.messages = messages.substr(1, messages.size() - 2);
  spent.tokens = before + out.tokens;
  return out;
}

}  // namespace plumb::pipelines
