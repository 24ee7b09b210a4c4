// What is in a form: of each schema what it says of scalars and counts, then items and members over all of them.

#include <algorithm>

#include "core/derive/form_reader.hpp"

namespace plumb::derive {

using contract::Kw;
using contract::Node;
using json::Kind;

namespace {

std::uint8_t with_integers(std::uint8_t types) {
  return static_cast<std::uint8_t>((types & contract::type_number) != 0 ? types | contract::type_integer : types);
}

bool fits(const json::Value& value, std::uint8_t types) {
  switch (value.kind) {
    case Kind::null:
      return (types & contract::type_null) != 0;
    case Kind::boolean:
      return (types & contract::type_boolean) != 0;
    case Kind::string:
      return (types & contract::type_string) != 0;
    case Kind::array:
      return (types & contract::type_array) != 0;
    case Kind::object:
      return (types & contract::type_object) != 0;
    case Kind::number:
      break;
  }
  if ((types & contract::type_number) != 0) {
    return true;
  }
  json::Decimal number;
  return (types & contract::type_integer) != 0 &&
         json::Decimal::read(value.str(), json::Decimal::exponent_max_default, number) == json::DecimalStatus::ok &&
         number.is_integer();
}

}  // namespace

// What one schema says about scalars and counts, and what no form can hold.
void FormReader::own_checks(SchemaId id, Form& form) {
  const Node& node = graph_.node(id);
  if (node.never) {
    form.types = 0;
  }
  form.types = static_cast<std::uint8_t>(with_integers(form.types) & with_integers(node.types));
  if (node.string) {
    form.min_length = std::max(form.min_length, node.string->min_length);
    form.max_length = std::min(form.max_length, node.string->max_length);
  }
  if (node.array) {
    form.min_items = std::max(form.min_items, node.array->min_items);
    form.max_items = std::min(form.max_items, node.array->max_items);
  }
  const json::Value& schema = graph_.schema(id);
  const bool contains = schema.find("contains") != nullptr;
  const bool condition = schema.find("if") != nullptr;
  for (const json::Member& member : schema.object()) {
    const Role role = graph_.role(id, member);
    const std::string_view key = member.key;
    if (role == Role::other) {
      const bool idle = ((key == "minContains" || key == "maxContains") && !contains) ||
                        ((key == "then" || key == "else") && !condition);
      if (!idle) {
        graph_.leave(id, key);
      }
    } else if (role == Role::check) {
      const Kw kw = contract::kw_named(key);
      if (key == "pattern") {
        form.patterns.push_back(member.value.str());
      } else if (contract::facets_of(kw).kind == Kind::number) {
        form.bounds.push_back({kw, member.value.str()});
      } else if (is_our_check(key) || key == "format" || key == "minProperties" || key == "maxProperties" ||
                 key == "dependentRequired" || (key == "uniqueItems" && member.value.boolean)) {
        graph_.leave(id, key);
      }
    }
  }
}

void FormReader::values(Form& form) {
  for (SchemaId id : form.schemas) {
    if (graph_.opaque(id)) {
      continue;
    }
    const Node& node = graph_.node(id);
    std::vector<const contract::ScalarPart*> parts;
    if (node.scalar) {
      parts.push_back(node.scalar.get());
    }
    for (const auto& more : node.more_scalars) {
      parts.push_back(more.get());
    }
    for (const contract::ScalarPart* part : parts) {
      std::vector<const json::Value*> now;
      for (const contract::Value& one : part->members) {
        const bool before =
            !form.has_values || std::any_of(form.values.begin(), form.values.end(),
                                            [&](const json::Value* value) { return json::equal(*value, one.value); });
        const bool again = std::any_of(now.begin(), now.end(),
                                       [&](const json::Value* value) { return json::equal(*value, one.value); });
        if (before && !again && fits(one.value, form.types)) {
          now.push_back(&one.value);
        }
      }
      form.values = std::move(now);
      form.has_values = true;
    }
  }
  if (!form.has_values) {
    return;
  }
  // The values are told as they are; what else is asked of them is left.
  for (SchemaId id : form.schemas) {
    for (const json::Member& member : graph_.schema(id).object()) {
      const Role role = graph_.role(id, member);
      const bool told = member.key == "type" || member.key == "enum" || member.key == "const";
      if (!graph_.opaque(id) && !told && (role == Role::check || role == Role::places)) {
        graph_.leave(id, member.key);
      }
    }
  }
}

void FormReader::items(Form& form) {
  std::size_t prefix = 0;
  for (SchemaId id : form.schemas) {
    const Node& node = graph_.node(id);
    if (!graph_.opaque(id) && node.array) {
      prefix = std::max(prefix, node.array->prefix.size());
    }
  }
  for (std::size_t i = 0; i <= prefix && !failed_; ++i) {
    std::vector<SchemaId> starts;
    for (SchemaId id : form.schemas) {
      const Node& node = graph_.node(id);
      if (graph_.opaque(id) || !node.array) {
        continue;
      }
      const Node* item = i < node.array->prefix.size() ? node.array->prefix[i] : node.array->items;
      if (item != nullptr) {
        starts.push_back(graph_.find(*item->schema));
      }
    }
    const FormId item = form_for(starts, {});
    ++parts_;
    if (i < prefix) {
      form.prefix.push_back(item);
    } else {
      form.rest = item;
    }
  }
}

// The schema that `properties` has for a key: the engine's own slots skip what only refers.
SchemaId FormReader::written_for(const Form& form, std::string_view key) const {
  for (SchemaId id : form.schemas) {
    const json::Value* properties = graph_.opaque(id) ? nullptr : graph_.schema(id).find("properties");
    const json::Value* written = properties == nullptr ? nullptr : properties->find(key);
    const SchemaId found = written == nullptr ? no_schema : graph_.find(*written);
    if (found != no_schema) {
      return found;
    }
  }
  return no_schema;
}

void FormReader::members(Form& form) {
  std::vector<std::pair<std::string_view, bool>> keys;  // and whether required
  auto note = [&keys](std::string_view key, bool required) {
    for (auto& one : keys) {
      if (one.first == key) {
        one.second = one.second || required;
        return;
      }
    }
    keys.emplace_back(key, required);
  };
  std::vector<SchemaId> extra;
  for (int pass = 0; pass < 2; ++pass) {
    for (SchemaId id : form.schemas) {
      const Node& node = graph_.node(id);
      if (graph_.opaque(id) || !node.object) {
        continue;
      }
      std::vector<const contract::Slot*> slots;  // as `properties` has them: a model writes them in that order
      for (const contract::Slot& slot : node.object->slots) {
        if (pass == 0 ? slot.node != nullptr : slot.required != contract::none32) {
          slots.push_back(&slot);
        }
      }
      std::sort(slots.begin(), slots.end(), [pass](const contract::Slot* a, const contract::Slot* b) {
        return pass == 0 ? a->order < b->order : a->required < b->required;
      });
      for (const contract::Slot* slot : slots) {
        note(slot->key, pass == 1);
      }
      if (pass == 0) {
        if (node.object->additional != nullptr) {
          extra.push_back(graph_.find(*node.object->additional->schema));
          form.extra_said = true;
        }
        form.extra_by_name = form.extra_by_name || !node.object->pattern_properties.empty();
      }
    }
  }
  for (const auto& [key, required] : keys) {
    std::vector<SchemaId> starts;
    for (SchemaId id : form.schemas) {
      const Node& node = graph_.node(id);
      if (graph_.opaque(id) || !node.object) {
        continue;
      }
      bool known = false;
      for (const contract::Slot& slot : node.object->slots) {
        if (slot.key == key && slot.node != nullptr) {
          starts.push_back(graph_.find(*slot.node->schema));
          known = true;
        }
      }
      for (const auto& by_pattern : node.object->pattern_properties) {
        if (text::Matcher(graph_.program().patterns[by_pattern.pattern]).search(key)) {
          starts.push_back(graph_.find(*by_pattern.node->schema));
          known = true;
        }
      }
      if (!known && node.object->additional != nullptr) {
        starts.push_back(graph_.find(*node.object->additional->schema));
      }
    }
    const SchemaId said = written_for(form, key);
    form.members.push_back({key, form_for(starts, {}), said, required});
    ++parts_;
    if (failed_) {
      return;
    }
  }
  form.extra = form_for(extra, {});
}

// A schema that speaks of members or items and says no type means objects or arrays.
void FormReader::imply(Form& form) {
  if (form.types != with_integers(contract::type_any)) {
    return;
  }
  std::uint8_t implied = 0;
  for (SchemaId id : form.schemas) {
    const json::Value& schema = graph_.schema(id);
    if (graph_.opaque(id)) {
      continue;
    }
    for (std::string_view key : {"properties", "required", "patternProperties", "additionalProperties"}) {
      const json::Value* found = schema.find(key);
      if (found != nullptr && graph_.role(id, {key, 0, 0, *found}) != Role::note) {
        implied |= contract::type_object;
      }
    }
    for (std::string_view key : {"items", "prefixItems"}) {
      const json::Value* found = schema.find(key);
      if (found != nullptr && graph_.role(id, {key, 0, 0, *found}) != Role::note) {
        implied |= contract::type_array;
      }
    }
  }
  if (implied != 0) {
    form.types = implied;
    form.implied = true;
  }
}

}  // namespace plumb::derive
