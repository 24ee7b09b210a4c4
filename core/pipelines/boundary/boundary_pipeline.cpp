#include "core/pipelines/boundary/boundary_pipeline.hpp"

#include <algorithm>
#include <array>

#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/boundary/contract_boundary.hpp"
#include "core/pipelines/boundary/revision.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/run/person.hpp"

namespace plumb::pipelines::boundary {

namespace {

using json::Kind;
using json::Value;
using run::Data;

constexpr std::array<std::string_view, 14> members = {"items",     "contract", "id",      "name",          "consumer",
                                                      "producer",  "upstream", "context", "window_tokens", "limits_ms",
                                                      "providers", "judge",    "revise",  "observe"};
constexpr std::array<std::string_view, 3> party_members = {"agent", "role", "work"};
constexpr std::array<std::string_view, 2> phases = {"validate", "revise"};
// What a request calls the two.
constexpr std::array<std::string_view, 2> askers = {"judge", "revise"};
constexpr std::array<std::uint64_t, 2> limits_usual_ms = {90'000, 60'000};
constexpr std::uint64_t limit_ms_max = 24ULL * 3600 * 1000;

// The contract of a request: by name, or written in it.
Result<std::string> contract_of(const Value& request, const Texts& texts) {
  const Value* contract = request.find("contract");
  if (contract == nullptr) {
    return wrong_request("`contract` is missing: the name of a contract, or the contract itself", "/contract");
  }
  Result<std::string> text = contract->is(Kind::string) ? contract_text(texts, contract->str())
                                                        : Result<std::string>(json::value_text(*contract));
  if (!text) {
    return text.error().code == ErrorCode::not_found
               ? wrong_request("there is no contract '" + json::excerpt(contract->str(), 60) + "'", "/contract")
               : text.error();
  }
  const Result<contract::Contract> read = contract::Contract::read(text.value());
  if (!read) {
    return read.error();
  }
  return text;
}

Result<bool> check_party(const Value& request, std::string_view name) {
  const Value* party = request.find(name);
  if (party == nullptr || party->is(Kind::null)) {
    return true;
  }
  const std::string where = "/" + std::string(name);
  if (!party->is(Kind::object)) {
    return wrong_request("`" + std::string(name) + R"(` is an object: {"agent", "role", "work"})", where);
  }
  if (Result<bool> known = only_members(*party, party_members, where); !known) {
    return known;
  }
  for (const json::Member& member : party->object()) {
    if (!member.value.is(Kind::string)) {
      return wrong_request("is a text", where + "/" + std::string(member.key));
    }
  }
  return true;
}

Party party_of(const Value& input, std::string_view name, std::string_view agent, std::string_view role,
               std::string_view work) {
  const Value* given = input.find(name);
  const auto or_else = [&](std::string_view member, std::string_view otherwise) {
    const std::string_view text = given == nullptr ? std::string_view() : text_of(*given, member);
    return std::string(text.empty() ? otherwise : text);
  };
  return {or_else("agent", agent), or_else("role", role), or_else("work", work)};
}

bool is_client(const Value& who) { return who.is(Kind::string) && who.str() == run::client_provider; }

Result<std::uint64_t> limit_of(const Value& request, std::size_t phase) {
  const Value* limits = request.find("limits_ms");
  const Value* given = limits == nullptr ? nullptr : limits->find(phases[phase]);
  if (given == nullptr) {
    return limits_usual_ms[phase];
  }
  std::uint64_t out = 0;
  if (!given->is(Kind::number) || !json::read_uint(given->str(), out) || out == 0 || out > limit_ms_max) {
    return wrong_request("is a whole number of milliseconds, from 1 to a day",
                         "/limits_ms/" + std::string(phases[phase]));
  }
  return out;
}

// The host's limits, but for the phases of which the request says its own.
Texts limits_for(const Value& request, const Texts& texts) {
  Texts out;
  out.limits = texts.limits;
  const Value* own = request.find("limits_ms");
  for (PhaseLimits& one : out.limits) {
    one.total_ms = own == nullptr ? one.total_ms : number_of(*own, one.phase, one.total_ms);
  }
  return out;
}

// What is wrong with the request but for its contract; the first thing.
Result<bool> check_request(const Value& request) {
  const Value* items = request.find("items");
  if (items == nullptr || !items->is(Kind::array)) {
    return wrong_request("`items` is missing: a list of JSON values", "/items");
  }
  if (items->size > run::boundary_items_max) {
    Error error = wrong_request("there are " + json::uint_text(items->size) + " items; at most " +
                                    json::uint_text(run::boundary_items_max) + " cross a boundary at once",
                                "/items");
    error.code = ErrorCode::limit;
    return error;
  }
  if (const Value* upstream = request.find("upstream");
      upstream != nullptr && upstream->is(Kind::array) && upstream->size != items->size) {
    return wrong_request("`upstream` is one value for all items, or a list with one for each: " +
                             json::uint_text(items->size) + ", not " + json::uint_text(upstream->size),
                         "/upstream");
  }
  if (const Value* id = request.find("id");
      id != nullptr && (!id->is(Kind::string) || !json::parse_pointer(id->str()))) {
    return wrong_request("`id` is a JSON Pointer: \"/name\"", "/id");
  }
  for (const std::string_view party : {"consumer", "producer"}) {
    Result<bool> checked = check_party(request, party);
    if (!checked) {
      return checked;
    }
  }
  if (const Value* limits = request.find("limits_ms")) {
    if (Result<bool> known = only_members(*limits, phases, "/limits_ms"); !known) {
      return known;
    }
  }
  for (const std::string_view who : askers) {
    if (const Value* given = request.find(who); given != nullptr && !given->is(Kind::null) && !is_client(*given)) {
      return wrong_request("`" + std::string(who) + "` is \"client\", or absent for the provider of this host",
                           "/" + std::string(who));
    }
  }
  const Value* window = request.find("window_tokens");
  if (window != nullptr && number_of(request, "window_tokens") < 1'000) {
    return wrong_request("`window_tokens` is a whole number from 1,000 on", "/window_tokens");
  }
  return true;
}

// Where an item says what it is called: as the request says, else as its contract does; empty: nowhere.
std::string name_pointer(const Value& input, const contract::Contract& contract) {
  const std::string_view said = text_of(input, "id");
  return std::string(said.empty() ? text_of(contract.tree(), "itemId") : said);
}

std::vector<run::BoundaryItem> items_of(const run::Run& run, const Value& input) {
  const contract::Contract& contract = run.contract("contract");
  const std::span<const Value> values = input.find("items")->array();
  const Value* upstream = input.find("upstream");
  const bool each = upstream != nullptr && upstream->is(Kind::array);
  const std::string pointer = name_pointer(input, contract);
  std::vector<run::BoundaryItem> items(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    items[i].value = Data::part(run.input(), &values[i]);
    items[i].name = pointer.empty() ? std::string() : item_name(contract, pointer, values[i]);
    if (upstream != nullptr) {
      items[i].upstream = Data::part(run.input(), each ? &upstream->array()[i] : upstream);
    }
  }
  run::give_ids(items);
  return items;
}

// The warning stands in the item too, where its contract lets it: what is handed over keeps what it was judged by.
Data delivered(const run::Run& run, const run::Crossed& item, bool any_finding) {
  if (item.warning.empty()) {
    return item.value;
  }
  Data warned = with_warning(item.value, item.warning);
  const auto against = [&](const Data& data) {
    const contract::Verdict verdict = contract::check_text(run.contract("contract"), data.text());
    return std::count_if(verdict.findings.begin(), verdict.findings.end(), [&](const contract::Finding& one) {
      return any_finding || one.rule == "additionalProperties" || one.rule == "unevaluatedProperties" ||
             one.rule == "maxProperties";
    });
  };
  return against(warned) > against(item.value) ? item.value : warned;
}

// Beside the items, so that they reach whoever has items that cannot hold them.
void write_beside(json::Writer& json, const run::Crossing& crossing) {
  const auto write = [&](std::string_view name, run::Passed passed) {
    json.key(name).begin_array();
    for (const run::Crossed& item : crossing.items) {
      if (item.passed == passed) {
        json.begin_object().member("id", item.id);
        if (!item.name.empty()) {
          json.member("name", item.name);
        }
        json.member_uint("index", item.input);
        if (passed == run::Passed::warned) {
          json.member("warning", item.warning);
        } else {
          json.member("rule", item.why.rule).member("reason", item.why.reason);
        }
        json.end_object();
      }
    }
    json.end_array();
  };
  write("warnings", run::Passed::warned);
  write("held_back", run::Passed::failed);
}

std::string_view decision_of(const run::Crossing& crossing) {
  return crossing.count(run::Passed::failed) > 0   ? "revise"
         : crossing.unverified() > 0               ? "accept_unverified"
         : crossing.count(run::Passed::warned) > 0 ? "accept_with_warnings"
                                                   : "accept";
}

Data result_of(const run::Run& run, const run::Crossing& crossing, std::size_t inputs, std::uint64_t way) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("decision", decision_of(crossing)).key("items").begin_array();
  for (const run::Crossed& item : crossing.items) {
    json.begin_object().member("id", item.id);
    if (!item.name.empty()) {
      json.member("name", item.name);
    }
    json.member_uint("index", item.input).member("passed", run::passed_name(item.passed));
    json.member_boolean("unverified", item.unverified);
    if (item.rejections > 0) {
      json.member_uint("rejections", item.rejections).member_uint("revisions", item.revisions);
    }
    if (!item.revised_from.empty()) {
      json.member("revised_from", item.revised_from);
    }
    if (!item.warning.empty()) {
      json.key("validation_warnings").begin_array().string(item.warning).end_array();
    }
    if (item.passed != run::Passed::accepted) {
      json.key("why").begin_object().member("rule", item.why.rule).member("reason", item.why.reason).end_object();
    }
    json.key("value").raw(delivered(run, item, way >= 2).text()).end_object();
  }
  json.end_array();
  if (way >= 2) {
    write_beside(json, crossing);
  }
  json.key("quality_flags").raw(run::quality_flags_json(crossing, "items_produced", inputs));
  json.member_uint("accepted", crossing.count(run::Passed::accepted));
  json.member_uint("warned", crossing.count(run::Passed::warned));
  json.member_uint("failed", crossing.count(run::Passed::failed)).member_uint("unverified", crossing.unverified());
  json.member_uint("calls", crossing.calls).member_uint("calls_max", crossing.calls_max);
  json.member_uint("tokens", crossing.tokens).end_object();
  return Data::written(std::move(out));
}

// {"validate": PROVIDER, "revise": PROVIDER}, as far as somebody says.
Data providers_of(const Value& request, const Texts& texts) {
  const Value* given = request.find("providers");
  std::string out;
  json::Writer json(out);
  json.begin_object();
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const std::string_view phase = phases[i];
    std::string_view name = given == nullptr ? std::string_view() : text_of(*given, phase);
    for (const auto& [known, provider] : texts.providers) {
      name = known == phase ? std::string_view(provider) : name;
    }
    const Value* own = request.find(askers[i]);
    name = own != nullptr && is_client(*own) ? run::client_provider : name;
    if (!name.empty()) {
      json.member(phase, name);
    }
  }
  json.end_object();
  return Data::written(std::move(out));
}

}  // namespace

Result<Prepared> prepare(const Value& request, const Texts& texts) {
  Result<bool> known = only_members(request, members);
  if (known) {
    known = check_request(request);
  }
  if (!known) {
    return known.error();
  }
  const Result<std::string> contract = contract_of(request, texts);
  if (!contract) {
    return contract.error();
  }
  Prepared out;
  out.pins.emplace_back("contract", Data::written(contract.value()));
  const Result<bool> pinned_all = pin_boundary(out.pins, texts);
  if (!pinned_all) {
    return pinned_all.error();
  }
  pin_revision(out.pins, "contract");
  const Data providers = providers_of(request, texts);
  const std::string_view model = text_of(providers.value(), "validate");
  std::string input;
  json::Writer json(input);
  json.begin_object();
  write_way(json);
  for (const std::string_view name : {"id", "name", "consumer", "producer", "context"}) {
    if (const Value* given = request.find(name); given != nullptr && !given->is(Kind::null)) {
      json.key(name).value(*given);
    }
  }
  const std::uint64_t window = number_of(request, "window_tokens");
  const Result<std::uint64_t> of_model = window_of(texts, model);
  if (!of_model) {
    return of_model.error();
  }
  json.member_uint("window_tokens", window > 0 ? window : of_model.value());
  json.key("limits_ms").begin_object();
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const Result<std::uint64_t> limit = limit_of(request, i);
    if (!limit) {
      return limit.error();
    }
    json.member_uint(phases[i], limit.value());
  }
  json.end_object().key("providers").raw(providers.text());
  write_call_limits(json, limits_for(request, texts));
  if (const Result<bool> watched = write_monitor(json, providers.value(), texts); !watched) {
    return watched.error();
  }
  if (const Result<bool> observed = write_observed(json, request, texts); !observed) {
    return observed.error();
  }
  if (const Value* upstream = request.find("upstream"); upstream != nullptr && !upstream->is(Kind::null)) {
    json.key("upstream").value(*upstream);
  }
  json.key("items").value(*request.find("items")).end_object();
  out.fingerprint = fingerprint_of("boundary\n", input, out.pins);
  out.input = Data::written(std::move(input));
  return out;
}

Result<Data> pipeline(run::Run& run) {
  const Value& input = run.input().value();
  ContractBoundary what;
  what.name = "items";
  what.contract = "contract";
  what.way = way_of(input);
  what.name_at = *run.keep<std::string>("name_at", [&] { return name_pointer(input, run.contract("contract")); });
  what.what = text_of(input, "name");
  what.consumer = party_of(input, "consumer", "the consumer", "You work with what others have produced.",
                           "You can do your work only with items that keep the rules below.");
  what.producer = party_of(input, "producer", "the producer", "You produced the items below.", "");
  what.window = number_of(input, "window_tokens");
  const auto asks = [providers = input.find("providers")](std::string_view phase, std::string_view whom) {
    return providers != nullptr && text_of(*providers, phase) == whom;
  };
  what.free = [asks](std::string_view phase) { return asks(phase, "extract"); };
  what.client = [asks](std::string_view phase) { return asks(phase, run::client_provider); };
  what.validate_ms = number_of(*input.find("limits_ms"), "validate");
  what.revise_ms = number_of(*input.find("limits_ms"), "revise");
  if (const Value* context = input.find("context")) {
    what.context = json::value_text(*context);
  }
  const auto items = run.keep<std::vector<run::BoundaryItem>>("items", [&] { return items_of(run, input); });
  const run::Crossing crossing = run::cross_boundary(run, contract_boundary(run, what), *items);
  return result_of(run, crossing, items->size(), what.way);
}

}  // namespace plumb::pipelines::boundary
