#include "native/search/query.hpp"

#include <algorithm>
#include <array>

#include "core/text/fold.hpp"
#include "core/text/phrases.hpp"
#include "core/text/sentences.hpp"
#include "core/text/utf8.hpp"

namespace plumb::search {

namespace {

constexpr std::size_t prefix_letters_min = 4;

// Forms of verbs that no ending tells.
constexpr std::array<std::array<std::string_view, 3>, 25> irregular = {{
    {"write", "wrote", "written"}, {"begin", "began", "begun"},  {"break", "broke", "broken"},
    {"bring", "brought", ""},      {"build", "built", ""},       {"buy", "bought", ""},
    {"choose", "chose", "chosen"}, {"draw", "drew", "drawn"},    {"drive", "drove", "driven"},
    {"fall", "fell", "fallen"},    {"find", "found", ""},        {"give", "gave", "given"},
    {"grow", "grew", "grown"},     {"hold", "held", ""},         {"keep", "kept", ""},
    {"lead", "led", ""},           {"lose", "lost", ""},         {"make", "made", ""},
    {"mean", "meant", ""},         {"sell", "sold", ""},         {"send", "sent", ""},
    {"show", "showed", "shown"},   {"speak", "spoke", "spoken"}, {"take", "took", "taken"},
    {"throw", "threw", "thrown"},
}};

// "wrote" is looked for as "written" too.
void add_forms(Term& term) {
  for (const auto& forms : irregular) {
    if (std::find(forms.begin(), forms.end(), term.folded) == forms.end() || term.folded.empty()) {
      continue;
    }
    std::string match;
    for (const std::string_view form : forms) {
      match += form.empty() ? "" : (match.empty() ? "(\"" : " OR \"") + std::string(form) + "\"";
    }
    term.match = match + ")";
    return;
  }
}

// What FTS5's tokenizer keeps: letters and digits. Marks and the underscore separate there.
bool is_token_character(char32_t c) { return c != U'_' && text::is_word_character(c); }

// The first and the last byte of `word` that a token may hold, as a piece of it; "C++" is "C".
std::string_view core_of(std::string_view word) {
  std::size_t from = word.size();
  std::size_t to = 0;
  for (std::size_t at = 0; at < word.size();) {
    const text::Decoded c = text::decode(word.data() + at, word.data() + word.size());
    if (c.valid && is_token_character(c.code_point)) {
      from = std::min(from, at);
      to = at + c.size;
    }
    at += c.size;
  }
  return from < to ? word.substr(from, to - from) : std::string_view();
}

std::string_view without_possessive(std::string_view word) {
  for (const std::string_view end : {"'s", "\u2019s"}) {
    if (word.size() > end.size() && word.ends_with(end)) {
      return word.substr(0, word.size() - end.size());
    }
  }
  return word;
}

Term term_of(std::string_view word) {
  Term term;
  term.written = std::string(word);
  std::string clean;
  for (std::size_t at = 0; at < word.size();) {
    const text::Decoded c = text::decode(word.data() + at, word.data() + word.size());
    if (c.valid && is_token_character(c.code_point)) {
      clean.append(word.substr(at, c.size));
    } else if (!clean.empty() && clean.back() != ' ') {
      clean += ' ';
    }
    at += c.size;
  }
  term.match = "\"" + clean + "\"";
  term.folded = text::fold(clean.substr(0, clean.find(' ')), {.trim = true, .lowercase = true});
  if (clean.find(' ') == std::string::npos && text::code_points(clean) >= prefix_letters_min) {
    term.prefix = term.match + "*";
  }
  return term;
}

bool is_content(const Term& term) {
  return term.match.find(' ') != std::string::npos ||
         !(text::is_function_word(term.folded) || text::is_request_word(term.folded));
}

}  // namespace

Query read_query(std::string_view text) {
  Query query;
  query.cut = text.size() > query_bytes_max;
  text = text::first_code_points(text.substr(0, std::min(text.size(), query_bytes_max)), query_bytes_max);
  std::vector<Term> all;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find_first_of(" \t\r\n\f\v", from), text.size());
    const std::string_view word = without_possessive(core_of(text.substr(from, to - from)));
    from = to + 1;
    if (word.empty()) {
      continue;
    }
    Term term = term_of(word);
    if (std::none_of(all.begin(), all.end(), [&](const Term& t) { return t.match == term.match; })) {
      all.push_back(std::move(term));
    }
  }
  std::copy_if(all.begin(), all.end(), std::back_inserter(query.terms), is_content);
  if (query.terms.empty()) {
    query.terms = std::move(all);
  }
  if (query.terms.size() > query_terms_max) {
    query.terms.resize(query_terms_max);
    query.cut = true;
  }
  for (Term& term : query.terms) {
    if (term.match == "\"" + term.written + "\"") {
      add_forms(term);
    }
  }
  return query;
}

}  // namespace plumb::search
