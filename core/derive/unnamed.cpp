#include "core/derive/unnamed.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "core/derive/form.hpp"
#include "core/derive/schema_graph.hpp"
#include "core/json/writer.hpp"

namespace plumb::derive {

using json::Kind;
using json::Value;

struct Unnamed::Known {
  SchemaGraph graph;
  Result<Forms> forms;
  explicit Known(const contract::Contract& contract) : graph(contract), forms(read_forms(graph, {})) {}
};

namespace {

constexpr std::size_t forms_max = 64;    // that may be at one place
constexpr std::size_t paired_max = 200;  // items of a list

class TakingOver {
 public:
  explicit TakingOver(const Forms& forms) : forms_(forms) {}

  // What may be at a place, each branch by itself.
  std::vector<FormId> branches_of(const std::vector<FormId>& all) const {
    std::vector<FormId> out;
    for (const FormId id : all) {
      if (std::find(out.begin(), out.end(), id) == out.end()) {
        out.push_back(id);
      }
    }
    for (std::size_t i = 0; i < out.size() && out.size() < forms_max; ++i) {
      for (const FormId branch : forms_.branches(forms_[out[i]])) {
        if (std::find(out.begin(), out.end(), branch) == out.end()) {
          out.push_back(branch);
        }
      }
    }
    out.erase(std::remove_if(out.begin(), out.end(), [&](FormId id) { return !forms_[id].branches.empty(); }),
              out.end());
    return out;
  }

  void write(json::Writer& json, const std::vector<FormId>& at, const Value* before, const Value& now) const {
    const std::vector<FormId> here = branches_of(at);
    if (before == nullptr || before->kind != now.kind || takes_any(here)) {
      json.value(now);
    } else if (now.is(Kind::object)) {
      object(json, here, *before, now);
    } else if (now.is(Kind::array)) {
      array(json, here, *before, now);
    } else {
      json.value(now);
    }
  }

 private:
  bool takes_any(const std::vector<FormId>& here) const {
    return std::any_of(here.begin(), here.end(), [&](FormId id) { return forms_[id].any; });
  }

  // The forms of a member with this name; none: no form names it.
  std::vector<FormId> named(const std::vector<FormId>& here, std::string_view key) const {
    std::vector<FormId> out;
    for (const FormId id : here) {
      for (const FormMember& member : forms_[id].members) {
        if (member.key == key) {
          out.push_back(member.form);
        }
      }
    }
    return out;
  }

  // Whether a model can write members of other names there.
  bool carries_others(const std::vector<FormId>& here) const {
    bool names = false;
    for (const FormId id : here) {
      const Form& form = forms_[id];
      if (form.has_values || !forms_.object_possible(form)) {
        continue;
      }
      if (form.members.empty() || form.extra_by_name || (form.extra_said && forms_.possible(form.extra))) {
        return true;
      }
      names = true;
    }
    return !names;
  }

  void object(json::Writer& json, const std::vector<FormId>& here, const Value& before, const Value& now) const {
    json.begin_object();
    for (const json::Member& member : now.object()) {
      json.key(member.key);
      write(json, named(here, member.key), before.find(member.key), member.value);
    }
    if (!carries_others(here)) {
      for (const json::Member& member : before.object()) {
        if (now.find(member.key) == nullptr && named(here, member.key).empty()) {
          json.key(member.key).value(member.value);
        }
      }
    }
    json.end_object();
  }

  std::vector<FormId> items(const std::vector<FormId>& here) const {
    std::vector<FormId> out;
    for (const FormId id : here) {
      const Form& form = forms_[id];
      if (!form.has_values && forms_.array_possible(form)) {
        out.insert(out.end(), form.prefix.begin(), form.prefix.end());
        out.push_back(form.rest);
      }
    }
    return out;
  }

  void array(json::Writer& json, const std::vector<FormId>& here, const Value& before, const Value& now) const {
    const std::vector<FormId> item = items(here);
    const std::vector<FormId> forms = branches_of(item);
    std::vector<const Value*> pairs(now.array().size());
    std::vector<bool> taken(before.array().size());
    if (pairs.size() <= paired_max && taken.size() <= paired_max) {
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        for (std::size_t k = 0; k < taken.size() && pairs[i] == nullptr; ++k) {
          if (!taken[k] && same(forms, before.array()[k], now.array()[i])) {
            pairs[i] = &before.array()[k];
            taken[k] = true;
          }
        }
      }
      for (std::size_t i = 0; pairs.size() == taken.size() && i < pairs.size(); ++i) {
        pairs[i] = pairs[i] == nullptr && !taken[i] ? &before.array()[i] : pairs[i];
      }
    }
    json.begin_array();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      write(json, item, pairs[i], now.array()[i]);
    }
    json.end_array();
  }

  // Nothing has changed but that members without a name are gone.
  bool same(const std::vector<FormId>& here, const Value& before, const Value& now) const {
    if (before.kind != now.kind || !now.is(Kind::object) || takes_any(here) || carries_others(here)) {
      return json::equal(before, now);
    }
    for (const json::Member& member : now.object()) {
      const Value* was = before.find(member.key);
      if (was == nullptr || !same(branches_of(named(here, member.key)), *was, member.value)) {
        return false;
      }
    }
    return std::all_of(before.object().begin(), before.object().end(), [&](const json::Member& member) {
      return now.find(member.key) != nullptr || named(here, member.key).empty();
    });
  }

  const Forms& forms_;
};

}  // namespace

Unnamed::Unnamed(const contract::Contract& contract) {
  auto known = std::make_unique<Known>(contract);
  if (known->forms) {
    known_ = std::move(known);
  }
}

Unnamed::~Unnamed() = default;

std::string Unnamed::taken_over(const Value& before, const Value& now) const {
  std::string out;
  json::Writer json(out);
  if (known_ == nullptr) {
    json.value(now);
    return out;
  }
  const Forms& forms = known_->forms.value();
  TakingOver(forms).write(json, {forms.root()}, &before, now);
  return out;
}

}  // namespace plumb::derive
