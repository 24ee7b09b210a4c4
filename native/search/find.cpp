#include "native/search/find.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/text/fold.hpp"
#include "core/text/sentences.hpp"
#include "native/search/passages.hpp"
#include "native/search/query.hpp"
#include "native/search/quote.hpp"
#include "native/search/readings.hpp"

namespace plumb::search {

namespace {

constexpr int candidates_max = 80;
constexpr std::int64_t counted_max = 40'000;  // passages of one term; beyond, a term is common, and that is all
constexpr std::size_t of_one_file = 2;
constexpr char mark_begin = '\x02';
constexpr char mark_end = '\x03';

struct Wanted {
  Term term;
  std::string match;  // the term, or words that begin with it where the term itself is nowhere
  std::int64_t passages = 0;
  double weight = 0;
};

std::int64_t passages_with(SQLite::Database& database, const std::string& match) {
  SQLite::Statement count(database, "SELECT count(*) FROM (SELECT 1 FROM passages WHERE passages MATCH ? LIMIT ?)");
  count.bind(1, match);
  count.bind(2, counted_max);
  return count.executeStep() ? count.getColumn(0).getInt64() : 0;
}

std::int64_t passages_in(SQLite::Database& database) {
  SQLite::Statement sum(database, "SELECT coalesce(sum(passages), 0) FROM files");
  return sum.executeStep() ? sum.getColumn(0).getInt64() : 0;
}

std::vector<Wanted> wanted_of(SQLite::Database& database, const Query& query, std::int64_t all,
                              std::vector<std::string>& not_found) {
  std::vector<Wanted> out;
  for (const Term& term : query.terms) {
    Wanted one{term, term.match, passages_with(database, term.match), 0};
    if (one.passages == 0 && !term.prefix.empty()) {
      one.match = term.prefix;
      one.passages = passages_with(database, one.match);
    }
    if (one.passages == 0) {
      not_found.push_back(term.written);
      continue;
    }
    const auto n = static_cast<double>(all);
    const auto df = static_cast<double>(one.passages);
    one.weight = std::log(1.0 + (n - df + 0.5) / (df + 0.5));
    out.push_back(std::move(one));
  }
  return out;
}

// What a passage must hold at least one of: terms that are in many passages tell little and cost the most, so they
// only count in those that others have found.
std::string any_of(const std::vector<Wanted>& wanted, std::int64_t all) {
  std::string out;
  for (const bool rare : {true, false}) {
    for (const Wanted& one : wanted) {
      if ((one.passages * 8 <= all || one.passages < 200) == rare || !rare) {
        out += (out.empty() ? "" : " OR ") + one.match;
      }
    }
    if (!out.empty()) {
      break;
    }
  }
  return out;
}

std::string all_of(const std::vector<Wanted>& wanted) {
  std::string out;
  for (const Wanted& one : wanted) {
    out += (out.empty() ? "" : " OR ") + one.match;
  }
  return out;
}

std::size_t same_begin(std::string_view a, std::string_view b) {
  std::size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) {
    ++n;
  }
  return n;
}

// Which term a marked word is: stems of one word begin alike.
std::size_t term_of(std::string_view word, const std::vector<Wanted>& wanted) {
  const std::string folded = text::fold(word, {.trim = true, .lowercase = true});
  std::size_t best = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string& term = wanted[i].term.folded;
    const std::size_t same = same_begin(folded, term) * 4 + (folded.size() == term.size() ? 1U : 0U);
    if (same > most) {
      most = same;
      best = i;
    }
  }
  return best;
}

// The marked places, as places in the text without the marks.
std::vector<TermPlace> places_of(std::string_view marked, const std::vector<Wanted>& wanted) {
  std::vector<TermPlace> out;
  std::size_t marks = 0;
  for (std::size_t at = 0; at < marked.size(); ++at) {
    if (marked[at] != mark_begin && marked[at] != mark_end) {
      continue;
    }
    if (marked[at] == mark_begin) {
      const std::size_t end = marked.find(mark_end, at);
      if (end == std::string_view::npos) {
        break;
      }
      const std::string_view inside = marked.substr(at + 1, end - at - 1);
      // Terms that follow one another may be marked as one.
      const text::Words words(inside);
      for (std::size_t i = 0; i < words.size(); ++i) {
        const text::TextSpan span = words.span(i);
        const std::size_t from = at - marks + span.from;
        out.push_back({{from, from + span.to - span.from}, term_of(words.folded(i), wanted)});
      }
    }
    ++marks;
  }
  return out;
}

struct Candidate {
  Hit hit;
  double rank = 0;
};

void judge(Candidate& candidate, const std::vector<std::vector<TermPlace>>& places, const std::vector<Wanted>& wanted,
           const std::string& lines) {
  std::vector<double> weights;
  double all = 0;
  for (const Wanted& one : wanted) {
    weights.push_back(one.weight);
    all += one.weight;
  }
  std::vector<char> held(wanted.size());
  for (const std::vector<TermPlace>& column : places) {
    for (const TermPlace& place : column) {
      held[place.term] = 1;
    }
  }
  double covered = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (held[i] != 0) {
      covered += weights[i];
      candidate.hit.terms.push_back(i);
    }
  }
  Hit& hit = candidate.hit;
  const Quote quote = best_quote(hit.passage, places.back(), weights);
  hit.quote = hit.passage.substr(quote.where.from, quote.where.to - quote.where.from);
  auto index_of = [&](std::size_t byte) {
    return static_cast<std::size_t>(
        std::count(hit.passage.begin(), hit.passage.begin() + static_cast<std::ptrdiff_t>(byte), '\n'));
  };
  hit.line = line_of(lines, 0);
  hit.line_to = line_of(lines, index_of(hit.passage.size()));
  hit.quote_line = line_of(lines, index_of(quote.where.from));
  hit.quote_line_to = line_of(lines, index_of(quote.where.to));
  const double coverage = all > 0 ? covered / all : 0;
  const double together = all > 0 ? quote.weight / all : 0;
  hit.score = candidate.rank * (0.3 + 0.5 * coverage + 0.2 * together);
}

std::vector<Candidate> candidates_for(SQLite::Database& database, const std::vector<Wanted>& wanted,
                                      const std::string& match) {
  SQLite::Statement found(database,
                          "SELECT path, title, heading, text, lines, rank, highlight(passages, 0, x'02', x'03'), "
                          "highlight(passages, 1, x'02', x'03'), highlight(passages, 2, x'02', x'03'), "
                          "highlight(passages, 3, x'02', x'03') FROM passages WHERE passages MATCH ? ORDER BY rank "
                          "LIMIT ?");
  found.bind(1, match);
  found.bind(2, candidates_max);
  std::vector<Candidate> out;
  while (found.executeStep()) {
    Candidate one;
    one.hit.path = found.getColumn(0).getString();
    one.hit.title = found.getColumn(1).getString();
    one.hit.heading = found.getColumn(2).getString();
    one.hit.passage = found.getColumn(3).getString();
    one.rank = -found.getColumn(5).getDouble();
    std::vector<std::vector<TermPlace>> places;
    for (int column = 6; column <= 9; ++column) {
      places.push_back(places_of(found.getColumn(column).getString(), wanted));
    }
    judge(one, places, wanted, found.getColumn(4).getString());
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<Hit> first_of(std::vector<Candidate> candidates, std::size_t limit) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.hit.score > b.hit.score; });
  std::vector<Hit> first;
  std::vector<Hit> later;
  std::map<std::string, std::size_t> of_file;
  for (Candidate& one : candidates) {
    (++of_file[one.hit.path] <= of_one_file ? first : later).push_back(std::move(one.hit));
  }
  for (Hit& one : later) {
    first.push_back(std::move(one));
  }
  if (first.size() > limit) {
    first.resize(limit);
  }
  return first;
}

}  // namespace

Result<Hits> find(SQLite::Database& database, std::string_view text, std::size_t limit) {
  const Query query = read_query(text);
  if (query.terms.empty()) {
    return Error{ErrorCode::invalid_argument, "the query has no word to look for; ask in words", "", 0, 0};
  }
  Hits out;
  const std::int64_t all = passages_in(database);
  out.passages = static_cast<std::uint64_t>(all);
  std::vector<Wanted> wanted = wanted_of(database, query, all, out.not_found);
  for (const Term& term : query.terms) {
    out.terms.push_back(term.written);
  }
  if (wanted.empty()) {
    return out;
  }
  limit = std::clamp<std::size_t>(limit, 1, hits_max);
  std::string match = any_of(wanted, all);
  if (const std::string every = all_of(wanted); match != every) {
    match = "(" + match + ") AND (" + every + ")";
  }
  std::vector<Candidate> candidates = candidates_for(database, wanted, match);
  std::vector<Hit> hits;
  hits.reserve(candidates.size());
  if (query.terms.size() <= readings_terms_max && out.not_found.empty()) {
    for (const Candidate& one : candidates) {
      hits.push_back(one.hit);
    }
    out.readings = readings_of(query, hits, limit);
  }
  if (out.readings.empty()) {
    out.hits = first_of(std::move(candidates), limit);
  } else {
    out.hits = std::move(hits);
  }
  return out;
}

}  // namespace plumb::search
