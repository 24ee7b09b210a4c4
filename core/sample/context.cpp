// A context document for a contract that reads one: something wherever a pointer leads, of the kind that the rule there
// compares with.
#include "core/json/number_text.hpp"
#include "core/sample/keywords.hpp"
#include "core/sample/mending.hpp"
#include "core/sample/words.hpp"

namespace plumb::sample {

using contract::CrossRule;
using contract::none32;
using contract::PointerPattern;
using json::Kind;

namespace {

constexpr std::size_t items = 3;

bool of_context(const PointerPattern& pattern) { return pattern.base == json::PointerBase::context; }

// Puts what `value` gives wherever the pattern leads. What is there stays, but for what must be a container.
template <class MakeValue>
void put(Draft& at, const PointerPattern& pattern, std::size_t token, const Path& below, const MakeValue& value) {
  if (token == pattern.tokens.size() + below.size()) {
    if (at.is(Kind::null)) {
      const std::string key = at.key;
      at = value();
      at.key = key;
    }
    return;
  }
  const bool inside = token < pattern.tokens.size();
  const json::PointerToken* t = inside ? &pattern.tokens[token] : nullptr;
  if (!at.is(Kind::array) && !at.is(Kind::object)) {
    const std::string key = at.key;
    at = Draft::of_kind(t != nullptr && (t->star || t->is_index) ? Kind::array : Kind::object);
    at.key = key;
  }
  if (t != nullptr && t->star) {
    while (at.is(Kind::array) && at.children.size() < items) {
      at.children.emplace_back();
    }
    for (Draft& child : at.children) {
      put(child, pattern, token + 1, below, value);
    }
    return;
  }
  const std::string name = t != nullptr ? t->text : below[token - pattern.tokens.size()];
  if (at.is(Kind::array)) {
    while (t != nullptr && t->is_index && at.children.size() <= t->index && t->index < 100) {
      at.children.emplace_back();
    }
    if (t != nullptr && t->is_index && t->index < at.children.size()) {
      put(at.children[static_cast<std::size_t>(t->index)], pattern, token + 1, below, value);
    }
    return;
  }
  if (at.member(name) == nullptr) {
    at.set(name, {});
  }
  put(*at.member(name), pattern, token + 1, below, value);
}

Path path_down(const Program& program, std::uint32_t pattern) {
  Path out;
  if (pattern != none32) {
    for (const json::PointerToken& token : program.pointer_patterns[pattern].tokens) {
      out.push_back(token.text);
    }
  }
  return out;
}

void for_rule(Maker& maker, const Node& node, const CrossRule& rule, Draft& context) {
  const Program& program = maker.program();
  Random& random = maker.dice();
  const auto for_value = [&] {
    Wish wish = maker.wish_for(&node);
    if (rule.kw == Kw::same_set_as && node.array && node.array->items != nullptr) {
      wish = maker.wish_for(node.array->items);
    }
    std::optional<Draft> made = maker.make(wish, {}, 1);
    if (rule.kw == Kw::same_set_as && made && rule.by != none32) {
      if (const Draft* part = find(*made, path_down(program, rule.by))) {
        return *part;
      }
    }
    return made && !made->is(Kind::array) ? std::move(*made) : Draft::string(word(random));
  };
  for (const std::vector<CrossRule::Operand>* list : {&rule.all, &rule.any}) {
    for (const CrossRule::Operand& operand : *list) {
      if (operand.pattern == none32 || !of_context(program.pointer_patterns[operand.pattern])) {
        continue;
      }
      const PointerPattern& pattern = program.pointer_patterns[operand.pattern];
      if (!rule.match.empty()) {
        for (const CrossRule::Match& match : rule.match) {
          put(context, pattern, 0, path_down(program, match.other), [&] {
            const Draft whole = for_value();
            const Draft* part = find(whole, path_down(program, match.own));
            return part == nullptr ? Draft::string(word(random)) : *part;
          });
        }
        continue;
      }
      const Path below = rule.kw == Kw::member_of ? path_down(program, rule.by) : Path();
      put(context, pattern, 0, below, [&] {
        const KeywordRow& row = keyword_row(rule.kw);
        return row.compares                ? for_value()
               : row.in_context != nullptr ? row.in_context(random, rule)
                                           : Draft::string(word(random));
      });
    }
  }
  for (const CrossRule::Bound& bound : rule.bounds) {
    if (bound.pattern != none32 && of_context(program.pointer_patterns[bound.pattern])) {
      put(context, program.pointer_patterns[bound.pattern], 0, {}, [] { return Draft::number("2"); });
    }
  }
}

}  // namespace

Draft make_context(Maker& maker) {
  const Program& program = maker.program();
  Draft context;
  // Schemas on the context first: they say most.
  for (const Node& node : program.nodes) {
    if (!node.extra) {
      continue;
    }
    for (const contract::PointedSchema& pointed : node.extra->pointed) {
      const PointerPattern& pattern = program.pointer_patterns[pointed.pattern];
      if (of_context(pattern)) {
        put(context, pattern, 0, {}, [&] {
          std::optional<Draft> made = maker.make(maker.wish_for(pointed.node), {}, 1);
          return made ? std::move(*made) : Draft::number("1");
        });
      }
    }
  }
  for (const Node& node : program.nodes) {
    if (node.extra) {
      for (const CrossRule& rule : node.extra->cross) {
        for_rule(maker, node, rule, context);
      }
    }
  }
  return context.is(Kind::null) ? Draft::of_kind(Kind::object) : context;
}

}  // namespace plumb::sample
