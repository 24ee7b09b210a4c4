#include "core/contract/engine/scorecard.hpp"

#include <algorithm>
#include <utility>

#include "core/contract/engine/engine.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

// True if `at` is `above`, or a place below it.
bool is_below(std::string_view at, std::string_view above) {
  return at.starts_with(above) && (at.size() == above.size() || at[above.size()] == '/');
}

// Sets the place of a line: its instance has just ended, or ended earlier.
void place_line(const Engine& engine, const Evaluation& e, ScorecardLine& line) {
  if (e.site != none32) {
    line.from = engine.found[e.site].finding.span.from;
    line.to = engine.found[e.site].finding.span.to;
  } else if (e.depth < engine.frames.size()) {
    line.from = engine.frames[e.depth].from;
    line.to = std::max(engine.spots.frame_to, line.from);
  } else {
    line.from = engine.token.from;
    line.to = engine.token.to;
  }
}

void add_context_label(const Engine& engine, const Rule::Label& label,
                       std::vector<std::pair<std::string, std::string>>& out) {
  std::vector<const json::Value*> values;
  if (gather(engine, label.context, 0, nullptr, values) && values.size() == 1 && values.front()->is(Kind::string)) {
    out.emplace_back(label.name, std::string(values.front()->str()));
  }
}

}  // namespace

void settle_rules(Engine& engine, std::uint32_t index) {
  const ExtraPart& extra = *engine.evaluations[index].node->extra;
  Extension& x = extension_of(engine, engine.evaluations[index]);
  x.rules.resize(extra.rules.size());
  for (std::size_t i = 0; i < extra.rules.size(); ++i) {
    const Rule& rule = extra.rules[i];
    Outcome outcome = Outcome::undecided;
    if (rule.check != nullptr) {
      outcome = x.rules[i].broken > 0      ? Outcome::broken
                : x.rules[i].undecided > 0 ? Outcome::undecided
                                           : Outcome::holds;
    }
    bool asks = outcome == Outcome::undecided && !rule.ask.empty();
    if (rule.check == nullptr || asks) {
      std::uint32_t f = new_found(engine, Found::What::undecided);
      Found& u = engine.found[f];
      u.not_decided.rule = rule.id;
      u.not_decided.at = pointer_of(engine, engine.evaluations[index].depth);
      u.not_decided.schema_location = engine.evaluations[index].node->location;
      u.not_decided.schema_location.append("/rules/").append(std::to_string(rule.order));
      u.not_decided.ask = rule.ask;
      u.not_decided.reason = "left to a judge";
      u.walk = walk_of(engine, index);
      u.walk.push_back((std::uint64_t{rule.position} << 40U) | rule.order);
      u.refs = 1;
      add(engine, engine.evaluations[index].sink, f);
      release(engine, f);
    } else if (outcome == Outcome::undecided && rule.severity == Severity::error) {
      engine.evaluations[index].undecided = true;
    }
    std::uint32_t f = new_found(engine, Found::What::score);
    Found& s = engine.found[f];
    s.score.id = rule.id;
    s.score.title = rule.title;
    s.score.at = pointer_of(engine, engine.evaluations[index].depth);
    s.score.outcome = outcome;
    s.score.asks = asks || rule.check == nullptr;
    s.score.blocks = rule.blocks;
    s.score.action = rule.action;
    s.score.reason.clear();
    s.score.from = s.score.to = 0;
    s.not_decided.schema_location = engine.evaluations[index].node->location;
    s.not_decided.schema_location.append("/rules/").append(std::to_string(rule.order));
    if (rule.check != nullptr && outcome != Outcome::undecided) {
      place_line(engine, engine.evaluations[index], s.score);
    }
    for (const Rule::Label& label : rule.labels) {
      if (!label.from_keyword.empty()) {
        if (label.context != none32) {
          add_context_label(engine, label, s.labels);
        } else if (!x.novelty.empty()) {
          s.labels.emplace_back(label.name, x.novelty);
        }
        continue;
      }
      for (const auto& [name, text] : label.by_outcome) {
        if (name == outcome_name(outcome)) {
          s.labels.emplace_back(label.name, text);
        }
      }
    }
    s.walk = walk_of(engine, index);
    s.walk.push_back((std::uint64_t{rule.position} << 40U) | rule.order);
    s.refs = 1;
    add(engine, engine.evaluations[index].sink, f);
    release(engine, f);
  }
}

bool only_asks(const Engine& engine, std::uint32_t index) {
  const Evaluation& e = engine.evaluations[index];
  const std::vector<Rule>& rules = e.node->extra->rules;
  return e.parent == none32 && e.group == none32 && e.more_edges == none32 && e.fan == none32 && e.sink == 0 &&
         e.depth == 0 && std::all_of(rules.begin(), rules.end(), [](const Rule& rule) {
           return rule.check == nullptr && rule.labels.empty();
         });
}

void write_asks(Engine& engine) {
  if (engine.findings.asks != nullptr) {
    const std::uint32_t index = new_evaluation(engine);
    engine.evaluations[index].node = std::exchange(engine.findings.asks, nullptr);
    settle_rules(engine, index);
    free_evaluation(engine, index);
  }
}

void give_reasons(const Engine& engine, Verdict& verdict) {
  for (std::size_t i = 0; i < verdict.scorecard.size(); ++i) {
    ScorecardLine& line = verdict.scorecard[i];
    if (line.outcome == Outcome::broken) {
      for (const Finding& finding : verdict.findings) {
        if (finding.rule == line.id && finding.schema_location == engine.findings.line_locations[i] &&
            is_below(finding.at, line.at)) {
          line.reason = finding.causes.empty() ? finding.message : finding.causes.front().message;
          line.from = finding.span.from;
          line.to = finding.span.to;
          break;
        }
      }
      continue;
    }
    if (line.outcome == Outcome::holds) {
      continue;
    }
    for (const Undecided& open : verdict.undecided) {
      const std::string_view location = open.schema_location;
      if (location.starts_with(engine.findings.line_locations[i]) &&
          location.substr(engine.findings.line_locations[i].size(), 6) == "/check" && is_below(open.at, line.at)) {
        line.reason = open.wants_context.empty() ? open.reason : open.reason + ": " + open.wants_context;
        break;
      }
    }
  }
}

}  // namespace plumb::contract
