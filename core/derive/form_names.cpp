#include "core/derive/form_names.hpp"

#include <algorithm>

#include "core/ascii.hpp"

namespace plumb::derive {

namespace {

// The last word of a location, as a name.
std::string word_of(std::string_view location) {
  const std::size_t slash = location.rfind('/');
  std::string out;
  for (char c : slash == std::string_view::npos ? std::string_view() : location.substr(slash + 1)) {
    const bool plain = ascii::is_letter(c) || ascii::is_digit(c);
    out += plain ? c : '_';
  }
  if (out.empty() || !ascii::is_letter(out.front())) {
    out = "form_" + out;
  }
  return out;
}

bool under_definitions(std::string_view location) {
  const std::size_t slash = location.rfind('/');
  if (slash == std::string_view::npos) {
    return false;
  }
  const std::string_view holder = location.substr(0, slash);
  for (std::string_view tail : {std::string_view("/$defs"), std::string_view("/definitions")}) {
    if (holder.ends_with(tail)) {
      return true;
    }
  }
  return false;
}

// Worth a name of its own: not just a type.
bool is_small(const Form& form) {
  return form.branches.empty() &&
         (form.any || ((form.types & (contract::type_array | contract::type_object)) == 0 && form.values.size() <= 1));
}

}  // namespace

std::vector<FormId> next_forms(const Forms& forms, FormId id) {
  const Form& form = forms[id];
  std::vector<FormId> out;
  auto add = [&](FormId one) {
    if (forms.possible(one)) {
      out.push_back(one);
    }
  };
  if (!form.branches.empty()) {
    for (FormId branch : form.branches) {
      add(branch);
    }
    return out;
  }
  if (form.any || form.has_values) {
    return out;
  }
  if (forms.array_possible(form)) {
    for (FormId one : form.prefix) {
      add(one);
    }
    add(form.rest);
  }
  if (forms.object_possible(form)) {
    for (const FormMember& member : form.members) {
      add(member.form);
    }
    add(form.extra);
  }
  return out;
}

std::vector<std::string> name_forms(const SchemaGraph& graph, const Forms& forms, FormId root, Naming naming) {
  std::vector<std::uint32_t> uses(forms.size(), 0);
  std::vector<FormId> order;  // as first met, depth first
  std::vector<bool> met(forms.size(), false);
  std::vector<FormId> stack{root};
  while (!stack.empty()) {
    const FormId id = stack.back();
    stack.pop_back();
    if (met[id]) {
      continue;
    }
    met[id] = true;
    order.push_back(id);
    const std::vector<FormId> next = next_forms(forms, id);
    for (auto one = next.rbegin(); one != next.rend(); ++one) {
      ++uses[*one];
      stack.push_back(*one);
    }
  }
  std::vector<std::string> out(forms.size());
  std::vector<std::string_view> taken;
  for (FormId id : order) {
    const Form& form = forms[id];
    const bool again = id == root ? uses[id] > 0 : uses[id] > 1;
    const std::string& location = location_of(graph, form);
    const bool defined = naming == Naming::defined && form.schemas.size() == 1 && under_definitions(location);
    if ((!again && !defined) || (is_small(form) && !defined) || form.schemas.empty()) {
      continue;
    }
    const std::string base = location.empty() ? "root" : word_of(location);
    std::string name = base;
    for (std::size_t n = 2; std::find(taken.begin(), taken.end(), name) != taken.end(); ++n) {
      name = base + "_" + std::to_string(n);
    }
    out[id] = std::move(name);
    taken.push_back(out[id]);
  }
  return out;
}

std::vector<FormId> forms_by_need(const Forms& forms, FormId root) {
  struct Open {
    FormId id;
    std::vector<FormId> next;
    std::size_t at = 0;
  };
  std::vector<FormId> out;
  std::vector<bool> met(forms.size(), false);
  std::vector<Open> stack;
  stack.push_back({root, next_forms(forms, root)});
  met[root] = true;
  while (!stack.empty()) {
    Open& open = stack.back();
    if (open.at == open.next.size()) {
      out.push_back(open.id);
      stack.pop_back();
      continue;
    }
    const FormId next = open.next[open.at++];
    if (!met[next]) {
      met[next] = true;
      stack.push_back({next, next_forms(forms, next)});
    }
  }
  return out;
}

}  // namespace plumb::derive
