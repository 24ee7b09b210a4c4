// Text for a model: an outline of the JSON with what each member must keep beside it, then the rules as a list. Short:
// models pay for every word, and what is in the outline is not said again.

#include <algorithm>

#include "core/derive/draft.hpp"
#include "core/derive/form_names.hpp"
#include "core/derive/requirement_text.hpp"
#include "core/derive/wording.hpp"
#include "core/json/writer.hpp"

namespace plumb::derive {

using json::Kind;

namespace {

constexpr std::size_t values_worded_max = 50;

class PromptWriter {
 public:
  PromptWriter(Draft& draft, const Forms& forms)
      : draft_(draft), forms_(forms), graph_(draft.graph), out_(draft.text) {}

  void write() {
    const json::Value& root = graph_.schema(graph_.root());
    for (std::string_view key : {"title", "description"}) {
      const json::Value* found = draft_.limits.outline_only ? nullptr : root.find(key);
      if (found != nullptr && found->is(Kind::string) && found->size > 0) {
        out_ += sentence(found->str()) + "\n";
      }
    }
    names_ = name_forms(graph_, forms_, forms_.root(), Naming::shared);
    outline_.reserve(1024);
    std::string note;
    const FormId first = forms_.root();
    value(first, location_of(graph_, forms_[first]), 0, note);
    end_line(note);
    if (!names_[first].empty()) {
      outline_ = names_[first] + " = " + outline_;
      written_.push_back(first);
    }
    for (std::size_t i = 0; i < wanted_.size() && !draft_.failed; ++i) {  // grows while it is written
      const FormId id = wanted_[i];
      if (std::find(written_.begin(), written_.end(), id) != written_.end()) {
        continue;
      }
      written_.push_back(id);
      outline_ += names_[id] + " = ";
      note.clear();
      body(id, location_of(graph_, forms_[id]), 0, note);
      end_line(note);
    }
    out_ += "Answer with one JSON value of this shape and nothing else";
    out_ += optional_ ? " (`?` marks what may be left out):\n" : ":\n";
    out_ += outline_;
    if (!draft_.limits.outline_only) {
      rules();
    }
  }

 private:
  void indent(std::uint32_t depth) { outline_.append(std::size_t{2} * depth, ' '); }

  void end_line(const std::string& note) { outline_ += note.empty() ? "\n" : "  // " + note + "\n"; }

  // What is to be said of a form is added to what its member says already.
  void notes(FormId id, std::string& note) const {
    const Form& form = forms_[id];
    const bool root = !form.schemas.empty() && form.schemas.front() == graph_.root();
    if (!root) {
      join(note, std::string(text_of(graph_, form, "description")));
    }
    for (std::string& one :
         draft_.limits.outline_only ? std::vector<std::string>() : check_texts(graph_, form, false)) {
      join(note, std::move(one));
    }
  }

  // Whether a member that must be there wants this one beside it.
  bool is_wanted(const Form& form, const FormMember& wanted) const {
    return std::any_of(form.schemas.begin(), form.schemas.end(), [&](SchemaId id) {
      const json::Value* beside = graph_.opaque(id) ? nullptr : graph_.schema(id).find("dependentRequired");
      return beside != nullptr && std::any_of(form.members.begin(), form.members.end(), [&](const FormMember& member) {
               const json::Value* names = member.required ? beside->find(member.key) : nullptr;
               return names != nullptr &&
                      std::any_of(names->array().begin(), names->array().end(),
                                  [&](const json::Value& name) { return name.str() == wanted.key; });
             });
    });
  }

  // Nothing is said twice, whether with a full stop or without.
  static void join(std::string& note, std::string more) {
    std::replace(more.begin(), more.end(), '\n', ' ');
    if (more.ends_with('.') && !more.ends_with("..")) {
      more.pop_back();  // a full stop, not what stands for more of the same
    }
    if (!more.empty() && ("; " + note + "; ").find("; " + more + "; ") == std::string::npos) {
      note += (note.empty() ? "" : "; ") + more;
    }
  }

  // Writes a value; what is to be said of it is added to `note`, which the caller puts at the end of a line.
  void value(FormId id, const std::string& around, std::uint32_t depth, std::string& note) {
    const std::string& place = forms_[id].schemas.empty() ? around : location_of(graph_, forms_[id]);
    if (!names_[id].empty() && depth > 0) {
      outline_ += names_[id];
      wanted_.push_back(id);
      return;
    }
    body(id, place, depth, note);
  }

  void body(FormId id, const std::string& place, std::uint32_t depth, std::string& note) {
    const Form& form = forms_[id];
    if (!draft_.within(depth, place)) {
      return;
    }
    if (outline_.size() > draft_.limits.output_bytes_max) {
      draft_.fail(ErrorCode::limit, place, "the target's text is larger than 1 MB");
      return;
    }
    notes(id, note);
    if (!form.branches.empty()) {
      bool first = true;
      for (FormId branch : forms_.branches(form)) {
        if (!first) {
          const bool long_one = outline_.back() == '}' || outline_.back() == ']';
          outline_ += long_one ? "\n" : "";
          if (long_one) {
            indent(depth);
          }
          outline_ += long_one ? "or " : " or ";
        }
        first = false;
        value(branch, location_of(graph_, forms_[branch]), std::max<std::uint32_t>(depth, 1), note);
      }
      return;
    }
    if (form.any) {
      outline_ += "any value";
      return;
    }
    if (form.has_values) {
      std::size_t told = 0;
      for (const json::Value* one : form.values) {
        if (told == values_worded_max) {
          join(note, "and " + std::to_string(form.values.size() - told) + " more values");
          break;
        }
        outline_ += told++ == 0 ? "" : " or ";
        json::append_value(outline_, *one);
      }
      return;
    }
    bool first = true;
    auto next = [&] {
      outline_ += first ? "" : " or ";
      first = false;
    };
    if (forms_.object_possible(form)) {
      next();
      object(form, place, depth, note);
    }
    if (forms_.array_possible(form)) {
      next();
      array(form, place, depth, note);
    }
    static constexpr std::pair<std::uint8_t, std::string_view> scalars[] = {{contract::type_string, "string"},
                                                                            {contract::type_number, "number"},
                                                                            {contract::type_integer, "integer"},
                                                                            {contract::type_boolean, "true or false"},
                                                                            {contract::type_null, "null"}};
    for (const auto& [bit, name] : scalars) {
      if ((form.types & bit) != 0) {
        next();
        outline_ += name;
      }
    }
  }

  void array(const Form& form, const std::string& place, std::uint32_t depth, std::string& note) {
    outline_ += "[";
    for (std::size_t i = 0; i < form.prefix.size(); ++i) {
      outline_ += i == 0 ? "" : ", ";
      value(form.prefix[i], place, std::max<std::uint32_t>(depth, 1), note);
    }
    if (forms_.items_max(form) > form.prefix.size() && !(forms_[form.rest].any && !form.prefix.empty())) {
      std::string of_items;
      outline_ += form.prefix.empty() ? "" : ", ";
      value(form.rest, place, std::max<std::uint32_t>(depth, 1), of_items);
      outline_ += forms_.items_max(form) == 1 ? "" : ", ...";
      if (!of_items.empty()) {
        join(note, "each: " + of_items);
      }
    }
    outline_ += "]";
  }

  // What is to be said of an object comes on its opening line, so that it is read before its members.
  void object(const Form& form, const std::string& place, std::uint32_t depth, std::string& note) {
    std::vector<const FormMember*> members;
    for (const FormMember& member : form.members) {
      if (forms_.possible(member.form)) {
        members.push_back(&member);
      }
    }
    const std::vector<ByPattern> patterns = patterns_of(form);
    if (members.empty() && patterns.empty()) {
      outline_ += "{";
      if (form.extra_said && forms_.possible(form.extra)) {
        outline_ += "any name: ";
        value(form.extra, place, std::max<std::uint32_t>(depth, 1), note);
      } else {
        outline_ += "...";
      }
      outline_ += "}";
      return;
    }
    outline_ += "{";
    end_line(note);
    note.clear();
    for (const FormMember* member : members) {
      indent(depth + 1);
      json::append_string(outline_, member->key);
      const bool optional = !member->required && !draft_.limits.all_members && !is_wanted(form, *member);
      optional_ = optional_ || optional;
      outline_ += optional ? "?: " : ": ";
      std::string of_member;
      if (member->said != no_schema) {
        const json::Value* own = graph_.schema(member->said).find("description");
        join(of_member, own == nullptr ? std::string() : std::string(own->str()));
      }
      value(member->form, place, depth + 1, of_member);
      outline_ += ",";
      end_line(of_member);
    }
    for (const ByPattern& one : patterns) {
      indent(depth + 1);
      outline_ += "any name that fits ";
      json::append_string(outline_, one.pattern);
      const std::vector<std::string> told = schema_texts(graph_, one.schema);
      outline_ += ": " + (told.empty() ? "any value" : listed(told)) + ",";
      end_line("");
    }
    if (form.extra_said && forms_.possible(form.extra) && !forms_[form.extra].any) {
      indent(depth + 1);
      outline_ += members.empty() && patterns.empty() ? "any name: " : "any other name: ";
      std::string of_others;
      value(form.extra, place, depth + 1, of_others);
      outline_ += ",";
      end_line(of_others);
    }
    indent(depth);
    outline_ += "}";
  }

  // What patternProperties ask, in the order in which they are written.
  struct ByPattern {
    std::string_view pattern;
    SchemaId schema;
  };
  std::vector<ByPattern> patterns_of(const Form& form) const {
    std::vector<ByPattern> out;
    for (const SchemaId id : form.schemas) {
      const json::Value* found = graph_.opaque(id) ? nullptr : graph_.schema(id).find("patternProperties");
      if (found == nullptr || !found->is(Kind::object)) {
        continue;
      }
      for (const json::Member& one : found->object()) {
        if (const SchemaId asked = graph_.find(one.value); asked != no_schema) {
          out.push_back({one.key, asked});
        }
      }
    }
    return out;
  }

  void rules() {
    std::string list;
    for (SchemaId id = 0; id < graph_.size(); ++id) {
      const json::Value& schema = graph_.schema(id);
      const json::Value* condition = schema.find("if");
      const SchemaId tested = condition == nullptr ? no_schema : graph_.find(*condition);
      if (tested == no_schema || graph_.role(id, {"if", 0, 0, *condition}) == Role::note) {
        continue;
      }
      for (std::string_view key : {"then", "else"}) {
        const json::Value* part = schema.find(key);
        const SchemaId asked = part == nullptr ? no_schema : graph_.find(*part);
        const std::vector<std::string> lines =
            asked == no_schema ? std::vector<std::string>() : schema_texts(graph_, asked);
        if (!lines.empty()) {
          const std::vector<std::string> when = condition_texts(graph_, tested);
          list += std::string("- ") + (key == "then" ? "Where " : "Unless ") +
                  (when.empty() ? "the condition holds" : listed(when)) + ": " + sentence(listed(lines)) + "\n";
        }
      }
    }
    std::string where;  // a condition comes once, above its rules
    for (const RuleText& rule : rule_texts(graph_)) {
      if (rule.where != where) {
        where = rule.where;
        if (!where.empty()) {
          list += "- " + sentence(where);
          list.back() = ':';
          list += "\n";
        }
      }
      list += where.empty() ? "- " : "  - ";
      std::string text = rule.title.empty() ? "" : sentence(rule.title);
      for (const std::string& more : {rule.asks, rule.action}) {
        if (!more.empty()) {
          text += (text.empty() ? "" : " ") + sentence(more);
        }
      }
      list += text + "\n";
    }
    if (!list.empty()) {
      out_ += "Rules:\n" + list;
    }
  }

  Draft& draft_;
  const Forms& forms_;
  SchemaGraph& graph_;
  std::string& out_;
  std::string outline_;
  std::vector<std::string> names_;
  std::vector<FormId> wanted_;
  std::vector<FormId> written_;
  bool optional_ = false;
};

}  // namespace

void write_prompt(Draft& draft, const Forms& forms) { PromptWriter(draft, forms).write(); }

}  // namespace plumb::derive
