#include "core/derive/form.hpp"

#include <algorithm>

namespace plumb::derive {

using json::Kind;

namespace {

bool values_disjoint(const Form& a, const Form& b) {
  for (const json::Value* one : a.values) {
    for (const json::Value* other : b.values) {
      if (json::equal(*one, *other)) {
        return false;
      }
    }
  }
  return true;
}

bool apart(const Forms& forms, FormId a, FormId b, int depth) {
  std::uint8_t types = forms.types_of(a) & forms.types_of(b);
  if (types == 0) {
    return true;
  }
  const Form& one = forms[a];
  const Form& other = forms[b];
  if (one.has_values && other.has_values) {
    return values_disjoint(one, other);
  }
  if (depth == 0) {
    return false;
  }
  for (const Form* form : {&one, &other}) {
    if (!form->branches.empty()) {
      const FormId with = form == &one ? b : a;
      for (FormId branch : forms.branches(*form)) {
        if (!apart(forms, branch, with, depth - 1)) {
          return false;
        }
      }
      return true;
    }
  }
  if (types != contract::type_object) {
    return false;
  }
  for (const FormMember& member : one.members) {
    for (const FormMember& same : other.members) {
      if (member.required && same.required && member.key == same.key &&
          apart(forms, member.form, same.form, depth - 1)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

bool Forms::array_possible(const Form& form) const {
  if ((form.types & contract::type_array) == 0 || form.has_values || form.min_items > form.max_items) {
    return false;
  }
  const std::size_t needed = static_cast<std::size_t>(std::min<std::uint64_t>(form.min_items, form.prefix.size()));
  for (std::size_t i = 0; i < needed; ++i) {
    if (!possible(form.prefix[i])) {
      return false;
    }
  }
  return form.min_items <= form.prefix.size() || possible(form.rest);
}

bool Forms::object_possible(const Form& form) const {
  if ((form.types & contract::type_object) == 0 || form.has_values) {
    return false;
  }
  return std::all_of(form.members.begin(), form.members.end(),
                     [this](const FormMember& member) { return !member.required || possible(member.form); });
}

std::uint64_t Forms::items_max(const Form& form) const {
  std::uint64_t max = form.max_items;
  for (std::size_t i = 0; i < form.prefix.size(); ++i) {
    if (!possible(form.prefix[i])) {
      return std::min<std::uint64_t>(max, i);
    }
  }
  return possible(form.rest) ? max : std::min<std::uint64_t>(max, form.prefix.size());
}

std::vector<FormId> Forms::branches(const Form& form) const {
  std::vector<FormId> out;
  for (FormId branch : form.branches) {
    if (possible(branch) && std::find(out.begin(), out.end(), branch) == out.end()) {
      out.push_back(branch);
    }
  }
  return out;
}

std::uint8_t Forms::types_of(FormId id) const {
  const Form& form = forms_[id];
  if (!form.possible) {
    return 0;
  }
  std::uint8_t out = 0;
  if (!form.branches.empty()) {
    for (FormId branch : form.branches) {
      out = static_cast<std::uint8_t>(out | types_of(branch));
    }
  } else if (form.has_values) {
    for (const json::Value* value : form.values) {
      out = static_cast<std::uint8_t>(out | contract::bit_of(value->kind));
    }
    return out;
  } else {
    out = form.types;
  }
  if ((out & contract::type_integer) != 0) {  // an integer is a number
    out = static_cast<std::uint8_t>((out & ~contract::type_integer) | contract::type_number);
  }
  return out;
}

void Forms::find_possible() {
  constexpr std::uint8_t scalars =
      contract::type_null | contract::type_boolean | contract::type_number | contract::type_integer;
  for (bool more = true; more;) {  // children mostly come after their parents: a few rounds
    more = false;
    for (std::size_t i = forms_.size(); i-- > 0;) {
      Form& form = forms_[i];
      if (form.possible) {
        continue;
      }
      bool found = form.any;
      if (!form.branches.empty()) {
        found = std::any_of(form.branches.begin(), form.branches.end(), [&](FormId b) { return possible(b); });
      } else if (form.has_values) {
        found = !form.values.empty();
      } else if (!form.any) {
        found = (form.types & scalars) != 0 ||
                ((form.types & contract::type_string) != 0 && form.min_length <= form.max_length) ||
                array_possible(form) || object_possible(form);
      }
      form.possible = found;
      more = more || found;
    }
  }
}

bool Forms::disjoint(FormId a, FormId b) const { return apart(*this, a, b, 4); }

void leave(SchemaGraph& graph, const Form& form, std::string_view key) {
  for (SchemaId id : form.schemas) {
    graph.leave(id, key);
  }
}

std::string_view text_of(const SchemaGraph& graph, const Form& form, std::string_view key) {
  for (SchemaId id : form.schemas) {
    const json::Value* found = graph.schema(id).find(key);
    if (found != nullptr && found->is(Kind::string)) {
      return found->str();
    }
  }
  return {};
}

const std::string& location_of(const SchemaGraph& graph, const Form& form) {
  return graph.location(form.schemas.empty() ? graph.root() : form.schemas.front());
}

}  // namespace plumb::derive
