#include "core/json/pointer.hpp"

#include <algorithm>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"

namespace plumb::json {

namespace {

constexpr std::size_t tokens_max = 256;
constexpr std::uint64_t levels_up_max = 1024;
constexpr std::size_t excerpt_max = 80;
constexpr std::string_view context_prefix = "context:";

// The sentence with the text it is about.
Error bad_pointer(std::string_view text, std::string_view what) {
  std::string message = "The pointer ";
  append_string(message, excerpt(text, excerpt_max));
  message += ' ';
  message += what;
  return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0};
}

// Decodes the token at the front of `rest` (behind its slash) and takes it off, with the slash that ends it left there.
// Escapes are ~0 to ~`escape_max`. False when one is not.
bool take_token(std::string_view& rest, char escape_max, std::string& token) {
  constexpr std::string_view meanings = "~/*";
  token.clear();
  std::size_t at = 0;
  for (; at < rest.size() && rest[at] != '/'; ++at) {
    if (rest[at] != '~') {
      token.push_back(rest[at]);
      continue;
    }
    ++at;
    if (at == rest.size() || rest[at] < '0' || rest[at] > escape_max) {
      return false;
    }
    token.push_back(meanings[static_cast<std::size_t>(rest[at] - '0')]);
  }
  rest.remove_prefix(at);
  return true;
}

void append_escaped(std::string& out, std::string_view name) {
  for (const char c : name) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out.push_back(c);
    }
  }
}

const Value* step(const Value& value, std::string_view token) {
  if (value.is(Kind::object)) {
    return value.find(token);
  }
  std::uint64_t index = 0;
  return read_uint(token, index) && index < value.array().size() ? &value.array()[static_cast<std::size_t>(index)]
                                                                 : nullptr;
}

// One walk over all that a pattern reaches. As deep as the pattern has tokens.
class Walk {
 public:
  Walk(const std::vector<PointerToken>& tokens, const MatchFound& found) : tokens_(tokens), found_(found) {}

  bool go(const Value& value, std::size_t depth) {
    if (depth == tokens_.size()) {
      ++count_;
      return found_(value, pointer_);
    }
    const PointerToken& token = tokens_[depth];
    if (!token.star) {
      const Value* const next = plumb::json::step(value, token);
      return next == nullptr || enter(*next, depth, std::string_view(token.text));
    }
    std::uint64_t index = 0;
    for (const Value& item : value.array()) {
      if (!enter(item, depth, index++)) {
        return false;
      }
    }
    for (const Member& member : value.object()) {
      if (!enter(member.value, depth, member.key)) {
        return false;
      }
    }
    return true;
  }

  std::size_t count() const { return count_; }

 private:
  template <class Step>
  bool enter(const Value& value, std::size_t depth, Step name) {
    const std::size_t size = pointer_.size();
    append_token(pointer_, name);
    const bool more = go(value, depth + 1);
    pointer_.resize(size);
    return more;
  }

  const std::vector<PointerToken>& tokens_;
  const MatchFound& found_;
  std::string pointer_;
  std::size_t count_ = 0;
};

}  // namespace

void append_token(std::string& pointer, std::string_view name) {
  pointer.push_back('/');
  append_escaped(pointer, name);
}

void append_token(std::string& pointer, std::uint64_t index) {
  pointer.push_back('/');
  append_uint(pointer, index);
}

Result<std::vector<std::string>> parse_pointer(std::string_view pointer) {
  std::vector<std::string> tokens;
  std::string_view rest = pointer;
  while (!rest.empty()) {
    if (rest[0] != '/') {
      return bad_pointer(pointer, "must be empty or begin with '/'");
    }
    rest.remove_prefix(1);
    if (!take_token(rest, '1', tokens.emplace_back())) {
      return bad_pointer(pointer, "has a '~' that is not ~0 (for '~') or ~1 (for '/')");
    }
  }
  return tokens;
}

const Value* resolve(const Value& root, std::string_view pointer) {
  const Value* at = &root;
  std::string token;
  while (at != nullptr && !pointer.empty()) {
    if (pointer[0] != '/') {
      return nullptr;
    }
    pointer.remove_prefix(1);
    if (!take_token(pointer, '1', token)) {
      return nullptr;
    }
    at = step(*at, token);
  }
  return at;
}

bool PointerPattern::has_star() const {
  return std::any_of(tokens.begin(), tokens.end(), [](const PointerToken& token) { return token.star; });
}

std::string PointerPattern::text() const {
  std::string out;
  if (base == PointerBase::context) {
    out = context_prefix;
  } else if (base == PointerBase::instance) {
    append_uint(out, levels_up);
  }
  for (const PointerToken& token : tokens) {
    out.push_back('/');
    if (token.star) {
      out.push_back('*');
    } else if (token.text == "*") {
      out += "~2";
    } else {
      append_escaped(out, token.text);
    }
  }
  return out;
}

Result<PointerPattern> parse_pattern(std::string_view text, Slash slash) {
  PointerPattern pattern;
  std::string_view rest = text;
  if (rest.starts_with(context_prefix)) {
    pattern.base = PointerBase::context;
    rest.remove_prefix(context_prefix.size());
  } else if (!rest.empty() && ascii::is_digit(rest[0])) {
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    std::uint64_t levels = 0;
    if (rest[0] == '0' && digits > 1) {
      return bad_pointer(text, "has a number of levels with a leading zero");
    }
    if (!read_uint(rest.substr(0, digits), levels) || levels > levels_up_max) {
      return bad_pointer(text, "goes up more than 1024 levels");
    }
    pattern.levels_up = static_cast<std::uint32_t>(levels);
    rest.remove_prefix(digits);
    if (!rest.empty() && rest[0] != '/') {
      return bad_pointer(text, rest[0] == '#' ? "asks for a name with '#', only values can be reached"
                               : rest[0] == '+' || rest[0] == '-'
                                   ? "moves the index after the number of levels, which is not supported"
                                   : "must go on with '/' after the number of levels");
    }
  } else if (slash == Slash::root) {
    pattern.base = PointerBase::root;
  }
  while (!rest.empty()) {
    if (rest[0] != '/') {
      return bad_pointer(text, pattern.base == PointerBase::context
                                   ? "must go on with '/' after 'context:'"
                                   : "must begin with '/', with a number of levels up ('1/name') or with 'context:/'");
    }
    if (pattern.tokens.size() == tokens_max) {
      return bad_pointer(text, "has more than 256 steps");
    }
    rest.remove_prefix(1);
    PointerToken& token = pattern.tokens.emplace_back();
    if (rest.substr(0, rest.find('/')) == "*") {
      token.star = true;
      rest.remove_prefix(1);
      continue;
    }
    if (!take_token(rest, '2', token.text)) {
      return bad_pointer(text, "has a '~' that is not ~0 (for '~'), ~1 (for '/') or ~2 (for '*')");
    }
    token.is_index = read_uint(token.text, token.index);
  }
  return pattern;
}

const Value* step(const Value& value, const PointerToken& token) {
  if (value.is(Kind::object)) {
    return value.find(token.text);
  }
  return token.is_index && token.index < value.array().size() ? &value.array()[static_cast<std::size_t>(token.index)]
                                                              : nullptr;
}

std::size_t for_each_match(const Value& start, const PointerPattern& pattern, const MatchFound& found) {
  Walk walk(pattern.tokens, found);
  walk.go(start, 0);
  return walk.count();
}

}  // namespace plumb::json
