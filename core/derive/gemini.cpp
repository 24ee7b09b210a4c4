// `gemini`: the responseSchema of a generationConfig, a subset of OpenAPI 3.0 (https://ai.google.dev/api/caching#Schema
// and https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/Schema, read November 2026). There are no
// references, no constants but texts, no members without a name and no items by place. What the documentation calls a
// hint, or does not promise to hold, is in the residual and told in the description.

#include <algorithm>

#include "core/derive/code_text.hpp"
#include "core/derive/draft.hpp"
#include "core/derive/open_place.hpp"
#include "core/derive/wording.hpp"
#include "core/json/writer.hpp"

namespace plumb::derive {

using contract::Kw;
using contract::no_bound;
using json::Kind;

namespace {

class GeminiWriter {
 public:
  GeminiWriter(Draft& draft, const Forms& forms)
      : draft_(draft), forms_(forms), graph_(draft.graph), json_(draft.text, 2), state_(forms.size(), State::unseen) {}

  void write() {
    const FormId root = forms_.root();
    const std::string& place = location_of(graph_, forms_[root]);
    if (recurs(root)) {
      draft_.fail(ErrorCode::invalid_argument, place,
                  "gemini takes nothing recursive, and something in this contract refers to itself");
      return;
    }
    json_.begin_object().member("responseMimeType", "application/json").key("responseSchema");
    value(root, no_schema, place, 0);
    json_.end_object();
    draft_.text += "\n";
  }

 private:
  enum class State : std::uint8_t { unseen, open, over };

  // Bits of a type that one schema says.
  struct Kinds {
    bool null = false;
    std::vector<std::uint8_t> others;
  };

  static FormId item_of(const Form& form) { return form.prefix.empty() ? form.rest : form.prefix.front(); }

  std::vector<FormId> below(FormId id) const {
    const Form& form = forms_[id];
    std::vector<FormId> out = forms_.branches(form);
    if (form.branches.empty() && !form.any && !form.has_values) {
      for (const FormMember& member : form.members) {
        out.push_back(member.form);
      }
      if (forms_.array_possible(form)) {
        out.push_back(item_of(form));
      }
    }
    return out;
  }

  // Without recursion: contracts may be deep.
  bool recurs(FormId root) {
    struct Open {
      FormId id;
      std::vector<FormId> next;
      std::size_t at = 0;
    };
    std::vector<Open> stack;
    stack.push_back({root, below(root)});
    state_[root] = State::open;
    while (!stack.empty()) {
      Open& open = stack.back();
      if (open.at == open.next.size()) {
        state_[open.id] = State::over;
        stack.pop_back();
        continue;
      }
      const FormId next = open.next[open.at++];
      if (!forms_.possible(next) || state_[next] == State::over) {
        continue;
      }
      if (state_[next] == State::open) {
        return true;
      }
      state_[next] = State::open;
      stack.push_back({next, below(next)});
    }
    return false;
  }

  void leave_unsaid(const Form& form) {
    if (form.has_values || !form.branches.empty() || form.any) {
      return;
    }
    for (std::string_view key : {"minLength", "maxLength", "pattern", "exclusiveMinimum", "exclusiveMaximum",
                                 "multipleOf", "additionalProperties", "patternProperties"}) {
      leave(graph_, form, key);
    }
    for (std::string_view key : {"minimum", "maximum"}) {
      if (of(form, contract::kw_named(key)) > 1) {
        leave(graph_, form, key);
      }
    }
    for (const FormMember& member : form.members) {
      if (!forms_.possible(member.form)) {
        leave(graph_, form, "properties");
      }
    }
    const std::uint64_t max = forms_.items_max(form);
    if (max != form.max_items && (form.types & contract::type_array) != 0) {
      leave(graph_, form, "items");
      leave(graph_, form, "prefixItems");
    }
  }

  static std::size_t of(const Form& form, Kw kw) {
    return static_cast<std::size_t>(
        std::count_if(form.bounds.begin(), form.bounds.end(), [kw](const FormBound& one) { return one.kw == kw; }));
  }

  void describe(const Form& form, SchemaId said) {
    std::string text(description_of(graph_, form, said));
    if (text.empty()) {
      text = text_of(graph_, form, "title");
    }
    for (SchemaId id : form.schemas) {  // a model that is told keeps more of what the schema cannot say
      const json::Value& schema = graph_.schema(id);
      for (std::uint32_t i = 0; i < schema.object().size(); ++i) {
        const json::Member& member = schema.members[i];
        if (graph_.left(id, i) && graph_.role(id, member) == Role::check && member.key != "rules") {
          text += (text.empty() ? "" : " ") + sentence(own_words(schema, member.key, member.value));
        }
      }
    }
    if (!text.empty()) {
      json_.member("description", text);
    }
  }

  void value(FormId id, SchemaId said, const std::string& place, std::uint32_t depth) {
    const Form& form = forms_[id];
    json_.begin_object();
    if (!draft_.within(depth, place)) {
      json_.end_object();
      return;
    }
    leave_unsaid(form);
    if (form.has_values) {
      values(form, said, place);
    } else if (!form.branches.empty()) {
      describe(form, said);
      json_.key("anyOf").begin_array();
      for (FormId branch : forms_.branches(form)) {
        value(branch, no_schema, location_of(graph_, forms_[branch]), depth + 1);
      }
      json_.end_array();
    } else if (form.any) {
      describe(form, said);
      draft_.narrow(open_place, place, "Only a string, a number, true, false or null is allowed here.");
      kinds(form, {true, {contract::type_string, contract::type_number, contract::type_boolean}}, place, depth);
    } else {
      describe(form, said);
      if (form.implied) {
        narrow_implied(draft_, form, place);
      }
      kinds(form, kinds_of(form), place, depth);
    }
    json_.end_object();
  }

  Kinds kinds_of(const Form& form) const {
    Kinds out;
    out.null = (form.types & contract::type_null) != 0;
    auto add = [&out](bool is, std::uint8_t bit) {
      if (is) {
        out.others.push_back(bit);
      }
    };
    const bool numbers = (form.types & contract::type_number) != 0;
    add(forms_.object_possible(form), contract::type_object);
    add(forms_.array_possible(form), contract::type_array);
    add((form.types & contract::type_string) != 0 && form.min_length <= form.max_length, contract::type_string);
    add(numbers, contract::type_number);
    add(!numbers && (form.types & contract::type_integer) != 0, contract::type_integer);
    add((form.types & contract::type_boolean) != 0, contract::type_boolean);
    return out;
  }

  void kinds(const Form& form, const Kinds& kinds, const std::string& place, std::uint32_t depth) {
    if (kinds.others.empty()) {
      json_.member("type", "NULL");
      return;
    }
    if (kinds.null) {
      json_.member_boolean("nullable", true);
    }
    if (kinds.others.size() == 1) {
      kind(form, kinds.others.front(), place, depth);
      return;
    }
    json_.key("anyOf").begin_array();
    for (std::uint8_t bit : kinds.others) {
      json_.begin_object();
      kind(form, bit, place, depth + 1);
      json_.end_object();
    }
    json_.end_array();
  }

  void kind(const Form& form, std::uint8_t bit, const std::string& place, std::uint32_t depth) {
    if (bit == contract::type_object) {
      object(form, place, depth);
    } else if (bit == contract::type_array) {
      array(form, place, depth);
    } else if (bit == contract::type_number || bit == contract::type_integer) {
      json_.member("type", bit == contract::type_number ? "NUMBER" : "INTEGER");
      for (const FormBound& bound : form.bounds) {
        if ((bound.kw == Kw::minimum || bound.kw == Kw::maximum) && of(form, bound.kw) == 1) {
          json_.key(contract::kw_name(bound.kw)).raw(bound.number);
        }
      }
    } else {
      json_.member("type", bit == contract::type_string ? "STRING" : "BOOLEAN");
    }
  }

  // Only texts are constants, and none of them is empty.
  void values(const Form& form, SchemaId said, const std::string& place) {
    bool exact = true;
    Kinds kinds;
    std::vector<const json::Value*> texts;
    for (const json::Value* one : form.values) {
      if (one->is(Kind::null)) {
        kinds.null = true;
        continue;
      }
      if (one->is(Kind::array) || one->is(Kind::object)) {
        draft_.narrow(other_values, place, "Values that are arrays or objects are not offered.");
        continue;
      }
      const std::uint8_t bit = contract::bit_of(one->kind);
      if (one->is(Kind::string)) {
        texts.push_back(one);
      }
      exact = exact && one->is(Kind::string) && one->size > 0;
      if (std::find(kinds.others.begin(), kinds.others.end(), bit) == kinds.others.end()) {
        kinds.others.push_back(bit);
      }
    }
    if (kinds.others.empty() && !kinds.null) {
      draft_.fail(ErrorCode::invalid_argument, place, "gemini knows no constant objects or arrays");
      return;
    }
    if (!exact) {
      leave(graph_, form, "enum");
      leave(graph_, form, "const");
    }
    describe(form, said);
    if (!exact || kinds.others.empty()) {
      this->kinds(Form{}, kinds, place, 0);
      return;
    }
    json_.member("type", "STRING").member("format", "enum").key("enum").begin_array();
    for (const json::Value* one : texts) {
      json_.value(*one);
    }
    json_.end_array();
    if (kinds.null) {
      json_.member_boolean("nullable", true);
    }
  }

  void array(const Form& form, const std::string& place, std::uint32_t depth) {
    const std::uint64_t max = forms_.items_max(form);
    const bool same =
        std::all_of(form.prefix.begin(), form.prefix.end(), [&](FormId one) { return one == form.prefix.front(); }) &&
        (form.prefix.empty() || form.rest == form.prefix.front() || max <= form.prefix.size());
    if (!same) {
      draft_.fail(ErrorCode::invalid_argument, place,
                  "gemini cannot say which item goes where (prefixItems); use members of an object");
      return;
    }
    json_.member("type", "ARRAY");
    if (form.min_items > 0) {
      json_.member_uint("minItems", form.min_items);
    }
    if (max != no_bound) {
      json_.member_uint("maxItems", max);
    }
    json_.key("items");
    const FormId item = item_of(form);
    if (!forms_.possible(item)) {
      json_.begin_object().member("type", "NULL").end_object();  // never used
      return;
    }
    value(item, no_schema, forms_[item].schemas.empty() ? place + "/items" : location_of(graph_, forms_[item]),
          depth + 1);
  }

  void object(const Form& form, const std::string& place, std::uint32_t depth) {
    std::vector<const FormMember*> members;
    for (const FormMember& member : form.members) {
      if (forms_.possible(member.form)) {
        members.push_back(&member);
      }
    }
    if (members.empty()) {
      draft_.fail(ErrorCode::invalid_argument, place,
                  "gemini takes no object without named members (properties); name them, or use a list of pairs");
      return;
    }
    if (forms_.possible(form.extra) || form.extra_by_name) {
      narrow_other_members(draft_, place);
    }
    if (members.size() > 1) {
      draft_.narrow(member_order, place, "Members come in the order of the contract.");
    }
    json_.member("type", "OBJECT").key("properties").begin_object();
    for (const FormMember* member : members) {
      const std::string at = member->said != no_schema ? graph_.location(member->said) : place + "/required";
      json_.key(member->key);
      value(member->form, member->said, at, depth + 1);
    }
    json_.end_object();
    names("required", members, true);
    names("propertyOrdering", members, false);
  }

  void names(std::string_view key, const std::vector<const FormMember*>& members, bool required) {
    if (required && std::none_of(members.begin(), members.end(), [](const auto* one) { return one->required; })) {
      return;
    }
    json_.key(key).begin_array();
    for (const FormMember* member : members) {
      if (!required || member->required) {
        json_.string(member->key);
      }
    }
    json_.end_array();
  }

  Draft& draft_;
  const Forms& forms_;
  SchemaGraph& graph_;
  json::Writer json_;
  std::vector<State> state_;
};

}  // namespace

void write_gemini(Draft& draft, const Forms& forms) { GeminiWriter(draft, forms).write(); }

}  // namespace plumb::derive
