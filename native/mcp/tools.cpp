#include "native/mcp/tools.hpp"

#include <optional>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/explain.hpp"
#include "core/contract/render.hpp"
#include "core/derive/derive.hpp"
#include "core/json/decimal.hpp"
#include "core/json/writer.hpp"
#include "core/lint/lint.hpp"
#include "core/lint/rules.hpp"
#include "core/pipelines/pipeline_contracts.hpp"
#include "core/pipelines/tool_envelope.hpp"
#include "core/require.hpp"
#include "core/sample/sample.hpp"
#include "core/text/steps.hpp"
#include "core/wording.hpp"
#include "native/base/file_bytes.hpp"
#include "native/base/near_miss.hpp"
#include "native/control/check_request.hpp"

namespace plumb::mcp {

namespace {

constexpr std::uint64_t contract_bytes_max = std::uint64_t{16} << 20;

// What a tool gives is an envelope: `result`, the JSON of `data`, and what to do next.
ToolAnswer given(std::string_view data, std::string_view action, std::string_view result = "success") {
  return {pipelines::envelope(
              result, [&](json::Writer& json) { json.key("data").raw(data); }, action),
          false};
}

ToolAnswer wrong(std::string_view error) {
  return {pipelines::failed_envelope(error, "Call the tool with what it can take, or go on without it."), true};
}
ToolAnswer wrong(const Error& error) {
  return wrong(error.where.empty() ? error.message : error.where + ": " + error.message);
}

std::string_view slice(const ToolCall& call, const json::Value& value) {
  return call.text.substr(static_cast<std::size_t>(value.from), static_cast<std::size_t>(value.to - value.from));
}

// The text of the contract that the call names or gives, and what to call it.
struct Asked {
  std::string text;
  std::string name;
};
Result<Asked> contract_of(const ToolCall& call) {
  const json::Value& said = *call.arguments.find("contract");
  if (!said.is(json::Kind::string)) {
    return Asked{std::string(slice(call, said)), {}};
  }
  const std::string_view name = said.str();
  if (const auto own = call.setting.named.find(name); own != call.setting.named.end()) {
    return Asked{own->second, own->first};
  }
  if (const contract::BuiltIn* built_in = pipelines::known_contract(name)) {
    return Asked{std::string(built_in->text), {}};
  }
  std::vector<std::string_view> names;
  for (const contract::BuiltIn& one : contract::built_in_contracts()) {
    names.push_back(one.name);
  }
  for (const auto& [own, text] : call.setting.named) {
    names.push_back(own);
  }
  std::string list = joined(names);
  return Error{ErrorCode::not_found,
               "no contract is called '" + json::excerpt(name, 60) + "'" + did_you_mean(name, names) +
                   "; there are: " + list + ". A JSON Schema can be given instead of a name.",
               "", 0, 0};
}

struct Ready {
  Asked asked;
  contract::Contract contract;
};
Result<Ready> ready_contract(const ToolCall& call, text::Steps& steps) {
  Result<Asked> asked = contract_of(call);
  if (!asked) {
    return asked.error();
  }
  contract::ReadOptions options;
  options.name = asked.value().name;
  options.steps = &steps;
  Result<contract::Contract> read = contract::Contract::read(asked.value().text, options);
  if (!read) {
    Error error = read.error();
    error.message = "the contract cannot be used: " + error.message;
    return error;
  }
  return Ready{std::move(asked).value(), std::move(read).value()};
}

// As POST /v1/check, which takes the same members.
ToolAnswer checked(const std::string& body, const Asked& contract, const ToolCall& call, bool edited) {
  text::Steps steps(call.setting.steps_max);
  const control::KnownContract known{contract.text, contract.name};
  control::Answer answer = control::check_request(body, call.setting.hash_seed, &steps, &known);
  if (answer.problem) {
    return wrong(answer.problem->error);
  }
  json::Arena arena;
  const Result<json::Value> verdict = json::parse(answer.body, arena);
  PLUMB_REQUIRE(static_cast<bool>(verdict), "a verdict is JSON");
  if (verdict.value().find("decision")->str() == contract::decision_name(contract::Decision::undecided)) {
    return given(answer.body, "Not everything could be checked. Go on with what is known, and say so.", "undecided");
  }
  if (verdict.value().find("valid")->boolean) {
    return given(answer.body, edited ? "Go on with the edited text, or with yours if it has no edits."
                                     : "The artifact is accepted. Go on with the next step.");
  }
  return given(answer.body, "Correct what the findings name before you pass the artifact on.", "validation_failed");
}

ToolAnswer check(const ToolCall& call) {
  const Result<Asked> asked = contract_of(call);
  return asked ? checked(std::string(call.text), asked.value(), call, false) : wrong(asked.error());
}

ToolAnswer edits(const ToolCall& call) {
  Asked contract{"true", {}};
  if (call.arguments.find("contract") != nullptr) {
    Result<Asked> asked = contract_of(call);
    if (!asked) {
      return wrong(asked.error());
    }
    contract = std::move(asked).value();
  }
  const json::Value* level = call.arguments.find("level");
  std::string body;
  json::Writer json(body);
  json.begin_object().member_boolean("contract", true).key("text").raw(slice(call, *call.arguments.find("text")));
  json.member("edits", level == nullptr ? "certain" : level->str()).end_object();
  return checked(body, contract, call, true);
}

ToolAnswer explain(const ToolCall& call) {
  const std::string_view rule = call.arguments.find("rule")->str();
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (const contract::Explanation* one = contract::explanation_of(rule)) {
    json.member("rule", one->rule).member("kind", contract::kind_title(one->kind)).member("meaning", one->meaning);
    if (!one->decides.empty()) {
      json.member("decides", one->decides);
    }
    if (!one->fix.empty()) {
      json.member("fix", one->fix);
    }
    if (!one->contract.empty()) {
      json.member("contract", one->contract).member(one->breaks ? "breaks" : "fits", one->artifact);
    }
  } else if (const lint::LintRule* lint_rule = lint::lint_rule(rule)) {
    json.member("rule", lint_rule->id).member("kind", "Lint of contracts").member("meaning", lint_rule->title);
    json.member("fix", lint_rule->why).member("breaks", lint_rule->bad).member("fits", lint_rule->good);
  } else {
    std::vector<std::string_view> names;
    for (const contract::Explanation& known : contract::explanations()) {
      names.push_back(known.rule);
    }
    for (const lint::LintRule& known : lint::lint_rules()) {
      names.push_back(known.id);
    }
    return wrong("no rule is called '" + json::excerpt(rule, 60) + "'" + did_you_mean(rule, names));
  }
  json.end_object();
  return given(out, "Mend what breaks the rule as `fix` says, and go on.");
}

ToolAnswer derive(const ToolCall& call) {
  text::Steps steps(call.setting.steps_max);
  const Result<Ready> ready = ready_contract(call, steps);
  if (!ready) {
    return wrong(ready.error());
  }
  const derive::TargetName* target = derive::target_named(call.arguments.find("target")->str());
  const Result<derive::Derived> derived = derive::derive(ready.value().contract, target->target);
  if (!derived) {
    return wrong(derived.error());
  }
  return given(derive::derived_json(ready.value().contract, derived.value(), 0),
               "Use `text`, and check what comes with the contract: the rules in `residual` are not enforced by it.");
}

ToolAnswer lint(const ToolCall& call) {
  const Result<Asked> asked = contract_of(call);
  if (!asked) {
    return wrong(asked.error());
  }
  text::Steps steps(call.setting.steps_max);
  contract::ReadOptions options;
  options.name = asked.value().name;
  options.steps = &steps;
  lint::LintOptions looking;
  if (const json::Value* targets = call.arguments.find("targets")) {
    for (const json::Value& one : targets->array()) {
      looking.targets.emplace_back(one.str());
    }
  }
  return given(lint::lint_json(lint::lint(asked.value().text, options, looking), "contract"),
               "Mend what the findings name where it was not meant, and go on.");
}

// An integer within the bounds of the schema, perhaps written as 1e1.
std::uint64_t number(const ToolCall& call, std::string_view name, std::uint64_t otherwise) {
  const json::Value* said = call.arguments.find(name);
  json::Decimal decimal;
  if (said != nullptr &&
      json::Decimal::read(said->str(), json::Decimal::exponent_max_default, decimal) == json::DecimalStatus::ok) {
    (void)decimal.to_uint64(otherwise);
  }
  return otherwise;
}

ToolAnswer samples(const ToolCall& call) {
  text::Steps steps(call.setting.steps_max);
  const Result<Ready> ready = ready_contract(call, steps);
  if (!ready) {
    return wrong(ready.error());
  }
  sample::SampleOptions options;
  const json::Value* kind = call.arguments.find("kind");
  const json::Value* rule = call.arguments.find("rule");
  const std::string_view wanted = rule != nullptr ? "broken" : kind == nullptr ? "rich" : kind->str();
  options.kind = wanted == "broken"    ? sample::SampleKind::broken
                 : wanted == "minimal" ? sample::SampleKind::minimal
                                       : sample::SampleKind::rich;
  options.rule = rule == nullptr ? std::string_view() : rule->str();
  options.count = static_cast<std::uint32_t>(number(call, "count", 1));
  options.seed = number(call, "seed", 1);
  const json::Value* context = call.arguments.find("context");
  if (context != nullptr) {
    options.context = slice(call, *context);
  }
  const Result<sample::Samples> made = sample::make_samples(ready.value().contract, options);
  if (!made) {
    return wrong(made.error());
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().key("samples").begin_array();
  for (const sample::Sample& one : made.value().made) {
    json.begin_object().member("kind", sample::sample_kind_name(one.kind)).member_uint("seed", one.seed);
    if (!one.rule.empty()) {
      json.member("rule", one.rule).member("schemaLocation", one.schema_location).member("at", one.at);
    }
    json.key("artifact").raw(one.artifact);
    if (!one.context.empty()) {
      json.key("context").raw(one.context);
    }
    json.end_object();
  }
  json.end_array().key("notMade").begin_array();
  for (const sample::RuleSite& one : made.value().not_made) {
    json.begin_object().member("rule", one.rule).member("reason", one.reason).end_object();
  }
  json.end_array().end_object();
  return given(out, "Use the samples, and go on.");
}

#define CONTRACT                                         \
  R"("contract":{"type":["string","object","boolean"],)" \
  R"("description":"The name of a contract (quiz, flashcards, ...) or a JSON Schema."})"

// The schema of an envelope around what a tool gives.
#define ENVELOPE(data)                                                                                              \
  R"({"type":"object","required":["result","data","action"],"properties":{"result":{"type":"string"},"data":)" data \
  R"(,"action":{"type":"string"}}})"

constexpr std::string_view verdict_schema = ENVELOPE(
    R"({"type":"object","required":["contract","valid","decision","findings","edits"],"properties":{)"
    R"("contract":{"type":"string"},"hash":{"type":"string"},"valid":{"type":"boolean"},"decision":{"type":"string"},)"
    R"("findings":{"type":"array","items":{"type":"object","required":["rule","severity","at"]}},)"
    R"("edits":{"type":"array","items":{"type":"object"}},)"
    R"("text":{"type":"string","description":"The text as it was judged, where an edit was made."}}})");

constexpr Tool all[] = {
    {"check", "Check an artifact",
     "Judges JSON that a model has produced under a contract (a JSON Schema, with rules across fields). Gives the "
     "verdict: valid, decision, and each finding with its place and what is required. Use it before passing an "
     "artifact on.",
     R"({"type":"object","required":["contract"],"additionalProperties":false,"properties":{)" CONTRACT
     R"(,"artifact":{"description":"The artifact as JSON."},)"
     R"("text":{"type":"string","description":"The artifact as a text instead, where it may be no JSON."},)"
     R"("context":{"description":"What the contract's rules read beside the artifact."},)"
     R"("edits":{"enum":["none","certain","guess"],"description":"Which mends of a text are allowed first."},)"
     R"("assertFormats":{"type":"boolean"}},"oneOf":[{"required":["artifact"]},{"required":["text"]}]})",
     verdict_schema, check},
    {"explain", "Explain a rule",
     "What a rule of a finding means, when it is decided, and how to fix what breaks it, with an example.",
     R"({"type":"object","required":["rule"],"additionalProperties":false,"properties":{)"
     R"("rule":{"type":"string","description":"As a finding names it: minItems, memberOf, syntax."}}})",
     ENVELOPE(R"({"type":"object","required":["rule","kind","meaning"],"additionalProperties":{"type":"string"}})"),
     explain},
    {"derive", "Derive from a contract",
     "Writes what tells a model or a program beforehand what a contract wants: a prompt, a provider's schema, a "
     "grammar, types or documentation; with the rules that this form does not enforce.",
     R"({"type":"object","required":["contract","target"],"additionalProperties":false,"properties":{)" CONTRACT
     R"(,"target":{"enum":["prompt","openai-strict","openai","anthropic","gemini","gbnf","json-schema",)"
     R"("typescript","zod","pydantic","page","html"]}}})",
     ENVELOPE(R"({"type":"object","required":["target","text","residual"],"properties":{"target":{"type":"string"},)"
              R"("text":{"type":"string"},"residual":{"type":"array"}}})"),
     derive},
    {"lint", "Look over a contract",
     "What is worth a second look in a contract: rules that can never hold or never break, places that have no end, "
     "members that nobody reads.",
     R"({"type":"object","required":["contract"],"additionalProperties":false,"properties":{)" CONTRACT
     R"(,"targets":{"type":"array","maxItems":12,"items":)"
     R"({"enum":["prompt","openai-strict","openai","anthropic","gemini","gbnf","json-schema",)"
     R"("typescript","zod","pydantic","page","html"]}}}})",
     ENVELOPE(R"({"type":"object","required":["findings"],"properties":{"findings":{"type":"array","items":)"
              R"({"type":"object","required":["rule","severity","message"]}}}})"),
     lint},
    {"edits", "Mend a text to JSON",
     "Makes strict JSON of what a model wrote around it or not quite as JSON: fences, prose, trailing commas, single "
     "quotes, a text that was cut. Each change is told; a value that was cut off is never made up.",
     R"({"type":"object","required":["text"],"additionalProperties":false,"properties":{)" CONTRACT
     R"(,"text":{"type":"string","description":"What the model wrote."},)"
     R"("level":{"enum":["certain","guess"],"description":"certain: only what allows no other reading."}}})",
     verdict_schema, edits},
    {"samples", "Make sample artifacts",
     "Makes artifacts from a contract: rich or minimal ones that keep it, or ones that break a rule, each with the "
     "rule and the place. The same seed gives the same.",
     R"({"type":"object","required":["contract"],"additionalProperties":false,"properties":{)" CONTRACT
     R"(,"kind":{"enum":["rich","minimal","broken"]},"rule":{"type":"string","description":"Break this rule."},)"
     R"("count":{"type":"integer","minimum":1,"maximum":100},)"
     R"("seed":{"type":"integer","minimum":0,"maximum":1000000000},"context":{}}})",
     ENVELOPE(R"({"type":"object","required":["samples","notMade"],"properties":{"samples":{"type":"array","items":)"
              R"({"type":"object","required":["kind","artifact"]}},"notMade":{"type":"array"}}})"),
     samples},
};

#undef CONTRACT
#undef ENVELOPE

}  // namespace

Result<NamedTexts> named_texts(const plumb::ConfigFile& config) {
  NamedTexts out;
  for (const auto& [type, path] : config.artifacts) {
    Result<std::string> text = read_file(path, contract_bytes_max);
    if (!text) {
      return text.error();
    }
    out.emplace(type, std::move(text).value());
  }
  return out;
}

std::span<const Tool> tools() { return all; }

const Tool* tool_named(std::string_view name) {
  for (const Tool& tool : all) {
    if (tool.name == name) {
      return &tool;
    }
  }
  return nullptr;
}

ToolAnswer call_tool(const Tool& tool, std::string_view arguments, const ToolSetting& setting) {
  contract::ReadOptions reading;
  reading.name = "inputSchema";
  const Result<contract::Contract> schema = contract::Contract::read(tool.input, reading);
  PLUMB_REQUIRE(static_cast<bool>(schema), "the schemas of our own tools are contracts");
  text::Steps steps(setting.steps_max);
  contract::CheckOptions options;
  options.hash_seed = setting.hash_seed;
  options.steps = &steps;
  const contract::Verdict verdict = contract::check_text(schema.value(), arguments, options);
  json::Arena arena;
  const Result<json::Value> read = json::parse(arguments, arena);
  if (!verdict.valid || verdict.decision == contract::Decision::undecided || !read) {
    return {pipelines::invalid_arguments_envelope(tool.name, verdict, arguments), true};
  }
  return tool.call(ToolCall{arguments, read.value(), setting});
}

}  // namespace plumb::mcp
