// Keywords that nobody reads, messages that can never be said, definitions that nothing refers to, and what the reader
// of contracts warned of.
#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/lint/looking.hpp"

namespace plumb::lint {

using contract::Dialect;
using json::Kind;

namespace {

void alone(Looking& looking, const Node& node, Dialect dialect) {
  struct Needs {
    std::string_view keyword;
    std::string_view other;
  };
  constexpr Needs needs[] = {{"then", "if"}, {"else", "if"}, {"minContains", "contains"}, {"maxContains", "contains"}};
  const auto tell = [&](std::string_view keyword, std::string message) {
    LintFinding& finding = looking.add("unread-keyword", node, keyword, std::move(message));
    Looking::remove(finding, node, keyword);
  };
  for (const Needs& one : needs) {
    if (Looking::member(node, one.keyword) != nullptr && Looking::member(node, one.other) == nullptr) {
      tell(one.keyword, "'" + std::string(one.keyword) + "' is read only beside '" + std::string(one.other) +
                            "', which is not there");
    }
  }
  if (Looking::member(node, "if") != nullptr && Looking::member(node, "then") == nullptr &&
      Looking::member(node, "else") == nullptr) {
    tell("if", "'if' without 'then' or 'else' says nothing");
  }
  if (dialect >= Dialect::draft2020_12 && Looking::member(node, "additionalItems") != nullptr) {
    tell("additionalItems", "'additionalItems' is of older drafts: `items` beside `prefixItems` is what is read");
  }
  if (contract::ref_stands_alone(dialect) && Looking::member(node, "$ref") != nullptr) {
    for (const json::Member& member : node.schema->object()) {
      if (member.key != "$ref" && contract::kw_named(member.key) != Kw::none) {
        LintFinding& finding =
            looking.add("unread-keyword", node, member.key,
                        "'" + std::string(member.key) +
                            "' appears beside `$ref`, where this draft reads nothing else; put both into "
                            "`allOf`");
        Looking::remove(finding, node, member.key);
        return;
      }
    }
  }
}

void messages(Looking& looking, const Node& node) {
  const json::Member* list = Looking::member(node, "errorMessage");
  if (list == nullptr || !list->value.is(Kind::object)) {
    return;
  }
  for (const json::Member& one : list->value.object()) {
    const Kw kw = contract::kw_named(one.key);
    if (kw == Kw::none || Looking::member(node, one.key) != nullptr) {
      continue;
    }
    std::string at;
    json::append_token(at, one.key);
    LintFinding& finding =
        looking.add("unread-message", node, "errorMessage",
                    "there is no '" + std::string(one.key) + "' beside it whose message this could be", at);
    finding.span.from = one.key_from;
    finding.fix = list->value.size == 1 ? Fix{"Remove 'errorMessage'", {Looking::removal(*node.schema, *list)}, true}
                                        : Fix{"Remove the message", {Looking::removal(list->value, one)}, true};
  }
}

void stops(Looking& looking, const Node& node) {
  const json::Member* list = Looking::member(node, "stopAt");
  if (list == nullptr || !list->value.is(Kind::array)) {
    return;
  }
  const auto items = list->value.array();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (Looking::member(node, items[i].str()) != nullptr) {
      continue;
    }
    std::string at;
    json::append_token(at, i);
    LintFinding& finding =
        looking.add("stops-nothing", node, "stopAt",
                    "there is no '" + std::string(items[i].str()) + "' beside it: nothing stops there", at);
    finding.fix = items.size() == 1 ? Fix{"Remove 'stopAt'", {Looking::removal(*node.schema, *list)}, true}
                                    : Fix{"Remove it from the list", {Looking::removal(list->value, i)}, true};
  }
  // What breaks only together with what stops before it.
  const auto before = [&](std::string_view first, std::string_view second) {
    const json::Member* a = Looking::member(node, first);
    const json::Member* b = Looking::member(node, second);
    const bool stopped =
        std::any_of(items.begin(), items.end(), [&](const json::Value& item) { return item.str() == first; });
    return a != nullptr && b != nullptr && a->key_from < b->key_from && stopped;
  };
  const auto shadowed = [&](std::string_view keyword) {
    LintFinding& finding = looking.add(
        "shadowed", node, keyword,
        "what breaks '" + std::string(keyword) + "' breaks 'notBlank' before it, where stopAt stops: it is never told");
    Looking::remove(finding, node, keyword, false);
  };
  if (node.string && node.string->not_blank) {
    if (node.string->min_length == 1 && before("notBlank", "minLength")) {
      shadowed("minLength");
    }
    if (node.string->has_length && node.string->length_min == 1 && node.string->length_max == contract::no_bound &&
        node.string->length_fold.trim && before("notBlank", "length")) {
      shadowed("length");
    }
  }
}

void unanchored(Looking& looking, const Node& node) {
  const json::Member* pattern = Looking::member(node, "pattern");
  if (pattern == nullptr || !pattern->value.is(Kind::string)) {
    return;
  }
  const std::string_view text = pattern->value.str();
  const bool begins = !text.empty() && text.front() == '^';
  const bool ends = !text.empty() && text.back() == '$';
  // A word to be found anywhere is meant so; a class or a repeat by itself hardly is.
  if (!begins && !ends && text.find_first_of("[\\+*{") != std::string_view::npos &&
      text.find_first_of("^$") == std::string_view::npos) {
    looking.add("unanchored", node, "pattern",
                "this is looked for anywhere in the text: with ^ and $ it would be the whole text");
  }
}

void formats(Looking& looking) {
  const Node* first = nullptr;
  std::size_t count = 0;
  for (const Seen& seen : looking.seen) {
    const json::Member* format = Looking::member(*seen.node, "format");
    const bool known = format != nullptr && text::format_named(format->value.str()).has_value();
    if (known && !(seen.node->string && seen.node->string->format)) {
      first = first == nullptr ? seen.node : first;
      ++count;
    }
  }
  if (first != nullptr) {
    looking.add("format-unasked", *first, "format",
                (count == 1 ? std::string("'format' only describes")
                            : json::uint_text(count) + " times 'format' only describes") +
                    ": formats are not asserted, so that any text passes");
  }
}

void definitions(Looking& looking, const Node& root) {
  // A definition is compiled when something leads to it, or to a part of it.
  std::vector<std::uint64_t> compiled;
  for (const Node& node : looking.program.nodes) {
    if (node.location.empty() || node.location.front() == '/') {
      compiled.push_back(node.schema->from);
    }
  }
  std::sort(compiled.begin(), compiled.end());
  for (const std::string_view keyword : {"$defs", "definitions"}) {
    const json::Member* list = Looking::member(root, keyword);
    if (list == nullptr) {
      continue;
    }
    for (const json::Member& one : list->value.object()) {
      const auto first = std::lower_bound(compiled.begin(), compiled.end(), one.value.from);
      const bool used = first != compiled.end() && *first < one.value.to;
      const bool named = one.value.find("$id") != nullptr || one.value.find("$anchor") != nullptr ||
                         one.value.find("$dynamicAnchor") != nullptr;
      if (used || named) {
        continue;
      }
      std::string at;
      json::append_token(at, one.key);
      LintFinding& finding =
          looking.add("unused-definition", root, keyword, "nothing refers to '" + std::string(one.key) + "'", at);
      finding.span.from = one.key_from;
      finding.fix = list->value.size == 1
                        ? Fix{"Remove '" + std::string(keyword) + "'", {Looking::removal(*root.schema, *list)}, true}
                        : Fix{"Remove '" + std::string(one.key) + "'", {Looking::removal(list->value, one)}, true};
    }
  }
}

std::string_view rule_of(contract::WarningKind kind) {
  switch (kind) {
    case contract::WarningKind::unknown_keyword:
      return "unknown-keyword";
    case contract::WarningKind::repeated:
      return "repeated";
    case contract::WarningKind::old_escape:
      return "old-escape";
    default:
      return "other-form";
  }
}

// What the reader said, by the rule that it belongs to.
void warnings(Looking& looking, const Node& root) {
  for (const contract::Warning& warning : looking.program.warnings) {
    const std::string_view rule = rule_of(warning.kind);
    LintFinding& finding = looking.add(rule, root, "", warning.message);
    const json::Value* value = json::resolve(*root.schema, warning.at);
    finding.at = warning.at;
    if (value == nullptr) {
      continue;
    }
    finding.span.from = value->from;
    finding.span.to = value->to;
    const std::size_t slash = warning.at.rfind('/');
    const json::Value* parent = slash == std::string::npos
                                    ? nullptr
                                    : json::resolve(*root.schema, std::string_view(warning.at).substr(0, slash));
    const bool unknown = warning.kind == contract::WarningKind::unknown_keyword;
    for (std::size_t i = 0; unknown && parent != nullptr && i < parent->object().size(); ++i) {
      const json::Member& member = parent->object()[i];
      if (&member.value != value) {
        continue;
      }
      finding.span.from = member.key_from;
      finding.span.to = member.key_to;
      const std::string& meant = warning.meant;
      finding.fix = Fix{"Write '" + meant + "'", {{member.key_from, member.key_to, "\"" + meant + "\""}}, false};
    }
  }
}

}  // namespace

void look_at_keywords(Looking& looking) {
  for (const Seen& seen : looking.seen) {
    const Node& node = *seen.node;
    if (!node.schema->is(Kind::object)) {
      continue;
    }
    const Dialect dialect = looking.program.resources[node.resource].dialect;
    alone(looking, node, dialect);
    messages(looking, node);
    stops(looking, node);
    unanchored(looking, node);
  }
  formats(looking);
  const Node& root = looking.program.nodes[0];
  definitions(looking, root);
  warnings(looking, root);
}

}  // namespace plumb::lint
