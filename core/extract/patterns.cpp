// How patterns are found. Conversations: the word, or pair of words, that most pieces share is a pattern; the pieces
// that have it are taken out, and the next one is looked for. Code: places with the same mark in the same folder.
// Documents: sentences that say what is missing. Figures: columns whose later half differs from the earlier one.

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/extract/discovery.hpp"
#include "core/extract/language.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"
#include "core/text/sentences.hpp"

namespace plumb::extract {

namespace {

using json::Value;

struct Piece {
  std::string_view id, path, text;
};

struct Pattern {
  std::string name, description, severity, users, confidence;
  std::vector<std::string_view> evidence;
};

constexpr std::array<std::string_view, 40> empty_words = {
    "please", "thanks", "thank",  "hello", "help",  "team",    "dear",   "regards", "would",  "could",
    "get",    "got",    "use",    "using", "want",  "need",    "like",   "time",    "really", "also",
    "still",  "just",   "always", "never", "every", "again",   "today",  "one",     "two",    "way",
    "make",   "makes",  "can't",  "don't", "it's",  "doesn't", "didn't", "i'm",     "lot",    "new"};
// That something does not work, in one word or in two that stand side by side.
constexpr std::array<std::string_view, 41> bad_words = {
    "crash",  "crashes",    "crashed",   "lost",     "lose",     "fail",     "fails",    "failed",  "error",
    "errors", "broken",     "cannot",    "can't",    "unable",   "couldn't", "won't",    "refund",  "cancel",
    "stuck",  "impossible", "never",     "nothing",  "bug",      "bugs",     "blank",    "freezes", "frozen",
    "hangs",  "timeout",    "timeouts",  "missing",  "wrong",    "slow",     "unusable", "doesn't", "didn't",
    "isn't",  "times out",  "timed out", "not work", "no longer"};
constexpr std::array<std::string_view, 9> praise_words = {"love",      "loving",  "great",     "awesome", "perfect",
                                                          "excellent", "amazing", "fantastic", "happy"};
constexpr std::array<std::string_view, 6> marks = {"FIXME", "BUG:", "HACK", "XXX", "TODO", "deprecated"};
constexpr std::array<std::string_view, 9> gaps = {"not yet",         "not supported",    "known issue",
                                                  "limitation",      "not implemented",  "workaround",
                                                  "is experimental", "does not support", "to be done"};

std::string_view text_in(const Value& object, std::string_view name) {
  const Value* found = object.find(name);
  return found != nullptr && found->is(json::Kind::string) ? found->str() : std::string_view();
}

bool is_one_of(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Whether the text has one of the words; of two, side by side.
bool says_one_of(std::span<const std::string_view> list, const text::Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string pair =
        i + 1 < words.size() ? std::string(words.folded(i)) + " " + std::string(words.folded(i + 1)) : std::string();
    if (is_one_of(list, words.folded(i)) || (!pair.empty() && is_one_of(list, pair))) {
      return true;
    }
  }
  return false;
}

// Thanks and praise alone are no opportunity.
bool is_praise(std::string_view text) {
  const text::Words words(text, 200);
  return says_one_of(praise_words, words) && !says_one_of(bad_words, words) && text.find('?') == std::string_view::npos;
}

std::string counted(std::size_t number, std::size_t of, std::string_view what) {
  return json::uint_text(number) + " of " + json::uint_text(of) + " " + std::string(what);
}

std::string confidence_of(std::size_t pieces) { return pieces >= 10 ? "high" : pieces >= 4 ? "medium" : "low"; }

// The folded content words of a piece, in order; "" where a sentence or a function word stands between.
std::vector<std::string> content_words(std::string_view text) {
  const text::Words words(text, 2'000);
  const Language language = language_of(words);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words.folded(i);
    const bool number = !word.empty() && word.front() >= '0' && word.front() <= '9';
    const bool content =
        word.size() >= 3 && !number && !is_function_word(language, word) && !is_one_of(empty_words, word);
    out.emplace_back(content ? word : std::string_view());
    if (i + 1 < words.size() && words.gap(i).find_first_of(".!?\n") != std::string_view::npos) {
      out.emplace_back();
    }
  }
  return out;
}

// Words, and pairs of neighbours, with the pieces that have them.
std::map<std::string, std::vector<std::size_t>> terms_of(const std::vector<Piece>& pieces) {
  std::map<std::string, std::vector<std::size_t>> out;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const std::vector<std::string> words = content_words(pieces[p].text);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i].empty()) {
        continue;
      }
      for (const bool pair : {false, true}) {
        if (pair && (i + 1 == words.size() || words[i + 1].empty())) {
          continue;
        }
        std::vector<std::size_t>& in = out[pair ? words[i] + " " + words[i + 1] : words[i]];
        if (in.empty() || in.back() != p) {
          in.push_back(p);
        }
      }
    }
  }
  return out;
}

// The first sentence of the piece that has the word, as it was written.
std::string quote_of(std::string_view text, std::string_view word) {
  const std::string first(word.substr(0, word.find(' ')));
  std::size_t from = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && std::string_view(".!?\n").find(text[i]) == std::string_view::npos) {
      continue;
    }
    const std::string_view sentence = text.substr(from, i - from);
    const text::Words words(sentence, 400);
    for (std::size_t w = 0; w < words.size(); ++w) {
      if (words.folded(w) == first) {
        const std::size_t begin = std::min(sentence.find_first_not_of(" \t\r\n-*>"), sentence.size());
        return json::excerpt(sentence.substr(begin), 160);
      }
    }
    from = i + 1;
  }
  return json::excerpt(text, 160);
}

Pattern topic(const std::vector<Piece>& pieces, const std::string& term, const std::vector<std::size_t>& in) {
  Pattern out;
  out.name = term;
  out.confidence = confidence_of(in.size());
  out.users = counted(in.size(), pieces.size(), "conversations");
  out.description = out.users + " speak of \"" + term + "\":";
  std::size_t bad = 0;
  std::size_t quotes = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Piece& piece = pieces[in[i]];
    out.evidence.push_back(piece.id);
    bad += says_one_of(bad_words, text::Words(piece.text, 2'000)) ? 1 : 0;
    const std::string quote = "\"" + quote_of(piece.text, term) + "\"";
    if (quotes < 3 && out.description.find(quote) == std::string::npos) {
      ++quotes;
      out.description += " " + quote;
    }
  }
  out.severity = (bad * 2 >= in.size() ? "high"
                  : bad > 0            ? "medium"
                                       : "low") +
                 std::string(": ") + counted(bad, in.size(), "say that something fails or is lost");
  return out;
}

std::vector<Pattern> topics(const std::vector<Piece>& pieces) {
  const std::map<std::string, std::vector<std::size_t>> terms = terms_of(pieces);
  std::vector<bool> taken;
  taken.reserve(pieces.size());
  for (const Piece& piece : pieces) {
    taken.push_back(is_praise(piece.text));
  }
  std::vector<Pattern> out;
  const std::size_t least = pieces.size() < 4 ? 1 : std::max<std::size_t>(2, pieces.size() / 50);
  while (out.size() < patterns_max) {
    const std::string* best = nullptr;
    std::size_t best_score = 0;
    std::vector<std::size_t> best_in;
    for (const auto& [term, in] : terms) {
      std::vector<std::size_t> fresh;
      for (const std::size_t p : in) {
        if (!taken[p]) {
          fresh.push_back(p);
        }
      }
      // What nearly all say is what they are all about, and no pattern. Two words say more than one.
      const bool all = pieces.size() >= 6 && in.size() * 10 > pieces.size() * 6;
      const std::size_t score = fresh.size() * (term.find(' ') == std::string::npos ? 2 : 5);
      if (fresh.size() >= least && !all && score > best_score) {
        best = &term;
        best_score = score;
        best_in = std::move(fresh);
      }
    }
    if (best == nullptr) {
      break;
    }
    for (const std::size_t p : best_in) {
      taken[p] = true;
    }
    out.push_back(topic(pieces, *best, best_in));
  }
  return out;
}

// "core/run" of "core/run/machine.cpp".
std::string folder_of(std::string_view path) {
  const std::size_t first = path.find('/');
  if (first == std::string_view::npos) {
    return "the top folder";
  }
  const std::size_t second = path.find('/', first + 1);
  return std::string(path.substr(0, second == std::string_view::npos ? first : second));
}

std::vector<Pattern> marked_places(const std::vector<Piece>& pieces) {
  std::map<std::pair<std::string, std::string>, std::vector<const Piece*>> groups;
  for (const Piece& piece : pieces) {
    const std::string_view line = piece.text.substr(0, piece.text.find('\n'));
    for (const std::string_view mark : marks) {
      if (piece.id != piece.path && line.find(mark) != std::string_view::npos) {
        groups[{folder_of(piece.path), std::string(mark)}].push_back(&piece);
        break;
      }
    }
  }
  std::vector<Pattern> out;
  for (const auto& [key, places] : groups) {
    Pattern one;
    one.name = key.second + " in " + key.first;
    one.users = json::uint_text(places.size()) + (places.size() == 1 ? " place" : " places");
    one.description =
        one.users + " in " + key.first + (places.size() == 1 ? " is" : " are") + " marked " + key.second + ":";
    for (std::size_t i = 0; i < places.size(); ++i) {
      one.evidence.push_back(places[i]->id);
      if (i < 3) {
        const std::string_view line = places[i]->text.substr(0, places[i]->text.find('\n'));
        const std::size_t begin = std::min(line.find_first_not_of(" \t/*#"), line.size());
        one.description += " \"" + json::excerpt(line.substr(begin), 140) + "\" (" + std::string(places[i]->id) + ")";
      }
    }
    const bool bad = key.second == "FIXME" || key.second == "BUG:";
    one.severity = bad ? "high: marked as wrong" : "medium: marked as unfinished";
    one.confidence = confidence_of(places.size());
    out.push_back(std::move(one));
  }
  plumb::stable_sort(out, [](const Pattern& a, const Pattern& b) { return a.evidence.size() > b.evidence.size(); });
  return out;
}

std::string folded(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '\n' ? ' ' : c;
  }
  return out;
}

std::vector<Pattern> told_gaps(const std::vector<Piece>& pieces) {
  std::map<std::string, Pattern> by_document;
  for (const Piece& piece : pieces) {
    const std::string text = folded(piece.text);
    for (const std::string_view gap : gaps) {
      const std::size_t at = text.find(gap);
      if (at == std::string::npos) {
        continue;
      }
      const std::size_t from = std::min(text.find_last_of(".!?#|", at) + 1, at);
      const std::size_t to = std::min(text.find_first_of(".!?|", at + gap.size()), text.size());
      std::string_view sentence = std::string_view(text).substr(from, to - from);
      sentence.remove_prefix(std::min(sentence.find_first_not_of(" -*"), sentence.size()));
      Pattern& one = by_document[std::string(piece.path)];
      one.evidence.push_back(piece.id);
      if (one.evidence.size() <= 3) {
        one.description += " \"" + json::excerpt(sentence, 160) + "\" (" + std::string(piece.id) + ")";
      }
      break;
    }
  }
  std::vector<Pattern> out;
  for (auto& [path, one] : by_document) {
    one.name = "Limits told in " + path;
    one.users = json::uint_text(one.evidence.size()) + (one.evidence.size() == 1 ? " section" : " sections");
    one.description = one.users + " of " + path + " say what is missing or limited:" + one.description;
    one.severity = "low: it is documented";
    one.confidence = confidence_of(one.evidence.size());
    out.push_back(std::move(one));
  }
  plumb::stable_sort(out, [](const Pattern& a, const Pattern& b) { return a.evidence.size() > b.evidence.size(); });
  return out;
}

// "12.5" in thousandths; false where it is no number.
bool read_figure(std::string_view text, std::int64_t& out) {
  std::int64_t number = 0;
  std::size_t decimals = 0;
  bool point = false;
  bool any = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9' && number < 1'000'000'000'000) {
      any = true;
      if (decimals < 3) {
        number = number * 10 + (c - '0');
        decimals += point ? 1 : 0;
      }
    } else {
      return false;
    }
  }
  for (; decimals < 3; ++decimals) {
    number *= 10;
  }
  out = number;
  return any;
}

std::vector<Pattern> changed_figures(const std::vector<Piece>& pieces) {
  std::map<std::string, std::vector<std::pair<std::int64_t, std::size_t>>> columns;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    for (std::string_view rest = pieces[p].text; !rest.empty();) {
      const std::size_t end = std::min(rest.find("; "), rest.size());
      const std::string_view cell = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 2, rest.size()));
      const std::size_t colon = cell.find(": ");
      std::int64_t figure = 0;
      if (colon != std::string_view::npos && read_figure(cell.substr(colon + 2), figure)) {
        columns[std::string(cell.substr(0, colon))].emplace_back(figure, p);
      }
    }
  }
  std::vector<Pattern> out;
  for (const auto& [name, figures] : columns) {
    if (figures.size() < 4) {
      continue;
    }
    const std::size_t half = figures.size() / 2;
    std::int64_t before = 0;
    std::int64_t after = 0;
    for (std::size_t i = 0; i < figures.size(); ++i) {
      (i < half ? before : after) += figures[i].first;
    }
    before /= static_cast<std::int64_t>(std::max<std::size_t>(half, 1));
    after /= static_cast<std::int64_t>(std::max<std::size_t>(figures.size() - half, 1));
    const std::int64_t change = before == 0 ? 0 : (after - before) * 100 / before;
    if (change > -20 && change < 25) {
      continue;
    }
    Pattern one;
    const bool falls = change < 0;
    const std::string percent = json::uint_text(static_cast<std::uint64_t>(falls ? -change : change));
    one.name = name;
    one.name.append(falls ? " falls by " : " rises by ").append(percent).append("%");
    one.description = "The later half of " + json::uint_text(figures.size()) + " points has ";
    one.description.append(name).append(" ").append(percent).append(falls ? "% lower" : "% higher");
    one.description += " on average than the earlier half.";
    one.users = json::uint_text(figures.size()) + " points";
    one.severity = change < -50 || change > 100 ? "high: it changes by more than half" : "medium: it changes";
    one.confidence = confidence_of(figures.size());
    for (const std::size_t i : {std::size_t{0}, half, figures.size() - 1}) {
      one.evidence.push_back(pieces[figures[i].second].id);
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::string patterns_in(std::string_view source, const Value& units) {
  std::vector<Piece> pieces;
  for (const Value& unit : units.array()) {
    pieces.push_back({text_in(unit, "id"), text_in(unit, "path"), text_in(unit, "text")});
  }
  const std::vector<Pattern> found = source == "repo"        ? marked_places(pieces)
                                     : source == "docs"      ? told_gaps(pieces)
                                     : source == "analytics" ? changed_figures(pieces)
                                                             : topics(pieces);
  std::string out;
  json::Writer json(out);
  json.begin_object().key("findings").begin_array();
  for (std::size_t i = 0; i < std::min(found.size(), patterns_max); ++i) {
    const Pattern& one = found[i];
    json.begin_object().member("pattern_name", one.name).member("description", one.description);
    json.member("severity_assessment", one.severity).member("affected_users_estimate", one.users);
    json.key("evidence").begin_array();
    for (const std::string_view id : one.evidence) {
      json.string(id);
    }
    json.end_array().member("confidence", one.confidence).end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace plumb::extract
