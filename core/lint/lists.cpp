// Lists of values and of schemas: members that are excluded, members that occur twice, examples that break their own
// schema.
#include "core/contract/engine/engine.hpp"
#include "core/json/equality.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/lint/looking.hpp"

namespace plumb::lint {

using json::Kind;

namespace {

constexpr std::size_t members_max = 300;  // of one list that are looked at

// The first thing that the schema finds in a value by itself; empty when it holds.
std::string broken_by(const Looking& looking, const Node& node, const json::Value& value) {
  // The engine wants to own what it runs; here the report's contract does, for longer.
  contract::Engine engine(std::shared_ptr<const Program>(std::shared_ptr<const Program>(), &looking.program), &node,
                          {});
  const contract::Verdict verdict = engine.check_whole(json::value_text(value));
  for (const contract::Finding& finding : verdict.findings) {
    if (finding.severity == contract::Severity::error) {
      return finding.rule;
    }
  }
  return {};
}

void excluded(Looking& looking, const Node& node, std::string_view keyword) {
  const json::Member* list = Looking::member(node, keyword);
  if (list == nullptr) {
    return;
  }
  if (keyword == "const") {
    if (const std::string rule = broken_by(looking, node, list->value); !rule.empty()) {
      looking.add("never-holds", node, keyword,
                  "no value fits: the value that `const` wants breaks '" + rule + "' beside it");
    }
    return;
  }
  std::vector<std::pair<std::size_t, std::string>> out;
  const auto items = list->value.array();
  for (std::size_t i = 0; i < items.size() && i < members_max; ++i) {
    if (std::string rule = broken_by(looking, node, items[i]); !rule.empty()) {
      out.emplace_back(i, std::move(rule));
    }
  }
  if (!items.empty() && out.size() == items.size()) {
    looking.add("never-holds", node, keyword,
                "no value fits: every member of `enum` breaks '" + out.front().second + "' beside it");
    return;
  }
  for (const auto& [index, rule] : out) {
    std::string at;
    json::append_token(at, index);
    LintFinding& finding = looking.add("enum-excluded", node, keyword,
                                       json::excerpt(json::value_text(items[index]), 60) +
                                           " can never be the value: it breaks '" + rule + "' beside `enum`",
                                       at);
    finding.fix = Fix{"Remove it from the list", {Looking::removal(list->value, index)}, true};
  }
}

void repeated(Looking& looking, const Node& node, std::string_view keyword) {
  const json::Member* list = Looking::member(node, keyword);
  if (list == nullptr || !list->value.is(Kind::array)) {
    return;
  }
  const auto items = list->value.array();
  for (std::size_t i = 1; i < items.size() && i < members_max; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!json::equal(items[i], items[j])) {
        continue;
      }
      std::string at;
      json::append_token(at, i);
      LintFinding& finding =
          looking.add("repeated", node, keyword,
                      keyword == "oneOf"
                          ? "this branch is the same as an earlier one: a value that fits one fits both, and is refused"
                      : keyword == "enum" ? "this value appears earlier in the list"
                                          : "this schema appears earlier in the list",
                      at);
      if (keyword == "oneOf") {
        finding.severity = contract::Severity::error;
      }
      // Without it a broken allOf has one finding less, and a oneOf accepts what it refused.
      finding.fix =
          Fix{"Remove it from the list", {Looking::removal(list->value, i)}, keyword == "enum" || keyword == "anyOf"};
      break;
    }
  }
}

void examples(Looking& looking, const Node& node) {
  const auto look = [&](std::string_view keyword, const json::Value& value, const std::string& at) {
    if (const std::string rule = broken_by(looking, node, value); !rule.empty()) {
      looking.add("example-breaks", node, keyword,
                  json::excerpt(json::value_text(value), 60) + " breaks '" + rule + "' of its own schema", at);
    }
  };
  if (const json::Member* value = Looking::member(node, "default")) {
    look("default", value->value, "");
  }
  if (const json::Member* list = Looking::member(node, "examples")) {
    for (std::size_t i = 0; i < list->value.array().size() && i < members_max; ++i) {
      std::string at;
      json::append_token(at, i);
      look("examples", list->value.array()[i], at);
    }
  }
}

}  // namespace

void look_at_lists(Looking& looking) {
  for (const Seen& seen : looking.seen) {
    const Node& node = *seen.node;
    excluded(looking, node, "enum");
    excluded(looking, node, "const");
    for (const std::string_view keyword : {"enum", "anyOf", "oneOf", "allOf"}) {
      repeated(looking, node, keyword);
    }
    examples(looking, node);
  }
}

}  // namespace plumb::lint
