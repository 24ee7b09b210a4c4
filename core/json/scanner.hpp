// The scanner: strict RFC 8259, incremental. Bytes come in any pieces; the handler gets the same events whatever the
// pieces are, at exact byte offsets of the whole text.
//
// A token that lies wholly in one piece is handed over in place, without copying. A token that is cut by the end
// of a piece is announced (`scalar_begin`, `string_begin`) so that what its first bytes decide can be decided, and goes
// on with the next piece. Handler is a type with these members, all inlined into the loop:
//
//   void begin_object(u64 from); void end_object(u64 to); void begin_array(u64 from); void end_array(u64 to);
//   void key(string_view decoded, u64 from, u64 to);            // quotes included in the range
//   void string(string_view decoded, u64 from, u64 to);         // a whole string without escapes
//   bool string_decoded(string_view decoded, u64 from, u64 to); // a whole string with escapes; false: in pieces
//   StringWant string_begin(u64 from);                          // a string in pieces: which text is wanted
//   void string_piece(string_view decoded, u64 from, u64 to, bool verbatim);   // verbatim: decoded is what is there
//   void string_end(string_view decoded, u64 from, u64 to);     // decoded: the whole text where `whole` was wanted
//   void scalar_begin(Kind kind, u64 from);                     // a number or literal that is cut
//   void number(string_view text, u64 from, u64 to, u64 decided);
//   void literal(Kind kind, bool value, u64 from, u64 to);
//   void lone_surrogate(u64 from, u64 to, u64 decided);         // its three bytes (WTF-8) are in the decoded text
//   void broken(ScanError what, u64 at, u64 decided);           // the text is no JSON; nothing follows
//
// A handler may have one more: const char* accept_fast(const char* p, const char* end, u64 from, u32 depth). It is
// asked at the first byte of a container and answers with the byte after it, when it has taken in the whole of it, or
// null. Or with p itself, when it wants to see more first: then the piece ends before the container, offset() says so,
// and the next piece must begin with it.
//
// Bounds: depth_max; a number longer than number_bytes_max; both are told as `broken` with a limit code.
// UTF-8 is validated. Duplicate keys are the handler's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ascii.hpp"
#include "core/json/scan_simd.hpp"
#include "core/json/string_text.hpp"
#include "core/json/value.hpp"

namespace plumb::json {

enum class ScanError : std::uint8_t {
  none,
  unexpected_character,  // no value can begin here
  expected_key,          // after { or , in an object
  expected_colon,
  expected_comma,  // after a value, where only a comma or the closing bracket may come
  trailing_comma,
  wrong_bracket,  // ] closes an object or } an array
  bad_literal,
  bad_number,
  bad_escape,
  control_character,
  bad_utf8,
  byte_order_mark,
  utf16,  // a mark of UTF-16, or a first character of two bytes
  text_after_value,
  empty_text,
  truncated,         // the text ends before the value does
  truncated_string,  // the text ends inside a string
  depth_limit,
  number_limit,
};

inline bool is_limit(ScanError e) { return e == ScanError::depth_limit || e == ScanError::number_limit; }
// One sentence about the error, without the place.
std::string_view scan_error_message(ScanError error);

enum class StringWant : std::uint8_t { nothing, whole, pieces };

template <class Handler>
class Scanner {
 public:
  static constexpr std::size_t number_bytes_max = 200000;

  explicit Scanner(Handler& handler, std::uint32_t depth_max) : handler_(handler), depth_max_(depth_max) {}

  void reset(std::uint32_t depth_max) {
    depth_max_ = depth_max;
    state_ = State::value;
    base_ = 0;
    depth_ = 0;
    after_comma_ = false;
    if (carry_.capacity() > 65536) {
      std::string().swap(carry_);
    }
    carry_.clear();
  }

  // False when the text has turned out to be no JSON; what follows is then ignored.
  bool push(const char* data, std::size_t size);
  // The text is over. False when it is no JSON text.
  bool end();
  bool stopped() const { return state_ == State::stopped; }
  bool done() const { return state_ == State::done; }
  std::uint64_t offset() const { return base_; }
  // Where the token that is being read began: a string, key, number or literal that the last piece cut.
  std::uint64_t token_from() const { return token_from_; }
  bool in_token() const { return state_ >= State::in_string && state_ <= State::in_literal; }
  std::uint32_t depth() const { return depth_; }

 private:
  enum class State : std::uint8_t {
    value,
    first_item,
    first_key,
    next_key,
    colon,
    after,
    done,
    in_string,
    in_escape,
    in_unicode,
    in_utf8,
    in_number,
    in_literal,
    stopped
  };
  enum class NumberState : std::uint8_t { minus, zero, integer, dot, fraction, e, e_sign, exponent };

  static bool number_may_end(NumberState s) {
    return s == NumberState::zero || s == NumberState::integer || s == NumberState::fraction ||
           s == NumberState::exponent;
  }

  bool fail(ScanError what, std::uint64_t at, std::uint64_t decided) {
    state_ = State::stopped;
    handler_.broken(what, at, decided);
    return false;
  }
  bool fail(ScanError what, std::uint64_t at) { return fail(what, at, at + 1); }
  // For a wrong byte: a text that is UTF-16 is wrong at its first or second one, and is told as what it is.
  bool fail_at(ScanError what, char wrong, std::uint64_t at) {
    const auto byte = static_cast<unsigned char>(wrong);
    const bool wide = at == 0 ? byte == 0 || byte >= 0xFE : at == 1 && byte == 0;
    return wide ? fail(ScanError::utf16, 0, at + 1) : fail(what, at);
  }

  // A number or literal that does not end here, cut or broken: what its first byte decides is decided all the same.
  void announce(Kind kind) {
    if (!announced_) {
      announced_ = true;
      handler_.scalar_begin(kind, token_from_);
    }
  }

  State state_after_value() const { return depth_ == 0 ? State::done : State::after; }
  bool in_object() const { return is_object_[depth_ - 1] != 0; }
  void enter(bool object) {
    if (depth_ == is_object_.size()) {
      is_object_.resize(is_object_.empty() ? 64 : is_object_.size() * 2);
    }
    is_object_[depth_++] = object ? 1 : 0;
  }

  void piece(std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim) {
    if (string_is_key_ || want_ == StringWant::whole) {
      carry_.append(text);
    } else if (want_ == StringWant::pieces) {
      handler_.string_piece(text, from, to, verbatim);
    }
  }
  void code_point_piece(std::uint32_t cp, std::uint64_t from, std::uint64_t to) {
    char b[4];
    const std::size_t n = encode_utf8(cp, b);
    piece({b, n}, from, to, false);
  }
  // A high surrogate that no low one follows: its own three bytes, and the handler is told.
  void flush_high(std::uint64_t decided) {
    if (high_ != 0) {
      handler_.lone_surrogate(high_from_, high_from_ + 6, decided);
      code_point_piece(high_, high_from_, high_from_ + 6);
      high_ = 0;
    }
  }
  void begin_string(std::uint64_t from, bool key) {
    string_is_key_ = key;
    token_from_ = from;
    high_ = 0;
    carry_.clear();
    want_ = key ? StringWant::whole : handler_.string_begin(from);
    state_ = State::in_string;
  }
  void finish_string(std::uint64_t to) {
    flush_high(to);
    if (string_is_key_) {
      handler_.key(carry_, token_from_, to);
      state_ = State::colon;
    } else {
      handler_.string_end(want_ == StringWant::whole ? std::string_view(carry_) : std::string_view(), token_from_, to);
      state_ = state_after_value();
    }
  }

  const char* scan_string(const char* p, const char* end, std::uint64_t offset_of_p);
  const char* scan_number(const char* p, const char* end, std::uint64_t offset_of_p);
  bool step_number(char c, bool& ends);

  Handler& handler_;
  std::uint32_t depth_max_;
  std::uint32_t depth_ = 0;
  State state_ = State::value;
  NumberState number_ = NumberState::minus;
  StringWant want_ = StringWant::nothing;
  bool announced_ = false;
  bool string_is_key_ = false;
  bool after_comma_ = false;  // in next_key or value: a comma came before
  Kind literal_kind_ = Kind::null;
  bool literal_value_ = false;
  const char* literal_text_ = "";
  unsigned literal_at_ = 0;
  unsigned unicode_digits_ = 0;
  std::uint32_t unicode_ = 0;
  std::uint32_t high_ = 0;  // a high surrogate waiting for its low one
  std::uint64_t high_from_ = 0;
  std::uint64_t escape_from_ = 0;
  unsigned utf8_size_ = 0;
  char utf8_[4] = {};
  std::uint64_t utf8_from_ = 0;
  std::uint64_t base_ = 0;  // offset of the current piece
  std::uint64_t token_from_ = 0;
  std::vector<std::uint8_t> is_object_;
  std::string carry_;
};

// One more character of a number. False: the number is broken at this character. `ends`: it does not belong to it.
template <class Handler>
bool Scanner<Handler>::step_number(char c, bool& ends) {
  bool digit = ascii::is_digit(c);
  switch (number_) {
    case NumberState::minus:
      if (!digit) {
        return false;
      }
      number_ = c == '0' ? NumberState::zero : NumberState::integer;
      return true;
    case NumberState::integer:
      if (digit) {
        return true;
      }
      [[fallthrough]];
    case NumberState::zero:
      if (c == '.') {
        number_ = NumberState::dot;
      } else if (c == 'e' || c == 'E') {
        number_ = NumberState::e;
      } else if (digit) {
        return false;  // 01
      } else {
        ends = true;
      }
      return true;
    case NumberState::dot:
      number_ = NumberState::fraction;
      return digit;
    case NumberState::fraction:
      if (c == 'e' || c == 'E') {
        number_ = NumberState::e;
      } else if (!digit) {
        ends = true;
      }
      return true;
    case NumberState::e:
      if (c == '+' || c == '-') {
        number_ = NumberState::e_sign;
        return true;
      }
      [[fallthrough]];
    case NumberState::e_sign:
      number_ = NumberState::exponent;
      return digit;
    case NumberState::exponent:
      ends = !digit;
      return true;
  }
  return false;
}

// Goes on in a number whose first character has been read. Returns where it ended, `end` when it is cut, null on error.
template <class Handler>
const char* Scanner<Handler>::scan_number(const char* p, const char* end, std::uint64_t offset_of_p) {
  const char* start = p;
  std::uint64_t room = token_from_ + number_bytes_max + 1 - offset_of_p;
  const char* cap = static_cast<std::uint64_t>(end - p) > room ? p + room : end;
  for (; p != cap; ++p) {
    bool ends = false;
    if (!step_number(*p, ends)) {
      announce(Kind::number);
      fail(ScanError::bad_number, offset_of_p + static_cast<std::uint64_t>(p - start));
      return nullptr;
    }
    if (ends) {
      return p;
    }
  }
  if (offset_of_p + static_cast<std::uint64_t>(p - start) - token_from_ > number_bytes_max) {
    announce(Kind::number);
    fail(ScanError::number_limit, token_from_, token_from_ + number_bytes_max + 1);
    return nullptr;
  }
  return p;
}

// Goes on in a string (state in_string, in_escape, in_unicode or in_utf8). Returns the byte after the closing quote,
// `end` when the string goes on, null on error.
template <class Handler>
const char* Scanner<Handler>::scan_string(const char* p, const char* end, std::uint64_t offset_of_p) {
  const char* start = p;
  auto at = [&](const char* q) { return offset_of_p + static_cast<std::uint64_t>(q - start); };
  while (p != end) {
    switch (state_) {
      case State::in_string: {
        const char* run = p;
        if (high_ != 0 && *p != '\\' && *p != '"' && static_cast<unsigned char>(*p) >= 0x20) {
          flush_high(at(p) + 1);
        }
        for (;;) {
          p = skip_plain(p, end);
          if (p == end || static_cast<signed char>(*p) >= 0) {
            break;
          }
          int bad_at = 0;
          int length = utf8_sequence(p, end, bad_at);
          if (length < 0) {
            if (p != run) {
              piece({run, static_cast<std::size_t>(p - run)}, at(run), at(p), true);
            }
            fail(ScanError::bad_utf8, at(p + bad_at));
            return nullptr;
          }
          if (length == 0) {
            break;
          }
          p += length;
        }
        if (p != run) {
          piece({run, static_cast<std::size_t>(p - run)}, at(run), at(p), true);
        }
        if (p == end) {
          return p;
        }
        if (static_cast<signed char>(*p) < 0) {
          utf8_from_ = at(p);
          utf8_size_ = 0;
          while (p != end) {
            utf8_[utf8_size_++] = *p++;
          }
          state_ = State::in_utf8;
          return p;
        }
        if (*p == '"') {
          finish_string(at(p) + 1);
          return p + 1;
        }
        if (*p != '\\') {
          fail_at(ScanError::control_character, *p, at(p));
          return nullptr;
        }
        escape_from_ = at(p);
        ++p;
        state_ = State::in_escape;
        break;
      }
      case State::in_escape: {
        char c = *p++;
        char plain = 0;
        switch (c) {
          case '"':
          case '\\':
          case '/':
            plain = c;
            break;
          case 'b':
            plain = '\b';
            break;
          case 'f':
            plain = '\f';
            break;
          case 'n':
            plain = '\n';
            break;
          case 'r':
            plain = '\r';
            break;
          case 't':
            plain = '\t';
            break;
          case 'u':
            unicode_ = 0;
            unicode_digits_ = 0;
            state_ = State::in_unicode;
            continue;
          default:
            fail(ScanError::bad_escape, at(p) - 1);
            return nullptr;
        }
        flush_high(at(p));
        piece({&plain, 1}, escape_from_, at(p), false);
        state_ = State::in_string;
        break;
      }
      case State::in_unicode: {
        const int digit = ascii::hex_value(*p++);
        if (digit < 0) {
          fail(ScanError::bad_escape, at(p) - 1);
          return nullptr;
        }
        unicode_ = unicode_ * 16 + static_cast<std::uint32_t>(digit);
        if (++unicode_digits_ < 4) {
          break;
        }
        state_ = State::in_string;
        if (unicode_ >= 0xDC00 && unicode_ <= 0xDFFF && high_ != 0) {
          std::uint32_t cp = 0x10000 + ((high_ - 0xD800) << 10U) + (unicode_ - 0xDC00);
          high_ = 0;
          code_point_piece(cp, high_from_, at(p));
          break;
        }
        flush_high(at(p));
        if (unicode_ >= 0xD800 && unicode_ <= 0xDBFF) {
          high_ = unicode_;
          high_from_ = escape_from_;
        } else {
          if (unicode_ >= 0xDC00 && unicode_ <= 0xDFFF) {
            handler_.lone_surrogate(escape_from_, at(p), at(p));
          }
          code_point_piece(unicode_, escape_from_, at(p));
        }
        break;
      }
      default: {  // in_utf8: a sequence that was cut
        utf8_[utf8_size_++] = *p++;
        int bad_at = 0;
        int length = utf8_sequence(utf8_, utf8_ + utf8_size_, bad_at);
        if (length < 0) {
          fail(ScanError::bad_utf8, at(p) - 1);
          return nullptr;
        }
        if (length > 0) {
          piece({utf8_, utf8_size_}, utf8_from_, at(p), false);
          state_ = State::in_string;
        }
        break;
      }
    }
  }
  return p;
}

template <class Handler>
bool Scanner<Handler>::push(const char* data, std::size_t size) {
  const char* const begin = data;
  const char* const end = data + size;
  const char* p = data;
  auto at = [&](const char* q) { return base_ + static_cast<std::uint64_t>(q - begin); };

  while (p != end) {
    // The states in which white space may come. The others are tokens that the previous piece cut.
    if (state_ <= State::done) {
      if (static_cast<unsigned char>(*p) <= ' ') {
        p = skip_space(p, end);
        if (p == end) {
          break;
        }
      }
    }
    switch (state_) {
      case State::first_item:
        if (*p == ']') {
          goto close;
        }
        state_ = State::value;
        [[fallthrough]];
      case State::value:
      value : {
        char c = *p;
        if (c == '"') {
          const char* q = p + 1;
          for (;;) {
            q = skip_plain(q, end);
            if (q == end || static_cast<signed char>(*q) >= 0) {
              break;
            }
            int bad_at = 0;
            int length = utf8_sequence(q, end, bad_at);
            if (length <= 0) {
              break;
            }
            q += length;
          }
          if (q != end && *q == '"') {
            handler_.string({p + 1, static_cast<std::size_t>(q - p - 1)}, at(p), at(q) + 1);
            state_ = state_after_value();
            p = q + 1;
          } else {
            if (q != end && *q == '\\') {
              const char* after = decode_string(p + 1, q, end, carry_);
              if (after != nullptr && handler_.string_decoded(carry_, at(p), at(after))) {
                state_ = state_after_value();
                p = after;
                break;
              }
            }
            begin_string(at(p), false);
            p = scan_string(p + 1, end, at(p) + 1);
            if (p == nullptr) {
              return false;
            }
          }
          break;
        }
        if (c == '{' || c == '[') {
          if (depth_ == depth_max_) {
            return fail(ScanError::depth_limit, at(p));
          }
          if constexpr (requires { handler_.accept_fast(p, end, std::uint64_t{}, depth_); }) {
            if (const char* after = handler_.accept_fast(p, end, at(p), depth_)) {
              if (after == p) {
                base_ = at(p);
                return true;
              }
              state_ = state_after_value();
              p = after;
              break;
            }
          }
          enter(c == '{');
          if (c == '{') {
            handler_.begin_object(at(p));
            state_ = State::first_key;
          } else {
            handler_.begin_array(at(p));
            state_ = State::first_item;
          }
          ++p;
          break;
        }
        if (c == '-' || ascii::is_digit(c)) {
          number_ = c == '-' ? NumberState::minus : c == '0' ? NumberState::zero : NumberState::integer;
          token_from_ = at(p);
          announced_ = false;
          const char* q = scan_number(p + 1, end, at(p) + 1);
          if (q == nullptr) {
            return false;
          }
          if (q == end) {
            carry_.assign(p, static_cast<std::size_t>(q - p));
            state_ = State::in_number;
            announce(Kind::number);
          } else {
            handler_.number({p, static_cast<std::size_t>(q - p)}, token_from_, at(q), at(q) + 1);
            state_ = state_after_value();
          }
          p = q;
          break;
        }
        if (c == 't' || c == 'f' || c == 'n') {
          literal_kind_ = c == 'n' ? Kind::null : Kind::boolean;
          literal_value_ = c == 't';
          literal_text_ = c == 't' ? "true" : c == 'f' ? "false" : "null";
          literal_at_ = 1;
          announced_ = false;
          token_from_ = at(p);
          ++p;
          state_ = State::in_literal;
          if (end - p >= 4) {
            goto literal;
          }
          announce(literal_kind_);
          break;
        }
        if (c == ']' && after_comma_ && depth_ > 0 && !in_object()) {
          return fail(ScanError::trailing_comma, at(p));
        }
        if (at(p) == 0 && static_cast<unsigned char>(c) == 0xEF) {
          return fail(ScanError::byte_order_mark, 0);
        }
        return fail_at(ScanError::unexpected_character, *p, at(p));
      }
      case State::first_key:
        if (*p == '}') {
          goto close;
        }
        [[fallthrough]];
      case State::next_key: {
        if (*p != '"') {
          return fail_at(*p == '}' ? ScanError::trailing_comma : ScanError::expected_key, *p, at(p));
        }
        const char* q = skip_plain(p + 1, end);
        if (q != end && *q == '"') {
          handler_.key({p + 1, static_cast<std::size_t>(q - p - 1)}, at(p), at(q) + 1);
          state_ = State::colon;
          p = q + 1;
          if (end - p >= 2 && p[0] == ':') {
            p += p[1] == ' ' ? 2 : 1;
            after_comma_ = false;
            state_ = State::value;
            if (p != end && static_cast<unsigned char>(*p) > ' ') {
              goto value;
            }
          }
        } else {
          begin_string(at(p), true);
          p = scan_string(p + 1, end, at(p) + 1);
          if (p == nullptr) {
            return false;
          }
        }
        break;
      }
      case State::colon:
        if (*p != ':') {
          return fail(ScanError::expected_colon, at(p));
        }
        ++p;
        after_comma_ = false;
        state_ = State::value;
        break;
      case State::after:
        if (*p == ',') {
          ++p;
          after_comma_ = true;
          state_ = in_object() ? State::next_key : State::value;
          break;
        }
        if (*p != '}' && *p != ']') {
          return fail(ScanError::expected_comma, at(p));
        }
      close : {
        bool object = in_object();
        if (object != (*p == '}')) {
          return fail(ScanError::wrong_bracket, at(p));
        }
        --depth_;
        ++p;
        if (object) {
          handler_.end_object(at(p));
        } else {
          handler_.end_array(at(p));
        }
        state_ = state_after_value();
        break;
      }
      case State::done:
        return fail_at(ScanError::text_after_value, *p, at(p));
      case State::in_number: {
        const char* q = scan_number(p, end, at(p));
        if (q == nullptr) {
          return false;
        }
        carry_.append(p, static_cast<std::size_t>(q - p));
        if (q != end) {
          handler_.number(carry_, token_from_, at(q), at(q) + 1);
          state_ = state_after_value();
        }
        p = q;
        break;
      }
      case State::in_literal:
      literal : {
        while (p != end && literal_text_[literal_at_] != 0) {
          if (*p != literal_text_[literal_at_]) {
            announce(literal_kind_);
            return fail_at(ScanError::bad_literal, *p, at(p));
          }
          ++p;
          ++literal_at_;
        }
        if (literal_text_[literal_at_] == 0) {
          handler_.literal(literal_kind_, literal_value_, token_from_, at(p));
          state_ = state_after_value();
        }
        break;
      }
      case State::in_string:
      case State::in_escape:
      case State::in_unicode:
      case State::in_utf8:
        p = scan_string(p, end, at(p));
        if (p == nullptr) {
          return false;
        }
        break;
      case State::stopped:
        return false;
    }
  }
  base_ += size;
  return true;
}

template <class Handler>
bool Scanner<Handler>::end() {
  if (state_ == State::in_number && number_may_end(number_)) {
    handler_.number(carry_, token_from_, base_, base_);
    state_ = state_after_value();
  }
  switch (state_) {
    case State::done:
      return true;
    case State::stopped:
      return false;
    case State::value:
      return fail(depth_ == 0 ? ScanError::empty_text : ScanError::truncated, base_, base_);
    case State::in_string:
    case State::in_escape:
    case State::in_unicode:
    case State::in_utf8:
      return fail(ScanError::truncated_string, base_, base_);
    default:
      return fail(ScanError::truncated, base_, base_);
  }
}

}  // namespace plumb::json
