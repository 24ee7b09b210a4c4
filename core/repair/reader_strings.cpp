// Strings: in double quotes and in other quotes.

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/scan_simd.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/repair/reader.hpp"
#include "core/repair/suspect_escape.hpp"
#include "core/text/fold.hpp"

namespace plumb::repair {

namespace {

constexpr std::uint64_t small_text_max = 512;  // a text that may be a number or an enum's member

// True if the text after \' makes an escape with the backslash, so that the apostrophe may be one byte too many.
// Common words do not: n't, 're and l'un. `after_n`: the byte before the backslash is an n.
bool is_split_escape(std::string_view text, bool after_n) {
  const auto behind = [&](std::size_t i) { return i < text.size() ? text[i] : '"'; };
  switch (behind(0)) {
    case 'b':
    case 'f':
    case 'n':
      return true;
    case 'r':
      return behind(1) != 'e';
    case 't':
      return !after_n || ascii::is_letter_or_beyond(behind(1)) || ascii::is_digit(behind(1)) || behind(1) == '\\';
    case 'u':
      return ascii::is_hex(behind(1)) && ascii::is_hex(behind(2)) && ascii::is_hex(behind(3)) &&
             ascii::is_hex(behind(4));
    default:
      return false;
  }
}

// True if the whole text is a JSON number (RFC 8259).
bool is_number(std::string_view t) {
  std::size_t i = !t.empty() && t[0] == '-' ? 1 : 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < t.size() && ascii::is_digit(t[i])) {
      ++i;
    }
    return i > from;
  };
  const std::size_t first = i;
  if (!digits() || (t[first] == '0' && i - first > 1)) {
    return false;
  }
  if (i < t.size() && t[i] == '.') {
    ++i;
    if (!digits()) {
      return false;
    }
  }
  if (i < t.size() && (t[i] == 'e' || t[i] == 'E')) {
    ++i;
    i += i < t.size() && (t[i] == '+' || t[i] == '-') ? 1 : 0;
    if (!digits()) {
      return false;
    }
  }
  return i == t.size();
}

// The JSON text of a string that reads as a boolean of JSON or Python; empty if it does not.
std::string_view truth_of(std::string_view t) {
  if (t == "true" || t == "True") {
    return "true";
  }
  return t == "false" || t == "False" ? "false" : "";
}

// The text inside a code fence; any other text as it is.
std::string_view without_fence(std::string_view text) {
  constexpr std::string_view mark = "```";
  const std::string_view t = ascii::trim(text);
  const std::size_t line = t.find('\n');
  if (!t.starts_with(mark) || line == std::string_view::npos || !t.substr(line + 1).ends_with(mark)) {
    return text;
  }
  return t.substr(line + 1, t.size() - line - 1 - mark.size());
}

// The text in lower case and without white space.
std::string bare(std::string_view text) {
  std::string lower = text::fold(text, {.trim = true, .lowercase = true});
  lower.erase(std::remove_if(lower.begin(), lower.end(), [](char c) { return ascii::is_space(c); }), lower.end());
  return lower;
}

std::string replace_patch(std::string_view at, std::string_view value) {
  std::string out;
  json::Writer json(out);
  json.begin_array().begin_object();
  json.member("op", "replace").member("path", at).key("value").raw(value);
  json.end_object().end_array();
  return out;
}

}  // namespace

// The length of another kind of quote at `i`; 0 if there is none.
unsigned Reader::opening_quote(std::uint64_t i) const {
  if (byte(i) == '\'') {
    return 1;
  }
  if (static_cast<unsigned char>(byte(i)) != 0xE2 || end() - i < 3) {
    return 0;
  }
  const std::string_view three = slice(i, i + 3);
  return three == "\xE2\x80\x9C" || three == "\xE2\x80\x98" ? 3 : 0;
}

// Finds the byte after the string in double quotes at `open`, if it ends within `most` bytes.
Reader::Look Reader::string_end(std::uint64_t open, std::uint64_t most, std::uint64_t& behind) {
  if (scan_.token != open) {
    scan_ = Scan();
    scan_.token = open;
    scan_.at = open + 1;
  }
  while (scan_.at < end() && scan_.at - open < most) {
    const char c = byte(scan_.at);
    if (c == '"') {
      behind = scan_.at + 1;
      return Look::found;
    }
    if (c == '\\') {
      scan_.backslash = true;
      if (scan_.at + 1 == end()) {
        break;
      }
      ++scan_.at;
    }
    ++scan_.at;
  }
  return final_ || scan_.at - open >= most ? Look::ended : Look::wait;
}

// Edits the text of the string that begins here, if the contract requires another form at this place.
Reader::Look Reader::by_contract(bool& done) {
  done = false;
  if (r_.pos + 1 == end() && !final_) {
    return Look::wait;
  }
  // Alternatives are looked at only if the text may be such a value.
  const char first = r_.pos + 1 == end() ? '"' : byte(r_.pos + 1);
  const bool maybe_truth = first == 't' || first == 'T' || first == 'f' || first == 'F';
  const std::uint8_t kinds = maybe_truth || ascii::is_digit(first) || first == '-' ? places_.kinds() : places_.types();
  const bool strings = (kinds & contract::type_string) != 0;
  const bool number = !strings && (kinds & contract::type_number) != 0;
  const bool truth = !strings && maybe_truth && (kinds & contract::type_boolean) != 0;
  const contract::ScalarPart* texts = number || truth ? nullptr : places_.texts();
  if (!number && !truth && texts == nullptr) {
    return Look::found;
  }
  std::uint64_t behind = 0;
  const Look look = string_end(r_.pos, small_text_max, behind);
  if (look != Look::found) {
    return look == Look::wait ? look : Look::found;
  }
  std::uint64_t next = 0;
  const Look after = visible(behind, next);
  if (after == Look::wait) {
    return after;
  }
  const std::string_view text = slice(r_.pos + 1, behind - 1);
  const bool ends = after == Look::ended || byte(next) == ',' || byte(next) == '}' || byte(next) == ']';
  if (!ends || scan_.backslash) {
    return Look::found;
  }
  std::string instead;
  Class c = Class::enum_spelling;
  bool certain = true;
  if (texts == nullptr) {
    const std::string_view said = truth ? truth_of(text) : std::string_view();
    if (said.empty() && !(number && is_number(text))) {
      return Look::found;
    }
    c = said.empty() ? Class::number_in_string : Class::boolean_in_string;
    instead = std::string(said.empty() ? text : said);
    // It may have been a part of a list or an object.
    certain = said.empty() || (kinds & (contract::type_array | contract::type_object)) == 0;
  } else {
    const std::string wanted = bare(text);
    for (const contract::Value& member : texts->members) {
      if (member.value.str() == text) {
        return Look::found;
      }
      if (bare(member.value.str()) == wanted) {
        if (!instead.empty()) {
          return Look::found;  // two values would do
        }
        instead = member.text;
      }
    }
    if (instead.empty()) {
      return Look::found;
    }
  }
  const std::size_t index = r_.edits.size();
  const bool made = edit(c, certain, {{r_.pos, behind, instead}}, pointer(true));
  if (index < r_.edits.size()) {
    r_.edits[index].patch = replace_patch(r_.edits[index].at, instead);
  }
  if (made) {
    done = true;
    r_.pos = behind;
    r_.comma_last = false;
    r_.sentence_last = true;  // the contract shows that it ends here
    r_.fresh = false;
    r_.quote_on_line = true;
    value_ended(json::Kind::string);  // its neighbours are beside a quote
  }
  return Look::found;
}

// A string with the text of a list or object, where the contract takes one of these and no string.
Reader::Look Reader::encoded_twice(bool& done) {
  constexpr std::uint8_t containers = contract::type_array | contract::type_object;
  const std::uint8_t types = places_.types();
  if ((types & contract::type_string) != 0 || (types & containers) == 0) {
    return Look::found;
  }
  std::uint64_t first = 0;
  if (r_.pos + 1 == end() || visible(r_.pos + 1, first) == Look::wait) {
    return final_ ? Look::found : Look::wait;
  }
  if (first == end() || std::string_view("{[\\`").find(byte(first)) == std::string_view::npos) {
    return Look::found;
  }
  std::uint64_t behind = 0;
  const Look look = string_end(r_.pos, token_max, behind);
  if (look != Look::found) {
    return look == Look::wait ? look : Look::found;
  }
  json::Arena arena;
  const auto text = json::parse(slice(r_.pos, behind), arena);
  const std::string_view inside = text ? without_fence(text.value().str()) : std::string_view();
  const auto inner = text ? json::parse(inside, arena) : text;
  if (!inner || (types & contract::bit_of(inner.value().kind) & containers) == 0) {
    return Look::found;
  }
  done = edit(Class::double_encoded, true, {{r_.pos, behind, inside}}, pointer(true));
  if (done) {
    r_.pos = behind;
    r_.comma_last = false;
    r_.sentence_last = true;  // the contract shows that it ends here
    r_.fresh = false;
    r_.quote_on_line = true;
    value_ended(r_.levels.empty() ? inner.value().kind : json::Kind::string);
  }
  return Look::found;
}

bool Reader::begin_string() {
  bool done = false;
  if (by_contract(done) == Look::wait) {
    r_.list_checked = true;
    return false;
  }
  if (done) {
    return true;
  }
  scan_ = Scan();
  ++r_.pos;
  r_.fresh = false;
  r_.comma_last = r_.sentence_last = r_.letter_last = false;
  r_.string_begun = true;
  r_.sign_at = 0;
  r_.at = At::string;
  return true;
}

bool Reader::step_string() {
  for (;;) {
    const char* const from = window_.data() + (r_.pos - base_);
    const char* const to = window_.data() + window_.size();
    const char* const p = json::skip_plain(from, to);
    const std::uint64_t stop = r_.pos + static_cast<std::uint64_t>(p - from);
    if (p != from) {
      r_.comma_last = p[-1] == ',';
      r_.sentence_last = p[-1] == '.' || p[-1] == '?' || p[-1] == '!' || p[-1] == ')';
      r_.letter_last = ascii::is_letter_or_beyond(p[-1]);
      r_.n_last = p[-1] == 'n';
      r_.string_begun = false;
      if (const std::size_t sign = slice(r_.pos, stop).rfind('$'); sign != std::string_view::npos) {
        r_.sign_at = r_.pos + sign + 1;
      }
      if (!r_.plain_double && !scan_.quote_inside) {  // an apostrophe
        scan_.quote_inside = slice(r_.pos, stop).find('\'') != std::string_view::npos;
      }
    }
    r_.pos = stop;
    if (stop == end()) {
      return false;
    }
    if (*p != '"') {
      if (*p == '\\' ? !step_escape(stop) : !step_control(stop)) {
        return false;
      }
      r_.comma_last = r_.sentence_last = r_.letter_last = r_.string_begun = false;
      continue;
    }
    std::uint64_t behind = 0;
    bool plus = false;
    const Look joined = scan_.inner_quote ? Look::ended : joins(stop, behind, plus);
    bool yes = true;
    if (joined == Look::wait || (!plus && closes(stop, yes) == Look::wait)) {
      return false;
    }
    if (joined == Look::found) {
      edit(Class::joined_strings, false, {{stop, behind, ""}}, pointer(true));
      r_.pos = behind;
      r_.comma_last = r_.sentence_last = r_.letter_last = r_.string_begun = false;
      continue;
    }
    if (!yes) {
      if (scan_.control) {
        return fail();  // more likely the quote at the end of that line was lost
      }
      edit(Class::inner_quote, false, {{stop, stop + 1, "\\\""}}, pointer(true));
      scan_.inner_quote = true;
      r_.pos = stop + 1;
      r_.comma_last = r_.sentence_last = r_.letter_last = r_.string_begun = false;
      continue;
    }
    r_.plain_double = r_.plain_double || !scan_.quote_inside;
    r_.quote_on_line = true;
    r_.pos = stop + 1;
    value_ended(json::Kind::string);
    return true;
  }
}

// At a backslash in a string. In \' it is removed, the apostrophe of another language: between letters it can be
// nothing else; elsewhere it may be a quote. A backslash that begins no escape of JSON stands for itself, so it is
// doubled. One that begins an escape by chance is only offered for that: \times has a tab.
bool Reader::step_escape(std::uint64_t at) {
  constexpr std::uint64_t looked_at = 7;  // \' and the bytes that an escape may have after it
  const char c = at + 1 == end() ? '\\' : byte(at + 1);
  const bool looks_on = c == '\'' || c == 'u' || c == '\\';
  if (at + 1 == end() || (looks_on && at + (c == '\\' ? 3 : looked_at) > end() && !final_)) {
    if (final_) {
      r_.pos = end();
    }
    return false;
  }
  std::uint64_t next = at + 2;
  const std::string_view behind = slice(next, std::min(at + looked_at, end()));
  if (c == '\'') {
    const bool certain = r_.letter_last && !behind.empty() && ascii::is_letter_or_beyond(behind.front()) &&
                         !is_split_escape(behind, r_.n_last);
    edit(Class::bad_escape, certain, {{at, at + 1, ""}}, pointer(true));
  } else if (is_control_letter(c)) {
    const bool signed_before = r_.sign_at != 0 && at - r_.sign_at < sign_reach;
    const std::string_view text = slice(at + 1, end());
    const Suspicion suspicion = suspect_escape(r_.string_begun, signed_before, text, final_);
    if (suspicion == Suspicion::wait) {
      return false;
    }
    if (suspicion == Suspicion::yes) {
      const char doubled[] = {'\\', '\\', c};
      edit(Class::suspect_escape, false, {{at, next, {doubled, 3}}}, pointer(true));
    }
  } else if (stands_for_itself(slice(at + 1, std::min(at + looked_at, end())))) {
    edit(Class::bad_escape, true, {{at, at, "\\"}}, pointer(true));
    r_.sign_at = is_tex_bracket(c) ? next : r_.sign_at;
    next = at + 1;
  } else if (c == '\\' && !behind.empty() && is_tex_bracket(behind.front())) {
    r_.sign_at = next;
  }
  r_.pos = next;
  return true;
}

// At a control character in a string. A tab that touches neither quote stands for itself; a tab beside a quote may
// have been swapped with it. A line break may be where a text was wrapped, or another byte that was changed. If a
// quote before it was repaired, one of the two is no mistake.
bool Reader::step_control(std::uint64_t at) {
  const char c = byte(at);
  if (c == '\n' || c == '\r' || c == '\t') {
    if (at + 1 == end() && !final_) {
      return false;
    }
    const bool certain = c == '\t' && !r_.string_begun && at + 1 < end() && byte(at + 1) != '"';
    if (!scan_.inner_quote) {
      edit(Class::control_in_string, certain,
           {{at, at + 1,
             c == '\n'   ? "\\n"
             : c == '\r' ? "\\r"
                         : "\\t"}},
           pointer(true));
      scan_.control = true;
    }
  }
  r_.pos = at + 1;
  return true;
}

// Decides whether a plus and another string follow the quote. `behind` is then the offset after that string's opening
// quote. `plus`: a plus follows, so the quote ends the string in any case: it is no text with quotes in it.
Reader::Look Reader::joins(std::uint64_t quote, std::uint64_t& behind, bool& plus) const {
  std::uint64_t next = 0;
  Look look = visible(quote + 1, next);
  if (look != Look::found || byte(next) != '+' || r_.levels.empty()) {
    return look == Look::wait ? look : Look::ended;
  }
  plus = true;
  look = visible(next + 1, behind);
  if (look != Look::found || byte(behind) != '"') {
    return look == Look::wait ? look : Look::ended;
  }
  ++behind;
  return Look::found;
}

// Decides whether the quote ends the string that is being read, by what follows the quote.
Reader::Look Reader::closes(std::uint64_t quote, bool& yes) const {
  yes = true;
  std::uint64_t next = 0;
  Look look = visible(quote + 1, next);
  if (look != Look::found || r_.levels.empty() || ascii::is_space(byte(next))) {
    return look;
  }
  const bool object = r_.levels.back().object;
  const char c = byte(next);
  if (c == (object ? '}' : ']')) {
    return look;
  }
  if (slice(quote, next).find_first_of("\r\n") != std::string_view::npos) {
    return look;  // a string never crosses a line end
  }
  if (r_.levels.back().wrapper && (c == '}' || c == ']')) {
    return look;
  }
  if (c == '"' && object) {  // a key behind it?
    std::uint64_t p = next + 1;
    while (p != end() && p - next < look_max && byte(p) != '"') {
      ++p;
    }
    if (p == end()) {
      yes = false;
      return final_ ? Look::found : Look::wait;
    }
    std::uint64_t colon = 0;
    look = visible(p + 1, colon);
    yes = look == Look::found && byte(p) == '"' && byte(colon) == ':';
    return look == Look::ended ? Look::found : look;
  }
  bool wait = false;
  if (comment_begins(next, wait) || wait) {
    return wait ? Look::wait : look;
  }
  if (c == '}' || c == ']') {
    return fits_around(next, yes) == Look::wait ? Look::wait : Look::found;
  }
  if (c != ',') {
    yes = false;
    return look;
  }
  std::uint64_t behind = 0;
  look = visible(next + 1, behind);
  if (look != Look::found) {
    return look;
  }
  const char d = byte(behind);
  if (d == '"' || d == '\'' || d == '/' || d == '#' || d == ',' || d == '.' || d == (object ? '}' : ']') ||
      static_cast<unsigned char>(d) == 0xE2 || ascii::is_space(d)) {
    return look;
  }
  if (!object && (ascii::is_digit(d) || d == '-' || d == '{' || d == '[')) {
    return look;
  }
  // A name: a key without quotes if a colon follows, or a literal.
  std::uint64_t p = behind;
  while (p != end() && p - behind < look_max && is_key_character(byte(p))) {
    ++p;
  }
  if (p == end() && !final_) {
    return Look::wait;
  }
  const std::string_view name = slice(behind, p);
  if (object) {
    std::uint64_t colon = 0;
    const Look after = visible(p, colon);
    if (after == Look::wait) {
      return after;
    }
    yes = !name.empty() && after == Look::found && byte(colon) == ':';
  } else {
    yes = name == "true" || name == "false" || name == "null" || name == "True" || name == "False" || name == "None";
  }
  return Look::found;
}

}  // namespace plumb::repair
