// One rule for each form that is more than a scalar. Members come in the order of the contract, each optional one with
// its comma; strings are characters as JSON writes them, each control in its short or its \u00XX form, so that one
// `char` is one code point and lengths are exact.

#include <algorithm>

#include "core/ascii.hpp"
#include "core/contract/keywords/bounds.hpp"
#include "core/derive/draft.hpp"
#include "core/derive/gbnf_text.hpp"
#include "core/json/decimal.hpp"
#include "core/json/writer.hpp"
#include "core/wording.hpp"

namespace plumb::derive {

using contract::Kw;
using contract::no_bound;
using json::Kind;

namespace {

struct SharedRule {
  std::string_view name;
  std::string_view body;
  std::string_view needs;  // names, with blanks between
};

constexpr SharedRule shared_rules[] = {
    {"value", "object | array | string | number | boolean | null", "object array string number boolean null"},
    {"object", "\"{\" ws (pair (\",\" ws pair)*)? \"}\"", "pair ws"},
    {"pair", "string ws \":\" ws value ws", "string value ws"},
    {"array", "\"[\" ws (value ws (\",\" ws value ws)*)? \"]\"", "value ws"},
    {"string", "\"\\\"\" char* \"\\\"\"", "char"},
    {"char", "[^\"\\\\\\x00-\\x1F] | \"\\\\\" ([\"\\\\/bfnrt] | \"u00\" [01] [0-9a-fA-F])", ""},
    {"number", "integer (\".\" [0-9]{1,18})? ([eE] [-+]? [0-9]{1,4})?", "integer"},
    {"integer", "\"-\"? (\"0\" | [1-9] [0-9]{0,17})", ""},
    {"boolean", "\"true\" | \"false\"", ""},
    {"null", "\"null\"", ""},
    {"ws", "[ \\t\\n]{0,40}", ""},
};

class GrammarWriter {
 public:
  GrammarWriter(Draft& draft, const Forms& forms)
      : draft_(draft), forms_(forms), graph_(draft.graph), rule_of_(forms.size()) {
    for (const SharedRule& rule : shared_rules) {
      taken_.emplace_back(rule.name);
    }
  }

  void write() {
    const FormId root = forms_.root();
    rule_of_[root] = "root";
    taken_.emplace_back("root");
    to_write_.push_back({root, location_of(graph_, forms_[root]), 0});
    for (std::size_t i = 0; i < to_write_.size() && !draft_.failed; ++i) {  // grows while it is written
      const Pending next = to_write_[i];
      if (!draft_.within(next.depth, next.place)) {
        return;
      }
      depth_ = next.depth;
      std::string body = joined(alternatives(next.form, next.place, rule_of_[next.form]), " | ");
      draft_.text += rule_of_[next.form] + " ::= " + body + "\n" + extra_rules_;
      extra_rules_.clear();
    }
    write_shared();
  }

 private:
  struct Pending {
    FormId form;
    std::string place;
    std::uint32_t depth;
  };

  std::string use(std::string_view shared) {
    for (const std::string& one : used_) {
      if (one == shared) {
        return std::string(shared);
      }
    }
    used_.emplace_back(shared);
    if (shared == "number" || shared == "integer") {
      draft_.narrow("long numbers", "",
                    "Numbers have at most 18 digits before the point, 18 behind it and 4 in the exponent.");
    }
    for (const SharedRule& rule : shared_rules) {
      if (rule.name == shared) {
        for (std::size_t at = 0; at < rule.needs.size();) {
          const std::size_t end = std::min(rule.needs.find(' ', at), rule.needs.size());
          use(rule.needs.substr(at, end - at));
          at = end + 1;
        }
      }
    }
    return std::string(shared);
  }

  void write_shared() {
    for (const SharedRule& rule : shared_rules) {
      if (std::find(used_.begin(), used_.end(), rule.name) != used_.end()) {
        draft_.text += std::string(rule.name) + " ::= " + std::string(rule.body) + "\n";
      }
    }
  }

  std::string fresh_name(std::string_view wanted) {
    std::string base;
    for (char c : wanted.substr(0, 60)) {
      const bool plain = ascii::is_alphanumeric(c);
      base += plain ? c : '-';
    }
    std::string name = base.empty() || base.front() == '-' ? "rule" + base : base;
    const std::string first = name;
    for (std::size_t n = 2; std::find(taken_.begin(), taken_.end(), name) != taken_.end(); ++n) {
      name = first + "-" + std::to_string(n);
    }
    taken_.push_back(name);
    return name;
  }

  std::string place_of(FormId id, const std::string& otherwise) const {
    return forms_[id].schemas.empty() ? otherwise : location_of(graph_, forms_[id]);
  }

  // A term for a form: a rule's name, or what it is where that is short.
  std::string term(FormId id, const std::string& place, const std::string& wanted) {
    const Form& form = forms_[id];
    if (form.any) {
      return use("value");
    }
    const bool scalar = form.branches.empty() && (form.types & (contract::type_array | contract::type_object)) == 0;
    if (rule_of_[id].empty() && scalar) {
      const std::vector<std::string> all = alternatives(id, place, wanted);
      if (all.size() == 1 && all.front().find(" | ") == std::string::npos && all.front().size() < 60) {
        return all.front();
      }
    }
    if (rule_of_[id].empty()) {
      rule_of_[id] = fresh_name(wanted);
      to_write_.push_back({id, place, depth_ + 1});
    }
    return rule_of_[id];
  }

  std::vector<std::string> alternatives(FormId id, const std::string& place, const std::string& name) {
    const Form& form = forms_[id];
    std::vector<std::string> out;
    if (form.any) {
      out.push_back(use("value"));
    } else if (!form.branches.empty()) {
      std::size_t n = 1;
      for (FormId branch : forms_.branches(form)) {
        out.push_back(term(branch, place_of(branch, place), name + "-" + std::to_string(n++)));
      }
    } else if (form.has_values) {
      for (const json::Value* value : form.values) {
        out.push_back(gbnf_literal(value_text(*value)));
        if (value->is(Kind::object) || value->is(Kind::array)) {
          draft_.narrow(member_order, place, "Constant objects are written in one order of members.");
        }
      }
    } else {
      if (form.implied) {
        narrow_implied(draft_, form, place);
      }
      if (forms_.object_possible(form)) {
        out.push_back(object(form, place, name));
      }
      if (forms_.array_possible(form)) {
        out.push_back(array(form, place, name));
      }
      if ((form.types & contract::type_string) != 0 && form.min_length <= form.max_length) {
        out.push_back(string(form));
      }
      if ((form.types & (contract::type_number | contract::type_integer)) != 0) {
        numbers(form, place, out);
      }
      if ((form.types & contract::type_boolean) != 0) {
        out.push_back(use("boolean"));
      }
      if ((form.types & contract::type_null) != 0) {
        out.push_back(use("null"));
      }
    }
    return out;
  }

  // JSON text of a constant; numbers in their shortest form.
  static std::string value_text(const json::Value& value) {
    json::Decimal number;
    if (value.is(Kind::number) &&
        json::Decimal::read(value.str(), json::Decimal::exponent_max_default, number) == json::DecimalStatus::ok) {
      return number.canonical();
    }
    return json::value_text(value);
  }

  std::string string(const Form& form) {
    if (form.patterns.size() == 1) {
      const std::optional<std::string> pattern = gbnf_pattern(form.patterns.front());
      if (pattern) {
        if (form.min_length > 0) {
          leave(graph_, form, "minLength");
        }
        if (form.max_length != no_bound) {
          leave(graph_, form, "maxLength");
        }
        if (pattern->find("char") != std::string::npos) {
          use("char");
        }
        const bool several = pattern->find(" | ") != std::string::npos;
        return "\"\\\"\" " + (several ? "(" + *pattern + ")" : *pattern) + " \"\\\"\"";
      }
    }
    if (!form.patterns.empty()) {
      leave(graph_, form, "pattern");
    }
    std::uint64_t min = form.min_length;
    std::uint64_t max = form.max_length;
    if (min > gbnf_repeats_max) {
      leave(graph_, form, "minLength");
      min = gbnf_repeats_max;
    }
    if (max != no_bound && max > gbnf_repeats_max) {
      leave(graph_, form, "maxLength");
      max = no_bound;
    }
    if (min == 0 && max == no_bound) {
      return use("string");
    }
    use("char");
    return max == 0 ? "\"\\\"\\\"\"" : "\"\\\"\" char" + gbnf_repeat(min, max) + " \"\\\"\"";
  }

  void numbers(const Form& form, const std::string& place, std::vector<std::string>& out) {
    const bool whole = (form.types & contract::type_number) == 0;
    std::optional<std::int64_t> min;
    std::optional<std::int64_t> max;
    for (const FormBound& bound : form.bounds) {
      std::int64_t limit = 0;
      const contract::BoundSide side = contract::bound_facets(bound.kw).side;
      if (side == contract::BoundSide::step || !whole || !whole_bound(bound, limit)) {
        leave(graph_, form, contract::kw_name(bound.kw));
      } else if (side == contract::BoundSide::low) {
        min = min ? std::max(*min, limit) : limit;
      } else {
        max = max ? std::min(*max, limit) : limit;
      }
    }
    if (!whole) {
      out.push_back(use("number"));
    } else if (!min && !max) {
      out.push_back(use("integer"));
    } else if (std::string digits = gbnf_integers(min, max); !digits.empty()) {
      if (!min || !max) {
        draft_.narrow("long numbers", "",
                      "Numbers have at most 18 digits before the point, 18 behind it and 4 in the exponent.");
      }
      out.push_back(std::move(digits));
    } else {
      draft_.fail(ErrorCode::invalid_contract, place, "no integer is within these bounds");
    }
  }

  // The bound as the last integer that keeps it, where it is one of up to 17 digits.
  static bool whole_bound(const FormBound& bound, std::int64_t& limit) {
    json::Decimal number;
    if (json::Decimal::read(bound.number, json::Decimal::exponent_max_default, number) != json::DecimalStatus::ok ||
        !number.is_integer()) {
      return false;
    }
    const std::string text = number.canonical();
    if (text.size() > 17 || text.find_first_of(".e") != std::string::npos) {
      return false;
    }
    const bool negative = text.front() == '-';
    for (char c : text) {
      limit = c == '-' ? 0 : limit * 10 + (c - '0');
    }
    limit = negative ? -limit : limit;
    const contract::BoundFacets& facets = contract::bound_facets(bound.kw);
    limit += !facets.open ? 0 : facets.side == contract::BoundSide::low ? 1 : -1;
    return true;
  }

  std::string array(const Form& form, const std::string& place, const std::string& name) {
    const std::string items = place_of(form.rest, place + "/items");
    std::uint64_t min = form.min_items;
    std::uint64_t max = forms_.items_max(form);
    if (min > gbnf_repeats_max) {
      leave(graph_, form, "minItems");
      min = gbnf_repeats_max;
    }
    if (max != no_bound && max > gbnf_repeats_max) {
      leave(graph_, form, "maxItems");
      max = no_bound;
    }
    use("ws");
    if (max == 0) {
      return "\"[\" ws \"]\"";
    }
    if (form.prefix.empty()) {
      const std::string item = term(form.rest, items, name + "-item");
      const std::string more =
          "(\",\" ws " + item + " ws)" + gbnf_repeat(min == 0 ? 0 : min - 1, max == no_bound ? max : max - 1);
      const std::string all = item + " ws" + (max == 1 ? "" : " " + more);
      return min == 0 ? "\"[\" ws (" + all + ")? \"]\"" : "\"[\" ws " + all + " \"]\"";
    }
    // Each item by its place, then the others: from the last one to the first, so that brackets close.
    const std::uint64_t named = std::min<std::uint64_t>(max, form.prefix.size());
    std::string tail;
    if (max > named) {
      const std::uint64_t least = min > named ? min - named : 0;
      tail = "(\",\" ws " + term(form.rest, items, name + "-item") + " ws)" +
             gbnf_repeat(least, max == no_bound ? max : max - named);
    }
    for (std::uint64_t i = named; i-- > 0;) {
      const FormId item = form.prefix[static_cast<std::size_t>(i)];
      std::string here = i == 0 ? "" : "\",\" ws ";
      here +=
          term(item, place_of(item, place + "/prefixItems/" + std::to_string(i)), name + "-" + std::to_string(i + 1)) +
          " ws";
      here += tail.empty() ? "" : " " + tail;
      tail = i >= min ? "(" + here + ")?" : here;
    }
    return "\"[\" ws " + tail + " \"]\"";
  }

  std::string member(const FormMember& one, const std::string& place, const std::string& name) {
    std::string key;
    json::append_string(key, one.key);
    const std::string at = one.said != no_schema ? graph_.location(one.said) : place + "/required";
    const std::string prefix = name == "root" ? std::string() : name + "-";
    return gbnf_literal(key) + " ws \":\" ws " + term(one.form, at, prefix + std::string(one.key)) + " ws";
  }

  std::string object(const Form& form, const std::string& place, const std::string& name) {
    std::vector<const FormMember*> members;
    for (const FormMember& one : form.members) {
      if (forms_.possible(one.form)) {
        members.push_back(&one);
      }
    }
    use("ws");
    const bool more = forms_.possible(form.extra) || form.extra_by_name;
    if (members.empty()) {
      return more ? map(form, place, name) : "\"{\" ws \"}\"";
    }
    if (more) {
      narrow_other_members(draft_, place);
    }
    if (members.size() > 1) {
      draft_.narrow(member_order, place, "The members come in the order of the contract.");
    }
    std::string out = "\"{\" ws ";
    const auto first =
        std::find_if(members.begin(), members.end(), [](const FormMember* one) { return one->required; });
    if (first == members.end()) {
      return out + optional_members(members, place, name) + " \"}\"";
    }
    for (auto at = members.begin(); at != members.end(); ++at) {
      const std::string text = member(**at, place, name);
      if (at < first) {
        out += "(" + text + " \",\" ws)? ";
      } else if (at == first) {
        out += text + " ";
      } else {
        out += (*at)->required ? "\",\" ws " + text + " " : "(\",\" ws " + text + ")? ";
      }
    }
    return out + "\"}\"";
  }

  // No member is required: any of them may be the first, and has no comma before it.
  std::string optional_members(const std::vector<const FormMember*>& members, const std::string& place,
                               const std::string& name) {
    std::vector<std::string> texts;
    texts.reserve(members.size());
    for (const FormMember* one : members) {
      texts.push_back(member(*one, place, name));
    }
    // rest-N is all that may follow the Nth member.
    std::vector<std::string> rests(texts.size());
    for (std::size_t i = texts.size() - 1; i-- > 0;) {
      std::string body = "(\",\" ws " + texts[i + 1] + ")?";
      body += rests[i + 1].empty() ? "" : " " + rests[i + 1];
      if (i == 0 || texts.size() <= 2) {
        rests[i] = body;
      } else {
        rests[i] = fresh_name(name + "-rest");
        extra_rules_ += rests[i] + " ::= " + body + "\n";
      }
    }
    std::string out = "(";
    for (std::size_t i = 0; i < texts.size(); ++i) {
      out += (i == 0 ? "" : " | ") + texts[i] + (rests[i].empty() ? "" : " " + rests[i]);
    }
    return out + ")?";
  }

  // Any names, one form for what they hold.
  std::string map(const Form& form, const std::string& place, const std::string& name) {
    if (form.extra_by_name) {
      leave(graph_, form, "patternProperties");
      leave(graph_, form, "additionalProperties");
    }
    const std::string value =
        form.extra_by_name ? use("value")
                           : term(form.extra, place_of(form.extra, place + "/additionalProperties"), name + "-value");
    const std::string pair = use("string") + " ws \":\" ws " + value + " ws";
    return "\"{\" ws (" + pair + " (\",\" ws " + pair + ")*)? \"}\"";
  }

  Draft& draft_;
  const Forms& forms_;
  SchemaGraph& graph_;
  std::vector<std::string> rule_of_;
  std::vector<std::string> taken_;
  std::vector<std::string> used_;
  std::vector<Pending> to_write_;
  std::string extra_rules_;
  std::uint32_t depth_ = 0;
};

}  // namespace

void write_gbnf(Draft& draft, const Forms& forms) { GrammarWriter(draft, forms).write(); }

}  // namespace plumb::derive
