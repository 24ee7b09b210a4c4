// Text around the value: code fences, thinking and prose before it, prose after it.

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/scan_simd.hpp"
#include "core/repair/reader.hpp"

namespace plumb::repair {

namespace {

constexpr std::size_t kept_max = 64;  // bytes of a text: enough for the judge to stop at it

// The languages of fences that hold JSON, or something that is read like JSON.
constexpr std::string_view languages[] = {"",   "json", "json5",  "jsonc", "jsonl", "javascript", "js",
                                          "ts", "py",   "python", "text",  "txt",   "typescript"};

// The tags in which models write their thinking.
constexpr std::string_view thinking_tags[] = {"<think>", "<thinking>", "<thought>", "<reasoning>"};
constexpr std::string_view thinking_ends[] = {"</think>", "</thinking>", "</thought>", "</reasoning>"};

// A text that is only a word which may be a value.
bool is_literal(std::string_view text) {
  text = ascii::trim_back(text);
  constexpr std::string_view words[] = {"true", "false", "null", "True", "False", "None", "NaN", "undefined"};
  return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

}  // namespace

// A line that begins with three or more backticks (or tildes) and at most a word.
Reader::Look Reader::fence_line(std::uint64_t i, std::uint64_t& line_end, unsigned& ticks) const {
  const char mark = byte(i);
  std::uint64_t p = i;
  while (p != end() && byte(p) == mark && p - i < look_max) {
    ++p;
  }
  ticks = static_cast<unsigned>(p - i);
  if (p == end() && !final_) {
    return Look::wait;
  }
  if (ticks < 3) {
    return Look::ended;
  }
  while (p != end() && p - i < look_max && byte(p) != '\n' && byte(p) != '\r') {
    ++p;
  }
  if ((p == end() || (byte(p) == '\r' && p + 1 == end())) && !final_) {
    return Look::wait;
  }
  line_end = p;
  return Look::found;
}

// True if the root is a literal (true, false, null, True, ...) and nothing follows it. Otherwise it is text that
// begins with such a word.
bool Reader::literal_alone(bool& wait) const {
  std::uint64_t p = r_.pos;
  while (p != end() && p - r_.pos < 8 && ascii::is_letter_or_beyond(byte(p))) {
    ++p;
  }
  if (p == end() && !final_) {
    wait = true;
    return false;
  }
  const std::string_view word = slice(r_.pos, p);
  if (word != "true" && word != "false" && word != "null" && word != "True" && word != "False" && word != "None") {
    return false;
  }
  std::uint64_t next = 0;
  const Look look = visible(p, next);
  wait = look == Look::wait;
  return look == Look::ended || (look == Look::found && (ascii::is_space(byte(next)) || byte(next) == '`'));
}

bool Reader::step_before() {
  if (const Look odd = mend_space(); odd != Look::ended) {
    return odd == Look::found;
  }
  take_space();
  if (r_.pos == end()) {
    return false;
  }
  const char c = byte(r_.pos);
  if (c == '{' || c == '[' || c == '"' || c == '-' || ascii::is_digit(c)) {
    if (c == '-' && r_.fence == 0) {  // a list in Markdown, or a number
      if (r_.pos + 1 == end() && !final_) {
        return false;
      }
      if (r_.pos + 1 < end() && byte(r_.pos + 1) == ' ') {
        begin_text(At::prose);
        return true;
      }
    }
    r_.at = At::value;
    return true;
  }
  bool wait = false;
  if (c == '/' && comment_begins(r_.pos, wait)) {
    return begin_comment(At::before);
  }
  if (wait) {
    return false;
  }
  if (c == '<') {
    std::size_t tag = 0;
    const Look look = thinking_begins(tag);
    if (look == Look::wait) {
      return false;
    }
    if (look == Look::found) {
      begin_text(At::thinking);
      r_.think = tag;
      return true;
    }
  }
  if ((c == '`' || c == '~') && r_.fence == 0) {
    std::uint64_t line_end = 0;
    unsigned ticks = 0;
    const Look look = fence_line(r_.pos, line_end, ticks);
    if (look == Look::wait) {
      return false;
    }
    if (look == Look::found && fence_holds_json(line_end, ticks)) {
      open_fence(line_end, ticks);
      return true;
    }
  }
  if (literal_alone(wait)) {
    r_.at = At::value;
    return true;
  }
  if (wait) {
    return false;
  }
  if (r_.fence != 0) {
    const unsigned quote = opening_quote(r_.pos);
    if (static_cast<unsigned char>(c) >= 0x80 && end() - r_.pos < 3 && !final_) {
      return false;
    }
    if (quote != 0) {
      r_.at = At::value;
      return true;
    }
    return fail();
  }
  begin_text(At::prose);
  return true;
}

// ---------------------------------------------------------------- thinking

Reader::Look Reader::thinking_begins(std::size_t& tag) const {
  bool begun = false;
  for (tag = 0; tag < std::size(thinking_tags); ++tag) {
    const std::string_view wanted = thinking_tags[tag];
    const std::string_view there = slice(r_.pos, std::min(end(), r_.pos + wanted.size()));
    if (there == wanted) {
      return Look::found;
    }
    begun = begun || wanted.starts_with(there);
  }
  return begun && !final_ ? Look::wait : Look::ended;
}

// Everything up to the end of the thinking is not part of the answer, whatever it looks like.
bool Reader::step_thinking() {
  const std::string_view wanted = thinking_ends[r_.think];
  while (r_.pos != end()) {
    const std::string_view there = slice(r_.pos, std::min(end(), r_.pos + wanted.size()));
    if (there.size() < wanted.size() && !final_ && wanted.starts_with(there)) {
      return false;
    }
    if (there == wanted) {
      r_.pos += wanted.size();
      const bool made = !r_.raw && r_.edits.size() < options_.edits_max && allowed(Class::thinking, true);
      if (made) {
        r_.copied = r_.pos;
      } else if (!r_.raw) {
        refuse_text();
      }
      flush(r_.pos);
      const json::Place to = r_.origins.place(window(), r_.pos);
      removed(Class::thinking, true, made, r_.text_from, to);
      r_.fresh = true;
      r_.at = At::before;
      return true;
    }
    note_text(byte(r_.pos));
    ++r_.pos;
    if (!r_.raw) {
      r_.copied = r_.pos;
    }
  }
  if (final_) {  // it never ends, so it is judged as it is
    refuse_text();
    r_.at = At::dead;
  }
  return final_;
}

// The text stays. If it is long, the judge gets its first bytes, at which it stops. If it is short, the judge gets all
// of it and what follows, because the text alone may be a value.
void Reader::refuse_text() {
  r_.raw = true;
  r_.origins.copy_kept(r_.text_kept, r_.text_from);
  give(r_.text_kept);
  r_.mute = r_.text_kept.size() >= kept_max;
}

// ---------------------------------------------------------------- fences

// True if a line of ticks, which was looked at, opens a fence that may hold JSON.
bool Reader::fence_holds_json(std::uint64_t line_end, unsigned ticks) const {
  std::string language;
  for (const char c : slice(r_.pos + ticks, line_end)) {
    if (c != ' ' && c != '\t') {
      language += ascii::lower(c);
    }
  }
  return line_end != end() && std::find(std::begin(languages), std::end(languages), language) != std::end(languages);
}

void Reader::open_fence(std::uint64_t line_end, unsigned ticks) {
  r_.fence = ticks;
  r_.fence_mark = byte(r_.pos);
  r_.fence_edit = r_.edits.size();
  const bool pair = byte(line_end) == '\r' && line_end + 1 < end() && byte(line_end + 1) == '\n';
  const std::uint64_t behind = line_end + (pair ? 2 : 1);
  edit(Class::fence, true, {{r_.pos, behind, ""}}, {});
  r_.pos = behind;
  r_.fresh = true;
  r_.at = At::before;
}

// ---------------------------------------------------------------- text

void Reader::begin_text(At at) {
  flush(r_.pos);
  r_.text_from = r_.origins.place(window(), r_.pos);
  r_.text_kept.clear();
  r_.text_bad = r_.text_several = r_.text_word = r_.text_colon = false;
  r_.letters = 0;
  r_.quotes = 0;
  const char c = byte(r_.pos);
  r_.text_bad = ascii::is_digit(c) || c == '"' || c == ',' || c == ':' || c == '\'' || c == '\\';
  r_.at = at;
}

// Notes one more byte of the text.
void Reader::note_text(char c) {
  if (r_.text_kept.size() < kept_max) {
    r_.text_kept += c;
  }
  r_.letters = ascii::is_letter_or_beyond(c) ? r_.letters + 1 : 0;
  r_.text_word = r_.text_word || r_.letters >= 2;
  r_.quotes += c == '"' ? 1 : 0;
  if (c == '{' || c == '[') {
    r_.text_several = true;
  }
  r_.text_bad = r_.text_bad || c == '{' || c == '}' || c == '[' || c == ']' || c == '\\';
  if (!ascii::is_space(c)) {
    r_.text_colon = c == ':';
  }
}

// Decides whether a value begins at the bracket here, inside a text.
Reader::Look Reader::value_begins(std::uint64_t i, bool isolated, bool& yes) const {
  yes = false;
  std::uint64_t next = 0;
  const Look look = visible(i + 1, next);
  if (look != Look::found) {
    return look;
  }
  const char d = byte(next);
  bool wait = false;
  if (d == '"' || comment_begins(next, wait)) {
    yes = d != '#';
    return Look::found;
  }
  if (static_cast<unsigned char>(d) == 0xE2 && end() - next < 3 && !final_) {
    wait = true;
  }
  if (wait) {
    return Look::wait;
  }
  if (opening_quote(next) != 0) {
    yes = byte(i) == '{' || isolated;
    return Look::found;
  }
  if (byte(i) == '[') {
    yes = d == '{' || d == '[' ||
          (isolated && (ascii::is_digit(d) || d == '-' || d == ']' || ascii::is_letter_or_beyond(d)));
    return Look::found;
  }
  if (d == '}') {
    yes = isolated;
    return Look::found;
  }
  std::uint64_t p = next;
  while (p != end() && p - next < look_max &&
         (ascii::is_letter_or_beyond(byte(p)) || ascii::is_digit(byte(p)) || byte(p) == '_')) {
    ++p;
  }
  if (p == next) {
    return Look::found;
  }
  std::uint64_t colon = 0;
  const Look after = visible(p, colon);
  yes = after == Look::found && byte(colon) == ':';
  return after;
}

bool Reader::step_prose() {
  while (r_.pos != end()) {
    const char c = byte(r_.pos);
    if ((c == '`' || c == '~') && r_.fresh) {
      std::uint64_t line_end = 0;
      unsigned ticks = 0;
      const Look look = fence_line(r_.pos, line_end, ticks);
      if (look == Look::wait) {
        break;
      }
      if (look == Look::found) {
        if (fence_holds_json(line_end, ticks)) {
          end_prose();
          open_fence(line_end, ticks);
          return true;
        }
        r_.text_bad = true;  // a fence with something else in it
      }
    }
    if (c == '{' || c == '[') {
      bool yes = false;
      if (value_begins(r_.pos, r_.fresh || r_.text_colon, yes) == Look::wait) {
        break;
      }
      if (yes) {
        end_prose();
        r_.fresh = true;
        r_.at = At::value;
        return true;
      }
    }
    note_text(c);
    if (c == '\n' || c == '\r') {
      r_.fresh = true;
    } else if (!ascii::is_space(c)) {
      r_.fresh = false;
    }
    ++r_.pos;
    if (!r_.raw) {
      r_.copied = r_.pos;
    }
  }
  if (!final_ || r_.pos != end()) {
    return false;
  }
  refuse_text();  // there is no value, so it is judged as it is
  r_.at = At::dead;
  return true;
}

// The value begins here. The text before it is removed, if that is allowed.
void Reader::end_prose() {
  const bool certain = r_.text_word && !r_.text_bad && r_.quotes % 2 == 0 && !is_literal(r_.text_kept);
  const bool made = !r_.raw && r_.edits.size() < options_.edits_max && allowed(Class::prose, certain);
  if (!made && !r_.raw) {
    refuse_text();
  }
  flush(r_.pos);
  const json::Place to = r_.origins.place(window(), r_.pos);
  removed(Class::prose, certain, made, r_.text_from, to);
}

// ---------------------------------------------------------------- after the value

bool Reader::step_after_root() {
  if (const Look odd = mend_space(); odd != Look::ended) {
    return odd == Look::found;
  }
  take_space();
  if (r_.pos == end()) {
    return false;
  }
  const char c = byte(r_.pos);
  bool wait = false;
  if (c == '/' && comment_begins(r_.pos, wait)) {
    return begin_comment(At::after_root);
  }
  if (wait) {
    return false;
  }
  if (c == '`' || c == '~') {
    std::uint64_t line_end = 0;
    unsigned ticks = 0;
    const Look look = fence_line(r_.pos, line_end, ticks);
    if (look == Look::wait) {
      return false;
    }
    const bool closes = r_.fence == 0 ? c == '`' && ticks == 3 : c == r_.fence_mark && ticks >= r_.fence;
    const bool alone = look == Look::found &&
                       slice(r_.pos + ticks, line_end).find_first_not_of(ascii::blanks) == std::string_view::npos;
    if (alone && closes) {
      if (r_.fence != 0 && r_.fence_edit < r_.edits.size()) {
        add_change(r_.fence_edit, r_.pos, r_.pos + ticks, "");
      } else {
        edit(Class::fence, true, {{r_.pos, r_.pos + ticks, ""}}, {});
      }
      r_.pos += ticks;
      r_.fence = 0;
      return true;
    }
  }
  if (r_.scalar_root) {
    return fail();  // this is not an answer with text after it, but something else
  }
  const bool literal = literal_alone(wait);
  if (wait) {
    return false;
  }
  begin_text(At::behind);
  // A word that touches the value may be a remnant of something else.
  const bool touches = r_.pos == r_.value_end && ascii::is_letter_or_beyond(c) && static_cast<signed char>(c) > 0;
  r_.text_bad = r_.text_bad || r_.fence != 0 || touches || literal;
  r_.text_several = r_.text_several || ascii::is_digit(c) || c == '"' || c == '-' || literal;
  return true;
}

bool Reader::step_behind() {
  while (r_.pos != end()) {
    const char c = byte(r_.pos);
    note_text(c);
    ++r_.pos;
    if (!r_.raw) {
      r_.copied = r_.pos;
    }
    if (r_.text_bad && !r_.raw && !allowed(r_.text_several ? Class::several_values : Class::prose, false)) {
      refuse_text();
    }
  }
  if (final_) {
    end_behind();
  }
  return false;
}

// The text has ended.
void Reader::end_behind() {
  const bool certain = r_.text_word && !r_.text_bad && r_.quotes % 2 == 0;
  const Class c = r_.text_several ? Class::several_values : Class::prose;
  const bool made = !r_.raw && r_.edits.size() < options_.edits_max && allowed(c, certain);
  if (!made && !r_.raw) {
    refuse_text();
  }
  flush(r_.pos);
  const json::Place to = r_.origins.place(window(), r_.pos);
  removed(c, certain, made, r_.text_from, to);
  r_.at = At::dead;
}

}  // namespace plumb::repair
