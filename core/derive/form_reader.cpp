// Forms are made on demand and filled in the order of a queue, so that circles end and nothing recurses. A form is
// found again by its key: the schemas that hold in it, without those that only refer, and the unions already chosen.

#include <algorithm>
#include <map>

#include "core/derive/form.hpp"

namespace plumb::derive {

using contract::Kw;
using contract::no_bound;
using contract::Node;
using json::Kind;

namespace {

constexpr std::size_t settled_max = 4;        // unions chosen at one place
constexpr std::size_t compared_max = 64;      // branches of a oneOf that are compared with each other
constexpr std::size_t parts_max = 1'000'000;  // members and items of all forms

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

struct Settled {
  SchemaId schema = 0;
  std::string_view key;
};

}  // namespace

class FormReader {
 public:
  FormReader(SchemaGraph& graph, const Limits& limits) : graph_(graph), limits_(limits) {}

  bool read(Forms& out);
  const Error& error() const { return error_; }

 private:
  struct Pending {
    FormId form = 0;
    std::vector<Settled> settled;
  };
  struct Union {
    SchemaId schema = 0;
    std::vector<FormId> branches;
  };

  FormId form_for(const std::vector<SchemaId>& starts, const std::vector<Settled>& settled);
  bool only_refers(SchemaId id) const;
  void fill(FormId id, const std::vector<Settled>& settled);
  bool branch(FormId id, const std::vector<Settled>& settled);
  void own_checks(SchemaId id, Form& form);
  void values(Form& form);
  void items(Form& form);
  SchemaId written_for(const Form& form, std::string_view key) const;
  void members(Form& form);
  void imply(Form& form);
  void find_possible();
  void compare_unions();

  SchemaGraph& graph_;
  const Limits& limits_;
  std::vector<Form> forms_;
  std::map<std::vector<std::uint32_t>, FormId> by_key_;
  std::vector<Pending> todo_;
  std::vector<Union> unions_;
  std::size_t parts_ = 0;
  bool failed_ = false;
  Error error_;
};

bool FormReader::only_refers(SchemaId id) const {
  if (graph_.opaque(id) || !graph_.schema(id).is(Kind::object)) {
    return false;
  }
  for (const json::Member& member : graph_.schema(id).object()) {
    const Role role = graph_.role(id, member);
    if (role != Role::note && role != Role::reference && role != Role::every) {
      return false;
    }
  }
  return true;
}

FormId FormReader::form_for(const std::vector<SchemaId>& starts, const std::vector<Settled>& settled) {
  std::vector<SchemaId> all;  // in the order in which one reads them
  std::vector<SchemaId> stack(starts.rbegin(), starts.rend());
  while (!stack.empty()) {
    const SchemaId id = stack.back();
    stack.pop_back();
    const bool nothing = graph_.schema(id).is(Kind::boolean) && graph_.schema(id).boolean;
    if (nothing || std::find(all.begin(), all.end(), id) != all.end()) {
      continue;
    }
    all.push_back(id);
    if (graph_.opaque(id)) {
      graph_.leave_all(id);
      continue;
    }
    std::span<const json::Member> parts = graph_.schema(id).object();
    for (std::size_t i = parts.size(); i-- > 0;) {
      const Role role = graph_.role(id, parts[i]);
      if (role == Role::reference || role == Role::every) {
        const std::vector<SchemaId> below = graph_.below(id, parts[i]);
        stack.insert(stack.end(), below.rbegin(), below.rend());
      }
    }
  }
  std::vector<SchemaId> kept;
  for (SchemaId id : all) {
    if (!only_refers(id)) {
      kept.push_back(id);
    }
  }
  std::vector<std::uint32_t> key(kept);
  std::sort(key.begin(), key.end());
  for (const Settled& one : settled) {
    key.push_back(no_schema);
    key.push_back(one.schema);
    key.push_back(one.key == "anyOf" ? 1U : 2U);
  }
  auto [at, fresh] = by_key_.emplace(std::move(key), static_cast<FormId>(forms_.size()));
  if (!fresh) {
    return at->second;
  }
  if (forms_.size() >= limits_.forms_max && !failed_) {
    failed_ = true;
    error_ = {ErrorCode::limit,
              "the contract unfolds to more than " + std::to_string(limits_.forms_max) + " schema objects",
              all.empty() ? std::string() : graph_.location(all.front()), 0, 0};
  }
  Form form;
  form.schemas = std::move(kept);  // what only describes is told where it stands: FormMember::said
  forms_.push_back(std::move(form));
  todo_.push_back({at->second, settled});
  return at->second;
}

// Chooses the first union that is not chosen yet. What stands beside it holds in every branch.
bool FormReader::branch(FormId id, const std::vector<Settled>& settled) {
  const std::vector<SchemaId> schemas = forms_[id].schemas;
  bool chosen = false;
  for (SchemaId schema : schemas) {
    if (graph_.opaque(schema)) {
      continue;
    }
    for (const json::Member& member : graph_.schema(schema).object()) {
      const bool done = std::any_of(settled.begin(), settled.end(),
                                    [&](const Settled& one) { return one.schema == schema && one.key == member.key; });
      if (done || graph_.role(schema, member) != Role::unions) {
        continue;
      }
      if (chosen) {
        continue;  // its turn comes in each branch
      }
      if (settled.size() >= settled_max) {
        graph_.leave(schema, member.key);
        continue;
      }
      chosen = true;
      std::vector<Settled> now = settled;
      now.push_back({schema, member.key});
      std::vector<FormId> branches;
      for (SchemaId one : graph_.below(schema, member)) {
        std::vector<SchemaId> starts = schemas;
        starts.push_back(one);
        branches.push_back(form_for(starts, now));
        if (failed_) {
          return true;
        }
      }
      if (member.key == "oneOf") {
        unions_.push_back({schema, branches});
      }
      forms_[id].branches = std::move(branches);
    }
  }
  return chosen;
}

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
      } else if (kw >= Kw::multiple_of && kw <= Kw::exclusive_minimum) {
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

void FormReader::fill(FormId id, const std::vector<Settled>& settled) {
  if (branch(id, settled)) {
    return;
  }
  Form form = std::move(forms_[id]);
  for (SchemaId schema : form.schemas) {
    if (!graph_.opaque(schema)) {
      own_checks(schema, form);
    }
  }
  values(form);
  if (!form.has_values) {
    imply(form);
  }
  if ((form.types & contract::type_number) != 0) {
    form.types = static_cast<std::uint8_t>(form.types & ~contract::type_integer);
  }
  if (!form.has_values && !form.schemas.empty()) {
    const bool bare =
        std::all_of(form.schemas.begin(), form.schemas.end(), [&](SchemaId schema) { return graph_.opaque(schema); });
    if (!bare && (form.types & contract::type_array) != 0) {
      items(form);
    }
    if (!bare && (form.types & contract::type_object) != 0) {
      members(form);
    }
    form.any = form.types == contract::type_any && form.bounds.empty() && form.min_length == 0 &&
               form.max_length == no_bound && form.patterns.empty() && form.min_items == 0 &&
               form.max_items == no_bound && form.prefix.empty() && form.members.empty() && !form.extra_said &&
               !form.extra_by_name;
  } else {
    form.any = !form.has_values;
  }
  if (parts_ > parts_max && !failed_) {
    failed_ = true;
    error_ = {ErrorCode::limit, "the contract unfolds to more than 1,000,000 members and items",
              location_of(graph_, form), 0, 0};
  }
  forms_[id] = std::move(form);
}

void FormReader::find_possible() {
  Forms view;
  view.forms_ = std::move(forms_);
  bool more = true;
  while (more) {  // children mostly stand behind their parents: a few rounds
    more = false;
    for (std::size_t i = view.forms_.size(); i-- > 0;) {
      Form& form = view.forms_[i];
      if (form.possible) {
        continue;
      }
      const std::uint8_t scalars =
          contract::type_null | contract::type_boolean | contract::type_number | contract::type_integer;
      bool possible = form.any;
      if (!form.branches.empty()) {
        possible = std::any_of(form.branches.begin(), form.branches.end(), [&](FormId b) { return view.possible(b); });
      } else if (form.has_values) {
        possible = !form.values.empty();
      } else if (!form.any) {
        possible = (form.types & scalars) != 0 ||
                   ((form.types & contract::type_string) != 0 && form.min_length <= form.max_length) ||
                   view.array_possible(form) || view.object_possible(form);
      }
      form.possible = possible;
      more = more || possible;
    }
  }
  forms_ = std::move(view.forms_);
}

// A oneOf is kept by telling its branches only where no value fits two of them.
void FormReader::compare_unions() {
  Forms view;
  view.forms_ = std::move(forms_);
  for (const Union& one : unions_) {
    bool apart = one.branches.size() <= compared_max;
    for (std::size_t i = 0; apart && i < one.branches.size(); ++i) {
      for (std::size_t j = i + 1; apart && j < one.branches.size(); ++j) {
        apart = view.disjoint(one.branches[i], one.branches[j]);
      }
    }
    if (!apart) {
      graph_.leave(one.schema, "oneOf");
    }
  }
  forms_ = std::move(view.forms_);
}

bool FormReader::read(Forms& out) {
  const FormId root = form_for({graph_.root()}, {});
  for (std::size_t i = 0; i < todo_.size() && !failed_; ++i) {
    const Pending next = std::move(todo_[i]);
    fill(next.form, next.settled);
  }
  if (failed_) {
    return false;
  }
  find_possible();
  compare_unions();
  if (!forms_[root].possible) {
    error_ = {ErrorCode::invalid_contract, "no value can keep this contract, so there is nothing to derive", "", 0, 0};
    return false;
  }
  out.forms_ = std::move(forms_);
  out.root_ = root;
  return true;
}

Result<Forms> read_forms(SchemaGraph& graph, const Limits& limits) {
  FormReader reader(graph, limits);
  Forms forms;
  if (!reader.read(forms)) {
    return reader.error();
  }
  return forms;
}

}  // namespace plumb::derive
