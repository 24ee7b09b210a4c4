// Keys: in double quotes, in other quotes, or without quotes.

#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/repair/reader.hpp"
#include "core/repair/suspect_escape.hpp"

namespace plumb::repair {

bool Reader::step_key() {
  if (const Look odd = mend_space(); odd != Look::ended) {
    return odd == Look::found;
  }
  take_space();
  if (r_.pos == end()) {
    return false;
  }
  bool wait = false;
  if (comment_begins(r_.pos, wait)) {
    return begin_comment(r_.at);
  }
  const char c = byte(r_.pos);
  if (wait || (static_cast<unsigned char>(c) == 0xE2 && end() - r_.pos < 3 && !final_)) {
    return false;
  }
  if (c == '}' && r_.at == At::first_key) {
    close();
    return true;
  }
  if (c == '"') {
    bool done = false;
    if (r_.at == At::first_key && null_member(r_.pos, r_.pos, done) == Look::wait) {
      return false;
    }
    return done || quoted_key();
  }
  if (opening_quote(r_.pos) != 0) {
    return other_quotes(true);
  }
  bool done = false;
  if (c == '\\') {
    return escaped_quotes(true);
  }
  if (r_.at == At::first_key && ellipsis(r_.pos, r_.pos, done) == Look::wait) {
    return false;
  }
  return done || (is_name_begin(c) ? bare_key() : fail());
}

bool Reader::quoted_key() {
  const std::uint64_t open = r_.pos;
  std::uint64_t behind = 0;
  const Look look = string_end(open, token_max, behind);
  if (look == Look::wait) {
    return false;
  }
  if (look == Look::ended) {
    return fail();
  }
  r_.levels.back().any_quoted = true;
  r_.pos = behind;
  r_.quote_on_line = true;
  const bool backslash = scan_.backslash;
  key_read(backslash ? mend_key(open + 1, behind - 1) : std::string(slice(open + 1, behind - 1)), backslash);
  return true;
}

// Doubles the backslashes of a key that begin no escape. Returns the key as JSON has it between its quotes.
std::string Reader::mend_key(std::uint64_t from, std::uint64_t to) {
  std::string text;
  for (std::uint64_t p = from; p < to; ++p) {
    text += byte(p);
    if (byte(p) == '\\') {
      if (stands_for_itself(slice(p + 1, to))) {
        edit(Class::bad_escape, true, {{p, p, "\\"}}, pointer(false));
        text += '\\';
      }
      ++p;
      text += byte(p);
    }
  }
  return text;
}

bool Reader::bare_key() {
  const std::uint64_t from = r_.pos;
  std::uint64_t p = from;
  while (p != end() && p - from < look_max && is_key_character(byte(p))) {
    ++p;
  }
  std::uint64_t colon = 0;
  const Look look = visible(p, colon);
  if (look == Look::wait) {
    return false;
  }
  if (look == Look::ended || byte(colon) != ':') {
    return fail();
  }
  edit(Class::unquoted_key, !r_.levels.back().any_quoted, {{from, from, "\""}, {p, p, "\""}}, pointer(false));
  r_.pos = p;
  key_read(slice(from, p), false);
  return true;
}

void Reader::key_read(std::string_view raw, bool backslash) {
  r_.key_end = r_.pos;
  std::string& key = r_.levels.back().key;
  if (backslash) {
    json::Arena arena;
    const auto decoded = json::parse("\"" + std::string(raw) + "\"", arena);
    key = decoded ? std::string(decoded.value().str()) : std::string(raw);
  } else {
    key.assign(raw);
  }
  places_.member(key);
  if (r_.levels.back().keys.size() < keys_max) {
    r_.levels.back().keys.push_back(contract::slot_hash(key));
  }
  if (envelope_.open && r_.levels.size() == 1) {
    auto& missing = envelope_.missing;
    missing.erase(std::remove(missing.begin(), missing.end(), std::string_view(key)), missing.end());
  }
  r_.fresh = false;
  r_.at = At::colon;
}

}  // namespace plumb::repair
