// A request for a calibration becomes a run: labels are matched with the claims that the judge will be asked about.

#include <algorithm>
#include <array>

#include "core/contract/check.hpp"
#include "core/contract/render.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/calibration.hpp"
#include "core/pipelines/artifact/calibration_notes.hpp"
#include "core/pipelines/artifact/preparing.hpp"
#include "core/pipelines/artifact/source.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/pipelines/preparation.hpp"
#include "core/text/tokens.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::calibration {

namespace {

using json::Kind;
using json::text_of;
using json::Value;
using judge::Question;

constexpr std::size_t shown_max = 60;
constexpr std::size_t places_shown = 6;
constexpr std::array<std::string_view, 5> members = {"contract", "artifacts", "token_budget", "limits_ms", "providers"};
constexpr std::array<std::string_view, 5> item_members = {"content", "chunks", "artifact", "labels", "name"};

// The last step of a pointer to a label.
std::string step(std::string_view key) {
  std::string out = "/";
  for (const char c : key) {
    out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return out;
}

// The labels of one artifact, matched with what the judge is asked about it.
class Matching {
 public:
  Matching(std::vector<Question> asked, std::string where) : asked_(std::move(asked)), where_(std::move(where)) {}

  std::optional<Error> add(const json::Member& member) {
    const std::string where = where_ + step(member.key);
    const std::vector<std::string> places = places_of(member.key);
    if (member.value.is(Kind::boolean)) {
      return add_rule(places, {}, member.value, where);
    }
    if (!member.value.is(Kind::object) || member.value.object().empty()) {
      return wrong_request(
          "a label is true (the source supports the claim) or false (it does not), or an object with one of these "
          "for each rule",
          where);
    }
    for (const json::Member& rule : member.value.object()) {
      if (std::optional<Error> error = add_rule(places, rule.key, rule.value, where + step(rule.key))) {
        return error;
      }
    }
    return std::nullopt;
  }

  std::vector<Label> take() { return std::move(labels_); }

 private:
  // The places that a person means, written as a judge may write them.
  std::vector<std::string> places_of(std::string_view key) const {
    std::string claim;
    json::Writer json(claim);
    json.begin_object().key("claims").begin_array().begin_object().member("rule", "").member("at", key);
    json.end_object().end_array().end_object();
    std::vector<std::string> out;
    for (const judge::Claim& one : judge::read_claims(run::Data::written(claim).value(), asked_)) {
      out.push_back(one.at);
    }
    return out;
  }

  // Nothing as the rule: all that are judged there.
  std::optional<Error> add_rule(const std::vector<std::string>& places, std::optional<std::string_view> rule,
                                const Value& value, const std::string& where) {
    if (!value.is(Kind::boolean)) {
      return wrong_request("a label is true (the source supports the claim) or false (it does not)", where);
    }
    for (const std::string& at : places) {
      std::vector<std::string_view> rules;
      std::size_t matched = 0;
      for (const Question& one : asked_) {
        if (one.at != at) {
          continue;
        }
        rules.push_back(one.rule);
        if (rule && one.rule != *rule) {
          continue;
        }
        ++matched;
        if (is_labelled(one)) {
          return wrong_request("the rule '" + one.rule + "' is labelled twice at " + shown(at), where);
        }
        labels_.push_back({one.rule, one.at, value.boolean});
      }
      if (rules.empty()) {
        return wrong_request("nothing is judged at '" + json::excerpt(at, shown_max) + "'; places are " + all_places(),
                             where);
      }
      if (matched == 0) {
        return wrong_request("the judge is not asked about a rule '" + json::excerpt(*rule, shown_max) + "' at " +
                                 shown(at) + did_you_mean(*rule, rules) + "; rules there are " + joined(rules),
                             where);
      }
    }
    return std::nullopt;
  }

  static std::string shown(const std::string& at) { return at.empty() ? "the whole" : at; }

  bool is_labelled(const Question& question) const {
    return std::any_of(labels_.begin(), labels_.end(),
                       [&](const Label& one) { return one.rule == question.rule && one.at == question.at; });
  }

  std::string all_places() const {
    std::vector<std::string> out;
    for (const Question& one : asked_) {
      if (std::find(out.begin(), out.end(), shown(one.at)) == out.end()) {
        out.push_back(shown(one.at));
      }
    }
    const std::size_t more = out.size() - std::min(out.size(), places_shown);
    out.resize(out.size() - more);
    return joined(out) + (more > 0 ? " and " + json::uint_text(more) + " more" : "");
  }

  std::vector<Question> asked_;
  std::string where_;
  std::vector<Label> labels_;
};

class Preparation {
 public:
  Preparation(const contract::Contract& contract, const Prompt& plan_prompt)
      : contract_(contract), plan_prompt_(plan_prompt) {}

  std::optional<Error> add(const Value& item, std::size_t number) {
    const std::string where = "/artifacts/" + json::uint_text(number);
    if (const Result<bool> known = only_members(item, item_members, where); !known) {
      return known.error();
    }
    const Value* artifact = item.find("artifact");
    const Value* labels = item.find("labels");
    if (artifact == nullptr || labels == nullptr || !labels->is(Kind::object) || labels->object().empty()) {
      return wrong_request(artifact == nullptr ? "the artifact is missing: give `artifact`"
                                               : "the labels are missing: give `labels`, such as "
                                                 "{\"questions[0]\": true, \"questions[1]\": {\"answerable\": false}}",
                           where);
    }
    const Result<std::vector<extract::Chunk>> chunks = artifact::source_of(item);
    if (!chunks) {
      Error error = chunks.error();
      error.where = where + error.where;
      return error;
    }
    Labelled out;
    out.name = text_of(item, "name");
    out.name = out.name.empty() ? "artifact " + json::uint_text(number + 1) : out.name;
    out.source = source_number(extract::chunks_json(chunks.value()));
    std::uint64_t source_tokens = 0;
    for (const extract::Chunk& chunk : chunks.value()) {
      source_tokens += text::estimate_tokens(chunk.text).safe;
    }
    out.token_budget = artifact::usual_token_budget(source_tokens);
    token_budget += out.token_budget;
    out.artifact = run::Data::written(json::value_text(*artifact));
    const contract::Verdict verdict = contract::check_text(contract_, out.artifact.text());
    Matching matching(
        judge::questions(contract_, verdict, out.artifact.value(), plan_prompt_.made.places(out.artifact.value())),
        where + "/labels");
    if (std::optional<Error> error = structure_error(verdict, where)) {
      return error;
    }
    for (const json::Member& label : labels->object()) {
      if (std::optional<Error> error = matching.add(label)) {
        return error;
      }
    }
    out.labels = matching.take();
    labels_count += out.labels.size();
    labelled.push_back(std::move(out));
    return std::nullopt;
  }

  std::vector<std::string> sources;  // passages, as JSON
  std::vector<Labelled> labelled;
  std::uint64_t token_budget = 0;
  std::size_t labels_count = 0;

 private:
  // An artifact with an error of structure is repaired before anybody judges it.
  static std::optional<Error> structure_error(const contract::Verdict& verdict, const std::string& where) {
    for (const contract::Finding& finding : verdict.findings) {
      if (finding.severity == contract::Severity::error && finding.shadowed_by == 0) {
        return wrong_request(
            "the artifact breaks its contract, so its meaning is not judged: " + json::excerpt(finding.message, 200) +
                (finding.at.empty() ? "" : " (at " + finding.at + ")"),
            where + "/artifact");
      }
    }
    return std::nullopt;
  }

  std::uint64_t source_number(std::string chunks) {
    const auto known = std::find(sources.begin(), sources.end(), chunks);
    const auto number = static_cast<std::uint64_t>(known - sources.begin());
    if (known == sources.end()) {
      sources.push_back(std::move(chunks));
    }
    return number;
  }

  const contract::Contract& contract_;
  const Prompt& plan_prompt_;
};

// The judge of a job sees as much of a long source as there is room for, the passages of the plan first. There is no
// plan here, so a source must be shown as a whole.
std::optional<Error> not_shown(const run::Data& input) {
  artifact::Job job = artifact::read_job(input);
  const auto sources = json::list_of(input.value(), "sources");
  const auto& all = input.as<Input>().labelled;
  for (std::size_t i = 0; i < all.size(); ++i) {
    job.chunks = &sources[static_cast<std::size_t>(all[i].source)];
    job.shown_budget = all[i].token_budget;
    if (const std::size_t hidden = artifact::shown_source(job, artifact::Phase::judge, {}).hidden; hidden > 0) {
      return wrong_request("the source is too long for the judge: " + counted(hidden, "passage") +
                               " of it would not be shown; label claims about a shorter part of it",
                           "/artifacts/" + json::uint_text(i));
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Prepared> prepare(const Value& request, const Texts& texts) {
  if (const Result<bool> known = only_members(request, members); !known) {
    return known.error();
  }
  const std::string_view type = text_of(request, "contract");
  if (type.empty()) {
    return wrong_request("`contract` is missing: quiz, flashcards, mindmap, or a type of your own", "/contract");
  }
  Prepared out;
  const Result<contract::Contract> contract = artifact::pin_contract_of(texts, type, "/contract", out.pins);
  const Result<Prompt> plan_prompt =
      contract ? artifact::pin_prompts(texts, type, out.pins) : Result<Prompt>(contract.error());
  if (!plan_prompt) {
    return plan_prompt.error();
  }
  const auto items = json::list_of(request, "artifacts");
  if (items.empty() || items.size() > artifacts_max) {
    return wrong_request("`artifacts` is a list of 1 to " + json::uint_text(artifacts_max) + " labelled artifacts",
                         "/artifacts");
  }
  Preparation all(contract.value(), plan_prompt.value());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (const std::optional<Error> error = all.add(items[i], i)) {
      return *error;
    }
  }
  if (all.labels_count > labels_max) {
    return wrong_request("there are more than " + json::uint_text(labels_max) + " labels", "/artifacts");
  }
  const std::uint64_t usual = std::min(artifact::token_budget_max, all.token_budget);
  const Result<std::uint64_t> budget =
      artifact::number(request, "token_budget", "/token_budget", usual, artifact::token_budget_max);
  if (!budget) {
    return budget.error();
  }
  artifact::Settings settings;
  settings.type = type;
  settings.way = artifact::way_now;
  settings.options = run::Data::written("{}");
  settings.token_budget = budget.value();

  const std::string chosen = artifact::chosen_providers(request, texts);
  const run::Data providers = run::Data::written(chosen);
  std::string input;
  json::Writer json(input);
  json.begin_object();
  json::write_fields(json, settings);
  if (const Result<bool> limits = artifact::write_limits(json, request, texts); !limits) {
    return limits.error();
  }
  json.key("providers").raw(chosen);
  if (const Result<bool> watched = write_monitor(json, providers.value(), texts); !watched) {
    return watched.error();
  }
  json::write_fields(json, Input{artifact::judge_key(providers.value(), type, contract.value(), out.pins), texts.judge,
                                 std::move(all.labelled)});
  json.key("sources").begin_array();
  for (const std::string& one : all.sources) {
    json.raw(one);
  }
  json.end_array().end_object();
  out.fingerprint = fingerprint_of("calibration", input, out.pins);
  out.input = run::Data::written(std::move(input));
  if (const std::optional<Error> error = not_shown(out.input)) {
    return *error;
  }
  return out;
}

}  // namespace plumb::pipelines::calibration
