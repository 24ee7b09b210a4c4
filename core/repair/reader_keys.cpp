// Keys: in double quotes, in other quotes, or without quotes.

#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/repair/reader.hpp"

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
  return is_name_begin(c) ? bare_key() : fail();
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
  key_read(slice(open + 1, behind - 1), scan_.backslash);
  return true;
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
