// A request becomes a run: what the host has declared for the repository is found, read and pinned.
#include <algorithm>
#include <array>

#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/pipelines/preparation.hpp"
#include "core/pipelines/workflow/parts.hpp"
#include "core/pipelines/workflow/workflow.hpp"
#include "core/workflow/contracts.hpp"

namespace plumb::pipelines::workflow {

namespace {

using json::Kind;

constexpr std::array<std::string_view, 10> members = {"plan",         "idea",      "repository", "at",
                                                      "promoted",     "developer", "reviewer",   "base_failures",
                                                      "token_budget", "providers"};
constexpr std::array<std::string_view, 3> phases = {"plan", "develop", "review"};
constexpr std::size_t idea_max = 16'000;
constexpr std::uint64_t token_budget_usual = 2'000'000;

// Prompts and contracts, by the names that they are pinned under.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> authors = {{{"plan", "plan"},
                                                                                   {"plan-review", "plan-review"},
                                                                                   {"revise", "task"},
                                                                                   {"decompose", "decomposition"},
                                                                                   {"develop", "developer-output"},
                                                                                   {"review", "review"}}};
// Of a developer that converses.
constexpr std::array<std::string_view, 7> tools = {"tool-list-files", "tool-read-file",     "tool-edit-files",
                                                   "tool-run-gates",  "tool-note-decision", "tool-note-met",
                                                   "tool-submit-work"};

struct Chosen {
  std::string developer, name, reviewer;
  std::string plan;  // JSON
  std::vector<std::pair<std::string, std::string>> providers;
  bool is_free(std::string_view phase) const {
    return std::none_of(providers.begin(), providers.end(),
                        [&](const auto& one) { return one.first == phase && one.second != "extract"; });
  }
};

Result<std::string> word(const Value& request, std::string_view key, std::string_view usual) {
  const Value* found = request.find(key);
  if (found == nullptr || found->is(Kind::null)) {
    return std::string(usual);
  }
  if (!found->is(Kind::string) || found->str().empty()) {
    return wrong_request("`" + std::string(key) + "` is a text", "/" + std::string(key));
  }
  return std::string(found->str());
}

Result<bool> one_of(const std::string& said, std::string_view key, std::string_view a, std::string_view b) {
  return said == a || said == b ? Result<bool>(true)
                                : Result<bool>(wrong_request("`" + std::string(key) + "` is \"" + std::string(a) +
                                                                 "\" or \"" + std::string(b) + "\"",
                                                             "/" + std::string(key)));
}

Result<bool> choose_developer(Chosen& out, std::string said, const Value& settings) {
  if (said.empty()) {
    said = text_of(settings, "developer");
  }
  if (said.empty()) {
    said = out.is_free("develop") ? "extract" : "model";
  }
  const std::vector<std::string> names = json::texts_of(settings, "developers");
  if (std::find(names.begin(), names.end(), said) != names.end()) {
    out.developer = "command";
    out.name = said;
    return true;
  }
  if (said != "extract" && said != "model" && said != "conversation" && said != "person") {
    std::string there = "extract, model, conversation, person";
    for (const std::string& one : names) {
      there += ", " + one;
    }
    return wrong_request("no developer '" + json::excerpt(said, 60) + "' is declared here; there are: " + there,
                         "/developer");
  }
  if ((said == "model" || said == "conversation") && out.is_free("develop")) {
    return wrong_request("the developer `" + said + "` needs a model: --provider, or `providers.develop` in plumb.yaml",
                         "/developer");
  }
  out.developer = said;
  return true;
}

Result<bool> pin_commands(run::Pins& pins, const Texts& texts, const std::string& repository, const Chosen& chosen,
                          const GateList& gates, bool setup) {
  std::vector<std::string> names;
  for (const Gate& one : gates.gates) {
    names.push_back("gate." + one.name);
  }
  if (setup) {
    names.emplace_back("setup");
  }
  if (!chosen.name.empty()) {
    names.push_back("developer." + chosen.name);
  }
  for (const std::string& one : names) {
    if (const Result<bool> pinned = pin_command(pins, texts, one, repository); !pinned) {
      return pinned;
    }
  }
  return true;
}

Result<bool> pin_authors(run::Pins& pins, const Texts& texts, bool converses) {
  for (const auto& [name, contract] : authors) {
    const std::string prompt = "workflow-" + std::string(name);
    if (const Result<Prompt> read = pin_prompt_as(pins, texts, prompt, name); !read) {
      return read.error();
    }
    const Result<std::string> text = contract_text(texts, contract);
    if (!text) {
      return text.error();
    }
    pins.emplace_back("contract-" + std::string(name), Data::written(text.value()));
  }
  if (!converses) {
    return true;
  }
  if (const Result<Prompt> read = pin_prompt_as(pins, texts, "workflow-converse", "converse"); !read) {
    return read.error();
  }
  for (const std::string_view name : tools) {
    const Result<std::string> text = contract_text(texts, name);
    if (!text) {
      return text.error();
    }
    pins.emplace_back("contract-" + std::string(name), Data::written(text.value()));
  }
  return true;
}

// The first error of a plan.
Error refused_plan(const contract::Verdict& verdict) {
  for (const contract::Finding& one : verdict.findings) {
    if (one.severity == contract::Severity::error) {
      return wrong_request("the plan: " + (one.item.empty() ? "" : one.item + ": ") + one.message, "/plan" + one.at);
    }
  }
  return wrong_request("the plan cannot be judged", "/plan");
}

Result<GateList> gates_of(const Value& settings) {
  const Value* gates = settings.find("gates");
  return gates == nullptr ? Result<GateList>(GateList{}) : read_gates(json::value_text(*gates));
}

std::vector<std::pair<std::string, std::string>> chosen_providers(const Value& request, const Texts& texts) {
  std::vector<std::pair<std::string, std::string>> out;
  const Value* providers = request.find("providers");
  for (const std::string_view phase : phases) {
    std::string name(providers == nullptr ? std::string_view() : text_of(*providers, phase));
    for (const auto& [known, provider] : texts.providers) {
      name = known == phase ? provider : name;
    }
    if (!name.empty()) {
      out.emplace_back(phase, name);
    }
  }
  return out;
}

std::string providers_json(const Chosen& chosen) {
  std::string who;
  json::Writer named(who);
  named.begin_object();
  for (const auto& [phase, name] : chosen.providers) {
    named.member(phase, name);
  }
  named.end_object();
  return who;
}

Result<std::string> chosen_reviewer(const Value& request, const Chosen& chosen) {
  Result<std::string> reviewer = word(request, "reviewer", chosen.is_free("review") ? "extract" : "model");
  if (!reviewer) {
    return reviewer;
  }
  if (const Result<bool> good = one_of(reviewer.value(), "reviewer", "extract", "model"); !good) {
    return good.error();
  }
  if (reviewer.value() == "model" && chosen.is_free("review")) {
    return wrong_request("the reviewer `model` needs a model: --provider, or `providers.review` in plumb.yaml",
                         "/reviewer");
  }
  return reviewer;
}

// The plan that is given, or that a model makes one of an idea.
std::optional<Error> choose_plan(Chosen& chosen, const Value& request, const std::string& idea, const GateList& gates) {
  const Value* plan = request.find("plan");
  if ((plan == nullptr) == idea.empty()) {
    return wrong_request("a workflow is begun with a `plan`, or with an `idea` that a model makes one of", "/plan");
  }
  if (idea.size() > idea_max) {
    return wrong_request("`idea` has at most " + json::uint_text(idea_max) + " bytes", "/idea");
  }
  if (plan != nullptr) {
    const PlanReading read = read_plan(json::value_text(*plan), {gates.names()});
    if (!read.plan) {
      return refused_plan(read.verdict);
    }
    chosen.plan = plan_json(*read.plan);
  } else if (chosen.is_free("plan")) {
    return wrong_request(
        "a plan is made of an idea by a model: --provider, or `providers.plan` in plumb.yaml; or give a plan", "/idea");
  }
  return std::nullopt;
}

}  // namespace

Result<Prepared> prepare(const Value& request, const Texts& texts) {
  if (const Result<bool> known = only_members(request, members); !known) {
    return known.error();
  }
  const Result<std::string> repository = word(request, "repository", "here");
  const Result<std::string> at = word(request, "at", "HEAD");
  const Result<std::string> developer = word(request, "developer", "");
  const Result<std::string> base = word(request, "base_failures", "");
  const Result<std::string> idea = word(request, "idea", "");
  for (const Result<std::string>* one : {&repository, &at, &developer, &base, &idea}) {
    if (!*one) {
      return one->error();
    }
  }
  if (!texts.workflow) {
    return wrong_request("this host carries out no workflows", "");
  }
  const Result<std::string> declared = texts.workflow(repository.value());
  if (!declared) {
    return declared.error();
  }
  const Data settings = Data::written(declared.value());
  Result<GateList> gates = gates_of(settings.value());
  if (!gates) {
    return gates.error();
  }
  Chosen chosen;
  chosen.providers = chosen_providers(request, texts);
  if (const Result<bool> good = choose_developer(chosen, developer.value(), settings.value()); !good) {
    return good.error();
  }
  const Result<std::string> reviewer = chosen_reviewer(request, chosen);
  if (!reviewer) {
    return reviewer.error();
  }
  const std::string failures =
      base.value().empty() ? std::string(text_of(settings.value(), "base_failures")) : base.value();
  if (const Result<bool> good = one_of(failures.empty() ? "refuse" : failures, "base_failures", "refuse", "warn");
      !good) {
    return good.error();
  }
  if (std::optional<Error> wrong = choose_plan(chosen, request, idea.value(), gates.value())) {
    return std::move(*wrong);
  }
  Prepared out;
  const bool setup = json::flag_of(settings.value(), "setup");
  if (const Result<bool> good = pin_commands(out.pins, texts, repository.value(), chosen, gates.value(), setup);
      !good) {
    return good.error();
  }
  if (const Result<bool> good = pin_authors(out.pins, texts, chosen.developer == "conversation"); !good) {
    return good.error();
  }
  const Value* tokens = request.find("token_budget");
  const std::uint64_t budget = json::number_of(request, "token_budget", token_budget_usual);
  if (tokens != nullptr && json::value_text(*tokens) != json::uint_text(budget)) {
    return wrong_request("`token_budget` is a whole number", "/token_budget");
  }
  std::string input;
  json::Writer json(input);
  json.begin_object();
  if (!chosen.plan.empty()) {
    json.key("plan").raw(chosen.plan);
  } else {
    json.member("idea", idea.value());
  }
  json.key("repositories").begin_array().string(repository.value()).end_array();
  json.member("at", at.value()).member_boolean("promoted", json::flag_of(request, "promoted"));
  json.member("developer", chosen.developer).member("developer_name", chosen.name);
  json.member("reviewer", reviewer.value()).member("base_failures", failures.empty() ? "refuse" : failures);
  json.member_uint("token_budget", budget).key("settings").raw(settings.text());
  if (!texts.also.empty()) {
    write_texts(json, "also", texts.also);
  }
  const std::string who = providers_json(chosen);
  json.key("providers").raw(who);
  write_call_limits(json, texts);
  if (const Result<bool> watched = write_monitor(json, Data::written(who).value(), texts); !watched) {
    return watched.error();
  }
  json.end_object();
  out.fingerprint = fingerprint_of("workflow\n", input, out.pins);
  out.input = Data::written(std::move(input));
  return out;
}

Brief read_brief(const Run& run) {
  const Value& input = run.input().value();
  Brief out;
  if (const Value* plan = input.find("plan")) {
    PlanReading read = read_plan(json::value_text(*plan));
    out.plan = std::move(read.plan);
  }
  out.idea = text_of(input, "idea");
  const std::vector<std::string> repositories = json::texts_of(input, "repositories");
  out.repository = repositories.empty() ? std::string() : repositories.front();
  out.at = text_of(input, "at");
  out.promoted = json::flag_of(input, "promoted");
  const std::string_view developer = text_of(input, "developer");
  out.developer = developer == "model"          ? DeveloperKind::model
                  : developer == "conversation" ? DeveloperKind::conversation
                  : developer == "person"       ? DeveloperKind::person
                  : developer == "command"      ? DeveloperKind::command
                                                : DeveloperKind::extract;
  out.developer_name = text_of(input, "developer_name");
  out.reviewed_by_model = text_of(input, "reviewer") == "model";
  out.base_failures = text_of(input, "base_failures") == "warn" ? BaseFailures::warn : BaseFailures::refuse;
  out.token_budget = json::number_of(input, "token_budget");
  const Value* providers = input.find("providers");
  const auto is_free = [&](std::string_view phase) {
    const std::string_view name = providers == nullptr ? std::string_view() : text_of(*providers, phase);
    return name.empty() || name == "extract";
  };
  out.plan_free = is_free("plan");
  out.develop_free = is_free("develop");
  out.review_free = is_free("review");
  const Value* settings = input.find("settings");
  if (settings == nullptr) {
    return out;
  }
  if (Result<GateList> gates = gates_of(*settings)) {
    out.gates = std::move(gates).value().gates;
  }
  out.setup = json::flag_of(*settings, "setup");
  out.isolation_full = text_of(*settings, "isolation") != "partial";
  out.caches = json::texts_of(*settings, "caches");
  out.developer_reads = json::texts_of(*settings, "developer_reads");
  if (settings->find("protected") != nullptr) {
    out.protect = json::texts_of(*settings, "protected");
  } else {
    for (const std::string_view one : protected_usual()) {
      out.protect.emplace_back(one);
    }
  }
  std::vector<SopFile> files;
  for (const Value& one : json::list_of(*settings, "sops")) {
    SopFile file;
    file.path = text_of(one, "path");
    file.text = text_of(one, "text");
    file.front_matter = text_of(one, "front_matter");
    file.lines = text_of(one, "lines");
    file.line = static_cast<std::uint32_t>(json::number_of(one, "line", 1));
    files.push_back(std::move(file));
  }
  out.sops = read_sops(files).sops;
  if (const Value* conventions = settings->find("conventions")) {
    if (Result<std::vector<Convention>> read = read_conventions(json::value_text(*conventions))) {
      out.conventions = std::move(read).value();
    }
  }
  if (const Value* times = settings->find("times")) {
    out.times.develop_ms = json::number_of(*times, "develop_ms", out.times.develop_ms);
    out.times.gates_ms = json::number_of(*times, "gates_ms", out.times.gates_ms);
    out.times.review_ms = json::number_of(*times, "review_ms", out.times.review_ms);
    out.times.task_ms = json::number_of(*times, "task_ms", out.times.task_ms);
  }
  bool loop_said = false;
  if (const Value* monitor = input.find("monitor")) {
    std::string own;
    json::Writer json(own);
    json.begin_object();
    for (const std::string_view name : {"policy", "thresholds"}) {
      if (const Value* found = monitor->find(name)) {
        json.key(name).value(*found);
        loop_said = loop_said || found->find("loop") != nullptr;
      }
    }
    json.end_object();
    if (Result<budget::RunSettings> read = budget::read_run_settings(Data::written(own).value())) {
      out.risk = std::move(read).value();
    }
  }
  if (!loop_said) {  // the second equal failure warns, the third asks a person (004-19)
    out.risk.policy[static_cast<std::size_t>(budget::Signal::loop)] = {{1, budget::Response::warn},
                                                                       {2, budget::Response::escalate}};
  }
  return out;
}

}  // namespace plumb::pipelines::workflow
