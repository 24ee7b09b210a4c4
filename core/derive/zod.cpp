// Schemas of zod 4 as a program in TypeScript: a const and a type for what the contract names, in the order in which
// they need each other. What is in a cycle is a getter in an object, as zod has it, and z.lazy() elsewhere.
//
// Lengths are counted in code points, as JSON Schema counts them, and integers may be beyond 2^53: where zod's own
// method says something else, there is a refine(). Numbers are those of JavaScript.

#include <algorithm>

#include "core/derive/code_text.hpp"
#include "core/derive/draft.hpp"
#include "core/derive/form_names.hpp"
#include "core/json/writer.hpp"
#include "core/text/pattern.hpp"
#include "core/wording.hpp"

namespace plumb::derive {

using contract::Kw;
using contract::no_bound;
using json::Kind;

namespace {

constexpr std::size_t tuple_max = 64;  // longer ones are arrays
constexpr std::uint64_t count_max = std::uint64_t{1} << 53;
// Every object of JavaScript has members of these names, and zod cannot tell its own ones from them.
constexpr std::string_view inherited[] = {"__proto__",        "constructor",      "toString",
                                          "toLocaleString",   "valueOf",          "hasOwnProperty",
                                          "isPrototypeOf",    "__defineGetter__", "__defineSetter__",
                                          "__lookupGetter__", "__lookupSetter__", "propertyIsEnumerable"};

bool is_inherited(const FormMember& member) {
  return std::find(std::begin(inherited), std::end(inherited), member.key) != std::end(inherited);
}

std::string literal(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

// One of zod's schemas, or a union of several.
std::string either(std::vector<std::string> all) {
  if (all.size() == 1) {
    return std::move(all.front());
  }
  std::string out = "z.union([";
  for (std::size_t i = 0; i < all.size(); ++i) {
    out += (i == 0 ? "" : ", ") + all[i];
  }
  return out + "])";
}

class ZodWriter {
 public:
  ZodWriter(Draft& draft, const Forms& forms) : draft_(draft), forms_(forms), graph_(draft.graph) {}

  void write() {
    choose_names();
    const std::vector<FormId> order = forms_by_need(forms_, forms_.root());
    rank_.assign(forms_.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      rank_[order[i]] = i + 1;
    }
    std::string body;
    for (FormId id : order) {
      if (!names_[id].empty() && !draft_.failed) {
        body += declaration(id);
      }
    }
    draft_.text = "import { z } from \"zod\";\n";
    if (anything_) {
      draft_.text += "\nconst anything = z.unknown().refine((value) => value !== undefined, \"must be there\");\n";
    }
    draft_.text += body;
  }

 private:
  void choose_names() {
    static constexpr std::string_view globals[] = {"Array",  "Object",   "String", "Number",  "Boolean", "Record",
                                                   "Symbol", "Function", "Date",   "Error",   "Map",     "Set",
                                                   "RegExp", "Promise",  "NaN",    "Infinity"};
    std::vector<std::string> taken(std::begin(globals), std::end(globals));
    names_ = name_forms(graph_, forms_, forms_.root(), Naming::defined);
    auto free_name = [&](const std::string& base) {
      std::string name = base;
      for (std::size_t n = 2; std::find(taken.begin(), taken.end(), name) != taken.end(); ++n) {
        name = base + std::to_string(n);
      }
      taken.push_back(name);
      return name;
    };
    names_[forms_.root()] = free_name(type_name(draft_.contract.name()));
    for (FormId id = 0; id < forms_.size(); ++id) {
      if (id != forms_.root() && !names_[id].empty()) {
        names_[id] = free_name(type_name(names_[id]));
      }
    }
  }

  std::string declaration(FormId id) {
    current_ = id;
    lazy_ = false;
    deferred_ = false;
    const std::string& place = location_of(graph_, forms_[id]);
    std::string schema = body(id, place, 0);
    const std::string_view text = description_of(graph_, forms_[id], no_schema);
    if (!text.empty() && !lazy_) {
      schema += ".describe(" + literal(text) + ")";
    }
    const std::string& name = names_[id];
    return "\nexport const " + name + (lazy_ ? ": z.ZodType" : "") + " = " + schema + ";\nexport type " + name +
           " = z.infer<typeof " + name + ">;\n";
  }

  std::string reference(FormId id, const std::string& place, std::uint32_t depth) {
    if (names_[id].empty()) {
      return body(id, place, depth);
    }
    if (rank_[id] < rank_[current_]) {
      return names_[id];
    }
    if (in_member_) {
      deferred_ = true;
      return names_[id];
    }
    lazy_ = true;
    return "z.lazy(() => " + names_[id] + ")";
  }

  std::string any() {
    anything_ = true;
    return "anything";
  }

  std::string body(FormId id, const std::string& place, std::uint32_t depth) {
    const Form& form = forms_[id];
    written_ += 64;  // at least
    if (written_ > draft_.limits.output_bytes_max || !draft_.within(depth, place)) {
      draft_.fail(ErrorCode::limit, place, "the target's text is larger than 1 MB");
      return "z.never()";
    }
    std::vector<std::string> all;
    if (!form.branches.empty()) {
      for (FormId branch : forms_.branches(form)) {
        all.push_back(reference(branch, location_of(graph_, forms_[branch]), depth));
      }
      return either(std::move(all));
    }
    if (form.any) {
      return any();
    }
    if (form.has_values) {
      return values(form);
    }
    if (form.implied) {
      narrow_implied(draft_, form, place);
    }
    if (forms_.object_possible(form)) {
      all.push_back(object(form, place, depth));
    }
    if (forms_.array_possible(form)) {
      all.push_back(array(form, place, depth));
    }
    if ((form.types & contract::type_string) != 0 && form.min_length <= form.max_length) {
      all.push_back(string(form));
    }
    if ((form.types & (contract::type_number | contract::type_integer)) != 0) {
      all.push_back(number(form));
    }
    if ((form.types & contract::type_boolean) != 0) {
      all.emplace_back("z.boolean()");
    }
    if ((form.types & contract::type_null) != 0) {
      all.emplace_back("z.null()");
    }
    return either(std::move(all));
  }

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
        add(all, one->is(Kind::object) ? "z.looseObject({})" : "z.array(" + any() + ")");
      } else if (one->is(Kind::number) && !is_literal_number(one->str(), text)) {
        exact = false;
        add(all, number(Form{}));
      } else {
        add(literals, one->is(Kind::number) ? text : json::value_text(*one));
      }
    }
    if (!exact) {
      leave(graph_, form, "enum");
      leave(graph_, form, "const");
    }
    if (!literals.empty()) {
      std::string text = joined(literals);
      all.insert(all.begin(), literals.size() == 1 ? "z.literal(" + text + ")" : "z.literal([" + text + "])");
    }
    return either(std::move(all));
  }

  std::string string(const Form& form) {
    std::string out = "z.string()";
    for (std::string_view pattern : form.patterns) {
      const Result<text::Pattern> compiled = text::Pattern::compile(pattern);
      if (compiled && compiled.value().warnings().empty()) {
        out += ".regex(new RegExp(" + literal(pattern) + ", \"u\"))";
      } else {
        leave(graph_, form, "pattern");
      }
    }
    return out + counted(form.min_length, form.max_length, "text", "[...text].length", "characters");
  }

  // A refine() for a count, where it has a bound.
  static std::string counted(std::uint64_t min, std::uint64_t max, std::string_view name, std::string_view count,
                             std::string_view of) {
    const bool least = min > 0;
    const bool most = max != no_bound;
    if (!least && !most) {
      return {};
    }
    std::string test;
    std::string words;
    if (least) {
      test += std::string(count) + " >= " + std::to_string(min);
      words += "at least " + std::to_string(min);
    }
    if (most) {
      test += (least ? " && " : "") + std::string(count) + " <= " + std::to_string(max);
      words += (least ? " and at most " : "at most ") + std::to_string(max);
    }
    return ".refine((" + std::string(name) + ") => " + test + ", \"" + words + " " + std::string(of) + "\")";
  }

  std::string number(const Form& form) {
    draft_.narrow(long_numbers, "", "Numbers are those of JavaScript: doubles, none beyond 1.8e308.");
    std::string out = "z.number()";
    if ((form.types & (contract::type_integer | contract::type_number)) == contract::type_integer) {
      out += ".refine(Number.isInteger, \"an integer\")";
    }
    static constexpr std::pair<Kw, std::string_view> methods[] = {
        {Kw::minimum, "gte"}, {Kw::maximum, "lte"}, {Kw::exclusive_minimum, "gt"}, {Kw::exclusive_maximum, "lt"}};
    for (const FormBound& bound : form.bounds) {
      std::string text;
      const bool short_enough = is_literal_number(bound.number, text);
      if (!short_enough || (bound.kw == Kw::multiple_of && text.find('.') != std::string::npos)) {
        leave(graph_, form, contract::kw_name(bound.kw));
      } else if (bound.kw == Kw::multiple_of) {
        out += ".refine((value) => value % " + text + " === 0, \"a multiple of " + text + "\")";
      } else {
        for (const auto& [kw, method] : methods) {
          out += kw == bound.kw ? "." + std::string(method) + "(" + text + ")" : std::string();
        }
      }
    }
    return out;
  }

  std::string place_of(FormId id, const std::string& otherwise) const {
    return forms_[id].schemas.empty() ? otherwise : location_of(graph_, forms_[id]);
  }

  std::string array(const Form& form, const std::string& place, std::uint32_t depth) {
    const std::uint64_t max = forms_.items_max(form);
    std::uint64_t least = form.min_items;
    std::uint64_t most = form.max_items;
    if (least >= count_max) {
      leave(graph_, form, "minItems");
      least = 0;
    }
    if (most >= count_max && most != no_bound) {
      leave(graph_, form, "maxItems");
      most = no_bound;
    }
    const std::string counts = counted(least, most, "items", "items.length", "items");
    const std::string items = place_of(form.rest, place + "/items");
    if (max == 0) {
      return "z.array(" + any() + ").max(0)";
    }
    if (form.prefix.empty()) {
      return "z.array(" + reference(form.rest, items, depth + 1) + ")" + counts;
    }
    if (form.prefix.size() > tuple_max) {
      for (std::string_view key : {"prefixItems", "items", "additionalItems"}) {
        leave(graph_, form, key);
      }
      return "z.array(" + any() + ")" + counts;
    }
    const std::uint64_t named = std::min<std::uint64_t>(max, form.prefix.size());
    std::string out = "z.tuple([";
    for (std::uint64_t i = 0; i < named; ++i) {
      const FormId item = form.prefix[static_cast<std::size_t>(i)];
      out += (i == 0 ? "" : ", ") + reference(item, place_of(item, items), depth + 1);
      out += i >= form.min_items ? ".optional()" : "";
    }
    out += "]";
    if (max > named) {
      out += ", " + reference(form.rest, items, depth + 1);
    }
    return out + ")" + counts;
  }

  // "name: schema" of a member, or a getter where something in it is declared further down.
  std::string member(const FormMember& member, const std::string& place, std::uint32_t depth) {
    const bool outer_member = in_member_;
    const bool outer_deferred = deferred_;
    in_member_ = true;
    deferred_ = false;
    const Form& of = forms_[member.form];
    const std::string at = member.said != no_schema ? graph_.location(member.said) : place + "/required";
    std::string schema = reference(member.form, at, depth + 1);
    schema += member.required ? "" : ".optional()";
    const std::string_view text = description_of(graph_, names_[member.form].empty() ? of : Form{}, member.said);
    if (!text.empty()) {
      schema += ".describe(" + literal(text) + ")";
    }
    std::string out(std::size_t{2} * (depth + 1), ' ');
    const std::string key = is_identifier(member.key) ? std::string(member.key) : literal(member.key);
    out += deferred_ ? "get " + key + "() {\n" + std::string(std::size_t{2} * (depth + 2), ' ') + "return " + schema +
                           ";\n" + std::string(std::size_t{2} * (depth + 1), ' ') + "}"
                     : key + ": " + schema;
    in_member_ = outer_member;
    deferred_ = outer_deferred;
    return out + ",\n";
  }

  std::string object(const Form& form, const std::string& place, std::uint32_t depth) {
    std::string shape;
    const bool hidden = std::any_of(form.members.begin(), form.members.end(), is_inherited);
    for (const FormMember& one : form.members) {
      if (is_inherited(one)) {
        continue;
      }
      if (forms_.possible(one.form)) {
        shape += member(one, place, depth);
      } else {
        shape += std::string(std::size_t{2} * (depth + 1), ' ') +
                 (is_identifier(one.key) ? std::string(one.key) : literal(one.key)) + ": z.never().optional(),\n";
      }
    }
    shape = shape.empty() ? "{}" : "{\n" + shape + std::string(std::size_t{2} * depth, ' ') + "}";
    if (hidden) {
      leave(graph_, form, "properties");
      leave(graph_, form, "required");
    }
    if (hidden || form.extra_by_name) {
      leave(graph_, form, "patternProperties");
      leave(graph_, form, "additionalProperties");
      return "z.looseObject(" + shape + ")";
    }
    if (!form.extra_said || forms_[form.extra].any) {
      return "z.looseObject(" + shape + ")";
    }
    if (!forms_.possible(form.extra)) {
      return "z.strictObject(" + shape + ")";
    }
    leave(graph_, form, "additionalProperties");  // of a member `__proto__` zod sees nothing
    const std::string extra = reference(form.extra, place_of(form.extra, place + "/additionalProperties"), depth + 1);
    return "z.object(" + shape + ").catchall(" + extra + ")";
  }

  Draft& draft_;
  const Forms& forms_;
  SchemaGraph& graph_;
  std::vector<std::string> names_;
  std::vector<std::size_t> rank_;
  FormId current_ = 0;
  bool in_member_ = false;
  bool deferred_ = false;  // in a member: something in it is declared further down
  bool lazy_ = false;      // the same outside of members
  bool anything_ = false;
  std::size_t written_ = 0;
};

}  // namespace

void write_zod(Draft& draft, const Forms& forms) { ZodWriter(draft, forms).write(); }

}  // namespace plumb::derive
