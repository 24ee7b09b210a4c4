// Types as a program uses them: interfaces for what the contract names, literal unions for enums, doc comments for
// titles, descriptions and the rules that no type can hold.
//
// A type forbids other members only in object literals, so `additionalProperties` is always left to the residual, and
// where the contract says nothing about other members the type names none: a narrowing.

#include <algorithm>

#include "core/derive/code_text.hpp"
#include "core/derive/draft.hpp"
#include "core/derive/form_names.hpp"
#include "core/derive/wording.hpp"
#include "core/json/writer.hpp"

namespace plumb::derive {

using contract::no_bound;
using json::Kind;

namespace {

constexpr std::size_t tuple_max = 64;  // longer ones are arrays

class TypeWriter {
 public:
  TypeWriter(Draft& draft, const Forms& forms) : draft_(draft), forms_(forms), graph_(draft.graph), out_(draft.text) {}

  void write() {
    names_ = name_forms(graph_, forms_, forms_.root(), Naming::defined);
    std::vector<std::string> taken;
    const std::string root_name = type_name(draft_.contract.name());
    taken.push_back(root_name);
    for (FormId id = 0; id < forms_.size(); ++id) {
      if (id == forms_.root()) {
        names_[id] = root_name;
      } else if (!names_[id].empty()) {
        const std::string base = type_name(names_[id]);
        std::string name = base;
        for (std::size_t n = 2; reserved(name) || std::find(taken.begin(), taken.end(), name) != taken.end(); ++n) {
          name = base + std::to_string(n);
        }
        taken.push_back(name);
        names_[id] = std::move(name);
      }
    }
    to_write_.push_back(forms_.root());
    for (std::size_t i = 0; i < to_write_.size() && !draft_.failed; ++i) {  // grows while it is written
      declaration(to_write_[i]);
    }
  }

 private:
  static bool reserved(std::string_view name) {
    static constexpr std::string_view globals[] = {"Array",  "Object", "String",   "Number", "Boolean",
                                                   "Record", "Symbol", "Function", "Date",   "Error",
                                                   "Map",    "Set",    "Promise"};
    return std::find(std::begin(globals), std::end(globals), name) != std::end(globals);
  }

  void indent(std::uint32_t depth) { out_.append(std::size_t{2} * depth, ' '); }

  // A comment may not hold what ends it.
  static std::string comment_text(std::string_view text) {
    std::string out;
    for (char c : text) {
      if (c == '/' && !out.empty() && out.back() == '*') {
        out += ' ';
      }
      out += c;
    }
    return one_line(out);
  }

  void doc(const Form& form, SchemaId said, std::uint32_t depth) {
    std::vector<std::string> lines;
    auto add = [&lines](std::string_view text) {
      if (!text.empty() && std::find(lines.begin(), lines.end(), text) == lines.end()) {
        lines.emplace_back(text);
      }
    };
    auto describe = [&](SchemaId id) {
      for (std::string_view key : {"title", "description"}) {
        const json::Value* found = graph_.schema(id).find(key);
        if (found != nullptr && found->is(Kind::string)) {
          add(sentence(found->str()));
        }
      }
    };
    if (said != no_schema) {
      describe(said);
    }
    for (SchemaId id : form.schemas) {
      if (id != said) {
        describe(id);
      }
      const json::Value& schema = graph_.schema(id);
      for (std::uint32_t i = 0; i < schema.object().size(); ++i) {
        const json::Member& member = schema.members[i];
        const bool plain = member.key == "required" || member.key == "type" || member.key == "rules";
        if (graph_.left(id, i) && graph_.role(id, member) == Role::check && !plain) {
          add(sentence(own_words(schema, member.key, member.value)));
        }
      }
    }
    if (lines.empty()) {
      return;
    }
    indent(depth);
    if (lines.size() == 1) {
      out_ += "/** " + comment_text(lines.front()) + " */\n";
      return;
    }
    out_ += "/**\n";
    for (const std::string& line : lines) {
      indent(depth);
      out_ += " * " + comment_text(line) + "\n";
    }
    indent(depth);
    out_ += " */\n";
  }

  void declaration(FormId id) {
    const Form& form = forms_[id];
    const std::string& place = location_of(graph_, form);
    leave_checks(form);
    out_ += out_.empty() ? "" : "\n";
    doc(form, no_schema, 0);
    const bool plain_object =
        form.branches.empty() && !form.any && !form.has_values && form.types == contract::type_object;
    out_ += plain_object ? "export interface " + names_[id] + " " : "export type " + names_[id] + " = ";
    body(id, place, 0);
    out_ += plain_object ? "\n" : ";\n";
  }

  // What types cannot say of the values of this form.
  void leave_checks(const Form& form) {
    if (!form.branches.empty() || form.any || form.has_values) {
      return;
    }
    static constexpr std::string_view keys[] = {"minLength",        "maxLength",  "pattern",
                                                "minimum",          "maximum",    "exclusiveMinimum",
                                                "exclusiveMaximum", "multipleOf", "additionalProperties",
                                                "patternProperties"};
    for (std::string_view key : keys) {
      leave(graph_, form, key);
    }
    if ((form.types & contract::type_integer) != 0) {
      leave(graph_, form, "type");
    }
    if ((form.types & contract::type_array) != 0) {
      if (form.min_items > (is_tuple(form) ? form.prefix.size() : 0)) {
        leave(graph_, form, "minItems");
      }
      if (form.max_items != no_bound && form.max_items > (is_tuple(form) ? form.prefix.size() : 0)) {
        leave(graph_, form, "maxItems");
      }
      if (!is_tuple(form) && !form.prefix.empty()) {
        for (std::string_view key : {"prefixItems", "items", "additionalItems"}) {
          leave(graph_, form, key);
        }
      }
    }
  }

  static bool is_tuple(const Form& form) { return !form.prefix.empty() && form.prefix.size() <= tuple_max; }

  void reference(FormId id, const std::string& place, std::uint32_t depth) {
    if (names_[id].empty()) {
      leave_checks(forms_[id]);
      body(id, place, depth);
      return;
    }
    out_ += names_[id];
    if (std::find(to_write_.begin(), to_write_.end(), id) == to_write_.end()) {
      to_write_.push_back(id);
    }
  }

  // One type among others in a union or before `[]`.
  void atom(FormId id, const std::string& place, std::uint32_t depth) {
    const std::size_t from = out_.size();
    reference(id, place, depth);
    const Form& form = forms_[id];
    if (names_[id].empty() && out_.find(" | ", from) != std::string::npos && !is_single(form)) {
      out_.insert(from, "(");
      out_ += ")";
    }
  }

  // Written as one piece: nothing is beside it on the same level.
  bool is_single(const Form& form) const {
    return form.branches.empty() && !form.has_values && !form.any &&
           (form.types == contract::type_object || form.types == contract::type_array);
  }

  void body(FormId id, const std::string& place, std::uint32_t depth) {
    const Form& form = forms_[id];
    if (!draft_.within(depth, place)) {
      return;
    }
    if (!form.branches.empty()) {
      bool first = true;
      for (FormId branch : forms_.branches(form)) {
        out_ += first ? "" : " | ";
        first = false;
        atom(branch, location_of(graph_, forms_[branch]), depth);
      }
    } else if (form.any) {
      out_ += "unknown";
    } else if (form.has_values) {
      values(form);
    } else {
      if (form.implied) {
        narrow_implied(draft_, form, place);
      }
      types(form, place, depth);
    }
  }

  void values(const Form& form) {
    std::vector<std::string> all;
    auto add = [&all](std::string text) {
      if (std::find(all.begin(), all.end(), text) == all.end()) {
        all.push_back(std::move(text));
      }
    };
    bool exact = true;
    for (const json::Value* one : form.values) {
      std::string text;
      if (one->is(Kind::array) || one->is(Kind::object)) {
        exact = false;
        add(one->is(Kind::array) ? "unknown[]" : "{ [key: string]: unknown }");
      } else if (one->is(Kind::number) && !is_literal_number(one->str(), text)) {
        exact = false;
        add("number");
      } else if (one->is(Kind::number)) {
        add(text);
      } else if (one->is(Kind::string)) {
        literal(one->str(), text);
        add(std::move(text));
      } else {
        add(json::value_text(*one));
      }
    }
    if (!exact) {
      leave(graph_, form, "enum");
      leave(graph_, form, "const");
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      out_ += (i == 0 ? "" : " | ") + all[i];
    }
  }

  // A JSON string is a string of TypeScript, but for two line ends.
  static void literal(std::string_view text, std::string& out) { json::append_string(out, text); }

  void types(const Form& form, const std::string& place, std::uint32_t depth) {
    static constexpr std::pair<std::uint8_t, std::string_view> scalars[] = {
        {contract::type_string, "string"},
        {contract::type_number | contract::type_integer, "number"},
        {contract::type_boolean, "boolean"},
        {contract::type_null, "null"}};
    bool first = true;
    auto next = [&] {
      out_ += first ? "" : " | ";
      first = false;
    };
    if (forms_.object_possible(form)) {
      next();
      object(form, place, depth);
    }
    if (forms_.array_possible(form)) {
      next();
      array(form, place, depth);
    }
    for (const auto& [bits, name] : scalars) {
      if ((form.types & bits) != 0 && !(bits == contract::type_string && form.min_length > form.max_length)) {
        next();
        out_ += name;
      }
    }
  }

  std::string place_of(FormId id, const std::string& otherwise) const {
    return forms_[id].schemas.empty() ? otherwise : location_of(graph_, forms_[id]);
  }

  void array(const Form& form, const std::string& place, std::uint32_t depth) {
    const std::string items = place_of(form.rest, place + "/items");
    if (!is_tuple(form)) {
      if (!form.prefix.empty()) {
        out_ += "unknown[]";
        return;
      }
      if (forms_.items_max(form) == 0) {
        out_ += "[]";
        return;
      }
      atom(form.rest, items, depth);
      out_ += "[]";
      return;
    }
    const std::uint64_t max = forms_.items_max(form);
    const std::uint64_t named = std::min<std::uint64_t>(max, form.prefix.size());
    out_ += "[";
    for (std::uint64_t i = 0; i < named; ++i) {
      const FormId item = form.prefix[static_cast<std::size_t>(i)];
      out_ += i == 0 ? "" : ", ";
      atom(item, place_of(item, items), depth);
      out_ += i >= form.min_items ? "?" : "";
    }
    if (max > named) {
      out_ += named == 0 ? "..." : ", ...";
      atom(form.rest, items, depth);
      out_ += "[]";
    }
    out_ += "]";
  }

  void object(const Form& form, const std::string& place, std::uint32_t depth) {
    std::vector<const FormMember*> members;
    for (const FormMember& member : form.members) {
      if (forms_.possible(member.form)) {
        members.push_back(&member);
      }
    }
    const bool open = (form.extra_said && forms_.possible(form.extra)) || form.extra_by_name;
    if (!open && !form.extra_said) {
      narrow_other_members(draft_, place);
    }
    if (members.empty() && !open) {
      out_ += "{ [key: string]: never }";
      return;
    }
    out_ += "{\n";
    for (const FormMember* member : members) {
      const Form& of = forms_[member->form];
      const std::string at = member->said != no_schema ? graph_.location(member->said) : place + "/required";
      leave_checks(of);
      doc(names_[member->form].empty() ? of : Form{}, member->said, depth + 1);
      indent(depth + 1);
      if (is_identifier(member->key)) {
        out_ += member->key;
      } else {
        literal(member->key, out_);
      }
      out_ += member->required ? ": " : "?: ";
      reference(member->form, at, depth + 1);
      out_ += ";\n";
    }
    if (open) {
      indent(depth + 1);
      out_ += "[key: string]: ";
      // The type of all members: they must fit it too, and what optional ones lack is undefined.
      if (members.empty() && !form.extra_by_name) {
        reference(form.extra, place_of(form.extra, place + "/additionalProperties"), depth + 1);
      } else {
        out_ += "unknown";
      }
      out_ += ";\n";
    }
    indent(depth);
    out_ += "}";
  }

  Draft& draft_;
  const Forms& forms_;
  SchemaGraph& graph_;
  std::string& out_;
  std::vector<std::string> names_;
  std::vector<FormId> to_write_;
};

}  // namespace

void write_typescript(Draft& draft, const Forms& forms) { TypeWriter(draft, forms).write(); }

}  // namespace plumb::derive
