#include "core/compare/witness.hpp"

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/sample/sample.hpp"

namespace plumb::compare {

using contract::Contract;
using contract::Decision;
using contract::Finding;
using contract::Verdict;
using json::Kind;
using sample::Budget;
using sample::Draft;
using sample::Maker;
using sample::Pair;
using sample::Path;

namespace {

constexpr std::uint64_t rich_bases = 4;
constexpr std::size_t hints_made_max = 48;    // hints for which documents of their own are made
constexpr std::size_t puts_max = 12;          // places where one value is tried
constexpr std::uint64_t shrinks_max = 2'000;  // documents judged to make a witness smaller

Verdict verdict_on(const Contract& contract, const std::string& text, const std::string& context) {
  contract::CheckOptions options;
  options.context = context;
  return contract::check_text(contract, text, options);
}

bool accepts(const Verdict& verdict) { return verdict.valid && verdict.decision != Decision::undecided; }
bool refuses(const Verdict& verdict) {
  return verdict.decision == Decision::revise || verdict.decision == Decision::block;
}

// The places of a document that a way leads to.
void places(const Draft& value, const Way& way, std::size_t step, Path path, std::vector<Path>& out) {
  if (out.size() >= puts_max) {
    return;
  }
  if (step == way.size()) {
    out.push_back(std::move(path));
    return;
  }
  for (std::size_t i = 0; i < value.children.size(); ++i) {
    const std::string name = value.is(Kind::array) ? json::uint_text(i) : value.children[i].key;
    if (way[step].any || way[step].name == name) {
      Path next = path;
      next.push_back(name);
      places(value.children[i], way, step + 1, std::move(next), out);
    }
  }
}

// Puts a value where a way leads, also as a member that is not there yet.
std::vector<Draft> with_value(const Draft& document, const Way& way, const Draft& value,
                              const std::string& other_name) {
  std::vector<Draft> out;
  std::vector<Path> found;
  places(document, way, 0, {}, found);
  for (const Path& path : found) {
    Draft changed = document;
    Draft* there = sample::find(changed, path);
    if (there != nullptr) {
      there->become(value);
      out.push_back(std::move(changed));
    }
  }
  if (found.empty() && !way.empty()) {
    Way above = way;
    const Step last = above.back();
    above.pop_back();
    places(document, above, 0, {}, found);
    for (const Path& path : found) {
      Draft changed = document;
      Draft* holder = sample::find(changed, path);
      if (holder != nullptr && holder->is(Kind::object)) {
        holder->set(last.any ? other_name : last.name, value);
        out.push_back(std::move(changed));
      } else if (holder != nullptr && holder->is(Kind::array)) {
        holder->children.push_back(value);
        out.push_back(std::move(changed));
      }
    }
  }
  return out;
}

}  // namespace

bool WitnessSearch::is_witness(const Pair& pair) {
  ++judged_;
  const std::string text = sample::text_of(pair.artifact);
  if (text.size() > options_.limits.bytes_max) {
    return false;
  }
  const std::string context = pair.has_context ? sample::text_of(pair.context) : std::string();
  return refuses(verdict_on(refusing_, text, context)) && accepts(verdict_on(accepting_, text, context));
}

std::optional<Witness> WitnessSearch::told(const Pair& pair, std::string_view name) {
  Witness out;
  out.document = sample::text_of(pair.artifact);
  out.name = std::string(name);
  const bool reads = !accepting_.context_read().empty() || !refusing_.context_read().empty();
  if (pair.has_context) {
    out.context = sample::text_of(pair.context);
  }
  const Verdict verdict = verdict_on(refusing_, out.document, out.context);
  for (const Finding& finding : verdict.findings) {
    if (finding.severity == contract::Severity::error && finding.shadowed_by == 0 && finding.rule != "limit") {
      out.findings.push_back(finding);
    }
  }
  if (!reads) {
    out.context.clear();
  }
  return out;
}

std::optional<Witness> WitnessSearch::consider(const Pair& pair) {
  if (!left() || !is_witness(pair)) {
    return std::nullopt;
  }
  Pair small = pair;
  shrink(small);
  return told(small, {});
}

// Takes members and items away, and puts shorter texts in place of long ones, as long as it stays a witness.
void WitnessSearch::shrink(Pair& pair) {
  judged_ = 0;
  for (bool smaller = true; smaller && judged_ < shrinks_max;) {
    smaller = shrink_once(pair, {});
  }
}

bool WitnessSearch::shrink_once(Pair& pair, const Path& path) {
  bool any = false;
  const Draft* here = sample::find(pair.artifact, path);
  for (std::size_t i = here == nullptr ? 0 : here->children.size(); i-- > 0 && judged_ < shrinks_max;) {
    Pair less = pair;
    Draft* holder = sample::find(less.artifact, path);
    if (holder == nullptr || i >= holder->children.size()) {
      break;
    }
    holder->children.erase(holder->children.begin() + static_cast<std::ptrdiff_t>(i));
    if (is_witness(less)) {
      pair = std::move(less);
      any = true;
    }
  }
  here = sample::find(pair.artifact, path);
  if (here == nullptr) {
    return any;
  }
  if (here->is(Kind::string) && here->text.size() > 1) {
    for (const std::string_view shorter : {std::string_view(), std::string_view("x")}) {
      Pair less = pair;
      sample::find(less.artifact, path)->become(Draft::string(shorter));
      if (judged_ < shrinks_max && is_witness(less)) {
        pair = std::move(less);
        return true;
      }
    }
    return any;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < here->children.size(); ++i) {
    names.push_back(here->is(Kind::array) ? json::uint_text(i) : here->children[i].key);
  }
  for (const std::string& name : names) {
    Path next = path;
    next.push_back(name);
    any = shrink_once(pair, next) || any;
  }
  return any;
}

std::optional<Witness> WitnessSearch::find_given() {
  const std::string context(options_.context);
  std::size_t tried = 0;
  for (const Candidate& candidate : options_.candidates) {
    if (++tried > candidates_max) {
      break;
    }
    const std::string text(candidate.document);
    const Verdict refusal = verdict_on(refusing_, text, context);
    if (!refuses(refusal) || !accepts(verdict_on(accepting_, text, context))) {
      continue;
    }
    Witness out{text, std::string(candidate.name), context, {}};
    for (const Finding& finding : refusal.findings) {
      if (finding.severity == contract::Severity::error && finding.shadowed_by == 0 && finding.rule != "limit") {
        out.findings.push_back(finding);
      }
    }
    return out;
  }
  return std::nullopt;
}

// A document that the accepting contract accepts, with the hint's schemas in it where that can be.
std::optional<Pair> WitnessSearch::made(bool rich, std::uint64_t seed, const Hint* hint) {
  sample::Random dice(sample::Random::mixed(seed));
  Budget budget{options_.limits.steps_max, 32, 4000, 65536};
  Maker maker(accepting_.shared_program(), dice, budget);
  maker.style.rich = rich;
  maker.style.depth = rich ? 4 : 1;
  if (hint != nullptr) {
    maker.style.wanted = hint->schemas;
    std::sort(maker.style.wanted.begin(), maker.style.wanted.end());
    for (const Node* node : hint->there) {
      maker.style.kinds.emplace_back(node, hint->kind);
    }
  }
  Pair pair;
  json::Arena arena;
  if (!options_.context.empty()) {
    const Result<json::Value> context = json::parse(options_.context, arena);
    if (context) {
      pair.context = Draft::of(context.value());
      pair.has_context = true;
    }
  } else if (!accepting_.context_read().empty()) {
    pair.context = sample::make_context(maker);
    pair.has_context = true;
    pair.own_context = true;
  } else if (!refusing_.context_read().empty()) {
    sample::Random other(sample::Random::mixed(seed));
    Budget more{options_.limits.steps_max, 32, 4000, 65536};
    Maker of_refusing(refusing_.shared_program(), other, more);
    pair.context = sample::make_context(of_refusing);
    pair.has_context = true;
  }
  const sample::Wish root = maker.wish_for(accepting_.program().root);
  std::optional<Draft> artifact = maker.make(root, {}, 0);
  if (!artifact) {
    return std::nullopt;
  }
  pair.artifact = std::move(*artifact);
  const Verdict verdict = sample::mend_all(accepting_, maker, root, pair);
  return verdict.valid ? std::optional<Pair>(std::move(pair)) : std::nullopt;
}

// A name for a member that is not there yet, as the accepting contract lets it be.
std::string WitnessSearch::name_for(const Pair& base, const Way& way) {
  std::vector<Path> found;
  if (!way.empty() && way.back().any) {
    Way above = way;
    above.pop_back();
    places(base.artifact, above, 0, {}, found);
  }
  if (found.empty()) {
    return "zz";
  }
  sample::Random dice(1);
  Budget budget{options_.limits.steps_max, 32, 4000, 65536};
  Maker maker(accepting_.shared_program(), dice, budget);
  const Draft* holder = sample::find(base.artifact, found.front());
  const sample::Wish root = maker.wish_for(accepting_.program().root);
  const sample::View view = maker.look(maker.wish_at(base.artifact, root, found.front()), 0, holder, {});
  return maker.other_name(view, *holder).value_or("zz");
}

std::optional<Witness> WitnessSearch::at_hint(const Hint& hint) {
  std::vector<Pair> bases;
  for (const bool rich : {false, true}) {
    if (std::optional<Pair> one = made(rich, 1, &hint)) {
      if (std::optional<Witness> found = consider(*one)) {
        return found;
      }
      bases.push_back(std::move(*one));
    }
  }
  std::vector<Draft> values;
  json::Arena arena;
  for (std::size_t i = 0; i < hint.values.size() && i < puts_max; ++i) {
    if (const Result<json::Value> value = json::parse(hint.values[i], arena)) {
      values.push_back(Draft::of(value.value()));
    }
  }
  if (values.empty()) {
    sample::Random dice(1);
    Budget budget{options_.limits.steps_max, 32, 4000, 65536};
    values.push_back(Maker(accepting_.shared_program(), dice, budget).any_of_kind(hint.kind));
  }
  for (const std::vector<Pair>* list : {&bases, &bases_}) {
    for (const Pair& base : *list) {
      for (const Draft& value : values) {
        for (Draft& changed : with_value(base.artifact, hint.way, value, name_for(base, hint.way))) {
          Pair next = base;
          next.artifact = std::move(changed);
          if (std::optional<Witness> found = consider(next)) {
            return found;
          }
        }
      }
    }
  }
  return std::nullopt;
}

// Each rule of the refusing contract, broken in a document of the accepting one.
std::optional<Witness> WitnessSearch::broken_rules(const Pair& base) {
  const contract::Program& program = refusing_.program();
  for (const sample::Site& site : sample::sites_of(program, program.root)) {
    if (!left()) {
      break;
    }
    if (site.severity != contract::Severity::error) {
      continue;
    }
    sample::Random dice(1);
    Budget budget{options_.limits.steps_max, 32, 4000, 65536};
    Maker maker(refusing_.shared_program(), dice, budget);
    const sample::Wish root = maker.wish_for(program.root);
    for (Draft& changed : sample::broken_values(maker, site, root, base.artifact, base.around())) {
      Pair next = base;
      next.artifact = std::move(changed);
      if (std::optional<Witness> found = consider(next)) {
        return found;
      }
    }
  }
  return std::nullopt;
}

std::optional<Witness> WitnessSearch::broken_samples() {
  sample::SampleOptions options;
  options.kind = sample::SampleKind::broken;
  options.context = options_.context;
  options.limits.steps_max = options_.limits.steps_max / 2;
  const std::vector<sample::RuleSite> rules = sample::breakable_rules(refusing_);
  constexpr std::size_t rules_max = 200;
  for (std::size_t i = 0; i < rules.size() && i < rules_max && left(); ++i) {
    const std::string name =
        rules[i].property.empty() ? rules[i].schema_location : rules[i].rule + "/" + rules[i].property;
    options.rule = name;
    const Result<sample::Samples> samples = sample::make_samples(refusing_, options);
    if (!samples) {
      continue;
    }
    for (const sample::Sample& one : samples.value().made) {
      json::Arena arena;
      const Result<json::Value> artifact = json::parse(one.artifact, arena);
      const Result<json::Value> context = json::parse(one.context.empty() ? "null" : one.context, arena);
      if (!artifact || !context) {
        continue;
      }
      Pair pair;
      pair.artifact = Draft::of(artifact.value());
      pair.has_context = !one.context.empty();
      pair.context = Draft::of(context.value());
      if (std::optional<Witness> found = consider(pair)) {
        return found;
      }
    }
  }
  return std::nullopt;
}

std::optional<Witness> WitnessSearch::find(const std::vector<Hint>& hints) {
  for (std::uint64_t i = 0; i <= rich_bases; ++i) {
    if (std::optional<Pair> base = made(i > 0, i, nullptr)) {
      if (std::optional<Witness> found = consider(*base)) {
        return found;
      }
      bases_.push_back(std::move(*base));
    }
  }
  for (std::size_t i = 0; i < bases_.size() && i < 2; ++i) {
    if (std::optional<Witness> found = broken_rules(bases_[i])) {
      return found;
    }
  }
  for (std::size_t i = 0; i < hints.size() && i < hints_made_max && left(); ++i) {
    if (std::optional<Witness> found = at_hint(hints[i])) {
      return found;
    }
  }
  return broken_samples();
}

}  // namespace plumb::compare
