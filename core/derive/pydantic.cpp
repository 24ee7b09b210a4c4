// Models of pydantic 2 as a module in Python 3.9 and newer: a class for every object, an alias for every other form
// that has a name. Types are strict ("5" is no integer), other members are kept. Names are resolved when all of them
// exist, so that classes may refer to each other in any order; what is no identifier, or one that pydantic uses itself,
// has an alias.

#include <algorithm>
#include <optional>
#include <utility>

#include "core/ascii.hpp"
#include "core/derive/code_text.hpp"
#include "core/derive/draft.hpp"
#include "core/derive/form_names.hpp"
#include "core/json/writer.hpp"
#include "core/wording.hpp"

namespace plumb::derive {

using contract::Kw;
using contract::no_bound;
using json::Kind;

namespace {

constexpr std::uint64_t count_max = std::uint64_t{1} << 62;
constexpr std::size_t tuple_max = 64;
constexpr std::size_t name_max = 100;  // of a class that no schema names, before it is cut

// A JSON string is a string of Python: the escapes are the same.
std::string literal(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

// What a field may not be called: words of the language, names that the annotations use, and what a model has itself.
bool is_reserved(std::string_view name) {
  static constexpr std::string_view words[] = {
      "and",       "as",        "assert",   "async",       "await",
      "break",     "class",     "continue", "def",         "del",
      "elif",      "else",      "except",   "false",       "finally",
      "for",       "from",      "global",   "if",          "import",
      "in",        "is",        "lambda",   "none",        "nonlocal",
      "not",       "or",        "pass",     "raise",       "return",
      "true",      "try",       "while",    "with",        "yield",
      "match",     "case",      "type",     "bool",        "dict",
      "float",     "int",       "list",     "str",         "tuple",
      "construct", "copy",      "from_orm", "json",        "parse_file",
      "parse_obj", "parse_raw", "schema",   "schema_json", "update_forward_refs",
      "validate",  "self",      "cls",      "fields"};
  return name.starts_with("model_") || std::find(std::begin(words), std::end(words), name) != std::end(words);
}

// The name of a field for a key; the key itself wherever it can be.
std::string field_name(std::string_view key, std::vector<std::string>& taken) {
  std::string out;
  for (char c : key.substr(0, name_max)) {
    out += ascii::is_letter(c) || ascii::is_digit(c) || c == '_' ? c : '_';
  }
  if (out.empty() || !ascii::is_letter(out.front()) || ascii::is_upper(out.front())) {
    out = "field_" + out;
  }
  if (is_reserved(out)) {
    out = out.starts_with("model_") ? "field_" + out : out + "_";
  }
  const std::string base = out;
  for (std::size_t n = 2; std::find(taken.begin(), taken.end(), out) != taken.end(); ++n) {
    out = base + "_" + std::to_string(n);
  }
  taken.push_back(out);
  return out;
}

// The pattern for pydantic's own engine, which knows neither look-ahead nor ECMAScript's classes; nothing where the two
// may read it differently.
class PatternCopy {
 public:
  std::optional<std::string> made(std::string_view pattern) {
    for (at_ = 0; at_ < pattern.size(); ++at_) {
      const char c = pattern[at_];
      const char next = at_ + 1 < pattern.size() ? pattern[at_ + 1] : '\0';
      const bool same = c == '\\'   ? escape(next)
                        : in_class_ ? of_class(c, next)
                                    : outside(c, next, pattern.substr(at_));
      if (!same) {
        return std::nullopt;
      }
    }
    return std::move(out_);
  }

 private:
  bool escape(char next) {
    static constexpr std::string_view marks = "^$\\.*+?()[]{}|/-";
    ++at_;
    if (next == 'd' || next == 'w') {
      const std::string_view set = next == 'd' ? "0-9" : "A-Za-z0-9_";
      out_ += in_class_ ? std::string(set) : "[" + std::string(set) + "]";
      return true;
    }
    if (next == 'n' || next == 't' || next == 'r') {
      out_ += {'\\', next};
      return true;
    }
    if (next == '\0' || marks.find(next) == std::string_view::npos) {
      return false;
    }
    out_ += next == '/' ? std::string("/") : std::string{'\\', next};
    return true;
  }

  bool of_class(char c, char next) {
    in_class_ = c != ']';
    const bool set_operation = c == next && (c == '&' || c == '-' || c == '~');
    out_ += c;
    return c != '[' && !set_operation;
  }

  bool outside(char c, char next, std::string_view rest) {
    if (c == '.' || (c == '(' && next == '?' && !rest.starts_with("(?:"))) {
      return false;  // `.` leaves out other line ends
    }
    in_class_ = c == '[';
    out_ += c;
    if (in_class_ && (next == ']' || next == '^')) {
      if (next == ']' || rest.starts_with("[^]")) {
        return false;
      }
      out_ += next;
      ++at_;
    }
    return true;
  }

  std::size_t at_ = 0;
  bool in_class_ = false;
  std::string out_;
};

class PydanticWriter {
 public:
  PydanticWriter(Draft& draft, const Forms& forms)
      : draft_(draft), forms_(forms), graph_(draft.graph), classes_(forms.size()), written_(forms.size(), false) {}

  void write() {
    choose_names();
    const FormId root = forms_.root();
    need(root);
    for (std::size_t i = 0; i < to_write_.size() && !draft_.failed; ++i) {  // grows while it is written
      const auto [id, is_class] = to_write_[i];
      body_ += is_class ? class_of(id) : alias_of(id);
      if (body_.size() > draft_.limits.output_bytes_max) {
        draft_.fail(ErrorCode::limit, location_of(graph_, forms_[id]), "the target's text is larger than 1 MB");
      }
    }
    const bool model = is_class(root);
    std::string& out = draft_.text;
    out = "# " + names_[root] +
          (model ? ".model_validate_json(text)" : ": TypeAdapter(" + names_[root] + ").validate_json(text)");
    out +=
        "\nfrom __future__ import annotations\n\n"
        "from typing import Annotated, Any, Literal, Union\n\n"
        "from pydantic import (\n    BaseModel,\n    ConfigDict,\n    Field,\n    StrictBool,\n    StrictFloat,\n"
        "    StrictInt,\n    StrictStr,\n    StringConstraints,\n)\n"
        "from typing_extensions import TypeAliasType\n\n"
        "Number = Annotated[StrictFloat, Field(allow_inf_nan=False)]\n";
    out += body_ + "\n\n";
    for (const auto& [id, is_class] : to_write_) {
      out += is_class ? classes_[id] + ".model_rebuild()\n" : std::string();
    }
  }

 private:
  // A form that is one class, rather than an alias of several.
  bool is_class(FormId id) const {
    const Form& form = forms_[id];
    return form.branches.empty() && !form.any && !form.has_values && form.types == contract::type_object &&
           forms_.object_possible(form) && !is_map(form);
  }

  // An object that names no members.
  bool is_map(const Form& form) const { return form.members.empty() && form.extra_said && !form.extra_by_name; }

  std::string free_name(const std::string& base) {
    std::string name = base;
    for (std::size_t n = 2; std::find(taken_.begin(), taken_.end(), name) != taken_.end(); ++n) {
      name = base + std::to_string(n);
    }
    taken_.push_back(name);
    return name;
  }

  void choose_names() {
    for (const char* own : {"Annotated", "Any", "Literal", "Union", "BaseModel", "ConfigDict", "Field", "StrictBool",
                            "StrictFloat", "StrictInt", "StrictStr", "StringConstraints", "TypeAliasType", "Number",
                            "None", "True", "False", "TypeAdapter"}) {
      taken_.emplace_back(own);
    }
    names_ = name_forms(graph_, forms_, forms_.root(), Naming::defined);
    names_[forms_.root()] = free_name(type_name(draft_.contract.name()));
    for (FormId id = 0; id < forms_.size(); ++id) {
      if (id != forms_.root() && !names_[id].empty()) {
        names_[id] = free_name(type_name(names_[id]));
      }
      if (is_class(id)) {
        classes_[id] = names_[id];
      }
    }
  }

  void need(FormId id) {
    if (!written_[id]) {
      written_[id] = true;
      to_write_.emplace_back(id, is_class(id));
    }
  }

  std::string alias_of(FormId id) {
    const std::string place = location_of(graph_, forms_[id]);
    const std::string type = type_of(id, place, names_[id], 0);
    return "\n" + names_[id] + " = TypeAliasType(" + literal(names_[id]) + ", " + literal(type) + ")\n";
  }

  std::string place_of(FormId id, const std::string& otherwise) const {
    return forms_[id].schemas.empty() ? otherwise : location_of(graph_, forms_[id]);
  }

  // As an annotation; `hint` names a class that has no name.
  std::string reference(FormId id, const std::string& place, const std::string& hint, std::uint32_t depth) {
    if (names_[id].empty()) {
      return type_of(id, place, hint, depth);
    }
    need(id);
    return names_[id];
  }

  static std::string either(const std::vector<std::string>& all) {
    if (all.size() == 1) {
      return all.front();
    }
    std::string out = joined(all);
    return "Union[" + out + "]";
  }

  std::string type_of(FormId id, const std::string& place, const std::string& hint, std::uint32_t depth) {
    const Form& form = forms_[id];
    if (!draft_.within(depth, place)) {
      return "Any";
    }
    std::vector<std::string> all;
    if (!form.branches.empty()) {
      for (FormId branch : forms_.branches(form)) {
        all.push_back(reference(branch, location_of(graph_, forms_[branch]), hint + "Option", depth + 1));
      }
      return either(all);
    }
    if (form.any) {
      return "Any";
    }
    if (form.has_values) {
      return values(form);
    }
    if (form.implied) {
      narrow_implied(draft_, form, place);
    }
    if (forms_.object_possible(form)) {
      all.push_back(object(id, place, hint, depth));
    }
    if (forms_.array_possible(form)) {
      all.push_back(array(form, place, hint, depth));
    }
    if ((form.types & contract::type_string) != 0 && form.min_length <= form.max_length) {
      all.push_back(string(form));
    }
    if ((form.types & (contract::type_number | contract::type_integer)) != 0) {
      all.push_back(number(form));
    }
    if ((form.types & contract::type_boolean) != 0) {
      all.emplace_back("StrictBool");
    }
    if ((form.types & contract::type_null) != 0) {
      all.emplace_back("None");
    }
    return either(all);
  }

  // Of numbers and booleans both bounds are one: a literal 1 would take `true`.
  std::string values(const Form& form) {
    std::vector<std::string> literals;
    std::vector<std::string> all;
    auto add = [](std::vector<std::string>& list, std::string text) {
      if (std::find(list.begin(), list.end(), text) == list.end()) {
        list.push_back(std::move(text));
      }
    };
    bool exact = true;
    for (const json::Value* one : form.values) {
      std::string text;
      if (one->is(Kind::array) || one->is(Kind::object)) {
        exact = false;
        add(all, one->is(Kind::object) ? "dict[str, Any]" : "list[Any]");
      } else if (one->is(Kind::number) && !is_literal_number(one->str(), text)) {
        exact = false;
        add(all, number(Form{}));
      } else if (one->is(Kind::number)) {
        const std::string type = text.find('.') == std::string::npos ? "StrictInt" : "Number";
        add(all, annotated(type, "Field", {"ge=" + text, "le=" + text}));
      } else if (one->is(Kind::boolean)) {
        add(all, annotated("StrictBool", "Field", {one->boolean ? "ge=True" : "le=False"}));
      } else {
        add(literals, one->is(Kind::null) ? "None" : literal(one->str()));
      }
    }
    if (!exact) {
      leave(graph_, form, "enum");
      leave(graph_, form, "const");
    }
    if (!literals.empty()) {
      std::string text = joined(literals);
      all.insert(all.begin(), "Literal[" + text + "]");
    }
    return either(all);
  }

  // "Annotated[type, Name(a=1, b=2)]", or the type where nothing is said of it.
  static std::string annotated(const std::string& type, std::string_view of, const std::vector<std::string>& said) {
    std::string inner = joined(said);
    return said.empty() ? type : "Annotated[" + type + ", " + std::string(of) + "(" + inner + ")]";
  }

  // min_length and max_length, of texts and lists.
  void counts(const Form& form, std::uint64_t min, std::uint64_t max, bool items, std::vector<std::string>& said) {
    if (min >= count_max) {
      leave(graph_, form, items ? "minItems" : "minLength");
    } else if (min > 0) {
      said.push_back("min_length=" + std::to_string(min));
    }
    if (max >= count_max && max != no_bound) {
      leave(graph_, form, items ? "maxItems" : "maxLength");
    } else if (max != no_bound) {
      said.push_back("max_length=" + std::to_string(max));
    }
  }

  std::string string(const Form& form) {
    std::vector<std::string> said;
    counts(form, form.min_length, form.max_length, false, said);
    std::optional<std::string> pattern;
    if (form.patterns.size() == 1) {
      pattern = PatternCopy().made(form.patterns.front());
    }
    if (pattern) {
      said.push_back("pattern=" + literal(*pattern));
    } else if (!form.patterns.empty()) {
      leave(graph_, form, "pattern");
    }
    return annotated("StrictStr", "StringConstraints", said);
  }

  std::string number(const Form& form) {
    const bool whole = (form.types & (contract::type_integer | contract::type_number)) == contract::type_integer;
    draft_.narrow(long_numbers, "",
                  whole ? "Integers are written without a fraction and an exponent: 3, not 3.0."
                        : "Numbers are those of Python's float: doubles, none beyond 1.8e308.");
    static constexpr std::pair<Kw, std::string_view> names[] = {{Kw::minimum, "ge"},
                                                                {Kw::maximum, "le"},
                                                                {Kw::exclusive_minimum, "gt"},
                                                                {Kw::exclusive_maximum, "lt"},
                                                                {Kw::multiple_of, "multiple_of"}};
    std::vector<std::string> said;
    std::vector<Kw> once;
    for (const FormBound& bound : form.bounds) {
      std::string text;
      const bool fits = is_literal_number(bound.number, text) &&
                        (whole ? text.find('.') == std::string::npos : bound.kw != Kw::multiple_of) &&
                        std::find(once.begin(), once.end(), bound.kw) == once.end();
      if (!fits) {
        leave(graph_, form, contract::kw_name(bound.kw));
        continue;
      }
      once.push_back(bound.kw);
      for (const auto& [kw, name] : names) {
        if (kw == bound.kw) {
          said.push_back(std::string(name) + "=" + text);
        }
      }
    }
    return annotated(whole ? "StrictInt" : "Number", "Field", said);
  }

  std::string array(const Form& form, const std::string& place, const std::string& hint, std::uint32_t depth) {
    const std::uint64_t max = forms_.items_max(form);
    const std::string items = place_of(form.rest, place + "/items");
    std::vector<std::string> said;
    if (!form.prefix.empty() && form.prefix.size() <= tuple_max && max == form.prefix.size() && form.min_items >= max) {
      std::string out;
      for (std::size_t i = 0; i < form.prefix.size(); ++i) {
        out += (i == 0 ? "" : ", ") + reference(form.prefix[i], place_of(form.prefix[i], items),
                                                hint + "Item" + std::to_string(i + 1), depth + 1);
      }
      return "tuple[" + out + "]";
    }
    counts(form, form.min_items, max, true, said);
    if (!form.prefix.empty()) {
      for (std::string_view key : {"prefixItems", "items", "additionalItems"}) {
        leave(graph_, form, key);
      }
      return annotated("list[Any]", "Field", said);
    }
    const std::string item = max == 0 ? "Any" : reference(form.rest, items, hint + "Item", depth + 1);
    return annotated("list[" + item + "]", "Field", said);
  }

  std::string object(FormId id, const std::string& place, const std::string& hint, std::uint32_t depth) {
    const Form& form = forms_[id];
    if (is_map(form)) {
      if (!forms_.possible(form.extra)) {
        return "Annotated[dict[str, Any], Field(max_length=0)]";
      }
      return "dict[str, " +
             reference(form.extra, place_of(form.extra, place + "/additionalProperties"), hint + "Value", depth + 1) +
             "]";
    }
    if (classes_[id].empty()) {
      classes_[id] = free_name(hint.size() > name_max ? hint.substr(0, name_max) : hint);
      if (is_class(id)) {
        need(id);
      } else {
        to_write_.emplace_back(id, true);
      }
    } else if (is_class(id)) {
      need(id);
    }
    return classes_[id];
  }

  std::string field(const FormMember& member, const std::string& holder, const std::string& place,
                    std::vector<std::string>& taken) {
    const Form& of = forms_[member.form];
    const std::string at = member.said != no_schema ? graph_.location(member.said) : place + "/required";
    const std::string name = field_name(member.key, taken);
    std::vector<std::string> said;
    if (!member.required) {
      said.emplace_back("default=None");
    }
    if (name != member.key) {
      said.push_back("alias=" + literal(member.key));
    }
    const std::string_view text = description_of(graph_, names_[member.form].empty() ? of : Form{}, member.said);
    if (!text.empty()) {
      said.push_back("description=" + literal(text));
    }
    std::string out = "    " + name + ": " + reference(member.form, at, holder + type_name(member.key), 0);
    if (!said.empty()) {
      out += " = Field(";
      for (std::size_t i = 0; i < said.size(); ++i) {
        out += (i == 0 ? "" : ", ") + said[i];
      }
      out += ")";
    }
    return out + "\n";
  }

  std::string class_of(FormId id) {
    const Form& form = forms_[id];
    const std::string place = location_of(graph_, form);
    const std::string name = classes_[id];
    if (form.implied) {
      narrow_implied(draft_, form, place);
    }
    const bool closed = form.extra_said && !form.extra_by_name && !forms_.possible(form.extra);
    if (!closed && (form.extra_by_name || (form.extra_said && !forms_[form.extra].any))) {
      leave(graph_, form, "patternProperties");
      leave(graph_, form, "additionalProperties");
    }
    std::string out = "\n\nclass " + name + "(BaseModel):\n";
    const std::string_view text = description_of(graph_, form, no_schema);
    if (!text.empty()) {
      out += "    " + literal(text) + "\n\n";
    }
    out += std::string("    model_config = ConfigDict(extra=\"") + (closed ? "forbid" : "allow") + "\")\n";
    std::string fields;
    std::vector<std::string> taken;
    for (const FormMember& member : form.members) {
      if (forms_.possible(member.form)) {
        fields += field(member, name, place, taken);
      } else if (!closed) {  // a member that may never be there
        leave(graph_, form, "properties");
      }
    }
    return out + (fields.empty() ? "" : "\n" + fields);
  }

  Draft& draft_;
  const Forms& forms_;
  SchemaGraph& graph_;
  std::vector<std::string> names_;    // by form: of an alias or a class
  std::vector<std::string> classes_;  // by form: of the class of its objects
  std::vector<bool> written_;
  std::vector<std::string> taken_;
  std::vector<std::pair<FormId, bool>> to_write_;  // and whether it is a class
  std::string body_;
};

}  // namespace

void write_pydantic(Draft& draft, const Forms& forms) { PydanticWriter(draft, forms).write(); }

}  // namespace plumb::derive
