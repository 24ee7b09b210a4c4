#include "core/derive/endings.hpp"

#include <algorithm>

namespace plumb::derive {

namespace {

bool form_ends(const Forms& forms, const std::vector<bool>& known, FormId id, bool without_optional) {
  const Form& form = forms[id];
  if (form.any || form.has_values) {
    return true;
  }
  if (!form.branches.empty()) {
    return std::any_of(form.branches.begin(), form.branches.end(), [&](FormId branch) { return known[branch]; });
  }
  const std::uint8_t scalars = contract::type_null | contract::type_boolean | contract::type_number |
                               contract::type_integer | contract::type_string;
  if ((form.types & scalars) != 0) {
    return true;
  }
  if (forms.array_possible(form) && (form.min_items == 0 || known[item_of(form)])) {
    return true;
  }
  return forms.object_possible(form) &&
         std::all_of(form.members.begin(), form.members.end(), [&](const FormMember& member) {
           return known[member.form] || (!member.required && (without_optional || !forms.possible(member.form)));
         });
}

}  // namespace

FormId item_of(const Form& form) { return form.prefix.empty() ? form.rest : form.prefix.front(); }

bool Endings::left_out(FormId form, std::string_view key) const {
  return std::any_of(without.begin(), without.end(),
                     [&](const auto& one) { return one.first == form && one.second == key; });
}

Endings find_endings(const Forms& forms) {
  Endings out;
  out.ends.assign(forms.size(), false);
  while (true) {
    for (bool more = true; more;) {
      more = false;
      for (FormId id = static_cast<FormId>(forms.size()); id-- > 0;) {
        if (!out.ends[id] && forms.possible(id) && form_ends(forms, out.ends, id, false)) {
          out.ends[id] = true;
          more = true;
        }
      }
    }
    FormId stuck = 0;
    while (stuck < forms.size() &&
           (out.ends[stuck] || !forms.possible(stuck) || !form_ends(forms, out.ends, stuck, true))) {
      ++stuck;
    }
    if (stuck == forms.size()) {
      return out;
    }
    for (const FormMember& member : forms[stuck].members) {
      if (!member.required && forms.possible(member.form) && !out.ends[member.form]) {
        out.without.emplace_back(stuck, member.key);
      }
    }
    out.ends[stuck] = true;
  }
}

}  // namespace plumb::derive
