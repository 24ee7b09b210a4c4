// The report: claims, each with what it is quoted from. What no quote proves is marked as such.

#include <algorithm>

#include "core/contract/measured.hpp"
#include "core/extract/quoting.hpp"
#include "core/extract/research.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/research/loop.hpp"
#include "core/text/facts.hpp"
#include "core/text/quotes.hpp"

namespace plumb::pipelines::research {

namespace {

using json::Value;

constexpr std::size_t evidence_max = 60;
constexpr std::size_t claims_max = 60;
constexpr std::size_t nearest_max = 5;

// A verified claim of a question: what may be cited, or what is near where nothing answers.
struct Piece {
  const Value* claim = nullptr;
  std::uint64_t question = 0;
};

// The verified claims of questions that were answered, or of those that were not.
std::vector<Piece> pieces_of(const std::vector<run::Data>& completed, bool answered, std::size_t most) {
  std::vector<Piece> out;
  for (const run::Data& one : completed) {
    for (const Value& claim : list_of(one.value(), "claims")) {
      const bool known = std::any_of(out.begin(), out.end(), [&](const Piece& piece) {
        return text_of(*piece.claim, "quote") == text_of(claim, "quote") &&
               text_of(*piece.claim, "url") == text_of(claim, "url");
      });
      const bool wanted = flag_of(claim, "verified") && flag_of(one.value(), "answered") == answered;
      if (wanted && out.size() < most && (answered || !known)) {
        out.push_back({&claim, number_of(one.value(), "number")});
      }
    }
  }
  return out;
}

std::string evidence_text(const std::vector<Piece>& pieces) {
  std::string out;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    out += "[" + json::uint_text(i + 1) + "] " + std::string(text_of(*pieces[i].claim, "claim")) + "\n    quoted: \"" +
           std::string(text_of(*pieces[i].claim, "quote")) + "\"\n";
  }
  return out;
}

struct Claim {
  std::string text;
  std::vector<std::uint64_t> citations;  // from 1
  std::string grounding;                 // cited, weakly_cited, uncited
};

// Numbers and dates of a claim that stand in none of its quotes: then the quotes do not prove it.
bool has_loose_fact(const Claim& claim, const std::vector<Piece>& pieces) {
  constexpr text::FactKinds hard = text::fact_bit(text::FactKind::number) | text::fact_bit(text::FactKind::date);
  for (const text::Fact& fact : text::facts(claim.text, hard)) {
    const std::string_view said = text::piece(claim.text, fact.where);
    const bool quoted = std::any_of(claim.citations.begin(), claim.citations.end(), [&](std::uint64_t number) {
      const std::string_view quote = text_of(*pieces[static_cast<std::size_t>(number - 1)].claim, "quote");
      return text::find_folded(said, quote, {.lowercase = true}).has_value();
    });
    if (!quoted) {
      return true;
    }
  }
  return false;
}

std::vector<Claim> read_report(const Value& report, const std::vector<Piece>& pieces, std::uint64_t& unknown) {
  std::vector<Claim> out;
  for (const Value& one : list_of(report, "claims")) {
    Claim claim;
    claim.text = text_of(one, "claim");
    if (claim.text.empty() || out.size() == claims_max) {
      continue;
    }
    for (const Value& citation : list_of(one, "citations")) {
      std::uint64_t number = 0;
      if (!json::read_uint(citation.str(), number) || number < 1 || number > pieces.size()) {
        ++unknown;
      } else if (std::find(claim.citations.begin(), claim.citations.end(), number) == claim.citations.end()) {
        claim.citations.push_back(number);
      }
    }
    claim.grounding = claim.citations.empty() ? "uncited" : has_loose_fact(claim, pieces) ? "weakly_cited" : "cited";
    out.push_back(std::move(claim));
  }
  return out;
}

std::string place_of(const Value& claim) {
  const std::string_view file = text_of(claim, "file");
  std::string out(file.empty() ? text_of(claim, "url") : file);
  if (const std::uint64_t line = number_of(claim, "line"); line > 0) {
    out += ":" + json::uint_text(line);
  }
  return out;
}

struct Writing {
  const Objective& objective;
  const std::vector<run::Data>& completed;
  const std::vector<Piece>& pieces;
  const std::vector<Piece>& nearest;
  const std::vector<Claim>& claims;
  const Value& criteria;
  const Ended& how;
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

void write_sources(std::string& out, const std::vector<Piece>& pieces, std::size_t numbered_from) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Value& claim = *pieces[i].claim;
    out += "[" + json::uint_text(numbered_from + i) + "] " + std::string(text_of(claim, "title")) + ", " +
           place_of(claim) + "\n";
    out += "> " + extract::as_line(text_of(claim, "quote")) + "\n\n";
  }
}

std::string markdown_of(const Writing& what) {
  std::string out = "# " + what.objective.text + "\n\n";
  for (const Claim& claim : what.claims) {
    out += "- " + claim.text;
    for (const std::uint64_t number : claim.citations) {
      out += " [" + json::uint_text(number) + "]";
    }
    out += claim.grounding == "uncited"        ? " (uncited)"
           : claim.grounding == "weakly_cited" ? " (not all of it stands in the source)"
                                               : "";
    out += "\n";
  }
  if (what.claims.empty()) {
    out += what.nearest.empty() ? "Nothing was found that a source could be quoted for.\n"
                                : "Not decided: no source states what was asked. The nearest passages are below.\n";
  }
  std::string missing;
  for (const run::Data& one : what.completed) {
    if (const std::string_view said = text_of(one.value(), "missing"); !said.empty()) {
      missing += "- " + std::string(text_of(one.value(), "question")) + " Missing: " + std::string(said) + "\n";
    }
  }
  if (!missing.empty()) {
    out += "\n## Not established\n\n" + missing;
  }
  out += "\n## Success criteria\n\n";
  for (const Value& one : what.criteria.array()) {
    const std::string_view state = text_of(one, "state");
    out += (state == "undecided"  ? "- not decided: "
            : flag_of(one, "met") ? "- met: "
                                  : "- unmet: ") +
           std::string(text_of(one, "criterion")) + "\n";
  }
  if (!what.pieces.empty()) {
    out += "\n## Sources\n\n";
  }
  write_sources(out, what.pieces, 1);
  if (!what.nearest.empty()) {
    out += out.back() == '\n' && out[out.size() - 2] == '\n' ? "" : "\n";
    out += "## Nearest passages\n\n";
  }
  write_sources(out, what.nearest, what.pieces.size() + 1);
  if (what.how.ended != "done") {
    out += ending_of(what.how) + "\n";
  }
  while (out.size() > 1 && out[out.size() - 1] == '\n' && out[out.size() - 2] == '\n') {
    out.pop_back();
  }
  return out;
}

void write_citations(json::Writer& json, std::string_view name, const std::vector<Piece>& pieces,
                     std::size_t numbered_from) {
  json.key(name).begin_array();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Value& claim = *pieces[i].claim;
    json.begin_object().member_uint("n", numbered_from + i).member("title", text_of(claim, "title"));
    json.member("url", text_of(claim, "url")).member("file", text_of(claim, "file"));
    json.member_uint("line", number_of(claim, "line")).member("heading", text_of(claim, "heading"));
    json.member("quote", text_of(claim, "quote"))
        .member("passage", text_of(claim, "passage"))
        .member_uint("question", pieces[i].question)
        .end_object();
  }
  json.end_array();
}

// All searches of the run in the order of its questions, as one history.
std::string all_searches(const std::vector<run::Data>& completed) {
  std::string out;
  json::Writer json(out);
  json.begin_array();
  for (const run::Data& one : completed) {
    for (const Value& search : list_of(one.value(), "history")) {
      json.value(search);
    }
  }
  json.end_array();
  return out;
}

// Of the whole run: sums, rates in hundredths, and what is counted over all searches together: a query that another
// question had asked is a duplicate, a fact or source counts once.
void write_metrics(json::Writer& json, const std::vector<run::Data>& completed, std::uint64_t rounds,
                   std::uint64_t ms) {
  static constexpr std::array<std::string_view, 6> summed = {"searches",   "failed",        "duplicates_refused",
                                                             "rejections", "disagreements", "ms"};
  std::array<std::uint64_t, summed.size()> sums = {};
  std::uint64_t streak = 0;
  std::uint64_t answered = 0;
  for (const run::Data& one : completed) {
    const Value* metrics = one.value().find("metrics");
    for (std::size_t i = 0; i < summed.size(); ++i) {
      sums[i] += number_of(*metrics, summed[i]);
    }
    streak = std::max(streak, number_of(*metrics, "no_change_streak"));
    answered += flag_of(one.value(), "answered") ? 1 : 0;
  }
  json::Arena arena;
  const std::string searches = all_searches(completed);
  const std::string measured_text = contract::measure_history(json::parse(searches, arena).value());
  const Result<Value> measured = json::parse(measured_text, arena);
  const std::uint64_t duplicates = number_of(measured.value(), "duplicate_queries");
  const std::uint64_t asked = sums[0] + sums[2];
  const std::uint64_t questions = std::max<std::uint64_t>(1, completed.size());
  json.key("metrics").begin_object().member_uint("rounds", rounds).member_uint("questions", completed.size());
  json.member_uint("answered", answered);
  for (std::size_t i = 0; i + 1 < summed.size(); ++i) {
    json.member_uint(summed[i], sums[i]);
  }
  json.member_uint("duplicate_queries", duplicates);
  for (const std::string_view name : {"facts", "sources", "domains"}) {
    json.member_uint(name, number_of(measured.value(), name));
  }
  json.member_uint("no_change_streak", streak);
  json.member_uint("duplicate_query_percent", asked == 0 ? 0 : 100 * (duplicates + sums[2]) / asked);
  json.member_uint("searches_to_done_percent", 100 * sums[0] / questions);
  json.member_uint("ms", ms).member_uint("ms_to_done", sums.back() / questions).end_object();
}

// Asked of the writer, or by rule where nothing more is asked.
std::string report_text(run::Run& run, const Brief& brief, Spent& spent, const Objective& objective,
                        const std::vector<Piece>& pieces, bool asks, std::string& failed) {
  const std::string task(object([&](json::Writer& json) {
                           json.key("evidence").begin_array();
                           for (std::size_t i = 0; i < pieces.size(); ++i) {
                             json.begin_object().member_uint("n", i + 1);
                             json.member("claim", text_of(*pieces[i].claim, "claim")).end_object();
                           }
                           json.end_array();
                         }).text());
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
    saying.task = [&](json::Writer& json) {
      const run::Data data = run::Data::written(task);
      json.key("evidence").value(*data.value().find("evidence"));
    };
    const Answer answer = say(run, brief, spent, saying);
    if (!answer.error.empty()) {
      failed = answer.cancelled ? "cancelled" : answer.error;
      break;
    }
    const Read read = read_answer(run.contract("contract-report"), answer.text, {});
    if (read.verdict.valid) {
      return read.text;
    }
  }
  json::Arena arena;
  const Result<Value> value = json::parse(task, arena);
  return extract::research("research.report", value.value()).value();
}

}  // namespace

run::Data write_report(run::Run& run, const Brief& brief, Spent& spent, const Objective& objective,
                       const std::vector<run::Data>& completed, const run::Data& criteria, const Ended& how,
                       std::uint64_t begun_ms) {
  const std::vector<Piece> pieces = pieces_of(completed, true, evidence_max);
  const std::vector<Piece> nearest = pieces_of(completed, false, nearest_max);
  std::string error;
  const bool asks = how.ended == "done" || how.ended == "rounds";
  const std::string text = report_text(run, brief, spent, objective, pieces, asks, error);
  Ended last = how;
  if (!error.empty()) {
    last.ended = ended_by(error, error == "cancelled");
    last.error = error;
  }
  json::Arena arena;
  const Result<Value> value = json::parse(text, arena);
  std::uint64_t unknown = 0;
  const std::vector<Claim> claims = read_report(value.value(), pieces, unknown);
  const Writing writing{objective, completed, pieces, nearest, claims, criteria.value(), last};
  std::uint64_t rounds = 0;
  for (const run::Data& one : completed) {
    rounds = std::max(rounds, number_of(one.value(), "round"));
  }
  const run::Data report = object([&](json::Writer& json) {
    json.member("objective", objective.text).member("ended", last.ended);
    json.key("success_criteria").value(criteria.value());
    json.member("report", markdown_of(writing)).key("claims").begin_array();
    for (const Claim& claim : claims) {
      json.begin_object()
          .member("claim", claim.text)
          .member("grounding", claim.grounding)
          .key("citations")
          .begin_array();
      for (const std::uint64_t number : claim.citations) {
        json.uint(number);
      }
      json.end_array().end_object();
    }
    json.end_array();
    write_citations(json, "citations", pieces, 1);
    write_citations(json, "nearest", nearest, pieces.size() + 1);
    json.member_uint("unknown_citations", unknown).key("questions").begin_array();
    for (const run::Data& one : completed) {
      json.begin_object();
      for (const json::Member& member : one.value().object()) {
        if (member.key != "history") {
          json.key(member.key).value(member.value);
        }
      }
      json.end_object();
    }
    json.end_array();
    write_metrics(json, completed, rounds, run.now_ms() - begun_ms);
    json.member_uint("tokens", spent.tokens).member("error", last.error);
    if (last.retry_after_ms > 0) {
      json.member_uint("retry_after_ms", last.retry_after_ms);
    }
  });
  run.emit(
      "report", object([&](json::Writer& json) {
        json.member("ended", last.ended).member_uint("claims", claims.size()).member_uint("citations", pieces.size());
        json.member_uint("nearest", nearest.size())
            .member_uint("uncited",
                         static_cast<std::uint64_t>(std::count_if(claims.begin(), claims.end(), [](const Claim& one) {
                           return one.grounding == "uncited";
                         })));
      }));
  return report;
}

}  // namespace plumb::pipelines::research
