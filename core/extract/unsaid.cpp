// What a question says that a quote does not: words that carry it, by their stems and by those that stand for them.
#include <algorithm>
#include <array>
#include <span>

#include "core/extract/wanted.hpp"
#include "core/text/facts.hpp"
#include "core/text/mentions.hpp"
#include "core/text/phrases.hpp"
#include "core/text/quotes.hpp"
#include "core/text/sentences.hpp"

namespace plumb::extract {

namespace {

using Strings = std::vector<std::string>;
using List = std::span<const std::string_view>;

constexpr std::size_t words_max = 200;
constexpr std::size_t quote_words_max = 400;
// Words that carry nothing of their own in a question, with those that only say what a name is the name of.
constexpr std::array<std::string_view, 62> light = {
    "script", "editor",  "library", "daemon", "list",   "give",    "get",     "use",   "make",    "take",    "call",
    "count",  "consist", "contain", "hold",   "happen", "mean",    "tell",    "work",  "let",     "put",     "kind",
    "type",   "thing",   "way",     "amount", "number", "exact",   "actual",  "own",   "many",    "much",    "name",
    "say",    "keep",    "set",     "find",   "choose", "print",   "show",    "exist", "stand",   "come",    "known",
    "belong", "concern", "become",  "whose",  "see",    "go",      "command", "tool",  "program", "utility", "version",
    "system", "value",   "option",  "flag",   "most",   "already", "given"};
constexpr std::array<std::string_view, 10> classes = {"command",  "tool",   "program", "utilit", "option",
                                                      "function", "script", "editor",  "librar", "daemon"};
// What a text of a known subject does not say again.
constexpr std::array<std::string_view, 7> soft = {"package",  "file", "machine", "computer",
                                                  "document", "page", "manual"};
constexpr std::size_t said_beside_soft = 3;
// Endings that make one word of another: "configure", "configuration".
constexpr std::array<std::string_view, 15> derived = {"l",   "ation", "ition", "ion", "tion", "ment", "er",  "or",
                                                      "ive", "able",  "al",    "ly",  "ity",  "ance", "ence"};
// Words that stand for one another, by their stems.
constexpr std::array<std::array<std::string_view, 7>, 37> alike = {{
    {"writ", "wrot", "written", "author", "creat", "", ""},
    {"releas", "publish", "issu", "", "", "", ""},
    {"director", "folder", "dir", "", "", "", ""},
    {"maximum", "highest", "most", "larg", "greatest", "max", "between"},
    {"minimum", "lowest", "least", "small", "min", "few", "between"},
    {"stor", "keep", "kept", "sav", "held", "storag", ""},
    {"show", "displa", "print", "list", "output", "report", ""},
    {"delet", "remov", "eras", "", "", "", ""},
    {"configur", "set", "defin", "specif", "chang", "", ""},
    {"begin", "start", "launch", "", "", "", ""},
    {"stop", "end", "terminat", "disabl", "", "", ""},
    {"percent", "percentag", "", "", "", "", ""},
    {"id", "uid", "identifier", "", "", "", ""},
    {"ignor", "skip", "omit", "", "", "", ""},
    {"creat", "mak", "build", "produc", "generat", "add", ""},
    {"modif", "chang", "alter", "edit", "", "", ""},
    {"get", "retriev", "fetch", "download", "", "", ""},
    {"mail", "email", "e-mail", "", "", "", ""},
    {"first", "initial", "initiall", "original", "originall", "begin", ""},
    {"need", "requir", "", "", "", "", ""},
    {"allow", "permit", "may", "must", "", "", ""},
    {"permission", "mode", "permit", "", "", "", ""},
    {"option", "flag", "switch", "", "", "", ""},
    {"command", "tool", "program", "utilit", "", "", ""},
    {"agre", "approv", "accept", "sign", "", "", ""},
    {"cop", "duplicat", "", "", "", "", ""},
    {"cancel", "unset", "revers", "undo", "", "", ""},
    {"wait", "await", "", "", "", "", ""},
    {"find", "found", "look", "search", "", "", ""},
    {"send", "sent", "", "", "", "", ""},
    {"build", "built", "", "", "", "", ""},
    {"giv", "gave", "given", "assign", "", "", ""},
    {"tak", "took", "taken", "", "", "", ""},
    {"chos", "chosen", "select", "pick", "", "", ""},
    {"ordinar", "normal", "regular", "usual", "", "", ""},
    {"maintainer", "maintenanc", "maintain", "", "", "", ""},
    {"permit", "allow", "grant", "", "", "", ""},
}};

bool in(List list, std::string_view word) { return std::find(list.begin(), list.end(), word) != list.end(); }
bool in(const Strings& list, std::string_view word) { return std::find(list.begin(), list.end(), word) != list.end(); }

bool is_joint(std::string_view gap) { return gap == "-" || gap == "_" || gap == "/" || gap == "."; }

}  // namespace

bool means_the_same(std::string_view a, std::string_view b) {
  if (a == b) {
    return true;
  }
  // "log" and "logged": what doubles its last letter before an ending.
  const std::string_view shorter = a.size() < b.size() ? a : b;
  const std::string_view longer = a.size() < b.size() ? b : a;
  if (longer.starts_with(shorter)) {
    const std::string_view ending = longer.substr(shorter.size());
    if ((shorter.size() >= 3 && ending.size() > 2 && ending.front() == shorter.back()) ||
        (shorter.size() >= 5 && in(derived, ending))) {
      return true;
    }
  }
  return std::any_of(alike.begin(), alike.end(), [&](const auto& group) {
    return std::find(group.begin(), group.end(), a) != group.end() &&
           std::find(group.begin(), group.end(), b) != group.end();
  });
}

std::vector<std::string> unsaid_words(std::string_view question, std::string_view quote, std::string_view around) {
  Strings had;
  for (const std::string_view text : {quote, around}) {
    const text::Words words(text, quote_words_max);
    for (std::size_t i = 0; i < words.size(); ++i) {
      had.emplace_back(word_stem(words.folded(i)));
      // The parts of "default_target".
      const std::string_view folded = words.folded(i);
      for (std::size_t from = 0, sign = folded.find('_'); sign != std::string_view::npos;
           sign = folded.find('_', from)) {
        had.emplace_back(word_stem(folded.substr(from, sign - from)));
        from = sign + 1;
      }
    }
  }
  const Wanted wanted = wanted_by(question);
  Strings out;
  // Names that are made of several words are taken as they are written: apt-get is neither apt nor get.
  for (const std::string_view token : typed_words(question)) {
    const bool joined = token.size() > 2 && token.find_first_of("-_/.", 1) < token.size() - 1;
    std::string closed(token);  // "e-mail" is "email"
    std::erase(closed, '-');
    const auto has_token = [&](std::string_view text) {
      return text::find_folded(token, text, {.lowercase = true}) ||
             text::find_folded(closed, text, {.lowercase = true});
    };
    if (joined && token.find('\'') == std::string_view::npos && !has_token(quote) && !has_token(around)) {
      out.emplace_back(token);
    }
  }
  const text::Words words(question, words_max);
  std::size_t count = 0;
  Strings unsaid_soft;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view folded = words.folded(i);
    const std::string_view singular = text::without_ending(folded);
    // "the find command": the word before what it is carries the question, whatever word it is.
    const bool named = i + 1 < words.size() && in(classes, text::without_ending(words.folded(i + 1)));
    const bool is_light = in(light, singular) || in(light, folded) || text::is_request_word(folded);
    if (text::is_function_word(folded) || (is_light && !named) || names_kind(wanted, folded) ||
        (i > 0 && words.folded(i - 1) == "how")) {
      continue;
    }
    const std::string_view stem = word_stem(folded);
    // The parts of a name that is joined are looked for with it.
    const bool part = (i > 0 && is_joint(words.gap(i - 1))) || (i + 1 < words.size() && is_joint(words.gap(i)));
    const bool said = part || std::any_of(had.begin(), had.end(), [&](const std::string& one) {
                        return named ? one == stem : means_the_same(one, stem);
                      });
    count += said ? 1 : 0;
    const bool is_soft = std::any_of(soft.begin(), soft.end(),
                                     [&](std::string_view one) { return text::without_ending(one) == singular; });
    if (Strings& to = is_soft ? unsaid_soft : out; !said && !in(to, words.written(i))) {
      to.emplace_back(words.written(i));
    }
  }
  if (count < said_beside_soft) {
    out.insert(out.end(), unsaid_soft.begin(), unsaid_soft.end());
  }
  return out;
}

// The one who did it, by the words between: "written by NAME", "NAME wrote", "Author: NAME".
bool names_who_did(const Wanted& wanted, std::string_view quote) {
  constexpr std::size_t far = 3;
  constexpr std::size_t verb_far = 6;
  const text::Words words(quote, quote_words_max);
  const auto did = [&](std::size_t i) { return means_the_same(word_stem(words.folded(i)), wanted.focus.front()); };
  std::vector<text::TextSpan> names;
  for (const text::Fact& one : text::facts(quote, text::fact_bit(text::FactKind::name))) {
    names.push_back(one.where);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (supports(wanted, words.written(i))) {
      names.push_back(words.span(i));
    }
  }
  for (const text::TextSpan where : names) {
    std::size_t first = 0;
    while (first < words.size() && words.span(first).from < where.from) {
      ++first;
    }
    std::size_t end = first;
    while (end < words.size() && words.span(end).from < where.to) {
      ++end;
    }
    const std::string_view behind = quote.substr(where.to, 4);
    const bool owns = text::piece(quote, where).find("'s") != std::string_view::npos || behind.starts_with("'s") ||
                      behind.starts_with("\xE2\x80\x99s");
    // A name that begins the sentence is one here too.
    if (owns || !supports(wanted, "by " + std::string(text::piece(quote, where)))) {
      continue;
    }
    for (std::size_t i = end; i < std::min(words.size(), end + far); ++i) {
      if (did(i)) {
        return true;
      }
    }
    for (std::size_t i = first; i > 0 && first - i <= verb_far; --i) {
      const std::size_t by = i - 1;
      const bool label = first - by <= 2 && did(by) && words.gap(by).find(':') != std::string_view::npos;
      bool done = false;
      for (std::size_t k = by > verb_far ? by - verb_far : 0; k < by && words.folded(by) == "by"; ++k) {
        done = done || did(k);
      }
      if (label || done) {
        return true;
      }
    }
  }
  return false;
}

// A quote in which a word of the question has another word before it than in the question speaks of another thing, also
// where it has that word somewhere else: "the code lengths" are not "286 codes for the literal/length tree".
bool speaks_of_another(std::string_view question, std::string_view quote) {
  const text::Words asked(question, words_max);
  const text::Words said(quote, quote_words_max);
  const auto carries = [](const text::Words& words, std::size_t i) {
    const std::string_view folded = words.folded(i);
    return !text::is_function_word(folded) && !in(light, text::without_ending(folded)) &&
           !text::is_request_word(folded) && words.written(i) == folded;  // no name
  };
  for (std::size_t i = 0; i + 1 < asked.size(); ++i) {
    if (!carries(asked, i) || !carries(asked, i + 1) || asked.gap(i) != " ") {
      continue;
    }
    bool first = false;
    bool other = false;
    bool same = false;
    for (std::size_t k = 0; k < said.size(); ++k) {
      const std::string_view stem = word_stem(said.folded(k));
      first = first || stem == word_stem(asked.folded(i));
      if (stem == word_stem(asked.folded(i + 1))) {
        const bool joined = k > 0 && carries(said, k - 1) && (said.gap(k - 1) == " " || is_joint(said.gap(k - 1)));
        const bool another = joined && word_stem(said.folded(k - 1)) != word_stem(asked.folded(i));
        (another ? other : same) = true;
      }
    }
    if (first && other && !same) {
      return true;
    }
  }
  return false;
}

// "A trigger is a facility that ...": the sentence begins with what is asked for.
bool defines(const Wanted& wanted, std::string_view quote) {
  const text::Words words(quote, quote_words_max);
  std::size_t i = 0;
  for (; i < words.size() && text::is_function_word(words.folded(i)); ++i) {
  }
  for (const std::string& one : wanted.focus) {
    if (i >= words.size() || word_stem(words.folded(i)) != one) {
      return false;
    }
    ++i;
  }
  static constexpr std::array<std::string_view, 4> says = {"is", "are", "means", "stands"};
  static constexpr std::array<std::string_view, 4> behind = {"a", "an", "the", "for"};
  return i + 2 < words.size() && in(says, words.folded(i)) && in(behind, words.folded(i + 1));
}

bool says_all(std::string_view question, const Wanted& wanted, std::string_view quote, std::string_view around) {
  constexpr std::size_t clause_words = 9;
  if ((wanted.kind == WantedKind::definition && !defines(wanted, quote)) ||
      (wanted.kind == WantedKind::name && !wanted.focus.empty() && !names_who_did(wanted, quote)) ||
      speaks_of_another(question, quote)) {
    return false;
  }
  Strings content;
  const text::Words words(quote, quote_words_max);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!text::is_function_word(words.folded(i))) {
      content.emplace_back(word_stem(words.folded(i)));
    }
  }
  if (wanted.kind == WantedKind::meaning) {
    // What begins with it tells its meaning, what has it in the middle mentions it; and all of a page is about its
    // title.
    const text::Words title(around.substr(0, around.find('\n')), 12);
    Strings named;
    for (std::size_t i = 0; i < title.size(); ++i) {
      named.emplace_back(word_stem(title.folded(i)));
    }
    const bool own = std::any_of(wanted.focus.begin(), wanted.focus.end(),
                                 [&](const std::string& one) { return !in(named, one) && !in(light, one); });
    if (content.empty() || !in(wanted.focus, content.front()) || (own && in(named, content.front()))) {
      return false;
    }
  }
  if (wanted.kind == WantedKind::verdict) {
    static constexpr std::array<std::string_view, 9> modal = {"must",    "may",       "should",   "can",      "cannot",
                                                              "allowed", "permitted", "required", "forbidden"};
    static constexpr std::array<std::string_view, 8> asks = {"must",    "may",       "should",   "can",
                                                             "allowed", "permitted", "required", "forbidden"};
    const bool wants = std::any_of(wanted.question.begin(), wanted.question.end(),
                                   [&](const std::string& one) { return in(asks, one); });
    bool has = !wants;
    for (std::size_t i = 0; i < words.size() && !has; ++i) {
      has = in(modal, words.folded(i));
    }
    if (!has) {
      return false;
    }
  }
  // An option is said what it does right behind its name.
  std::string_view clause = quote;
  if (wanted.kind == WantedKind::option) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      count += text::is_function_word(words.folded(i)) ? 0 : 1;
      if (count == clause_words) {
        clause = quote.substr(0, words.span(i).to);
        break;
      }
    }
  }
  return unsaid_words(question, clause, around).empty();
}

bool proves(std::string_view question, const Wanted& wanted, std::string_view quote, std::string_view around) {
  return wanted.kind != WantedKind::statement && supports(wanted, quote) && says_all(question, wanted, quote, around);
}

}  // namespace plumb::extract
