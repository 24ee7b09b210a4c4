// Which sentence of some passages answers a question: the one with most of its words, the rare ones first, and of the
// kind that is asked for.

#include <algorithm>
#include <array>
#include <functional>

#include "core/ascii.hpp"
#include "core/extract/quoting.hpp"
#include "core/extract/research.hpp"
#include "core/extract/wanted.hpp"
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
// Of a word of the question that is in the heading of a passage and not in the sentence.
constexpr std::size_t heading_percent = 80;
// Of 1,000 for all words: words that are right before, words that are together as in the question, and the rank of the
// passage.
constexpr std::size_t neighbour_share = 400;
constexpr std::size_t pair_share = 100;
constexpr std::size_t first_passage = 160;
constexpr std::size_t subject_units = 4;

struct Unit {
  std::size_t passage = 0;
  std::string_view text;
  std::vector<bool> has;    // by key word
  std::vector<bool> pairs;  // by key word: the next one of the question comes right after it
  std::size_t words = 0;
  bool asks = false;
};

// The key words that a text has, in its order: of "default.target" and "apt-get" their parts too.
struct KeyWord {
  std::size_t key = 0;
  std::size_t at = 0;  // which word of the text
};
std::vector<KeyWord> key_words_in(const std::vector<std::string>& wanted, const text::Words& words) {
  std::vector<KeyWord> out;
  const auto look = [&](std::string_view folded, std::size_t at) {
    const auto found = std::find(wanted.begin(), wanted.end(), word_stem(folded));
    if (found != wanted.end()) {
      out.push_back({static_cast<std::size_t>(found - wanted.begin()), at});
    }
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view folded = words.folded(i);
    look(folded, i);
    std::size_t from = 0;
    for (std::size_t sign = folded.find_first_of(".-_/"); sign != std::string_view::npos || from > 0;
         sign = folded.find_first_of(".-_/", from)) {
      look(folded.substr(from, std::min(sign, folded.size()) - from), i);
      if (sign == std::string_view::npos) {
        break;
      }
      from = sign + 1;
    }
  }
  return out;
}

std::vector<bool> has_key_words(const std::vector<std::string>& wanted, std::string_view text) {
  std::vector<bool> has(wanted.size());
  for (const KeyWord& one : key_words_in(wanted, text::Words(text))) {
    has[one.key] = true;
  }
  return has;
}

void read_words(const std::vector<std::string>& wanted, Unit& unit) {
  const text::Words words(unit.text);
  unit.words = words.size();
  unit.has.resize(wanted.size());
  unit.pairs.resize(wanted.size());
  const std::vector<KeyWord> all = key_words_in(wanted, words);
  for (std::size_t i = 0; i < all.size(); ++i) {
    unit.has[all[i].key] = true;
    for (std::size_t k = i + 1; k < all.size() && all[k].at <= all[i].at + 1; ++k) {
      unit.pairs[all[i].key] = unit.pairs[all[i].key] || all[k].key == all[i].key + 1;
    }
  }
}

std::string_view cut(std::string_view text) {
  if (text.size() <= quote_bytes_max) {
    return text;
  }
  std::size_t end = quote_bytes_max;
  while (end > quote_bytes_max / 2 && !ascii::is_space(text[end])) {
    --end;
  }
  while (end > 0 && ascii::is_space(text[end - 1])) {
    --end;
  }
  return text.substr(0, end);
}

// A sentence as text has it, or a row of a table, or a line of what is no prose: long pieces are taken apart where a
// line begins that continues no sentence.
std::vector<std::string_view> pieces_of(std::string_view sentence) {
  constexpr std::size_t whole_bytes = 240;
  constexpr std::size_t wrapped_bytes = 60;
  std::vector<std::string_view> out;
  std::size_t from = 0;
  std::size_t line = 0;
  for (std::size_t at = sentence.find('\n'); at != std::string_view::npos; at = sentence.find('\n', at + 1)) {
    std::size_t next = at + 1;
    while (next < sentence.size() && ascii::is_blank(sentence[next])) {
      ++next;
    }
    const char first = next < sentence.size() ? sentence[next] : 'a';
    const bool row = first == '|' || first == '-' || first == '*' || first == '$' || first == '#';
    const bool continues = ascii::is_lower(first) || first == '(' || first == '`' || first == '"';
    const bool wrapped = at - line > wrapped_bytes;  // prose goes on in the next line
    line = at + 1;
    if (row || (!continues && !wrapped && sentence.size() > whole_bytes)) {
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
        read_words(wanted, unit);
        unit.asks = !unit.text.empty() && unit.text.back() == '?';
        if (unit.words > 0) {
          out.push_back(std::move(unit));
        }
      }
    }
  }
  return out;
}

// Rare words weigh more: from 100 for one that occurs everywhere to 600. One that occurs nowhere tells no sentence from
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

// Not in the middle, as a passage does that was cut there.
bool begins(std::string_view text) { return !text.empty() && !ascii::is_lower(text.front()); }

// Whether there is the mark of a list between two pieces of a passage: the second has it, or it was cut off it.
bool is_next_item(std::string_view before, std::string_view text) {
  const auto is_mark = [](char c) { return std::string_view("-*+.)").find(c) != std::string_view::npos; };
  const std::string_view between(before.data() + before.size(),
                                 static_cast<std::size_t>(text.data() - before.data()) - before.size());
  const bool number = text.size() > 2 && ascii::is_digit(text[0]) && is_mark(text[1]) && text[2] == ' ';
  return number || (text.size() > 1 && is_mark(text[0]) && text[1] == ' ') ||
         std::any_of(between.begin(), between.end(), is_mark);
}

// A term or heading, which says what comes behind it is about: "0-99:". A question is one too.
bool is_head(const Unit& unit, std::size_t words_most) {
  const char last = unit.text.empty() ? '.' : unit.text.back();
  return unit.asks || (unit.words <= words_most && last != '.' && last != '!' && last != ';');
}

// A sentence as it can be read alone: with the term or heading right before it, which says what it is about ("0-99:"),
// or the sentence that it points back to; and with what it announces.
std::string_view readable(const std::vector<Unit>& units, std::size_t index) {
  constexpr std::size_t head_words_max = 8;
  constexpr std::size_t announced_max = 6;
  constexpr std::size_t told_bytes_max = 420;
  const auto beside = [&](std::size_t other) {
    return other < units.size() && units[other].passage == units[index].passage && !is_table_row(units[other].text);
  };
  std::string_view text = units[index].text;
  const char* end = text.data() + text.size();
  if (index > 0 && beside(index - 1) && !is_table_row(text)) {
    const Unit& before = units[index - 1];
    const auto size = static_cast<std::size_t>(end - before.text.data());
    const bool head = before.words <= head_words_max && is_head(before, head_words_max);
    // The sentences of one term, from the term on: "--timeout SECONDS", what it is, and then its default.
    std::size_t first = index;
    while (points_at_subject(text) && first > 0 && index - first < subject_units && beside(first - 1) &&
           static_cast<std::size_t>(end - units[first - 1].text.data()) <= quote_bytes_max) {
      --first;
      if (is_head(units[first], head_words_max)) {
        break;
      }
    }
    if (first < index) {
      text = {units[first].text.data(), static_cast<std::size_t>(end - units[first].text.data())};
    } else if ((head && size <= quote_bytes_max) ||
               (points_back(text) && begins(before.text) && size <= told_bytes_max)) {
      text = {before.text.data(), size};
    }
  }
  for (std::size_t next = index + 1; points_on(units[index].text) && next <= index + announced_max && beside(next);
       ++next) {
    const std::string_view more = units[next].text;
    const auto size = static_cast<std::size_t>(more.data() + more.size() - text.data());
    if (size > quote_bytes_max || (next > index + 1 && !is_next_item(units[next - 1].text, more))) {
      break;
    }
    text = {text.data(), size};
  }
  return text;
}

// The term or heading that a sentence is under: "-S, --status".
std::string_view head_of(const std::vector<Unit>& units, std::size_t index) {
  constexpr std::size_t head_words_max = 8;
  constexpr std::size_t head_units = 4;
  for (std::size_t back = 1; back <= std::min(head_units, index); ++back) {
    const Unit& unit = units[index - back];
    if (unit.passage != units[index].passage) {
      break;
    }
    if (is_head(unit, head_words_max) && !is_table_row(unit.text)) {
      return unit.text;
    }
    if (unit.text.size() > 1 && unit.text.front() == '-' && unit.text[1] != ' ') {
      return unit.text.substr(0, unit.text.find('\n'));
    }
  }
  return {};
}

struct Scored {
  std::size_t unit = 0;
  std::size_t score = 0;
  std::size_t covered = 0;
};

}  // namespace

std::vector<std::string> key_words(std::string_view question) {
  std::vector<std::string> out;
  const text::Words words(question, 200);
  for (std::size_t i = 0; i < words.size() && out.size() < words_max; ++i) {
    const std::string_view folded = words.folded(i);
    if (text::is_function_word(folded) || text::is_request_word(folded)) {
      continue;
    }
    std::string stem(word_stem(folded));
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
  const std::vector<bool> has = has_key_words(words, text);
  return 100 * static_cast<std::size_t>(std::count(has.begin(), has.end(), true)) / words.size();
}

std::vector<std::string> unnamed_words(std::string_view question, const std::vector<Found>& passages) {
  const std::string entity = subject_of(question).entity;
  const std::vector<std::string> wanted = key_words(entity);
  std::vector<bool> named(wanted.size());
  for (const Found& one : passages) {
    for (const std::string_view text : {one.title, one.heading, one.text}) {
      const std::vector<bool> has = has_key_words(wanted, text);
      std::transform(has.begin(), has.end(), named.begin(), named.begin(), std::logical_or<>());
    }
  }
  std::vector<std::string> out;
  const text::Words words(entity);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = std::find(wanted.begin(), wanted.end(), word_stem(words.folded(i)));
    if (word != wanted.end() && !named[static_cast<std::size_t>(word - wanted.begin())]) {
      out.emplace_back(words.written(i));
    }
  }
  return out;
}

std::vector<Statement> best_statements(std::string_view question, const std::vector<Found>& passages,
                                       std::size_t count_max, std::size_t nearest_percent) {
  const std::vector<std::string> wanted = key_words(question);
  const std::vector<Unit> units = units_of(wanted, passages);
  const std::vector<std::size_t> weights = weights_of(wanted, units);
  const Wanted kind = wanted_by(question);
  const bool meaning = text::find_folded("what is", question, {.lowercase = true}).has_value();
  const auto is_of_kind = [&](std::string_view text) {
    return kind.kind == WantedKind::statement || kind.kind == WantedKind::thing || kind.kind == WantedKind::definition
               ? meaning &&
                     (text.find(" is ") != std::string_view::npos || text.find(" are ") != std::string_view::npos)
               : supports(kind, text);
  };
  std::size_t all = 0;
  for (const std::size_t weight : weights) {
    all += weight;
  }
  std::vector<Scored> scored;
  for (std::size_t u = 0; u < units.size() && all > 0; ++u) {
    const Unit& unit = units[u];
    const Found& passage = passages[unit.passage];
    const std::vector<bool> around =
        has_key_words(wanted, std::string(passage.title) + " " + std::string(passage.heading));
    // "The default is 60 seconds." says it of what the lines before it are about.
    std::vector<bool> subject(wanted.size());
    for (std::size_t back = 1;
         back <= subject_units && back <= u && points_at_subject(unit.text) && units[u - back].passage == unit.passage;
         ++back) {
      std::transform(subject.begin(), subject.end(), units[u - back].has.begin(), subject.begin(), std::logical_or<>());
    }
    const Unit* before = u > 0 && units[u - 1].passage == unit.passage ? &units[u - 1] : nullptr;
    std::size_t own = 0;
    std::size_t near = 0;
    std::size_t paired = 0;
    bool any = false;
    for (std::size_t w = 0; w < weights.size(); ++w) {
      any = any || unit.has[w];
      paired += unit.pairs[w] ? weights[w] + weights[w + 1] : 0;
      if (unit.has[w]) {
        own += weights[w];
      } else if (around[w] || subject[w]) {
        own += weights[w] * heading_percent / 100;  // all of a passage is about what its heading names
      } else if (before != nullptr && before->has[w] && is_head(*before, 10)) {
        own += weights[w] * 8 / 10;  // its heading, or the question that it answers
      } else if (before != nullptr && before->has[w]) {
        near += weights[w];
      }
    }
    // What is under a heading that asks the same says it without a word of the question: "Written by ..."
    any = any || (is_of_kind(unit.text) && std::find(around.begin(), around.end(), true) != around.end());
    if (!any || unit.asks) {
      continue;
    }
    Scored one;
    one.unit = u;
    one.covered = 100 * (own + near) / all;
    one.score = 1000 * own / all + neighbour_share * near / all + pair_share * paired / all +
                (is_of_kind(unit.text) ? 150 : 0) + first_passage / (unit.passage + 1);
    // A heading says nothing, a long list says too much.
    if (unit.words < 5) {
      one.score /= 2;
    } else if (unit.words > 80) {
      one.score = one.score * 8 / 10;
    }
    if (is_notation(unit.text)) {
      one.score /= 2;
    }
    scored.push_back(one);
  }
  std::vector<Statement> out;
  std::size_t best = 0;
  while (out.size() < count_max) {
    const auto next = std::max_element(scored.begin(), scored.end(), [](const Scored& a, const Scored& b) {
      return a.score != b.score ? a.score < b.score : a.unit > b.unit;
    });
    if (next == scored.end() || next->covered < covered_min || next->score * 100 < best * nearest_percent) {
      break;
    }
    best = std::max(best, next->score);
    const Unit& unit = units[next->unit];
    out.push_back({passages[unit.passage].number, readable(units, next->unit), head_of(units, next->unit),
                   std::min<std::size_t>(next->covered, 100)});
    // The second from the same passage counts less than one from another.
    const std::size_t taken = next->unit;
    const std::string_view said = out.back().quote;
    scored.erase(next);
    for (Scored& other : scored) {
      if (units[other.unit].passage == units[taken].passage) {
        other.score = other.score * 9 / 10;
      }
      const std::string_view text = units[other.unit].text;
      const bool inside = text.data() >= said.data() && text.data() < said.data() + said.size();
      if (inside || (other.score * 10 >= best * 7 && says_the_same(readable(units, other.unit), said))) {
        other.score = 0;
      }
    }
  }
  return out;
}

}  // namespace plumb::extract
