#include "core/extract/topics.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include "core/ascii.hpp"
#include "core/extract/discovery.hpp"
#include "core/extract/language.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/text/sentences.hpp"

namespace plumb::extract {

namespace {

// Words of every talk, which say nothing of what it is about. Each with a blank on both sides.
constexpr std::string_view empty_words =
    " able advance again already also always anyone anything appreciate back best bit can't coming could currently day "
    "days dear didn't doesn't don't every everyone everything feel forward free get getting give gives going good got "
    "happen happened happening happens hello help hey hope hour hours i'm it's just keep know last let like look "
    "looking "
    "lot make makes many maybe minute minutes moment month months morning much need never new now okay one perhaps "
    "please quick quickly really regards right says see seem seems since someone something soon sorry still stuff sure "
    "team thank thanks thing things think time times today tomorrow tried try trying two use using want way week weeks "
    "well would year years yes yesterday yet ";
// Words that say that something is wrong or asked, and not what: with another word they name something ("upload
// error"), alone they do not.
constexpr std::string_view vague_words =
    " ask asked bug bugs case cases change changed customer customers difficult difficulties error errors fail failed "
    "failing fails failure failures fix fixed issue issues message messages option options people problem problems "
    "question questions reason slow situation support ticket tickets trouble user users warning warnings work worked "
    "working works wrong broken crash crashes ";
// That something does not work, in one word or in two next to each other.
constexpr std::array<std::string_view, 49> bad_words = {
    "expired",    "twice",     "stops",    "disappears", "hidden",   "empty",    "spins",   "cut off", "crash",
    "crashes",    "crashed",   "lost",     "lose",       "fail",     "fails",    "failed",  "error",   "errors",
    "broken",     "cannot",    "can't",    "unable",     "couldn't", "won't",    "refund",  "cancel",  "stuck",
    "impossible", "never",     "nothing",  "bug",        "bugs",     "blank",    "freezes", "frozen",  "hangs",
    "timeout",    "timeouts",  "missing",  "wrong",      "slow",     "unusable", "doesn't", "didn't",  "isn't",
    "times out",  "timed out", "not work", "no longer"};
constexpr std::array<std::string_view, 10> praise_words = {"solved",  "love",      "loving",  "great",     "awesome",
                                                           "perfect", "excellent", "amazing", "fantastic", "happy"};

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

std::string share_of(std::size_t number, std::size_t of, std::string_view what) {
  return json::uint_text(number) + " of " + json::uint_text(of) + " " + std::string(what);
}

// Sentences of a piece, without what follows a sign-off.
std::vector<std::string_view> sentences_of(std::string_view text) {
  static constexpr std::array<std::string_view, 6> sign_offs = {"regards", "cheers",       "sincerely",
                                                                "best",    "kind regards", "best regards"};
  std::vector<std::string_view> out;
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
    if (words.size() > 0) {
      out.push_back(sentence);
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
    if (word.size() >= end.size() + 4 && word.ends_with(end) && !(end == "s" && word[word.size() - 2] == 's')) {
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

// "The export fails" of "Hello team, the export fails".
std::string_view without_greeting(std::string_view sentence) {
  static constexpr std::array<std::string_view, 5> greetings = {"hi", "hello", "hey", "dear", "good"};
  sentence = ascii::trim_front(sentence, " \t\r\n-*>");
  const std::size_t comma = sentence.find(", ");
  const text::Words words(sentence.substr(0, std::min(comma, sentence.size())), 5);
  if (comma != std::string_view::npos && words.size() > 0 && words.size() < 4 &&
      is_one_of(greetings, words.folded(0))) {
    sentence.remove_prefix(comma + 2);
  }
  return sentence;
}

// How a word is written: "VAT" and "Google" as they are, "dashboard" of "Dashboard is slow".
std::string form_of(const text::Words& words, std::size_t index) {
  const std::string_view written = words.written(index);
  const bool capitals = std::count_if(written.begin(), written.end(), [](char c) { return ascii::is_upper(c); }) > 1;
  return std::string(index == 0 && !capitals ? words.folded(index) : written);
}

struct ContentWord {
  std::string stem, written;  // both empty where a sentence ends or a function word comes between
  bool vague = false;
};

std::vector<ContentWord> content_words(std::string_view text, const std::set<std::string>& boilerplate) {
  std::vector<ContentWord> out;
  for (const std::string_view sentence : sentences_of(text)) {
    if (boilerplate.count(said_in(sentence)) > 0) {
      continue;
    }
    const text::Words words(without_greeting(sentence), 400);
    const Language language = language_of(words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view word = words.folded(i);
      const bool number = !word.empty() && ascii::is_digit(word.front());
      const bool content = word.size() >= 3 && !number && !is_function_word(language, word) &&
                           !is_function_word(Language::english, word) && !listed_in(empty_words, word);
      content ? out.push_back({stem_of(word), form_of(words, i), listed_in(vague_words, word)}) : out.push_back({});
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
        if (pair ? i + 1 == words.size() || words[i + 1].stem.empty() || (words[i].vague && words[i + 1].vague)
                 : words[i].vague) {
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

struct SentenceAbout {
  std::string quote;
  bool asks = false;
};

// The first sentence of the piece that has the word, as it was written.
SentenceAbout said_about(std::string_view text, std::string_view stem) {
  constexpr std::size_t quote_max = 160;
  const std::string_view first = stem.substr(0, stem.find(' '));
  for (const std::string_view sentence : sentences_of(text)) {
    const text::Words words(sentence, 400);
    for (std::size_t w = 0; w < words.size(); ++w) {
      if (stem_of(words.folded(w)) == first) {
        const std::size_t end = static_cast<std::size_t>(sentence.data() - text.data()) + sentence.size();
        const bool asks = end < text.size() && text[end] == '?';
        return {json::excerpt(without_greeting(sentence), quote_max) + (asks ? "?" : ""), asks};
      }
    }
  }
  return {json::excerpt(without_greeting(text), quote_max), false};
}

Pattern topic(const std::vector<Piece>& pieces, const std::string& stem, const std::string& term,
              const std::vector<std::size_t>& in) {
  Pattern out;
  out.name = term;
  out.confidence = confidence_of(in.size());
  out.users = share_of(in.size(), pieces.size(), "conversations");
  std::size_t bad = 0;
  std::size_t asking = 0;
  std::vector<std::string> quotes;
  for (const std::size_t p : in) {
    out.evidence.push_back(pieces[p].id);
    bad += says_one_of(bad_words, text::Words(pieces[p].text, 2'000)) ? 1 : 0;
    const SentenceAbout said = said_about(pieces[p].text, stem);
    asking += said.asks ? 1 : 0;
    const std::string quote = "\"" + said.quote + "\"";
    if (quotes.size() < 3 && std::find(quotes.begin(), quotes.end(), quote) == quotes.end()) {
      quotes.push_back(quote);
    }
  }
  const bool asked = bad == 0 && asking * 2 > in.size();
  out.description = json::uint_text(in.size()) + " of " + json::uint_text(pieces.size());
  out.description += std::string(asked ? asked_about : " conversations speak of \"") + term + "\":";
  for (std::size_t i = 0; i < quotes.size(); ++i) {
    out.description += (i == 0 ? " " : ", ") + quotes[i];
  }
  out.severity = (bad * 2 >= in.size() ? "high"
                  : bad > 0            ? "medium"
                                       : "low") +
                 std::string(": ") +
                 (bad == 0 ? "none of " + json::uint_text(in.size()) + " says" : share_of(bad, in.size(), "say")) +
                 " that something fails or is lost";
  return out;
}

// A topic that was found, with the pieces that have it.
struct Topic {
  std::string stem;
  std::vector<std::size_t> in;
};

// Whether a word and a pair with it are one topic: most pieces that have the word have the pair.
bool is_part_of(const std::string& word, const std::string& pair, const std::map<std::string, Term>& terms) {
  const std::size_t blank = pair.find(' ');
  const bool shares = blank != std::string::npos && (pair.substr(0, blank) == word || pair.substr(blank + 1) == word);
  return shares && terms.at(pair).in.size() * 5 >= terms.at(word).in.size() * 2;
}

// The word takes the place of the pair, where the pair was found before, and the other way round.
bool merged(Topic& found, const std::string& stem, const std::vector<std::size_t>& in,
            const std::map<std::string, Term>& terms) {
  const bool wider = is_part_of(stem, found.stem, terms);
  if (!wider && !is_part_of(found.stem, stem, terms)) {
    return false;
  }
  found.stem = wider ? stem : found.stem;
  found.in.insert(found.in.end(), in.begin(), in.end());
  std::sort(found.in.begin(), found.in.end());
  return true;
}

}  // namespace

std::string confidence_of(std::size_t pieces) { return pieces >= 10 ? "high" : pieces >= 4 ? "medium" : "low"; }

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
  std::vector<Topic> found;
  const std::size_t least_pair = pieces.size() < 4 ? 1 : std::max<std::size_t>(2, pieces.size() / 50);
  const std::size_t least_word = pieces.size() < 20 ? least_pair : std::max<std::size_t>(3, pieces.size() / 33);
  while (found.size() < patterns_max) {
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
    const bool known =
        std::any_of(found.begin(), found.end(), [&](Topic& one) { return merged(one, *best, best_in, terms); });
    if (!known) {
      found.push_back({*best, std::move(best_in)});
    }
  }
  std::vector<Pattern> out;
  out.reserve(found.size());
  for (const Topic& one : found) {
    out.push_back(topic(pieces, one.stem, terms.at(one.stem).name(), one.in));
  }
  return out;
}

bool is_about(std::string_view figure, std::string_view pattern) {
  std::set<std::string> named;
  const text::Words words(pattern, 40);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words.folded(i).size() >= 4 && !listed_in(vague_words, words.folded(i)) &&
        !listed_in(empty_words, words.folded(i))) {
      named.insert(stem_of(words.folded(i)));
    }
  }
  // "export_errors", "export errors": a column is named by words with lines between them.
  std::string spaced(figure);
  std::replace(spaced.begin(), spaced.end(), '_', ' ');
  const text::Words column(spaced, 40);
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (named.count(stem_of(column.folded(i))) > 0) {
      return true;
    }
  }
  return false;
}

std::string sentence_about(std::string_view text, std::string_view name) {
  return said_about(text, stem_of(text::Words(name.substr(0, name.find(' ')), 1).folded(0))).quote;
}

}  // namespace plumb::extract
