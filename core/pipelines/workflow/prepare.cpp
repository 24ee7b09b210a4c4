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

using plumb::workflow::protected_configuration;
using plumb::workflow::protected_usual;
using plumb::workflow::read_conventions;
using plumb::workflow::read_gates;

namespace {

using json::Kind;

constexpr std::array<std::string_view, 10> members = {"plan",         "idea",      "repository", "at",
                                                      "promoted",     "developer", "reviewer",   "base_failures",
                                                      "token_budget", "providers"};
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
constexpr std::array<std::string_view, 8> tools = {"tool-list-files", "tool-read-file",  "tool-search",
                                                   "tool-edit-files", "tool-run-gates",  "tool-note-decision",
                                                   "tool-note-met",   "tool-submit-work"};

struct Chosen {
  DeveloperKind developer = DeveloperKind::extract;
  std::string name, reviewer;
  Data plan;
  Providers providers;
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

Result<bool> choose_developer(Chosen& out, std::string said, const Settings& settings) {
  if (said.empty()) {
    said = settings.developer;
  }
  const bool is_free = Providers::is_free(out.providers.develop);
  if (said.empty()) {
    said = is_free ? "extract" : "model";
  }
  const std::vector<std::string>& names = settings.developers;
  if (std::find(names.begin(), names.end(), said) != names.end()) {
    out.developer = DeveloperKind::command;
    out.name = said;
    return true;
  }
  const std::span<const std::string_view> kinds = names_of(DeveloperKind()).first(4);  // without `command`
  const auto kind = std::find(kinds.begin(), kinds.end(), said);
  if (kind == kinds.end()) {
    std::string there = "extract, model, conversation, person";
    for (const std::string& one : names) {
      there += ", " + one;
    }
    return wrong_request("no developer '" + json::excerpt(said, 60) + "' is declared here; there are: " + there,
                         "/developer");
  }
  if ((said == "model" || said == "conversation") && is_free) {
    return wrong_request("the developer `" + said + "` needs a model: --provider, or `providers.develop` in plumb.yaml",
                         "/developer");
  }
  out.developer = static_cast<DeveloperKind>(kind - kinds.begin());
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
    if (Result<bool> pinned = pin_command(pins, texts, one, repository); !pinned) {
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

Result<GateList> gates_of(const Settings& settings) {
  return settings.gates.is_null() ? Result<GateList>(GateList{}) : read_gates(settings.gates.text());
}

Providers chosen_providers(const Value& request, const Texts& texts) {
  const Value* providers = request.find("providers");
  Providers out = providers == nullptr ? Providers() : json::record_of<Providers>(*providers);
  for (const auto& [phase, provider] : texts.providers) {
    if (phase == "plan" || phase == "develop" || phase == "review") {
      (phase == "plan" ? out.plan : phase == "develop" ? out.develop : out.review) = provider;
    }
  }
  return out;
}

Result<std::string> chosen_reviewer(const Value& request, const Chosen& chosen) {
  const bool is_free = Providers::is_free(chosen.providers.review);
  Result<std::string> reviewer = word(request, "reviewer", is_free ? "extract" : "model");
  if (!reviewer) {
    return reviewer;
  }
  if (const Result<bool> good = one_of(reviewer.value(), "reviewer", "extract", "model"); !good) {
    return good.error();
  }
  if (reviewer.value() == "model" && is_free) {
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
    chosen.plan = Data::of(*read.plan);
  } else if (Providers::is_free(chosen.providers.plan)) {
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
  const Data said = Data::written(declared.value());
  const Settings& settings = said.as<Settings>();
  const Result<GateList> gates = gates_of(settings);
  if (!gates) {
    return gates.error();
  }
  Chosen chosen;
  chosen.providers = chosen_providers(request, texts);
  if (const Result<bool> good = choose_developer(chosen, developer.value(), settings); !good) {
    return good.error();
  }
  const Result<std::string> reviewer = chosen_reviewer(request, chosen);
  if (!reviewer) {
    return reviewer.error();
  }
  const std::string failures = base.value().empty() ? settings.base_failures : base.value();
  if (const Result<bool> good = one_of(failures.empty() ? "refuse" : failures, "base_failures", "refuse", "warn");
      !good) {
    return good.error();
  }
  if (std::optional<Error> wrong = choose_plan(chosen, request, idea.value(), gates.value())) {
    return std::move(*wrong);
  }
  Prepared out;
  if (const Result<bool> good =
          pin_commands(out.pins, texts, repository.value(), chosen, gates.value(), settings.setup);
      !good) {
    return good.error();
  }
  if (const Result<bool> good = pin_authors(out.pins, texts, chosen.developer == DeveloperKind::conversation); !good) {
    return good.error();
  }
  const Value* tokens = request.find("token_budget");
  const std::uint64_t budget = json::number_of(request, "token_budget", token_budget_usual);
  if (tokens != nullptr && json::value_text(*tokens) != json::uint_text(budget)) {
    return wrong_request("`token_budget` is a whole number", "/token_budget");
  }
  Input begun;
  begun.plan = chosen.plan;
  begun.idea = chosen.plan.is_null() ? idea.value() : "";
  begun.repositories = {repository.value()};
  begun.at = at.value();
  begun.promoted = json::flag_of(request, "promoted");
  begun.developer = chosen.developer;
  begun.developer_name = chosen.name;
  begun.reviewer = reviewer.value();
  begun.base_failures = failures == "warn" ? BaseFailures::warn : BaseFailures::refuse;
  begun.token_budget = budget;
  begun.rules = rules_now;
  begun.settings = said;
  begun.also = texts.also;
  begun.providers = chosen.providers;
  std::string input;
  json::Writer json(input);
  json.begin_object();
  json::write_fields(json, begun);
  write_call_limits(json, texts);
  const Data providers = Data::of(chosen.providers);
  if (const Result<bool> watched = write_monitor(json, providers.value(), texts); !watched) {
    return watched.error();
  }
  json.end_object();
  out.fingerprint = fingerprint_of("workflow\n", input, out.pins);
  out.input = Data::written(std::move(input));
  return out;
}

Brief read_brief(const Run& run) {
  const auto input = json::record_of<Input>(run.input().value());
  Brief out;
  if (!input.plan.is_null()) {
    out.plan = read_plan(input.plan.text()).plan;
  }
  out.idea = input.idea;
  out.repository = input.repositories.empty() ? std::string() : input.repositories.front();
  out.claims = out.repository;
  out.at = input.at;
  out.promoted = input.promoted;
  out.guards = input.rules >= rules_guards;
  out.tolerant = input.rules >= rules_tolerant;
  out.searches = input.rules >= rules_search;
  out.developer = input.developer;
  out.developer_name = input.developer_name;
  out.reviewed_by_model = input.reviewer == "model";
  out.base_failures = input.base_failures;
  out.token_budget = input.token_budget;
  out.plan_free = Providers::is_free(input.providers.plan);
  out.develop_free = Providers::is_free(input.providers.develop);
  out.review_free = Providers::is_free(input.providers.review);
  if (input.settings.is_null()) {
    return out;
  }
  const auto& settings = input.settings.as<Settings>();
  if (Result<GateList> gates = gates_of(settings)) {
    out.gates = std::move(gates).value().gates;
  }
  out.claims = settings.claims.empty() ? out.claims : settings.claims;
  out.setup = settings.setup;
  out.isolation_full = settings.isolation != "partial";
  out.caches = settings.caches;
  out.developer_reads = settings.developer_reads;
  const auto usual = out.guards ? protected_configuration() : protected_usual();
  out.protect = settings.protect.value_or(std::vector<std::string>(usual.begin(), usual.end()));
  out.tests = settings.tests;
  out.sops = read_sops(settings.sops).sops;
  if (!settings.conventions.is_null()) {
    if (Result<std::vector<Convention>> read = read_conventions(settings.conventions.text())) {
      out.conventions = std::move(read).value();
    }
  }
  out.times = settings.times.as<Times>();
  bool loop_said = false;
  if (const Value* monitor = run.input().value().find("monitor")) {
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
