// The grammar inside the value: objects, arrays, numbers, literals and comments.

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/scan_simd.hpp"
#include "core/repair/kind_begun.hpp"
#include "core/repair/reader.hpp"

namespace plumb::repair {

namespace {

bool is_number_char(char c) { return ascii::is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'; }
bool is_name(char c) { return is_name_begin(c) || ascii::is_digit(c); }

}  // namespace

bool Reader::comment_begins(std::uint64_t i, bool& wait) const {
  if (byte(i) == '#') {
    return true;
  }
  if (byte(i) != '/') {
    return false;
  }
  if (i + 1 == end()) {
    wait = wait || !final_;
    return false;
  }
  return byte(i + 1) == '/' || byte(i + 1) == '*';
}

// Begins to read a comment.
bool Reader::begin_comment(At back) {
  r_.line_comment = byte(r_.pos) == '#' || byte(r_.pos + 1) == '/';
  // `#` may be a byte too many. A comment within a line may be inside a string whose quotes were lost.
  r_.comment_certain = byte(r_.pos) != '#' && (r_.line_comment || !r_.quote_on_line);
  flush(r_.pos);
  r_.text_from = r_.origins.place(window(), r_.pos);
  r_.text_kept.assign(slice(r_.pos, r_.pos + 1));
  r_.pos += byte(r_.pos) == '#' ? 1 : 2;
  if (!r_.raw) {
    r_.copied = r_.pos;
  }
  r_.back = back;
  r_.at = At::comment;
  return true;
}

bool Reader::step_comment() {
  bool ended = false;
  while (r_.pos != end() && !ended) {
    const char c = byte(r_.pos);
    if (r_.line_comment ? c == '\n' || c == '\r' : c == '*' && r_.pos + 1 != end() && byte(r_.pos + 1) == '/') {
      ended = true;
      r_.pos += r_.line_comment ? 0 : 2;
      break;
    }
    if (!r_.line_comment && c == '*' && r_.pos + 1 == end() && !final_) {
      break;  // it may end here
    }
    r_.comment_certain = r_.comment_certain && c != '"';
    ++r_.pos;
  }
  if (!r_.raw) {
    r_.copied = r_.pos;  // dropped, unless the edit is refused
  }
  if (!ended && !final_) {
    return false;
  }
  const bool whole = ended || r_.line_comment;
  const bool full = r_.edits.size() >= options_.edits_max;
  const bool made = whole && !full && !r_.raw && allowed(Class::comment, r_.comment_certain);
  if (!made && !r_.raw) {
    r_.raw = true;
    r_.origins.copy_kept(r_.text_kept, r_.text_from);  // the judge stops at it
    give(r_.text_kept);
    r_.mute = true;
  }
  flush(r_.pos);
  if (whole && !full) {
    const json::Place to = r_.origins.place(window(), r_.pos);
    removed(Class::comment, r_.comment_certain, made, r_.text_from, to);
    r_.edits.back().at = pointer(false);
  } else if (full && r_.full_at == 0) {
    r_.full_at = r_.text_from.byte + 1;
  }
  r_.at = r_.back;
  return r_.pos != end();
}

// ---------------------------------------------------------------- values

// Handles a single value where the contract takes only lists, and where it would fit as an item.
bool Reader::list_of_one(char first) {
  const std::uint8_t kind = kind_begun_by(first);
  r_.list_checked = true;
  if (kind == 0 || kind == contract::type_array || places_.types() != contract::type_array ||
      (places_.item_types() & kind) == 0 || r_.levels.size() >= depth_max_) {
    return false;
  }
  const std::size_t index = r_.edits.size();
  const bool made = edit(Class::list_of_one, kind == contract::type_object, {{r_.pos, r_.pos, "["}}, pointer(true));
  if (index == r_.edits.size()) {
    return false;
  }
  if (!made) {
    r_.offers.push_back({index, r_.levels.size()});
    return false;
  }
  places_.open();
  places_.item(0);
  r_.levels.emplace_back();
  r_.levels.back().wrapper = true;
  r_.levels.back().edit = index;
  r_.levels.back().count = 1;
  return true;
}

bool Reader::step_value() {
  if (const Look odd = mend_space(); odd != Look::ended) {
    return odd == Look::found;
  }
  take_space();
  if (r_.pos == end()) {
    return false;
  }
  bool wait = false;
  if (comment_begins(r_.pos, wait)) {
    return begin_comment(At::value);
  }
  if (wait) {
    return false;
  }
  const char c = byte(r_.pos);
  if (!r_.levels.empty() && !r_.list_checked) {
    r_.levels.back().item_fresh = r_.fresh;
  }
  if (!r_.list_checked) {
    if (r_.levels.empty() && c == '{' && !envelope_.tried) {
      std::uint64_t inner = 0;
      const Look look = envelope_begins(r_.pos, inner);
      if (look == Look::wait) {
        return false;
      }
      envelope_.tried = true;
      if (look == Look::found) {
        flush(r_.pos);
        envelope_.saved.marks = r_;
        envelope_.saved.edits = r_.edits.size();
        envelope_.saved.place = r_.origins.place(window(), r_.pos);
        envelope_.saved.origins = r_.origins.mark();
        envelope_.from = r_.pos;
        envelope_.inner = inner;
        envelope_.open = true;
        r_.pos = inner;
        r_.origins.place(window(), inner);
        r_.copied = inner;
        r_.fresh = false;
        return true;
      }
    }
    bool done = false;
    if (c == '"' && encoded_twice(done) == Look::wait) {
      return false;
    }
    if (done) {
      return true;
    }
    list_of_one(c);
  }
  switch (c) {
    case '{':
    case '[':
      open(c == '{');
      return true;
    case '"':
      return begin_string();
    default:
      break;
  }
  if (opening_quote(r_.pos) != 0) {
    return other_quotes(false);
  }
  if (ascii::is_digit(c) || c == '-') {
    r_.at = At::number;
    r_.fresh = false;
    return true;
  }
  if ((static_cast<unsigned char>(c) >= 0x80 && end() - r_.pos < 3 && !final_) ||
      (c == '.' && r_.pos + 1 == end() && !final_)) {
    return false;
  }
  if (c == '.' && r_.pos + 1 < end() && ascii::is_digit(byte(r_.pos + 1))) {
    // A guess, because a digit may have been lost before it.
    edit(Class::missing_zero, false, {{r_.pos, r_.pos, "0"}}, pointer(true));
    r_.at = At::number;
    r_.fresh = false;
    return true;
  }
  if (c == '\\') {
    return escaped_quotes(false);
  }
  return is_name_begin(c) ? word() : fail();
}

bool Reader::step_item() {
  if (const Look odd = mend_space(); odd != Look::ended) {
    return odd == Look::found;
  }
  take_space();
  if (r_.pos == end()) {
    return false;
  }
  bool wait = false;
  if (comment_begins(r_.pos, wait)) {
    return begin_comment(At::item);
  }
  if (wait) {
    return false;
  }
  Level& level = r_.levels.back();
  if (byte(r_.pos) == ']' && level.count == 0) {
    close();
    return true;
  }
  bool done = false;
  if (level.count == 0 && ellipsis(r_.pos, r_.pos, done) == Look::wait) {
    return false;
  }
  if (done) {
    return true;
  }
  places_.item(level.count);
  ++level.count;
  r_.list_checked = false;
  r_.at = At::value;
  return true;
}

bool Reader::step_number() {
  while (r_.pos != end() && is_number_char(byte(r_.pos))) {
    ++r_.pos;
  }
  if (r_.pos == end() && !final_) {
    return false;
  }
  value_ended(json::Kind::number);
  return true;
}

bool Reader::word() {
  std::uint64_t p = r_.pos;
  while (p != end() && p - r_.pos < look_max && is_name(byte(p))) {
    ++p;
  }
  if (p == end() && !final_) {
    return false;
  }
  const std::string_view text = slice(r_.pos, p);
  const bool null = text == "null" || text == "None";
  if (text == "True" || text == "False" || text == "None") {
    edit(Class::python_literal, true, {{r_.pos, p, null ? "null" : text == "True" ? "true" : "false"}}, pointer(true));
  } else if (text != "true" && text != "false" && !null) {
    return fail();
  }
  r_.pos = p;
  r_.fresh = false;
  value_ended(null ? json::Kind::null : json::Kind::boolean);
  return true;
}

void Reader::open(bool object) {
  if (r_.levels.size() > depth_max_) {  // the judge has stopped already
    fail();
    return;
  }
  places_.open();
  r_.levels.emplace_back();
  r_.levels.back().object = object;
  r_.fresh = false;
  ++r_.pos;
  r_.at = object ? At::first_key : At::item;
}

void Reader::close() {
  const bool object = r_.levels.back().object;
  r_.levels.pop_back();
  places_.close();
  r_.fresh = false;
  ++r_.pos;
  value_ended(object ? json::Kind::object : json::Kind::array);
}

void Reader::value_ended(json::Kind kind) {
  r_.list_checked = false;
  for (;;) {
    while (!r_.offers.empty() && r_.offers.back().depth == r_.levels.size()) {
      add_change(r_.offers.back().edit, r_.pos, r_.pos, "]");
      r_.offers.pop_back();
    }
    if (r_.levels.empty() || !r_.levels.back().wrapper) {
      break;
    }
    add_change(r_.levels.back().edit, r_.pos, r_.pos, "]");
    r_.levels.pop_back();
    places_.close();
    kind = json::Kind::array;
  }
  r_.value_end = r_.pos;
  r_.gap_newline = false;
  if (r_.levels.empty()) {
    r_.scalar_root = kind != json::Kind::object && kind != json::Kind::array;
    r_.at = envelope_.open ? At::envelope_end : At::after_root;
    return;
  }
  r_.levels.back().last = kind;
  r_.at = At::after;
}

}  // namespace plumb::repair
