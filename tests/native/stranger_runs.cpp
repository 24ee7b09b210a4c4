#include "stranger_runs.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/contract/check.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/artifact.hpp"
#include "core/pipelines/research/research.hpp"
#include "core/require.hpp"
#include "core/run/machine.hpp"
#include "native/host/contained.hpp"
#include "native/host/isolated_call.hpp"
#include "native/provider/prepared_call.hpp"
#include "native/provider/sample_exchanges.hpp"
#include "native/provider/stream_watch.hpp"
#include "research_runs.hpp"
#include "tests/native/source_dir.hpp"

namespace plumb::test {

namespace {

using json::Value;
using run::Data;

constexpr std::size_t effects_most = 3'000;
constexpr std::uint64_t call_ms_usual = 600'000;
constexpr std::uint64_t begins_ms = 1'760'000'000'000;

// A clock that goes on only when everybody waits.
class ScriptedClock final : public provider::Exchanges {
 public:
  provider::ExchangeId start(provider::ExchangeRequest, const provider::ExchangeLimits&,
                             provider::ExchangeEvents) override {
    return 0;
  }
  void cancel(provider::ExchangeId) override {}
  void post(std::function<void()> work) override { after(0, std::move(work)); }
  provider::TimerId after(std::uint64_t delay_ms, std::function<void()> work) override {
    queue_.emplace(std::pair{now_ms_ + delay_ms, ++last_}, std::move(work));
    return last_;
  }
  void forget(provider::TimerId timer) override {
    for (auto one = queue_.begin(); one != queue_.end(); ++one) {
      if (one->first.second == timer) {
        queue_.erase(one);
        return;
      }
    }
  }
  std::uint64_t now_ms() const override { return now_ms_; }

  // False: nobody waits for anything.
  bool go_on(bool later) {
    if (queue_.empty() || (!later && queue_.begin()->first.first > now_ms_))
      return false;
    now_ms_ = queue_.begin()->first.first;
    const std::function<void()> work = std::move(queue_.begin()->second);
    queue_.erase(queue_.begin());
    work();
    return true;
  }
  void drop() { queue_.clear(); }
  void skip(std::uint64_t ms) { now_ms_ += ms; }

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::function<void()>> queue_;
  std::uint64_t now_ms_ = begins_ms;
  std::uint64_t last_ = 0;
};

std::string file_text(const std::string& name) {
  std::ifstream in(plumb::test::source_dir() + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

constexpr std::uint64_t items_asked = 3;
// One run in four has a budget that ends most of them at their first repair; the others have what is usual for the
// source.
constexpr std::uint64_t tight_budget = 12'000;
bool is_tight(std::uint64_t seed) { return seed % 4 == 2; }

// A contract and a plan prompt as a user would write them.
constexpr std::string_view glossary_contract = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.org/glossary", "type": "object",
  "required": ["terms"],
  "properties": {"terms": {"type": "array", "minItems": 1, "maxItems": 40,
    "distinct": {"by": "/term", "fold": ["trim", "lowercase"]},
    "items": {"type": "object", "required": ["term", "definition", "see"], "itemLabel": "Term {n}", "properties": {
      "term": {"type": "string", "notBlank": true, "maxLength": 60},
      "definition": {"type": "string", "minLength": 10, "maxLength": 300},
      "kind": {"enum": ["thing", "process", "property"]},
      "weight": {"type": "integer", "minimum": 1, "maximum": 9},
      "see": {"type": "array", "maxItems": 3, "items": {"type": "string", "memberOf": {"in": "/terms/*/term"}}}}}}},
  "rules": [{"id": "grounded", "title": "Grounded", "each": "/terms/*", "ask": "The source gives this definition."}]})";
constexpr std::string_view glossary_prompt = R"(---
{ "about": "Plans a glossary.", "output_tokens_max": 600, "options": { "num_terms": 3 },
  "planned": { "at": "/terms/*", "one": "term", "many": "terms" },
  "made": { "at": "/terms/*", "one": "term", "many": "terms", "option": "num_terms" },
  "answer": { "$id": "https://example.org/glossary-plan", "type": "object", "required": ["terms"],
    "properties": { "terms": { "type": "array", "minItems": 1, "items": { "type": "string", "notBlank": true } } } } }
---
<!-- system -->
You plan glossaries as JSON. {{data_rule}}
<!-- user -->
Plan a glossary of {{count}} terms.

Source Content:
{{source}}

{{shape}}
)";

pipelines::Texts texts_for(const Scenario& scenario) {
  pipelines::Texts texts;
  if (scenario.name == "glossary") {
    const auto find = [](std::string_view wanted, std::string_view name, std::string_view text) -> Result<std::string> {
      if (wanted == name)
        return std::string(text);
      return Error{ErrorCode::not_found, "there is none of this name", "", 0, 0};
    };
    texts.contract = [find](std::string_view name) { return find(name, "glossary", glossary_contract); };
    texts.prompt = [find](std::string_view name) -> Result<std::string> {
      if (const pipelines::Texts::Find none; name != "artifact-plan-glossary") {
        const std::string file = file_text("prompts/" + std::string(name) + ".md");
        return file.empty() ? find("", name, "") : Result<std::string>(file);
      }
      return std::string(glossary_prompt);
    };
  }
  return texts;
}

void write_providers(json::Writer& json, const Scenario& scenario) {
  json.key("providers").begin_object();
  for (const std::string_view phase : scenario.phases)
    json.member(phase, "sample/obedient");
  json.end_object();
}

std::string request_of(const Scenario& scenario, std::uint64_t seed) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (scenario.pipeline == "artifact") {
    static const std::string chapter = file_text("docs/examples/chapter.md");
    json.member("artifact_type", scenario.name).member("content", chapter);
    const std::string_view option = scenario.name == "quiz"         ? "num_questions"
                                    : scenario.name == "flashcards" ? "num_cards"
                                    : scenario.name == "glossary"   ? "num_terms"
                                                                    : "";
    if (!option.empty())
      json.key("options").begin_object().member_uint(option, items_asked).end_object();
    if (is_tight(seed))
      json.member_uint("token_budget", tight_budget);
    json.member("repair", seed % 2 == 0 ? "whole" : "patch").member("on_unverified", seed % 3 == 0 ? "pass" : "fail");
    json.member("early_stop", seed % 5 == 0 ? "finding" : "degenerate");
  } else if (scenario.pipeline == "boundary") {
    json.key("contract").raw(R"({"$schema":"https://json-schema.org/draft/2020-12/schema",
      "$id":"https://example.org/brief","type":"object","required":["name","problem","users"],"itemId":"/name",
      "role":{"purpose":"You plan releases.","reads":["name","problem"]},
      "properties":{"name":{"type":"string","notBlank":true},"problem":{"type":"string","minLength":20},
      "users":{"type":"integer","minimum":1},"area":{"enum":["checkout","search","export"]}},
      "rules":[{"id":"concrete","title":"Concrete","ask":"The problem names a screen or a flow.","severity":"error"},
               {"id":"counted","title":"Counted","ask":"The number of users is plausible."}]})");
    json.key("items").raw(R"([{"name":"Banner","problem":"The cookie banner hides the button that pays for an order.",
      "users":120,"area":"checkout"},{"name":"Export","problem":"short","users":0},
      {"name":"Search","problem":"Search takes ten seconds for two words in quotes.","users":7,"area":"search"}])");
  } else if (scenario.pipeline == "discovery") {
    json.key("sources").begin_object().member("conversations", "talks").end_object();
    json.member("target_domain", "A shop on the web.").member_boolean("review", false);
  } else {
    json.member("question", "Who wrote the tool dpkg, and which option of apt-get removes configuration files?");
    json.member("judge", seed % 2 == 0 ? "model" : "rules");
    json.key("search").begin_object().key("providers").begin_array().string("corpus").end_array().end_object();
  }
  write_providers(json, scenario);
  json.end_object();
  return out;
}

// The states that documentation names, by pipeline (docs/artifacts.md, boundaries.md, discovery.md, research.md).
bool is_named(std::string_view pipeline, std::string_view status) {
  static const std::map<std::string_view, std::set<std::string_view>> named = {
      {"artifact", {"completed", "completed_partial", "failed", "cancelled"}},
      {"boundary", {"completed", "done", "failed", "cancelled"}},
      {"discovery", {"completed", "completed_with_warnings", "completed_partial", "failed", "cancelled", "stopped"}},
      {"research", {"completed", "met", "unmet", "undecided", "done", "failed", "cancelled"}},
  };
  const auto found = named.find(pipeline);
  return found != named.end() && found->second.count(status) > 0;
}

class Player {
 public:
  explicit Player(const Play& what)
      : what_(what), exchanges_(clock_, [this](const provider::ExchangeRequest&, const stranger::Answered& answered) {
          told(answered);
        }) {}

  Played play() {
    const std::optional<std::string> broken = host::contained([&] { go(); });
    if (broken)
      law("an assumption of ours broke: " + *broken);
    return std::move(out_);
  }

 private:
  void law(std::string sentence) {
    if (std::find(out_.broken.begin(), out_.broken.end(), sentence) == out_.broken.end())
      out_.broken.push_back(std::move(sentence));
  }

  void told(const stranger::Answered& answered) {
    if (answered.refusal != nullptr)
      law("a request of ours is refused: " + std::string(answered.refusal->id) + ": " +
          answered.pieces.front().bytes.substr(0, 300));
    if (answered.shortened)
      law("phase " + phase_ + ": the context that is asked for does not hold what is sent");
  }

  void go() {
    json::Arena arena;
    const std::string text = request_of(*what_.scenario, what_.seed);
    const Result<Value> request = json::parse(text, arena);
    PLUMB_REQUIRE(static_cast<bool>(request), "the request of a test is JSON");
    const pipelines::Known& known = *pipelines::known_pipeline(what_.scenario->pipeline);
    const Result<pipelines::Prepared> prepared = known.prepare(request.value(), texts_for(*what_.scenario));
    PLUMB_REQUIRE(static_cast<bool>(prepared), prepared ? "" : prepared.error().message.c_str());
    // Each call may be made again once where the world fails or the answer cannot be used.
    if (what_.scenario->pipeline == "artifact")
      out_.calls_max = 2 * pipelines::artifact::worst_case(prepared.value()).calls;
    if (what_.scenario->pipeline == "research")
      out_.calls_max = 2 * pipelines::research::worst_case(prepared.value()).calls;
    run::Machine machine = run::Machine::start(known.pipeline, "r" + std::string(20, 'a'), prepared.value().input,
                                               prepared.value().pins, {}, clock_.now_ms());
    std::size_t effects = 0;
    for (;;) {
      const run::State state = machine.step(clock_.now_ms());
      (void)machine.take();
      if (state != run::State::waiting)
        break;
      for (const run::Want& want : machine.wanted())
        machine.attempt(want.key, clock_.now_ms());
      const std::vector<run::Want> under_way = machine.under_way();
      if (under_way.empty()) {
        law("hangs: waits for nothing that is under way");
        break;
      }
      effects += under_way.size();
      if (effects > effects_most) {
        law("hangs: more than " + std::to_string(effects_most) + " effects");
        break;
      }
      for (const run::Want& want : under_way) {
        machine.reply(want.key, fulfil(machine, want), clock_.now_ms());
        (void)machine.take();
      }
    }
    ended(known, machine);
  }

  run::Reply fulfil(const run::Machine& machine, const run::Want& want) {
    clock_.skip(1);
    run::Reply reply;
    std::string value;
    json::Writer json(value);
    switch (want.kind) {
      case run::EffectKind::model:
        return ask(machine, want);
      case run::EffectKind::search:
        value = package_docs().search(want.request.value());
        break;
      case run::EffectKind::read: {
        static const std::string talks = file_text("tests/cases/discovery/talks/support.ndjson");
        const Value* tree = want.request.value().find("tree");
        json.begin_object();
        if (tree != nullptr && tree->boolean) {
          json.key("entries").begin_array().begin_object().member("path", "support.ndjson").member("kind", "file");
          json.member_uint("bytes", talks.size()).end_object().end_array();
        } else {
          json.member("text", talks).member_uint("bytes", talks.size());
        }
        json.end_object();
        break;
      }
      case run::EffectKind::person:
        json.begin_object().member("decision", "1").end_object();
        break;
      default:
        json.begin_object().end_object();
        break;
    }
    reply.value = Data::written(std::move(value));
    return reply;
  }

  std::string model_for(std::string_view phase) const {
    const bool so = what_.phase.empty() || what_.phase == phase;
    return std::string(wire::wire_name(what_.wire)) + "-" + std::string(so ? what_.manner : "obedient") + "-" +
           json::uint_text(what_.seed);
  }

  run::Reply ask(const run::Machine& machine, const run::Want& want) {
    static const provider::Settings settings = *[] {
      static Result<provider::Settings> read = provider::read_settings("sample", {}, {}, {});
      return &read.value();
    }();
    static provider::ContractShelf shelf;
    ++out_.calls;
    Result<provider::EffectRequest> read = provider::read_effect_request(std::string(want.request.text()));
    PLUMB_REQUIRE(static_cast<bool>(read), "a pipeline's request can be read");
    provider::EffectRequest& request = read.value();
    phase_ = request.model.phase;
    provider::Choice choice;
    choice.phase = phase_;
    choice.provider = "sample";
    choice.model = model_for(phase_);
    choice.said.text = "sample/" + choice.model;
    std::shared_ptr<const provider::KnownContract> contract;
    if (!request.contract.empty()) {
      const Data* pin = machine.pin(request.contract);
      PLUMB_REQUIRE(pin != nullptr, "a contract that is named is pinned");
      contract = shelf.read(std::string(pin->text())).value();
    }
    provider::Answered how;
    how.provider = "sample";
    how.model = choice.model;
    Result<provider::PreparedCall> prepared = provider::prepare_call(
        request, choice, settings, contract.get(), want.deadline_ms == 0 ? call_ms_usual : want.deadline_ms, how);
    if (!prepared) {
      law("phase " + phase_ + " cannot be asked: " + prepared.error().message);
      return provider::refused_reply(run::Status::failed, wire::FailureClass::bad_request, prepared.error().message);
    }
    note_sent(request, contract == nullptr ? std::string() : std::string(contract->contract.text()));
    provider::StreamWatch watch(contract, request.early_stop);
    std::optional<provider::ModelOutcome> outcome;
    const auto call = provider::ModelCall::start(
        exchanges_, std::move(prepared.value().request), prepared.value().limits,
        {[&](const wire::ModelDelta& delta) {
           if (delta.kind != wire::DeltaKind::text)
             return true;
           how.received_bytes += delta.text.size();
           std::vector<contract::Finding> certain;
           how.stop = watch.push(delta.text, certain);
           return !how.stop;
         },
         [](const provider::Retry&) {}, [&](provider::ModelOutcome ended) { outcome = std::move(ended); }});
    while (!outcome && clock_.go_on(true)) {
    }
    while (clock_.go_on(false)) {
    }
    clock_.drop();
    if (!outcome) {
      law("a call hangs");
      return provider::refused_reply(run::Status::failed, wire::FailureClass::server, "hangs");
    }
    how.tries = outcome->tries;
    keeps_schema(request, *outcome, choice.model);
    run::Reply reply = provider::reply_of(request, *outcome, how);
    const bool kept = contract == nullptr || contract::check_text(contract->contract, outcome->reply.text).valid;
    unusable_ += reply.ok() && kept ? 0U : 1U;
    return reply;
  }

  void note_sent(const provider::EffectRequest& request, const std::string& contract) {
    Sent sent;
    sent.phase = request.model.phase;
    const Value* role = request.tree.find("role");
    sent.role = role == nullptr ? std::string() : std::string(role->str());
    sent.contract = contract;
    for (const Sent& one : out_.sent) {
      if (one.phase == sent.phase && one.role == sent.role && one.contract == sent.contract)
        return;
    }
    sent.schema = request.model.format.kind == wire::FormatKind::schema ? request.model.format.schema : std::string();
    for (const wire::Message& message : request.model.messages) {
      for (const wire::Part& part : message.content)
        sent.prompt += part.text + "\n";
    }
    out_.sent.push_back(std::move(sent));
  }

  // What an obedient stranger says keeps the schema that it was sent.
  void keeps_schema(const provider::EffectRequest& request, const provider::ModelOutcome& outcome,
                    const std::string& model) {
    const bool obedient = model.find("obedient") != std::string::npos;
    const bool whole = outcome.end == provider::ModelEnd::answered && outcome.reply.finish != wire::Finish::length;
    if (!obedient || !whole || request.model.format.kind != wire::FormatKind::schema)
      return;
    static provider::ContractShelf shelf;
    const auto schema = shelf.read(request.model.format.schema);
    if (!schema) {
      law("phase " + request.model.phase + ": the schema that is sent is none: " + schema.error().message);
      return;
    }
    const contract::Verdict verdict = contract::check_text(schema.value()->contract, outcome.reply.text);
    if (!verdict.valid)
      law("phase " + request.model.phase + ": an obedient answer breaks the schema: " +
          (verdict.findings.empty() ? "" : verdict.findings.front().message));
  }

  void ended(const pipelines::Known& known, const run::Machine& machine) {
    out_.state = std::string(run::state_name(machine.state()));
    if (machine.state() == run::State::failed)
      out_.error = machine.error().message;
    json::Arena arena;
    const std::string view = known.view(machine.journal());
    const Result<Value> seen = json::parse(view, arena);
    if (!seen) {
      law("the view is no JSON");
      return;
    }
    out_.status = std::string(json::text_of(seen.value(), "status"));
    if (machine.state() == run::State::waiting)
      return;
    if (!is_named(what_.scenario->pipeline, out_.status))
      law("ends in a state that is not documented: '" + out_.status + "'");
    if (machine.state() == run::State::failed && out_.error.empty())
      law("fails without a word");
    if (what_.scenario->pipeline == "artifact" && !is_tight(what_.seed) && out_.error.starts_with("budget_exceeded"))
      law("the usual budget does not hold plan, artifact, judgements and two repairs: " + out_.error);
    // Where nothing fails, nothing is asked again.
    const bool all_well = what_.phase.empty() && what_.manner.substr(0, 8) == "obedient" && unusable_ == 0;
    if (out_.calls_max > 0 && out_.calls > (all_well ? out_.calls_max / 2 : out_.calls_max))
      law("makes more calls than its worst case");
    for (const Value& stage : json::list_of(seen.value(), "stages")) {
      const Value* most = stage.find("calls_max");
      if (most != nullptr && json::number_of(stage, "calls") > (all_well ? 1 : 2) * json::number_of(stage, "calls_max"))
        law("the stage " + std::string(json::text_of(stage, "stage")) + " makes more calls than its worst case");
    }
    if (machine.state() == run::State::done)
      counts(machine.result().value());
  }

  void counts(const Value& result) {
    if (what_.scenario->pipeline == "boundary") {
      const std::uint64_t most = json::number_of(result, "calls_max");
      if (most > 0 && out_.calls > 2 * most)
        law("makes more calls than its worst case");
      if (json::list_of(result, "items").size() < 3)
        law("a boundary drops items");
      return;
    }
    if (what_.scenario->pipeline != "artifact" || what_.scenario->name == "mindmap")
      return;
    const Value* artifact = result.find("artifact");
    const std::string_view list = what_.scenario->name == "quiz"         ? "questions"
                                  : what_.scenario->name == "flashcards" ? "flashcards"
                                                                         : "terms";
    if (artifact != nullptr && out_.status == "completed" && json::list_of(*artifact, list).size() < items_asked)
      law("successful with " + std::to_string(json::list_of(*artifact, list).size()) + " of " +
          std::to_string(items_asked) + " items");
  }

  const Play& what_;
  ScriptedClock clock_;
  provider::SampleExchanges exchanges_;
  std::string phase_;
  std::size_t unusable_ = 0;  // answers that failed or broke their contract
  Played out_;
};

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<std::string_view> artifact = {"plan", "generate", "judge", "repair"};
  static const std::vector<Scenario> all = {
      {"quiz", "artifact", artifact},
      {"flashcards", "artifact", artifact},
      {"mindmap", "artifact", artifact},
      {"glossary", "artifact", artifact},
      {"boundary", "boundary", {"validate", "revise"}},
      {"discovery", "discovery", {"explore", "frame", "design", "assess", "rank", "validate", "revise"}},
      {"research", "research", {"intake", "brain", "researcher", "finish"}},
  };
  return all;
}

const std::vector<std::string_view>& manners() {
  static const std::vector<std::string_view> all = {
      "obedient", "obedient-smallest", "obedient-largest", "sloppy", "lazy", "slow", "refusing", "down"};
  return all;
}

std::string_view phase_of(const Scenario& scenario, std::uint64_t seed) {
  const std::size_t which = static_cast<std::size_t>(seed % (scenario.phases.size() + 1));
  return which == 0 ? std::string_view() : scenario.phases[which - 1];
}

std::string Play::text() const {
  return std::string(scenario->name) + " " + std::string(wire::wire_name(wire)) + " " + std::string(manner) + " " +
         std::string(phase.empty() ? "all" : phase) + " " + json::uint_text(seed);
}

bool read_play(std::string_view text, Play& out) {
  std::vector<std::string_view> words;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(' ', from), text.size());
    words.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  if (words.size() != 5)
    return false;
  for (const Scenario& one : scenarios()) {
    if (one.name == words[0])
      out.scenario = &one;
  }
  for (const wire::Wire one : {wire::Wire::openai, wire::Wire::anthropic, wire::Wire::ollama}) {
    if (wire::wire_name(one) == words[1])
      out.wire = one;
  }
  out.manner = words[2];
  out.phase = words[3] == "all" ? std::string_view() : words[3];
  return out.scenario != nullptr && json::read_uint(words[4], out.seed);
}

Played play(const Play& what) { return Player(what).play(); }

void Tally::add(const Play& what, const Played& how) {
  Row& row = rows[{std::string(what.scenario->name), std::string(what.manner)}];
  ++row.runs;
  row.done += how.state == "done" ? 1U : 0U;
  row.failed += how.state == "failed" ? 1U : 0U;
  row.calls += how.calls;
  row.broken += how.broken.empty() ? 0U : 1U;
  ++row.statuses[how.status];
  for (const std::string& law : how.broken) {
    auto& one = laws[law];
    if (one.first++ == 0)
      one.second = what.text();
  }
}

void Tally::add(const Tally& other) {
  for (const auto& [key, row] : other.rows) {
    Row& mine = rows[key];
    mine.runs += row.runs;
    mine.done += row.done;
    mine.failed += row.failed;
    mine.calls += row.calls;
    mine.broken += row.broken;
    for (const auto& [status, count] : row.statuses)
      mine.statuses[status] += count;
  }
  for (const auto& [law, seen] : other.laws) {
    auto& one = laws[law];
    one.second = one.first == 0 ? seen.second : one.second;
    one.first += seen.first;
  }
}

std::string Tally::table() const {
  std::string out =
      "| pipeline | manner | runs | calls | ends | laws broken |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const auto& [key, row] : rows) {
    std::string ends;
    for (const auto& [status, count] : row.statuses)
      ends += (ends.empty() ? "" : ", ") + std::to_string(count) + " " + (status.empty() ? "-" : status);
    out += "| " + key.first + " | " + key.second + " | " + std::to_string(row.runs) + " | " +
           std::to_string(row.calls) + " | " + ends + " | " + std::to_string(row.broken) + " |\n";
  }
  for (const auto& [law, seen] : laws)
    out += "broken " + std::to_string(seen.first) + " times, first by '" + seen.second + "': " + law + "\n";
  return out;
}

}  // namespace plumb::test
