// One pass without recursion: open groups are a stack, what refers to groups is noted and checked at the end.
#include "core/text/format_regex.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/ascii.hpp"
#include "core/stable_sort.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

constexpr std::string_view syntax_characters = "^$\\.*+?()[]{}|";
constexpr char32_t no_character = 0xFFFFFFFF;

// Compares two decimal numbers of any size.
bool greater(std::string_view a, std::string_view b) {
  while (!a.empty() && a.front() == '0') {
    a.remove_prefix(1);
  }
  while (!b.empty() && b.front() == '0') {
    b.remove_prefix(1);
  }
  return a.size() != b.size() ? a.size() > b.size() : a > b;
}

class RegexReader {
 public:
  explicit RegexReader(std::string_view text) : text_(text) {}

  bool pattern() {
    while (at_ < text_.size()) {
      if (!term()) {
        return false;
      }
    }
    return open_.empty() && references_hold();
  }

 private:
  // What an open parenthesis makes: an assertion takes no quantifier behind it.
  enum class Group : std::uint8_t { atom, assertion };

  bool ends() const { return at_ >= text_.size(); }
  bool next_is(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
  bool take(std::string_view what) {
    if (!next_is(what)) {
      return false;
    }
    at_ += what.size();
    return true;
  }
  // The next character, whatever it is; no_character at the end or for malformed UTF-8.
  char32_t take_character() {
    if (ends()) {
      return no_character;
    }
    const Decoded next = decode(text_.data() + at_, text_.data() + text_.size());
    at_ += next.size;
    return next.valid ? next.code_point : no_character;
  }

  bool term() {
    const char c = text_[at_];
    switch (c) {
      case '|':
      case '^':
      case '$':
        ++at_;
        return !at_quantifier();
      case '(':
        return open_group();
      case ')': {
        if (open_.empty()) {
          return false;
        }
        const Group group = open_.back();
        open_.pop_back();
        ++at_;
        return group == Group::assertion ? !at_quantifier() : quantifier();
      }
      case '[':
        ++at_;
        return character_class() && quantifier();
      case '\\':
        if (take("\\b") || take("\\B")) {
          return !at_quantifier();
        }
        ++at_;
        return atom_escape() && quantifier();
      case '.':
        ++at_;
        return quantifier();
      case '*':
      case '+':
      case '?':
      case ']':
      case '{':
      case '}':
        return false;
      default:
        return take_character() != no_character && quantifier();
    }
  }

  bool at_quantifier() const {
    return !ends() && (text_[at_] == '*' || text_[at_] == '+' || text_[at_] == '?' || text_[at_] == '{');
  }

  // A quantifier or none.
  bool quantifier() {
    if (!at_quantifier()) {
      return true;
    }
    if (!take("{")) {
      ++at_;
    } else {
      const std::string_view low = digits();
      if (low.empty()) {
        return false;
      }
      if (take(",")) {
        const std::string_view high = digits();
        if (!high.empty() && greater(low, high)) {
          return false;
        }
      }
      if (!take("}")) {
        return false;
      }
    }
    take("?");
    return !at_quantifier();
  }

  std::string_view digits() {
    const std::size_t from = at_;
    while (!ends() && ascii::is_digit(text_[at_])) {
      ++at_;
    }
    return text_.substr(from, at_ - from);
  }

  bool open_group() {
    ++at_;
    if (!take("?")) {
      ++groups_;
      open_.push_back(Group::atom);
    } else if (take(":")) {
      open_.push_back(Group::atom);
    } else if (take("=") || take("!") || take("<=") || take("<!")) {
      open_.push_back(Group::assertion);
    } else if (take("<")) {
      std::string name;
      if (!group_name(name)) {
        return false;
      }
      names_.push_back(std::move(name));
      ++groups_;
      open_.push_back(Group::atom);
    } else {
      return false;
    }
    return !at_quantifier();
  }

  // A name and the `>` behind it.
  bool group_name(std::string& name) {
    while (!take(">")) {
      char32_t c = take_character();
      if (c == '\\' && (!take("u") || !unicode_escape(c))) {
        return false;
      }
      if (c == no_character) {
        return false;
      }
      const bool start = c == '$' || c == '_' || has_property(c, Property::id_start);
      const bool part = start || c == 0x200C || c == 0x200D || has_property(c, Property::id_continue);
      if (name.empty() ? !start : !part) {
        return false;
      }
      append_utf8(name, c);
    }
    return !name.empty();
  }

  // What stands behind `\u`: {1F600}, or four digits, a pair of surrogates being one character.
  bool unicode_escape(char32_t& value) {
    if (take("{")) {
      value = 0;
      const std::size_t from = at_;
      while (!ends() && ascii::hex_value(text_[at_]) >= 0) {
        value = value * 16 + static_cast<char32_t>(ascii::hex_value(text_[at_++]));
        if (value > code_point_last) {
          return false;
        }
      }
      return at_ > from && take("}");
    }
    if (!hex_digits(4, value)) {
      return false;
    }
    if (value >= 0xD800 && value <= 0xDBFF && next_is("\\u")) {
      const std::size_t back = at_;
      at_ += 2;
      char32_t low = 0;
      if (hex_digits(4, low) && low >= 0xDC00 && low <= 0xDFFF) {
        value = 0x10000 + ((value - 0xD800) << 10U) + (low - 0xDC00);
      } else {
        at_ = back;
      }
    }
    return true;
  }

  bool hex_digits(int count, char32_t& value) {
    value = 0;
    for (int i = 0; i < count; ++i) {
      if (ends() || ascii::hex_value(text_[at_]) < 0) {
        return false;
      }
      value = value * 16 + static_cast<char32_t>(ascii::hex_value(text_[at_++]));
    }
    return true;
  }

  // \d \p{..} and the like, behind the backslash. `found` tells whether there was one; false: there was a wrong one.
  bool class_escape(bool& found) {
    constexpr std::string_view letters = "dDsSwW";
    found = true;
    if (!ends() && letters.find(text_[at_]) != std::string_view::npos) {
      ++at_;
      return true;
    }
    if (take("p{") || take("P{")) {
      const std::size_t close = text_.find('}', at_);
      constexpr std::size_t longest = 100;
      if (close == std::string_view::npos || close - at_ > longest) {
        return false;
      }
      const std::string_view expression = text_.substr(at_, close - at_);
      at_ = close + 1;
      return is_property(expression);
    }
    found = false;
    return true;
  }

  // Each property is looked up once: a lookup makes its whole set of characters.
  bool is_property(std::string_view expression) {
    const auto place = std::lower_bound(properties_.begin(), properties_.end(), expression);
    if (place != properties_.end() && *place == expression) {
      return true;
    }
    std::vector<CodePointRange> ranges;
    if (!append_property(expression, ranges)) {
      return false;
    }
    properties_.insert(place, expression);
    return true;
  }

  // CharacterEscape, behind the backslash.
  bool character_escape(char32_t& value) {
    const char32_t c = take_character();
    switch (c) {
      case 'f':
        value = 0x0C;
        return true;
      case 'n':
        value = 0x0A;
        return true;
      case 'r':
        value = 0x0D;
        return true;
      case 't':
        value = 0x09;
        return true;
      case 'v':
        value = 0x0B;
        return true;
      case 'c': {
        const char32_t letter = take_character();
        value = letter & 0x1FU;
        return ascii::is_letter(letter);
      }
      case '0':
        value = 0;
        return ends() || !ascii::is_digit(text_[at_]);
      case 'x':
        return hex_digits(2, value);
      case 'u':
        return unicode_escape(value);
      default:
        value = c;
        return c == '/' || (c < 0x80 && syntax_characters.find(static_cast<char>(c)) != std::string_view::npos);
    }
  }

  // Outside a class, behind the backslash.
  bool atom_escape() {
    if (ends()) {
      return false;
    }
    if (text_[at_] >= '1' && text_[at_] <= '9') {
      const std::string_view number = digits();
      if (greater(number, highest_reference_)) {
        highest_reference_ = number;
      }
      return true;
    }
    if (take("k")) {
      std::string name;
      if (!take("<") || !group_name(name)) {
        return false;
      }
      references_.push_back(std::move(name));
      return true;
    }
    bool found = false;
    if (!class_escape(found)) {
      return false;
    }
    char32_t value = 0;
    return found || character_escape(value);
  }

  // One member of a class; `value` is no_character where it stands for several.
  bool class_atom(char32_t& value) {
    if (take("\\")) {
      bool found = false;
      if (!class_escape(found)) {
        return false;
      }
      if (found) {
        value = no_character;
        return true;
      }
      if (take("b")) {
        value = 0x08;
        return true;
      }
      if (take("-")) {
        value = '-';
        return true;
      }
      return character_escape(value);
    }
    value = take_character();
    return value != no_character;
  }

  bool character_class() {
    take("^");
    for (;;) {
      if (take("]")) {
        return true;
      }
      char32_t first = 0;
      if (!class_atom(first)) {
        return false;
      }
      if (next_is("-") && !next_is("-]")) {
        ++at_;
        char32_t last = 0;
        if (!class_atom(last) || first == no_character || last == no_character || first > last) {
          return false;
        }
      }
    }
  }

  bool references_hold() {
    if (greater(highest_reference_, std::to_string(groups_))) {
      return false;
    }
    stable_sort(names_);
    if (std::adjacent_find(names_.begin(), names_.end()) != names_.end()) {
      return false;
    }
    for (const std::string& name : references_) {
      if (!std::binary_search(names_.begin(), names_.end(), name)) {
        return false;
      }
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t groups_ = 0;
  std::vector<Group> open_;
  std::vector<std::string> names_;
  std::vector<std::string> references_;
  std::string_view highest_reference_;
  std::vector<std::string_view> properties_;  // known to exist, sorted
};

}  // namespace

bool is_regex(std::string_view text) { return RegexReader(text).pattern(); }

}  // namespace plumb::text
