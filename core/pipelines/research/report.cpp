// The report: claims, each with what it is quoted from. What no quote proves is marked as such.

#include <algorithm>

#include "core/extract/quoting.hpp"
#include "core/extract/research.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/research/loop.hpp"
#include "core/text/facts.hpp"
#include "core/text/quotes.hpp"

namespace plumb::pipelines::research {

namespace {

using json::Field;
using json::field;
using json::field_if_set;
using json::Value;

constexpr std::size_t evidence_max = 60;
constexpr std::size_t claims_max = 60;
constexpr std::size_t nearest_max = 5;

// A verified claim of a question: what may be cited, or what is near where nothing answers.
struct Piece {
  const Claim* claim = nullptr;
  std::uint64_t question = 0;
};

// The verified claims of questions that were answered, or of those that were not.
std::vector<Piece> pieces_of(const std::vector<run::Data>& completed, bool answered, std::size_t most) {
  std::vector<Piece> out;
  for (const run::Data& data : completed) {
    const auto& one = data.as<QuestionResult>();
    for (const Claim& claim : one.claims) {
      const bool known = std::any_of(out.begin(), out.end(), [&](const Piece& piece) {
        return piece.claim->quote == claim.quote && piece.claim->url == claim.url;
      });
      if (claim.verified && one.answered == answered && out.size() < most && (answered || !known)) {
        out.push_back({&claim, one.number});
      }
    }
  }
  return out;
}

std::string evidence_text(const std::vector<Piece>& pieces) {
  std::string out;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    out += "[" + json::uint_text(i + 1) + "] " + pieces[i].claim->claim + "\n    quoted: \"" + pieces[i].claim->quote +
           "\"\n";
  }
  return out;
}

// A claim of the report.
struct Stated {
  std::string claim;
  std::string grounding;                 // cited, weakly_cited, uncited
  std::vector<std::uint64_t> citations;  // from 1
  static std::span<const Field> fields() {
    static constexpr Field table[] = {field<&Stated::claim>("claim"), field<&Stated::grounding>("grounding"),
                                      field<&Stated::citations>("citations")};
    return table;
  }
};

// Numbers and dates of a claim that stand in none of its quotes: then the quotes do not prove it.
bool has_loose_fact(const Stated& stated, const std::vector<Piece>& pieces) {
  constexpr text::FactKinds hard = text::fact_bit(text::FactKind::number) | text::fact_bit(text::FactKind::date);
  for (const text::Fact& fact : text::facts(stated.claim, hard)) {
    const std::string_view said = text::piece(stated.claim, fact.where);
    const bool quoted = std::any_of(stated.citations.begin(), stated.citations.end(), [&](std::uint64_t number) {
      const Claim& claim = *pieces[static_cast<std::size_t>(number - 1)].claim;
      return text::find_folded(said, claim.quote, {.lowercase = true}).has_value();
    });
    if (!quoted) {
      return true;
    }
  }
  return false;
}

std::vector<Stated> read_report(const Value& report, const std::vector<Piece>& pieces, std::uint64_t& unknown) {
  std::vector<Stated> out;
  for (const Value& one : list_of(report, "claims")) {
    Stated stated;
    stated.claim = text_of(one, "claim");
    if (stated.claim.empty() || out.size() == claims_max) {
      continue;
    }
    for (const Value& citation : list_of(one, "citations")) {
      std::uint64_t number = 0;
      if (!json::read_uint(citation.str(), number) || number < 1 || number > pieces.size()) {
        ++unknown;
      } else if (std::find(stated.citations.begin(), stated.citations.end(), number) == stated.citations.end()) {
        stated.citations.push_back(number);
      }
    }
    stated.grounding = stated.citations.empty() ? "uncited" : has_loose_fact(stated, pieces) ? "weakly_cited" : "cited";
    out.push_back(std::move(stated));
  }
  return out;
}

// What is cited, as the result has it.
struct Citation {
  std::uint64_t n = 0;
  std::string title;
  std::string url;
  std::string file;
  std::uint64_t line = 0;
  std::string heading;
  std::string quote;
  std::string passage;
  std::uint64_t question = 0;
  static std::span<const Field> fields() {
    static constexpr Field table[] = {
        field<&Citation::n>("n"),         field<&Citation::title>("title"),     field<&Citation::url>("url"),
        field<&Citation::file>("file"),   field<&Citation::line>("line"),       field<&Citation::heading>("heading"),
        field<&Citation::quote>("quote"), field<&Citation::passage>("passage"), field<&Citation::question>("question")};
    return table;
  }
};

std::vector<Citation> citations_of(const std::vector<Piece>& pieces, std::uint64_t numbered_from) {
  std::vector<Citation> out;
  for (const Piece& piece : pieces) {
    const Claim& claim = *piece.claim;
    out.push_back({numbered_from++, claim.title.value_or(""), claim.url.value_or(""), claim.file.value_or(""),
                   claim.line.value_or(0), claim.heading.value_or(""), claim.quote, claim.passage.value_or(""),
                   piece.question});
  }
  return out;
}

// The result of a run.
struct Report {
  std::string objective;
  std::string ended;
  std::string decision;  // "judge_only" where a criterion is, for lists of runs
  std::vector<Criterion> criteria;
  std::string text;  // Markdown
  std::vector<Stated> claims;
  std::vector<Citation> citations;
  std::vector<Citation> nearest;
  std::uint64_t unknown_citations = 0;
  std::vector<run::Data> questions;  // results without their histories
  run::Data metrics;
  std::uint64_t tokens = 0;
  std::string error;
  std::uint64_t retry_after_ms = 0;
  static std::span<const Field> fields() {
    static constexpr Field table[] = {field<&Report::objective>("objective"),
                                      field<&Report::ended>("ended"),
                                      field_if_set<&Report::decision>("decision"),
                                      field<&Report::criteria>("success_criteria"),
                                      field<&Report::text>("report"),
                                      field<&Report::claims>("claims"),
                                      field<&Report::citations>("citations"),
                                      field<&Report::nearest>("nearest"),
                                      field<&Report::unknown_citations>("unknown_citations"),
                                      field<&Report::questions>("questions"),
                                      field<&Report::metrics>("metrics"),
                                      field<&Report::tokens>("tokens"),
                                      field<&Report::error>("error"),
                                      field_if_set<&Report::retry_after_ms>("retry_after_ms")};
    return table;
  }
};

// "ended early: search. The search failed: ...; it may be asked again after 7 s."
std::string ending_of(const Ended& how) {
  std::string out = "The run ended early: " + how.ended + ".";
  if (!how.error.empty()) {
    out += " " + how.error + ".";
  }
  if (how.retry_after_ms > 0) {
    out += " It may be asked again after " + json::uint_text((how.retry_after_ms + 999) / 1000) + " s.";
  }
  return out;
}

void tell_sources(std::string& out, const std::vector<Citation>& citations) {
  for (const Citation& one : citations) {
    out += "[" + json::uint_text(one.n) + "] " + one.title + ", " + (one.file.empty() ? one.url : one.file) +
           (one.line > 0 ? ":" + json::uint_text(one.line) : "") + "\n";
    out += "> " + extract::as_line(one.quote) + "\n\n";
  }
}

bool is_judge_only(const Criterion& one) { return one.state == "judge_only"; }

std::string markdown_of(const Report& what, const std::vector<run::Data>& completed, const Ended& how) {
  std::string out = "# " + what.objective + "\n\n";
  for (const Stated& stated : what.claims) {
    out += "- " + stated.claim;
    for (const std::uint64_t number : stated.citations) {
      out += " [" + json::uint_text(number) + "]";
    }
    out += stated.grounding == "uncited"        ? " (uncited)"
           : stated.grounding == "weakly_cited" ? " (not all of it is in the source)"
                                                : "";
    out += "\n";
  }
  if (what.claims.empty()) {
    out += what.nearest.empty() ? "Nothing was found that a source could be quoted for.\n"
                                : "Not decided: no source states what was asked. The nearest passages are below.\n";
  }
  std::string missing;
  for (const run::Data& data : completed) {
    const auto& one = data.as<QuestionResult>();
    missing += one.missing.empty() ? "" : "- " + one.question + " Missing: " + one.missing + "\n";
  }
  if (!missing.empty()) {
    out += "\n## Not established\n\n" + missing;
  }
  if (!std::all_of(what.criteria.begin(), what.criteria.end(), is_judge_only)) {
    out += "\n## Success criteria\n\n";
  }
  for (const Criterion& one : what.criteria) {
    out += is_judge_only(one) ? std::string()
                              : (one.state == "undecided" ? "- not decided: "
                                 : one.met                ? "- met: "
                                                          : "- unmet: ") +
                                    one.criterion + "\n";
  }
  if (std::any_of(what.criteria.begin(), what.criteria.end(), is_judge_only)) {
    out += "\n## Judge only\n\nThe model says that these are met. No quote could be confirmed to state them.\n\n";
  }
  for (const Criterion& one : what.criteria) {
    out += is_judge_only(one) ? "- judge only: " + one.criterion + "\n" : std::string();
  }
  if (!what.citations.empty()) {
    out += "\n## Sources\n\n";
  }
  tell_sources(out, what.citations);
  if (!what.nearest.empty()) {
    out += out.back() == '\n' && out[out.size() - 2] == '\n' ? "" : "\n";
    out += "## Nearest passages\n\n";
  }
  tell_sources(out, what.nearest);
  if (how.ended != "done") {
    out += ending_of(how) + "\n";
  }
  while (out.size() > 1 && out[out.size() - 1] == '\n' && out[out.size() - 2] == '\n') {
    out.pop_back();
  }
  return out;
}

// Of the whole run: sums, rates in hundredths, and what is counted over all searches together: a query that another
// question had asked is a duplicate, a fact or source counts once.
run::Data metrics_of(const std::vector<run::Data>& completed, std::uint64_t ms) {
  QuestionMetrics sum;
  std::uint64_t rounds = 0;
  std::uint64_t answered = 0;
  std::vector<Past> searches;  // in the order of the questions
  for (const run::Data& data : completed) {
    const auto& one = data.as<QuestionResult>();
    rounds = std::max(rounds, one.round);
    answered += one.answered ? 1 : 0;
    sum.searches += one.metrics.searches;
    sum.failed += one.metrics.failed;
    sum.duplicates_refused += one.metrics.duplicates_refused;
    sum.rejections += one.metrics.rejections;
    sum.disagreements += one.metrics.disagreements;
    sum.ms += one.metrics.ms;
    sum.no_change_streak = std::max(sum.no_change_streak, one.metrics.no_change_streak);
    if (one.history) {
      searches.insert(searches.end(), one.history->begin(), one.history->end());
    }
  }
  const Measured all = measured(searches);
  const std::uint64_t asked = sum.searches + sum.duplicates_refused;
  const std::uint64_t twice = all.duplicate_queries + sum.duplicates_refused;
  const std::uint64_t questions = std::max<std::uint64_t>(1, completed.size());
  return object([&](json::Writer& json) {
    json.member_uint("rounds", rounds).member_uint("questions", completed.size()).member_uint("answered", answered);
    json.member_uint("searches", sum.searches).member_uint("failed", sum.failed);
    json.member_uint("duplicates_refused", sum.duplicates_refused).member_uint("rejections", sum.rejections);
    json.member_uint("disagreements", sum.disagreements).member_uint("duplicate_queries", all.duplicate_queries);
    json.member_uint("facts", all.facts).member_uint("sources", all.sources).member_uint("domains", all.domains);
    json.member_uint("no_change_streak", sum.no_change_streak);
    json.member_uint("duplicate_query_percent", asked == 0 ? 0 : 100 * twice / asked);
    json.member_uint("searches_to_done_percent", 100 * sum.searches / questions);
    json.member_uint("ms", ms).member_uint("ms_to_done", sum.ms / questions);
  });
}

// Asked of the writer, or by rule where nothing more is asked. `how`: how the run has ended, which its failure is too.
std::string report_text(run::Run& run, const Brief& brief, Spent& spent, const Objective& objective,
                        const std::vector<Piece>& pieces, bool asks, Ended& how) {
  const auto write_task = [&](json::Writer& json) {
    json.key("evidence").begin_array();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      json.begin_object().member_uint("n", i + 1).member("claim", pieces[i].claim->claim).end_object();
    }
    json.end_array();
  };
  std::string criteria;
  for (const std::string& one : objective.criteria) {
    criteria += "- " + one + "\n";
  }
  for (int attempt = 0; attempt < 2 && asks && !pieces.empty(); ++attempt) {
    Saying saying;
    saying.author = "report";
    saying.bolder = attempt > 0;
    saying.data = {{"objective", fenced("objective", objective.text)},
                   {"success_criteria", fenced("success_criteria", criteria)},
                   {"evidence", fenced("evidence", evidence_text(pieces))}};
    saying.task = write_task;
    const Answer answer = say(run, brief, spent, saying);
    if (!answer.error.empty()) {
      how.ended = ended_by(answer.error, answer.reason, answer.cancelled);
      how.error = answer.error;
      break;
    }
    const Read read = read_answer(run.contract("contract-report"), answer.text, {});
    if (read.verdict.valid) {
      return read.text;
    }
  }
  return extract::research("research.report", object(write_task).value()).value();
}

}  // namespace

run::Data write_report(run::Run& run, const Brief& brief, Spent& spent, const Objective& objective,
                       const std::vector<run::Data>& completed, const std::vector<Criterion>& criteria,
                       const Ended& how, std::uint64_t begun_ms) {
  const std::vector<Piece> pieces = pieces_of(completed, true, evidence_max);
  const bool asks = how.ended == "done" || how.ended == "rounds" || how.ended == "gates_unmet";
  Ended last = how;
  const std::string text = report_text(run, brief, spent, objective, pieces, asks, last);
  json::Arena arena;
  Report out;
  out.objective = objective.text;
  out.ended = last.ended;
  out.criteria = criteria;
  const auto judge_only = static_cast<std::uint64_t>(std::count_if(criteria.begin(), criteria.end(), is_judge_only));
  out.decision = judge_only > 0 ? "judge_only" : "";
  out.claims = read_report(json::parse(text, arena).value(), pieces, out.unknown_citations);
  out.citations = citations_of(pieces, 1);
  out.nearest = citations_of(pieces_of(completed, false, nearest_max), pieces.size() + 1);
  out.text = markdown_of(out, completed, last);
  for (const run::Data& one : completed) {
    out.questions.push_back(object([&](json::Writer& json) {
      for (const json::Member& member : one.value().object()) {
        if (member.key != "history") {
          json.key(member.key).value(member.value);
        }
      }
    }));
  }
  out.metrics = metrics_of(completed, run.now_ms() - begun_ms);
  out.tokens = spent.tokens;
  out.error = last.error;
  out.retry_after_ms = last.retry_after_ms;
  run.emit("report", run::Data::of(ReportNote{last.ended, out.claims.size(), out.citations.size(), out.nearest.size(),
                                              static_cast<std::uint64_t>(std::count_if(
                                                  out.claims.begin(), out.claims.end(),
                                                  [](const Stated& one) { return one.grounding == "uncited"; })),
                                              judge_only}));
  return run::Data::of(std::move(out));
}

}  // namespace plumb::pipelines::research
