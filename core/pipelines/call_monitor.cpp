// The history of a prompt is read from the notes of the journal, those that stand before what this part has read: so it
// is the same whenever and wherever the run goes on.

#include "core/pipelines/call_monitor.hpp"

#include <algorithm>
#include <vector>

#include "core/ascii.hpp"
#include "core/budget/loops.hpp"
#include "core/budget/percent_text.hpp"
#include "core/budget/run_settings.hpp"
#include "core/budget/window.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/sha256.hpp"
#include "core/pipelines/model_call.hpp"
#include "core/pipelines/preparation.hpp"
#include "core/run/data_record.hpp"
#include "core/run/usage.hpp"

namespace plumb::pipelines {

namespace {

using json::Field;
using json::field;
using json::field_if_set;
using json::Kind;
using json::number_of;
using json::text_of;
using json::Value;
using run::Data;

constexpr std::string_view note_kind = "model_call";
constexpr std::size_t history_max = 400;  // notes that are looked through
constexpr std::size_t shown_max = 200;

const Value* settings_of(const run::Run& run) { return run.input().value().find("monitor"); }

// A part that is done again is the same part: "repair~2" is "repair".
std::string part_name(std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '~') {
      while (i + 1 < path.size() && ascii::is_digit(path[i + 1])) {
        ++i;
      }
    } else {
      out += path[i];
    }
  }
  return out;
}

std::string short_hash(std::string_view text) {
  json::Sha256 hash;
  hash.update(text);
  return hash.hex().substr(0, 16);
}

// What this call was, beside what it calls for.
struct Seen {
  std::uint64_t input_tokens = 0;  // estimated, likely
  std::uint64_t safe_tokens = 0;
  std::uint64_t output_tokens = 0;  // at most
  std::uint64_t reported = 0;       // both, by the provider
  std::string request, answer;      // hashes
};

Seen seen_of(const Value& request, const run::Reply& reply) {
  Seen out;
  const Value* messages = request.find("messages");
  const std::string asked = messages == nullptr ? std::string() : json::value_text(*messages);
  const text::TokenEstimate estimate = estimate_of(asked);
  out.input_tokens = estimate.likely;
  out.safe_tokens = estimate.safe;
  out.output_tokens = number_of(request, "output_tokens_max");
  out.request = short_hash(asked);
  if (!reply.value.is_null()) {
    const Value& value = reply.value.value();
    const run::Usage usage = run::usage_of(value);
    out.reported = usage.tokens();
    out.answer = short_hash(text_of(value, "text"));
    out.input_tokens += usage.output_tokens;
  }
  return out;
}

// The notes of earlier calls of this prompt in this part, the oldest first.
std::vector<Data> history_of(const run::Run& run, const Monitored& call) {
  const std::string part = part_name(run.path());
  std::vector<Data> out = run.notes(note_kind, history_max, [&](std::string_view key) {
    const std::string_view path = key.substr(0, key.rfind(':'));
    return path == run.path() || (path.find('~') != std::string_view::npos && part_name(path) == part) ||
           (part.size() < run.path().size() && part_name(path) == part);
  });
  out.erase(std::remove_if(out.begin(), out.end(),
                           [&](const Data& note) { return note.as<ModelCallNote>().prompt != call.prompt; }),
            out.end());
  return out;
}

struct Judged {
  budget::Monitored now;
  budget::Risks risks;
  budget::Response response = budget::Response::observe;
  bool fresh = false;  // it goes on in a fresh conversation
  std::uint64_t retries = 0;
};

// A pause that only the window calls for is a checkpoint where there may be one, and a warning to people.
void put_off(Judged& judged) {
  const budget::Pressure& pressure = judged.now.pressure;
  budget::Response others = budget::Response::observe;
  bool wanted = pressure.response == budget::Response::pause;
  for (const budget::Risk& risk : judged.risks.signals) {
    const bool window = risk.signal == budget::Signal::utilization && risk.response <= budget::Response::pause;
    wanted = wanted || (risk.known && window && risk.response == budget::Response::pause);
    others = risk.known && !window ? std::max(others, risk.response) : others;
  }
  if (!wanted || judged.response > budget::Response::pause) {
    return;
  }
  judged.response = std::max(others, budget::Response::warn);
  judged.fresh = true;
}

Judged judge(const std::vector<Data>& history, const Monitored& call, const Seen& seen,
             std::optional<std::uint64_t> window, const budget::RunSettings& settings) {
  Judged out;
  std::vector<budget::ContextSize> readings;
  std::vector<Data> texts;  // pairs of request and answer, as the loops compare them
  texts.reserve(2 * history.size() + 2);
  std::vector<budget::Call> calls;
  const auto add = [&](std::uint64_t used, std::string_view request, std::string_view answer) {
    readings.push_back({used, std::nullopt});
    texts.push_back(Data::string(request));
    texts.push_back(Data::string(answer));
    calls.push_back({call.prompt, &texts[texts.size() - 2].value(), &texts.back().value()});
  };
  out.retries = call.again ? 1 : 0;
  for (const Data& note : history) {
    const ModelCallNote& before = note.as<ModelCallNote>();
    add(before.context_tokens_used, before.request, before.answer);
    out.retries += before.again ? 1 : 0;
  }
  add(std::max(seen.input_tokens, seen.reported), seen.request, seen.answer);
  out.now = budget::monitor(readings, window, settings.thresholds);
  budget::RiskState state;
  state.retries = out.retries;
  if (window) {
    state.utilization = (out.now.context_tokens_used * budget::share_whole + *window - 1) / *window;
  }
  budget::LoopSettings loops;
  loops.near_min = 100;  // hashes are equal or say nothing
  state.loop_calls = 0;
  for (const budget::Loop& loop : budget::find_loops(calls, loops)) {
    state.loop_calls = std::max<std::uint64_t>(*state.loop_calls, loop.calls.size());
  }
  out.risks = budget::judge_risk(state, settings.policy);
  out.response = std::max(out.now.pressure.response, out.risks.response);
  if (call.checkpoints) {
    put_off(out);
  }
  return out;
}

// Why it calls for what it calls for, in a sentence for people.
std::string reason_of(const Judged& judged, std::optional<std::uint64_t> window) {
  std::string out;
  const budget::Pressure& pressure = judged.now.pressure;
  if (window && pressure.response > budget::Response::observe) {
    out = "the context takes " + json::uint_text(judged.now.context_tokens_used) + " of " + json::uint_text(*window) +
          " tokens, " + budget::percent_text(pressure.utilization) +
          " %: " + std::string(budget::color_action(pressure.color));
  }
  for (const budget::Risk& risk : judged.risks.signals) {
    const bool said = risk.signal == budget::Signal::utilization && !out.empty();
    if (risk.known && risk.response > budget::Response::observe && !said) {
      out += (out.empty() ? "" : "; ") + risk.explanation;
    }
  }
  return out;
}

CallBudget budget_of(const Seen& seen, std::optional<std::uint64_t> window) {
  CallBudget out{seen.safe_tokens, seen.output_tokens, {}, {}, "unknown"};
  if (window) {
    budget::WindowPlan plan;
    plan.profile.context_window = *window;
    plan.task = seen.safe_tokens;
    plan.output = seen.output_tokens;
    plan.available_min = 0;
    const budget::WindowBudget planned = budget::budget_window(plan);
    out.margin = planned.margin;
    out.available = Data::written(std::to_string(planned.available));
    out.fit = planned.fit == budget::Fit::fits ? "fits" : "decompose";
  }
  return out;
}

ModelCallNote note_of(const Monitored& call, const Seen& seen, const Judged& judged,
                      std::optional<std::uint64_t> window) {
  const budget::Pressure& pressure = judged.now.pressure;
  ModelCallNote out;
  out.phase = call.phase;
  out.prompt = call.prompt;
  out.role = call.role;
  out.again = call.again;
  out.window = window;
  out.budget = budget_of(seen, window);
  out.context_tokens_used = judged.now.context_tokens_used;
  out.context_utilization = window ? Data::written(budget::percent_text(pressure.utilization)) : Data();
  out.tokens_per_iteration = judged.now.tokens_per_iteration;
  out.iterations_remaining_estimate = judged.now.iterations_remaining_estimate;
  out.color = budget::color_name(pressure.color);
  out.checkpoint = pressure.checkpoint || judged.fresh;
  for (const budget::Risk& risk : judged.risks.signals) {
    if (risk.known && risk.response > budget::Response::observe) {
      out.risks.push_back({std::string(budget::signal_name(risk.signal)),
                           std::string(budget::response_name(risk.response)), risk.explanation});
    }
  }
  out.response = budget::response_name(judged.response);
  out.goes_on = judged.fresh ? "in a fresh conversation" : "";
  out.reason = reason_of(judged, window);
  out.request = seen.request;
  out.answer = seen.answer;
  return out;
}

// Waits for a person; the run ends where that person wants it.
void ask_person(run::Run& run, const Monitored& call, budget::Response response, std::string_view reason) {
  const bool paused = response == budget::Response::pause;
  run::Effect effect;
  effect.kind = run::EffectKind::person;
  effect.request = [&] {
    std::string out;
    json::Writer json(out);
    json.begin_object();
    json.member("question", std::string(paused ? "The run is paused" : "The run asks whether to go on") + " (" +
                                std::string(call.phase) + "): " + std::string(reason));
    json.member("kind", "choice").key("options").begin_array().string("go on").string("stop").end_array();
    json.member("reason", reason).member("signal", paused ? "resume" : "escalation");
    json.member("response", budget::response_name(response)).member("phase", call.phase).end_object();
    return Data::written(std::move(out));
  };
  const run::Reply& reply = run.ask(effect);
  const std::string_view said = reply.ok() ? text_of(reply.value.value(), "decision") : std::string_view();
  if (said == "stop" || said == "2") {
    Error error;
    error.code = ErrorCode::unavailable;
    error.message = "stopped by a person: " + std::string(reason);
    run.stop(std::move(error));
  }
}

// The attempts of questions that nobody has answered.
std::vector<const run::Entry*> open_entries(const run::Journal& journal) {
  std::vector<const run::Entry*> open;
  for (const run::Entry& entry : journal.entries()) {
    if (entry.kind == run::EntryKind::attempt && entry.name == "person" && entry.count <= 1 &&
        entry.data.value().find("response") != nullptr) {
      open.push_back(&entry);
    } else if (entry.kind == run::EntryKind::end) {
      open.clear();
    } else if (entry.kind == run::EntryKind::reply && !open.empty()) {
      const auto answered = [&](const run::Entry* one) { return one->key == entry.key; };
      open.erase(std::remove_if(open.begin(), open.end(), answered), open.end());
    }
  }
  return open;
}

}  // namespace

std::span<const Field> CallBudget::fields() {
  static constexpr Field table[] = {field<&CallBudget::input_tokens>("input_tokens"),
                                    field<&CallBudget::output_tokens>("output_tokens"),
                                    field_if_set<&CallBudget::margin>("margin"),
                                    field_if_set<&CallBudget::available>("available"), field<&CallBudget::fit>("fit")};
  return table;
}

std::span<const Field> CallRisk::fields() {
  static constexpr Field table[] = {field<&CallRisk::signal>("signal"), field<&CallRisk::response>("response"),
                                    field<&CallRisk::explanation>("explanation")};
  return table;
}

std::span<const Field> ModelCallNote::fields() {
  static constexpr Field table[] = {
      field<&ModelCallNote::phase>("phase"),
      field<&ModelCallNote::prompt>("prompt"),
      field_if_set<&ModelCallNote::role>("role"),
      field<&ModelCallNote::again>("again"),
      field<&ModelCallNote::window>("window"),
      field<&ModelCallNote::budget>("budget"),
      field<&ModelCallNote::context_tokens_used>("context_tokens_used"),
      field<&ModelCallNote::context_utilization>("context_utilization"),
      field<&ModelCallNote::tokens_per_iteration>("tokens_per_iteration"),
      field<&ModelCallNote::iterations_remaining_estimate>("iterations_remaining_estimate"),
      field<&ModelCallNote::color>("color"),
      field<&ModelCallNote::checkpoint>("checkpoint"),
      field<&ModelCallNote::risks>("risks"),
      field<&ModelCallNote::response>("response"),
      field_if_set<&ModelCallNote::goes_on>("goes_on"),
      field<&ModelCallNote::reason>("reason"),
      field<&ModelCallNote::request>("request"),
      field<&ModelCallNote::answer>("answer"),
  };
  return table;
}

text::TokenEstimate estimate_of(std::string_view text) {
  constexpr std::size_t whole_max = std::size_t{64} << 10U;
  constexpr std::size_t piece = 4096;
  constexpr std::size_t pieces = 16;
  if (text.size() <= whole_max) {
    return text::estimate_tokens(text);
  }
  text::TokenEstimate sum;
  for (std::size_t i = 0; i < pieces; ++i) {
    const text::TokenEstimate one = text::estimate_tokens(text.substr(text.size() / pieces * i, piece));
    sum.likely += one.likely;
    sum.safe += one.safe;
  }
  const std::uint64_t bytes = piece * pieces;
  return {sum.likely * text.size() / bytes + 1, sum.safe * text.size() / bytes + 1};
}

std::optional<std::uint64_t> window_of_phase(const run::Run& run, std::string_view phase) {
  const Value* settings = settings_of(run);
  const Value* windows = settings == nullptr ? nullptr : settings->find("windows");
  const std::uint64_t window = windows == nullptr ? 0 : number_of(*windows, phase);
  return window == 0 ? std::nullopt : std::optional(window);
}

std::optional<std::uint64_t> answer_within(std::optional<std::uint64_t> window, std::uint64_t input_tokens,
                                           std::uint64_t wanted, std::uint64_t least) {
  if (!window || input_tokens + wanted <= *window) {
    return wanted;
  }
  if (input_tokens + least > *window) {
    return std::nullopt;
  }
  return *window - input_tokens;
}

Checkpoint monitor_call(run::Run& run, const Monitored& call, const run::Reply& reply) {
  const Value* given = settings_of(run);
  if (given == nullptr || reply.status == run::Status::cancelled) {
    return Checkpoint::none;
  }
  const Data note = run.note(note_kind, [&] {
    std::string own;
    json::Writer json(own);
    json.begin_object();
    for (const std::string_view name : {"policy", "thresholds"}) {
      if (const Value* found = given->find(name)) {
        json.key(name).value(*found);
      }
    }
    json.end_object();
    json::Arena arena;
    const Result<Value> value = json::parse(own, arena);
    const Result<budget::RunSettings> settings =
        value ? budget::read_run_settings(value.value()) : Result<budget::RunSettings>(value.error());
    const Seen seen = seen_of(run.request_of(reply).value(), reply);
    const std::optional<std::uint64_t> window = window_of_phase(run, call.phase);
    const Judged judged =
        judge(history_of(run, call), call, seen, window, settings ? settings.value() : budget::RunSettings{});
    return Data::of(note_of(call, seen, judged, window));
  });
  const ModelCallNote& said = note.as<ModelCallNote>();
  const budget::Response response = budget::response_named(said.response).value_or(budget::Response::observe);
  const std::string& reason = said.reason;
  if (!call.only_noted && response == budget::Response::halt) {
    Error error;
    error.code = ErrorCode::limit;
    error.message = "halted: " + reason;
    run.stop(std::move(error));
  }
  if (!call.only_noted && response >= budget::Response::pause) {
    ask_person(run, call, response, reason);
  }
  if (!call.checkpoints || said.goes_on.empty()) {
    return Checkpoint::none;
  }
  return said.color == budget::color_name(budget::Color::critical) ? Checkpoint::at_once
         : said.color == budget::color_name(budget::Color::red)    ? Checkpoint::evaluate
                                                                   : Checkpoint::due;
}

Result<bool> write_monitor(json::Writer& json, const Value& providers, const Texts& texts) {
  json::Arena arena;
  const Result<Value> given = json::parse(texts.monitor.empty() ? std::string_view("{}") : texts.monitor, arena);
  if (!given) {
    return given.error();
  }
  if (const Result<budget::RunSettings> read = budget::read_run_settings(given.value()); !read) {
    Error error = read.error();
    error.where = "budget" + error.where;
    return error;
  }
  json.key("monitor").begin_object().key("windows").begin_object();
  for (const json::Member& member : providers.object()) {
    const Result<std::uint64_t> window =
        window_of(texts, member.value.is(Kind::string) ? member.value.str() : std::string_view());
    if (!window) {
      return window.error();
    }
    if (window.value() > 0) {
      json.member_uint(member.key, window.value());
    }
  }
  json.end_object();
  for (const json::Member& member : given.value().object()) {
    json.key(member.key).value(member.value);
  }
  json.end_object();
  return true;
}

void write_call_limits(json::Writer& json, const Texts& texts) {
  if (texts.limits.empty()) {
    return;
  }
  json.key("call_limits").begin_object();
  for (const PhaseLimits& one : texts.limits) {
    write_record(json.key(one.phase), CallLimits{one.idle_ms, one.total_ms});
  }
  json.end_object();
}

std::vector<Question> open_questions(const run::Journal& journal) {
  std::vector<Question> out;
  for (const run::Entry* entry : open_entries(journal)) {
    out.push_back({entry->key, std::string(text_of(entry->data.value(), "question"))});
  }
  return out;
}

std::string monitored_json(const run::Journal& journal) {
  std::vector<const Value*> notes;
  std::vector<std::pair<std::string, std::uint64_t>> responses;
  const Value* fullest = nullptr;
  std::uint64_t calls = 0;
  std::uint64_t most = 0;
  for (const run::Entry& entry : journal.entries()) {
    if (entry.kind != run::EntryKind::note || entry.name != note_kind) {
      continue;
    }
    ++calls;
    const Value& note = entry.data.value();
    const std::uint64_t window = number_of(note, "window");
    const std::uint64_t used = window == 0 ? 0 : budget::share_of(number_of(note, "context_tokens_used"), window);
    if (window > 0 && (fullest == nullptr || used > most)) {
      fullest = &note;
      most = used;
    }
    const std::string response(text_of(note, "response"));
    const auto same =
        std::find_if(responses.begin(), responses.end(), [&](const auto& one) { return one.first == response; });
    same == responses.end() ? responses.emplace_back(response, 1) : * same = {response, same->second + 1};
    if (response != "observe") {
      notes.push_back(&note);
    }
  }
  if (calls == 0) {
    return {};
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member_uint("calls", calls).key("responses").begin_object();
  for (const auto& [response, count] : responses) {
    json.member_uint(response, count);
  }
  json.end_object().key("context_utilization");
  if (fullest == nullptr) {
    json.null();
  } else {
    json.raw(budget::percent_text(most)).member("phase", text_of(*fullest, "phase"));
  }
  json.key("open").begin_array();
  for (const run::Entry* entry : open_entries(journal)) {
    json.begin_object().member("key", entry->key).member("question", text_of(entry->data.value(), "question"));
    json.member("response", text_of(entry->data.value(), "response")).end_object();
  }
  json.end_array().key("notes").begin_array();
  for (std::size_t i = notes.size() > shown_max ? notes.size() - shown_max : 0; i < notes.size(); ++i) {
    json.begin_object();
    for (const std::string_view name :
         {"phase", "prompt", "window", "context_tokens_used", "context_utilization", "tokens_per_iteration",
          "iterations_remaining_estimate", "color", "response", "reason"}) {
      if (const Value* found = notes[i]->find(name)) {
        json.key(name).value(*found);
      }
    }
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace plumb::pipelines
