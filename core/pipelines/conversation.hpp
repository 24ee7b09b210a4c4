// A conversation of a model with tools and people, in a run. It is bounded and journalled turn by turn, and always
// reports how it ended.
//
//   Conversation talk;
//   talk.call.phase = "develop";  talk.call.prompt = "prompt-develop";  talk.call.variables = ...;
//   talk.tools = {{"read_file", "Reads a file of the tree.", "contract-read-file", read_file},
//                 {.name = "submit", .about = "Ends the work.", .contract = "contract-submit", .ends = true, ...}};
//   Conversed how = converse(run, spent, talk);
//   if (how.ended == Ended::submitted) use(how.value);
//
// A turn is a part of the run ("turn", "turn~2", ...). When it has ended, the model's answer and the results of its
// tools are journalled and never repeated. In a turn the model is asked (model_call.hpp: budget, window, one retry
// after an outage, the call monitor); then its calls are carried out one after the other.
//
// A tool is a row of a table: a name, a description for the model, a pinned contract for its arguments, and a function
// of the run. The contract judges the arguments before the function gets them. A tool's result is an envelope
// (tool_envelope.hpp). People join in with the signal `people`: their words since the last turn come before the next
// turn, as a message of the user. With `asks_people`, an answer without a call is a question to a person, and that
// person's reply is the next turn.
//
// With `checkpoints`, a conversation whose window fills (call_monitor.hpp) ends as `checkpoint`, and nobody is asked.
// It ends after the calls of that turn, or before them if the window is critical. Its owner then begins a fresh
// conversation with everything it must know. `carried_out` gets every call with its result, once and in order, whether
// it is made now or was made before the host restarted. So the owner's tools know the same earlier calls in both
// cases. At the end `leaves` writes what the owner keeps, and Conversed::left has it.
//
// Research does not converse: its look-up and its intake are one structured answer each, made and judged under a
// role's scorecard as a whole. Its prompts carry earlier results in fences.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget/loops.hpp"
#include "core/json/record.hpp"
#include "core/pipelines/model_call.hpp"
#include "core/pipelines/tool_envelope.hpp"

namespace plumb::pipelines {

struct Tool {
  std::string_view name;
  std::string_view about;
  std::string_view contract;  // name of a pin
  // Does the work, in a part of the run of its own, and returns the envelope. `ok` is false if it could not be done.
  struct Done {
    std::string envelope;
    bool ok = true;
    static std::span<const json::Field> fields();
  };
  std::function<Done(run::Run& run, const json::Value& arguments)> does = {};
  bool ends = false;     // the conversation ends when its work is done, and its arguments are the result
  bool changes = false;  // it changes something, so it makes sense to look again
  bool polling = false;  // it is meant to be called repeatedly
};

enum class Ended : std::uint8_t {
  submitted,   // a tool with `ends` has done its work
  answered,    // the model answered without a call
  turns,       // turns_max was reached
  tokens,      // tokens_max was reached
  time,        // time_ms_max was reached
  loop,        // the same calls were repeated without progress
  invalid,     // invalid_turns_max was reached
  person,      // a person ended it
  cancelled,   // the run was cancelled
  failed,      // the model cannot be asked any more
  checkpoint,  // its window is full
};
std::span<const std::string_view> names_of(Ended);
std::string_view ended_name(Ended ended);

struct Conversation {
  std::string_view name = "conversation";
  ModelCall call;  // phase, role, prompt, variables, provider and deadlines, for every turn
  std::vector<Tool> tools;
  // Gets each call that was carried out: the tool, its arguments, its result.
  std::function<void(std::string_view tool, const json::Value& arguments, const json::Value& envelope)> carried_out =
      {};
  std::function<void(json::Writer&)> leaves = {};  // writes members of an object
  bool checkpoints = false;
  std::string_view people = "say";  // the signal with which people join in
  bool asks_people = false;
  std::uint64_t turns_max = 20;
  std::uint64_t tokens_max = 0;            // of this conversation; 0: no bound here
  std::uint64_t time_ms_max = 0;           // from its first turn, by the stamps of the journal; 0: no bound here
  std::size_t calls_max = 16;              // in one turn; further ones are refused
  std::size_t invalid_turns_max = 3;       // consecutive turns in which no call could be carried out
  std::size_t message_bytes_max = 65'536;  // of a tool's result; the rest is cut off, which the result says
  budget::LoopSettings loops = {};
};

struct Conversed {
  Ended ended = Ended::failed;
  std::string reason;         // one sentence for people
  Reason why = Reason::none;  // over_budget or over_window: the last turn could not be asked
  std::string text;           // the model's last text
  run::Data value;            // the arguments of the tool that ended it
  run::Data left;             // an object with the members that `leaves` wrote
  bool evaluate = false;      // checkpoint at red: judge whether the work has progressed
  std::uint64_t turns = 0;
  std::uint64_t calls = 0;
  std::uint64_t tokens = 0;
  std::string messages;                          // all messages after those of the prompt: members of a JSON array
  static std::span<const json::Field> fields();  // all but `messages`
};

// Holds a conversation. At its end writes a note `conversation` {name, ended, reason, turns, calls, tokens}.
Conversed converse(run::Run& outer, Spent& spent, const Conversation& talk);

// The tools as a model gets them: [{"name", "description", "parameters"}], with their pinned contracts.
run::Data tools_json(const run::Run& run, const std::vector<Tool>& tools);

}  // namespace plumb::pipelines
