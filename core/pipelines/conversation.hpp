// A conversation of a model with tools and people, in a run: bounded, journalled turn by turn, and always told how it
// ended.
//
//   Conversation talk;
//   talk.call.phase = "develop";  talk.call.prompt = "prompt-develop";  talk.call.variables = ...;
//   talk.tools = {{"read_file", "Reads a file of the tree.", "contract-read-file", read_file},
//                 {.name = "submit", .about = "Ends the work.", .contract = "contract-submit", .ends = true, ...}};
//   Conversed how = converse(run, spent, talk);
//   if (how.ended == Ended::submitted) use(how.value);
//
// A turn is a part of the run ("turn", "turn~2", ...): what a model said and what its tools answered is journalled when
// the turn has ended, and nothing of it is done again. In a turn the model is asked (model_call.hpp: budget, window,
// one more try where the world failed, the call monitor), then its calls are carried out one after the other.
//
// A tool is a row of a table: a name, what the model is told of it, a pinned contract of its arguments, a function of
// the run. Arguments are judged by the contract before the function sees them; what a tool answers is an envelope
// (tool_envelope.hpp). People join in with the signal `people`: what they said since the last turn stands before the
// next one, as words of the user. With `asks_people` an answer without a call is a question to a person, and what that
// person says is the next turn.
//
// With `checkpoints` a conversation whose window fills (call_monitor.hpp) ends as `checkpoint`, and nobody is asked:
// after the calls of that turn, or before them where the window is critical. Who holds it begins a fresh one with what
// has to be known. What calls came to is told to `carried_out`, each once and in their order, whether they are made now
// or were made before the host was begun anew: what the tools of a holder know of earlier calls is the same in both.
// When it is over `leaves` writes what the holder keeps of it, and it is read from `left`.
//
// Research does not converse: its look-up and its intake are one structured answer each, made and judged under a role's
// scorecard as a whole, and its prompts carry what came before in fences.
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
  std::string_view contract;  // a pin
  // Does it, in a part of the run of its own, and gives the envelope. `ok` false: it did not come to it.
  struct Done {
    std::string envelope;
    bool ok = true;
    static std::span<const json::Field> fields();
  };
  std::function<Done(run::Run& run, const json::Value& arguments)> does = {};
  bool ends = false;     // the conversation is over when it has done its work: its arguments are the result
  bool changes = false;  // something: it makes sense to look again
  bool polling = false;  // it is meant to be called again and again
};

enum class Ended : std::uint8_t {
  submitted,   // a tool that ends it has done its work
  answered,    // the model said something and called nothing
  turns,       // as many as there may be
  tokens,      // as many as may be spent
  time,        // as long as it may take
  loop,        // the same calls again and again
  invalid,     // turn after turn of calls that cannot be carried out
  person,      // somebody ended it
  cancelled,   // the run was
  failed,      // the model cannot be asked any more
  checkpoint,  // its window fills
};
std::span<const std::string_view> names_of(Ended);
std::string_view ended_name(Ended ended);

struct Conversation {
  std::string_view name = "conversation";
  ModelCall call;  // phase, role, prompt, variables, provider, deadlines; what is asked in every turn
  std::vector<Tool> tools;
  // A call that was carried out: the tool, its arguments, what it answered.
  std::function<void(std::string_view tool, const json::Value& arguments, const json::Value& envelope)> carried_out =
      {};
  std::function<void(json::Writer&)> leaves = {};  // members
  bool checkpoints = false;
  std::string_view people = "say";  // the signal by which people join in
  bool asks_people = false;
  std::uint64_t turns_max = 20;
  std::uint64_t tokens_max = 0;            // of this conversation; 0: not bounded here
  std::uint64_t time_ms_max = 0;           // from its first turn, by the stamps of the journal; 0: not bounded here
  std::size_t calls_max = 16;              // of one turn; more are refused
  std::size_t invalid_turns_max = 3;       // one after the other in which no call could be carried out
  std::size_t message_bytes_max = 65'536;  // of what a tool answers; more is cut, and says so
  budget::LoopSettings loops = {};
};

struct Conversed {
  Ended ended = Ended::failed;
  std::string reason;         // one sentence for people
  Reason why = Reason::none;  // over_budget or over_window: the last turn could not be asked
  std::string text;           // what the model said last
  run::Data value;            // of a tool that ended it: its arguments
  run::Data left;             // an object: what `leaves` has written
  bool evaluate = false;      // checkpoint at red: judge whether the work has progressed
  std::uint64_t turns = 0;
  std::uint64_t calls = 0;
  std::uint64_t tokens = 0;
  std::string messages;                          // all of them after those of the prompt: members of a JSON array
  static std::span<const json::Field> fields();  // but `messages`
};

// Writes a note `conversation` {name, ended, reason, turns, calls, tokens} when it has ended.
Conversed converse(run::Run& outer, Spent& spent, const Conversation& talk);

// What a model is told of the tools: [{"name", "description", "parameters"}], with their pinned contracts.
run::Data tools_json(const run::Run& run, const std::vector<Tool>& tools);

}  // namespace plumb::pipelines
