// Between values: colons, commas and brackets, and members that are left out.

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/repair/kind_begun.hpp"
#include "core/repair/reader.hpp"

namespace plumb::repair {

namespace {

bool has_newline(std::string_view text) { return text.find_first_of("\r\n") != std::string_view::npos; }

std::string remove_patch(std::string_view at) {
  std::string out;
  json::Writer json(out);
  json.begin_array().begin_object().member("op", "remove").member("path", at).end_object().end_array();
  return out;
}

}  // namespace

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
    if (!done && further == Look::found && extra_comma(next, behind, done) == Look::wait) {
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
  bool done = false;
  if ((c == '}' || c == ']' ? wrong_bracket(next, done) : ellipsis(next, next, done)) == Look::wait) {
    return false;
  }
  return done || missing_comma(next);
}

// The length of an ellipsis at `i`: three dots, or the one character. 0 if there is no ellipsis.
unsigned Reader::ellipsis_size(std::uint64_t i, bool& wait) const {
  if (byte(i) != '.' && byte(i) != '\xE2') {
    return 0;
  }
  if (end() - i < 3) {
    wait = wait || !final_;
    return 0;
  }
  const std::string_view three = slice(i, i + 3);
  return three == "..." || three == "\xE2\x80\xA6" ? 3 : 0;
}

// Dots at `i` where a comma, or an item or member may be. They are removed from `from` on, which is the comma before
// them, or the dots themselves; then the comma after them goes too, unless a value is before them. A guess, because
// what they stand for is not there.
Reader::Look Reader::ellipsis(std::uint64_t from, std::uint64_t i, bool& done) {
  bool wait = false;
  const unsigned size = ellipsis_size(i, wait);
  if (size == 0) {
    return wait ? Look::wait : Look::ended;
  }
  std::uint64_t to = i + size;
  if (r_.at != At::after) {
    std::uint64_t next = 0;
    const Look look = visible(to, next);
    if (look == Look::wait) {
      return look;
    }
    to = look == Look::found && byte(next) == ',' ? next + 1 : to;
  }
  take_space();
  edit(Class::ellipsis, false, {{from, to, ""}}, pointer(false));
  r_.pos = to;
  done = true;
  return Look::found;
}

// A comma, and another one or dots at `next`. A guess, because an item may be missing between two commas.
Reader::Look Reader::extra_comma(std::uint64_t comma, std::uint64_t next, bool& done) {
  if (byte(next) != ',') {
    return ellipsis(comma, next, done);
  }
  take_space();
  edit(Class::extra_comma, false, {{comma, comma + 1, ""}}, pointer(false));
  r_.pos = comma + 1;
  done = true;
  return Look::found;
}

// Decides whether what follows the bracket at `i`, which is of the wrong kind, fits the container around the open one:
// its end, or a further item or member. Otherwise a bracket may be missing instead.
Reader::Look Reader::fits_around(std::uint64_t i, bool& fits) const {
  fits = false;
  const std::size_t depth = r_.levels.size();
  if (r_.levels.back().wrapper || (depth > 1 && r_.levels[depth - 2].wrapper)) {
    return Look::ended;
  }
  std::uint64_t next = 0;
  Look look = visible(i + 1, next);
  if (look == Look::wait || depth == 1) {
    fits = look == Look::ended || (look == Look::found && byte(next) == '`');
    return look;
  }
  const bool object = r_.levels[depth - 2].object;
  if (look != Look::found || byte(next) != ',') {
    fits = look == Look::found && byte(next) == (object ? '}' : ']');
    return look;
  }
  std::uint64_t behind = 0;
  look = visible(next + 1, behind);
  fits = look == Look::found && (byte(behind) == '"') == object;
  return look;
}

// A bracket at `i` that closes the other kind of container. It is replaced if what follows fits.
Reader::Look Reader::wrong_bracket(std::uint64_t i, bool& done) {
  if (const Look look = fits_around(i, done); !done) {
    return look;
  }
  take_space();
  edit(Class::wrong_bracket, false, {{i, i + 1, r_.levels.back().object ? "}" : "]"}}, pointer(false));
  close();
  return Look::found;
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
