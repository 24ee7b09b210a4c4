// A request becomes a run: everything it will use is read, checked and pinned here.

#include <algorithm>

#include "core/contract/contract.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/pipelines/preparation.hpp"
#include "core/pipelines/research/calls.hpp"
#include "core/pipelines/research/loop.hpp"
#include "core/pipelines/research/search_effect.hpp"
#include "core/roles/scorecard.hpp"
#include "core/text/fold.hpp"

namespace plumb::pipelines::research {

namespace {

using json::Kind;
using json::Value;

constexpr std::uint64_t token_budget_max = 100'000'000;
constexpr std::size_t texts_max = 50;
constexpr std::array<std::string_view, 10> members = {
    "question", "answers", "constraints", "ask", "search", "limits", "token_budget", "judge", "providers", "user_id"};
constexpr std::array<std::string_view, 4> contracts = {"intake", "brain-evaluate", "researcher-evaluate", "search"};

struct Limit {
  std::string_view name;
  std::uint64_t Limits::*member;
  std::uint64_t max;
};
constexpr std::array<Limit, 5> limit_table = {{{"rounds", &Limits::rounds, 100},
                                               {"minutes", &Limits::minutes, std::uint64_t{24} * 60},
                                               {"questions", &Limits::questions, 3},
                                               {"searches_min", &Limits::searches_min, 15},
                                               {"searches_max", &Limits::searches_max, 100}}};

// What the prompt of a role is built from.
struct Reads {
  std::string_view contract;
  std::array<std::string_view, 4> names;
};
constexpr std::array<Reads, 3> reads_table = {{{"intake", {"message", "conversation", "constraints", "lookups"}},
                                               {"brain-evaluate", {"objective", "success_criteria", "completed", ""}},
                                               {"researcher-evaluate", {"objective", "question", "goal", "history"}}}};

// Of an object that may be left out.
Result<bool> known_members(const Value* object, std::span<const std::string_view> known, std::string_view where) {
  return object == nullptr || object->is(Kind::null) ? Result<bool>(true) : only_members(*object, known, where);
}

Result<std::vector<std::string>> texts(const Value& object, std::string_view key, const std::string& where) {
  std::vector<std::string> out;
  const Value* list = object.find(key);
  if (list == nullptr || list->is(Kind::null)) {
    return out;
  }
  const bool whole = list->is(Kind::array) && list->size <= texts_max;
  for (const Value& one : list->array()) {
    if (!one.is(Kind::string) || one.size > question_bytes_max) {
      return wrong_request("`" + std::string(key) + "` is a list of texts", where);
    }
    out.emplace_back(one.str());
  }
  if (!whole) {
    return wrong_request("`" + std::string(key) + "` is a list of at most " + json::uint_text(texts_max) + " texts",
                         where);
  }
  return out;
}

Result<std::string> choice(const Value& request, std::string_view key, std::string_view one, std::string_view other,
                           std::string_view otherwise) {
  const Value* found = request.find(key);
  if (found == nullptr || found->is(Kind::null)) {
    return std::string(otherwise);
  }
  if (!found->is(Kind::string) || (found->str() != one && found->str() != other)) {
    return wrong_request("`" + std::string(key) + "` is \"" + std::string(one) + "\" or \"" + std::string(other) + "\"",
                         "/" + std::string(key));
  }
  return std::string(found->str());
}

Result<std::uint64_t> number(const Value* object, std::string_view key, const std::string& where,
                             std::uint64_t otherwise, std::uint64_t max) {
  const Value* found = object == nullptr ? nullptr : object->find(key);
  if (found == nullptr || found->is(Kind::null)) {
    return otherwise;
  }
  std::uint64_t out = 0;
  if (!found->is(Kind::number) || !json::read_uint(found->str(), out) || out == 0 || out > max) {
    return wrong_request("`" + std::string(key) + "` is a whole number from 1 to " + json::uint_text(max), where);
  }
  return out;
}

// Contracts of the roles, each with what its prompt is built from.
Result<bool> pin_contracts(const Texts& from, run::Pins& pins) {
  for (const std::string_view name : contracts) {
    const Result<std::string> text = contract_text(from, name);
    if (!text) {
      return text.error().code == ErrorCode::not_found
                 ? wrong_request("there is no contract '" + std::string(name) + "'", "")
                 : text.error();
    }
    const Result<contract::Contract> read = contract::Contract::read(text.value());
    if (!read) {
      return read.error();
    }
    const roles::Role role = roles::read_role(read.value());
    for (const Reads& reads : reads_table) {
      for (const std::string_view one : reads.names) {
        if (reads.contract == name && !one.empty() && !role.may_read(one)) {
          return wrong_request("the role must read `" + std::string(one) + "`: its prompt is built from it",
                               std::string(name) + " /role/reads");
        }
      }
    }
    if (name == "intake") {
      json::Arena arena;
      const Result<Value> list = json::parse(text.value(), arena);
      for (const bool offered : {false, true}) {
        std::string calls = calls_contract(list.value(), offered);
        if (const Result<contract::Contract> whole = contract::Contract::read(calls); !whole) {
          return whole.error();
        }
        pins.emplace_back(offered ? "contract-intake-lookup" : "contract-intake", run::Data::written(std::move(calls)));
      }
    }
    pins.emplace_back(std::string(name), run::Data::written(text.value()));
  }
  return true;
}

Result<bool> pin_prompts(const Texts& from, run::Pins& pins) {
  for (const std::string_view which : prompt_names) {
    const std::string name = "research-" + std::string(which);
    // The others answer under the contracts of their roles.
    const bool own = which == "answer" || which == "report" || which == "judge";
    const Result<Prompt> prompt = pin_prompt_as(pins, from, name, which, own ? PromptAnswer::must : PromptAnswer::may);
    if (!prompt) {
      return prompt.error().code == ErrorCode::not_found ? wrong_request("there is no prompt '" + name + "'", "")
                                                         : prompt.error();
    }
  }
  return true;
}

// What each author's prompt says of its contract, written once: a call then only copies it.
void pin_told(run::Pins& pins) {
  for (const std::string_view which : prompt_names) {
    const auto read = [&](std::string_view name) {
      const auto text = std::find_if(pins.begin(), pins.end(), [&](const auto& pin) { return pin.first == name; });
      return contract::Contract::read(text->second.text());
    };
    const Result<contract::Contract> contract = read(author_named(which).contract);
    const roles::Role role = roles::read_role(contract.value());
    Told told;
    told.purpose = role.purpose;
    told.scorecard = roles::scorecard_text(contract.value());
    told.gates = roles::gates_text(contract.value());
    if (which == "intake") {
      told.shape = shape_text(read("contract-intake").value());
      told.shape_lookup = shape_text(read("contract-intake-lookup").value());
    } else {
      told.shape = shape_text(contract.value());
    }
    told.reads = role.reads;
    pins.emplace_back("told-" + std::string(which), run::Data::written(json::record_text(told)));
  }
}

Result<Limits> read_limits(const Value* limits) {
  std::array<std::string_view, limit_table.size()> names;
  std::transform(limit_table.begin(), limit_table.end(), names.begin(), [](const Limit& one) { return one.name; });
  if (const Result<bool> known = known_members(limits, names, "/limits"); !known) {
    return known.error();
  }
  Limits out;
  for (const Limit& one : limit_table) {
    const Result<std::uint64_t> value =
        number(limits, one.name, "/limits/" + std::string(one.name), out.*one.member, one.max);
    if (!value) {
      return value.error();
    }
    out.*one.member = value.value();
  }
  // A lower maximum takes the minimum with it, unless both were said.
  if (out.searches_max < out.searches_min && limits != nullptr && limits->find("searches_min") != nullptr) {
    return wrong_request("`searches_min` is at most `searches_max`", "/limits/searches_min");
  }
  return out;
}

Result<SearchBrief> read_search_brief(const Value* search) {
  static constexpr std::array<std::string_view, 3> names = {"providers", "limit", "lookup"};
  if (const Result<bool> known = known_members(search, names, "/search"); !known) {
    return known.error();
  }
  const Value none{};
  const Value& given = search == nullptr ? none : *search;
  const Result<std::vector<std::string>> providers = texts(given, "providers", "/search/providers");
  const Result<std::vector<std::string>> lookup = texts(given, "lookup", "/search/lookup");
  const Result<std::uint64_t> limit = number(&given, "limit", "/search/limit", search_limit_default, search_limit_max);
  for (const Error* error : {providers ? nullptr : &providers.error(), lookup ? nullptr : &lookup.error(),
                             limit ? nullptr : &limit.error()}) {
    if (error != nullptr) {
      return *error;
    }
  }
  return SearchBrief{providers.value(), lookup.value(), static_cast<std::size_t>(limit.value())};
}

}  // namespace

Result<Prepared> prepare(const Value& request, const Texts& from) {
  if (const Result<bool> known = only_members(request, members); !known) {
    return known.error();
  }
  const std::string_view question = text_of(request, "question");
  if (text::trim(question).empty()) {
    return wrong_request("`question` is missing: what is to be found out", "/question");
  }
  if (question.size() > question_bytes_max) {
    return wrong_request("`question` has at most " + json::uint_text(question_bytes_max) + " bytes", "/question");
  }
  Prepared out;
  if (const Result<bool> pinned = pin_contracts(from, out.pins); !pinned) {
    return pinned.error();
  }
  if (const Result<bool> pinned = pin_prompts(from, out.pins); !pinned) {
    return pinned.error();
  }
  pin_told(out.pins);
  const Result<std::vector<std::string>> answers = texts(request, "answers", "/answers");
  const Result<std::vector<std::string>> constraints = texts(request, "constraints", "/constraints");
  const Result<std::string> ask = choice(request, "ask", "person", "never", "person");
  const Result<std::uint64_t> budget =
      number(&request, "token_budget", "/token_budget", token_budget_default, token_budget_max);
  bool judged = false;
  const Value* providers = request.find("providers");
  std::string chosen;
  json::Writer who(chosen);
  who.begin_object();
  for (const std::string_view phase : phase_names) {
    std::string_view name = providers == nullptr ? std::string_view() : text_of(*providers, phase);
    for (const auto& [known, provider] : from.providers) {
      name = known == phase ? std::string_view(provider) : name;
    }
    // Decisions are judged by who makes them; the writer's quotes are held against their passages.
    judged = judged || (phase != "finish" && !name.empty() && name != "extract");
    if (!name.empty()) {
      who.member(phase, name);
    }
  }
  who.end_object();
  const Result<std::string> judge = choice(request, "judge", "model", "rules", judged ? "model" : "rules");
  for (const Error* error :
       {answers ? nullptr : &answers.error(), constraints ? nullptr : &constraints.error(),
        ask ? nullptr : &ask.error(), budget ? nullptr : &budget.error(), judge ? nullptr : &judge.error()}) {
    if (error != nullptr) {
      return *error;
    }
  }
  const Result<SearchBrief> search = read_search_brief(request.find("search"));
  if (!search) {
    return search.error();
  }
  const Result<Limits> limits = read_limits(request.find("limits"));
  if (!limits) {
    return limits.error();
  }
  const Brief brief{std::string(text::trim(question)),
                    steps_now,
                    answers.value(),
                    constraints.value(),
                    ask.value(),
                    judge.value(),
                    budget.value(),
                    search.value(),
                    limits.value(),
                    {}};
  std::string input;
  json::Writer json(input);
  json.begin_object();
  json::write_fields(json, brief);
  json.key("providers").raw(chosen);
  write_call_limits(json, from);
  if (const Result<bool> watched = write_monitor(json, run::Data::written(chosen).value(), from); !watched) {
    return watched.error();
  }
  if (const Value* user = request.find("user_id"); user != nullptr && !user->is(Kind::null)) {
    json.key("user_id").value(*user);
  }
  json.end_object();
  // Answers are no part of it: who says the same again, with an answer, means the run that waits for it.
  std::string asked;
  const run::Data whole = run::Data::written(input);
  for (const json::Member& member : whole.value().object()) {
    if (member.key != "answers") {
      asked.append(member.key).append(json::value_text(member.value));
    }
  }
  out.fingerprint = fingerprint_of("research\n", asked, out.pins);
  out.input = run::Data::written(std::move(input));
  return out;
}

std::span<const json::Field> SearchBrief::fields() {
  static constexpr json::Field table[] = {json::field<&SearchBrief::providers>("providers"),
                                          json::field<&SearchBrief::lookup>("lookup"),
                                          json::field<&SearchBrief::limit>("limit")};
  return table;
}

std::span<const json::Field> Limits::fields() {
  static constexpr json::Field table[] = {
      json::field<&Limits::rounds>("rounds"), json::field<&Limits::minutes>("minutes"),
      json::field<&Limits::questions>("questions"), json::field<&Limits::searches_min>("searches_min"),
      json::field<&Limits::searches_max>("searches_max")};
  return table;
}

std::span<const json::Field> Brief::fields() {
  static constexpr json::Field table[] = {json::field<&Brief::question>("question"),
                                          json::field<&Brief::steps>("steps"),
                                          json::field<&Brief::answers>("answers"),
                                          json::field<&Brief::constraints>("constraints"),
                                          json::field<&Brief::ask>("ask"),
                                          json::field<&Brief::judge>("judge"),
                                          json::field<&Brief::token_budget>("token_budget"),
                                          json::field<&Brief::search>("search"),
                                          json::field<&Brief::limits>("limits")};
  return table;
}

Brief read_brief(const run::Data& input) {
  const Value& value = input.value();
  auto out = json::record_of<Brief>(value);
  out.limits.searches_min = std::min(out.limits.searches_min, out.limits.searches_max);
  // What the phases were called in runs that were begun before.
  static constexpr std::array<std::string_view, phase_names.size()> before = {"intake", "plan", "research", "generate"};
  const Value* providers = value.find("providers");
  for (std::size_t i = 0; i < phase_names.size() && providers != nullptr; ++i) {
    if (text_of(*providers, out.steps < steps_of_phases ? before[i] : phase_names[i]) == "extract") {
      out.free.emplace_back(phase_names[i]);
    }
  }
  return out;
}

WorstCase worst_case(const Prepared& prepared) {
  const Brief brief = read_brief(prepared.input);
  const Limits& limits = brief.limits;
  // A decision is said, and judged where a model judges, and both again as often as it may be rejected.
  const auto decision = [&](std::string_view phase) {
    return std::uint64_t{1 + rejections_max} * (brief.judges() && !brief.is_free(phase) ? 2 : 1);
  };
  constexpr std::uint64_t written = 2;  // an answer or a report that breaks its contract is asked for once more
  // After its last search a question is decided by its bound; who is done too early has written an answer in vain, and
  // is asked again.
  const std::uint64_t fewest = std::max<std::uint64_t>(limits.searches_min, 1);
  const std::uint64_t question =
      (std::max<std::uint64_t>(limits.searches_max, 1) - 1 + fewest - 1) * decision("researcher") + fewest * written;
  constexpr std::uint64_t lookups = 1;
  WorstCase out;
  out.calls = (lookups + intake_questions_max + 1) * decision("intake") +
              limits.rounds * (decision("brain") + limits.questions * question) + written;
  const bool free =
      std::all_of(phase_names.begin(), phase_names.end(), [&](std::string_view phase) { return brief.is_free(phase); });
  out.budget = free ? 0 : brief.token_budget;
  return out;
}

bool Brief::is_free(std::string_view phase) const { return std::find(free.begin(), free.end(), phase) != free.end(); }

}  // namespace plumb::pipelines::research
