#include "core/pipelines/artifact/job.hpp"
#include "core/pipelines/artifact/version.hpp"

#include <algorithm>

#include "core/contract/render.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/run/reasons.hpp"
#include "core/text/language.hpp"
#include "core/text/tokens.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::artifact {

namespace {

using json::Kind;
using json::Value;

constexpr std::size_t prose_shown_max = 160;

}  // namespace

Job read_job(const run::Data& input) {
  const Value& value = input.value();
  const auto set = json::record_of<Settings>(value);
  Job job;
  job.type = set.type;
  job.input = &value;
  job.chunks = value.find("chunks");
  job.way = set.way;
  job.token_budget = set.token_budget;
  job.patches = set.repair == "patch";
  job.passes_unverified = set.on_unverified == "pass";
  job.salvages = set.salvage;
  job.early_stop = set.early_stop == "finding" ? "finding" : "degenerate";
  job.count = set.count;
  job.language = set.language;
  if (const Value* judged_by = value.find("judged_by")) {
    job.judged_by = json::record_of<JudgeStanding>(*judged_by);
  }
  const Value* limits = value.find("limits_ms");
  const Value* providers = value.find("providers");
  const Value* monitor = value.find("monitor");
  const Value* windows = monitor == nullptr ? nullptr : monitor->find("windows");
  for (std::size_t i = 0; i < phase_names.size(); ++i) {
    if (limits != nullptr) {  // of a run of the first way
      job.limits[i] = {0, number_of(*limits, phase_names[i], job.limits[i].total_ms)};
    }
    job.windows[i] = windows == nullptr ? 0 : number_of(*windows, phase_names[i], 0);
    job.free[i] = providers != nullptr && text_of(*providers, phase_names[i]) == "extract";
  }
  return job;
}

run::Data cancelled_result() { return run::Data::written(R"({"cancelled":"on request"})"); }

Error failed(std::string message, Reason reason) {
  Error error;
  error.reason = reason;
  error.code = ErrorCode::unavailable;
  error.message = std::move(message);
  return error;
}

std::uint64_t answer_tokens(std::uint64_t items) {
  constexpr std::uint64_t item_tokens = 160;
  constexpr std::uint64_t frame_tokens = 200;
  return items == 0 ? 0 : items * item_tokens + frame_tokens;
}

std::string stopped_by(const Job& job, const Answer& answer) {
  return answer.stopped.empty() && answer.at_limit && job.way >= 2 ? "length" : answer.stopped;
}

namespace {

// Whether an answer is prose without any JSON.
bool is_prose(const run::Run& run, const Call& what, const Answer& answer) {
  return !what.contract.empty() && answer.error.empty() && answer.stopped.empty() && !answer.at_limit &&
         answer.text.find_first_of("{[") == std::string::npos &&
         strict_json(run.contract(what.contract), answer.text).empty();
}

ModelCall model_call_of(const Job& job, const Call& what) {
  const auto phase = static_cast<std::size_t>(what.phase);
  ModelCall out;
  out.phase = phase_names[phase];
  out.prompt = what.prompt;
  out.contract = what.contract;
  out.early_stop = what.early_stop;
  out.deadline_ms = job.limits[phase].total_ms;
  out.idle_ms = job.limits[phase].idle_ms;
  out.output_tokens_min = what.output_tokens_min;
  out.output_tokens_usual = what.output_tokens_usual;
  out.token_budget = job.token_budget;
  out.free = job.free[phase];
  out.bolder = what.bolder;
  out.feedback = what.feedback;
  out.says_why = job.way >= 3;
  out.shape = what.shape;
  out.variables = what.variables;
  out.task = what.task;
  return out;
}

}  // namespace

Answer call(run::Run& run, const Job& job, Spent& spent, const Call& what) {
  ModelCall asked = model_call_of(job, what);
  Answer out = call_model(run, spent, asked);
  if (job.way < 3 || asked.free || !is_prose(run, what, out)) {
    return out;
  }
  const bool last = out.tries > 1 || !what.feedback.empty();
  const auto said = [](const Answer& answer) {
    return "the model answered without JSON: " + json::excerpt(answer.text, prose_shown_max);
  };
  if (!last) {
    run.emit("retry", run::Data::of(RetryNote{std::string(asked.phase), said(out), 0}));
    asked.feedback =
        "Your last answer could not be used: it was prose, not JSON. Answer with the JSON value and nothing else.";
    out = call_model(run, spent, asked);
  }
  if (is_prose(run, what, out)) {
    out.error = said(out);
    out.refused = true;
  }
  return out;
}

std::string classes_text(const contract::Verdict& verdict) {
  constexpr std::array<std::string_view, 4> advice = {"form: %: give each field the form that its `requirement` states",
                                                      "reference: %: use a value that exists, such as one of `allowed`",
                                                      "count: %: keep to the number that the `requirement` states",
                                                      "meaning: %: say only what the source says"};
  std::array<std::uint64_t, 4> counts = {};
  for (const contract::Finding& finding : verdict.findings) {
    if (finding.severity == contract::Severity::error && finding.shadowed_by == 0) {
      ++counts[static_cast<std::size_t>(finding.finding_class)];
    }
  }
  std::string out;
  for (std::size_t i = 0; i < advice.size(); ++i) {
    if (counts[i] > 0) {
      std::string line(advice[i]);
      line.replace(line.find('%'), 1, counted(counts[i], "issue"));
      out += (out.empty() ? "* " : "\n* ") + line;
    }
  }
  return out;
}

std::string fenced_feedback(const contract::Verdict& verdict, std::string_view action, std::string_view text) {
  const std::string feedback = contract::render_llm(verdict, {}, action, text);
  json::Arena arena;
  const Result<Value> read = json::parse(feedback, arena);
  if (!read) {
    return fenced("feedback", feedback) + "\n" + std::string(action);
  }
  std::string data;
  json::Writer json(data);
  json.begin_object();
  for (const json::Member& member : read.value().object()) {
    if (member.key != "action") {
      json.key(member.key).value(member.value);
    }
  }
  json.end_object();
  return fenced("feedback", data) + "\n" + std::string(text_of(read.value(), "action"));
}

std::string feedback_text(const contract::Verdict& verdict, std::string_view answer, bool at_limit) {
  std::string out = "Your last answer could not be used.";
  out += at_limit ? " It ended at its limit of tokens. Write less: only what was asked for." : "";
  if (const std::string classes = classes_text(verdict); !classes.empty()) {
    out += " What was wrong with it, by kind:\n" + classes + "\n" +
           fenced_feedback(verdict, "Answer again, complete.", answer);
  }
  return out;
}

run::Data part_result(const Spent& spent, const run::Data& value, const Answer& answer) {
  // By its text: what a model wrote is handed on as it is read of a journal, without the white space in it.
  return run::Data::written(json::record_text(
      Part{spent.tokens, value, answer.error, answer.cancelled, answer.outage, answer.refused, answer.reason}));
}

Part take_part(Spent& spent, const run::Data& result) {
  Part out = result.as<Part>();
  out.reason = run::reason_of(out.reason, out.error);
  spent.tokens = out.tokens;
  return out;
}

std::span<const json::Field> Count::fields() {
  static constexpr json::Field table[] = {json::field<&Count::exactly>("exactly"), json::field<&Count::most>("most"),
                                          json::field<&Count::least>("least")};
  return table;
}

std::span<const json::Field> JudgeStanding::fields() {
  static constexpr json::Field table[] = {json::field<&JudgeStanding::judge>("judge"),
                                          json::field_if_set<&JudgeStanding::measured>("measured"),
                                          json::field_if_set<&JudgeStanding::distrust>("distrust")};
  return table;
}

std::span<const json::Field> Settings::fields() {
  static constexpr json::Field table[] = {json::field<&Settings::type>("artifact_type"),
                                          json::field<&Settings::way>("way"),
                                          json::field<&Settings::options>("options"),
                                          json::field<&Settings::token_budget>("token_budget"),
                                          json::field<&Settings::repair>("repair"),
                                          json::field<&Settings::early_stop>("early_stop"),
                                          json::field<&Settings::on_unverified>("on_unverified"),
                                          json::field<&Settings::salvage>("salvage"),
                                          json::field<&Settings::count>("count"),
                                          json::field_if_set<&Settings::language>("language")};
  return table;
}

std::span<const json::Field> Part::fields() {
  static constexpr json::Field table[] = {
      json::field<&Part::tokens>("tokens"),       json::field<&Part::value>("value"),
      json::field<&Part::error>("error"),         json::field<&Part::cancelled>("cancelled"),
      json::field<&Part::outage>("outage"),       json::field_if_set<&Part::refused>("refused"),
      json::field_if_set<&Part::reason>("reason")};
  return table;
}

std::span<const json::Field> Version::fields() {
  static constexpr json::Field table[] = {json::field<&Version::text>("text"),
                                          json::field<&Version::stopped>("stopped"),
                                          json::field<&Version::is_json>("is_json"),
                                          json::field<&Version::items>("items"),
                                          json::field_if_set<&Version::cut>("cut"),
                                          json::field<&Version::missing>("missing"),
                                          json::field<&Version::rootless>("rootless"),
                                          json::field<&Version::open>("open"),
                                          json::field<&Version::errors>("errors"),
                                          json::field<&Version::violations>("violations"),
                                          json::field<&Version::coverage>("coverage"),
                                          json::field<&Version::judged>("judged"),
                                          json::field<&Version::issues>("issues"),
                                          json::field<&Version::semantic>("semantic"),
                                          json::field<&Version::undecided>("undecided"),
                                          json::field<&Version::judge_error>("judge_error"),
                                          json::field_if_set<&Version::again_error>("again_error"),
                                          json::field<&Version::final>("final"),
                                          json::field<&Version::warned>("warned"),
                                          json::field<&Version::verdict>("verdict"),
                                          json::field<&Version::judgement>("judgement")};
  return table;
}

std::span<const json::Field> Fix::fields() {
  static constexpr json::Field table[] = {json::field<&Fix::rule>("rule"), json::field<&Fix::at>("at"),
                                          json::field<&Fix::from>("from"), json::field<&Fix::to>("to")};
  return table;
}

std::span<const json::Field> FreedNote::fields() {
  static constexpr json::Field table[] = {
      json::field<&FreedNote::count>("count"), json::field<&FreedNote::fixes>("fixes"),
      json::field<&FreedNote::errors>("errors"), json::field<&FreedNote::text>("text")};
  return table;
}

std::string language_words(const Job& job) {
  const std::string_view name = text::language_name(job.language);
  return job.language.empty() || !name.empty() ? std::string(name) : "the language with the tag " + job.language;
}

std::string bullets(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) {
    out += (out.empty() ? "  - " : "\n  - ") + line;
  }
  return out;
}

std::string task_options(const Job& job, const Prompt& plan_prompt, const Value& plan) {
  json::Arena arena;
  const Result<Value> options = json::parse(options_json(job, plan_prompt), arena);
  std::string out;
  json::Writer json(out);
  json.begin_object().member_uint("count", wanted_items(job, plan_prompt, plan));
  if (const std::uint64_t depth = number_of(options.value(), "depth", 0); depth > 0) {
    json.member_uint("depth", depth);
  }
  json.end_object();
  return out;
}

std::string options_json(const Job& job, const Prompt& plan_prompt) {
  json::Arena arena;
  const Result<Value> defaults = json::parse(plan_prompt.options.empty() ? "{}" : plan_prompt.options, arena);
  const Value* given = job.input->find("options");
  std::string out;
  json::Writer json(out);
  json.begin_object();
  for (const json::Member& member : defaults.value().object()) {
    const Value* own = given == nullptr ? nullptr : given->find(member.key);
    json.key(member.key).value(own == nullptr ? member.value : *own);
  }
  json.end_object();
  return out;
}

std::uint64_t wanted_items(const Job& job, const Prompt& plan_prompt, const Value& plan) {
  const std::string& option = plan_prompt.made.option;
  if (option.empty()) {
    return 0;
  }
  if (job.count.exactly > 0) {
    return job.count.exactly;
  }
  if (const Value* given = job.input->find("options"); given != nullptr && given->find(option) != nullptr) {
    return number_of(*given, option, 0);
  }
  json::Arena arena;
  const Result<Value> defaults = json::parse(plan_prompt.options.empty() ? "{}" : plan_prompt.options, arena);
  const std::uint64_t usual = number_of(defaults.value(), option, 0);
  const std::uint64_t planned = plan.is(Kind::null) ? 0 : plan_prompt.planned.count(plan);
  return planned == 0 ? usual : std::min(usual, planned);
}

}  // namespace plumb::pipelines::artifact
