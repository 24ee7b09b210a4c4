// Which sentence of some passages answers a question: the one with most of its words, the rare ones first, and of the
// kind that is asked for.

#include <algorithm>
#include <array>

#include "core/extract/research.hpp"
#include "core/text/facts.hpp"
#include "core/text/fold.hpp"
#include "core/text/mentions.hpp"
#include "core/text/phrases.hpp"
#include "core/text/quotes.hpp"
#include "core/text/sentences.hpp"

namespace plumb::extract {

namespace {

constexpr std::size_t quote_bytes_max = 600;
constexpr std::size_t units_max = 2'000;
constexpr std::size_t words_max = 64;
constexpr std::size_t covered_min = 34;

// What kind of thing a question asks for.
enum class Wanted : std::uint8_t { anything, number, path, option, command, meaning };

struct Cue {
  std::string_view words;
  Wanted wanted;
};
constexpr std::array<Cue, 24> cues = {{
    {"how many", Wanted::number},       {"how much", Wanted::number},      {"how long", Wanted::number},
    {"when was", Wanted::number},       {"what year", Wanted::number},     {"which year", Wanted::number},
    {"which port", Wanted::number},     {"which version", Wanted::number}, {"what version", Wanted::number},
    {"default value", Wanted::number},  {"maximum", Wanted::number},       {"minimum", Wanted::number},
    {"which file", Wanted::path},       {"what file", Wanted::path},       {"which directory", Wanted::path},
    {"what directory", Wanted::path},   {"where is", Wanted::path},        {"where are", Wanted::path},
    {"which option", Wanted::option},   {"what option", Wanted::option},   {"which flag", Wanted::option},
    {"which command", Wanted::command}, {"what command", Wanted::command}, {"what is", Wanted::meaning},
}};

Wanted wanted_by(std::string_view question) {
  for (const Cue& cue : cues) {
    if (text::find_folded(cue.words, question, {.lowercase = true})) {
      return cue.wanted;
    }
  }
  return Wanted::anything;
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// A word that begins as an option does.
bool has_option(std::string_view text) {
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    const bool begins = i == 0 || is_space(text[i - 1]) || text[i - 1] == '`' || text[i - 1] == '(';
    if (begins && text[i] == '-' && (text[i + 1] == '-' || (text[i + 1] >= 'A' && text[i + 1] <= 'z'))) {
      return true;
    }
  }
  return false;
}

bool has_path(std::string_view text) {
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    const bool begins =
        i == 0 || is_space(text[i - 1]) || std::string_view("`'\"(<").find(text[i - 1]) != std::string_view::npos;
    if (begins && (text[i] == '/' || text[i] == '~') && !is_space(text[i + 1])) {
      return true;
    }
  }
  return false;
}

bool is_of_kind(std::string_view text, Wanted wanted) {
  constexpr text::FactKinds numbers = text::fact_bit(text::FactKind::number) | text::fact_bit(text::FactKind::date) |
                                      text::fact_bit(text::FactKind::countable);
  switch (wanted) {
    case Wanted::number:
      return !text::facts(text, numbers).empty();
    case Wanted::path:
      return has_path(text);
    case Wanted::option:
      return has_option(text);
    case Wanted::command:
      return text.find('`') != std::string_view::npos || text.find("$ ") != std::string_view::npos ||
             text.find("# ") != std::string_view::npos || has_option(text);
    case Wanted::meaning:
      return text.find(" is ") != std::string_view::npos || text.find(" are ") != std::string_view::npos;
    case Wanted::anything:
      break;
  }
  return false;
}

struct Unit {
  std::size_t passage = 0;
  std::string_view text;
  std::vector<bool> has;  // by key word
  std::size_t words = 0;
  bool asks = false;
};

std::vector<bool> standing_in(const std::vector<std::string>& wanted, std::string_view text,
                              std::size_t* count = nullptr) {
  std::vector<bool> has(wanted.size());
  const text::Words words(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view stem = text::without_ending(words.folded(i));
    const auto found = std::find(wanted.begin(), wanted.end(), stem);
    if (found != wanted.end()) {
      has[static_cast<std::size_t>(found - wanted.begin())] = true;
    }
  }
  if (count != nullptr) {
    *count = words.size();
  }
  return has;
}

std::string_view cut(std::string_view text) {
  if (text.size() <= quote_bytes_max) {
    return text;
  }
  std::size_t end = quote_bytes_max;
  while (end > quote_bytes_max / 2 && !is_space(text[end])) {
    --end;
  }
  while (end > 0 && is_space(text[end - 1])) {
    --end;
  }
  return text.substr(0, end);
}

// A sentence as text has it, or a row of a table, or a line of what is no prose: long pieces are taken apart where a
// line begins that continues no sentence.
std::vector<std::string_view> pieces_of(std::string_view sentence) {
  constexpr std::size_t whole_bytes = 240;
  std::vector<std::string_view> out;
  std::size_t from = 0;
  for (std::size_t at = sentence.find('\n'); at != std::string_view::npos; at = sentence.find('\n', at + 1)) {
    std::size_t next = at + 1;
    while (next < sentence.size() && (sentence[next] == ' ' || sentence[next] == '\t')) {
      ++next;
    }
    const char first = next < sentence.size() ? sentence[next] : 'a';
    const bool row = first == '|' || first == '-' || first == '*' || first == '$' || first == '#';
    const bool continues = (first >= 'a' && first <= 'z') || first == '(' || first == '`' || first == '"';
    if (row || (!continues && sentence.size() > whole_bytes)) {
      out.push_back(sentence.substr(from, at - from));
      from = next;
    }
  }
  out.push_back(sentence.substr(std::min(from, sentence.size())));
  return out;
}

std::vector<Unit> units_of(const std::vector<std::string>& wanted, const std::vector<Found>& passages) {
  std::vector<Unit> out;
  for (std::size_t p = 0; p < passages.size(); ++p) {
    for (const text::TextSpan span : text::sentences(passages[p].text)) {
      for (const std::string_view piece : pieces_of(text::piece(passages[p].text, span))) {
        if (out.size() == units_max) {
          return out;
        }
        Unit unit;
        unit.passage = p;
        unit.text = cut(piece);
        unit.has = standing_in(wanted, unit.text, &unit.words);
        unit.asks = !unit.text.empty() && unit.text.back() == '?';
        if (unit.words > 0) {
          out.push_back(std::move(unit));
        }
      }
    }
  }
  return out;
}

// Rare words weigh more: from 100 for one that stands everywhere to 600. One that stands nowhere tells no sentence from
// another, and only says that something is missing.
std::vector<std::size_t> weights_of(const std::vector<std::string>& wanted, const std::vector<Unit>& units) {
  std::vector<std::size_t> out(wanted.size(), 600);
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    const auto count = static_cast<std::size_t>(
        std::count_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.has[w]; }));
    if (count == 0) {
      out[w] = 250;
    } else {
      out[w] = 100 + 500 * (units.size() - count) / units.size();
    }
  }
  return out;
}

// A sentence with the term or heading right before it, which says what it is about: "0-99:".
std::string_view with_its_head(const std::vector<Unit>& units, std::size_t index) {
  constexpr std::size_t head_words_max = 8;
  const std::string_view text = units[index].text;
  if (index == 0 || units[index - 1].passage != units[index].passage) {
    return text;
  }
  const Unit& before = units[index - 1];
  const char last = before.text.empty() ? '.' : before.text.back();
  const auto size = static_cast<std::size_t>(text.data() + text.size() - before.text.data());
  const bool head =
      before.words <= head_words_max && last != '.' && last != '!' && last != ';' && size <= quote_bytes_max;
  return head ? std::string_view(before.text.data(), size) : text;
}

struct Scored {
  std::size_t unit = 0;
  std::size_t score = 0;
  std::size_t covered = 0;
};

// The words of a claim without what is between them: pages that exist in several forms differ in quotation marks.
std::string words_of_claim(std::string_view text) {
  const text::Words words(text, 400);
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out.append(words.folded(i)) += ' ';
  }
  return out;
}

}  // namespace

std::vector<std::string> key_words(std::string_view question) {
  std::vector<std::string> out;
  const text::Words words(question, 200);
  for (std::size_t i = 0; i < words.size() && out.size() < words_max; ++i) {
    const std::string_view folded = words.folded(i);
    if (text::is_function_word(folded) || text::is_request_word(folded)) {
      continue;
    }
    std::string stem(text::without_ending(folded));
    if (!stem.empty() && std::find(out.begin(), out.end(), stem) == out.end()) {
      out.push_back(std::move(stem));
    }
  }
  return out;
}

std::size_t coverage(const std::vector<std::string>& words, std::string_view text) {
  if (words.empty()) {
    return 0;
  }
  const std::vector<bool> has = standing_in(words, text);
  return 100 * static_cast<std::size_t>(std::count(has.begin(), has.end(), true)) / words.size();
}

std::string as_claim(std::string_view quote) {
  std::string out;
  for (const char c : quote) {
    const bool space = is_space(c);
    if (!space || (!out.empty() && out.back() != ' ')) {
      out += space ? ' ' : c;
    }
  }
  while (!out.empty() && out.back() == ' ') {
    out.pop_back();
  }
  std::size_t from = 0;
  while (from < out.size() && std::string_view("-*+#> ").find(out[from]) != std::string_view::npos &&
         (out[from] == ' ' || out[from] == '#' || (from + 1 < out.size() && out[from + 1] == ' '))) {
    ++from;
  }
  return from < out.size() ? out.substr(from) : out;
}

std::vector<Statement> best_statements(std::string_view question, const std::vector<Found>& passages,
                                       std::size_t count_max) {
  const std::vector<std::string> wanted = key_words(question);
  const std::vector<Unit> units = units_of(wanted, passages);
  const std::vector<std::size_t> weights = weights_of(wanted, units);
  const Wanted kind = wanted_by(question);
  std::size_t all = 0;
  for (const std::size_t weight : weights) {
    all += weight;
  }
  std::vector<Scored> scored;
  for (std::size_t u = 0; u < units.size() && all > 0; ++u) {
    const Unit& unit = units[u];
    const Found& passage = passages[unit.passage];
    const std::vector<bool> around =
        standing_in(wanted, std::string(passage.title) + " " + std::string(passage.heading));
    const Unit* before = u > 0 && units[u - 1].passage == unit.passage ? &units[u - 1] : nullptr;
    std::size_t own = 0;
    std::size_t near = 0;
    for (std::size_t w = 0; w < weights.size(); ++w) {
      if (unit.has[w]) {
        own += weights[w];
      } else if (before != nullptr && before->has[w] && (before->asks || before->words <= 10)) {
        own += weights[w] * 8 / 10;  // its heading, or the question that it answers
      } else if (around[w] || (before != nullptr && before->has[w])) {
        near += weights[w];
      }
    }
    if (own == 0 || unit.asks) {
      continue;
    }
    Scored one;
    one.unit = u;
    one.covered = 100 * (own + near) / all;
    one.score =
        1000 * own / all + 400 * near / all + (is_of_kind(unit.text, kind) ? 150 : 0) + 120 / (unit.passage + 1);
    // A heading says nothing, a long list says too much.
    if (unit.words < 5) {
      one.score /= 2;
    } else if (unit.words > 80) {
      one.score = one.score * 8 / 10;
    }
    scored.push_back(one);
  }
  std::vector<Statement> out;
  std::size_t best = 0;
  while (out.size() < count_max) {
    const auto next = std::max_element(scored.begin(), scored.end(), [](const Scored& a, const Scored& b) {
      return a.score != b.score ? a.score < b.score : a.unit > b.unit;
    });
    if (next == scored.end() || next->covered < covered_min || next->score * 10 < best * 7) {
      break;
    }
    best = std::max(best, next->score);
    const Unit& unit = units[next->unit];
    out.push_back(
        {passages[unit.passage].number, with_its_head(units, next->unit), std::min<std::size_t>(next->covered, 100)});
    // The second from the same passage counts less than one from another.
    const std::size_t taken = next->unit;
    const std::string said = words_of_claim(as_claim(unit.text));
    scored.erase(next);
    for (Scored& other : scored) {
      if (units[other.unit].passage == units[taken].passage) {
        other.score = other.score * 9 / 10;
      }
      if (other.score * 10 >= best * 7 && words_of_claim(as_claim(units[other.unit].text)) == said) {
        other.score = 0;
      }
    }
  }
  return out;
}

}  // namespace plumb::extract
