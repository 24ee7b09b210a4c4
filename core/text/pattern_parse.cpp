// A recursive descent over the grammar of ECMA-262, section 22.2.1, with the parameter UnicodeMode. The whole source is
// read even when it holds what cannot be run, because "is no regular expression" and "cannot be run" are two answers.
#include "core/text/pattern_parse.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/ascii.hpp"
#include "core/stable_sort.hpp"
#include "core/text/pattern_reader.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text::pattern {

void sort_ranges(Ranges& ranges) {
  stable_sort(ranges, [](const CodePointRange& a, const CodePointRange& b) { return a.first < b.first; });
}

void normalize(Ranges& ranges) {
  sort_ranges(ranges);
  std::size_t size = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (size != 0 && ranges[i].first <= ranges[size - 1].last + 1) {
      ranges[size - 1].last = std::max(ranges[size - 1].last, ranges[i].last);
    } else {
      ranges[size++] = ranges[i];
    }
  }
  ranges.resize(size);
}

Ranges complement(const Ranges& ranges) {
  Ranges out;
  char32_t from = 0;
  for (const CodePointRange& range : ranges) {
    if (range.first > from) {
      out.push_back({from, range.first - 1});
    }
    from = range.last + 1;
  }
  if (from <= code_point_last) {
    out.push_back({from, code_point_last});
  }
  return out;
}

Error error_at(ErrorCode code, std::string message, std::string_view source, std::size_t offset) {
  Error error;
  error.code = code;
  error.column = 1;
  for (const char *at = source.data(), *end = at + offset; at < end;) {
    const Decoded c = decode(at, source.data() + source.size());
    error.column += c.code_point > 0xFFFF ? 2U : 1U;
    at += c.size;
  }
  error.message = std::move(message) + " (character " + std::to_string(error.column) + ")";
  return error;
}

namespace {

// All ranges of the sets of a pattern together are at most so many.
constexpr std::size_t ranges_max = 200000;

constexpr std::uint64_t states_saturated = std::uint64_t{1} << 40U;

const Ranges& dot_ranges() {
  static const Ranges ranges = complement({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}});
  return ranges;
}

bool range_less(const CodePointRange& a, const CodePointRange& b) {
  return a.first != b.first ? a.first < b.first : a.last < b.last;
}

bool ranges_less(const Ranges& a, const Ranges& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), range_less);
}

class Parser : private PatternReader {
 public:
  explicit Parser(std::string_view source) : PatternReader(source) {}

  Result<Tree> run() {
    if (source_.size() > Pattern::source_bytes_max) {
      return error_at(ErrorCode::limit, "the pattern is longer than 262,144 bytes", source_, 0);
    }
    tree_.root = disjunction(0);
    if (!error_ && at_ != end_) {
      fail(at_, "there is a ) without its (");
    }
    check_references();
    const bool beyond = std::any_of(source_.begin(), source_.end(), [](char c) { return (c & 0xF8) == 0xF0; });
    if (!error_ && without_flag_ && (with_flag_ || beyond)) {
      error_ = std::move(without_flag_);
    }
    if (error_) {
      return std::move(*error_);
    }
    tree_.warnings = std::move(warnings_);
    tree_.without_flag = std::move(without_flag_);
    return std::move(tree_);
  }

 private:
  // The first thing that cannot be run is told, and reading goes on.
  void refuse(std::size_t offset, std::string message) {
    if (!tree_.refusal || refused_at_ > offset) {
      tree_.refusal = error_at(ErrorCode::limit, std::move(message), source_, offset);
      refused_at_ = offset;
    }
  }

  // --- The tree ---

  std::uint32_t add(const Node& node) {
    tree_.nodes.push_back(node);
    return static_cast<std::uint32_t>(tree_.nodes.size() - 1);
  }
  Node& node(std::uint32_t id) { return tree_.nodes[id]; }

  std::uint32_t add_empty() { return add(Node{}); }

  std::uint32_t add_assertion(Assertion assertion, std::size_t offset) {
    Node n;
    n.kind = Kind::assertion;
    n.assertion = assertion;
    n.offset = static_cast<std::uint32_t>(offset);
    return add(n);
  }

  std::uint32_t add_set(Ranges ranges, std::size_t offset) {
    Node n;
    n.kind = Kind::set;
    n.offset = static_cast<std::uint32_t>(offset);
    n.states = 1;
    n.consumes = true;
    const auto found =
        std::lower_bound(set_order_.begin(), set_order_.end(), ranges,
                         [this](std::uint32_t number, const Ranges& r) { return ranges_less(tree_.sets[number], r); });
    if (found != set_order_.end() && tree_.sets[*found] == ranges) {
      n.set = *found;
    } else {
      ranges_total_ += ranges.size();
      if (ranges_total_ > ranges_max) {
        refuse(offset, "the classes of the pattern have more than 200,000 ranges");
        return add(n);
      }
      if (tree_.sets.size() > Pattern::states_max) {  // each stands for a state at least
        refuse(offset, "the pattern needs more than 10,000 states");
        return add(n);
      }
      n.set = static_cast<std::uint32_t>(tree_.sets.size());
      set_order_.insert(found, n.set);
      tree_.sets.push_back(std::move(ranges));
    }
    return add(n);
  }

  // --- The grammar ---

  std::uint32_t disjunction(std::size_t depth) {
    if (depth > Pattern::nesting_max) {
      fail(at_, "groups are nested more than 250 deep", ErrorCode::limit);
      return add_empty();
    }
    const std::uint32_t first = alternative(depth);
    if (!sees('|')) {
      return first;
    }
    Node all;
    all.kind = Kind::alternate;
    all.child = first;
    all.states = node(first).states;
    all.consumes = node(first).consumes;
    bool has_empty = node(first).kind == Kind::empty;
    std::uint32_t last = first;
    while (more() && take('|')) {
      const std::uint32_t one = alternative(depth);
      if (node(one).kind == Kind::empty) {  // a second empty alternative says nothing
        if (has_empty) {
          continue;
        }
        has_empty = true;
      }
      node(last).next = one;
      last = one;
      all.consumes = all.consumes || node(one).consumes;
      all.states = std::min(all.states + node(one).states, states_saturated);
    }
    return node(first).next == no_node ? first : add(all);
  }

  std::uint32_t alternative(std::size_t depth) {
    std::uint32_t first = no_node;
    std::uint32_t last = no_node;
    std::uint64_t states = 0;
    bool consumes = false;
    while (more() && !sees('|') && !sees(')')) {
      const std::uint32_t one = term(depth);
      if (node(one).kind == Kind::empty) {
        continue;
      }
      states = std::min(states + node(one).states, states_saturated);
      consumes = consumes || node(one).consumes;
      if (last == no_node) {
        first = one;
      } else {
        node(last).next = one;
      }
      last = one;
    }
    if (first == no_node) {
      return add_empty();
    }
    if (first == last) {
      return first;
    }
    Node all;
    all.kind = Kind::concat;
    all.child = first;
    all.states = states;
    all.consumes = consumes;
    all.offset = node(first).offset;
    return add(all);
  }

  std::uint32_t term(std::size_t depth) {
    const std::size_t from = at_;
    if (take('^')) {
      return add_assertion(Assertion::begin, from);
    }
    if (take('$')) {
      return add_assertion(Assertion::end, from);
    }
    if (take(std::string_view("\\b"))) {
      return add_assertion(Assertion::word, from);
    }
    if (take(std::string_view("\\B"))) {
      return add_assertion(Assertion::not_word, from);
    }
    for (const auto& [text, negative, behind] :
         {std::tuple(std::string_view("(?="), false, false), std::tuple(std::string_view("(?!"), true, false),
          std::tuple(std::string_view("(?<="), false, true), std::tuple(std::string_view("(?<!"), true, true)}) {
      if (take(text)) {
        return look(from, negative, behind, depth);
      }
    }
    const std::uint32_t atom_id = atom(depth);
    return error_ ? atom_id : quantifier(atom_id);
  }

  std::uint32_t look(std::size_t from, bool negative, bool behind, std::size_t depth) {
    if (behind) {
      refuse(from, "look-behind cannot be run in linear time");
    }
    const std::uint32_t body = disjunction(depth + 1);
    close(from);
    Node n;
    n.kind = Kind::look;
    n.negative = negative;
    n.behind = behind;
    n.child = body;
    n.offset = static_cast<std::uint32_t>(from);
    n.states = node(body).states;
    return add(n);
  }

  void close(std::size_t from) {
    if (!error_ && !take(')')) {
      fail(from, "a ( has no )");
    }
  }

  std::uint32_t quantifier(std::uint32_t body) {
    const std::size_t from = at_;
    std::uint32_t min = 0;
    std::uint32_t max = unbounded;
    if (take('*')) {
    } else if (take('+')) {
      min = 1;
    } else if (take('?')) {
      max = 1;
    } else if (braces_repeat()) {
      take('{');
      const std::string_view low = number();
      min = value_of(low);
      max = min;
      bool in_order = true;
      const bool is_range = take(',');
      if (is_range && sees('}')) {
        max = unbounded;
      } else if (is_range) {
        const std::string_view high = number();
        max = value_of(high);
        in_order = low.size() != high.size() ? low.size() < high.size() : low <= high;
      }
      take('}');
      if (!in_order) {
        fail(from, "the numbers in the braces are in the wrong order");
      }
    } else {
      return body;
    }
    take('?');  // lazy or greedy: the same texts match
    return repeat(body, min, max, from);
  }

  // A decimal number as it is written, without zeros before it.
  std::string_view number() {
    std::size_t first = at_;
    while (more() && ascii::is_digit(char_)) {
      first += first == at_ && sees('0') ? 1U : 0U;
      next();
    }
    return source_.substr(first, at_ - first);
  }

  // Saturates: 4,294,967,294 is as good as any number above it, since no such repeat can be run.
  static std::uint32_t value_of(std::string_view number) {
    std::uint64_t value = 0;
    for (const char c : number) {
      value = std::min<std::uint64_t>(value * 10 + static_cast<std::uint64_t>(c - '0'), unbounded - 1);
    }
    return static_cast<std::uint32_t>(value);
  }

  std::uint32_t repeat(std::uint32_t body, std::uint32_t min, std::uint32_t max, std::size_t from) {
    const Node& inner = node(body);
    if (max == 0 || inner.kind == Kind::empty) {
      return add_empty();
    }
    // Repeated at one and the same place, an assertion says no more than once.
    if ((min == 1 && max == 1) || (!inner.consumes && min > 0)) {
      return body;
    }
    if (!inner.consumes) {
      return add_empty();
    }
    Node n;
    n.kind = Kind::repeat;
    n.min = min;
    n.max = max;
    n.child = body;
    n.consumes = true;
    n.offset = static_cast<std::uint32_t>(from);
    const std::uint64_t copies = max == unbounded ? std::max<std::uint32_t>(min, 1) : max;
    n.states = std::min(inner.states * copies, states_saturated);
    if (n.states > Pattern::states_max) {
      refuse(from, "the pattern needs more than 10,000 states when this repeat is counted out");
    }
    return add(n);
  }

  std::uint32_t atom(std::size_t depth) {
    const std::size_t from = at_;
    if (take('.')) {
      return add_set(dot_ranges(), from);
    }
    if (take('(')) {
      return group(from, depth);
    }
    if (take('[')) {
      return character_class(from);
    }
    if (take('\\')) {
      return escape(from);
    }
    const char32_t c = char_;
    if (is_syntax_character(c)) {
      if (c == '*' || c == '+' || c == '?') {
        fail(from, std::string("there is nothing before the ") + static_cast<char>(c) + " to repeat");
        return add_empty();
      }
      // { } ] ; ( and [ and \ are taken above, ) and | by the callers
      if (braces_repeat()) {
        fail(from, "a lone { must be written \\{");
        return add_empty();
      }
      if (c != '}' || !in_braces_) {
        note_without_flag(from, std::string("a lone ") + static_cast<char>(c));
      }
      in_braces_ = c == '{' || (in_braces_ && c != '}');
    }
    next();
    return add_set({{c, c}}, from);
  }

  std::uint32_t group(std::size_t from, std::size_t depth) {
    if (take('?')) {
      if (take('<')) {
        ++groups_;
        const std::string name = group_name(from);
        if (!error_ && !add_name(name)) {
          fail(from, "two groups have the name " + name);
        }
        if (names_.size() > names_max) {
          fail(from, "the pattern has more than 1,000 named groups", ErrorCode::limit);
        }
      } else if (!take(':')) {
        fail(from, "(? must go on with :, =, !, <=, <! or <name>");
      }
    } else {
      ++groups_;
    }
    const std::uint32_t body = error_ ? add_empty() : disjunction(depth + 1);
    close(from);
    return body;
  }

  bool add_name(const std::string& name) {
    const auto found = std::lower_bound(names_.begin(), names_.end(), name);
    if (found != names_.end() && *found == name) {
      return false;
    }
    names_.insert(found, name);
    return true;
  }

  // After "<": the name, and ">".
  std::string group_name(std::size_t from) {
    std::string name;
    while (more() && !sees('>')) {
      char32_t c = char_;
      if (take('\\')) {
        if (!take('u')) {
          fail(from, "the name of a group has an escape other than \\u");
          break;
        }
        c = unicode_escape(from);
      } else {
        next();
      }
      const bool fits = c == '$' || c == '_' ||
                        has_property(c, name.empty() ? Property::id_start : Property::id_continue) ||
                        (!name.empty() && (c == 0x200C || c == 0x200D));
      if (!error_ && !fits) {
        fail(from, "the name of a group must be an identifier");
      }
      append_utf8(name, c);
    }
    if (!error_ && (name.empty() || !take('>'))) {
      fail(from, "a group must have a name between < and >");
    }
    return name;
  }

  // --- Escapes, after the backslash ---

  std::uint32_t escape(std::size_t from) {
    if (at_ >= end_) {
      fail(from, "there is a \\ at the end of the pattern");
      return add_empty();
    }
    if (char_ >= '1' && char_ <= '9') {
      Reference reference{from, 0, {}};
      while (more() && ascii::is_digit(char_)) {
        reference.number = std::min<std::uint64_t>(reference.number * 10 + (char_ - '0'), unbounded);
        next();
      }
      references_.push_back(std::move(reference));
      return add_empty();
    }
    if (take('k')) {
      if (!take('<')) {
        fail(from, "\\k must go on with <name>");
        return add_empty();
      }
      references_.push_back({from, 0, group_name(from)});
      return add_empty();
    }
    Ranges ranges;
    if (class_escape(from, ranges)) {
      return add_set(std::move(ranges), from);
    }
    const char32_t c = character_escape(from, false);
    return add_set({{c, c}}, from);
  }

  // --- Classes, after "[" ---

  std::uint32_t character_class(std::size_t from) {
    const bool negative = take('^');
    Ranges ranges;
    std::size_t normal_size = 4096;
    while (more() && !sees(']')) {
      const std::size_t item_from = at_;
      char32_t first = 0;
      const bool first_is_class = class_atom(first, ranges);
      if (error_) {
        break;
      }
      if (sees('-') && !(at_ + 1 < end_ && source_[at_ + 1] == ']') && at_ + 1 < end_) {
        next();
        char32_t last = 0;
        const bool last_is_class = class_atom(last, ranges);
        if (!error_ && (first_is_class || last_is_class)) {
          add_dash(item_from, first_is_class ? last : first, first_is_class && last_is_class, ranges);
          continue;
        }
        if (!error_ && last < first) {
          fail(item_from, "a range in a class is in the wrong order");
        }
        ranges.push_back({first, last});
      } else if (!first_is_class) {
        ranges.push_back({first, first});
      }
      if (ranges.size() > normal_size) {
        normalize(ranges);
        normal_size = ranges.size() * 2 + 4096;
      }
    }
    if (!error_ && !take(']')) {
      fail(from, "a [ has no ]");
    }
    if (error_) {
      return add_empty();
    }
    normalize(ranges);
    return add_set(negative ? complement(ranges) : std::move(ranges), from);
  }

  // A dash with a class beside it, as in [\w-.], is a character, and so is what it has on its other side.
  void add_dash(std::size_t from, char32_t other, bool classes_alone, Ranges& ranges) {
    note_without_flag(from, "a - beside a class such as \\w");
    ranges.push_back({'-', '-'});
    if (!classes_alone) {
      ranges.push_back({other, other});
    }
  }

  // One character or escape of a class; true when it is a class itself, whose ranges are appended.
  bool class_atom(char32_t& out, Ranges& ranges) {
    const std::size_t from = at_;
    if (!take('\\')) {
      out = char_;
      next();
      return false;
    }
    if (take('b')) {
      out = '\b';
      return false;
    }
    Ranges found;
    if (class_escape(from, found)) {
      ranges.insert(ranges.end(), found.begin(), found.end());
      return true;
    }
    out = character_escape(from, true);
    return false;
  }

  // --- After the end ---

  void check_references() {
    for (const Reference& reference : references_) {
      const bool known = reference.name.empty() ? reference.number <= groups_
                                                : std::binary_search(names_.begin(), names_.end(), reference.name);
      if (!known) {
        fail(reference.offset, "a back-reference names a group that is not there");
      }
      refuse(reference.offset, "back-references cannot be run in linear time");
    }
    if (error_ || tree_.refusal) {
      return;
    }
    if (node(tree_.root).states > Pattern::states_max) {
      refuse(0, "the pattern needs more than 10,000 states");
    }
  }

  struct Reference {
    std::size_t offset;
    std::uint64_t number;
    std::string name;
  };
  static constexpr std::size_t names_max = 1000;

  std::size_t refused_at_ = 0;
  bool in_braces_ = false;  // after a { that is a character
  Tree tree_;
  std::vector<std::uint32_t> set_order_;  // of tree_.sets, sorted
  std::size_t ranges_total_ = 0;
  std::uint64_t groups_ = 0;
  std::vector<std::string> names_;  // sorted
  std::vector<Reference> references_;
};

}  // namespace

Result<Tree> parse(std::string_view source) { return Parser(source).run(); }

}  // namespace plumb::text::pattern
