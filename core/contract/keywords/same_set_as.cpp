// sameSetAs: the items are the values of another place, in any order and however often.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/json/equality.hpp"
#include "core/json/excerpt.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

void compile_same_set_as(Compiler& compiler, Compiler::At& at) {
  CrossRule rule;
  rule.kw = Kw::same_set_as;
  if (read_object(compiler, at, {"in", "by", "fold"}) && read_in(compiler, at, rule) &&
      read_fold_member(compiler, at, rule) && read_by(compiler, at, rule)) {
    add_rule(compiler, at, std::move(rule), true);
  }
}

// Membership in a list of values, by hash.
class SetView {
 public:
  SetView(std::uint64_t seed, const std::vector<const json::Value*>& list, const CrossRule& rule)
      : seed_(seed), rule_(rule) {
    for (const json::Value* v : list) {
      hashes_.emplace_back(hash_of(*v), v);
    }
    stable_sort(hashes_, [](const auto& x, const auto& y) { return x.first < y.first; });
  }
  bool has(const json::Value& value) const {
    const std::uint64_t hash = hash_of(value);
    auto it = std::lower_bound(hashes_.begin(), hashes_.end(), hash,
                               [](const auto& x, std::uint64_t h) { return x.first < h; });
    for (; it != hashes_.end() && it->first == hash; ++it) {
      if (same(rule_, value, *it->second)) {
        return true;
      }
    }
    return false;
  }

 private:
  std::uint64_t hash_of(const json::Value& value) const {
    return rule_.folds && value.is(Kind::string) ? json::hash_text(text::fold(value.str(), rule_.fold), seed_)
                                                 : json::hash(value, seed_);
  }
  std::uint64_t seed_;
  const CrossRule& rule_;
  std::vector<std::pair<std::uint64_t, const json::Value*>> hashes_;
};

// How many of a list another one lacks; the first are named in `what`.
std::size_t count_lacking(const std::vector<const json::Value*>& list, const SetView& other, const char* words,
                          std::string& what) {
  constexpr std::size_t named_max = 3;
  std::size_t count = 0;
  for (const json::Value* v : list) {
    if (other.has(*v)) {
      continue;
    }
    if (count++ < named_max) {
      what += what.empty() ? "" : ", ";
      what += words + json::excerpt(v->is(Kind::string) ? std::string(v->str()) : json::value_text(*v), 100);
    }
  }
  return count;
}

void judge_same_set_as(Engine& engine, Across& call) {
  if (!reads_any_list(engine, call)) {
    return;
  }
  gather_values(engine, call);
  if (!spend_compared(engine, call, false)) {
    return;
  }
  if (call.lacks_context()) {
    without_context(engine, call);
    return;
  }
  std::vector<const json::Value*> mine;
  for (const json::Value& item : call.own.array()) {
    const std::vector<const json::Value*> parts = parts_by(engine, call.rule, item);
    mine.insert(mine.end(), parts.begin(), parts.end());
  }
  const std::vector<const json::Value*>& theirs = call.values;
  const std::uint64_t seed = engine.options.hash_seed;
  std::string what;
  const std::size_t missing = count_lacking(theirs, SetView(seed, mine, call.rule), "missing ", what);
  const std::size_t extra = count_lacking(mine, SetView(seed, theirs, call.rule), "unknown ", what);
  if (missing + extra == 0) {
    return;
  }
  if (missing + extra > 3) {
    what += ", ... (" + std::to_string(missing) + " missing, " + std::to_string(extra) + " unknown)";
  }
  const std::uint32_t f = prepare_across(engine, call, "the same " + std::to_string(theirs.size()) + " values as there",
                                         FindingClass::reference);
  engine.found[f].finding.provided = json::excerpt(what, 200);
  engine.found[f].size = std::to_string(mine.size());
  engine.found[f].limit = std::to_string(theirs.size());
  report(engine, f, engine.now);
}

}  // namespace

const Keyword same_set_as_keyword = {
    .our_form = has_in,
    .compile = compile_same_set_as,
    .judge_across = judge_same_set_as,
    .message = [](const Found& found) { return "Must have the same values: " + found.finding.provided; }};

}  // namespace plumb::contract
