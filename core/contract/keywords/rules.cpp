// rules: named checks and questions about an instance, each with a severity, what it blocks and labels of its outcome.
// Their schemas apply in place, or where `each` leads to; what becomes of them is in engine/outcomes.hpp and
// scorecard.hpp.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/keywords/keyword.hpp"

namespace plumb::contract {

using json::Kind;
using Step = Compiler::Step;

namespace {

// Reads one rule; a function that says false has told of a fault.
class RuleReader {
 public:
  RuleReader(Compiler& compiler, const Compiler::At& at, const json::Value& item, Rule& rule)
      : compiler_(compiler), at_(at), item_(item), rule_(rule) {}

  bool read(const std::vector<Rule>& before, const std::string& where) {
    return compiler_.form(at_, item_.is(Kind::object), "a list of objects") &&
           compiler_.only_members(at_, item_,
                                  {"id", "title", "check", "ask", "each", "severity", "blocks", "action", "label"}) &&
           read_texts(before) && read_severity() && read_check(where) && read_labels();
  }

  // The schema of the rule is for other places than the instance.
  bool apart() const { return rule_.each && !compiler_.program().pointer_patterns[rule_.each_pattern].tokens.empty(); }

 private:
  bool form(bool good, const std::string& wanted) { return compiler_.form(at_, good, "a list of rules " + wanted); }

  bool read_text(const char* name, std::string& out, bool needed) {
    const json::Value* value = item_.find(name);
    if (value == nullptr) {
      return form(!needed, std::string("that each have ") + name);
    }
    out = std::string(value->str());
    return form(value->is(Kind::string) && value->size > 0, std::string("whose ") + name + " is a text");
  }

  bool read_texts(const std::vector<Rule>& before) {
    if (!read_text("id", rule_.id, true) || !read_text("title", rule_.title, false) ||
        !read_text("ask", rule_.ask, false) || !read_text("action", rule_.action, false) ||
        !form(kw_named(rule_.id) == Kw::none, "whose id is not a keyword's name (" + rule_.id + ")")) {
      return false;
    }
    const bool twice =
        std::any_of(before.begin(), before.end(), [&](const Rule& other) { return other.id == rule_.id; });
    return form(!twice, "with different ids (" + rule_.id + " is there twice)");
  }

  bool read_severity() {
    if (const json::Value* severity = item_.find("severity")) {
      const std::string_view name = severity->str();
      if (!form(name == "error" || name == "warning" || name == "info", "whose severity is error, warning or info")) {
        return false;
      }
      rule_.severity = name == "error" ? Severity::error : name == "warning" ? Severity::warning : Severity::info;
    }
    if (const json::Value* blocks = item_.find("blocks")) {
      if (!form(blocks->is(Kind::boolean), "whose blocks is true or false")) {
        return false;
      }
      rule_.blocks = blocks->boolean;
    }
    return true;
  }

  bool read_check(const std::string& where) {
    const json::Value* check = item_.find("check");
    if (!form(check != nullptr || !rule_.ask.empty(), "that each have check or ask")) {
      return false;
    }
    if (const json::Value* each = item_.find("each")) {
      rule_.each = true;
      rule_.each_pattern = each->is(Kind::string) ? compiler_.pointer(at_, each->str(), json::Slash::here) : none32;
      if (!form(rule_.each_pattern != none32 && leads_downwards(rule_.each_pattern),
                "whose each is a JSON Pointer that leads downwards")) {
        return false;
      }
    }
    if (check == nullptr) {
      return true;
    }
    rule_.check = compiler_.child(at_, *check, where + "/check", apart() ? Step::path : Step::in_place,
                                  apart() ? rule_.each_pattern : none32);
    return rule_.check != nullptr;
  }

  bool leads_downwards(std::uint32_t pattern) const {
    const PointerPattern& pointer = compiler_.program().pointer_patterns[pattern];
    return pointer.base == json::PointerBase::instance && pointer.levels_up == 0;
  }

  bool read_labels() {
    const json::Value* label = item_.find("label");
    if (label == nullptr) {
      return true;
    }
    if (!form(label->is(Kind::object), "whose label is an object")) {
      return false;
    }
    for (const json::Member& entry : label->object()) {
      Rule::Label read;
      read.name = std::string(entry.key);
      if (!(entry.value.is(Kind::string) ? read_source(entry.value.str(), read) : read_outcomes(entry.value, read))) {
        return false;
      }
      rule_.labels.push_back(std::move(read));
    }
    return true;
  }

  // A label that comes from elsewhere.
  bool read_source(std::string_view text, Rule::Label& label) {
    label.from_keyword = std::string(text);
    const bool from_context = text.starts_with("context:");
    if (!form(text == "novel" || from_context,
              "whose label is a map of outcomes, the rule \"novel\", or a pointer into the context")) {
      return false;
    }
    if (from_context) {
      label.context = compiler_.pointer(at_, text, json::Slash::here);
    }
    return !from_context || label.context != none32;
  }

  // A label by what becomes of the rule.
  bool read_outcomes(const json::Value& outcomes, Rule::Label& label) {
    for (const json::Member& outcome : outcomes.object()) {
      const bool known = outcome.key == "holds" || outcome.key == "broken" || outcome.key == "undecided";
      if (!form(known && outcome.value.is(Kind::string), "whose label maps holds, broken and undecided to texts")) {
        return false;
      }
      label.by_outcome.emplace_back(std::string(outcome.key), std::string(outcome.value.str()));
    }
    return true;
  }

  Compiler& compiler_;
  const Compiler::At& at_;
  const json::Value& item_;
  Rule& rule_;
};

void compile_rules(Compiler& compiler, Compiler::At& at) {
  const json::Value& value = at.member.value;
  if (!compiler.form(at, value.is(Kind::array),
                     "a list of rules {id, title, check, ask, each, severity, blocks, action, label}")) {
    return;
  }
  // All of them or none: what is left out is the whole keyword, as its warning says.
  std::vector<Rule> rules;
  std::vector<PointedSchema> apart;
  for (const json::Value& item : value.array()) {
    Rule rule;
    rule.position = at.position;
    rule.order = static_cast<std::uint32_t>(rules.size());
    RuleReader reader(compiler, at, item, rule);
    if (!reader.read(rules, at.where + "/" + std::to_string(rules.size()))) {
      return;
    }
    if (rule.check != nullptr && reader.apart()) {
      PointedSchema pointed;
      pointed.pattern = rule.each_pattern;
      pointed.node = rule.check;
      pointed.kw = Kw::rules;
      pointed.position = at.position;
      pointed.order = rule.order;
      pointed.rule = rule.order;
      apart.push_back(pointed);
    }
    rules.push_back(std::move(rule));
  }
  Program& program = compiler.program();
  program.asks =
      program.asks || std::any_of(rules.begin(), rules.end(), [](const Rule& rule) { return !rule.ask.empty(); });
  ExtraPart& extra = compiler.extra(at.node);
  extra.pointed.insert(extra.pointed.end(), apart.begin(), apart.end());
  extra.rules = std::move(rules);
}

bool has_rule(const json::Value& value) {
  const auto items = value.array();
  return std::any_of(items.begin(), items.end(), [](const json::Value& item) {
    const auto is_text = [&](const char* name) {
      const json::Value* text = item.find(name);
      return text != nullptr && text->is(Kind::string) && text->size > 0;
    };
    const json::Value* check = item.is(Kind::object) ? item.find("check") : nullptr;
    return item.is(Kind::object) && is_text("id") &&
           (is_text("ask") || (check != nullptr && (check->is(Kind::object) || check->is(Kind::boolean))));
  });
}

}  // namespace

const Keyword rules_keyword = {.our_form = has_rule, .compile = compile_rules, .message = [](const Found& found) {
                                 return found.rule_message.empty() ? must_be_shown(found) : found.rule_message;
                               }};

}  // namespace plumb::contract
