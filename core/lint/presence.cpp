// What may be missing: lists and objects that may be empty though something is said of each part, schemas that say
// nothing of other kinds of value, members that nothing declares.
#include <algorithm>

#include "core/json/pointer.hpp"
#include "core/lint/looking.hpp"
#include "core/text/pattern.hpp"
#include "core/text/suggest.hpp"

namespace plumb::lint {

using contract::InPlace;
using json::Kind;

namespace {

// More than a type: something that an artifact with nothing in it would evade.
bool says_more(const Node* node, unsigned depth = 0) {
  if (node == nullptr || node->always || depth > 4) {
    return false;
  }
  if (node->scalar || node->number || node->string || node->never) {
    return true;
  }
  if (node->object && (!node->object->required.empty() || node->object->min_properties > 0)) {
    return true;
  }
  if (node->array && (node->array->min_items > 0 || node->array->contains)) {
    return true;
  }
  if (node->extra && (!node->extra->cross.empty() || !node->extra->rules.empty())) {
    return true;
  }
  if (node->object) {
    for (const contract::Slot& slot : node->object->slots) {
      if (says_more(slot.node, depth + 1)) {
        return true;
      }
    }
  }
  return std::any_of(node->in_place.begin(), node->in_place.end(), [&](const InPlace& in) {
    return !in.branches.empty() || in.form == InPlaceForm::negation || in.form == InPlaceForm::condition ||
           says_more(in.node, depth + 1);
  });
}

bool has_in_place(const Node& node) {
  return std::any_of(node.in_place.begin(), node.in_place.end(), [](const InPlace& in) {
    return in.form != InPlaceForm::negation && in.form != InPlaceForm::dependent;
  });
}

void empty_list(Looking& looking, const Seen& seen) {
  const Node& node = *seen.node;
  if (!node.array || !node.array->prefix.empty() || has_in_place(node)) {
    return;
  }
  const contract::ArrayPart& a = *node.array;
  // A rule of the scorecard may want an item, and minItems 0 says that none is meant to do.
  const bool by_rule =
      node.extra && std::any_of(node.extra->rules.begin(), node.extra->rules.end(), [](const contract::Rule& rule) {
        return rule.check != nullptr && rule.check->array && rule.check->array->min_items > 0;
      });
  const bool bound =
      a.min_items > 0 || (a.contains && a.contains->min > 0) || by_rule || Looking::member(node, "minItems") != nullptr;
  if (bound || a.max_items == 0 || !says_more(a.items) || looking.in_itself(a.items)) {
    return;
  }
  // Items that refer to a tree end somewhere: there the list is empty.
  for (const InPlace& in : a.items->in_place) {
    if (in.node != nullptr && looking.in_itself(in.node)) {
      return;
    }
  }
  LintFinding& finding = looking.add("empty-passes", node, "items",
                                     "each item must keep rules, and no rule wants an item: an empty list passes");
  const json::Member* items = Looking::member(node, "items");
  if (items != nullptr) {
    finding.fix = Fix{"Add \"minItems\": 1", {{items->key_from, items->key_from, "\"minItems\": 1, "}}, false};
  }
}

void empty_object(Looking& looking, const Seen& seen) {
  const Node& node = *seen.node;
  if (!node.object || has_in_place(node)) {
    return;
  }
  const contract::ObjectPart& o = *node.object;
  const bool says =
      std::any_of(o.slots.begin(), o.slots.end(), [](const contract::Slot& s) { return says_more(s.node); });
  if (says && o.required.empty() && o.min_properties == 0 && Looking::member(node, "required") == nullptr) {
    looking.add("empty-passes", node, "properties",
                "members must keep rules, and none is required: an empty object passes");
  }
}

// A rule about each of what a pointer finds, where nothing may be found.
void rules_of_each(Looking& looking, const Seen& seen) {
  const Node& node = *seen.node;
  for (const contract::Rule& rule : node.extra->rules) {
    if (!rule.each) {
      continue;
    }
    const contract::PointerPattern& pattern = looking.program.pointer_patterns[rule.each_pattern];
    const Node* at = &node;
    std::string missing;
    for (const json::PointerToken& token : pattern.tokens) {
      while (at != nullptr && at->in_place.size() == 1 && at->in_place[0].form == InPlaceForm::reference) {
        at = at->in_place[0].node;
      }
      if (at == nullptr || has_in_place(*at)) {
        at = nullptr;
        break;
      }
      if (token.star) {
        if (!at->array) {
          at = nullptr;
          break;
        }
        const bool some = at->array->min_items > 0 || (at->array->contains && at->array->contains->min > 0);
        missing = some ? "" : "no rule wants an item in the list";
        at = at->array->items;
      } else {
        const Node* next = nullptr;
        bool required = false;
        for (std::size_t s = 0; at->object && s < at->object->slots.size(); ++s) {
          const contract::Slot& slot = at->object->slots[s];
          if (slot.key == token.text) {
            next = slot.node;
            required = slot.required != contract::none32;
          }
        }
        missing = required ? "" : "'" + token.text + "' is not required";
        at = next;
      }
      if (!missing.empty()) {
        break;
      }
    }
    if (!missing.empty()) {
      std::string below;
      json::append_token(below, rule.order);
      looking.add("empty-passes", node, "rules",
                  "rule '" + rule.id + "' is about each of " + pattern.text() + ", and " + missing, below);
    }
  }
}

// ---------------------------------------------------------------- types

std::vector<const Node*> together(const Node& node) {
  constexpr std::size_t nodes_max = 200;
  std::vector<const Node*> out{&node};
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const InPlace& in : out[i]->in_place) {
      if (in.node != nullptr && in.form != InPlaceForm::negation && in.form != InPlaceForm::condition &&
          out.size() < nodes_max && std::find(out.begin(), out.end(), in.node) == out.end()) {
        out.push_back(in.node);
      }
      for (const Node* branch : in.branches) {
        if (out.size() < nodes_max && std::find(out.begin(), out.end(), branch) == out.end()) {
          out.push_back(branch);
        }
      }
    }
  }
  return out;
}

void no_type(Looking& looking, const Seen& seen) {
  const Node& node = *seen.node;
  for (const Node* one : together(node)) {
    if ((one->types & contract::type_any) != contract::type_any || one->scalar || one->never) {
      return;
    }
  }
  const bool extra = node.extra && (!node.extra->pointed.empty() || !node.extra->trees.empty());
  const int kinds = (node.object ? 1 : 0) + (node.array ? 1 : 0) + (node.string ? 1 : 0) + (node.number ? 1 : 0);
  if (kinds != 1 || extra) {
    return;
  }
  const std::string_view kind = node.object ? "object" : node.array ? "array" : node.string ? "string" : "number";
  const std::string_view plural = node.object ? "objects" : node.array ? "lists" : node.string ? "texts" : "numbers";
  const std::string_view other = node.object || node.array ? "a text or a number" : "a list or null";
  LintFinding& finding =
      looking.add("no-type", node, "",
                  "this speaks of " + std::string(plural) + " and has no `type`: " + std::string(other) + " passes");
  const auto members = node.schema->object();
  if (!members.empty()) {
    // The line of the first keyword is begun anew, with the white space before it.
    const std::uint64_t gap_from = node.schema->from + 1;
    const std::string_view text = looking.program.text();
    std::string gap(
        text.substr(static_cast<std::size_t>(gap_from), static_cast<std::size_t>(members[0].key_from - gap_from)));
    finding.span.from = members[0].key_from;
    finding.span.to = members[0].key_to;
    finding.fix = Fix{"Add \"type\": \"" + std::string(kind) + "\"",
                      {{members[0].key_from, members[0].key_from,
                        "\"type\": \"" + std::string(kind) + "\"," + (gap.empty() ? " " : gap)}},
                      false};
  }
}

// ---------------------------------------------------------------- members that nothing declares

bool declares(const Program& program, const Node& node, std::string_view key) {
  if (!node.object) {
    return false;
  }
  for (const contract::Slot& slot : node.object->slots) {
    if (slot.key == key && slot.node != nullptr) {
      return true;
    }
  }
  for (const auto& pattern : node.object->pattern_properties) {
    text::Matcher matcher(program.patterns[pattern.pattern]);
    if (matcher.search(key)) {
      return true;
    }
  }
  return node.object->additional != nullptr && !node.object->additional->always && !node.object->additional->never;
}

void undeclared(Looking& looking, const Seen& seen) {
  const Node& node = *seen.node;
  if (!node.object) {
    return;
  }
  const std::vector<const Node*> all = together(node);
  std::vector<std::string_view> names;
  for (const contract::Slot& slot : node.object->slots) {
    if (slot.node != nullptr) {
      names.push_back(slot.key);
    }
  }
  if (names.empty()) {
    return;  // members are declared elsewhere, or not at all
  }
  const json::Member* list = Looking::member(node, "required");
  for (std::size_t i = 0; list != nullptr && i < list->value.array().size(); ++i) {
    const json::Value& item = list->value.array()[i];
    const std::string_view key = item.str();
    if (std::any_of(all.begin(), all.end(), [&](const Node* one) { return declares(looking.program, *one, key); })) {
      continue;
    }
    std::string at;
    json::append_token(at, i);
    const std::optional<std::size_t> near = text::nearest(key, names);
    LintFinding& finding =
        looking.add("undeclared-member", node, "required",
                    "'" + std::string(key) + "' is required and `properties` does not say what it is" +
                        (near ? "; is '" + std::string(names[*near]) + "' meant?" : std::string()),
                    at);
    finding.severity = near ? contract::Severity::warning : contract::Severity::info;
    if (near) {
      finding.fix = Fix{"Write '" + std::string(names[*near]) + "'",
                        {{item.from, item.to, "\"" + std::string(names[*near]) + "\""}},
                        false};
    }
  }
}

// `additionalProperties: false` knows the `properties` beside it alone.
void closed(Looking& looking, const Seen& seen) {
  std::vector<const Node*> all{seen.node};
  for (const InPlace& in : seen.node->in_place) {
    if (in.joins() && in.node != nullptr) {
      all.push_back(in.node);
    }
  }
  for (const Node* one : all) {
    const bool shut = one->object && one->object->additional != nullptr && one->object->additional->never;
    if (!shut || (!one->location.empty() && one->location.front() != '/')) {
      continue;
    }
    for (const Node* other : all) {
      for (std::size_t s = 0; other != one && other->object && s < other->object->slots.size(); ++s) {
        const contract::Slot& slot = other->object->slots[s];
        if (slot.node != nullptr && !slot.node->never && !declares(looking.program, *one, slot.key)) {
          looking.add("closed-branch", *one, "additionalProperties",
                      "'" + std::string(slot.key) +
                          "' is declared beside this schema and refused by it; `unevaluatedProperties: false` in the "
                          "outer schema knows both");
          return;
        }
      }
    }
  }
}

}  // namespace

void look_at_presence(Looking& looking) {
  for (const Seen& seen : looking.seen) {
    if (seen.place != Place::value || !seen.node->schema->is(Kind::object)) {
      continue;
    }
    if (seen.surely) {
      empty_list(looking, seen);
      empty_object(looking, seen);
      if (seen.node->extra) {
        rules_of_each(looking, seen);
      }
    }
    no_type(looking, seen);
    undeclared(looking, seen);
    closed(looking, seen);
  }
}

}  // namespace plumb::lint
