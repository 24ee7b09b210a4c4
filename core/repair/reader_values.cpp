// The grammar inside the value: objects, arrays, numbers, literals, commas and comments.

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/pointer.hpp"
#include "core/json/scan_simd.hpp"
#include "core/json/writer.hpp"
#include "core/repair/reader.hpp"

namespace plumb::repair {

namespace {

bool is_number_char(char c) { return ascii::is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'; }
bool is_name(char c) { return is_name_begin(c) || ascii::is_digit(c); }
bool has_newline(std::string_view text) { return text.find_first_of("\r\n") != std::string_view::npos; }

std::string remove_patch(std::string_view at) {
  std::string out;
  json::Writer json(out);
  json.begin_array().begin_object().member("op", "remove").member("path", at).end_object().end_array();
  return out;
}

// The kind of value that begins with `c`, as a bit of contract::TypeBit; 0 if no value does.
std::uint8_t kind_begun_by(char c) {
  switch (c) {
    case '{':
      return contract::type_object;
    case '[':
      return contract::type_array;
    case '"':
      return contract::type_string;
    case 't':
    case 'f':
    case 'T':
    case 'F':
      return contract::type_boolean;
    case 'n':
    case 'N':
      return contract::type_null;
    default:
      return ascii::is_digit(c) || c == '-' ? contract::type_number : 0;
  }
}

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

// ---------------------------------------------------------------- between values

bool Reader::step_colon() {
  if (const Look odd = mend_space(); odd != Look::ended) {
    return odd == Look::found;
  }
  take_space();
  if (r_.pos == end()) {
    return false;
  }
  bool wait = false;
  if (comment_begins(r_.pos, wait)) {
    return begin_comment(At::colon);
  }
  if (wait) {
    return false;
  }
  if (byte(r_.pos) != ':') {
    return missing_colon();
  }
  ++r_.pos;
  r_.list_checked = false;
  r_.at = At::value;
  return true;
}

// A value follows a key without a colon. If the two touch, the colon may have turned into a byte of one of them, or
// have been swapped with a quote.
bool Reader::missing_colon() {
  const char c = byte(r_.pos);
  if (static_cast<unsigned char>(c) >= 0x80 && end() - r_.pos < 3 && !final_) {
    return false;
  }
  // If the key ends, or the text after it begins, with a colon, the colon is there, but in the wrong place.
  const std::string& key = r_.levels.back().key;
  if ((kind_begun_by(c) == 0 && opening_quote(r_.pos) == 0) || (!key.empty() && key.back() == ':')) {
    return fail();
  }
  bool certain = r_.levels.back().any_quoted && r_.pos > r_.key_end && key.find(':') == std::string::npos;
  if (c == '"') {
    if (r_.pos + 1 == end() && !final_) {
      return false;
    }
    if (r_.pos + 1 != end() && byte(r_.pos + 1) == ':') {
      return fail();
    }
    std::uint64_t behind = 0;
    const Look look = string_end(r_.pos, look_max, behind);
    std::uint64_t next = 0;
    const Look after = look == Look::found ? visible(behind, next) : look;
    if (look == Look::wait || after == Look::wait) {
      return false;
    }
    if (after == Look::found && look == Look::found && byte(next) == ':') {
      return fail();  // a key, so the value is what is missing
    }
    certain = certain && look == Look::found;
  }
  edit(Class::missing_colon, certain, {{r_.pos, r_.pos, ":"}}, pointer(false));
  r_.list_checked = false;
  r_.at = At::value;
  return true;
}

// At a comma before an array's closing bracket: false if an item may have been lost after the comma.
bool Reader::trailing_is_certain(std::uint64_t comma, std::uint64_t bracket) const {
  const Level& level = r_.levels.back();
  if (level.last == json::Kind::number) {
    return false;  // the comma may have been a digit
  }
  if (level.last == json::Kind::string && r_.value_end == comma && !r_.sentence_last) {
    return false;  // or it is the string's last character, swapped with its quote
  }
  if (level.object) {
    return true;
  }
  // Only a number can be one byte long.
  Places items = places_;
  items.item(level.count);
  if ((items.types() & contract::type_number) == 0) {
    return true;
  }
  // Each item is on lines of its own, and the bracket is on the next line.
  const std::string_view gap = slice(comma + 1, bracket);
  const std::size_t feed = gap.find_first_of("\r\n");
  if (!level.item_fresh || feed == std::string_view::npos || gap.substr(0, feed).find_first_not_of(' ') != gap.npos) {
    return false;
  }
  const bool pair = gap.substr(feed, 2) == "\r\n";
  return !has_newline(gap.substr(feed + (pair ? 2 : 1))) && gap.find_first_of("/#") == gap.npos;
}

bool Reader::step_after() {
  if (const Look odd = mend_space(); odd != Look::ended) {
    return odd == Look::found;
  }
  std::uint64_t next = 0;
  const Look look = visible(r_.pos, next);
  if (look == Look::wait) {
    return false;
  }
  if (look == Look::ended || ascii::is_space(byte(next))) {
    take_space();
    return r_.pos != end();
  }
  bool wait = false;
  const bool comment = comment_begins(next, wait);
  if (wait) {
    return false;
  }
  if (comment) {
    take_space();
    return begin_comment(At::after);
  }
  const char c = byte(next);
  Level& level = r_.levels.back();
  if (c == ',') {
    std::uint64_t behind = 0;
    const Look further = beyond_comments(next + 1, behind);
    bool done = false;
    if (further == Look::wait || (further == Look::found && level.object && byte(behind) == '"' &&
                                  null_member(next, behind, done) == Look::wait)) {
      return false;
    }
    if (done) {
      return true;
    }
    take_space();
    r_.fresh = false;
    if (further == Look::found && byte(behind) == (level.object ? '}' : ']')) {
      edit(Class::trailing_comma, trailing_is_certain(next, behind), {{next, next + 1, ""}}, pointer(false));
      r_.pos = next + 1;
      return true;
    }
    r_.pos = next + 1;
    r_.at = level.object ? At::key : At::item;
    return true;
  }
  if (c == (level.object ? '}' : ']')) {
    take_space();
    close();
    return true;
  }
  return missing_comma(next);
}

// The member whose key begins at `key` is null, is optional, and may not be null. It is removed from `from` on: from
// the comma before it, or, for the first member, from its key; then the comma after it goes too.
Reader::Look Reader::null_member(std::uint64_t from, std::uint64_t key, bool& done) {
  std::uint64_t behind = 0;
  Look look = string_end(key, look_max, behind);
  if (look != Look::found || scan_.backslash) {
    return look == Look::wait ? look : Look::found;
  }
  std::uint64_t colon = 0;
  look = visible(behind, colon);
  if (look != Look::found || byte(colon) != ':') {
    return look == Look::wait ? look : Look::found;
  }
  std::uint64_t value = 0;
  look = visible(colon + 1, value);
  if (look != Look::found || (byte(value) != 'n' && byte(value) != 'N')) {
    return look == Look::wait ? look : Look::found;
  }
  constexpr std::uint64_t size = 4;
  if (end() - value < size) {
    return final_ ? Look::found : Look::wait;
  }
  const std::string_view word = slice(value, value + size);
  std::uint64_t next = 0;
  look = word == "null" || word == "None" ? visible(value + size, next) : Look::ended;
  if (look != Look::found || (byte(next) != ',' && byte(next) != '}')) {
    return look == Look::wait ? look : Look::found;
  }
  std::uint64_t to = value + size;
  if (from == key && byte(next) == ',') {
    look = visible(next + 1, to);
    if (look == Look::wait) {
      return look;
    }
    to = look == Look::found ? to : next + 1;
  }
  const std::string_view name = slice(key + 1, behind - 1);
  if (!places_.optional(name)) {
    return Look::found;
  }
  places_.member(name);
  const std::uint8_t kinds = places_.kinds();
  if ((kinds & contract::type_null) != 0) {
    return Look::found;
  }
  Level& level = r_.levels.back();
  const std::uint32_t hash = contract::slot_hash(name);
  const bool again = std::find(level.keys.begin(), level.keys.end(), hash) != level.keys.end();
  const bool as_item = (kinds & contract::type_array) != 0 && (places_.item_types() & contract::type_null) != 0;
  const bool certain = !again && level.keys.size() < keys_max && !as_item;
  std::string at = pointer(false);
  json::append_token(at, name);
  take_space();
  const std::size_t index = r_.edits.size();
  done = edit(Class::null_member, certain, {{from, to, ""}}, std::move(at));
  if (index < r_.edits.size()) {
    r_.edits[index].patch = remove_patch(r_.edits[index].at);
  }
  if (!done) {
    return Look::found;
  }
  if (level.keys.size() < keys_max) {
    level.keys.push_back(hash);
  }
  level.any_quoted = true;
  level.last = json::Kind::null;
  r_.pos = to;
  r_.value_end = to;
  r_.fresh = r_.gap_newline = false;
  r_.quote_on_line = true;
  return Look::found;
}

// The byte at `i` is neither a comma nor a closing bracket.
bool Reader::missing_comma(std::uint64_t i) {
  const char c = byte(i);
  const Level& level = r_.levels.back();
  const bool newline = r_.gap_newline || has_newline(slice(r_.pos, i));
  if ((c == '"' || static_cast<unsigned char>(c) == 0xE2) && end() - i < 3 && !final_) {
    return false;
  }
  const bool quote = c == '"' || opening_quote(i) != 0;
  bool fits = quote;
  if (level.object) {
    fits = fits || is_name_begin(c);
  } else {
    fits = fits || kind_begun_by(c) != 0;
  }
  if (!fits) {
    return fail();
  }
  const bool after_string = level.last == json::Kind::string;
  bool certain =
      level.last != json::Kind::number && !(ascii::is_digit(c) || c == '-') && !(level.object && is_name_begin(c));
  certain = certain && !(after_string && (!newline || r_.comma_last));
  certain = certain && !(c == '"' && i + 1 < end() && byte(i + 1) == ',');
  const std::uint64_t put = r_.pos == r_.value_end ? r_.pos : i;
  edit(Class::missing_comma, certain, {{put, put, ","}}, pointer(false));
  take_space();
  r_.fresh = r_.fresh || newline;
  r_.at = level.object ? At::key : At::item;
  return true;
}

}  // namespace plumb::repair
