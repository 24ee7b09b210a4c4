// The answer to one question: claims with quotes, held against the passages and against what was asked for.

#include <algorithm>

#include "core/extract/research.hpp"
#include "core/extract/wanted.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/research/evidence.hpp"
#include "core/pipelines/research/inquiry.hpp"

namespace plumb::pipelines::research {

namespace {

using json::Value;

constexpr std::size_t claims_max = 12;

struct Answered {
  std::string claims = "[]";  // JSON
  std::size_t verified = 0;
  std::size_t stands = 0;  // of the verified: quotes that have what is asked for
  std::size_t total = 0;
  std::string confidence = "low";
  std::string missing;
  std::string error;
  std::uint64_t tokens = 0;
};

std::string passages_text(const std::vector<Source>& sources) {
  std::string out;
  for (const Source& one : sources) {
    out += fenced("passage-" + json::uint_text(one.number),
                  one.title + (one.heading.empty() ? "" : " / " + one.heading) + "\n" + one.passage) +
           "\n";
  }
  return out;
}

void write_passages(json::Writer& json, const std::vector<Source>& sources) {
  json.key("passages").begin_array();
  for (const Source& one : sources) {
    json.begin_object().member_uint("n", one.number).member("title", one.title).member("heading", one.heading);
    json.member("passage", one.passage).end_object();
  }
  json.end_array();
}

// Claims are held against the passages: a quote that stands nowhere proves nothing, and one that does not have what is
// asked for is near it, no answer.
void read_claims(std::string_view question, const Value& answer, const std::vector<Source>& sources, Answered& out) {
  const extract::Wanted wanted = extract::wanted_by(question);
  out.claims.clear();
  json::Writer json(out.claims);
  json.begin_array();
  for (const Value& one : list_of(answer, "answer")) {
    const std::string_view claim = text_of(one, "claim");
    if (claim.empty() || out.total == claims_max) {
      continue;
    }
    const std::string_view quote = text_of(one, "quote");
    const Quoted quoted = find_quoted(quote, static_cast<std::size_t>(number_of(one, "source")), sources);
    ++out.total;
    const bool stands = quoted.source != nullptr && extract::stands_in(wanted, quote, claim);
    out.verified += quoted.source != nullptr ? 1 : 0;
    out.stands += stands ? 1 : 0;
    json.begin_object().member("claim", claim).member("quote", quote);
    json.member_boolean("verified", quoted.source != nullptr).member_boolean("stands", stands);
    if (quoted.source != nullptr) {
      json.member("title", quoted.source->title).member("url", quoted.source->uri);
      json.member("file", quoted.source->file).member_uint("line", quoted.line);
      json.member("heading", quoted.source->heading).member("passage", quoted.source->passage);
    }
    json.end_object();
  }
  json.end_array();
  const std::string_view said = text_of(answer, "confidence");
  // A model's confidence goes no further than what is quoted.
  out.confidence = out.verified == 0                                     ? "low"
                   : out.verified < out.total && said == "high"          ? "medium"
                   : said == "high" || said == "medium" || said == "low" ? std::string(said)
                                                                         : "medium";
  out.missing = text_of(answer, "missing");
  if (out.verified > 0 && out.stands == 0) {
    out.confidence = "low";
    out.missing = out.missing.empty() ? "No quote states " + wanted.says + "." : out.missing;
  }
}

}  // namespace

run::Data answer_part(run::Run& run, const Inquiry& inquiry, std::uint64_t tokens_left,
                      const std::vector<run::Data>& searches, bool stopped) {
  const std::vector<Source> sources =
      sources_of(searches, inquiry.brief.is_free("finish") ? sources_by_rule_max : sources_max);
  Answered out;
  Spent spent;
  Brief brief = inquiry.brief;
  brief.token_budget = tokens_left;
  std::string text;
  const std::string task(object([&](json::Writer& json) {
                           json.member("question", inquiry.question.question);
                           write_passages(json, sources);
                         }).text());
  const bool asks = !stopped && !sources.empty() && stop_reason(run, inquiry.brief, spent, inquiry.begun_ms).empty();
  if (asks) {
    Saying saying;
    saying.author = "answer";
    saying.data = {{"objective", fenced("objective", inquiry.objective)},
                   {"question", fenced("question", inquiry.question.question)},
                   {"goal", fenced("goal", inquiry.question.goal)},
                   {"passages", passages_text(sources)}};
    saying.task = [&](json::Writer& json) {
      json.member("question", inquiry.question.question);
      write_passages(json, sources);
    };
    for (int attempt = 0; attempt < 2 && text.empty(); ++attempt) {
      saying.bolder = attempt > 0;
      const Answer answer = say(run, brief, spent, saying);
      if (!answer.error.empty()) {
        out.error = answer.error;
        break;
      }
      const Read read = read_answer(run.contract("contract-answer"), answer.text, {});
      text = read.verdict.valid ? read.text : std::string();
    }
  }
  json::Arena arena;
  const bool by_rule = text.empty() || inquiry.brief.is_free("finish");
  if (text.empty()) {
    const Result<Value> value = json::parse(task, arena);
    text = extract::research("research.answer", value.value()).value();
  }
  const Result<Value> value = json::parse(text, arena);
  read_claims(inquiry.question.question, value.value(), sources, out);
  if (by_rule && !out.missing.empty()) {
    out.stands = 0;  // it knows what it could not show
  }
  return object([&](json::Writer& json) {
    json.key("claims").raw(out.claims).member_uint("verified", out.verified).member_uint("total", out.total);
    json.member_uint("stands", out.stands);
    json.member("confidence", out.confidence).member("missing", out.missing).member("error", out.error);
    json.member_uint("tokens", spent.tokens);
  });
}

// ---------------------------------------------------------------- a cycle

// Parts that finished before it was looked at have no such member.
std::uint64_t standing(const Value& answer) { return number_of(answer, "stands", number_of(answer, "verified")); }

}  // namespace plumb::pipelines::research
