// A text is matched by sets of places: each part of the grammar takes the places where it may begin to those where it
// may end. What a rule does from one place is remembered, so that time is bounded by rules, parts and places.
#include "tests/native/gbnf_run.hpp"

#include <algorithm>
#include <set>

#include "core/text/utf8.hpp"

namespace plumb::cases {

namespace {

constexpr std::size_t text_max = 20'000;
constexpr std::uint64_t steps_max = 30'000'000;
constexpr int depth_max = 2000;
constexpr std::uint64_t endless = ~std::uint64_t{0};

}  // namespace

struct Grammar::Reader {
  Grammar& grammar;
  std::string_view text;
  std::size_t at = 0;
  std::string problem;

  bool fail(const std::string& what) {
    if (problem.empty())
      problem = what + " at byte " + std::to_string(at);
    return false;
  }
  char peek() const { return at < text.size() ? text[at] : '\0'; }
  // Blanks and comments; line ends only within brackets.
  void blanks(bool lines) {
    while (at < text.size()) {
      if (peek() == ' ' || peek() == '\t' || (lines && (peek() == '\n' || peek() == '\r')))
        ++at;
      else if (peek() == '#')
        at = std::min(text.find('\n', at), text.size());
      else
        return;
    }
  }
  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  }
  std::string name() {
    const std::size_t from = at;
    while (is_name(peek()))
      ++at;
    return std::string(text.substr(from, at - from));
  }
  std::size_t rule(const std::string& named) {
    auto [found, fresh] = grammar.rule_by_name_.emplace(named, grammar.rules_.size());
    if (fresh)
      grammar.rules_.push_back(endless);
    return found->second;
  }
  std::size_t add(Node node) {
    grammar.nodes_.push_back(std::move(node));
    return grammar.nodes_.size() - 1;
  }

  bool hex(int digits, char32_t& out) {
    out = 0;
    for (int i = 0; i < digits; ++i, ++at) {
      const char c = peek();
      const int v = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                           : -1;
      if (v < 0)
        return fail("no hexadecimal digit");
      out = out * 16 + static_cast<char32_t>(v);
    }
    return true;
  }
  bool character(char32_t& out) {
    if (at >= text.size())
      return fail("the grammar ends within a literal");
    if (peek() != '\\') {
      const text::Decoded next = text::decode(text.data() + at, text.data() + text.size());
      at += next.size;
      out = next.code_point;
      return next.valid || fail("broken UTF-8");
    }
    ++at;
    const char c = peek();
    ++at;
    switch (c) {
      case 'x':
        return hex(2, out);
      case 'u':
        return hex(4, out);
      case 'U':
        return hex(8, out);
      case 't':
        out = '\t';
        return true;
      case 'r':
        out = '\r';
        return true;
      case 'n':
        out = '\n';
        return true;
      case '\\':
      case '"':
      case '[':
      case ']':
        out = static_cast<char32_t>(c);
        return true;
      default:
        return fail("an escape that llama.cpp does not know");
    }
  }

  bool number(std::uint64_t& out) {
    if (peek() < '0' || peek() > '9')
      return fail("no number");
    for (out = 0; peek() >= '0' && peek() <= '9'; ++at)
      out = out * 10 + static_cast<std::uint64_t>(peek() - '0');
    return out <= 2000 || fail("a repeat that llama.cpp refuses");
  }

  bool primary(std::size_t& out, int depth) {
    Node node;
    if (peek() == '"') {
      ++at;
      while (peek() != '"') {
        char32_t c = 0;
        if (!character(c))
          return false;
        text::append_utf8(node.text, c);
      }
      ++at;
      grammar.literals_.push_back(node.text);
    } else if (peek() == '[') {
      node.kind = Kind::set;
      ++at;
      if (peek() == '^') {
        node.negated = true;
        ++at;
      }
      while (peek() != ']') {
        char32_t from = 0;
        if (!character(from))
          return false;
        char32_t to = from;
        if (peek() == '-' && at + 1 < text.size() && text[at + 1] != ']') {
          ++at;
          if (!character(to))
            return false;
        }
        if (to < from)
          return fail("a range that is upside down");
        node.ranges.emplace_back(from, to);
      }
      ++at;
    } else if (peek() == '(') {
      ++at;
      if (!choice(out, true, depth + 1))
        return false;
      if (peek() != ')')
        return fail("no )");
      ++at;
      return true;
    } else if (is_name(peek())) {
      node.kind = Kind::rule;
      node.rule = rule(name());
    } else {
      return fail("nothing that a grammar has");
    }
    out = add(std::move(node));
    return true;
  }

  bool sequence(std::size_t& out, bool lines, int depth) {
    Node all;
    all.kind = Kind::sequence;
    blanks(lines);
    while (at < text.size() && peek() != '|' && peek() != ')' && peek() != '\n') {
      std::size_t part = 0;
      if (!primary(part, depth))
        return false;
      while (peek() == '*' || peek() == '+' || peek() == '?' || peek() == '{') {
        Node repeat;
        repeat.kind = Kind::repeat;
        repeat.parts = {part};
        repeat.max = endless;
        const char c = peek();
        ++at;
        if (c == '+')
          repeat.min = 1;
        else if (c == '?')
          repeat.max = 1;
        else if (c == '{') {
          if (!number(repeat.min))
            return false;
          repeat.max = repeat.min;
          if (peek() == ',') {
            ++at;
            repeat.max = endless;
            if (peek() != '}' && !number(repeat.max))
              return false;
          }
          if (peek() != '}' || repeat.max < repeat.min)
            return fail("no repeat");
          ++at;
        }
        part = add(std::move(repeat));
      }
      all.parts.push_back(part);
      blanks(lines);
    }
    out = add(std::move(all));
    return true;
  }

  bool choice(std::size_t& out, bool lines, int depth) {
    if (depth > 200)
      return fail("brackets too deep");
    Node all;
    all.kind = Kind::choice;
    while (true) {
      std::size_t part = 0;
      if (!sequence(part, lines, depth))
        return false;
      all.parts.push_back(part);
      if (peek() != '|')
        break;
      ++at;
    }
    out = add(std::move(all));
    return true;
  }

  bool read() {
    for (blanks(true); at < text.size(); blanks(true)) {
      const std::string named = name();
      if (named.empty())
        return fail("no name of a rule");
      blanks(false);
      if (text.substr(at, 3) != "::=")
        return fail("no ::=");
      at += 3;
      std::size_t body = 0;
      if (!choice(body, false, 0))
        return false;
      if (peek() != '\n' && at < text.size())
        return fail("more than a rule");
      const std::size_t index = rule(named);
      if (grammar.rules_[index] != endless)
        return fail("the rule " + named + " stands twice");
      grammar.rules_[index] = body;
    }
    for (const auto& [named, index] : grammar.rule_by_name_) {
      if (grammar.rules_[index] == endless)
        return fail("the rule " + named + " is not there");
    }
    auto root = grammar.rule_by_name_.find("root");
    if (root == grammar.rule_by_name_.end())
      return fail("no rule root");
    grammar.root_ = root->second;
    return true;
  }
};

std::string Grammar::read(std::string_view text) {
  *this = Grammar();
  Reader reader{*this, text, 0, {}};
  reader.read();
  return reader.problem;
}

struct Grammar::Search {
  const Grammar& grammar;
  std::string_view text;
  std::uint64_t steps = 0;
  bool beyond = false;
  using Places = std::set<std::size_t>;
  std::map<std::pair<std::size_t, std::size_t>, Places> known = {};  // rule and place

  bool in_set(const Node& node, char32_t c) const {
    const bool found = std::any_of(node.ranges.begin(), node.ranges.end(),
                                   [c](const auto& range) { return range.first <= c && c <= range.second; });
    return found != node.negated;
  }

  Places run(std::size_t id, const Places& from, int depth) {
    Places out;
    if (depth > depth_max || ++steps > steps_max) {
      beyond = true;
      return out;
    }
    const Node& node = grammar.nodes_[id];
    switch (node.kind) {
      case Kind::literal:
        for (std::size_t at : from) {
          if (text.substr(at, node.text.size()) == node.text)
            out.insert(at + node.text.size());
        }
        return out;
      case Kind::set:
        for (std::size_t at : from) {
          if (at < text.size()) {
            const text::Decoded next = text::decode(text.data() + at, text.data() + text.size());
            if (in_set(node, next.code_point))
              out.insert(at + next.size);
          }
        }
        return out;
      case Kind::rule:
        for (std::size_t at : from) {
          auto found = known.find({node.rule, at});
          if (found == known.end()) {
            Places ends = run(grammar.rules_[node.rule], {at}, depth + 1);
            found = known.emplace(std::make_pair(node.rule, at), std::move(ends)).first;
          }
          out.insert(found->second.begin(), found->second.end());
        }
        return out;
      case Kind::sequence:
        out = from;
        for (std::size_t part : node.parts) {
          if (out.empty())
            break;
          out = run(part, out, depth + 1);
        }
        return out;
      case Kind::choice:
        for (std::size_t part : node.parts) {
          const Places one = run(part, from, depth + 1);
          out.insert(one.begin(), one.end());
        }
        return out;
      case Kind::repeat: {
        Places now = from;
        for (std::uint64_t n = 0; !now.empty() && !beyond; ++n) {
          if (n >= node.min) {
            const std::size_t before = out.size();
            out.insert(now.begin(), now.end());
            if (n > node.min && out.size() == before)
              break;  // nothing new can follow
          }
          if (n == node.max)
            break;
          now = run(node.parts.front(), now, depth + 1);
        }
        return out;
      }
    }
    return out;
  }
};

Run Grammar::allows(std::string_view text) const {
  if (text.size() > text_max)
    return Run::unknown;
  Search search{*this, text};
  const Search::Places ends = search.run(rules_[root_], {0}, 0);
  if (search.beyond)
    return Run::unknown;
  return ends.count(text.size()) != 0 ? Run::yes : Run::no;
}

struct Grammar::Sampler {
  const Grammar& grammar;
  std::uint64_t state;
  std::string out = {};
  std::vector<std::size_t> least = {};  // of each node: the shortest text it makes, capped

  std::uint64_t next(std::uint64_t below) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return below == 0 ? 0 : state % below;
  }

  void find_least() {
    constexpr std::size_t far = 1'000'000;
    least.assign(grammar.nodes_.size(), far);
    for (bool more = true; more;) {
      more = false;
      for (std::size_t id = 0; id < least.size(); ++id) {
        const Node& node = grammar.nodes_[id];
        std::size_t size = far;
        if (node.kind == Kind::literal) {
          size = node.text.size();
        } else if (node.kind == Kind::set) {
          size = 1;
        } else if (node.kind == Kind::rule) {
          size = least[grammar.rules_[node.rule]] + 1;  // so that the way out of a circle is the shorter one
        } else if (node.kind == Kind::repeat) {
          size = std::min<std::size_t>(far, static_cast<std::size_t>(node.min) * least[node.parts.front()]);
        } else if (node.kind == Kind::choice) {
          for (std::size_t part : node.parts)
            size = std::min(size, least[part]);
        } else {
          size = 0;
          for (std::size_t part : node.parts)
            size = std::min(far, size + least[part]);
        }
        if (size < least[id]) {
          least[id] = size;
          more = true;
        }
      }
    }
  }

  void write(std::size_t id, int depth) {
    const Node& node = grammar.nodes_[id];
    const bool hurry = depth > 60 || out.size() > 1500;
    switch (node.kind) {
      case Kind::literal:
        out += node.text;
        return;
      case Kind::set: {
        if (!node.negated) {
          const auto& range = node.ranges[next(node.ranges.size())];
          const char32_t c = range.first + static_cast<char32_t>(next(range.second - range.first + 1));
          text::append_utf8(out, text::is_surrogate(c) ? U'x' : c);
          return;
        }
        static constexpr char32_t some[] = {'a', 'b', 'Z', '0', ' ', '.', 0xE9, 0x4E2D, 0x1F600};
        for (char32_t c : some) {
          const char32_t tried = next(2) == 0 ? c : some[next(std::size(some))];
          const bool in = std::any_of(node.ranges.begin(), node.ranges.end(), [tried](const auto& range) {
            return range.first <= tried && tried <= range.second;
          });
          if (!in) {
            text::append_utf8(out, tried);
            return;
          }
        }
        out += 'x';
        return;
      }
      case Kind::rule:
        write(grammar.rules_[node.rule], depth + 1);
        return;
      case Kind::sequence:
        for (std::size_t part : node.parts)
          write(part, depth + 1);
        return;
      case Kind::choice: {
        std::size_t chosen = node.parts[next(node.parts.size())];
        if (hurry) {
          for (std::size_t part : node.parts)
            chosen = least[part] < least[chosen] ? part : chosen;
        }
        write(chosen, depth + 1);
        return;
      }
      case Kind::repeat: {
        std::uint64_t count = node.min;
        if (!hurry)
          count += std::min<std::uint64_t>(next(4) == 0 ? next(6) : next(2), node.max - node.min);
        for (std::uint64_t n = 0; n < count; ++n)
          write(node.parts.front(), depth + 1);
        return;
      }
    }
  }
};

std::string Grammar::sample(std::uint64_t seed) const {
  Sampler sampler{*this, seed * 0x9E3779B97F4A7C15U + 0x1234567U};
  sampler.find_least();
  sampler.write(rules_[root_], 0);
  return sampler.out;
}

}  // namespace plumb::cases
