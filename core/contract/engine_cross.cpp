// Rules that read other places. They are judged as soon as all that they read has been read, else when the place that
// they read from closes; until then their evaluation, and whoever asked for it, waits.

#include <algorithm>
#include <utility>

#include "core/contract/engine.hpp"
#include "core/json/equality.hpp"
#include "core/json/excerpt.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"
#include "core/text/mentions.hpp"
#include "core/text/novelty.hpp"
#include "core/text/quotes.hpp"
#include "core/text/suggest.hpp"

namespace plumb::contract {

using json::Kind;

void Engine::gather_in(const json::Value& value, const PointerPattern& pattern, std::size_t token,
                       std::vector<const json::Value*>& out) const {
  if (token == pattern.tokens.size()) {
    out.push_back(&value);
    return;
  }
  const json::PointerToken& t = pattern.tokens[token];
  if (!t.star) {
    if (const json::Value* next = json::step(value, t)) {
      gather_in(*next, pattern, token + 1, out);
    }
    return;
  }
  for (const json::Value& item : value.array()) {
    gather_in(item, pattern, token + 1, out);
  }
  for (const json::Member& member : value.object()) {
    gather_in(member.value, pattern, token + 1, out);
  }
}

// In a container that is still open: what has been remembered of it, and the child that is open within.
void Engine::gather_open(std::uint32_t at, const PointerPattern& pattern, std::size_t token,
                         std::vector<const json::Value*>& out) const {
  if (token == pattern.tokens.size() || at >= frames_.size()) {
    return;  // an open value is not there yet
  }
  const Frame& frame = frames_[at];
  const json::PointerToken& t = pattern.tokens[token];
  std::size_t to = at + 1 < frames_.size() ? frames_[at + 1].values_from : values_.size();
  bool open_child = at + 1 < frames_.size();
  for (std::size_t i = frame.values_from; i < to; ++i) {
    bool reached = t.star || (frame.kind == Kind::object ? values_[i].key == t.text
                                                         : t.is_index && i - frame.values_from == t.index);
    if (reached) {
      gather_in(values_[i].value, pattern, token + 1, out);
      if (!t.star) {
        return;
      }
    }
  }
  if (open_child &&
      (t.star || (frame.kind == Kind::object ? key_of(frame) == t.text : t.is_index && frame.count - 1 == t.index))) {
    gather_open(at + 1, pattern, token + 1, out);
  }
}

// What a pattern reaches from an instance. False when it reaches into a context that holds nothing there.
bool Engine::gather(std::uint32_t index, std::uint32_t instance_depth, const json::Value* own,
                    std::vector<const json::Value*>& out) const {
  const PointerPattern& pattern = p_.pointer_patterns[index];
  std::size_t before = out.size();
  switch (pattern.base) {
    case json::PointerBase::context:
      if (!has_context_) {
        return false;
      }
      gather_in(context_, pattern, 0, out);
      if (out.size() == before) {
        // A list that is there and empty is an answer: nothing is in it.
        PointerPattern up = pattern;
        while (!up.tokens.empty() && !up.tokens.back().star) {
          up.tokens.pop_back();
        }
        if (!up.tokens.empty()) {
          up.tokens.pop_back();
          std::vector<const json::Value*> lists;
          gather_in(context_, up, 0, lists);
          return !lists.empty();
        }
        return false;
      }
      return true;
    case json::PointerBase::root:
      if (instance_depth == 0) {
        if (own != nullptr) {
          gather_in(*own, pattern, 0, out);
        }
      } else {
        gather_open(0, pattern, 0, out);
      }
      return true;
    default:
      break;
  }
  if (pattern.levels_up == 0) {
    if (own != nullptr) {
      gather_in(*own, pattern, 0, out);
    }
  } else if (pattern.levels_up <= instance_depth) {
    gather_open(instance_depth - pattern.levels_up, pattern, 0, out);
  }
  return true;
}

// Whether a pattern reaches into something that is there: with a star, a list or object to go through; else any value.
// Where it does not, whatever is missing has its own finding, and rules that compare with what is there have nothing to
// say.
bool Engine::reads_a_list(std::uint32_t index, std::uint32_t instance_depth, const json::Value& own) const {
  PointerPattern pattern = p_.pointer_patterns[index];
  std::size_t star = 0;
  while (star < pattern.tokens.size() && !pattern.tokens[star].star) {
    ++star;
  }
  bool has_star = star < pattern.tokens.size();
  pattern.tokens.resize(star);
  if (star == 0) {
    return true;  // the base itself, which is a container
  }
  std::vector<const json::Value*> values;
  if (pattern.base == json::PointerBase::context) {
    gather_in(context_, pattern, 0, values);
  } else if (pattern.base == json::PointerBase::root ? instance_depth == 0 : pattern.levels_up == 0) {
    gather_in(own, pattern, 0, values);
  } else {
    std::uint32_t base =
        pattern.base == json::PointerBase::root ? 0 : instance_depth - std::min(pattern.levels_up, instance_depth);
    gather_open(base, pattern, 0, values);
    // The container that is open on the way is there as well.
    std::size_t token = 0;
    for (std::uint32_t d = base; has_star && d + 1 < frames_.size() && token < star; ++d, ++token) {
      const Frame& frame = frames_[d];
      const json::PointerToken& t = pattern.tokens[token];
      if (frame.kind == Kind::object ? key_of(frame) != t.text : !t.is_index || frame.count - 1 != t.index) {
        break;
      }
      if (token + 1 == star) {
        return true;
      }
    }
  }
  for (const json::Value* v : values) {
    if (!has_star || v->is(Kind::array) || v->is(Kind::object)) {
      return true;
    }
  }
  return false;
}

// The open container that a rule still waits for, or none32. `closing` is one that counts as read.
std::uint32_t Engine::waits_for(const CrossRule& rule, std::uint32_t instance_depth, std::uint32_t closing) const {
  auto waits = [&](std::uint32_t index) {
    if (index == none32) {
      return none32;
    }
    const PointerPattern& pattern = p_.pointer_patterns[index];
    std::uint32_t base = 0;
    if (pattern.base == json::PointerBase::context ||
        (pattern.base == json::PointerBase::instance && pattern.levels_up == 0)) {
      return none32;
    }
    if (pattern.base == json::PointerBase::instance) {
      if (pattern.levels_up > instance_depth) {
        return none32;
      }
      base = instance_depth - pattern.levels_up;
    } else if (instance_depth == 0) {
      return none32;
    }
    if (base == closing || base >= frames_.size() || pattern.tokens.empty()) {
      return base == closing || base >= frames_.size() ? none32 : base;
    }
    const Frame& frame = frames_[base];
    const json::PointerToken& t = pattern.tokens.front();
    if (t.star) {
      return base;
    }
    std::size_t to = base + 1 < frames_.size() ? frames_[base + 1].values_from : values_.size();
    if (frame.kind == Kind::array) {
      return t.is_index && t.index < to - frame.values_from ? none32 : base;
    }
    for (std::size_t i = frame.values_from; i < to; ++i) {
      if (values_[i].key == t.text) {
        return none32;
      }
    }
    return base;
  };
  for (const auto* list : {&rule.all, &rule.any}) {
    for (const CrossRule::Operand& operand : *list) {
      std::uint32_t base = waits(operand.pattern);
      if (base != none32) {
        return base;
      }
    }
  }
  for (const CrossRule::Bound& bound : rule.bounds) {
    std::uint32_t base = waits(bound.pattern);
    if (base != none32) {
      return base;
    }
  }
  return none32;
}

void Engine::cross_rules(std::uint32_t index, const json::Value& own) {
  const Node& node = *evaluations_[index].node;
  if ((node.types & bit_of(own.kind)) == 0 && !(own.kind == Kind::number && (node.types & type_integer) != 0)) {
    return;  // the wrong type has been told; nothing can be compared
  }
  if (node.quick_member && own.is(Kind::string) && !name_instance_ && quick_member(node, own.str())) {
    return;
  }
  std::uint32_t instance_depth = evaluations_[index].depth;
  for (const CrossRule& rule : node.extra->cross) {
    std::uint32_t base = name_instance_ ? none32 : waits_for(rule, instance_depth, none32);
    if (base == none32) {
      judge_cross(index, rule, own, instance_depth);
      continue;
    }
    std::uint32_t d = 0;
    if (!free_deferred_.empty()) {
      d = free_deferred_.back();
      free_deferred_.pop_back();
    } else {
      d = static_cast<std::uint32_t>(deferred_.size());
      deferred_.emplace_back();
    }
    Deferred& deferred = deferred_[d];
    deferred.evaluation = index;
    deferred.rule = &rule;
    deferred.depth = instance_depth;
    deferred.value = own;
    if (own.kind == Kind::string || own.kind == Kind::number) {
      std::string_view text = value_arena_.copy(own.str());
      deferred.value.text = text.data();
    }
    deferred.next = frames_[base].deferred;
    frames_[base].deferred = d;
    frames_[base].listens = true;
    ++evaluations_[index].pending;
  }
}

void Engine::run_deferred(std::uint32_t at, bool closing) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t d = frames_[at].deferred; d != none32; d = deferred_[d].next) {
    list.push_back(d);
  }
  frames_[at].deferred = none32;
  std::reverse(list.begin(), list.end());  // in the order of the text
  for (std::uint32_t d : list) {
    Deferred deferred = deferred_[d];
    std::uint32_t base = waits_for(*deferred.rule, deferred.depth, closing ? at : none32);
    if (base != none32) {
      deferred_[d].next = frames_[base].deferred;
      frames_[base].deferred = d;
      frames_[base].listens = true;
      continue;
    }
    free_deferred_.push_back(d);
    judge_cross(deferred.evaluation, *deferred.rule, deferred.value, deferred.depth);
    Evaluation& e = evaluations_[deferred.evaluation];
    PLUMB_REQUIRE(e.pending > 0, "an evaluation waits for its deferred rules");
    if (--e.pending == 0 && e.closed) {
      settle(deferred.evaluation);
    }
  }
  // The list has been turned around by putting back what waits on.
  std::uint32_t turned = none32;
  for (std::uint32_t d = frames_[at].deferred; d != none32;) {
    std::uint32_t next = deferred_[d].next;
    deferred_[d].next = turned;
    turned = d;
    d = next;
  }
  std::uint32_t back = none32;
  for (std::uint32_t d = turned; d != none32;) {
    std::uint32_t next = deferred_[d].next;
    deferred_[d].next = back;
    back = d;
    d = next;
  }
  frames_[at].deferred = back;
}

void Engine::judge_cross(std::uint32_t index, const CrossRule& rule, const json::Value& own,
                         std::uint32_t instance_depth) {
  std::string wants_context;
  std::vector<const json::Value*> values;
  auto collect_from = [&](const std::vector<CrossRule::Operand>& operands) {
    for (const CrossRule::Operand& operand : operands) {
      if (operand.pattern != none32 && !gather(operand.pattern, instance_depth, &own, values)) {
        wants_context = p_.pointer_patterns[operand.pattern].text();
      }
    }
  };
  auto without_context = [&] {
    undecided(index, rule.kw, rule.position, 0, "the context holds nothing there", wants_context);
  };
  std::string a;
  std::string b;
  auto same = [&](const json::Value& x, const json::Value& y) {
    if (rule.folds && x.is(Kind::string) && y.is(Kind::string)) {
      a.clear();
      b.clear();
      text::fold_append(x.str(), rule.fold, a);
      text::fold_append(y.str(), rule.fold, b);
      return a == b;
    }
    return json::equal(x, y);
  };
  auto by = [&](const json::Value& value) {
    std::vector<const json::Value*> parts;
    if (rule.by == none32) {
      parts.push_back(&value);
    } else {
      gather_in(value, p_.pointer_patterns[rule.by], 0, parts);
    }
    return parts;
  };
  auto shown = [](const json::Value& value) {
    return json::excerpt(value.is(Kind::string) ? std::string(value.str()) : json::value_text(value), 100);
  };
  auto finding = [&](std::string requirement, FindingClass c) -> Found& {
    std::uint32_t f = prepare(index, rule.kw, rule.position, 0);
    found_[f].finding.requirement = std::move(requirement);
    found_[f].finding.finding_class = c;
    cross_found_ = f;
    return found_[f];
  };

  if (rule.kw == Kw::member_of || rule.kw == Kw::same_set_as || rule.kw == Kw::novel || rule.kw == Kw::quoted_from) {
    bool any = rule.all.empty();
    for (const CrossRule::Operand& operand : rule.all) {
      any = any || p_.pointer_patterns[operand.pattern].base == json::PointerBase::context ||
            reads_a_list(operand.pattern, instance_depth, own);
    }
    if (!any) {
      return;
    }
  }
  switch (rule.kw) {
    case Kw::member_of: {
      collect_from(rule.all);
      std::vector<const json::Value*> candidates;
      for (const json::Value* v : values) {
        if (rule.match.empty()) {
          for (const json::Value* part : by(*v)) {
            candidates.push_back(part);
          }
        } else {
          candidates.push_back(v);
        }
      }
      for (const json::Value* candidate : candidates) {
        bool equal = true;
        if (rule.match.empty()) {
          equal = same(own, *candidate);
        } else {
          for (const CrossRule::Match& m : rule.match) {
            std::vector<const json::Value*> mine;
            std::vector<const json::Value*> theirs;
            gather_in(own, p_.pointer_patterns[m.own], 0, mine);
            gather_in(*candidate, p_.pointer_patterns[m.other], 0, theirs);
            equal = equal && mine.size() == 1 && theirs.size() == 1 && same(*mine.front(), *theirs.front());
          }
        }
        if (equal) {
          return;
        }
      }
      if (!wants_context.empty()) {
        without_context();
        return;
      }
      Found& f =
          finding("one of the values there (" + std::to_string(candidates.size()) + ")", FindingClass::reference);
      std::vector<std::string> texts;
      std::vector<std::string_view> views;
      constexpr std::size_t looked_at_max = 1000;
      for (std::size_t i = 0; i < candidates.size() && i < looked_at_max; ++i) {
        texts.push_back(candidates[i]->is(Kind::string) ? std::string(candidates[i]->str())
                                                        : json::value_text(*candidates[i]));
      }
      for (const std::string& t : texts) {
        views.push_back(t);
      }
      std::string mine = own.is(Kind::string) ? std::string(own.str()) : json::value_text(own);
      for (std::size_t i : text::near_misses_first(mine, views)) {
        f.finding.allowed.push_back(json::excerpt_json(json::value_text(*candidates[i]), 200));
      }
      f.size = std::to_string(candidates.size());
      report(cross_found_, now_);
      return;
    }
    case Kw::count_of:
    case Kw::sum_of: {
      collect_from(rule.all);
      if (!wants_context.empty()) {
        without_context();
        return;
      }
      json::Decimal total = json::Decimal::from_uint64(values.size());
      if (rule.kw == Kw::sum_of) {
        total = json::Decimal::from_int64(0);
        for (const json::Value* v : values) {
          json::Decimal d;
          json::Decimal sum;
          if (!v->is(Kind::number)) {
            continue;  // the type of that place is its own rule
          }
          if (json::Decimal::read(v->str(), options_.limits.exponent_max, d) != json::DecimalStatus::ok ||
              total.add(d, options_.limits.exponent_max, sum) != json::DecimalStatus::ok) {
            undecided(index, rule.kw, rule.position, 0, "a number is beyond the limits", "");
            return;
          }
          total = sum;
        }
      }
      std::uint64_t sub = 0;
      for (const CrossRule::Bound& bound : rule.bounds) {
        json::Decimal limit;
        std::string limit_text = bound.text;
        if (bound.pattern != none32) {
          std::vector<const json::Value*> limits;
          if (!gather(bound.pattern, instance_depth, &own, limits)) {
            wants_context = p_.pointer_patterns[bound.pattern].text();
            without_context();
            return;
          }
          if (limits.empty() || !limits.front()->is(Kind::number) ||
              json::Decimal::read(limits.front()->str(), options_.limits.exponent_max, limit) !=
                  json::DecimalStatus::ok) {
            undecided(index, rule.kw, rule.position, sub++,
                      "there is no number at " + p_.pointer_patterns[bound.pattern].text(), "");
            continue;
          }
          limit_text = std::string(limits.front()->str());
        } else {
          limit = *bound.number;
        }
        int order = json::compare(total, limit);
        using BoundKind = CrossRule::Bound::Kind;
        bool good = bound.kind == BoundKind::equals ? order == 0
                    : bound.kind == BoundKind::min  ? order >= 0
                                                    : order <= 0;
        if (!good) {
          const char* words = bound.kind == BoundKind::equals ? "exactly "
                              : bound.kind == BoundKind::min  ? "at least "
                                                              : "at most ";
          std::uint32_t f = prepare(index, rule.kw, rule.position, sub);
          found_[f].finding.requirement =
              std::string(rule.kw == Kw::sum_of ? "a sum of " : "a count of ") + words + limit_text;
          found_[f].finding.provided = total.canonical();
          found_[f].finding.finding_class = FindingClass::count;
          found_[f].size = total.canonical();
          found_[f].limit = limit_text;
          report(f, now_);
        }
        ++sub;
      }
      return;
    }
    case Kw::same_set_as: {
      collect_from(rule.all);
      if (!wants_context.empty()) {
        without_context();
        return;
      }
      std::vector<const json::Value*> mine;
      std::vector<const json::Value*> theirs;
      for (const json::Value& item : own.array()) {
        for (const json::Value* part : by(item)) {
          mine.push_back(part);
        }
      }
      theirs = values;
      std::string what;
      auto lacks = [&](const std::vector<const json::Value*>& list, const std::vector<const json::Value*>& other,
                       const char* words) {
        std::size_t told = 0;
        SetView view(*this, other, rule);
        for (const json::Value* v : list) {
          if (view.has(*v)) {
            continue;
          }
          if (told++ < 3) {
            what += (what.empty() ? "" : ", ") + std::string(words) + shown(*v);
          }
        }
        return told;
      };
      std::size_t missing = lacks(theirs, mine, "missing ");
      std::size_t extra = lacks(mine, theirs, "unknown ");
      if (missing + extra > 0) {
        Found& f = finding("the same " + std::to_string(theirs.size()) + " values as there", FindingClass::reference);
        if (missing + extra > 3) {
          what += ", ... (" + std::to_string(missing) + " missing, " + std::to_string(extra) + " unknown)";
        }
        f.finding.provided = json::excerpt(what, 200);
        f.size = std::to_string(mine.size());
        f.limit = std::to_string(theirs.size());
        report(cross_found_, now_);
      }
      return;
    }
    case Kw::mentions: {
      if (!own.is(Kind::string)) {
        return;
      }
      auto judge = [&](const std::vector<CrossRule::Operand>& operands, bool any) {
        bool one = operands.empty();
        bool unsure = false;
        std::string lacking;
        for (const CrossRule::Operand& operand : operands) {
          std::vector<const json::Value*> terms;
          json::Value literal;
          if (operand.pattern == none32) {
            literal.kind = Kind::string;
            literal.text = operand.literal.data();
            literal.size = static_cast<std::uint32_t>(operand.literal.size());
            terms.push_back(&literal);
          } else if (!gather(operand.pattern, instance_depth, &own, terms)) {
            wants_context = p_.pointer_patterns[operand.pattern].text();
            continue;
          }
          for (const json::Value* term : terms) {
            if (!term->is(Kind::string) || term->size == 0) {
              continue;
            }
            text::MentionResult r = text::find_mention(own.str(), term->str());
            one = one || r.outcome == text::Judgement::holds;
            unsure = unsure || r.outcome == text::Judgement::undecided;
            if (r.outcome == text::Judgement::broken) {
              lacking += (lacking.empty() ? "" : ", ") + std::string("'") + shown(*term) + "'";
            }
          }
        }
        bool bad = any ? !one && !lacking.empty() && !unsure : !lacking.empty();
        if (bad) {
          std::uint32_t f = prepare(index, Kw::mentions, rule.position, any ? 1 : 0);
          found_[f].finding.requirement =
              (any ? "text that mentions one of " : "text that mentions ") + json::excerpt(lacking, 200);
          found_[f].finding.finding_class = FindingClass::meaning;
          report(f, now_);
        } else if (!wants_context.empty() && !(any && one)) {
          without_context();
        } else if (unsure && !(any && one)) {
          undecided(index, Kw::mentions, rule.position, any ? 1 : 0, "it cannot be told whether the text mentions it",
                    "");
        }
      };
      judge(rule.all, false);
      if (!rule.any.empty()) {
        judge(rule.any, true);
      }
      return;
    }
    case Kw::novel: {
      if (!own.is(Kind::string)) {
        return;
      }
      collect_from(rule.all);
      if (!wants_context.empty()) {
        without_context();
        return;
      }
      const EarlierTexts& earlier = earlier_texts(rule, values);
      text::NoveltyResult result = earlier.index.judge(own.str());
      extension(evaluations_[index]).novelty = std::string(text::novelty_name(result.novelty));
      if (result.novelty != text::Novelty::fresh) {
        Found& f = finding("something that has not been said before", FindingClass::meaning);
        f.limit = json::excerpt(earlier.texts[result.nearest], 100);
        f.finding.allowed.clear();
        f.finding.requirement += "; nearest: '" + f.limit + "'";
        report(cross_found_, now_);
      }
      return;
    }
    default: {  // quotedFrom
      if (!own.is(Kind::string)) {
        return;
      }
      collect_from(rule.all);
      bool too_short = false;
      for (const json::Value* v : values) {
        if (!v->is(Kind::string)) {
          continue;
        }
        text::QuoteResult r =
            text::find_quote(own.str(), v->str(), std::max<std::size_t>(1, static_cast<std::size_t>(rule.min_points)));
        if (r.status == text::QuoteStatus::found) {
          return;
        }
        too_short = too_short || r.status == text::QuoteStatus::too_short;
      }
      if (!wants_context.empty() && !too_short) {
        without_context();
        return;
      }
      Found& f = finding(too_short ? "a quote of at least " + std::to_string(rule.min_points) + " characters"
                                   : "words that stand in the source",
                         FindingClass::reference);
      f.limit = std::to_string(rule.min_points);
      report(cross_found_, now_);
      return;
    }
  }
}

// The texts that `novel` compares with. A context stays as it is, so its texts are read once for all artifacts; those
// of the artifact are read anew.
const Engine::EarlierTexts& Engine::earlier_texts(const CrossRule& rule,
                                                  const std::vector<const json::Value*>& values) {
  bool stays = true;
  for (const CrossRule::Operand& operand : rule.all) {
    stays = stays && p_.pointer_patterns[operand.pattern].base == json::PointerBase::context;
  }
  std::unique_ptr<EarlierTexts>* slot = nullptr;
  for (std::unique_ptr<EarlierTexts>& known : earlier_texts_) {
    slot = known->rule == &rule ? &known : slot;
  }
  if (slot != nullptr && stays) {
    return **slot;
  }
  if (slot == nullptr) {
    slot = &earlier_texts_.emplace_back();
  }
  *slot = std::make_unique<EarlierTexts>();
  (*slot)->rule = &rule;
  for (const json::Value* v : values) {
    if (v->is(Kind::string)) {
      (*slot)->texts.push_back(v->str());
      (*slot)->index.add(v->str());
    }
  }
  return **slot;
}

// Membership in a list of values, by hash, with a rule's folding.
Engine::SetView::SetView(const Engine& engine, const std::vector<const json::Value*>& list, const CrossRule& rule)
    : engine_(engine), rule_(rule) {
  for (const json::Value* v : list) {
    hashes_.emplace_back(hash_of(*v), v);
  }
  stable_sort(hashes_, [](const auto& x, const auto& y) { return x.first < y.first; });
}

std::uint64_t Engine::SetView::hash_of(const json::Value& value) const {
  if (rule_.folds && value.is(Kind::string)) {
    return json::hash_text(text::fold(value.str(), rule_.fold), engine_.seed_);
  }
  return json::hash(value, engine_.seed_);
}

bool Engine::SetView::has(const json::Value& value) const {
  std::uint64_t hash = hash_of(value);
  auto it = std::lower_bound(hashes_.begin(), hashes_.end(), hash,
                             [](const auto& x, std::uint64_t h) { return x.first < h; });
  for (; it != hashes_.end() && it->first == hash; ++it) {
    if (rule_.folds && value.is(Kind::string) && it->second->is(Kind::string)) {
      if (text::fold(value.str(), rule_.fold) == text::fold(it->second->str(), rule_.fold)) {
        return true;
      }
    } else if (json::equal(value, *it->second)) {
      return true;
    }
  }
  return false;
}

// Schemas that a contract puts on its context. The context does not change, so each is judged once for a check.
void Engine::context_schemas(std::uint32_t index) {
  const Node& node = *evaluations_[index].node;
  for (const PointedSchema& pointed : node.extra->pointed) {
    const PointerPattern& pattern = p_.pointer_patterns[pointed.pattern];
    if (pattern.base != json::PointerBase::context) {
      continue;
    }
    std::vector<const json::Value*> values;
    if (inside_context_ || !gather(pointed.pattern, 0, nullptr, values)) {
      undecided(index, pointed.kw, pointed.position, pointed.order, "the context holds nothing there", pattern.text());
      continue;
    }
    for (const json::Value* value : values) {
      CheckOptions options = options_;
      options.context = context_text_;
      Engine sub(program_, pointed.node, options);
      Verdict verdict = sub.check_whole(
          std::string_view(context_text_)
              .substr(static_cast<std::size_t>(value->from), static_cast<std::size_t>(value->to - value->from)));
      const Finding* first = nullptr;
      for (const Finding& f : verdict.findings) {
        if (first == nullptr && f.severity == Severity::error) {
          first = &f;
        }
      }
      if (first != nullptr && !verdict.valid) {
        std::uint32_t f = prepare(index, Kw::pointers, pointed.position, pointed.order);
        found_[f].finding.requirement = first->requirement;
        found_[f].finding.provided = json::excerpt(json::value_text(*value), 200);
        found_[f].rule_message = pattern.text() + ": " + first->message;
        report(f, now_);
      }
    }
  }
}

}  // namespace plumb::contract
