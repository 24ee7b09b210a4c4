#include "core/text/phrases.hpp"

#include <algorithm>
#include <iterator>

#include "core/ascii.hpp"
#include "core/require.hpp"
#include "core/stable_sort.hpp"
#include "core/text/completeness.hpp"
#include "core/text/fold.hpp"
#include "core/text/function_words.hpp"
#include "core/text/phrase_patterns.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

// Each of these says by itself that something is left open. What may also name a thing that can be measured ("high
// quality", "more on", "exploration of") is left out: a hit may block.
constexpr std::string_view vague[] = {
    // Something is wanted, not what.
    "more about",
    "more information",
    "more info",
    "more details",
    "more detail",
    "further information",
    "further details",
    "additional information",
    "additional details",
    "general information",
    "general info",
    "basic information",
    "background information",
    "background on",
    "relevant information",
    "useful information",
    "information about",
    "information on",
    "info about",
    "info on",
    "details about",
    "details on",
    "facts about",
    "insights into",
    "insights about",
    "insights on",
    "learn about",
    "learn more",
    "learning about",
    "know more",
    "read up on",
    "tell me about",
    "all about",
    "everything about",
    "everything on",
    "anything about",
    "anything on",
    "something about",
    "things about",
    "stuff about",
    "as much as possible",
    "anything relevant",
    "anything useful",
    "anything interesting",
    "whatever is relevant",
    "better understanding",
    "deeper understanding",
    "good understanding",
    "general understanding",
    "comprehensive understanding",
    "better idea",
    "general idea",
    "rough idea",
    "good overview",
    // Lists that are left open.
    "and so on",
    "and so forth",
    "and others",
    "and stuff",
    "and the like",
    "and such",
    "or something",
    "or so",
    "or whatever",
    "etc",
    "et cetera",
    "among other things",
    // Words that stand for no number and no name.
    "some kind of",
    "some sort of",
    "various aspects",
    "various things",
    "various factors",
    "various ways",
    "various topics",
    "different aspects",
    "different things",
    "many aspects",
    "many things",
    "several aspects",
    "several things",
    "some things",
    "some aspects",
    "a lot of",
    // Criteria that nobody can check.
    "as appropriate",
    "as needed",
    "as necessary",
    "if possible",
    "where possible",
    "where applicable",
    "where relevant",
    "good enough",
    "looks good",
    "feels right",
    "feels good",
    "makes sense",
    "well written",
    "well researched",
    "well done",
    "best possible",
    "reasonable amount",
    "sufficient detail",
    "enough detail",
    "enough information",
};

constexpr std::string_view exploratory[] = {
    "explore",
    "explores",
    "exploring",
    "broad exploration",
    "look into",
    "looks into",
    "looking into",
    "look around",
    "looking around",
    "dig into",
    "digging into",
    "dive into",
    "diving into",
    "deep dive",
    "dive deeper",
    "dig deeper",
    "delve into",
    "delving into",
    "delve deeper",
    "learn about",
    "learn more",
    "learning about",
    "find out about",
    "find out more",
    "discover more",
    "read about",
    "research about",
    "get to know",
    "get familiar",
    "familiarize",
    "familiarise",
    "get a sense of",
    "get an idea of",
    "get a feel for",
    "gain insight",
    "gain insights",
    "gain an understanding",
    "gain a better understanding",
    "understand more",
    "understand better",
    "understand the landscape",
    "survey the landscape",
    "map the landscape",
    "overview of",
    "an overview",
    "general overview",
    "broad overview",
    "high level overview",
    "investigate the topic",
    "investigate the field",
    "examine the topic",
    "study the topic",
    "what is out there",
    "what's out there",
    "brainstorm",
    "brainstorming",
    "everything about",
    "all about",
};

// The rest of these two is in phrase_patterns.cpp.
constexpr std::string_view opinion[] = {"do you think", "should we", "good idea", "worth it"};
constexpr std::string_view vibe[] = {"good", "useful", "comprehensive", "easy to read"};

constexpr std::string_view search_operators[] = {
    "AND",      "OR",      "NOT",         "site:",      "filetype:", "ext:",     "inurl:", "allinurl:",
    "intitle:", "intext:", "allintitle:", "allintext:", "inanchor:", "related:", "cache:", "before:",
    "after:",   "AROUND(", "-word",       "+word",      "*",         "|",        "..",
};

constexpr std::size_t hits_max = 1000;

// Whether two words have only white space and hyphens, or nothing, between them: a phrase may run on.
bool is_joint(std::string_view gap) {
  for (std::size_t at = 0; at < gap.size();) {
    const Decoded c = decode(gap.data() + at, gap.data() + gap.size());
    if (!is_white_space(c.code_point) && c.code_point != '-' && !(c.code_point >= 0x2010 && c.code_point <= 0x2012)) {
      return false;
    }
    at += c.size;
  }
  return true;
}

// The number of words that `phrase` takes from word `i` on; 0 when it does not occur there.
std::size_t match_at(const Words& words, std::size_t i, std::string_view phrase) {
  std::size_t count = 0;
  for (;;) {
    const std::size_t space = phrase.find(' ');
    if (i + count >= words.size() || words.folded(i + count) != phrase.substr(0, space) ||
        (count > 0 && !is_joint(words.gap(i + count - 1)))) {
      return 0;
    }
    ++count;
    if (space == std::string_view::npos) {
      return count;
    }
    phrase.remove_prefix(space + 1);
  }
}

std::vector<PhraseHit> find_listed(const Words& words, std::span<const std::string_view> list) {
  // Chains of the phrases that begin with the same byte: the place of the first plus one, and of the next.
  constexpr std::size_t phrases_max = 200;
  std::uint16_t first[256] = {};
  std::uint16_t next[phrases_max] = {};
  PLUMB_REQUIRE(list.size() <= phrases_max, "a list of phrases is short");
  for (std::size_t i = list.size(); i-- > 0;) {
    std::uint16_t& chain = first[static_cast<unsigned char>(list[i][0])];
    next[i] = chain;
    chain = static_cast<std::uint16_t>(i + 1);
  }
  std::vector<PhraseHit> hits;
  for (std::size_t i = 0; i < words.size() && hits.size() < hits_max;) {
    const std::string_view word = words.folded(i);
    std::size_t longest = 0;
    std::string_view phrase;
    if (!word.empty()) {
      for (std::size_t at = first[static_cast<unsigned char>(word[0])]; at != 0; at = next[at - 1]) {
        const std::string_view candidate = list[at - 1];
        const bool may_begin = candidate.size() > word.size() ? candidate[word.size()] == ' ' : candidate == word;
        if (!may_begin || !candidate.starts_with(word)) {
          continue;
        }
        const std::size_t count = match_at(words, i, candidate);
        if (count > longest) {
          longest = count;
          phrase = candidate;
        }
      }
    }
    if (longest > 0) {
      hits.push_back({{words.span(i).from, words.span(i + longest - 1).to}, phrase});
    }
    i += std::max<std::size_t>(longest, 1);
  }
  return hits;
}

// White space, perhaps with brackets: (a OR b) AND c.
bool is_space_gap(std::string_view gap) { return ascii::only(gap, " \t()\""); }

// The operator at byte `at` that is made of punctuation; empty when there is none.
std::string_view punctuation_operator(std::string_view text, std::size_t at) {
  const char c = text[at];
  const char before = at > 0 ? text[at - 1] : '\n';
  const char after = at + 1 < text.size() ? text[at + 1] : '\n';
  const bool in_line = ascii::is_blank(before) &&
                       text.find_last_not_of(ascii::blanks, at - 1) != std::string_view::npos &&
                       text[text.find_last_not_of(ascii::blanks, at - 1)] != '\n';
  // One letter is an option: tar -x.
  const bool option = ascii::is_letter(after) && (at + 2 == text.size() || !ascii::is_letter(text[at + 2]));
  if (c == '-' && in_line && !option && (ascii::is_letter(after) || after == '"')) {
    return "-word";
  }
  if (c == '+' && in_line && (ascii::is_letter(after) || after == '"')) {
    return "+word";
  }
  if (c == '*' && in_line && ascii::is_blank(after)) {
    return "*";
  }
  if (c == '|' && before != '|' && after != '|' && before != '\n' && after != '\n') {
    return "|";
  }
  if (c == '.' && after == '.' && ascii::is_digit(before) && at + 2 < text.size() && ascii::is_digit(text[at + 2])) {
    return "..";
  }
  return {};
}

// The field (site:) or AROUND( whose word is word `i`; empty when there is none.
std::string_view field_operator(const Words& words, std::size_t i) {
  const std::string_view text = words.text();
  const std::size_t to = words.span(i).to;
  if (to + 1 >= text.size()) {
    return {};
  }
  if (text[to] == '(' && words.written(i) == "AROUND") {
    return "AROUND(";
  }
  const std::size_t from = words.span(i).from;
  if (from > 0 && std::string_view(" \t\n(\"-").find(text[from - 1]) == std::string_view::npos) {
    return {};  // part of an address
  }
  const std::string_view rest = text.substr(to + 1);
  const std::string_view folded = words.folded(i);
  const bool plain = folded.starts_with("all") || folded.starts_with("in") || folded == "filetype";
  if (text[to] != ':' || (ascii::is_blank(rest[0]) && !plain) || rest[0] == '\n' || rest[0] == '\r' || rest[0] == '/') {
    return {};
  }
  for (const std::string_view field : search_operators) {
    if (field.back() == ':' && field.substr(0, field.size() - 1) == words.folded(i)) {
      return field;
    }
  }
  return {};
}

std::vector<PhraseHit> find_search_operators(const Words& words) {
  const std::string_view text = words.text();
  bool lower = false;  // not all in capitals
  for (const char c : text) {
    lower = lower || ascii::is_lower(c);
  }
  std::vector<PhraseHit> hits;
  // In a question in words, one AND may be a name: the AND gate. So may what a dash begins behind a function word:
  // between -O2 and -O3.
  std::size_t functions = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool capitals = words.written(i) == "AND" || words.written(i) == "OR" || words.written(i) == "NOT";
    functions += is_function_word(words.folded(i)) && !capitals ? 1 : 0;
  }
  const bool question = functions >= 2 && text.find('?') != std::string_view::npos;
  std::size_t at = 0;  // up to where punctuation has been looked at
  const auto punctuation_up_to = [&](std::size_t to, std::size_t next) {
    const bool named = question && next > 0 && is_function_word(words.folded(next - 1));
    for (; at < to; ++at) {
      const char c = text[at];
      if ((c == '-' && !named) || c == '+' || c == '*' || c == '|' || c == '.') {
        const std::string_view found = punctuation_operator(text, at);
        if (!found.empty() && hits.size() < hits_max) {
          hits.push_back({{at, at + (found == ".." ? 2U : 1U)}, found});
        }
      }
    }
  };
  bool boolean_before = false;
  for (std::size_t i = 0; i < words.size() && hits.size() < hits_max; ++i) {
    punctuation_up_to(words.span(i).from, i);
    const std::string_view written = words.written(i);
    const bool between = i > 0 && i + 1 < words.size() && is_space_gap(words.gap(i - 1)) && is_space_gap(words.gap(i));
    const bool boolean = lower && between && !question && (written == "AND" || written == "OR");
    if (boolean) {
      hits.push_back({words.span(i), written == "AND" ? "AND" : "OR"});
    } else if (boolean_before && written == "NOT") {
      hits.push_back({words.span(i), "NOT"});
    } else if (const std::string_view field = field_operator(words, i); !field.empty()) {
      hits.push_back({{words.span(i).from, words.span(i).to + 1}, field});
    }
    boolean_before = boolean;
  }
  punctuation_up_to(text.size(), words.size());
  return hits;
}

}  // namespace

Judgement judge_keyword_soup(std::string_view text) {
  constexpr std::size_t words_max = 200;  // nobody writes longer soup, and the rest of a longer text says nothing new
  const Words words(text, words_max);
  if (words.size() < 3) {
    return words.size() == 0 ? Judgement::holds : Judgement::undecided;
  }
  std::size_t functions = 0;
  std::size_t latin = 0;
  bool beyond_ascii = false;
  bool has_capital = false;
  std::vector<std::string_view> content;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view folded = words.folded(i);
    const std::string_view written = words.written(i);
    const bool lone_capital = i > 0 && written.size() == 1 && ascii::is_upper(written[0]);    // Series A
    const bool compound = folded.size() == 1 && i + 1 < words.size() && words.gap(i) == "-";  // e-bike
    if (((is_function_word(folded) || is_other_function_word(folded)) && !lone_capital && !compound) ||
        (i == 0 && is_request_word(folded))) {
      ++functions;
      ++latin;
      continue;
    }
    bool ascii = true;
    for (const char c : folded) {
      ascii = ascii && static_cast<unsigned char>(c) < 0x80;
    }
    const Decoded first = decode(folded.data(), folded.data() + folded.size());
    beyond_ascii = beyond_ascii || !ascii;
    const Decoded head = decode(written.data(), written.data() + written.size());
    has_capital = has_capital || is_upper_case(head.code_point);
    latin += ascii || script(first.code_point) == Script::latin ? 1 : 0;
    content.push_back(folded);
  }
  if (latin * 2 < words.size()) {
    return Judgement::undecided;
  }
  stable_sort(content);
  std::size_t repeats = 0;
  std::size_t run = 0;
  for (std::size_t i = 0; i < content.size(); ++i) {
    run = i > 0 && content[i] == content[i - 1] ? run + 1 : 1;
    repeats = std::max(repeats, run);
  }
  if (words.size() >= 8 && functions <= 1 && repeats >= 3 && !beyond_ascii) {
    return Judgement::broken;
  }
  if (functions > 0) {
    // One in twelve is little, but a sentence of names and numbers may have no more.
    return functions * 12 >= words.size() ? Judgement::holds : Judgement::undecided;
  }
  const std::string_view visible = trim(text);
  const bool sentence = visible.find('?') != std::string_view::npos || count_sentences(visible) > 1 ||
                        visible.back() == '.' || visible.back() == '!';
  // A short one with capitals may be a plain name of what is wanted: Tesla Model Y range WLTP 2024.
  const std::size_t words_min = beyond_ascii ? 6 : 5;
  const bool plain = !has_capital || (words.size() >= 7 && !beyond_ascii);
  return words.size() < words_min || sentence || !plain ? Judgement::undecided : Judgement::broken;
}

std::optional<PhraseList> phrase_list_named(std::string_view name) {
  for (unsigned i = 0; i < phrase_lists_count; ++i) {
    const auto list = static_cast<PhraseList>(i);
    if (phrase_list_name(list) == name) {
      return list;
    }
  }
  return std::nullopt;
}

std::string_view phrase_list_name(PhraseList list) {
  switch (list) {
    case PhraseList::vague:
      return "vague";
    case PhraseList::exploratory:
      return "exploratory";
    case PhraseList::search_operators:
      return "search-operators";
    case PhraseList::keyword_soup:
      return "keyword-soup";
    case PhraseList::opinion:
      return "opinion";
    case PhraseList::vibe:
      return "vibe";
    case PhraseList::bare_topic:
      return "bare-topic";
    case PhraseList::unanchored:
      return "unanchored";
  }
  return {};
}

std::span<const std::string_view> phrases_of(PhraseList list) {
  switch (list) {
    case PhraseList::vague:
      return vague;
    case PhraseList::exploratory:
      return exploratory;
    case PhraseList::search_operators:
      return search_operators;
    case PhraseList::opinion:
      return opinion;
    case PhraseList::vibe:
      return vibe;
    default:
      break;
  }
  return {};
}

std::vector<PhraseHit> find_phrases(std::string_view text, PhraseList list) {
  std::vector<PhraseHit> hits;
  judge_phrases(text, list, &hits);
  return hits;
}

namespace {

// Whether a hit is between quotation marks: then it is mentioned, not used.
bool is_quoted(std::string_view text, TextSpan where) {
  constexpr std::size_t bytes_max = 120;
  const std::size_t from = where.from > bytes_max ? where.from - bytes_max : 0;
  const std::string_view before = text.substr(from, where.from - from);
  const std::string_view after = text.substr(where.to, bytes_max);
  for (const auto& [open, close] : {std::pair<std::string_view, std::string_view>{"\"", "\""},
                                    {"\xE2\x80\x9C", "\xE2\x80\x9D"},
                                    {"\xE2\x80\x9E", "\xE2\x80\x9C"},
                                    {"\xC2\xAB", "\xC2\xBB"}}) {
    std::size_t opened = 0;
    for (std::size_t at = before.find(open); at != std::string_view::npos; at = before.find(open, at + open.size())) {
      ++opened;
    }
    const bool inside = open == close ? opened % 2 == 1
                                      : opened > 0 && (before.rfind(close) == std::string_view::npos ||
                                                       before.rfind(close) < before.rfind(open));
    if (inside && after.find(close) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

// Fixed phrases and patterns in order of their places; a pattern that runs into a phrase says nothing new.
void find_worded(const Words& words, PhraseList list, std::vector<PhraseHit>& hits) {
  const std::string_view text = words.text();
  if (list == PhraseList::vague || list == PhraseList::exploratory) {
    hits = find_listed(words, phrases_of(list));
  }
  const std::size_t fixed = hits.size();
  for (const PhraseHit& hit : find_patterns(words, list)) {
    const bool overlaps = std::any_of(
        hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(fixed),
        [&](const PhraseHit& other) { return hit.where.from < other.where.to && other.where.from < hit.where.to; });
    if (!overlaps && hits.size() < hits_max) {
      hits.push_back(hit);
    }
  }
  hits.erase(std::remove_if(hits.begin(), hits.end(), [&](const PhraseHit& hit) { return is_quoted(text, hit.where); }),
             hits.end());
  stable_sort(hits, [](const PhraseHit& a, const PhraseHit& b) { return a.where.from < b.where.from; });
}

}  // namespace

Judgement judge_phrases(std::string_view text, PhraseList list, std::vector<PhraseHit>* hits) {
  return judge_phrases(Words(text), list, hits);
}

Judgement judge_phrases(const Words& words, PhraseList list, std::vector<PhraseHit>* hits) {
  const std::string_view text = words.text();
  std::vector<PhraseHit> own;
  std::vector<PhraseHit>& out = hits != nullptr ? *hits : own;
  out.clear();
  switch (list) {
    case PhraseList::search_operators:
      out = find_search_operators(words);
      break;
    case PhraseList::keyword_soup: {
      const Judgement judgement = judge_keyword_soup(text);
      if (judgement == Judgement::broken) {
        const std::string_view visible = trim(text);
        const auto from = static_cast<std::size_t>(visible.data() - text.data());
        out.push_back({{from, from + visible.size()}, "keyword soup"});
      }
      return judgement;
    }
    case PhraseList::bare_topic:
    case PhraseList::unanchored: {
      const CompletenessResult result =
          list == PhraseList::bare_topic ? judge_bare_topic(text) : judge_unanchored(words);
      for (const TextSpan where : result.where) {
        if (result.outcome == Judgement::broken) {
          out.push_back({where, phrase_list_name(list)});
        }
      }
      return result.outcome;
    }
    default:
      find_worded(words, list, out);
      break;
  }
  return out.empty() ? Judgement::holds : Judgement::broken;
}

std::vector<PhraseHit> find_phrases(std::string_view text, std::string_view list_name) {
  const std::optional<PhraseList> list = phrase_list_named(list_name);
  return list ? find_phrases(text, *list) : std::vector<PhraseHit>();
}

}  // namespace plumb::text
