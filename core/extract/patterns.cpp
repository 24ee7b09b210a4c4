// How patterns are found. Conversations: the word, or pair of words, that most pieces share is a pattern, what fails
// before what does not; the pieces that have it are taken out, and the next one is looked for. Words count by their
// stems; what agents wrote, sign-offs and sentences that many have word for word do not. Code: places with the same
// mark in the same folder. Documents: sentences that say what is missing. Figures: columns whose later half differs
// from the earlier one.

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/extract/discovery.hpp"
#include "core/extract/language.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"
#include "core/text/sentences.hpp"

namespace plumb::extract {

namespace {

using json::text_of;
using json::Value;

struct Piece {
  std::string_view id, path, text;
};

struct Pattern {
  std::string name, description, severity, users, confidence;
  std::vector<std::string_view> evidence;
};

constexpr std::array<std::string_view, 52> empty_words = {
    "good",  "morning", "hey",    "since",   "last",   "tried", "keep", "says", "see",     "give",  "gives",
    "try",   "please",  "thanks", "thank",   "hello",  "help",  "team", "dear", "regards", "would", "could",
    "get",   "got",     "use",    "using",   "want",   "need",  "like", "time", "really",  "also",  "still",
    "just",  "always",  "never",  "every",   "again",  "today", "one",  "two",  "way",     "make",  "makes",
    "can't", "don't",   "it's",   "doesn't", "didn't", "i'm",   "lot",  "new"};
// That something does not work, in one word or in two that stand side by side.
constexpr std::array<std::string_view, 49> bad_words = {
    "expired",    "twice",     "stops",    "disappears", "hidden",   "empty",    "spins",   "cut off", "crash",
    "crashes",    "crashed",   "lost",     "lose",       "fail",     "fails",    "failed",  "error",   "errors",
    "broken",     "cannot",    "can't",    "unable",     "couldn't", "won't",    "refund",  "cancel",  "stuck",
    "impossible", "never",     "nothing",  "bug",        "bugs",     "blank",    "freezes", "frozen",  "hangs",
    "timeout",    "timeouts",  "missing",  "wrong",      "slow",     "unusable", "doesn't", "didn't",  "isn't",
    "times out",  "timed out", "not work", "no longer"};
constexpr std::array<std::string_view, 10> praise_words = {"solved",  "love",      "loving",  "great",     "awesome",
                                                           "perfect", "excellent", "amazing", "fantastic", "happy"};
constexpr std::array<std::string_view, 6> marks = {"FIXME", "BUG:", "HACK", "XXX", "TODO", "deprecated"};
constexpr std::array<std::string_view, 14> gaps = {
    "not yet",    "not supported", "known issue",     "limitation",       "not implemented",
    "workaround", "unsupported",   "is experimental", "does not support", "to be done",
    "no support", "does not work", "coming soon",     "in a future"};
// Before what an agent wrote, in the text of a conversation.
constexpr std::string_view agent_mark = "[agent] ";

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

// Sentences of a piece, without the lines that an agent wrote and without what stands behind a sign-off.
std::vector<std::string_view> sentences_of(std::string_view text) {
  static constexpr std::array<std::string_view, 6> sign_offs = {"regards", "cheers",       "sincerely",
                                                                "best",    "kind regards", "best regards"};
  std::vector<std::string_view> out;
  bool agent = text.substr(0, agent_mark.size()) == agent_mark;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool line_end = i == text.size() || text[i] == '\n';
    if (!line_end && std::string_view(".!?").find(text[i]) == std::string_view::npos) {
      continue;
    }
    const std::string_view sentence = text.substr(from, i - from);
    from = i + 1;
    const text::Words words(sentence, 3);
    const bool signs_off =
        words.size() > 0 &&
        (is_one_of(sign_offs, words.folded(0)) ||
         (words.size() > 1 && is_one_of(sign_offs, std::string(words.folded(0)) + " " + std::string(words.folded(1)))));
    if (signs_off && words.size() <= 3) {
      break;
    }
    if (!agent && words.size() > 0) {
      out.push_back(sentence);
    }
    if (line_end) {
      agent = text.substr(std::min(from, text.size()), agent_mark.size()) == agent_mark;
    }
  }
  return out;
}

// What a sentence says, however it is written.
std::string said_in(std::string_view sentence) {
  const text::Words words(sentence, 60);
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out += std::string(i == 0 ? "" : " ") + std::string(words.folded(i));
  }
  return out;
}

// Greetings and phrases that many pieces have word for word, and that tell of nothing that fails.
std::set<std::string> boilerplate_of(const std::vector<Piece>& pieces) {
  std::map<std::string, std::size_t> counts;
  for (const Piece& piece : pieces) {
    std::set<std::string> own;
    for (const std::string_view sentence : sentences_of(piece.text)) {
      own.insert(said_in(sentence));
    }
    for (const std::string& one : own) {
      ++counts[one];
    }
  }
  std::set<std::string> out;
  const std::size_t least = std::max<std::size_t>(4, pieces.size() / 20);
  for (const auto& [sentence, count] : counts) {
    if (count >= least && !says_one_of(bad_words, text::Words(sentence, 60))) {
      out.insert(sentence);
    }
  }
  return out;
}

// "export" of "exports", "exported" and "exporting".
std::string stem_of(std::string_view word) {
  for (const std::string_view end : {"ings", "ing", "ed", "es", "s"}) {
    if (word.size() >= end.size() + 4 && word.substr(word.size() - end.size()) == end &&
        !(end == "s" && word[word.size() - 2] == 's')) {
      word.remove_suffix(end.size());
      break;
    }
  }
  // "invoic" and "invoice" are one word.
  if (word.size() > 4 && word.back() == 'e') {
    word.remove_suffix(1);
  }
  return std::string(word);
}

struct ContentWord {
  std::string stem, written;  // both empty where a sentence or a function word stands between
};

std::vector<ContentWord> content_words(std::string_view text, const std::set<std::string>& boilerplate) {
  std::vector<ContentWord> out;
  for (const std::string_view sentence : sentences_of(text)) {
    if (boilerplate.count(said_in(sentence)) > 0) {
      continue;
    }
    const text::Words words(sentence, 400);
    const Language language = language_of(words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view word = words.folded(i);
      const bool number = !word.empty() && word.front() >= '0' && word.front() <= '9';
      const bool content = word.size() >= 3 && !number && !is_function_word(language, word) &&
                           !is_function_word(Language::english, word) && !is_one_of(empty_words, word);
      content ? out.push_back({stem_of(word), std::string(word)}) : out.push_back({});
    }
    out.push_back({});
  }
  return out;
}

struct Term {
  std::vector<std::size_t> in;                 // pieces
  std::map<std::string, std::size_t> written;  // forms, and how often
  // The form that is written most.
  const std::string& name() const {
    return std::max_element(written.begin(), written.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }
};

// Words, and pairs of neighbours, with the pieces that have them, by their stems.
std::map<std::string, Term> terms_of(const std::vector<Piece>& pieces, const std::set<std::string>& boilerplate) {
  std::map<std::string, Term> out;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const std::vector<ContentWord> words = content_words(pieces[p].text, boilerplate);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i].stem.empty()) {
        continue;
      }
      for (const bool pair : {false, true}) {
        if (pair && (i + 1 == words.size() || words[i + 1].stem.empty())) {
          continue;
        }
        Term& term = out[pair ? words[i].stem + " " + words[i + 1].stem : words[i].stem];
        ++term.written[pair ? words[i].written + " " + words[i + 1].written : words[i].written];
        if (term.in.empty() || term.in.back() != p) {
          term.in.push_back(p);
        }
      }
    }
  }
  return out;
}

// "The export fails" of "Hello team, the export fails".
std::string_view without_greeting(std::string_view sentence) {
  static constexpr std::array<std::string_view, 5> greetings = {"hi", "hello", "hey", "dear", "good"};
  sentence.remove_prefix(std::min(sentence.find_first_not_of(" \t\r\n-*>"), sentence.size()));
  const std::size_t comma = sentence.find(", ");
  const text::Words words(sentence.substr(0, std::min(comma, sentence.size())), 5);
  if (comma != std::string_view::npos && words.size() > 0 && words.size() < 4 &&
      is_one_of(greetings, words.folded(0))) {
    sentence.remove_prefix(comma + 2);
  }
  return sentence;
}

// The first sentence of the piece that has the word, as it was written.
std::string quote_of(std::string_view text, std::string_view stem) {
  const std::string_view first = stem.substr(0, stem.find(' '));
  for (const std::string_view sentence : sentences_of(text)) {
    const text::Words words(sentence, 400);
    for (std::size_t w = 0; w < words.size(); ++w) {
      if (stem_of(words.folded(w)) == first) {
        return json::excerpt(without_greeting(sentence), 160);
      }
    }
  }
  return json::excerpt(text, 160);
}

Pattern topic(const std::vector<Piece>& pieces, const std::string& stem, const std::string& term,
              const std::vector<std::size_t>& in) {
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
    const std::string quote = "\"" + quote_of(piece.text, stem) + "\"";
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
  const std::set<std::string> boilerplate = boilerplate_of(pieces);
  const std::map<std::string, Term> terms = terms_of(pieces, boilerplate);
  std::vector<bool> taken;
  std::vector<bool> bad;
  taken.reserve(pieces.size());
  bad.reserve(pieces.size());
  for (const Piece& piece : pieces) {
    taken.push_back(is_praise(piece.text));
    bad.push_back(says_one_of(bad_words, text::Words(piece.text, 2'000)));
  }
  std::vector<Pattern> out;
  const std::size_t least_pair = pieces.size() < 4 ? 1 : std::max<std::size_t>(2, pieces.size() / 50);
  const std::size_t least_word = pieces.size() < 20 ? least_pair : std::max<std::size_t>(3, pieces.size() / 33);
  while (out.size() < patterns_max) {
    const std::string* best = nullptr;
    std::size_t best_score = 0;
    std::vector<std::size_t> best_in;
    for (const auto& [stem, term] : terms) {
      std::vector<std::size_t> fresh;
      std::size_t failing = 0;
      for (const std::size_t p : term.in) {
        if (!taken[p]) {
          fresh.push_back(p);
          failing += bad[p] ? 1 : 0;
        }
      }
      // What nearly all say is what they are all about, and no pattern. Two words say more than one, and what fails
      // more than what does not.
      const bool pair = stem.find(' ') != std::string::npos;
      const bool all = pieces.size() >= 6 && term.in.size() * 10 > pieces.size() * 6;
      const std::size_t score = (fresh.size() * 2 + failing) * (pair ? 5 : 3);
      if (fresh.size() >= (pair ? least_pair : least_word) && !all && score > best_score) {
        best = &stem;
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
    out.push_back(topic(pieces, *best, terms.at(*best).name(), best_in));
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

// Thousandths as a number with at most two decimals.
std::string figure_text(std::int64_t thousandths) {
  const auto hundredths = static_cast<std::uint64_t>((thousandths + 5) / 10);
  const std::string decimals = json::uint_text(hundredths % 100 + 100).substr(1);
  const std::size_t end = decimals == "00" ? 0 : decimals.back() == '0' ? 1 : 2;
  return json::uint_text(hundredths / 100) + (end == 0 ? "" : "." + decimals.substr(0, end));
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
    if (change >= 200) {
      one.name += " is " + json::uint_text(static_cast<std::uint64_t>(change) / 100 + 1) + " times as high";
    } else {
      one.name.append(falls ? " falls by " : " rises by ").append(percent).append("%");
    }
    one.description = name;
    one.description += ": " + figure_text(before) + " on average in the earlier half of " +
                       json::uint_text(figures.size()) + " points, " + figure_text(after) + " in the later half.";
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
    pieces.push_back({text_of(unit, "id"), text_of(unit, "path"), text_of(unit, "text")});
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
