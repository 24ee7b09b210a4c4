#include "core/pipelines/artifact/job.hpp"
#include "core/pipelines/artifact/version.hpp"

#include <algorithm>

#include "core/derive/derive.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/text/tokens.hpp"

namespace plumb::pipelines::artifact {

namespace {

using json::Kind;
using json::Value;

// "/properties/questions/items/properties/options/minItems" -> "questions/*/options".
std::string readable_place(std::string_view location) {
  std::string out;
  const Result<std::vector<std::string>> tokens = json::parse_pointer(location);
  if (!tokens) {
    return out;
  }
  const std::vector<std::string>& all = tokens.value();
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const bool named = all[i] == "properties" || all[i] == "$defs";
    if (named) {
      out += (out.empty() ? "" : "/") + all[++i];
    } else if (all[i] == "items") {
      out += out.empty() ? "*" : "/*";
    }
  }
  return out;
}

}  // namespace

Job read_job(const run::Data& input) {
  const Value& value = input.value();
  Job job;
  job.type = text_of(value, "artifact_type");
  job.input = &value;
  job.chunks = value.find("chunks");
  job.way = number_of(value, "way", 1);
  job.token_budget = number_of(value, "token_budget", token_budget_base);
  job.patches = text_of(value, "repair") == "patch";
  job.passes_unverified = text_of(value, "on_unverified") == "pass";
  job.salvages = flag_of(value, "salvage");
  job.early_stop = text_of(value, "early_stop") == "finding" ? "finding" : "degenerate";
  if (const Value* count = value.find("count")) {
    job.count = {number_of(*count, "exactly", 0), number_of(*count, "most", 0), number_of(*count, "least", 1)};
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

run::Data cancelled_result() {
  return object([](json::Writer& json) { json.member("cancelled", "on request"); });
}

Error failed(std::string message) {
  Error error;
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

void write_texts(json::Writer& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& one : texts) {
    json.string(one);
  }
  json.end_array();
}

Answer call(run::Run& run, const Job& job, Spent& spent, const Call& what) {
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
  out.variables = what.variables;
  out.task = what.task;
  return call_model(run, spent, out);
}

run::Data part_result(const Spent& spent, const run::Data& value, const Answer& answer) {
  return object([&](json::Writer& json) {
    json.member_uint("tokens", spent.tokens).key("value").raw(value.text());
    json.member("error", answer.error).member_boolean("cancelled", answer.cancelled);
    json.member_boolean("outage", answer.outage);
  });
}

Part take_part(Spent& spent, const run::Data& result) {
  const Value& all = result.value();
  Part out;
  spent.tokens = number_of(all, "tokens", spent.tokens);
  out.error = text_of(all, "error");
  out.cancelled = flag_of(all, "cancelled");
  out.outage = flag_of(all, "outage");
  if (const Value* value = all.find("value"); value != nullptr && !value->is(Kind::null)) {
    out.value = run::Data::written(json::value_text(*value));
  }
  return out;
}

run::Data Version::data() const {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("text", text).member("stopped", stopped).member_boolean("is_json", is_json);
  json.member_uint("items", items).member_uint("missing", missing).member_boolean("rootless", rootless);
  json.member_uint("open", open).member_uint("errors", errors);
  write_texts(json, "violations", violations);
  write_texts(json, "coverage", coverage);
  json.member_boolean("judged", judged).member_uint("issues", issues);
  write_texts(json, "semantic", semantic);
  json.member_uint("undecided", undecided).member("judge_error", judge_error).member_boolean("final", final);
  json.member_boolean("warned", warned);
  json.key("verdict").raw(verdict.empty() ? "null" : verdict);
  json.key("judgement").raw(judgement.empty() ? "null" : judgement).end_object();
  return run::Data::written(std::move(out));
}

Version version_of(const run::Data& data) {
  const Value& value = data.value();
  Version out;
  out.text = text_of(value, "text");
  out.stopped = text_of(value, "stopped");
  out.is_json = flag_of(value, "is_json");
  out.items = number_of(value, "items", 0);
  out.missing = number_of(value, "missing", 0);
  out.rootless = flag_of(value, "rootless");
  out.open = number_of(value, "open", 0);
  out.errors = number_of(value, "errors", 0);
  out.violations = texts_of(value, "violations");
  out.coverage = texts_of(value, "coverage");
  out.judged = flag_of(value, "judged");
  out.issues = number_of(value, "issues", 0);
  out.semantic = texts_of(value, "semantic");
  out.undecided = number_of(value, "undecided", 0);
  out.judge_error = text_of(value, "judge_error");
  out.final = flag_of(value, "final");
  out.warned = flag_of(value, "warned");
  for (auto [name, into] : {std::pair{"verdict", &out.verdict}, std::pair{"judgement", &out.judgement}}) {
    if (const Value* found = value.find(name); found != nullptr && !found->is(Kind::null)) {
      *into = json::value_text(*found);
    }
  }
  return out;
}

std::string bullets(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) {
    out += (out.empty() ? "  - " : "\n  - ") + line;
  }
  return out;
}

std::string rules_text(const contract::Contract& contract) {
  struct Place {
    std::string at;
    std::string text;
  };
  std::vector<Place> places;
  const Result<derive::Derived> derived = derive::derive(contract, derive::Target::prompt);
  std::string out;
  std::size_t number = 0;
  auto line = [&](const std::string& text) {
    ++number;
    out += (number == 1 ? "" : "\n") + json::uint_text(number) + ". " + text;
  };
  if (!derived) {
    line("The artifact keeps its contract.");
    return out;
  }
  for (const derive::ResidualRule& rule : derived.value().residual) {
    if (rule.keyword == "type") {
      continue;
    }
    const Value* own = json::resolve(contract.tree(), rule.schema_location);
    std::string sentence = rule.sentence;
    if (own != nullptr && own->find("ask") != nullptr) {
      sentence = text_of(*own, "ask");
    }
    while (!sentence.empty() && sentence.back() == '.') {
      sentence.pop_back();
    }
    const std::string at = readable_place(rule.schema_location);
    const auto known = std::find_if(places.begin(), places.end(), [&](const Place& one) { return one.at == at; });
    if (at.empty() || known == places.end()) {
      places.push_back({at, sentence});
    } else {
      known->text += "; " + sentence;
    }
  }
  for (const Place& place : places) {
    line((place.at.empty() ? "" : "`" + place.at + "`: ") + place.text + ".");
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
