// The order of members: models write them as the contract names them.
#include <algorithm>

#include "core/lint/looking.hpp"

namespace plumb::lint {

using contract::InPlace;
using contract::none32;
using contract::PointerPattern;

namespace {

struct Reads {
  Kw kw;
  const Node* node;
  std::string_view sibling;
};

// The siblings that rules at `node` or below, `levels` below the object, read.
void siblings_read(const Program& program, const Node* node, std::uint32_t levels, unsigned depth,
                   std::vector<Reads>& out) {
  constexpr unsigned depth_max = 8;
  if (node == nullptr || depth > depth_max) {
    return;
  }
  const auto pattern = [&](Kw kw, std::uint32_t index) {
    if (index == none32) {
      return;
    }
    const PointerPattern& p = program.pointer_patterns[index];
    if (p.base == json::PointerBase::instance && p.levels_up == levels && !p.tokens.empty() && !p.tokens[0].star) {
      out.push_back({kw, node, p.tokens[0].text});
    }
  };
  if (node->extra) {
    for (const contract::CrossRule& rule : node->extra->cross) {
      for (const contract::CrossRule::Operand& operand : rule.all) {
        pattern(rule.kw, operand.pattern);
      }
      for (const contract::CrossRule::Operand& operand : rule.any) {
        pattern(rule.kw, operand.pattern);
      }
      for (const contract::CrossRule::Bound& bound : rule.bounds) {
        pattern(rule.kw, bound.pattern);
      }
    }
  }
  for (const InPlace& in : node->in_place) {
    if (in.joins()) {
      siblings_read(program, in.node, levels, depth + 1, out);
    }
  }
  if (node->array) {
    siblings_read(program, node->array->items, levels + 1, depth + 1, out);
  }
  if (node->object) {
    for (const contract::Slot& slot : node->object->slots) {
      siblings_read(program, slot.node, levels + 1, depth + 1, out);
    }
  }
}

std::size_t index_of(std::span<const json::Member> members, std::string_view key) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].key == key) {
      return i;
    }
  }
  return members.size();
}

// Member `from` is moved behind member `behind`; what is between members stays where it is.
Fix move_behind(std::string_view text, std::span<const json::Member> members, std::size_t from, std::size_t behind) {
  const auto written = [&](std::size_t i) {
    return std::string(text.substr(static_cast<std::size_t>(members[i].key_from),
                                   static_cast<std::size_t>(members[i].value.to - members[i].key_from)));
  };
  Fix fix;
  fix.title = "Move '" + std::string(members[from].key) + "' behind '" + std::string(members[behind].key) + "'";
  for (std::size_t i = from; i <= behind; ++i) {
    fix.edits.push_back({members[i].key_from, members[i].value.to, written(i == behind ? from : i + 1)});
  }
  return fix;
}

void late(Looking& looking, const Node& node) {
  const json::Member* properties = Looking::member(node, "properties");
  if (properties == nullptr || !node.object) {
    return;
  }
  const auto members = properties->value.object();
  for (const contract::Slot& slot : node.object->slots) {
    if (slot.node == nullptr) {
      continue;
    }
    const std::size_t own = index_of(members, slot.key);
    std::vector<Reads> reads;
    siblings_read(looking.program, slot.node, 1, 0, reads);
    for (const Reads& one : reads) {
      const std::size_t other = index_of(members, one.sibling);
      const bool elsewhere = !one.node->location.empty() && one.node->location.front() != '/';
      if (other == members.size() || other <= own || elsewhere) {
        continue;
      }
      LintFinding& finding =
          looking.add("decides-late", *one.node, contract::kw_name(one.kw),
                      "'" + std::string(slot.key) + "' is written before '" + std::string(one.sibling) +
                          "', which this rule reads: it is decided only when that has ended");
      finding.fix = move_behind(looking.program.text(), members, own, other);
      break;
    }
  }
}

constexpr std::string_view answers[] = {"answer", "decision", "verdict", "conclusion", "judgement", "judgment",
                                        "score",  "rating",   "grade",   "label",      "choice"};
constexpr std::string_view reasons[] = {"reasoning", "reason",        "reasons",  "rationale", "explanation",
                                        "analysis",  "justification", "thinking", "thoughts"};

// The last word of a name: correct_answer, finalAnswer.
template <std::size_t Size>
bool ends_in(std::string_view name, const std::string_view (&words)[Size]) {
  return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
    if (name.size() < word.size()) {
      return false;
    }
    const std::string_view end = name.substr(name.size() - word.size());
    if (name.size() == word.size()) {
      return end == word;
    }
    const char before = name[name.size() - word.size() - 1];
    const bool camel = end[0] == static_cast<char>(word[0] - 32) && end.substr(1) == word.substr(1);
    return camel || (end == word && (before == '_' || before == '-' || before == ' '));
  });
}

void answer_first(Looking& looking, const Node& node) {
  const json::Member* properties = Looking::member(node, "properties");
  if (properties == nullptr) {
    return;
  }
  const auto members = properties->value.object();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!ends_in(members[i].key, answers)) {
      continue;
    }
    std::size_t reason = members.size();
    bool before = false;
    for (std::size_t j = 0; j < members.size(); ++j) {
      if (ends_in(members[j].key, reasons)) {
        before = before || j < i;
        reason = j > i && reason == members.size() ? j : reason;
      }
    }
    if (before || reason == members.size()) {
      continue;
    }
    std::string at;
    json::append_token(at, members[i].key);
    LintFinding& finding =
        looking.add("answer-first", node, "properties",
                    "'" + std::string(members[i].key) + "' is written before '" + std::string(members[reason].key) +
                        "': the model answers and then explains what it answered",
                    at);
    finding.span.from = members[i].key_from;
    finding.span.to = members[i].key_to;
    finding.fix = move_behind(looking.program.text(), members, i, reason);
    return;
  }
}

}  // namespace

void look_at_order(Looking& looking) {
  for (const Seen& seen : looking.seen) {
    if (seen.place == Place::value) {
      late(looking, *seen.node);
      answer_first(looking, *seen.node);
    }
  }
}

}  // namespace plumb::lint
