// What has no end: texts and lists that a model may go on writing. One finding for all of a kind, at the first.
#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/lint/looking.hpp"

namespace plumb::lint {

using contract::InPlace;
using contract::no_bound;

namespace {

constexpr std::size_t named_max = 4;  // places that a message names

bool any_of_all(const Node& node, unsigned depth, bool (*holds)(const Node&)) {
  if (holds(node)) {
    return true;
  }
  return depth < 8 && std::any_of(node.in_place.begin(), node.in_place.end(), [&](const InPlace& in) {
           return in.node != nullptr && in.form != InPlaceForm::negation && in.form != InPlaceForm::condition &&
                  any_of_all(*in.node, depth + 1, holds);
         });
}

bool text_has_end(const Node& node) {
  if (node.scalar || node.never || node.schema->find("format") != nullptr) {
    return true;
  }
  if (!node.string) {
    return false;
  }
  const contract::StringPart& s = *node.string;
  if (s.max_length != no_bound || (s.has_length && s.length_max != no_bound)) {
    return true;
  }
  if (std::any_of(s.text_rules.begin(), s.text_rules.end(),
                  [](const contract::TextRule& rule) { return rule.kw == Kw::max_sentences; })) {
    return true;
  }
  // A pattern from end to end without a repeat that has none.
  const json::Value* pattern = node.schema->find("pattern");
  const std::string_view text = pattern == nullptr ? std::string_view() : pattern->str();
  return !text.empty() && text.front() == '^' && text.back() == '$' &&
         text.find_first_of("*+") == std::string_view::npos && text.find(",}") == std::string_view::npos;
}

// A value that is in a known list is as long as what is listed.
bool text_is_listed(const Node& node) {
  return node.extra &&
         std::any_of(node.extra->cross.begin(), node.extra->cross.end(),
                     [](const contract::CrossRule& r) { return r.kw == Kw::member_of || r.kw == Kw::quoted_from; });
}

bool list_has_end(const Node& node) {
  return node.never || node.scalar ||
         (node.array &&
          (node.array->max_items != no_bound || (node.array->items != nullptr && node.array->items->never)));
}

void tell(Looking& looking, std::string_view rule, const std::vector<const Node*>& nodes, std::string_view keyword,
          std::string_view one, std::string_view many) {
  if (nodes.empty()) {
    return;
  }
  std::string message = nodes.size() == 1 ? std::string(one) : json::uint_text(nodes.size()) + " " + std::string(many);
  if (nodes.size() > 1) {
    message += ": ";
    for (std::size_t i = 0; i < nodes.size() && i < named_max; ++i) {
      message += (i == 0 ? "" : ", ") + nodes[i]->location;
    }
    message += nodes.size() > named_max ? " and more" : "";
  }
  looking.add(rule, *nodes.front(), keyword, std::move(message));
}

}  // namespace

void look_at_size(Looking& looking) {
  std::vector<const Node*> texts;
  std::vector<const Node*> lists;
  for (const Seen& seen : looking.seen) {
    const Node& node = *seen.node;
    if (seen.place == Place::condition) {
      continue;
    }
    if (node.types == contract::type_string && !any_of_all(node, 0, text_has_end) &&
        !any_of_all(node, 0, text_is_listed)) {
      texts.push_back(&node);
    }
    if (node.types == contract::type_array && !any_of_all(node, 0, list_has_end)) {
      lists.push_back(&node);
    }
  }
  tell(looking, "endless-text", texts, "type", "this text has no upper bound", "texts have no upper bound");
  tell(looking, "endless-list", lists, "type", "this list has no upper bound", "lists have no upper bound");
}

}  // namespace plumb::lint
