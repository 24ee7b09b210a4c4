// The walk over the contract, what the contract allows, and the fixes.
#include "core/lint/lint.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/json/pointer.hpp"
#include "core/json/positions.hpp"
#include "core/json/writer.hpp"
#include "core/lint/looking.hpp"
#include "core/lint/rules.hpp"

namespace plumb::lint {

using contract::Contract;
using contract::InPlace;

namespace {

constexpr std::size_t fix_rounds_max = 40;

bool is_own(const Node& node) { return node.location.empty() || node.location.front() == '/'; }

// Every schema that has a say, by the way that says most about it: by itself before beside, beside before condition.
class Walk {
 public:
  explicit Walk(std::vector<Seen>& seen) : seen_(seen) {}

  void from(const Node* root) {
    add(root, Place::value, true);
    for (std::size_t i = 0; i < todo_.size(); ++i) {
      next(todo_[i]);
    }
  }

 private:
  struct Todo {
    const Node* node;
    Place place;
    bool surely;
  };

  // Again where it is reached in a way that says more, which happens at most four times for a schema.
  void add(const Node* node, Place place, bool surely) {
    if (node == nullptr || node->always) {
      return;
    }
    const auto [at, fresh] = index_.emplace(node, seen_.size());
    if (fresh) {
      seen_.push_back({node, place, surely});
    } else if (Seen& known = seen_[at->second]; place < known.place || (surely && !known.surely)) {
      known.place = std::min(place, known.place);
      known.surely = known.surely || surely;
    } else {
      return;
    }
    todo_.push_back({node, place, surely});
  }

  void next(const Todo todo) {
    const Node& node = *todo.node;
    const bool asked = todo.place == Place::condition;
    const auto beside = [&](const Node* to, bool surely) {
      add(to, asked ? Place::condition : Place::beside, !asked && surely && todo.surely);
    };
    // What a member is, a schema beside this one may say: only below its own values does a schema speak for itself.
    const auto child = [&](const Node* to, bool surely) { add(to, todo.place, !asked && surely && todo.surely); };
    for (const InPlace& in : node.in_place) {
      switch (in.form) {
        case InPlaceForm::alternatives:
          // A member that tells the branches apart makes the chosen one a schema beside this one.
          for (const Node* branch : in.branches) {
            add(branch, asked || in.discriminator.empty() ? Place::condition : Place::beside, false);
          }
          break;
        case InPlaceForm::negation:
          add(in.node, Place::condition, false);
          break;
        case InPlaceForm::condition:
          add(in.node, Place::condition, false);
          beside(in.then_node, false);
          beside(in.else_node, false);
          break;
        case InPlaceForm::reference:
        case InPlaceForm::dynamic:
          // What is referred to applies to the value as the schema that refers to it does.
          add(in.node, todo.place, todo.surely);
          break;
        case InPlaceForm::all:
          beside(in.node, true);
          break;
        default:
          beside(in.node, false);
          break;
      }
    }
    if (node.object) {
      for (const contract::Slot& slot : node.object->slots) {
        child(slot.node, slot.required != contract::none32);
      }
      for (const auto& pattern : node.object->pattern_properties) {
        child(pattern.node, false);
      }
      child(node.object->additional, false);
      child(node.object->unevaluated, false);
      beside(node.object->names, false);
    }
    if (node.array) {
      for (const Node* item : node.array->prefix) {
        child(item, false);
      }
      child(node.array->items, node.array->min_items > 0);
      child(node.array->unevaluated, false);
      if (node.array->contains) {
        add(node.array->contains->node, Place::condition, false);
      }
    }
    if (node.extra) {
      for (const contract::PointedSchema& pointed : node.extra->pointed) {
        beside(pointed.node, false);
      }
      for (const contract::Rule& rule : node.extra->rules) {
        beside(rule.check, false);
      }
    }
  }

  std::vector<Seen>& seen_;
  std::unordered_map<const Node*, std::size_t> index_;
  std::vector<Todo> todo_;
};

// Whether `node` is reached again from one of its own values, a few references further down.
bool leads_back(const Node* start) {
  constexpr std::size_t nodes_max = 64;
  std::vector<const Node*> reached;
  const auto add = [&](const Node* node) {
    if (node != nullptr && reached.size() < nodes_max &&
        std::find(reached.begin(), reached.end(), node) == reached.end()) {
      reached.push_back(node);
    }
  };
  const auto children = [&](const Node& node) {
    if (node.object) {
      for (const contract::Slot& slot : node.object->slots) {
        add(slot.node);
      }
      add(node.object->additional);
    }
    if (node.array) {
      add(node.array->items);
    }
  };
  children(*start);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (reached[i] == start) {
      return true;
    }
    for (const InPlace& in : reached[i]->in_place) {
      add(in.node);
      for (const Node* branch : in.branches) {
        add(branch);
      }
    }
    children(*reached[i]);
  }
  return false;
}

// "$comment": "lint-allow RULE, RULE: why"
void read_allowed(const json::Value& value, const std::string& at, unsigned depth, std::vector<Allowed>& out) {
  constexpr unsigned depth_max = 200;
  constexpr std::string_view opening = "lint-allow ";
  if (depth > depth_max) {
    return;
  }
  const json::Value* comment = value.find("$comment");
  if (comment != nullptr && comment->str().starts_with(opening)) {
    const std::string_view text = comment->str().substr(opening.size());
    const std::size_t colon = text.find(':');
    std::string_view names = text.substr(0, colon);
    std::string_view reason = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    while (!reason.empty() && reason.front() == ' ') {
      reason.remove_prefix(1);
    }
    while (!names.empty() && !reason.empty()) {
      const std::size_t end = std::min(names.find_first_of(", "), names.size());
      if (end > 0) {
        out.push_back({std::string(names.substr(0, end)), at, std::string(reason)});
      }
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  }
  for (const json::Member& member : value.object()) {
    std::string below = at;
    json::append_token(below, member.key);
    read_allowed(member.value, below, depth + 1, out);
  }
  for (std::size_t i = 0; i < value.array().size(); ++i) {
    std::string below = at;
    json::append_token(below, i);
    read_allowed(value.array()[i], below, depth + 1, out);
  }
}

bool below(std::string_view pointer, std::string_view top) {
  return pointer.starts_with(top) && (pointer.size() == top.size() || pointer[top.size()] == '/');
}

void set_places(std::string_view text, std::vector<LintFinding>& findings) {
  std::vector<json::PlaceRequest> wanted;
  for (const LintFinding& finding : findings) {
    wanted.push_back({finding.span.from, {}});
    wanted.push_back({finding.span.to, {}});
  }
  std::sort(wanted.begin(), wanted.end(),
            [](const json::PlaceRequest& a, const json::PlaceRequest& b) { return a.byte < b.byte; });
  json::Positions positions;
  positions.locate(text.data(), text.size(), 0, wanted);
  const auto place = [&](std::uint64_t byte) {
    return std::lower_bound(wanted.begin(), wanted.end(), byte,
                            [](const json::PlaceRequest& a, std::uint64_t b) { return a.byte < b; })
        ->place;
  };
  for (LintFinding& finding : findings) {
    const json::Place from = place(finding.span.from);
    const json::Place to = place(finding.span.to);
    finding.span.line = from.line;
    finding.span.column = from.column;
    finding.span.utf16_from = from.utf16;
    finding.span.line_to = to.line;
    finding.span.column_to = to.column;
    finding.span.utf16_to = to.utf16;
  }
}

}  // namespace

bool Looking::in_itself(const Node* node) const { return leads_back(node); }

const Seen* Looking::find(const Node* node) const {
  if (node == nullptr || !is_own(*node)) {
    return nullptr;
  }
  const auto at = std::lower_bound(seen.begin(), seen.end(), node->schema->from,
                                   [](const Seen& one, std::uint64_t from) { return one.node->schema->from < from; });
  return at != seen.end() && at->node == node ? &*at : nullptr;
}

const json::Member* Looking::member(const Node& node, std::string_view keyword) {
  for (const json::Member& member : node.schema->object()) {
    if (member.key == keyword) {
      return &member;
    }
  }
  return nullptr;
}

LintFinding& Looking::add(std::string_view rule, const Node& node, std::string_view keyword, std::string message,
                          std::string_view below_it) {
  LintFinding finding;
  finding.rule = std::string(rule);
  const LintRule* known = lint_rule(rule);
  finding.severity = known == nullptr ? contract::Severity::warning : known->severity;
  finding.at = node.location;
  finding.span.from = node.schema->from;
  finding.span.to = node.schema->to;
  if (const json::Member* own = keyword.empty() ? nullptr : member(node, keyword)) {
    json::append_token(finding.at, keyword);
    finding.span.from = own->key_from;
    finding.span.to = own->value.to;
    if (!below_it.empty()) {
      if (const json::Value* inner = json::resolve(own->value, below_it)) {
        finding.at += below_it;
        finding.span.from = inner->from;
        finding.span.to = inner->to;
      }
    }
  }
  finding.message = std::move(message);
  if (report_.findings.size() >= findings_max) {
    ++report_.more;
    report_.findings.pop_back();
  }
  report_.findings.push_back(std::move(finding));
  return report_.findings.back();
}

Edit Looking::removal(const json::Value& object, const json::Member& gone) {
  const auto members = object.object();
  const auto index = static_cast<std::size_t>(&gone - members.data());
  if (index + 1 < members.size()) {
    return {gone.key_from, members[index + 1].key_from, {}};
  }
  if (index > 0) {
    return {members[index - 1].value.to, gone.value.to, {}};
  }
  return {object.from + 1, object.to - 1, {}};
}

Edit Looking::removal(const json::Value& array, std::size_t item) {
  const auto items = array.array();
  if (item + 1 < items.size()) {
    return {items[item].from, items[item + 1].from, {}};
  }
  if (item > 0) {
    return {items[item - 1].to, items[item].to, {}};
  }
  return {array.from + 1, array.to - 1, {}};
}

void Looking::remove(LintFinding& finding, const Node& node, std::string_view keyword, bool certain) {
  if (const json::Member* own = member(node, keyword)) {
    finding.fix = Fix{"Remove '" + std::string(keyword) + "'", {removal(*node.schema, *own)}, certain};
  }
}

LintReport lint(const Contract& contract, const LintOptions& options) {
  LintReport report;
  report.name = contract.name();
  report.hash = contract.hash();
  Looking looking(contract.program(), report);
  Walk(looking.seen).from(contract.program().root);
  looking.seen.erase(
      std::remove_if(looking.seen.begin(), looking.seen.end(), [](const Seen& one) { return !is_own(*one.node); }),
      looking.seen.end());
  std::sort(looking.seen.begin(), looking.seen.end(),
            [](const Seen& a, const Seen& b) { return a.node->schema->from < b.node->schema->from; });
  look_at_bounds(looking);
  look_at_lists(looking);
  look_at_presence(looking);
  look_at_size(looking);
  look_at_order(looking);
  look_at_release(looking);
  look_at_keywords(looking);
  look_at_targets(looking, contract, options);

  std::vector<Allowed> allowed;
  // The contract's own: what is judged first may be in a document that it only refers to.
  const json::Value* root = contract.program().nodes[0].schema;
  read_allowed(*root, "", 0, allowed);
  for (const Allowed& one : allowed) {
    const std::size_t before = report.findings.size();
    report.findings.erase(std::remove_if(report.findings.begin(), report.findings.end(),
                                         [&](const LintFinding& finding) {
                                           return finding.rule == one.rule && below(finding.at, one.at);
                                         }),
                          report.findings.end());
    if (report.findings.size() < before) {
      report.allowed.push_back(one);
    } else {
      LintFinding unused;
      unused.rule = "nothing-to-allow";
      unused.severity = contract::Severity::info;
      unused.at = one.at + "/$comment";
      const json::Value* comment = json::resolve(*root, unused.at);
      unused.span.from = comment->from;
      unused.span.to = comment->to;
      unused.message = "'" + one.rule + "' is allowed here and is not found";
      report.findings.push_back(std::move(unused));
    }
  }
  // A total order: place, then rule, then message.
  std::sort(report.findings.begin(), report.findings.end(), [](const LintFinding& a, const LintFinding& b) {
    if (a.span.from != b.span.from) {
      return a.span.from < b.span.from;
    }
    const int rules = a.rule.compare(b.rule);
    return rules != 0 ? rules < 0 : a.message < b.message;
  });
  set_places(contract.text(), report.findings);
  return report;
}

LintReport lint(std::string_view text, const contract::ReadOptions& read, const LintOptions& options) {
  const Result<Contract> contract = Contract::read(text, read);
  if (contract) {
    return lint(contract.value(), options);
  }
  LintReport report;
  report.name = std::string(read.name.empty() ? std::string_view("contract") : read.name);
  LintFinding finding;
  finding.rule = "no-contract";
  finding.severity = contract::Severity::error;
  finding.at = contract.error().where;
  finding.message = contract.error().message;
  finding.span.line = finding.span.line_to = static_cast<std::uint32_t>(contract.error().line);
  finding.span.column = finding.span.column_to = static_cast<std::uint32_t>(contract.error().column);
  report.findings.push_back(std::move(finding));
  return report;
}

Fixed fix(std::string_view text, const contract::ReadOptions& options) {
  Fixed out;
  out.text = std::string(text);
  for (std::size_t round = 0; round < fix_rounds_max; ++round) {
    const Result<Contract> contract = Contract::read(out.text, options);
    if (!contract) {
      break;
    }
    const LintReport report = lint(contract.value(), LintOptions{{}, 0});
    bool fixed = false;
    // One at a time, so that no edit applies to text that another has moved.
    for (const LintFinding& finding : report.findings) {
      if (!finding.fix || !finding.fix->certain) {
        continue;
      }
      std::vector<Edit> edits = finding.fix->edits;
      std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.from > b.from; });
      std::string next = out.text;
      for (const Edit& edit : edits) {
        next.replace(static_cast<std::size_t>(edit.from), static_cast<std::size_t>(edit.to - edit.from), edit.text);
      }
      if (Contract::read(next, options)) {
        out.text = std::move(next);
        out.done.push_back(finding.fix->title + " at " + (finding.at.empty() ? "\"\"" : finding.at));
        fixed = true;
        break;
      }
    }
    if (!fixed) {
      break;
    }
  }
  return out;
}

std::string_view why(std::string_view rule) {
  const LintRule* known = lint_rule(rule);
  return known == nullptr ? std::string_view() : known->why;
}

}  // namespace plumb::lint
