// Rules that read other places, and rules over trees.
#include <algorithm>

#include "core/json/decimal.hpp"
#include "core/json/number_text.hpp"
#include "core/sample/keywords.hpp"
#include "core/sample/words.hpp"

namespace plumb::sample {

using contract::CrossRule;
using json::Decimal;
using json::DecimalStatus;
using json::Kind;

namespace {

constexpr std::size_t nodes_max = 400;  // of a tree

std::string plus(const std::string& number, std::string_view more) {
  Decimal a;
  Decimal b;
  Decimal out;
  const bool good = Decimal::read(number, Decimal::exponent_max_default, a) == DecimalStatus::ok &&
                    Decimal::read(more, Decimal::exponent_max_default, b) == DecimalStatus::ok &&
                    a.add(b, Decimal::exponent_max_default, out) == DecimalStatus::ok;
  return good ? out.canonical() : number;
}

// The paths below the value that a pattern finds, as seen from the value.
std::vector<Path> own_places(const Breaking& b, std::uint32_t pattern) {
  std::vector<Path> out;
  if (pattern == contract::none32) {
    return out;
  }
  for (const Reached& reached : reach(b.maker.program().pointer_patterns[pattern], b.around, b.place)) {
    if (!reached.in_context && reached.path.size() >= b.place.size() &&
        std::equal(b.place.begin(), b.place.end(), reached.path.begin())) {
      out.emplace_back(reached.path.begin() + static_cast<std::ptrdiff_t>(b.place.size()), reached.path.end());
    }
  }
  return out;
}

void fresh_values(Breaking& b) {
  Random& random = b.maker.dice();
  for (std::size_t i = 0; i < 4; ++i) {
    if (std::optional<Draft> made = b.maker.make(b.wish, {}, 1)) {
      b.add(std::move(*made));
    }
  }
  if (b.value.is(Kind::number)) {
    b.add(Draft::number(plus(b.value.text, "1000")));
    b.add(Draft::number(plus(b.value.text, "0.5")));
  } else if (b.value.is(Kind::string)) {
    b.text(phrase(random, 3));
    b.text(b.value.text + "s");
  } else if (b.value.is(Kind::object)) {
    for (const Draft& child : b.value.children) {
      Draft copy = b.value;
      Draft* changed = copy.member(child.key);
      if (changed->is(Kind::number)) {
        changed->text = plus(changed->text, "1000");
      } else {
        changed->become(Draft::string(phrase(random, 3)));
      }
      b.add(std::move(copy));
    }
  } else {
    b.text(word(random));
    b.add(Draft::number("4711"));
  }
}

bool erase(Draft& root, const Path& path) {
  Path parent = path;
  parent.pop_back();
  Draft* holder = find(root, parent);
  const Draft* child = find(root, path);
  if (holder == nullptr || child == nullptr) {
    return false;
  }
  holder->children.erase(holder->children.begin() + (child - holder->children.data()));
  return true;
}

void counted(Breaking& b, const CrossRule& rule) {
  std::vector<Path> found;
  for (const CrossRule::Operand& operand : rule.all) {
    for (Path& path : own_places(b, operand.pattern)) {
      found.push_back(std::move(path));
    }
  }
  if (rule.all.empty() || rule.all.front().pattern == contract::none32) {
    for (std::size_t i = 0; i < b.value.children.size(); ++i) {
      found.push_back({b.value.is(Kind::array) ? json::uint_text(i) : b.value.children[i].key});
    }
  }
  for (const CrossRule::Bound& bound : rule.bounds) {
    for (const Path& path : own_places(b, bound.pattern)) {
      Draft copy = b.value;
      Draft* number = find(copy, path);
      if (number->is(Kind::number)) {
        const std::string before = number->text;
        for (const char* more : {"1", "-1", "100", "-100"}) {
          number->text = plus(before, more);
          b.add(copy);
          number = find(copy, path);
        }
      }
    }
  }
  if (rule.kw == Kw::sum_of) {
    for (std::size_t i = 0; i < found.size() && i < 3; ++i) {
      Draft copy = b.value;
      Draft* number = find(copy, found[i]);
      const std::string before = number->text;
      for (const char* more : {"1", "-1", "0.1", "1000", "-1000"}) {
        if (number->is(Kind::number)) {
          number->text = plus(before, more);
          b.add(copy);
        }
      }
    }
  }
  if (!found.empty()) {
    Draft copy = b.value;
    if (erase(copy, found.back())) {
      b.add(copy);
    }
    // One more, and so on: as many as a bound may want.
    copy = b.value;
    Path parent = found.back();
    parent.pop_back();
    const Wish wish = b.maker.wish_at(b.value, b.wish, found.back());
    for (std::size_t i = 0; i < 12; ++i) {
      std::optional<Draft> made = b.maker.make(wish, {}, 1);
      Draft* holder = find(copy, parent);
      if (!made || holder == nullptr) {
        break;
      }
      made->key = holder->is(Kind::object) ? word(b.maker.dice()) + json::uint_text(i) : std::string();
      holder->children.push_back(std::move(*made));
      b.add(copy);
    }
    copy = b.value;
    for (std::size_t i = found.size(); i-- > 0;) {
      erase(copy, found[i]);
    }
    b.add(std::move(copy));
  } else if (b.value.is(Kind::array)) {
    Draft copy = b.value;
    for (std::size_t i = 0; i < 12; ++i) {
      copy.children.push_back(Draft::string(word(b.maker.dice())));
      b.add(copy);
    }
  }
}

void other_set(Breaking& b, const CrossRule& rule) {
  if (!b.value.is(Kind::array)) {
    return;
  }
  Path by;
  if (rule.by != contract::none32) {
    for (const json::PointerToken& token : b.maker.program().pointer_patterns[rule.by].tokens) {
      by.push_back(token.text);
    }
  }
  Draft copy = b.value;
  if (!copy.children.empty()) {
    copy.children.pop_back();
    b.add(copy);
  }
  const View view = b.maker.look(b.wish, 1, nullptr, {});
  if (std::optional<Draft> made = b.maker.make(b.maker.item_wish(view, b.value.children.size()), {}, 1)) {
    copy = b.value;
    copy.children.push_back(std::move(*made));
    b.add(copy);
  }
  for (std::size_t i = 0; i < b.value.children.size() && i < 3; ++i) {
    copy = b.value;
    if (Draft* part = find(copy.children[i], by)) {
      part->become(part->is(Kind::number) ? Draft::number(plus(part->text, "1000"))
                                          : Draft::string(phrase(b.maker.dice(), 3)));
      b.add(copy);
    }
  }
  copy = b.value;
  copy.children.push_back(Draft::string(phrase(b.maker.dice(), 3)));
  b.add(std::move(copy));
}

// Texts that mention all of `all` and none of `any`, or the other way round.
void some_mentioned(Breaking& b, const CrossRule& rule) {
  const auto terms = [&](const std::vector<CrossRule::Operand>& operands) {
    std::string out;
    for (const CrossRule::Operand& operand : operands) {
      if (operand.pattern == contract::none32) {
        out += (out.empty() ? "" : " and ") + operand.literal;
        continue;
      }
      for (const Reached& one : reach(b.maker.program().pointer_patterns[operand.pattern], b.around, b.place)) {
        const Draft* text = find(one.in_context ? *b.around.context : *b.around.root, one.path);
        if (text != nullptr && text->is(Kind::string)) {
          out += (out.empty() ? "" : " and ") + text->text;
        }
      }
    }
    return out;
  };
  if (!rule.all.empty() && !rule.any.empty()) {
    b.text("The " + word(b.maker.dice()) + " shows " + terms(rule.all) + ".");
    b.text("The " + word(b.maker.dice()) + " shows " + terms(rule.any) + ".");
  }
}

// The nodes of a tree with the way to each one's label; `above` is the index of the node above, or none.
struct TreeNode {
  Path path;
  std::size_t above;
};

void collect_tree(const Draft& value, const contract::PointerPattern& children, std::vector<TreeNode>& nodes) {
  for (std::size_t i = 0; i < nodes.size() && nodes.size() < nodes_max; ++i) {
    const Path at = nodes[i].path;
    for (const Reached& below : reach(children, {&value, nullptr, {}}, at)) {
      nodes.push_back({below.path, i});
    }
  }
}

void trees(Breaking& b) {
  const contract::PointerPattern from = pointer_in(*b.site.node, b.site.kw, "from");
  const contract::PointerPattern children = pointer_in(*b.site.node, b.site.kw, "children");
  Path by;
  for (const json::PointerToken& token : pointer_in(*b.site.node, b.site.kw, "by").tokens) {
    by.push_back(token.text);
  }
  Draft value = b.value.is(Kind::object) || b.value.is(Kind::array) ? b.value : Draft::of_kind(Kind::object);
  Path top;
  for (const json::PointerToken& token : from.tokens) {
    top.push_back(token.text);
  }
  if (find(value, top) == nullptr) {
    put(value, top, Draft::of_kind(Kind::object));
  }
  for (std::size_t grown = 0; grown < 3; ++grown) {
    std::vector<TreeNode> nodes;
    for (const Reached& root : reach(from, {&value, nullptr, {}}, {})) {
      nodes.push_back({root.path, ~std::size_t{0}});
    }
    collect_tree(value, children, nodes);
    for (const TreeNode& one : nodes) {
      Path label = one.path;
      label.insert(label.end(), by.begin(), by.end());
      if (find(value, label) == nullptr) {
        put(value, label, Draft::string(word(b.maker.dice())));
      }
    }
    for (std::size_t i = nodes.size(); i-- > 0;) {
      for (std::size_t j = 0; j < i; ++j) {
        bool ancestor = false;
        for (std::size_t up = nodes[i].above; up < nodes.size(); up = nodes[up].above) {
          ancestor = ancestor || up == j;
        }
        Path own = nodes[i].path;
        Path other = nodes[j].path;
        own.insert(own.end(), by.begin(), by.end());
        other.insert(other.end(), by.begin(), by.end());
        Draft copy = value;
        Draft* here = find(copy, own);
        const Draft* there = find(copy, other);
        // Repetition beside an ancestor is no cycle: each rule gets what breaks it alone, where there is such a thing.
        if (here != nullptr && there != nullptr && (ancestor || b.site.kw == Kw::distinct)) {
          const Draft label = *there;
          here->become(label);
          if (ancestor == (b.site.kw == Kw::acyclic)) {
            b.out.insert(b.out.begin(), std::move(copy));
          } else {
            b.add(std::move(copy));
          }
        }
        if (b.out.size() > 12) {
          return;
        }
      }
    }
    // Too small a tree: a child of the root, or one more.
    if (nodes.empty() || children.tokens.empty()) {
      return;
    }
    Path list = nodes.front().path;
    for (std::size_t t = 0; t + 1 < children.tokens.size(); ++t) {
      list.push_back(children.tokens[t].text);
    }
    Draft* holder = find(value, list);
    if (holder == nullptr) {
      if (Draft* root = find(value, nodes.front().path);
          root != nullptr && root->is(Kind::object) && list.size() == nodes.front().path.size() + 1) {
        root->set(list.back(), Draft::of_kind(Kind::array));
        holder = find(value, list);
      }
    }
    if (holder == nullptr || !holder->is(Kind::array)) {
      return;
    }
    Path item = list;
    item.push_back(json::uint_text(holder->children.size()));
    std::optional<Draft> made = b.maker.make(b.maker.wish_at(value, b.wish, item), {}, 1);
    if (!made || find(*made, by) == nullptr) {
      Draft labelled = Draft::of_kind(Kind::object);
      put(labelled, by, Draft::string(word(b.maker.dice())));
      made = std::move(labelled);
    }
    find(value, list)->children.push_back(std::move(*made));
  }
}

const CrossRule& rule_of(const Breaking& b) { return b.site.node->extra->cross[b.site.index]; }

}  // namespace

void break_acyclic(Breaking& b) { trees(b); }

void break_distinct(Breaking& b) {
  if (b.site.node->schema->find("distinct")->find("from") != nullptr) {
    trees(b);
  } else {
    break_distinct_items(b);
  }
}

void break_member_of(Breaking& b) { fresh_values(b); }
void break_total(Breaking& b) { counted(b, rule_of(b)); }
void break_same_set_as(Breaking& b) { other_set(b, rule_of(b)); }

void break_mentions(Breaking& b) {
  Random& random = b.maker.dice();
  some_mentioned(b, rule_of(b));
  b.text(sentence(random));
  b.text(question(random));
  b.text(phrase(random, 2));
  b.text("x");
  fresh_values(b);
}

void break_quoted_from(Breaking& b) {
  fresh_values(b);
  b.text(sentence(b.maker.dice()) + " It is said.");
  b.text(phrase(b.maker.dice(), 4));
}

void break_novel(Breaking& b) {
  for (const CrossRule::Operand& operand : rule_of(b).all) {
    if (operand.pattern == contract::none32) {
      continue;
    }
    for (const Reached& earlier : reach(b.maker.program().pointer_patterns[operand.pattern], b.around, b.place)) {
      const Draft* text = find(earlier.in_context ? *b.around.context : *b.around.root, earlier.path);
      if (text != nullptr && text->is(Kind::string)) {
        b.add(*text);
      }
    }
  }
}

}  // namespace plumb::sample
