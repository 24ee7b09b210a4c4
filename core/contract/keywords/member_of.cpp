#include "core/contract/keywords/member_of.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/json/excerpt.hpp"
#include "core/json/writer.hpp"
#include "core/text/suggest.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

void compile_member_of(Compiler& compiler, Compiler::At& at) {
  CrossRule rule;
  rule.kw = Kw::member_of;
  if (!read_object(compiler, at, {"in", "by", "fold", "match"}) || !read_in(compiler, at, rule) ||
      !read_fold_member(compiler, at, rule) || !read_by(compiler, at, rule)) {
    return;
  }
  if (const json::Value* match = at.member.value.find("match")) {
    if (!compiler.form(at, match->is(Kind::array) && match->size > 0, "given match as a list of {this, that}")) {
      return;
    }
    for (const json::Value& item : match->array()) {
      CrossRule::Match m;
      const json::Value* own = item.find("this");
      const json::Value* other = item.find("that");
      if (!compiler.form(at, own != nullptr && other != nullptr, "given match as a list of {this, that}") ||
          !compiler.only_members(at, item, {"this", "that"}) || !read_down(compiler, at, *own, m.own) ||
          !read_down(compiler, at, *other, m.other)) {
        return;
      }
      rule.match.push_back(m);
    }
  }
  add_rule(compiler, at, std::move(rule), true);
}

// Whether the value agrees with a candidate in all parts that `match` names.
bool matches(const Engine& engine, const Across& call, const json::Value& candidate) {
  for (const CrossRule::Match& m : call.rule.match) {
    std::vector<const json::Value*> mine;
    std::vector<const json::Value*> theirs;
    gather_in(call.own, engine.program->pointer_patterns[m.own], 0, mine);
    gather_in(candidate, engine.program->pointer_patterns[m.other], 0, theirs);
    if (mine.size() != 1 || theirs.size() != 1 || !same(call.rule, *mine.front(), *theirs.front())) {
      return false;
    }
  }
  return true;
}

void report_no_member(Engine& engine, const Across& call, const std::vector<const json::Value*>& candidates) {
  const std::uint32_t index = prepare_across(
      engine, call, "one of the values there (" + std::to_string(candidates.size()) + ")", FindingClass::reference);
  Found& f = engine.found[index];
  const auto text_of = [](const json::Value& value) {
    return value.is(Kind::string) ? std::string(value.str()) : json::value_text(value);
  };
  constexpr std::size_t looked_at_max = 1000;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < candidates.size() && i < looked_at_max; ++i) {
    texts.push_back(text_of(*candidates[i]));
  }
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  for (std::size_t i : text::near_misses_first(text_of(call.own), views)) {
    f.finding.allowed.push_back(json::excerpt_json(json::value_text(*candidates[i]), 200));
  }
  f.size = std::to_string(candidates.size());
  report(engine, index, engine.now);
}

void judge_member_of(Engine& engine, Across& call) {
  if (!reads_any_list(engine, call)) {
    return;
  }
  gather_values(engine, call);
  if (!spend_compared(engine, call, false)) {
    return;
  }
  const bool composite = !call.rule.match.empty();
  std::vector<const json::Value*> candidates;
  for (const json::Value* v : call.values) {
    if (composite) {
      candidates.push_back(v);
    } else {
      const std::vector<const json::Value*> parts = parts_by(engine, call.rule, *v);
      candidates.insert(candidates.end(), parts.begin(), parts.end());
    }
  }
  for (const json::Value* candidate : candidates) {
    if (composite ? matches(engine, call, *candidate) : same(call.rule, call.own, *candidate)) {
      return;
    }
  }
  if (call.lacks_context()) {
    without_context(engine, call);
  } else {
    report_no_member(engine, call, candidates);
  }
}

}  // namespace

bool is_common_member_of(const Program& program, const CrossRule& rule) {
  if (rule.kw != Kw::member_of || rule.all.size() != 1 || !rule.match.empty() || rule.by != none32 || rule.folds) {
    return false;
  }
  const PointerPattern& pattern = program.pointer_patterns[rule.all.front().pattern];
  return pattern.base == json::PointerBase::instance && pattern.levels_up == 1 && pattern.tokens.size() == 2 &&
         !pattern.tokens[0].star && pattern.tokens[1].star;
}

const std::string& member_list(const Program& program, const Node& node) {
  return program.pointer_patterns[node.extra->cross.front().all.front().pattern].tokens.front().text;
}

bool member_accepts(const Engine& engine, const Node& node, std::string_view text) {
  if (engine.frames.empty()) {
    return false;
  }
  const std::string& list = member_list(*engine.program, node);
  const std::vector<json::Member>& values = engine.memory.values;
  for (std::size_t i = engine.frames.back().values_from; i < values.size(); ++i) {
    if (values[i].key == list) {
      const auto items = values[i].value.array();
      return std::any_of(items.begin(), items.end(),
                         [&](const json::Value& item) { return item.is(Kind::string) && item.str() == text; });
    }
  }
  return false;
}

const Keyword member_of_keyword = {
    .our_form = has_in,
    .compile = compile_member_of,
    .judge_across = judge_member_of,
    .message = [](const Found& found) { return "'" + found.value + "' is not one of the values it must be one of"; }};

}  // namespace plumb::contract
