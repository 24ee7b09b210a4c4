#include "core/sample/mending.hpp"
#include "core/sample/keywords.hpp"

#include <algorithm>

#include "core/json/decimal.hpp"
#include "core/json/number_text.hpp"
#include "core/sample/keywords.hpp"
#include "core/sample/words.hpp"

namespace plumb::sample {

using contract::CrossRule;
using contract::Finding;
using contract::none32;
using json::Decimal;
using json::DecimalStatus;
using json::Kind;

namespace {

constexpr std::size_t rounds_max = 80;

Decimal decimal(std::string_view text) {
  Decimal out;
  return Decimal::read(text, Decimal::exponent_max_default, out) == DecimalStatus::ok ? out : Decimal();
}

Path down(const Program& program, std::uint32_t pattern) {
  Path out;
  if (pattern != none32) {
    for (const json::PointerToken& token : program.pointer_patterns[pattern].tokens) {
      out.push_back(token.text);
    }
  }
  return out;
}

// The rule that a finding is about.
const CrossRule* rule_of(const Program& program, const Finding& finding) {
  for (const Node& node : program.nodes) {
    if (!node.extra || finding.schema_location.size() != node.location.size() + finding.rule.size() + 1 ||
        !finding.schema_location.starts_with(node.location)) {
      continue;
    }
    for (const CrossRule& rule : node.extra->cross) {
      if (contract::kw_name(rule.kw) == finding.rule) {
        return &rule;
      }
    }
  }
  return nullptr;
}

std::vector<Reached> reached_by(const Maker& maker, const std::vector<CrossRule::Operand>& operands, const Pair& pair,
                                const Path& place, const Program& program) {
  (void)maker;
  std::vector<Reached> out;
  for (const CrossRule::Operand& operand : operands) {
    if (operand.pattern != none32) {
      for (Reached& one : reach(program.pointer_patterns[operand.pattern], pair.around(), place)) {
        out.push_back(std::move(one));
      }
    }
  }
  return out;
}

const Draft* at(const Pair& pair, const Reached& reached) {
  return find(reached.in_context ? pair.context : pair.artifact, reached.path);
}

bool renew(Maker& maker, const Wish& root, Pair& pair, const Path& path) {
  Draft* value = find(pair.artifact, path);
  if (value == nullptr) {
    return false;
  }
  std::optional<Draft> made = maker.make(maker.wish_at(pair.artifact, root, path), value->key, 1);
  if (!made) {
    return false;
  }
  find(pair.artifact, path)->become(*made);
  return true;
}

}  // namespace

bool mend_member_of(Maker& maker, const Wish& root, Pair& pair, const CrossRule& rule, const Path& path) {
  std::vector<Reached> candidates = reached_by(maker, rule.all, pair, path, maker.program());
  Draft* value = find(pair.artifact, path);
  if (value == nullptr) {
    return false;
  }
  if (candidates.empty()) {
    for (const CrossRule::Operand& operand : rule.all) {
      if (operand.pattern != none32) {
        furnish(maker, root, pair, maker.program().pointer_patterns[operand.pattern], path);
      }
    }
    candidates = reached_by(maker, rule.all, pair, path, maker.program());
    if (candidates.empty()) {
      return false;
    }
  }
  const Reached& chosen = candidates[maker.dice().below(candidates.size())];
  const Draft* candidate = at(pair, chosen);
  value = find(pair.artifact, path);
  if (candidate == nullptr || value == nullptr) {
    return false;
  }
  const auto lacks = [&](std::uint32_t part) { return find(*candidate, down(maker.program(), part)) == nullptr; };
  if (!chosen.in_context && (lacks(rule.by) || std::any_of(rule.match.begin(), rule.match.end(),
                                                           [&](const auto& m) { return lacks(m.other); }))) {
    // The candidates are free to be anything: one of them becomes what the value needs.
    Draft needed = *candidate;
    if (rule.by != none32) {
      put(needed, down(maker.program(), rule.by), *value);
    }
    for (const CrossRule::Match& match : rule.match) {
      const Draft* own = find(*value, down(maker.program(), match.own));
      put(needed, down(maker.program(), match.other), own == nullptr ? Draft::string(word(maker.dice())) : *own);
    }
    find(pair.artifact, chosen.path)->become(needed);
    candidate = at(pair, chosen);
    value = find(pair.artifact, path);
  }
  if (rule.match.empty()) {
    const Draft* compared = find(*candidate, down(maker.program(), rule.by));
    if (compared == nullptr) {
      return false;
    }
    const Draft copy = *compared;
    value->become(copy);
    return true;
  }
  const Draft copy = *candidate;
  for (const CrossRule::Match& match : rule.match) {
    const Draft* wanted = find(copy, down(maker.program(), match.other));
    const Path own = down(maker.program(), match.own);
    if (wanted == nullptr) {
      return false;
    }
    if (Draft* part = find(*value, own)) {
      part->become(*wanted);
    } else {
      put(*value, own, *wanted);
    }
  }
  return true;
}

namespace {

// A rule of numbers of values being mended at one place.
struct CountMending {
  Maker& maker;
  const Wish& root;
  Pair& pair;
  const CrossRule& rule;
  const Path& path;
};

Decimal sum_of(Pair& pair, const std::vector<Reached>& found) {
  Decimal sum;
  for (const Reached& one : found) {
    const Draft* number = at(pair, one);
    if (number != nullptr && number->is(Kind::number)) {
      Decimal next;
      if (sum.add(decimal(number->text), Decimal::exponent_max_default, next) == DecimalStatus::ok) {
        sum = next;
      }
    }
  }
  return sum;
}

// One of the numbers takes what is missing, or is too much.
bool mend_sum(const CountMending& mend, const std::vector<Reached>& found, const Decimal& actual,
              const Decimal& limit) {
  std::string missing = actual.canonical();
  missing = missing[0] == '-' ? missing.substr(1) : actual.is_zero() ? missing : "-" + missing;
  Decimal difference;
  if (found.empty() && !mend.rule.all.empty() && mend.rule.all.front().pattern != none32) {
    furnish(mend.maker, mend.root, mend.pair, mend.maker.program().pointer_patterns[mend.rule.all.front().pattern],
            mend.path, Kind::number);
    return true;
  }
  if (found.empty() || limit.add(decimal(missing), Decimal::exponent_max_default, difference) != DecimalStatus::ok) {
    return false;
  }
  const Reached& one = found[mend.maker.dice().below(found.size())];
  Draft* number = one.in_context ? nullptr : find(mend.pair.artifact, one.path);
  if (number != nullptr && !number->is(Kind::number)) {
    number->become(Draft::number(difference.canonical()));
    return true;
  }
  Decimal next;
  if (number != nullptr &&
      decimal(number->text).add(difference, Decimal::exponent_max_default, next) == DecimalStatus::ok) {
    number->text = next.canonical();
    return true;
  }
  return false;
}

bool add_one(const CountMending& mend, const std::vector<Reached>& found) {
  // Too few: one more beside those that are there, or where they would be.
  Path place;
  if (!found.empty()) {
    place = found.back().path;
  } else if (!mend.rule.all.empty() && mend.rule.all.front().pattern != none32) {
    furnish(mend.maker, mend.root, mend.pair, mend.maker.program().pointer_patterns[mend.rule.all.front().pattern],
            mend.path, Kind::string);
    return true;
  } else {
    place = mend.path;
    place.emplace_back("0");
  }
  Path holder = place;
  holder.pop_back();
  Draft* list = find(mend.pair.artifact, holder);
  if (list == nullptr || (!list->is(Kind::array) && !list->is(Kind::object))) {
    return false;
  }
  const std::string name = list->is(Kind::array) ? json::uint_text(list->children.size())
                                                 : word(mend.maker.dice()) + json::uint_text(list->children.size());
  Path next = holder;
  next.push_back(name);
  std::optional<Draft> made = mend.maker.make(mend.maker.wish_at(mend.pair.artifact, mend.root, next), {}, 1);
  if (!made) {
    return false;
  }
  list = find(mend.pair.artifact, holder);
  made->key = list->is(Kind::object) ? name : std::string();
  list->children.push_back(std::move(*made));
  return true;
}

}  // namespace

// The number of values found, or their sum, is brought to what it has to be.
bool mend_total(Maker& maker, const Wish& root, Pair& pair, const CrossRule& rule, const Path& path) {
  const CountMending mend = {maker, root, pair, rule, path};
  std::vector<Reached> found = reached_by(maker, rule.all, pair, path, maker.program());
  if (rule.all.empty() || rule.all.front().pattern == none32) {
    const Draft* own = find(pair.artifact, path);
    for (std::size_t i = 0; own != nullptr && i < own->children.size(); ++i) {
      Path child = path;
      child.push_back(own->is(Kind::array) ? json::uint_text(i) : own->children[i].key);
      found.push_back({false, std::move(child)});
    }
  }
  const bool sums = rule.kw == Kw::sum_of;
  const Decimal actual = sums ? sum_of(pair, found) : Decimal::from_uint64(found.size());
  for (const CrossRule::Bound& bound : rule.bounds) {
    Decimal limit = bound.number ? *bound.number : Decimal();
    std::vector<Reached> of_bound;
    if (bound.pattern != none32) {
      of_bound = reach(maker.program().pointer_patterns[bound.pattern], pair.around(), path);
      const Draft* number = of_bound.empty() ? nullptr : at(pair, of_bound.front());
      if (number == nullptr || !number->is(Kind::number)) {
        continue;
      }
      limit = decimal(number->text);
    }
    const int against = compare(actual, limit);
    const bool broken = bound.kind == CrossRule::Bound::Kind::equals ? against != 0
                        : bound.kind == CrossRule::Bound::Kind::min  ? against < 0
                                                                     : against > 0;
    if (!broken) {
      continue;
    }
    if (!of_bound.empty() && !of_bound.front().in_context && maker.dice().chance(2, 3)) {
      find(pair.artifact, of_bound.front().path)->text = actual.canonical();
      return true;
    }
    if (sums) {
      return mend_sum(mend, found, actual, limit);
    }
    if (against > 0 && !found.empty() && !found.back().in_context) {
      Path holder = found.back().path;
      holder.pop_back();
      find(pair.artifact, holder)->children.pop_back();
      return true;
    }
    return add_one(mend, found);
  }
  return false;
}

bool mend_same_set_as(Maker& maker, const Wish& root, Pair& pair, const CrossRule& rule, const Path& path) {
  const std::vector<Reached> wanted = reached_by(maker, rule.all, pair, path, maker.program());
  Draft* list = find(pair.artifact, path);
  if (list == nullptr || !list->is(Kind::array)) {
    return false;
  }
  const Path by = down(maker.program(), rule.by);
  std::vector<Draft> items;
  for (std::size_t i = 0; i < wanted.size() && i < 200; ++i) {
    Path place = path;
    place.push_back(json::uint_text(i));
    const Draft* value = at(pair, wanted[i]);
    Draft item = i < list->children.size() ? list->children[i] : Draft();
    if (i >= list->children.size()) {
      std::optional<Draft> made = maker.make(maker.wish_at(pair.artifact, root, place), {}, 1);
      item = made ? std::move(*made) : Draft();
      list = find(pair.artifact, path);
    }
    if (by.empty()) {
      item.become(*value);
    } else if (Draft* part = find(item, by)) {
      part->become(*value);
    } else if (by.size() == 1) {
      if (!item.is(Kind::object)) {
        item = Draft::of_kind(Kind::object);
      }
      item.set(by.front(), *value);
    }
    items.push_back(std::move(item));
  }
  list->children = std::move(items);
  return true;
}

bool mend_mentions(Maker& maker, const Wish& root, Pair& pair, const CrossRule& rule, const Path& path) {
  Draft* value = find(pair.artifact, path);
  if (value == nullptr || !value->is(Kind::string)) {
    return false;
  }
  std::vector<std::string> terms;
  const auto gather = [&](const std::vector<CrossRule::Operand>& operands, bool first) {
    for (const CrossRule::Operand& operand : operands) {
      if (operand.pattern == none32) {
        terms.push_back(operand.literal);
      } else {
        for (const Reached& one : reach(maker.program().pointer_patterns[operand.pattern], pair.around(), path)) {
          const Draft* text = at(pair, one);
          if (text != nullptr && (text->is(Kind::string) || text->is(Kind::number))) {
            terms.push_back(text->text);
          }
        }
      }
      if (first && !terms.empty()) {
        break;
      }
    }
  };
  gather(rule.all, false);
  const std::size_t all = terms.size();
  gather(rule.any, true);
  if (terms.size() > all + 1) {
    terms.resize(all + 1);
  }
  std::string text;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    std::string term = terms[i];
    while (!term.empty() && (term.back() == '.' || term.back() == '?')) {
      term.pop_back();
    }
    text += i == 0 ? "" : i + 1 == terms.size() ? " and " : ", ";
    text += term;
  }
  switch (maker.dice().below(3)) {
    case 0:
      value->text = "The " + word(maker.dice()) + " shows " + text + ".";
      break;
    case 1:
      value->text = "Which " + word(maker.dice()) + " is the one of " + text + "?";
      break;
    default:
      value->text = text;
      break;
  }
  (void)root;
  return true;
}

bool mend_quoted_from(Maker& maker, const Wish&, Pair& pair, const CrossRule& rule, const Path& path) {
  const std::vector<Reached> sources = reached_by(maker, rule.all, pair, path, maker.program());
  Draft* value = find(pair.artifact, path);
  if (value == nullptr || sources.empty()) {
    return false;
  }
  const Draft* source = at(pair, sources[maker.dice().below(sources.size())]);
  if (source == nullptr || !source->is(Kind::string)) {
    return false;
  }
  // The beginning, up to the end of a word.
  std::string text = source->text;
  const std::size_t wanted = static_cast<std::size_t>(std::max<std::uint64_t>(rule.min_points, 24));
  const std::size_t end = text.size() > wanted ? text.find(' ', wanted) : std::string::npos;
  if (end != std::string::npos && maker.dice().chance(2, 3)) {
    text.resize(end);
  }
  value->become(Draft::string(text));
  return true;
}

namespace {

bool mend_repeated(Maker& maker, const Wish& root, Pair& pair, const Path& path) {
  Draft* list = find(pair.artifact, path);
  if (list == nullptr || !list->is(Kind::array)) {
    return renew(maker, root, pair, path);
  }
  const std::size_t count = list->children.size();
  for (std::size_t i = 1; i < count; ++i) {
    Path item = path;
    item.push_back(json::uint_text(i));
    if (!renew(maker, root, pair, item)) {
      return false;
    }
  }
  return count > 1;
}

}  // namespace

contract::Verdict judged(const contract::Contract& contract, const Pair& pair, Budget& budget) {
  contract::CheckOptions options;
  const std::string context = pair.has_context ? text_of(pair.context) : std::string();
  options.context = context;
  const std::string text = text_of(pair.artifact);
  budget.judge(text.size());
  return contract::check_text(contract, text, options);
}

std::vector<const Finding*> findings_of(const contract::Verdict& verdict) {
  std::vector<const Finding*> out;
  for (const Finding& finding : verdict.findings) {
    if (finding.shadowed_by == 0) {
      out.push_back(&finding);
    }
  }
  return out;
}

bool mend(Maker& maker, const Wish& root, Pair& pair, const Finding& finding) {
  const Path path = path_of(finding.at);
  const Kw kw = contract::kw_named(finding.rule);
  if (!finding.causes.empty() && (kw == Kw::none || maker.dice().chance(1, 2))) {
    const Finding cause = finding.causes[maker.dice().below(finding.causes.size())];
    return mend(maker, root, pair, cause);
  }
  const CrossRule* rule = rule_of(maker.program(), finding);
  if (const auto mended = keyword_row(kw).mended; rule != nullptr && mended != nullptr) {
    return mended(maker, root, pair, *rule, path);
  }
  if (kw == Kw::pointers && finding.schema_location.find("/pointers") != std::string::npos && pair.own_context) {
    pair.context = make_context(maker);
    return true;
  }
  if (kw == Kw::distinct || kw == Kw::unique_items) {
    return mend_repeated(maker, root, pair, path);
  }
  if (kw == Kw::required || kw == Kw::dependent_required || kw == Kw::dependencies) {
    Draft* object = find(pair.artifact, path);
    Path member = path;
    member.push_back(finding.property);
    std::optional<Draft> made = maker.make(maker.wish_at(pair.artifact, root, member), finding.property, 1);
    if (object == nullptr || !made) {
      return false;
    }
    find(pair.artifact, path)->set(finding.property, std::move(*made));
    return true;
  }
  if (path.empty() || maker.dice().chance(3, 4)) {
    return renew(maker, root, pair, path);
  }
  Path parent = path;
  parent.pop_back();
  return renew(maker, root, pair, parent);
}

contract::Verdict mend_all(const contract::Contract& contract, Maker& maker, const Wish& root, Pair& pair) {
  contract::Verdict verdict = judged(contract, pair, maker.budget());
  for (std::size_t round = 0; round < rounds_max && maker.budget().step(); ++round) {
    const std::vector<const Finding*> found = findings_of(verdict);
    if (found.empty()) {
      break;
    }
    const Finding finding = *found[round < 8 ? 0 : maker.dice().below(found.size())];
    Pair next = pair;
    if (!mend(maker, root, next, finding)) {
      continue;
    }
    contract::Verdict after = judged(contract, next, maker.budget());
    // A step that makes things worse is taken now and then, so as not to stay where nothing helps.
    if (findings_of(after).size() <= found.size() || maker.dice().chance(1, 4)) {
      pair = std::move(next);
      verdict = std::move(after);
    }
  }
  return verdict;
}

void furnish(Maker& maker, const Wish& root, Pair& pair, const contract::PointerPattern& pattern, const Path& place,
             Kind leaf) {
  if (pattern.base == json::PointerBase::context || pattern.levels_up > place.size()) {
    return;
  }
  Path at;
  if (pattern.base == json::PointerBase::instance) {
    at.assign(place.begin(), place.end() - static_cast<std::ptrdiff_t>(pattern.levels_up));
  }
  for (std::size_t i = 0; i < pattern.tokens.size(); ++i) {
    Draft* here = find(pair.artifact, at);
    const json::PointerToken& token = pattern.tokens[i];
    if (here == nullptr || (!here->is(Kind::array) && !here->is(Kind::object))) {
      return;
    }
    if (token.star && !here->children.empty()) {
      at.push_back(here->is(Kind::array) ? "0" : here->children.front().key);
      continue;
    }
    const std::string name = !token.star             ? token.text
                             : here->is(Kind::array) ? json::uint_text(here->children.size())
                                                     : word(maker.dice());
    at.push_back(name);
    if (find(pair.artifact, at) != nullptr) {
      continue;
    }
    const Wish wish = maker.wish_at(pair.artifact, root, at);
    std::optional<Draft> made;
    if (wish.all.empty() && i + 1 < pattern.tokens.size()) {
      made = Draft::of_kind(pattern.tokens[i + 1].star || pattern.tokens[i + 1].is_index ? Kind::array : Kind::object);
    } else if (wish.all.empty()) {
      made = maker.any_of_kind(leaf);
    } else {
      made = maker.make(wish, name, 1);
    }
    Path parent = at;
    parent.pop_back();
    here = find(pair.artifact, parent);
    if (!made || here == nullptr) {
      return;
    }
    if (here->is(Kind::object)) {
      here->set(name, std::move(*made));
    } else {
      here->children.push_back(std::move(*made));
    }
  }
}

}  // namespace plumb::sample
