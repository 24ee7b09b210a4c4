// The answer to one question: claims with quotes, held against the passages and against what was asked for.

#include <algorithm>

#include "core/extract/floor.hpp"
#include "core/extract/wanted.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/research/evidence.hpp"
#include "core/pipelines/research/inquiry.hpp"

namespace plumb::pipelines::research {

namespace {

using json::Value;

constexpr std::size_t claims_max = 12;

std::string passages_text(const std::vector<Source>& sources) {
  std::string out;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Source& one = sources[i];
    out += fenced("passage-" + json::uint_text(i + 1),
                  one.title + (one.heading.empty() ? "" : " / " + one.heading) + "\n" + one.passage) +
           "\n";
  }
  return out;
}

void write_task(json::Writer& json, const Inquiry& inquiry, const std::vector<Source>& sources) {
  json.member("question", inquiry.question.question).key("passages").begin_array();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Source& one = sources[i];
    json.begin_object().member_uint("n", i + 1).member("title", one.title).member("heading", one.heading);
    json.member("passage", one.passage).end_object();
  }
  json.end_array();
}

// Claims are held against the passages: a quote that stands nowhere proves nothing, and one that does not have what is
// asked for is near it, no answer.
void read_claims(const Inquiry& inquiry, const Value& answer, const std::vector<Source>& sources, Answered& out) {
  const std::string& question = inquiry.question.question;
  const extract::Wanted wanted = extract::wanted_by(question);
  std::vector<extract::Found> read;
  for (const Source& one : sources) {
    read.push_back({read.size() + 1, one.title, one.heading, one.passage});
  }
  const std::string shared = extract::shared_subject(question, read);
  out.supporting = 0;
  for (const Value& one : list_of(answer, "answer")) {
    Claim claim;
    claim.claim = text_of(one, "claim");
    if (claim.claim.empty() || out.total == claims_max) {
      continue;
    }
    claim.quote = text_of(one, "quote");
    const Quoted quoted = find_quoted(claim.quote, static_cast<std::size_t>(number_of(one, "source")), sources);
    claim.verified = quoted.source != nullptr;
    claim.supports = claim.verified && extract::supports(wanted, claim.quote, claim.claim);
    if (claim.verified && inquiry.brief.has_floor()) {
      const extract::Floor floor = extract::floor_of(
          question, {claim.quote, quoted.source->title, quoted.source->heading, quoted.source->passage}, shared);
      claim.floor = extract::floor_name(floor);
      claim.supports = floor != extract::Floor::contradicted && extract::has_kind(question, claim.quote, claim.claim);
    }
    if (claim.verified) {
      claim.title = quoted.source->title;
      claim.url = quoted.source->url;
      claim.file = quoted.source->file;
      claim.line = quoted.line;
      claim.heading = quoted.source->heading;
      claim.passage = quoted.source->passage;
    }
    ++out.total;
    out.verified += claim.verified ? 1 : 0;
    *out.supporting += *claim.supports ? 1 : 0;
    out.claims.push_back(std::move(claim));
  }
  const std::string_view said = text_of(answer, "confidence");
  // A model's confidence goes no further than what is quoted.
  out.confidence = out.verified == 0                                     ? "low"
                   : out.verified < out.total && said == "high"          ? "medium"
                   : said == "high" || said == "medium" || said == "low" ? std::string(said)
                                                                         : "medium";
  out.missing = text_of(answer, "missing");
  if (out.verified > 0 && out.supporting == 0) {
    out.confidence = "low";
    out.missing = out.missing.empty() ? "No quote states " + wanted.says + "." : out.missing;
  }
}

}  // namespace

Answered answer_part(run::Run& run, const Inquiry& inquiry, std::uint64_t tokens_left,
                     const std::vector<Search>& searches, bool stopped) {
  const std::vector<Source> sources =
      sources_of(searches, inquiry.brief.is_free("finish") ? sources_by_rule_max : sources_max);
  Answered out;
  Spent spent;
  Brief brief = inquiry.brief;
  brief.token_budget = tokens_left;
  std::string text;
  const bool asks = !stopped && !sources.empty() && stop_reason(run, inquiry.brief, spent, inquiry.begun_ms).empty();
  if (asks) {
    Saying saying;
    saying.author = "answer";
    saying.data = {{"objective", fenced("objective", inquiry.objective)},
                   {"question", fenced("question", inquiry.question.question)},
                   {"goal", fenced("goal", inquiry.question.goal)},
                   {"passages", passages_text(sources)}};
    saying.task = [&](json::Writer& json) { write_task(json, inquiry, sources); };
    for (int attempt = 0; attempt < 2 && text.empty(); ++attempt) {
      saying.bolder = attempt > 0;
      const Answer answer = say(run, brief, spent, saying);
      if (!answer.error.empty()) {
        out.error = answer.error;
        out.reason = answer.reason;
        break;
      }
      const Read read = read_answer(run.contract("contract-answer"), answer.text, {});
      text = read.verdict.valid ? read.text : std::string();
    }
  }
  json::Arena arena;
  const bool by_rule = text.empty() || inquiry.brief.is_free("finish");
  if (text.empty()) {
    const run::Data task = object([&](json::Writer& json) { write_task(json, inquiry, sources); });
    text = extract::research("research.answer", task.value()).value();
  }
  const Result<Value> value = json::parse(text, arena);
  read_claims(inquiry, value.value(), sources, out);
  if (by_rule && !out.missing.empty()) {
    out.supporting = 0;  // it knows what it could not show
  }
  out.tokens = spent.tokens;
  return out;
}

}  // namespace plumb::pipelines::research
