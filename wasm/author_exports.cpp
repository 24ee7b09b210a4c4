// plumb-author.wasm: what is about writing and showing contracts and verdicts and not about checking, behind the C ABI
// of wasm/abi.hpp. wasm/package/src/author.ts loads it when it is wanted.
//
// Every call is a function of its request, a JSON object in the buffer, and answers with a text; nothing is kept
// between calls. To add one: write `Result<std::string> NAME(const Value& request)` and export it with one line below,
// add plumb_NAME to AuthorExports in wasm/package/src/author.ts and a method there that calls it. A request that holds
// a contract holds it as {contract: text, name?, uri?, dialect?, assertFormats?, documents?}: read_contract() in
// wasm/read_contract.hpp reads it.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/explain.hpp"
#include "core/contract/render.hpp"
#include "core/derive/derive.hpp"
#include "core/exports/exports.hpp"
#include "core/json/indented.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/lint/lint.hpp"
#include "core/lint/rules.hpp"
#include "core/result.hpp"
#include "core/sample/sample.hpp"
#include "wasm/abi.hpp"
#include "wasm/read_contract.hpp"
#include "wasm/read_json.hpp"
#include "wasm/read_verdict.hpp"

namespace {

using plumb::Result;
using plumb::json::Value;
using plumb::json::Writer;
using namespace plumb::wasm;

// {version}, for the loader, which starts no module of another version.
Result<std::string> about(const Value&) {
  std::string out;
  Writer(out).begin_object().member("version", PLUMB_VERSION).end_object();
  return out;
}

// What every rule means: an array of {rule, kind, meaning, decides?, fix?, contract?, artifact?, breaks?}.
Result<std::string> explain(const Value&) {
  std::string out;
  Writer json(out);
  json.begin_array();
  for (const plumb::contract::Explanation& one : plumb::contract::explanations()) {
    json.begin_object().member("rule", one.rule).member("kind", plumb::contract::kind_title(one.kind));
    json.member("meaning", one.meaning);
    if (!one.decides.empty()) {
      json.member("decides", one.decides);
    }
    if (!one.fix.empty()) {
      json.member("fix", one.fix);
    }
    if (!one.contract.empty()) {
      json.member("contract", one.contract).member("artifact", one.artifact).member_boolean("breaks", one.breaks);
    }
    json.end_object();
  }
  json.end_array();
  return out;
}

// Verdicts for people and for other tools: {format, color?, ascii?, verdicts: [verdict with `file`]}. Formats that are
// of one verdict are written one after the other.
Result<std::string> render(const Value& request) {
  const std::string_view format = view_text(request, "format");
  const plumb::contract::TextStyle style{read_flag(request, "color"), read_flag(request, "ascii")};
  std::vector<plumb::contract::FileVerdict> all;
  for (const Value& one : read_items(request, "verdicts")) {
    all.push_back({read_text(one, "file"), read_verdict(one)});
  }
  if (format == "sarif") {
    return plumb::contract::render_sarif(all);
  }
  if (format == "junit") {
    return plumb::contract::render_junit(all);
  }
  std::string out;
  for (const plumb::contract::FileVerdict& one : all) {
    if (format == "text") {
      out += plumb::contract::render_text(one, style);
    } else if (format == "scorecard") {
      out += plumb::contract::render_scorecard(one, style);
    } else if (format == "short") {
      out += plumb::contract::render_short(one, style);
    } else if (format == "github") {
      out += plumb::contract::render_github(one);
    } else {
      return plumb::Error{plumb::ErrorCode::invalid_argument,
                          "no such format; there are text, short, scorecard, sarif, junit and github", "", 0, 0};
    }
  }
  return out;
}

// A target from a contract: {target, contract, ...}. Answers {target, contract, hash, text, tokens, residual,
// residualContract, narrows}.
Result<std::string> derive(const Value& request) {
  const plumb::derive::TargetName* target = plumb::derive::target_named(view_text(request, "target"));
  if (target == nullptr) {
    std::string names;
    for (const plumb::derive::TargetName& one : plumb::derive::target_names) {
      names += names.empty() ? "" : ", ";
      names += one.name;
    }
    return plumb::Error{plumb::ErrorCode::invalid_argument, "no such target; there are " + names, "", 0, 0};
  }
  const Result<plumb::contract::Contract> contract = read_contract(view_text(request, "contract"), request);
  if (!contract) {
    return contract.error();
  }
  const Result<plumb::derive::Derived> derived = plumb::derive::derive(contract.value(), target->target);
  if (!derived) {
    return derived.error();
  }
  return plumb::derive::derived_json(contract.value(), derived.value(), 0);
}

void write_site(Writer& json, const plumb::sample::RuleSite& site) {
  json.member("rule", site.rule);
  if (!site.schema_location.empty()) {
    json.member("schemaLocation", site.schema_location);
  }
  if (!site.property.empty()) {
    json.member("property", site.property);
  }
}

// Artifacts of a contract: {contract..., kind?, rule?, seed?, count?, context?: text, indent?} gives {made: [{kind,
// seed, rule?, schemaLocation?, property?, at?, also?, artifact: text, context?: text}], notMade: [{rule,
// schemaLocation?, property?, reason}]}.
Result<std::string> sample(const Value& request) {
  namespace sample = plumb::sample;
  const Result<plumb::contract::Contract> contract = read_contract(view_text(request, "contract"), request);
  if (!contract) {
    return contract.error();
  }
  sample::SampleOptions options;
  const std::string_view kind = view_text(request, "kind");
  options.rule = view_text(request, "rule");
  options.kind = kind == "minimal"                           ? sample::SampleKind::minimal
                 : kind == "broken" || !options.rule.empty() ? sample::SampleKind::broken
                                                             : sample::SampleKind::rich;
  options.seed = read_uint(request, "seed", 1);
  options.count = read_uint32(request, "count", 1);
  options.context = view_text(request, "context");
  const bool indent = read_flag(request, "indent");
  const Result<sample::Samples> samples = sample::make_samples(contract.value(), options);
  if (!samples) {
    return samples.error();
  }
  std::string out;
  Writer json(out);
  json.begin_object().key("made").begin_array();
  for (const sample::Sample& one : samples.value().made) {
    json.begin_object().member("kind", sample::sample_kind_name(one.kind)).member_uint("seed", one.seed);
    if (one.kind == sample::SampleKind::broken) {
      write_site(json, {one.rule, one.schema_location, one.property, {}});
      json.member("at", one.at).key("also").begin_array();
      for (const std::string& other : one.also) {
        json.string(other);
      }
      json.end_array();
    }
    json.member("artifact", indent ? plumb::json::indented(one.artifact) : one.artifact);
    if (!one.context.empty()) {
      json.member("context", one.context);
    }
    json.end_object();
  }
  json.end_array().key("notMade").begin_array();
  for (const sample::RuleSite& site : samples.value().not_made) {
    json.begin_object();
    write_site(json, site);
    json.member("reason", site.reason).end_object();
  }
  json.end_array().end_object();
  return out;
}

// The rules that an artifact can break by itself: {contract...} gives [{rule, schemaLocation, property?}].
Result<std::string> breakable(const Value& request) {
  const Result<plumb::contract::Contract> contract = read_contract(view_text(request, "contract"), request);
  if (!contract) {
    return contract.error();
  }
  std::string out;
  Writer json(out);
  json.begin_array();
  for (const plumb::sample::RuleSite& site : plumb::sample::breakable_rules(contract.value())) {
    json.begin_object();
    write_site(json, site);
    json.end_object();
  }
  json.end_array();
  return out;
}

// What is worth a second look in a contract, which may be none: {contract..., file?, targets?: [name],
// promptTokensMax?} gives what lint_json() writes.
Result<std::string> lint(const Value& request) {
  plumb::lint::LintOptions options;
  options.prompt_tokens_max = read_uint(request, "promptTokensMax", options.prompt_tokens_max);
  for (const Value& target : read_items(request, "targets")) {
    options.targets.emplace_back(target.str());
  }
  return plumb::lint::lint_json(plumb::lint::lint(view_text(request, "contract"), read_options(request), options),
                                view_text(request, "file"));
}

// The contract with all certain fixes made: {contract...} gives {text, done: [title]}.
Result<std::string> fix(const Value& request) {
  const plumb::lint::Fixed fixed = plumb::lint::fix(view_text(request, "contract"), read_options(request));
  std::string out;
  Writer json(out);
  json.begin_object().member("text", fixed.text).key("done").begin_array();
  for (const std::string& one : fixed.done) {
    json.string(one);
  }
  json.end_array().end_object();
  return out;
}

// The rules of lint: [{rule, severity, title, why, bad, good}].
Result<std::string> lint_rules(const Value&) {
  std::string out;
  Writer json(out);
  json.begin_array();
  for (const plumb::lint::LintRule& one : plumb::lint::lint_rules()) {
    json.begin_object().member("rule", one.id).member("severity", plumb::contract::severity_name(one.severity));
    json.member("title", one.title).member("why", one.why).member("bad", one.bad).member("good", one.good);
    json.end_object();
  }
  json.end_array();
  return out;
}

// An accepted artifact as a file of another program: {contract..., artifact: text, format, run?: view of the run that
// made it} gives {text, extension, mediaType}.
Result<std::string> export_artifact(const Value& request) {
  const auto refused = [](std::string message) {
    return plumb::Error{plumb::ErrorCode::invalid_argument, std::move(message), "", 0, 0};
  };
  const plumb::exports::Format* format = plumb::exports::format_named(view_text(request, "format"));
  if (format == nullptr) {
    return refused("no such format; there are " + plumb::exports::format_names());
  }
  const Result<plumb::contract::Contract> contract = read_contract(view_text(request, "contract"), request);
  if (!contract) {
    return contract.error();
  }
  const std::string_view text = view_text(request, "artifact");
  const plumb::contract::Verdict verdict = plumb::contract::check_text(contract.value(), text);
  if (!verdict.valid || verdict.decision == plumb::contract::Decision::undecided) {
    return refused("only an accepted artifact can be exported, and the decision is " +
                   std::string(plumb::contract::decision_name(verdict.decision)));
  }
  plumb::json::Arena arena;
  const Result<Value> artifact = plumb::json::parse(text, arena);
  if (!artifact) {
    return artifact.error();
  }
  const Value* run = request.find("run");
  const Result<std::string> file = plumb::exports::write(*format, artifact.value(), run == nullptr ? Value() : *run);
  if (!file) {
    return file.error();
  }
  std::string out;
  Writer json(out);
  json.begin_object().member("text", file.value()).member("extension", format->extension);
  json.member("mediaType", format->media_type).end_object();
  return out;
}

}  // namespace

PLUMB_EXPORT(plumb_author_about)(std::uint32_t size)->std::uint32_t { return answer(size, about); }
PLUMB_EXPORT(plumb_explain)(std::uint32_t size)->std::uint32_t { return answer(size, explain); }
PLUMB_EXPORT(plumb_render)(std::uint32_t size)->std::uint32_t { return answer(size, render); }
PLUMB_EXPORT(plumb_sample)(std::uint32_t size)->std::uint32_t { return answer(size, sample); }
PLUMB_EXPORT(plumb_breakable)(std::uint32_t size)->std::uint32_t { return answer(size, breakable); }
PLUMB_EXPORT(plumb_lint)(std::uint32_t size)->std::uint32_t { return answer(size, lint); }
PLUMB_EXPORT(plumb_fix)(std::uint32_t size)->std::uint32_t { return answer(size, fix); }
PLUMB_EXPORT(plumb_lint_rules)(std::uint32_t size)->std::uint32_t { return answer(size, lint_rules); }
PLUMB_EXPORT(plumb_derive)(std::uint32_t size)->std::uint32_t { return answer(size, derive); }
PLUMB_EXPORT(plumb_export)(std::uint32_t size)->std::uint32_t { return answer(size, export_artifact); }
