// Forms are made on demand and filled in the order of a queue, so that circles end and nothing recurses. A form is
// found again by its key: the schemas that hold in it, without those that only refer, and the unions already chosen.

#include "core/derive/form_reader.hpp"

#include <algorithm>

namespace plumb::derive {

using contract::no_bound;
using json::Kind;

namespace {

constexpr std::size_t settled_max = 4;        // unions chosen at one place
constexpr std::size_t compared_max = 64;      // branches of a oneOf that are compared with each other
constexpr std::size_t parts_max = 1'000'000;  // members and items of all forms

}  // namespace

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
  form.schemas = std::move(kept);  // what only describes is said in place: FormMember::said
  forms_.push_back(std::move(form));
  todo_.push_back({at->second, settled});
  return at->second;
}

// Chooses the first union that is not chosen yet. What is beside it holds in every branch.
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

// A oneOf is kept by telling its branches only where no value fits two of them.
void FormReader::compare_unions(const Forms& forms) {
  for (const Union& one : unions_) {
    bool apart = one.branches.size() <= compared_max;
    for (std::size_t i = 0; apart && i < one.branches.size(); ++i) {
      for (std::size_t j = i + 1; apart && j < one.branches.size(); ++j) {
        apart = forms.disjoint(one.branches[i], one.branches[j]);
      }
    }
    if (!apart) {
      graph_.leave(one.schema, "oneOf");
    }
  }
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
  out.forms_ = std::move(forms_);
  out.root_ = root;
  out.find_possible();
  compare_unions(out);
  if (!out.possible(root)) {
    error_ = {ErrorCode::invalid_contract, "no value can keep this contract, so there is nothing to derive", "", 0, 0};
    return false;
  }
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
