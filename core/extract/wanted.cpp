#include "core/extract/wanted.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "core/text/mentions.hpp"
#include "core/text/phrases.hpp"
#include "core/text/sentences.hpp"

namespace plumb::extract {

namespace {

using Strings = std::vector<std::string>;
using List = std::span<const std::string_view>;

constexpr std::size_t words_max = 200;
constexpr std::size_t noun_words_max = 5;
// Nouns whose value is a number.
constexpr std::array<std::string_view, 38> number_nouns = {
    "percentage", "percent", "number",      "size",       "mode",     "priority",  "level",   "exit",
    "status",     "code",    "port",        "limit",      "length",   "width",     "age",     "version",
    "amount",     "ratio",   "rate",        "count",      "range",    "timeout",   "price",   "cost",
    "weight",     "height",  "speed",       "permission", "interval", "duration",  "maximum", "minimum",
    "share",      "value",   "temperature", "distance",   "depth",    "population"};
constexpr std::array<std::string_view, 10> date_nouns = {"year", "date",    "month", "day",  "century",
                                                         "time", "quarter", "week",  "hour", "decade"};
constexpr std::array<std::string_view, 6> path_nouns = {"file", "directory", "folder", "path", "directories", "files"};
constexpr std::array<std::string_view, 5> option_nouns = {"option", "flag", "switch", "options", "flags"};
constexpr std::array<std::string_view, 5> command_nouns = {"command", "tool", "program", "utility", "commands"};
constexpr std::array<std::string_view, 2> variable_nouns = {"variable", "variables"};
constexpr std::array<std::string_view, 10> name_nouns = {"person",    "author",      "authors",      "maintainer",
                                                         "developer", "company",     "organisation", "organization",
                                                         "team",      "manufacturer"};
// What ends the noun that is asked for, or precedes it.
constexpr std::array<std::string_view, 57> breaks = {
    "is",     "are",  "was",     "were",  "does",  "do",    "did",    "can",   "could", "must", "should", "may",
    "might",  "will", "would",   "has",   "have",  "had",   "of",     "in",    "to",    "for",  "that",   "by",
    "on",     "from", "with",    "at",    "when",  "if",    "while",  "which", "who",   "must", "into",   "than",
    "as",     "per",  "between", "under", "there", "it",    "you",    "i",     "we",    "they", "be",     "been",
    "called", "used", "using",   "gets",  "shows", "holds", "stores", "makes", "sets"};
constexpr std::array<std::string_view, 15> time_units = {"second", "minute", "hour",        "day",         "week",
                                                         "month",  "year",   "millisecond", "microsecond", "ms",
                                                         "s",      "min",    "h",           "sec",         "decade"};
constexpr std::array<std::string_view, 14> length_units = {
    "character", "byte", "column", "line", "word", "bit", "code", "m", "km", "cm", "metre", "meter", "mile", "page"};
constexpr std::array<std::string_view, 10> weight_units = {"kg", "g",     "gram",  "kilogram", "ton",
                                                           "lb", "pound", "tonne", "mg",       "ounce"};
constexpr std::array<std::string_view, 8> often_words = {"every",  "once",   "twice",   "daily",
                                                         "weekly", "hourly", "monthly", "each"};
constexpr std::array<std::string_view, 2> percent_words = {"percent", "percentage"};

bool in(List list, std::string_view word) { return std::find(list.begin(), list.end(), word) != list.end(); }

// The stems of words that a noun phrase has behind word `at` until something ends it.
Strings phrase_from(const text::Words& words, std::size_t at) {
  Strings out;
  for (std::size_t i = at; i < words.size() && out.size() < noun_words_max; ++i) {
    const std::string_view folded = words.folded(i);
    if (in(breaks, folded)) {
      break;
    }
    if (!text::is_function_word(folded)) {
      out.emplace_back(word_stem(folded));
    }
    if (i + 1 < words.size() && words.gap(i).find_first_of(",;:?") != std::string_view::npos) {
      break;
    }
  }
  return out;
}

std::string written_phrase(const text::Words& words, std::size_t at) {
  std::size_t end = at;
  while (end < words.size() && end - at < noun_words_max && !in(breaks, words.folded(end))) {
    ++end;
  }
  return end == at
             ? std::string()
             : std::string(words.text().substr(words.span(at).from, words.span(end - 1).to - words.span(at).from));
}

void take(Wanted& out, WantedKind kind, std::string says) {
  out.kind = kind;
  out.says = std::move(says);
}

void units(Wanted& out, List list) {
  for (const std::string_view one : list) {
    out.unit.emplace_back(one);
  }
}

// "which log file", "the default number of rounds": by the nouns of a phrase. False where it has none that is known.
bool by_noun(const text::Words& words, std::size_t at, Wanted& out) {
  for (std::size_t i = at; i < words.size() && i < at + noun_words_max && !in(breaks, words.folded(i)); ++i) {
    const std::string_view folded = words.folded(i);
    const std::string_view singular = text::without_ending(folded);
    const auto is = [&](List list) {
      return std::any_of(list.begin(), list.end(),
                         [&](std::string_view one) { return one == folded || text::without_ending(one) == singular; });
    };
    if (is(variable_nouns)) {
      take(out, WantedKind::variable, "the name of a variable");
    } else if (is(option_nouns)) {
      take(out, WantedKind::option, "an option");
    } else if (is(path_nouns)) {
      take(out, WantedKind::path, "a path");
    } else if (is(command_nouns) && (i + 1 >= words.size() || !in(option_nouns, words.folded(i + 1)))) {
      take(out, WantedKind::command, "a command");
    } else if (is(date_nouns)) {
      take(out, WantedKind::date, "a date");
    } else if (is(name_nouns)) {
      take(out, WantedKind::name, "a name");
    } else if (is(number_nouns)) {
      // "mount option", "exit status file": what comes last says what it is.
      const bool more = i + 1 < words.size() && !in(breaks, words.folded(i + 1)) && i + 1 < at + noun_words_max;
      Wanted later = out;
      if (more && by_noun(words, i + 1, later) && later.kind != WantedKind::thing) {
        out = std::move(later);
        return true;
      }
      const bool of = i + 2 < words.size() && words.folded(i + 1) == "of";
      const bool counts = folded == "number" || folded == "count" || folded == "amount";
      out.focus = of && counts ? phrase_from(words, i + 2) : Strings{std::string(word_stem(folded))};
      take(out, WantedKind::number, "a number: the " + written_phrase(words, at));
      if (in(percent_words, folded)) {
        units(out, percent_words);
        out.focus.clear();
      } else if (singular == "timeout" || singular == "duration" || singular == "interval" || singular == "age") {
        units(out, time_units);
      }
    } else {
      continue;
    }
    return true;
  }
  return false;
}

void by_how(const text::Words& words, std::size_t at, Wanted& out) {
  const std::string_view how = at < words.size() ? words.folded(at) : std::string_view();
  if (how == "many" || how == "much") {
    out.focus = phrase_from(words, at + 1);
    take(out, WantedKind::number, "a number of " + written_phrase(words, at + 1));
    return;
  }
  struct Measure {
    std::string_view word;
    List first;
    List second;
  };
  static const std::array<Measure, 15> measures = {{{"long", time_units, length_units},
                                                    {"old", time_units, {}},
                                                    {"often", time_units, often_words},
                                                    {"frequently", time_units, often_words},
                                                    {"heavy", weight_units, {}},
                                                    {"far", length_units, {}},
                                                    {"high", {}, {}},
                                                    {"large", {}, {}},
                                                    {"big", {}, {}},
                                                    {"small", {}, {}},
                                                    {"deep", {}, {}},
                                                    {"wide", {}, {}},
                                                    {"tall", {}, {}},
                                                    {"fast", {}, {}},
                                                    {"quickly", {}, {}}}};
  // "How is it classified?" asks for a word, not for a way.
  static constexpr std::array<std::string_view, 4> being = {"is", "are", "was", "were"};
  static constexpr std::array<std::string_view, 8> named = {"classified", "called",      "named",    "known",
                                                            "licensed",   "abbreviated", "numbered", "spelled"};
  for (std::size_t i = at + 1; i < words.size() && in(being, how); ++i) {
    if (in(named, words.folded(i))) {
      take(out, WantedKind::thing, "how it is " + std::string(words.folded(i)));
      return;
    }
  }
  for (const Measure& one : measures) {
    if (one.word == how) {
      units(out, one.first);
      units(out, one.second);
      take(out, WantedKind::number, "a number that says how " + std::string(how));
      return;
    }
  }
}

void by_who(const text::Words& words, std::size_t at, Wanted& out) {
  static constexpr std::array<std::string_view, 15> aids = {
      "is", "are", "was", "were", "be", "may", "can", "must", "has", "had", "have", "could", "should", "will", "first"};
  const bool being = at < words.size() && in(std::span(aids).first(4), words.folded(at));
  while (at < words.size() && in(aids, words.folded(at))) {
    ++at;
  }
  if (!being && at < words.size()) {
    out.focus = {std::string(word_stem(words.folded(at)))};
  }
  take(out, WantedKind::name, "a name");
}

void by_when(const text::Words& words, std::size_t at, Wanted& out) {
  static constexpr std::array<std::string_view, 7> once = {"was", "were", "did", "has", "had", "will", "have"};
  const bool event = at < words.size() && in(once, words.folded(at));
  take(out, event ? WantedKind::date : WantedKind::time, event ? "a date" : "a time");
}

void by_which(const text::Words& words, std::size_t at, Wanted& out) {
  static constexpr std::array<std::string_view, 4> being = {"is", "are", "was", "were"};
  const bool asked_of_all = at < words.size() && in(being, words.folded(at));
  std::size_t noun = at;
  if (asked_of_all) {  // "What is the default size of ...?"
    ++noun;
    while (noun < words.size() &&
           (words.folded(noun) == "the" || words.folded(noun) == "a" || words.folded(noun) == "an")) {
      ++noun;
    }
  }
  if (by_noun(words, noun, out)) {
    return;
  }
  if (asked_of_all) {
    // "What is a trigger?", "What was the format designed for?", and nothing else behind it.
    const bool purpose = words.folded(words.size() - 1) == "for";
    const std::size_t end = words.size() - (purpose ? 1 : 0);
    bool plain = end > noun && end - noun <= noun_words_max;
    for (std::size_t i = noun; plain && i < end; ++i) {
      plain = !in(breaks, words.folded(i));
    }
    out.focus = phrase_from(words, noun);
    if (plain && !out.focus.empty()) {
      take(out, purpose ? WantedKind::meaning : WantedKind::definition, purpose ? "what it is for" : "what it is");
    }
    return;
  }
  // "What does the noatime option do?"
  static constexpr std::array<std::string_view, 4> acts = {"do", "mean", "specify", "say"};
  if (at < words.size() && (words.folded(at) == "does" || words.folded(at) == "do")) {
    if (words.size() > at + 2 && in(acts, words.folded(words.size() - 1))) {
      for (std::size_t i = at + 1; i + 1 < words.size(); ++i) {
        if (!text::is_function_word(words.folded(i))) {
          out.focus.emplace_back(word_stem(words.folded(i)));
        }
      }
      take(out, WantedKind::meaning, "what it does");
    }
    return;
  }
  Strings phrase = phrase_from(words, noun);
  if (!phrase.empty() && words.folded(noun) != "happens" && words.folded(noun) != "else") {
    out.focus = {phrase.front()};
    take(out, WantedKind::thing, "which " + written_phrase(words, noun).substr(0, 40));
  }
}

}  // namespace

std::string_view word_stem(std::string_view folded) {
  constexpr std::size_t stem_min = 4;
  if (folded == "wrote" || folded == "written") {
    return "writ";  // what most questions for a name ask
  }
  std::string_view word = text::without_ending(folded);
  for (const std::string_view ending : {"ing", "ed", "e"}) {
    const std::size_t size = word.size();
    if (size >= ending.size() + stem_min && word.substr(size - ending.size()) == ending) {
      word.remove_suffix(ending.size());
      if (ending != "e" && word.size() > stem_min && word.back() == word[word.size() - 2] &&
          std::string_view("lsz").find(word.back()) == std::string_view::npos) {
        word.remove_suffix(1);
      }
      break;
    }
  }
  return word;
}

bool names_kind(const Wanted& wanted, std::string_view folded) {
  return (wanted.kind == WantedKind::path && in(path_nouns, folded)) ||
         (wanted.kind == WantedKind::variable && in(variable_nouns, folded)) ||
         (wanted.kind == WantedKind::date && in(date_nouns, folded));
}

Wanted wanted_by(std::string_view question) {
  Wanted out;
  out.says = "a statement";
  const text::Words words(question, words_max);
  for (std::size_t i = 0; i < words.size(); ++i) {
    out.question.emplace_back(words.folded(i));
  }
  static constexpr std::array<std::string_view, 13> decides = {"is", "are", "may",  "must", "can",  "should", "does",
                                                               "do", "was", "were", "did",  "will", "has"};
  if (words.size() > 2 && in(decides, words.folded(0))) {
    take(out, WantedKind::verdict, "whether it is so");
    return out;
  }
  // The question word comes first, or after a preposition: "In which year".
  for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 3); ++i) {
    const std::string_view folded = words.folded(i);
    if (folded == "how") {
      by_how(words, i + 1, out);
    } else if (folded == "when") {
      by_when(words, i + 1, out);
    } else if (folded == "who" || folded == "whom" || folded == "whose") {
      by_who(words, i + 1, out);
    } else if (folded == "where") {
      take(out, WantedKind::path, "a place");
    } else if (folded == "which" || folded == "what") {
      by_which(words, i + 1, out);
    } else {
      continue;
    }
    break;
  }
  return out;
}

Wanted wanted_in(std::string_view sentence) {
  Wanted out;
  out.says = "a statement";
  const text::Words words(sentence, words_max);
  for (std::size_t i = 0; i < words.size(); ++i) {
    Wanted found;
    if (by_noun(words, i, found) && found.kind != WantedKind::thing) {
      found.question = std::move(out.question);
      return found;
    }
  }
  return out;
}

}  // namespace plumb::extract
