#include "core/derive/gbnf_text.hpp"

#include <algorithm>

#include "core/contract/program.hpp"
#include "core/text/pattern_parse.hpp"
#include "core/text/utf8.hpp"

namespace plumb::derive {

namespace {

constexpr std::size_t ranges_max = 200;  // of one class: longer ones slow every step of a sampler
constexpr std::size_t pattern_text_max = 8192;
constexpr std::uint64_t decades_max = 18;  // digits of an unbounded integer

constexpr char hex_digits[] = "0123456789ABCDEF";

void append_hex(std::string& out, std::uint32_t value, int digits) {
  for (int i = digits - 1; i >= 0; --i) {
    out += hex_digits[value >> (4 * i) & 15U];
  }
}

// A character within [...].
void append_in_class(std::string& out, char32_t c) {
  const auto v = static_cast<std::uint32_t>(c);
  const bool special = c == '[' || c == ']' || c == '\\' || c == '^' || c == '-' || c == '"';
  if (special || v < 0x20 || v == 0x7F) {
    out += "\\x";
    append_hex(out, v, 2);
  } else if (v < 0x7F) {
    out += static_cast<char>(c);
  } else if (v < 0x10000) {
    out += "\\u";
    append_hex(out, v, 4);
  } else {
    out += "\\U";
    append_hex(out, v, 8);
  }
}

// ---- ranges of integers ----

std::string digits_of(std::uint64_t value) { return std::to_string(value); }

void append_digit_class(std::string& out, char from, char to) {
  out += '[';
  out += from;
  if (to != from) {
    out += '-';
    out += to;
  }
  out += "] ";
}

// All numbers of as many digits as `from` and `to` have, from one to the other; alternatives without brackets.
void append_same_length(std::string& out, std::string_view from, std::string_view to, std::string before) {
  auto alternative = [&out](const std::string& text) {
    out += out.empty() ? "" : " | ";
    out += text;
    while (!out.empty() && out.back() == ' ') {
      out.pop_back();
    }
  };
  auto rest = [](const std::string& text, std::size_t count) {
    return count == 0 ? text : text + "[0-9]" + (count == 1 ? "" : "{" + std::to_string(count) + "}");
  };
  std::size_t same = 0;
  while (same < from.size() && from[same] == to[same]) {
    append_digit_class(before, from[same], from[same]);
    ++same;
  }
  from.remove_prefix(same);
  to.remove_prefix(same);
  if (from.empty()) {
    alternative(before);
    return;
  }
  const std::size_t behind = from.size() - 1;
  const bool low_whole = from.substr(1).find_first_not_of('0') == std::string_view::npos;
  const bool high_whole = to.substr(1).find_first_not_of('9') == std::string_view::npos;
  if (!low_whole) {
    std::string first = before;
    append_digit_class(first, from[0], from[0]);
    append_same_length(out, from.substr(1), std::string(behind, '9'), first);
  }
  const char middle_from = low_whole ? from[0] : static_cast<char>(from[0] + 1);
  const char middle_to = high_whole ? to[0] : static_cast<char>(to[0] - 1);
  if (middle_from <= middle_to) {
    std::string middle = before;
    append_digit_class(middle, middle_from, middle_to);
    alternative(rest(middle, behind));
  }
  if (!high_whole) {
    std::string last = before;
    append_digit_class(last, to[0], to[0]);
    append_same_length(out, std::string(behind, '0'), to.substr(1), last);
  }
}

// The digits of all numbers from `from` to `to`, none of them negative.
std::string natural_numbers(std::uint64_t from, std::uint64_t to) {
  std::string out;
  std::uint64_t lowest = 0;  // with as many digits as are looked at
  std::uint64_t beyond = 10;
  for (std::uint64_t digits = 1; digits <= decades_max + 1; ++digits) {
    const std::uint64_t low = std::max(from, lowest);
    const std::uint64_t high = std::min(to, beyond - 1);
    if (low <= high) {
      append_same_length(out, digits_of(low), digits_of(high), "");
    }
    lowest = beyond;
    beyond = digits <= decades_max - 1 ? beyond * 10 : ~std::uint64_t{0};
    if (lowest > to || digits == decades_max) {
      break;
    }
  }
  return out;
}

// ---- patterns ----

using text::CodePointRange;
namespace regex = text::pattern;

class PatternWriter {
 public:
  explicit PatternWriter(const regex::Tree& tree) : tree_(tree) {}

  std::optional<std::string> write() {
    std::string out;
    alternatives(tree_.root, out);
    if (!good_ || out.size() > pattern_text_max) {
      return std::nullopt;
    }
    return out;
  }

 private:
  // Each alternative at the top has its own anchors; without one, anything may be there.
  void alternatives(std::uint32_t at, std::string& out) {
    const regex::Node& node = tree_.nodes[at];
    if (node.kind != regex::Kind::alternate) {
      anchored(at, out);
      return;
    }
    for (std::uint32_t child = node.child; child != regex::no_node; child = tree_.nodes[child].next) {
      out += out.empty() ? "" : " | ";
      anchored(child, out);
    }
  }

  bool is_anchor(std::uint32_t at, regex::Assertion assertion) const {
    return at != regex::no_node && tree_.nodes[at].kind == regex::Kind::assertion &&
           tree_.nodes[at].assertion == assertion;
  }

  void anchored(std::uint32_t at, std::string& out) {
    std::vector<std::uint32_t> parts;
    if (tree_.nodes[at].kind == regex::Kind::concat) {
      for (std::uint32_t child = tree_.nodes[at].child; child != regex::no_node; child = tree_.nodes[child].next) {
        parts.push_back(child);
      }
    } else {
      parts.push_back(at);
    }
    bool begins = false;
    bool ends = false;
    while (!parts.empty() && is_anchor(parts.front(), regex::Assertion::begin)) {
      begins = true;
      parts.erase(parts.begin());
    }
    while (!parts.empty() && is_anchor(parts.back(), regex::Assertion::end)) {
      ends = true;
      parts.pop_back();
    }
    std::string body;
    for (std::uint32_t part : parts) {
      term(part, body);
    }
    const std::string before = begins ? "" : "char* ";
    const std::string after = ends ? "" : "char*";
    std::string all = before + body + after;
    while (!all.empty() && all.back() == ' ') {
      all.pop_back();
    }
    out += all.empty() ? "\"\"" : all;
  }

  // With a blank behind it.
  void term(std::uint32_t at, std::string& out) {
    const regex::Node& node = tree_.nodes[at];
    if (!good_ || out.size() > pattern_text_max) {
      good_ = false;
      return;
    }
    switch (node.kind) {
      case regex::Kind::empty:
        return;
      case regex::Kind::set:
        set(tree_.sets[node.set], out);
        return;
      case regex::Kind::assertion:
      case regex::Kind::look:
        good_ = false;
        return;
      case regex::Kind::concat:
        for (std::uint32_t child = node.child; child != regex::no_node; child = tree_.nodes[child].next) {
          term(child, out);
        }
        return;
      case regex::Kind::alternate: {
        out += "(";
        bool first = true;
        for (std::uint32_t child = node.child; child != regex::no_node; child = tree_.nodes[child].next) {
          out += first ? "" : "| ";
          first = false;
          const std::size_t before = out.size();
          term(child, out);
          if (out.size() == before) {
            out += "\"\" ";
          }
        }
        out.back() = ')';
        out += ' ';
        return;
      }
      case regex::Kind::repeat: {
        const std::uint64_t max = node.max == regex::unbounded ? contract::no_bound : node.max;
        if (node.min > gbnf_repeats_max || (max != contract::no_bound && max > gbnf_repeats_max)) {
          good_ = false;
          return;
        }
        if (max == 0) {
          return;
        }
        std::string inner;
        term(node.child, inner);
        if (inner.empty()) {
          return;
        }
        inner.pop_back();
        const bool single = inner.front() == '[' && inner.find(' ') == std::string::npos;
        out += single ? inner : "(" + inner + ")";
        out += gbnf_repeat(node.min, max) + " ";
        return;
      }
    }
  }

  // A set of characters as JSON writes them: quote, backslash and controls are escaped.
  void set(const regex::Ranges& ranges, std::string& out) {
    std::string plain;
    std::vector<std::string> escaped;
    std::size_t pieces = 0;
    for (const CodePointRange& range : ranges) {
      for (char32_t c = range.first; c <= range.last && c < 0x20; ++c) {
        std::string code = "\\u00";
        append_hex(code, static_cast<std::uint32_t>(c), 2);
        escaped.push_back(gbnf_literal(code));
        static constexpr std::pair<char32_t, std::string_view> short_forms[] = {
            {'\b', "\\b"}, {'\f', "\\f"}, {'\n', "\\n"}, {'\r', "\\r"}, {'\t', "\\t"}};
        for (const auto& [control, form] : short_forms) {
          if (control == c) {
            escaped.push_back(gbnf_literal(form));
          }
        }
      }
      // The pieces between what is escaped.
      char32_t from = std::max<char32_t>(range.first, 0x20);
      for (char32_t special : {U'"', U'\\'}) {
        if (range.first <= special && special <= range.last) {
          escaped.push_back(gbnf_literal(special == '"' ? "\\\"" : "\\\\"));
          piece(plain, pieces, from, special - 1);
          from = special + 1;
        }
      }
      piece(plain, pieces, from, range.last);
    }
    if (pieces > ranges_max) {
      good_ = false;
      return;
    }
    if (!plain.empty()) {
      escaped.insert(escaped.begin(), "[" + plain + "]");
    }
    if (escaped.empty()) {  // nothing fits
      good_ = false;
      return;
    }
    std::string all;
    for (const std::string& one : escaped) {
      all += all.empty() ? one : " | " + one;
    }
    out += escaped.size() == 1 ? all + " " : "(" + all + ") ";
  }

  static void piece(std::string& plain, std::size_t& pieces, char32_t from, char32_t to) {
    if (from > to) {
      return;
    }
    append_in_class(plain, from);
    if (to != from) {
      plain += '-';
      append_in_class(plain, to);
    }
    ++pieces;
  }

  const regex::Tree& tree_;
  bool good_ = true;
};

}  // namespace

std::string gbnf_literal(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      append_hex(out, byte, 2);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string gbnf_repeat(std::uint64_t min, std::uint64_t max) {
  if (max == contract::no_bound) {
    return min == 0 ? "*" : min == 1 ? "+" : "{" + std::to_string(min) + ",}";
  }
  if (min == 0 && max == 1) {
    return "?";
  }
  if (min == max) {
    return min == 1 ? "" : "{" + std::to_string(min) + "}";
  }
  return "{" + std::to_string(min) + "," + std::to_string(max) + "}";
}

std::string gbnf_integers(std::optional<std::int64_t> min, std::optional<std::int64_t> max) {
  constexpr std::uint64_t largest = 999'999'999'999'999'999U;  // of 18 digits
  if (min && max && *min > *max) {
    return {};
  }
  std::string out;
  auto magnitude = [](std::int64_t value) {
    return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  };
  if (!min || *min < 0) {
    const std::uint64_t from = max && *max < 0 ? magnitude(*max) : 1;
    const std::uint64_t to = min ? magnitude(*min) : largest;
    const std::string negative = natural_numbers(from, to);
    if (!negative.empty()) {
      out = "\"-\" (" + negative + ")";
    }
  }
  if (!max || *max >= 0) {
    const std::uint64_t from = min && *min > 0 ? magnitude(*min) : 0;
    const std::uint64_t to = max ? magnitude(*max) : largest;
    const std::string positive = natural_numbers(from, to);
    out += positive.empty() || out.empty() ? "" : " | ";
    out += positive;
  }
  return out;
}

std::optional<std::string> gbnf_pattern(std::string_view source) {
  const Result<regex::Tree> tree = regex::parse(source);
  if (!tree || tree.value().refusal || tree.value().root == regex::no_node) {
    return std::nullopt;
  }
  return PatternWriter(tree.value()).write();
}

}  // namespace plumb::derive
