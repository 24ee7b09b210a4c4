// plumb-runs.wasm: runs and their journals (core/run, core/pipelines) and the provider without a model (core/extract),
// behind the C ABI of wasm/abi.hpp. wasm/package/src/runs.ts loads it when a run is wanted.
//
// A run is a number; so is a journal that is only looked at. The calls of a run are those of Machine
// (core/run/machine.hpp) and in its order: step, take, wanted, attempt, take, reply, take, step. What take() gives are
// lines of a journal file (core/run/journal_file.hpp). A reply crosses the border once, and so does a request: wanted()
// gives what is not under way. Times are whole milliseconds since 1970, as a JavaScript number.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/extract/task.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/pipelines/prompt.hpp"
#include "core/result.hpp"
#include "core/run/journal_file.hpp"
#include "core/run/machine.hpp"
#include "core/run/replay.hpp"
#include "wasm/abi.hpp"
#include "wasm/pipelines.hpp"
#include "wasm/read_json.hpp"
#include "wasm/slots.hpp"

namespace {

using plumb::Error;
using plumb::ErrorCode;
using plumb::Result;
using plumb::json::Value;
using plumb::json::Writer;
using plumb::pipelines::Known;
using namespace plumb::run;
using namespace plumb::wasm;

struct RunSlot {
  const Known* known = nullptr;
  Machine machine;
};

struct JournalSlot {
  const Known* known = nullptr;  // nullptr: of a pipeline that this module does not have
  Journal journal;
  JournalFile file;
};

struct Host {
  Slots<std::unique_ptr<RunSlot>> runs;
  Slots<std::unique_ptr<JournalSlot>> journals;
};

Host& host() {
  static Host one;
  return one;
}

std::uint64_t stamp(double now) { return now > 0 && now < 9e15 ? static_cast<std::uint64_t>(now) : 0; }

const Known* known_by(std::string_view name) {
  for (const Known& one : module_pipelines()) {
    if (one.pipeline.name == name) {
      return &one;
    }
  }
  return nullptr;
}

Error no_such_pipeline(std::string_view name) {
  std::string names;
  for (const Known& one : module_pipelines()) {
    names += names.empty() ? "" : ", ";
    names += one.pipeline.name;
  }
  return Error{ErrorCode::not_found,
               "there is no pipeline '" + plumb::json::excerpt(name, 100) + "'; there are: " + names, "", 0, 0};
}

// Exactly as it was written; `text` is what `value` was read from.
Data slice(std::string_view text, const Value* value) {
  return value == nullptr ? Data()
                          : Data::written(std::string(text.substr(static_cast<std::size_t>(value->from),
                                                                  static_cast<std::size_t>(value->to - value->from))));
}

// Texts of the caller by name, in the place of built-in ones.
plumb::pipelines::Texts::Find finder(const Value& request, std::string_view key,
                                     const std::string_view* (*built_in)(std::string_view name)) {
  if (read_members(request, key).empty()) {
    return {};
  }
  return [&request, key, built_in](std::string_view name) -> Result<std::string> {
    for (const plumb::json::Member& member : read_members(request, key)) {
      if (member.key == name && member.value.is(plumb::json::Kind::string)) {
        return std::string(member.value.str());
      }
    }
    if (const std::string_view* text = built_in(name)) {
      return std::string(*text);
    }
    return Error{ErrorCode::not_found,
                 "'" + std::string(name) + "' is not among the " + std::string(key) +
                     " that were given, and not built in either",
                 "", 0, 0};
  };
}

plumb::pipelines::Texts texts_of(const Value& request) {
  plumb::pipelines::Texts texts;
  texts.contract = finder(request, "contracts", [](std::string_view name) -> const std::string_view* {
    const plumb::contract::BuiltIn* found = plumb::contract::built_in_contract(name);
    return found == nullptr ? nullptr : &found->text;
  });
  texts.prompt = finder(request, "prompts", [](std::string_view name) -> const std::string_view* {
    const plumb::pipelines::BuiltInPrompt* found = plumb::pipelines::built_in_prompt(name);
    return found == nullptr ? nullptr : &found->text;
  });
  return texts;
}

MachineOptions options_of(const Value& request) {
  MachineOptions options;
  options.strict = read_flag(request, "strict");
  options.bounds.entries_max = read_uint(request, "entriesMax", options.bounds.entries_max);
  options.bounds.bytes_max = read_uint(request, "bytesMax", options.bounds.bytes_max);
  return options;
}

// {version, pipelines: [{name, version, purpose}], effects: [{kind, capability}]}
Result<std::string> about(const Value&) {
  std::string out;
  Writer json(out);
  json.begin_object().member("version", PLUMB_VERSION).key("pipelines").begin_array();
  for (const Known& one : module_pipelines()) {
    json.begin_object().member("name", one.pipeline.name).member_uint("version", one.pipeline.version);
    json.member("purpose", one.purpose).end_object();
  }
  json.end_array().key("effects").begin_array();
  for (const EffectType& one : effect_types()) {
    json.begin_object().member("kind", one.name).member("capability", one.capability).end_object();
  }
  json.end_array().end_object();
  return out;
}

Result<std::string> keep(RunSlot slot) {
  const std::string id = slot.machine.id();
  const std::uint32_t number = host().runs.keep(std::make_unique<RunSlot>(std::move(slot)));
  if (number == 0) {
    return Error{ErrorCode::limit, "there are " + std::to_string(slots_max) + " runs, the most there may be", "", 0, 0};
  }
  std::string out;
  Writer(out).begin_object().member_uint("run", number).member("id", id).end_object();
  return out;
}

// {pipeline, id, request, now, strict?, entriesMax?, bytesMax?, contracts?: {name: text}, prompts?: {name: text}} gives
// {run, id}.
Result<std::string> start(const Value& request) {
  const Known* known = known_by(view_text(request, "pipeline"));
  if (known == nullptr) {
    return no_such_pipeline(view_text(request, "pipeline"));
  }
  const Value* input = request.find("request");
  if (input == nullptr) {
    return Error{ErrorCode::invalid_argument, "a run begins with a request", "", 0, 0};
  }
  Result<plumb::pipelines::Prepared> prepared = known->prepare(*input, texts_of(request));
  if (!prepared) {
    return prepared.error();
  }
  return keep(
      {known, Machine::start(known->pipeline, read_text(request, "id"), prepared.value().input,
                             std::move(prepared.value().pins), options_of(request), read_uint(request, "now"))});
}

// The journal file and, behind it, the options: {now, strict?, entriesMax?, bytesMax?}.
Result<std::string> resume(std::string_view text, const Value& options) {
  const Result<JournalFile> read = JournalFile::read(text);
  if (!read) {
    return read.error();
  }
  Result<Journal> journal = read.value().journal();
  if (!journal) {
    return journal.error();
  }
  const Known* known = known_by(journal.value().begin().name);
  if (known == nullptr) {
    return no_such_pipeline(journal.value().begin().name);
  }
  Result<Machine> machine =
      Machine::resume(known->pipeline, std::move(journal).value(), options_of(options), read_uint(options, "now"));
  if (!machine) {
    return machine.error();
  }
  return keep({known, std::move(machine).value()});
}

// {journal, id, pipeline, known}
Result<std::string> open(std::string_view text, const Value&) {
  Result<JournalFile> file = JournalFile::read(text);
  if (!file) {
    return file.error();
  }
  Result<Journal> journal = file.value().journal();
  if (!journal) {
    return journal.error();
  }
  const Known* known = known_by(journal.value().begin().name);
  const std::string name = journal.value().begin().name;
  const Value* id = journal.value().begin().data.value().find("run");
  const std::string run = id == nullptr ? std::string() : std::string(id->str());
  const std::uint32_t number = host().journals.keep(
      std::make_unique<JournalSlot>(JournalSlot{known, std::move(journal).value(), std::move(file).value()}));
  if (number == 0) {
    return Error{ErrorCode::limit, "there are " + std::to_string(slots_max) + " journals, the most there may be", "", 0,
                 0};
  }
  std::string out;
  Writer json(out);
  json.begin_object().member_uint("journal", number).member("id", run).member("pipeline", name);
  json.member_boolean("known", known != nullptr).end_object();
  return out;
}

// What begins with a text and options: one behind the other in the buffer.
std::uint32_t with_file(std::uint32_t file_size, std::uint32_t options_size,
                        Result<std::string> (*call)(std::string_view text, const Value& options)) {
  plumb::json::Arena arena;
  const std::string_view file = input(0, file_size);
  Result<std::string> told = call(file, plumb::wasm::options(input(file_size, options_size), arena));
  if (!told) {
    return fail(told.error());
  }
  std::string& out = new_result();
  out = std::move(told).value();
  give(out);
  return 1;
}

std::string lines_json(const std::vector<plumb::pipelines::LogLine>& lines) {
  std::string out;
  Writer json(out);
  json.begin_array();
  for (const plumb::pipelines::LogLine& line : lines) {
    json.begin_object().member_uint("entry", line.entry).member_uint("at", line.at_ms).member("text", line.text);
    json.end_object();
  }
  json.end_array();
  return out;
}

void give_text(std::string text) {
  std::string& out = new_result();
  out = std::move(text);
  give(out);
}

Machine& machine(std::uint32_t run) { return host().runs[run]->machine; }

}  // namespace

PLUMB_EXPORT(plumb_runs_about)(std::uint32_t size)->std::uint32_t { return answer(size, about); }

PLUMB_EXPORT(plumb_run_start)(std::uint32_t size)->std::uint32_t { return answer(size, start); }
PLUMB_EXPORT(plumb_run_resume)(std::uint32_t file_size, std::uint32_t options_size)->std::uint32_t {
  return with_file(file_size, options_size, resume);
}
PLUMB_EXPORT(plumb_run_free)(std::uint32_t run)->void { host().runs.free(run); }

// The State as a number: waiting, done, failed, cancelled.
PLUMB_EXPORT(plumb_run_step)(std::uint32_t run, double now)->std::uint32_t {
  return static_cast<std::uint32_t>(machine(run).step(stamp(now)));
}

// What is to be stored: lines of a journal file, as many as there are new ones.
PLUMB_EXPORT(plumb_run_take)(std::uint32_t run)->void {
  std::string& out = new_result();
  for (const Stored& one : machine(run).take()) {
    append_to_file(out, one);
  }
  give(out);
}

// [{key, kind, request, deadlineMs, attempts, sinceMs}]: what is to be begun.
PLUMB_EXPORT(plumb_run_wanted)(std::uint32_t run)->void {
  std::string& out = new_result();
  Writer json(out);
  json.begin_array();
  for (const Want& want : machine(run).wanted()) {
    json.begin_object().member("key", want.key).member("kind", effect_type(want.kind).name);
    json.key("request").raw(want.request.text()).member_uint("deadlineMs", want.deadline_ms);
    json.member_uint("attempts", want.attempts).member_uint("sinceMs", want.since_ms).end_object();
  }
  json.end_array();
  give(out);
}

// [key]: under way and no longer wanted.
PLUMB_EXPORT(plumb_run_abandoned)(std::uint32_t run)->void {
  std::string& out = new_result();
  Writer json(out);
  json.begin_array();
  for (const std::string& key : machine(run).abandoned()) {
    json.string(key);
  }
  json.end_array();
  give(out);
}

// The text in the buffer is the key. 1, or 0 when it is not wanted any more.
PLUMB_EXPORT(plumb_run_attempt)(std::uint32_t run, std::uint32_t size, double now)->std::uint32_t {
  return machine(run).attempt(input(0, size), stamp(now)) ? 1 : 0;
}

// {key, status, error?, value?} in the buffer. 1; 0 when there is a reply already; 2 with the error in the frame when
// it is no reply.
PLUMB_EXPORT(plumb_run_reply)(std::uint32_t run, std::uint32_t size, double now)->std::uint32_t {
  const std::string_view text = input(0, size);
  plumb::json::Arena arena;
  const Result<Value> parsed = plumb::json::parse(text, arena);
  if (!parsed) {
    fail(parsed.error());
    return 2;
  }
  Reply reply;
  if (!status_of(view_text(parsed.value(), "status"), reply.status)) {
    fail(Error{ErrorCode::invalid_argument, "a reply's status is ok, failed, timed_out, cancelled or interrupted",
               "/status", 0, 0});
    return 2;
  }
  reply.error = read_text(parsed.value(), "error");
  reply.value = slice(text, parsed.value().find("value"));
  return machine(run).reply(view_text(parsed.value(), "key"), std::move(reply), stamp(now)) ? 1 : 0;
}

// {name, value} in the buffer. 1; 0 when the run has ended or its journal is full.
PLUMB_EXPORT(plumb_run_signal)(std::uint32_t run, std::uint32_t size, double now)->std::uint32_t {
  const std::string_view text = input(0, size);
  plumb::json::Arena arena;
  const Value signal = options(text, arena);
  return machine(run).signal(view_text(signal, "name"), slice(text, signal.find("value")), stamp(now)) ? 1 : 0;
}

// The text in the buffer says why.
PLUMB_EXPORT(plumb_run_cancel)(std::uint32_t run, std::uint32_t size, double now)->void {
  machine(run).cancel(input(0, size), stamp(now));
}

// {state, value?, error?: {code, message, where}}
PLUMB_EXPORT(plumb_run_result)(std::uint32_t run)->void {
  const Machine& ended = machine(run);
  std::string& out = new_result();
  Writer json(out);
  json.begin_object().member("state", state_name(ended.state()));
  if (ended.state() == State::failed) {
    const Error& error = ended.error();
    json.key("error").begin_object().member("code", plumb::error_code_name(error.code));
    json.member("message", error.message).member("where", error.where).end_object();
  } else if (ended.state() != State::waiting) {
    json.key("value").raw(ended.result().is_null() ? "null" : ended.result().text());
  }
  json.end_object();
  give(out);
}

// What the run has come to, as its pipeline tells it: one JSON object.
PLUMB_EXPORT(plumb_run_view)(std::uint32_t run)->void {
  const RunSlot& slot = *host().runs[run];
  give_text(slot.known->view(slot.machine.journal()));
}
// [{entry, at, text}]: the lines for people, of entries from number `from` on.
PLUMB_EXPORT(plumb_run_log)(std::uint32_t run, std::uint32_t from)->void {
  const RunSlot& slot = *host().runs[run];
  give_text(lines_json(slot.known->log(slot.machine.journal(), from)));
}

// A journal to look at: the file, and {} behind it. Of any pipeline; one that is not known has no view and no log.
PLUMB_EXPORT(plumb_journal_open)(std::uint32_t file_size, std::uint32_t options_size)->std::uint32_t {
  return with_file(file_size, options_size, open);
}
PLUMB_EXPORT(plumb_journal_free)(std::uint32_t journal)->void { host().journals.free(journal); }
// The state of the run when it had `count` entries.
PLUMB_EXPORT(plumb_journal_view)(std::uint32_t journal, std::uint32_t count)->void {
  const JournalSlot& slot = *host().journals[journal];
  give_text(slot.known == nullptr ? "null" : slot.known->view(slot.journal.prefix(count)));
}
PLUMB_EXPORT(plumb_journal_log)(std::uint32_t journal)->void {
  const JournalSlot& slot = *host().journals[journal];
  give_text(slot.known == nullptr ? "[]" : lines_json(slot.known->log(slot.journal, 0)));
}
// {same, entries, stored?, now?}: made again, and held against what is stored. 0 with the error.
PLUMB_EXPORT(plumb_journal_replay)(std::uint32_t journal)->std::uint32_t {
  const JournalSlot& slot = *host().journals[journal];
  if (slot.known == nullptr) {
    return fail(no_such_pipeline(slot.journal.begin().name));
  }
  const Result<Replayed> again = replay(slot.known->pipeline, slot.file);
  if (!again) {
    return fail(again.error());
  }
  std::string& out = new_result();
  Writer json(out);
  json.begin_object().member_boolean("same", again.value().same).member_uint("entries", again.value().entries);
  if (!again.value().same) {
    json.member("stored", again.value().stored).member("now", again.value().now);
  }
  json.end_object();
  give(out);
  return 1;
}

// The reply to a model effect of the provider without a model: the request in the buffer, the value of the reply out.
PLUMB_EXPORT(plumb_extract)(std::uint32_t size)->std::uint32_t { return answer(size, plumb::extract::reply_to); }
