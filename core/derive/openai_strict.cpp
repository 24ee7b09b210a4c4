// Structured outputs of OpenAI and Anthropic: every object closed and no conjunctions. OpenAI wants every member
// required and has bounds on size that it refuses a schema for; Anthropic knows members that may be absent, but no
// bounds of numbers, lengths and counts, and nothing recursive. What they would refuse is an error here, with the place
// that the provider does not name.

#include <algorithm>

#include "core/derive/draft.hpp"
#include "core/derive/endings.hpp"
#include "core/derive/form_names.hpp"
#include "core/derive/open_place.hpp"
#include "core/derive/wording.hpp"
#include "core/json/writer.hpp"

namespace plumb::derive {

using contract::Kw;
using contract::no_bound;
using json::Kind;

namespace {

// What the provider's documentation of structured outputs states.
constexpr std::uint32_t levels_max = 10;
constexpr int hops_max = 100;
constexpr std::size_t properties_max = 5000;
constexpr std::size_t names_bytes_max = 120'000;
constexpr std::size_t enum_values_max = 1000;
constexpr std::size_t long_enum_values = 250;
constexpr std::size_t long_enum_bytes_max = 15'000;

// Whose structured outputs: they differ in what they take.
struct Dialect {
  std::string_view name;  // of the target
  bool openai = true;
};

constexpr std::pair<Kw, std::string_view> bound_names[] = {{Kw::minimum, "minimum"},
                                                           {Kw::exclusive_minimum, "exclusiveMinimum"},
                                                           {Kw::maximum, "maximum"},
                                                           {Kw::exclusive_maximum, "exclusiveMaximum"},
                                                           {Kw::multiple_of, "multipleOf"}};

std::string_view bound_name(Kw kw) {
  for (const auto& [one, name] : bound_names) {
    if (one == kw) {
      return name;
    }
  }
  return {};
}

// What Anthropic's patterns know nothing of.
bool is_plain_pattern(std::string_view pattern) {
  for (const std::string_view part : {"(?=", "(?!", "(?<", "\\b", "\\B", "\\1", "\\2", "\\p", "\\P"}) {
    if (pattern.find(part) != std::string_view::npos) {
      return false;
    }
  }
  return true;
}

class StrictWriter {
 public:
  StrictWriter(Draft& draft, const Forms& forms, Dialect dialect)
      : draft_(draft),
        forms_(forms),
        graph_(draft.graph),
        dialect_(dialect),
        json_(draft.text, 2),
        endings_(find_endings(forms)),
        state_(forms.size(), State::unseen) {}

  void write() {
    FormId root = forms_.root();
    std::vector<FormId> branches = forms_.branches(forms_[root]);
    for (int hops = 0; branches.size() == 1 && hops < hops_max; ++hops) {  // an anyOf of one is that one
      root = branches.front();
      branches = forms_.branches(forms_[root]);
    }
    const std::string& place = location_of(graph_, forms_[root]);
    if (!branches.empty() || (forms_.types_of(root) & contract::type_object) == 0 || forms_[root].any) {
      no(ErrorCode::invalid_argument, place,
         " wants an object at the top; put what the contract describes into a member of one");
      return;
    }
    if (!dialect_.openai && recurs(root)) {
      no(ErrorCode::invalid_argument, place,
         " takes nothing recursive, and something in this contract refers to itself");
      return;
    }
    if (!endings_.ends[root]) {
      draft_.fail(ErrorCode::invalid_argument, place, "with every member required no value of this would ever end");
      return;
    }
    names_ = name_forms(graph_, forms_, root, Naming::shared);
    begin_wrapping(forms_[root]);
    const std::uint8_t other = forms_.types_of(root) & static_cast<std::uint8_t>(~contract::type_object);
    if (other != 0 || forms_[root].implied) {
      draft_.narrow(other_types, place,
                    "Only an object is allowed here; the contract allows other types of value too.");
    }
    top_ = true;
    body(root, no_schema, place, 1);
    json_.end_object();
    if (dialect_.openai) {
      json_.end_object();
    }
    draft_.text += "\n";
    if (dialect_.openai && names_bytes_ > names_bytes_max) {
      draft_.fail(ErrorCode::limit, "",
                  "the names and constants of this schema have " + std::to_string(names_bytes_) +
                      " characters; openai-strict takes 120,000");
    }
  }

 private:
  enum class State : std::uint8_t { unseen, open, over };

  // "... in TARGET" and "TARGET ...".
  void no(ErrorCode code, const std::string& place, std::string_view why) {
    draft_.fail(code, place, std::string(dialect_.name).append(why));
  }

  // A form whose values may hold values of the same form.
  bool recurs(FormId id) {
    if (state_[id] != State::unseen) {
      return state_[id] == State::open;
    }
    state_[id] = State::open;
    const Form& form = forms_[id];
    std::vector<FormId> below = forms_.branches(form);
    if (form.branches.empty() && !form.any && !form.has_values) {
      for (const FormMember& member : form.members) {
        below.push_back(member.form);
      }
      if (forms_.array_possible(form)) {
        below.push_back(item_of(form));
      }
    }
    const bool found =
        std::any_of(below.begin(), below.end(), [&](FormId one) { return forms_.possible(one) && recurs(one); });
    state_[id] = State::over;
    return found;
  }

  void begin_wrapping(const Form& root) {
    if (dialect_.openai) {
      json_.begin_object().member("type", "json_schema").key("json_schema").begin_object();
      json_.member("name", plain_name(draft_.contract.name()));
      json_.member_boolean("strict", true).key("schema");
      return;
    }
    json_.begin_object().member("name", plain_name(draft_.contract.name()));
    for (const std::string_view key : {"description", "title"}) {
      if (const std::string_view text = text_of(graph_, root, key); !text.empty()) {
        json_.member("description", text);
        break;
      }
    }
    json_.member_boolean("strict", true).key("input_schema");
  }

  void value(FormId id, SchemaId said, const std::string& place, std::uint32_t level) {
    const std::string& name = names_[id];
    if (name.empty()) {
      body(id, said, place, level);
      return;
    }
    json_.begin_object().member("$ref", "#/$defs/" + name).end_object();
    if (std::find(definitions_.begin(), definitions_.end(), id) == definitions_.end()) {
      definitions_.push_back(id);
    }
  }

  void describe(const Form& form, SchemaId said) {
    std::string text;
    auto add = [&text](std::string_view words) {
      if (!words.empty()) {
        text += (text.empty() ? "" : " ") + std::string(words);
      }
    };
    const json::Value* own = said == no_schema ? nullptr : graph_.schema(said).find("description");
    add(own != nullptr ? own->str() : text_of(graph_, form, "description"));
    if (text.empty()) {
      add(text_of(graph_, form, "title"));
    }
    for (SchemaId id : form.schemas) {  // a model that is told keeps more of what the schema cannot say
      const json::Value& schema = graph_.schema(id);
      for (std::uint32_t i = 0; i < schema.object().size(); ++i) {
        const json::Member& member = schema.members[i];
        if (graph_.left(id, i) && graph_.role(id, member) == Role::check && member.key != "rules") {
          add(sentence(own_words(schema, member.key, member.value)));
        }
      }
    }
    if (!text.empty()) {
      json_.member("description", text);
    }
  }

  // Before the description, which tells the model what the schema does not say.
  void leave_unsaid(const Form& form) {
    if (form.has_values || !form.branches.empty()) {
      return;
    }
    if (!dialect_.openai) {
      for (const FormBound& bound : form.bounds) {
        leave(graph_, form, bound_name(bound.kw));
      }
      if (form.min_items > 1) {
        leave(graph_, form, "minItems");
      }
      const std::uint64_t max = forms_.items_max(form);
      if (max != no_bound) {
        leave(graph_, form, "maxItems");
      }
      if (max != form.max_items) {  // no item can follow
        leave(graph_, form, "items");
        leave(graph_, form, "prefixItems");
      }
    }
    if ((form.types & contract::type_string) != 0) {
      leave_strings(form);
    }
  }

  void leave_strings(const Form& form) {
    if (form.min_length > 0) {
      leave(graph_, form, "minLength");
    }
    if (form.max_length != no_bound) {
      leave(graph_, form, "maxLength");
    }
    if (form.patterns.size() > 1 || !takes_pattern(form)) {
      leave(graph_, form, "pattern");
    }
  }

  bool takes_pattern(const Form& form) const {
    return form.patterns.size() == 1 && (dialect_.openai || is_plain_pattern(form.patterns.front()));
  }

  void types(std::uint8_t bits) {
    static constexpr std::pair<std::uint8_t, std::string_view> names[] = {
        {contract::type_object, "object"}, {contract::type_array, "array"},     {contract::type_string, "string"},
        {contract::type_number, "number"}, {contract::type_integer, "integer"}, {contract::type_boolean, "boolean"},
        {contract::type_null, "null"}};
    std::vector<std::string_view> all;
    for (const auto& [bit, name] : names) {
      if ((bits & bit) != 0) {
        all.push_back(name);
      }
    }
    json_.key("type");
    if (all.size() == 1) {
      json_.string(all.front());
      return;
    }
    json_.begin_array();
    for (std::string_view name : all) {
      json_.string(name);
    }
    json_.end_array();
  }

  void values(const Form& form, const std::string& place) {
    std::uint8_t bits = 0;
    std::size_t bytes = 0;
    std::size_t told = 0;
    bool integers = true;
    for (const json::Value* one : form.values) {
      bytes += one->is(Kind::string) ? one->size : 0;
      bits = static_cast<std::uint8_t>(bits | (one->is(Kind::null)      ? contract::type_null
                                               : one->is(Kind::boolean) ? contract::type_boolean
                                               : one->is(Kind::number)  ? contract::type_number
                                               : one->is(Kind::string)  ? contract::type_string
                                                                        : 0));
      if (one->is(Kind::number)) {
        integers = integers && one->str().find_first_of(".eE") == std::string_view::npos;
      }
    }
    if ((bits & contract::type_number) != 0 && integers) {
      bits = static_cast<std::uint8_t>((bits & ~contract::type_number) | contract::type_integer);
    }
    if (bits == 0) {
      no(ErrorCode::invalid_argument, place, " knows no constant objects or arrays");
      return;
    }
    types(bits);
    json_.key("enum").begin_array();
    for (const json::Value* one : form.values) {
      if (one->is(Kind::array) || one->is(Kind::object)) {
        draft_.narrow(other_values, place, "Values that are arrays or objects are not offered.");
        continue;
      }
      json_.value(*one);
      ++told;
    }
    json_.end_array();
    if (!dialect_.openai) {
      return;
    }
    enum_values_ += told;
    names_bytes_ += bytes;
    if (enum_values_ > enum_values_max) {
      draft_.fail(ErrorCode::limit, place, "more than 1,000 enum values, which is all that openai-strict takes");
    }
    if (told > long_enum_values && bytes > long_enum_bytes_max) {
      draft_.fail(ErrorCode::limit, place,
                  "an enum of more than 250 values may have 15,000 characters in openai-strict");
    }
  }

  void strings(const Form& form) {
    if (takes_pattern(form)) {
      json_.member("pattern", form.patterns.front());
    }
  }

  void numbers(const Form& form) {
    for (const auto& [kw, name] : bound_names) {
      const FormBound* only = nullptr;
      bool several = false;
      for (const FormBound& bound : form.bounds) {
        if (bound.kw == kw) {
          several = only != nullptr;
          only = &bound;
        }
      }
      if (several) {
        leave(graph_, form, name);
      } else if (only != nullptr) {
        json_.key(name).raw(only->number);
      }
    }
  }

  // Anthropic knows that a list is not empty, and no other count.
  void counts(const Form& form, std::uint64_t max) {
    if (form.min_items > 0) {
      json_.member_uint("minItems", dialect_.openai ? form.min_items : 1);
    }
    if (dialect_.openai && max != no_bound) {
      json_.member_uint("maxItems", max);
    }
  }

  void array(const Form& form, const std::string& place, std::uint32_t level) {
    std::uint64_t max = forms_.items_max(form);
    if (!endings_.ends[item_of(form)]) {
      max = 0;
    }
    if (!form.prefix.empty()) {
      // Items by place are not known: one schema for all of them, where it is the same.
      const bool same =
          std::all_of(form.prefix.begin(), form.prefix.end(), [&](FormId one) { return one == form.prefix.front(); }) &&
          (form.rest == form.prefix.front() || max <= form.prefix.size());
      if (!same) {
        no(ErrorCode::invalid_argument, place,
           " cannot say which item goes where (prefixItems); use members of an object");
        return;
      }
    }
    counts(form, max);
    json_.key("items");
    const Form& item = forms_[item_of(form)];
    const std::string inner = item.schemas.empty() ? place + "/items" : location_of(graph_, item);
    if (max == 0 && !endings_.ends[item_of(form)]) {
      json_.begin_object().member("type", "null").end_object();  // never used
      if (forms_.possible(item_of(form))) {
        draft_.narrow(absent_members, place, "Only an empty list is allowed here: its items would never end.");
      }
      return;
    }
    value(item_of(form), no_schema, inner, level + 1);
  }

  void object(FormId id, const std::string& place, std::uint32_t level) {
    const Form& form = forms_[id];
    std::vector<const FormMember*> members;
    for (const FormMember& member : form.members) {
      if (!forms_.possible(member.form)) {
        continue;
      }
      const std::string at = member_place(member, place);
      if (endings_.left_out(id, member.key) || !endings_.ends[member.form]) {
        draft_.narrow("members left out", at,
                      "The member " + quoted(member.key) +
                          " is never allowed: with every member required it would "
                          "never end.");
        continue;
      }
      if (!member.required && dialect_.openai) {
        draft_.narrow(absent_members, at, "The member " + quoted(member.key) + " must be there.");
      }
      members.push_back(&member);
    }
    if (forms_.possible(form.extra) || form.extra_by_name) {
      // Where the contract only names members, others are left out. Where it names none, or says that there are others,
      // these are what it is about.
      if (members.empty() || form.extra_by_name || form.extra_said) {
        draft_.narrow(open_place, place, "Members of any name are allowed by the contract, and none here.");
      } else {
        narrow_other_members(draft_, place);
      }
    }
    properties_ += members.size();
    if (dialect_.openai && properties_ > properties_max) {
      draft_.fail(ErrorCode::limit, place, "more than 5,000 members, which is all that openai-strict takes");
    }
    json_.key("properties").begin_object();
    for (const FormMember* member : members) {
      names_bytes_ += member->key.size();
      json_.key(member->key);
      value(member->form, member->said, member_place(*member, place), level + 1);
    }
    json_.end_object().key("required").begin_array();
    for (const FormMember* member : members) {
      if (dialect_.openai || member->required) {
        json_.string(member->key);
      }
    }
    json_.end_array().member_boolean("additionalProperties", false);
  }

  std::string member_place(const FormMember& member, const std::string& place) const {
    if (member.said != no_schema) {
      return graph_.location(member.said);
    }
    return place + "/required";
  }

  // Anything is no schema that the provider takes: a scalar is.
  void anything(const std::string& place) {
    types(contract::type_string | contract::type_number | contract::type_boolean | contract::type_null);
    draft_.narrow(open_place, place, "Only a string, a number, true, false or null is allowed here.");
  }

  void body(FormId id, SchemaId said, const std::string& place, std::uint32_t level) {
    const Form& form = forms_[id];
    const bool top = top_;
    top_ = false;
    if (dialect_.openai && level > levels_max) {
      draft_.fail(ErrorCode::limit, place, "more than 10 levels of nesting, which is all that openai-strict takes");
    }
    if (!draft_.within(level, place)) {
      json_.begin_object().end_object();
      return;
    }
    json_.begin_object();
    leave_unsaid(form);
    if (form.branches.empty() || top) {
      describe(form, said);
    }
    if (!form.branches.empty()) {
      const std::vector<FormId> branches = forms_.branches(form);
      json_.key("anyOf").begin_array();
      for (FormId branch : branches) {
        if (endings_.ends[branch]) {
          value(branch, no_schema, location_of(graph_, forms_[branch]), level);
        } else {
          draft_.narrow(other_values, place, "A branch whose values would never end is not offered.");
        }
      }
      json_.end_array();
    } else if (form.any) {
      anything(place);
    } else if (form.has_values) {
      values(form, place);
    } else {
      std::uint8_t bits = form.types;
      const bool arrays = forms_.array_possible(form);
      bool objects = forms_.object_possible(form);
      if (top) {
        bits = contract::type_object;
      } else if (form.implied) {
        narrow_implied(draft_, form, place);
      }
      if (!arrays) {
        bits = static_cast<std::uint8_t>(bits & ~contract::type_array);
      }
      if (!objects) {
        bits = static_cast<std::uint8_t>(bits & ~contract::type_object);
      }
      if (form.min_length > form.max_length) {
        bits = static_cast<std::uint8_t>(bits & ~contract::type_string);
      }
      types(bits);
      if ((bits & contract::type_string) != 0) {
        strings(form);
      }
      if (dialect_.openai && (bits & (contract::type_number | contract::type_integer)) != 0) {
        numbers(form);
      }
      if ((bits & contract::type_array) != 0) {
        array(form, place, level);
      }
      if ((bits & contract::type_object) != 0) {
        object(id, place, level);
      }
    }
    if (top) {
      write_definitions();
    }
    json_.end_object();
  }

  void write_definitions() {
    if (definitions_.empty()) {
      return;
    }
    json_.key("$defs").begin_object();
    for (std::size_t i = 0; i < definitions_.size() && !draft_.failed; ++i) {  // grows while it is written
      const FormId id = definitions_[i];
      names_bytes_ += names_[id].size();
      json_.key(names_[id]);
      body(id, no_schema, location_of(graph_, forms_[id]), 1);
    }
    json_.end_object();
  }

  Draft& draft_;
  const Forms& forms_;
  SchemaGraph& graph_;
  const Dialect dialect_;
  json::Writer json_;
  Endings endings_;
  std::vector<State> state_;
  std::vector<std::string> names_;
  std::vector<FormId> definitions_;
  bool top_ = false;
  std::size_t properties_ = 0;
  std::size_t enum_values_ = 0;
  std::size_t names_bytes_ = 0;
};

}  // namespace

void write_openai_strict(Draft& draft, const Forms& forms) {
  StrictWriter(draft, forms, {"openai-strict", true}).write();
}
void write_anthropic(Draft& draft, const Forms& forms) { StrictWriter(draft, forms, {"anthropic", false}).write(); }

}  // namespace plumb::derive
