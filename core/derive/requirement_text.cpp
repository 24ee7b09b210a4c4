#include "core/derive/requirement_text.hpp"

#include <algorithm>
#include <iterator>

#include "core/derive/wording.hpp"
#include "core/json/writer.hpp"
#include "core/wording.hpp"

namespace plumb::derive {

using json::Kind;

namespace {

constexpr int depth_worded_max = 3;      // of a condition's schema
constexpr std::size_t lines_max = 2000;  // rules or messages
constexpr std::size_t example_max = 4000;
constexpr std::uint32_t example_depth_max = 12;
constexpr std::string_view is_there = " is there";

std::string text_at(const json::Value& value, std::string_view key) {
  const json::Value* found = value.find(key);
  return found != nullptr && found->is(Kind::string) ? std::string(found->str()) : std::string();
}

// Told by the outline of a form already.
bool shapes(std::string_view key) {
  return key == "type" || key == "enum" || key == "const" || key == "required" || key == "rules" ||
         key == "minContains" || key == "maxContains" || key == "then" || key == "else";
}

// The verb that makes a sentence of a place and a keyword's phrase: "`steps`" "has" "at least 2 items". Nothing where
// the phrase has one of its own, and null where it is a sentence itself.
const char* verb_of(std::string_view key) {
  constexpr std::string_view is[] = {
      "type",   "const",    "enum",     "minimum",   "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
      "format", "notBlank", "memberOf", "sameSetAs", "novel",   "quotedFrom"};
  constexpr std::string_view has[] = {"minLength",     "maxLength",     "length", "minItems",    "maxItems",
                                      "minProperties", "maxProperties", "avoids", "maxSentences"};
  constexpr std::string_view own[] = {"pattern", "mentions", "facts", "singleUnknown", "not"};
  const auto among = [key](const auto& list) {
    return std::find(std::begin(list), std::end(list), key) != std::end(list);
  };
  return among(is) ? "is " : among(has) ? "has " : among(own) ? "" : nullptr;
}

// One more sentence about a place; what the sentence before it says of the same place takes it in.
void add_line(std::vector<std::string>& out, const std::string& at, std::string_view key, std::string words) {
  if (at.empty()) {
    out.push_back(std::move(words));
    return;
  }
  if (key == "const") {
    words.erase(0, std::string_view("exactly ").size());
  }
  const char* const verb = verb_of(key);
  if (verb == nullptr) {
    out.push_back("in " + quoted(at) + " " + words);
    return;
  }
  const std::string subject = quoted(at) + " ";
  const bool again =
      !out.empty() && out.back().starts_with(subject) && out.back() != quoted(at) + std::string(is_there);
  if (!again) {
    out.push_back(subject + verb + words);
  } else {
    const std::string same = subject + verb;
    out.back() += *verb != '\0' && out.back().starts_with(same) ? ", " + words : ", " + (verb + words);
  }
}

void schema_lines(const SchemaGraph& graph, SchemaId id, const std::string& at, int depth,
                  std::vector<std::string>& out) {
  const json::Value& schema = graph.schema(id);
  for (const json::Member& member : schema.object()) {
    const Role role = graph.role(id, member);
    if (role == Role::check && member.key != "rules") {
      if (member.key == "required") {
        for (const json::Value& one : member.value.array()) {
          out.push_back(quoted(at.empty() ? std::string(one.str()) : at + "/" + std::string(one.str())) +
                        std::string(is_there));
        }
      } else if (member.key != "pointers") {  // what it asks of other places has no short words
        add_line(out, at, member.key, phrase(member.key, member.value));
      }
    } else if (depth > 0 && member.key == "properties") {
      for (const json::Member& one : member.value.object()) {
        const SchemaId below = graph.find(one.value);
        if (below != no_schema) {
          schema_lines(graph, below, at.empty() ? std::string(one.key) : at + "/" + std::string(one.key), depth - 1,
                       out);
        }
      }
    } else if (depth > 0 && member.key == "items") {
      for (SchemaId below : graph.below(id, member)) {
        schema_lines(graph, below, at.empty() ? "*" : at + "/*", depth - 1, out);
      }
    } else if (depth > 0 && (role == Role::reference || role == Role::every)) {
      for (SchemaId below : graph.below(id, member)) {
        schema_lines(graph, below, at, depth - 1, out);
      }
    } else if (role == Role::unions || (role == Role::other && !shapes(member.key))) {
      add_line(out, at, member.key, phrase(member.key, member.value));
    }
  }
}

// Of a condition: that a member is there goes without saying where something is said of it.
std::vector<std::string> condition_lines(const SchemaGraph& graph, SchemaId id) {
  std::vector<std::string> all;
  schema_lines(graph, id, "", depth_worded_max, all);
  constexpr std::string_view there = is_there;
  const auto said_anyway = [&](const std::string& line) {
    if (line.size() <= there.size() || !line.ends_with(there)) {
      return false;
    }
    const std::string subject = line.substr(0, line.size() - there.size() + 1);
    return std::any_of(all.begin(), all.end(),
                       [&](const std::string& other) { return other != line && other.starts_with(subject); });
  };
  std::vector<std::string> out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out),
               [&](const std::string& one) { return !said_anyway(one); });
  return out;
}

// Walks all schemas from the root in reading order, each once, with the place in an artifact.
class Walk {
 public:
  explicit Walk(const SchemaGraph& graph) : graph_(graph), seen_(graph.size(), false) {}

  template <class Found>
  void run(Found&& found) {
    struct Open {
      SchemaId id;
      std::string at;
      std::string where;
    };
    std::vector<Open> stack{{graph_.root(), "", ""}};
    while (!stack.empty()) {
      const Open now = std::move(stack.back());
      stack.pop_back();
      if (seen_[now.id]) {
        continue;
      }
      seen_[now.id] = true;
      found(now.id, now.at, now.where);
      const json::Value& schema = graph_.schema(now.id);
      std::vector<Open> next;
      for (const json::Member& member : schema.object()) {
        const Role role = graph_.role(now.id, member);
        if (role == Role::note || role == Role::check || member.key == "not" || member.key == "if") {
          continue;
        }
        std::string where = now.where;
        const json::Value* condition = schema.find("if");
        if ((member.key == "then" || member.key == "else") && condition != nullptr) {
          std::vector<std::string> lines;
          const SchemaId tested = graph_.find(*condition);
          if (tested != no_schema) {
            lines = condition_lines(graph_, tested);
          }
          where = (member.key == "then" ? "where " : "unless ") + (lines.empty() ? "a condition holds" : listed(lines));
        }
        if (member.value.is(Kind::object) && (member.key == "properties" || member.key == "patternProperties")) {
          for (const json::Member& one : member.value.object()) {
            add(next, one.value, now.at.empty() ? std::string(one.key) : now.at + "/" + std::string(one.key), where);
          }
          continue;
        }
        const bool item = role == Role::places || member.key == "contains";
        for (SchemaId below : graph_.below(now.id, member)) {
          next.push_back({below, !item ? now.at : now.at.empty() ? "*" : now.at + "/*", where});
        }
      }
      for (auto one = next.rbegin(); one != next.rend(); ++one) {
        stack.push_back(std::move(*one));
      }
    }
  }

 private:
  template <class List>
  void add(List& list, const json::Value& schema, std::string at, const std::string& where) {
    const SchemaId id = graph_.find(schema);
    if (id != no_schema) {
      list.push_back({id, std::move(at), where});
    }
  }

  const SchemaGraph& graph_;
  std::vector<bool> seen_;
};

class Example {
 public:
  explicit Example(const Forms& forms) : forms_(forms), json_(out_) {}

  std::string write(FormId id) {
    value(id, 0);
    return good_ && out_.size() <= example_max ? out_ : std::string();
  }

 private:
  void value(FormId id, std::uint32_t depth) {
    const Form& form = forms_[id];
    if (depth > example_depth_max || out_.size() > example_max) {
      good_ = false;
      json_.null();
      return;
    }
    if (!form.branches.empty()) {
      const std::vector<FormId> branches = forms_.branches(form);
      value(branches.front(), depth);
    } else if (form.any) {
      json_.string("...");
    } else if (form.has_values) {
      json_.value(*form.values.front());
    } else if (forms_.object_possible(form)) {
      json_.begin_object();
      for (const FormMember& member : form.members) {
        if (member.required) {
          json_.key(member.key);
          value(member.form, depth + 1);
        }
      }
      json_.end_object();
    } else if (forms_.array_possible(form)) {
      json_.begin_array();
      // One item shows what items are; deeper, only what must be there.
      const std::uint64_t count =
          std::min<std::uint64_t>(std::max<std::uint64_t>(form.min_items, depth < 3 ? 1 : 0), forms_.items_max(form));
      for (std::uint64_t i = 0; i < count && good_; ++i) {
        item_ = i + 1;
        value(i < form.prefix.size() ? form.prefix[static_cast<std::size_t>(i)] : form.rest, depth + 1);
      }
      json_.end_array();
    } else if ((form.types & contract::type_string) != 0) {
      text(form);
    } else if ((form.types & (contract::type_number | contract::type_integer)) != 0) {
      number(form);
    } else if ((form.types & contract::type_boolean) != 0) {
      json_.boolean(true);
    } else {
      json_.null();
    }
  }

  void text(const Form& form) {
    std::string out = "text " + std::to_string(++texts_);
    while (out.size() < form.min_length && out.size() < example_max) {
      out += " and more";
    }
    if (out.size() > form.max_length) {
      out.resize(static_cast<std::size_t>(form.max_length));
    }
    json_.string(out);
  }

  void number(const Form& form) {
    for (const FormBound& bound : form.bounds) {
      if (bound.kw == contract::Kw::minimum || bound.kw == contract::Kw::maximum) {
        json_.raw(bound.number);
        return;
      }
    }
    json_.uint(1);
  }

  const Forms& forms_;
  std::string out_;
  json::Writer json_;
  std::uint64_t item_ = 0;
  std::uint64_t texts_ = 0;
  bool good_ = true;
};

}  // namespace

std::vector<std::string> check_texts(const SchemaGraph& graph, const Form& form, bool own_counts) {
  std::vector<std::string> out;
  for (SchemaId id : form.schemas) {
    const json::Value& schema = graph.schema(id);
    for (const json::Member& member : schema.object()) {
      const Role role = graph.role(id, member);
      const bool closed =
          member.key == "additionalProperties" && member.value.is(Kind::boolean) && !member.value.boolean;
      const bool idle = member.value.is(Kind::boolean) && !member.value.boolean && role == Role::check;
      if (((role == Role::check || (role == Role::other && member.key != "if")) && !shapes(member.key) && !idle) ||
          closed) {
        const bool counts = member.key == "minItems" || member.key == "maxItems";
        std::string words = own_words(schema, member.key, member.value);
        constexpr std::string_view must = "ust have ";
        if (const std::size_t at = words.find(must); counts && !own_counts && at != std::string::npos) {
          words.erase(0, at + must.size());
        }
        if (std::find(out.begin(), out.end(), words) == out.end()) {
          out.push_back(std::move(words));
        }
      }
    }
  }
  return out;
}

std::vector<std::string> schema_texts(const SchemaGraph& graph, SchemaId id) {
  std::vector<std::string> out;
  schema_lines(graph, id, "", depth_worded_max, out);
  return out;
}

std::vector<std::string> condition_texts(const SchemaGraph& graph, SchemaId id) { return condition_lines(graph, id); }

std::vector<RuleText> rule_texts(const SchemaGraph& graph) {
  std::vector<RuleText> out;
  Walk(graph).run([&](SchemaId id, const std::string& at, const std::string& where) {
    const json::Value& schema = graph.schema(id);
    const json::Value* rules = schema.find("rules");
    if (rules == nullptr || out.size() > lines_max) {
      return;
    }
    for (const json::Value& rule : rules->array()) {
      RuleText told;
      told.id = text_at(rule, "id");
      told.title = text_at(rule, "title");
      told.asks = text_at(rule, "ask");
      told.action = text_at(rule, "action");
      told.at = at;
      if (std::string each = text_at(rule, "each"); each.size() > 1) {
        told.at += told.at.empty() ? each.substr(1) : each;
      }
      told.where = where;
      const json::Value* blocks = rule.find("blocks");
      told.blocks = blocks != nullptr && blocks->is(Kind::boolean) && blocks->boolean;
      const json::Value* check = rule.find("check");
      const SchemaId checked = check == nullptr ? no_schema : graph.find(*check);
      const std::vector<std::string> lines =
          checked == no_schema ? std::vector<std::string>() : schema_texts(graph, checked);
      if (told.asks.empty() && !lines.empty()) {
        std::string all = joined(lines, "; ");
        told.asks = sentence(all);
      }
      out.push_back(std::move(told));
    }
  });
  return out;
}

std::vector<MessageText> message_texts(const SchemaGraph& graph) {
  std::vector<MessageText> out;
  Walk(graph).run([&](SchemaId id, const std::string& at, const std::string&) {
    const json::Value* messages = graph.schema(id).find("errorMessage");
    if (messages == nullptr || out.size() > lines_max) {
      return;
    }
    for (const json::Member& one : messages->object()) {
      if (one.value.is(Kind::string)) {
        out.push_back({at, std::string(one.key), std::string(one.value.str())});
      }
      for (const json::Member& property : one.value.object()) {
        out.push_back({at, std::string(one.key) + " " + std::string(property.key), std::string(property.value.str())});
      }
    }
  });
  return out;
}

std::string example_text(const Forms& forms, FormId id) { return Example(forms).write(id); }

}  // namespace plumb::derive
