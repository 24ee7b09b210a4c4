#include "core/sample/sample.hpp"

#include <algorithm>

#include "core/json/equality.hpp"
#include "core/json/writer.hpp"
#include "core/sample/mending.hpp"
#include "core/sample/sites.hpp"
#include "core/text/suggest.hpp"

namespace plumb::sample {

using contract::Contract;
using contract::Finding;
using contract::Verdict;

namespace {

constexpr std::size_t valid_tries = 5;
constexpr std::size_t broken_tries = 4;

struct Attempt {
  bool valid = false;
  std::size_t findings = ~std::size_t{0};
  std::size_t undecided = 0;
  Pair pair;
};

// Rules that stay open for another reason than that a judge is to be asked.
std::size_t open_rules(const Verdict& verdict) {
  return static_cast<std::size_t>(std::count_if(verdict.undecided.begin(), verdict.undecided.end(),
                                                [](const contract::Undecided& u) { return u.ask.empty(); }));
}

class Sampler {
 public:
  Sampler(const Contract& contract, const SampleOptions& options) : contract_(contract), options_(options) {}

  bool read_context() {
    if (options_.context.empty()) {
      return true;
    }
    json::Arena arena;
    const Result<json::Value> context = json::parse(options_.context, arena);
    if (!context) {
      error_ = context.error();
      error_.where = "context";
      return false;
    }
    given_ = Draft::of(context.value());
    return true;
  }
  const Error& error() const { return error_; }

  // Minimal or rich; nothing when the contract accepts nothing that was found.
  bool valid(SampleKind kind, std::uint64_t seed, Sample& out, std::string& reason) {
    Attempt best;
    for (std::size_t i = 0; i < valid_tries && (best.findings != 0 || best.undecided != 0); ++i) {
      Random dice(Random::mixed(seed) + i, options_.vocabulary);
      Budget budget = full();
      Maker maker(contract_.shared_program(), dice, budget);
      maker.style.rich = kind == SampleKind::rich;
      constexpr std::uint32_t depths[valid_tries] = {8, 3, 1, 0, 0};
      maker.style.depth = depths[i];
      Attempt attempt = make(maker, nullptr);
      if (attempt.valid && (attempt.findings < best.findings ||
                            (attempt.findings == best.findings && attempt.undecided < best.undecided))) {
        best = std::move(attempt);
      }
      if (reason.empty()) {
        reason = maker.why();
      }
    }
    if (!best.valid) {
      if (reason.empty()) {
        reason = "no artifact was found that it accepts";
      }
      return false;
    }
    fill(best.pair, kind, seed, out);
    if (out.artifact.size() > options_.limits.bytes_max) {
      reason = "the artifact would have more bytes than a sample may have";
      return false;
    }
    return true;
  }

  bool broken(const Site& site, std::uint64_t seed, Sample& out, std::string& reason) {
    best_ = ~std::size_t{0};
    for (std::size_t i = 0; i < broken_tries && best_ > 1; ++i) {
      Random dice(Random::mixed(seed ^ json::hash_text(site.location, 1) ^ json::hash_text(site.property, 2)) + i,
                  options_.vocabulary);
      Budget budget = full();
      Maker maker(contract_.shared_program(), dice, budget);
      maker.style.rich = i % 2 == 1;
      Attempt base = make(maker, &site);
      if (!base.valid) {
        note(reason, maker.why().empty() ? "no artifact was found in which it has a say" : maker.why());
        continue;
      }
      maker.forget_why();
      try_all(maker, site, base.pair);
      if (best_ == ~std::size_t{0}) {
        note(reason, maker.why().empty() ? "nothing was found that breaks it" : maker.why());
      }
    }
    if (best_ == ~std::size_t{0}) {
      return false;
    }
    Budget last = full();
    const Verdict verdict = judged(contract_, best_pair_, last);
    fill(best_pair_, SampleKind::broken, seed, out);
    out.rule = site.rule;
    out.schema_location = site.location;
    out.property = site.property;
    bool told = false;
    for (const Finding* finding : findings_of(verdict)) {
      if (!told && is_of(*finding, site)) {
        out.at = finding->at;
        told = true;
      } else {
        out.also.push_back(finding->rule + " at " + (finding->at.empty() ? "\"\"" : finding->at));
      }
    }
    if (out.artifact.size() > options_.limits.bytes_max) {
      reason = "the artifact would have more bytes than a sample may have";
      return false;
    }
    return told;
  }

 private:
  Budget full() const {
    return {options_.limits.steps_max, options_.limits.depth_max, options_.limits.values_max, options_.limits.text_max};
  }

  static void note(std::string& reason, std::string_view more) {
    if (reason.empty()) {
      reason.assign(more);
    }
  }

  static bool is_of(const Finding& finding, const Site& site) {
    return finding.rule == site.rule && finding.schema_location == site.location &&
           (site.property.empty() || finding.property == site.property);
  }

  void fill(const Pair& pair, SampleKind kind, std::uint64_t seed, Sample& out) const {
    out.kind = kind;
    out.seed = seed;
    out.artifact = text_of(pair.artifact);
    out.context = pair.has_context && !contract_.context_read().empty() ? text_of(pair.context) : std::string();
  }

  // An artifact that is accepted; where a site is given, one in which it has a say.
  Attempt make(Maker& maker, const Site* site) {
    Attempt out;
    if (!options_.context.empty()) {
      out.pair.context = given_;
      out.pair.has_context = true;
    } else if (!contract_.context_read().empty()) {
      out.pair.context = make_context(maker);
      out.pair.has_context = true;
      out.pair.own_context = true;
    }
    if (site != nullptr) {
      std::vector<const Node*>& wanted = maker.style.wanted;
      for (const Step& step : site->way) {
        wanted.push_back(step.node);
      }
      if (site->node->never && !wanted.empty()) {
        wanted.pop_back();
      }
      std::sort(wanted.begin(), wanted.end());
      for (const Step& step : site->way) {
        if (const std::optional<json::Kind> kind = kind_of(step.kind)) {
          maker.style.kinds.emplace_back(step.from, *kind);
        }
      }
      if (const std::optional<json::Kind> kind = contract::facets_of(site->kw).kind) {
        maker.style.kinds.emplace_back(site->node, *kind);
      }
    }
    const Wish root = maker.wish_for(contract_.program().root);
    std::optional<Draft> made = maker.make(root, {}, 0);
    if (!made) {
      return out;
    }
    out.pair.artifact = std::move(*made);
    Verdict verdict = mend_all(contract_, maker, root, out.pair);
    if (site != nullptr && furnish_for(maker, root, *site, out.pair)) {
      verdict = mend_all(contract_, maker, root, out.pair);
    }
    out.valid = verdict.valid;
    out.findings = findings_of(verdict).size();
    out.undecided = open_rules(verdict);
    return out;
  }

  bool furnish_for(Maker& maker, const Wish& root, const Site& site, Pair& pair) {
    if (!site.node->extra || site.index >= site.node->extra->cross.size() ||
        site.node->extra->cross[site.index].kw != site.kw) {
      return false;
    }
    const contract::CrossRule& rule = site.node->extra->cross[site.index];
    const std::vector<SitePlace> places = places_of(contract_.program(), site, pair.artifact);
    for (std::size_t i = 0; i < places.size() && i < 3; ++i) {
      for (const std::vector<contract::CrossRule::Operand>* list : {&rule.all, &rule.any}) {
        for (const contract::CrossRule::Operand& operand : *list) {
          if (operand.pattern != contract::none32) {
            furnish(maker, root, pair, contract_.program().pointer_patterns[operand.pattern], places[i].path,
                    site.kw == Kw::sum_of ? json::Kind::number : json::Kind::string);
          }
        }
      }
      for (const contract::CrossRule::Bound& bound : rule.bounds) {
        if (bound.pattern != contract::none32) {
          furnish(maker, root, pair, contract_.program().pointer_patterns[bound.pattern], places[i].path,
                  json::Kind::number);
        }
      }
    }
    return !places.empty();
  }

  void try_all(Maker& maker, const Site& site, const Pair& base) {
    const Wish root = maker.wish_for(contract_.program().root);
    for (Draft& proposal : broken_values(maker, site, root, base.artifact, base.around())) {
      Pair pair = base;
      pair.artifact = std::move(proposal);
      consider(maker, root, site, std::move(pair));
      if (best_ <= 1 || maker.budget().spent()) {
        return;
      }
    }
    if (base.own_context) {
      try_context(maker, root, site, base);
    } else if (site.kw == Kw::pointers || reads_context(site)) {
      maker.because("it reads the context, which was given");
    }
  }

  static bool reads_context(const Site& site) { return site.kw == Kw::rules; }

  // What a contract puts on its context is broken there.
  void try_context(Maker& maker, const Wish& root, const Site& site, const Pair& base) {
    std::vector<const contract::PointedSchema*> schemas;
    const auto collect = [&](const Node& node) {
      for (std::size_t i = 0; node.extra && i < node.extra->pointed.size(); ++i) {
        const contract::PointedSchema& pointed = node.extra->pointed[i];
        if (contract_.program().pointer_patterns[pointed.pattern].base == json::PointerBase::context) {
          schemas.push_back(&pointed);
        }
      }
    };
    if (site.kw == Kw::pointers) {
      schemas.push_back(&site.node->extra->pointed[site.index]);
    } else if (site.kw == Kw::rules) {
      const Node& check = *site.node->extra->rules[site.index].check;
      collect(check);
      for (const Site& inner : sites_of(contract_.program(), &check)) {
        if (inner.kw == Kw::pointers && inner.node != &check) {
          schemas.push_back(&inner.node->extra->pointed[inner.index]);
        }
      }
    }
    for (const contract::PointedSchema* pointed : schemas) {
      const contract::PointerPattern& pattern = contract_.program().pointer_patterns[pointed->pattern];
      for (const Reached& reached : reach(pattern, base.around(), {})) {
        for (const Site& inner : sites_of(contract_.program(), pointed->node)) {
          const Draft* there = find(base.context, reached.path);
          for (Draft& other : broken_values(maker, inner, maker.wish_for(pointed->node), *there)) {
            Pair pair = base;
            find(pair.context, reached.path)->become(other);
            consider(maker, root, site, std::move(pair));
            if (best_ <= 1 || maker.budget().spent()) {
              return;
            }
          }
        }
      }
    }
  }

  // Keeps the candidate when it is the best so far, after what else it breaks has been put right where it can be.
  void consider(Maker& maker, const Wish& root, const Site& site, Pair pair) {
    maker.budget().step();
    Verdict verdict = judged(contract_, pair, maker.budget());
    if (!breaks(verdict, site)) {
      return;
    }
    keep(verdict, pair);
    for (std::size_t round = 0; round < 24 && best_ > 1 && maker.budget().step(); ++round) {
      std::vector<const Finding*> others;
      for (const Finding* finding : findings_of(verdict)) {
        if (!is_of(*finding, site)) {
          others.push_back(finding);
        }
      }
      if (others.empty()) {
        break;
      }
      const Finding finding = *others[maker.dice().below(others.size())];
      Pair next = pair;
      if (!mend(maker, root, next, finding)) {
        continue;
      }
      Verdict after = judged(contract_, next, maker.budget());
      if (breaks(after, site) && findings_of(after).size() <= findings_of(verdict).size()) {
        pair = std::move(next);
        verdict = std::move(after);
        keep(verdict, pair);
      }
    }
  }

  static bool breaks(const Verdict& verdict, const Site& site) {
    return std::any_of(verdict.findings.begin(), verdict.findings.end(),
                       [&](const Finding& finding) { return finding.shadowed_by == 0 && is_of(finding, site); });
  }

  void keep(const Verdict& verdict, const Pair& pair) {
    const std::size_t found = findings_of(verdict).size() + (verdict.more.empty() ? 0 : 1000);
    if (found < best_) {
      best_ = found;
      best_pair_ = pair;
    }
  }

  const Contract& contract_;
  const SampleOptions& options_;
  Error error_;
  Draft given_;
  std::size_t best_ = ~std::size_t{0};
  Pair best_pair_;
};

std::uint64_t seed_of(std::uint64_t seed, std::uint32_t index) {
  // 53 bits, so that a record's seed is a number in JavaScript too.
  return index == 0 ? seed : Random::mixed(seed + index * 0x9E3779B97F4A7C15U) >> 11U;
}

bool chosen(const Site& site, std::string_view rule) {
  return rule.empty() || site.rule == rule || site.location == rule ||
         (!site.property.empty() && site.rule + "/" + site.property == rule);
}

}  // namespace

std::string_view sample_kind_name(SampleKind kind) {
  return kind == SampleKind::minimal ? "minimal" : kind == SampleKind::rich ? "rich" : "broken";
}

std::vector<RuleSite> breakable_rules(const Contract& contract) {
  std::vector<RuleSite> out;
  for (const Site& site : sites_of(contract.program(), contract.program().root)) {
    out.push_back({site.rule, site.location, site.property, {}});
  }
  return out;
}

Result<Samples> make_samples(const Contract& contract, const SampleOptions& options) {
  Sampler sampler(contract, options);
  if (!sampler.read_context()) {
    return sampler.error();
  }
  Samples out;
  const std::uint32_t count = std::min(options.count, count_max);
  if (options.kind != SampleKind::broken) {
    for (std::uint32_t i = 0; i < count; ++i) {
      Sample sample;
      std::string reason;
      if (sampler.valid(options.kind, seed_of(options.seed, i), sample, reason)) {
        out.made.push_back(std::move(sample));
      } else {
        out.not_made.push_back({std::string(sample_kind_name(options.kind)), {}, {}, std::move(reason)});
      }
    }
    return out;
  }
  const std::vector<Site> sites = sites_of(contract.program(), contract.program().root);
  bool any = options.rule.empty();
  for (const Site& site : sites) {
    if (!chosen(site, options.rule)) {
      continue;
    }
    any = true;
    for (std::uint32_t i = 0; i < count; ++i) {
      Sample sample;
      std::string reason;
      if (sampler.broken(site, seed_of(options.seed, i), sample, reason)) {
        out.made.push_back(std::move(sample));
      } else {
        out.not_made.push_back({site.rule, site.location, site.property, std::move(reason)});
      }
    }
  }
  if (!any) {
    std::vector<std::string_view> names;
    for (const Site& site : sites) {
      names.push_back(site.rule);
      names.push_back(site.location);
    }
    const std::optional<std::size_t> near = text::nearest(options.rule, names);
    Error error;
    error.code = ErrorCode::not_found;
    error.message = "no rule of the contract that an artifact can break is called '" + std::string(options.rule) + "'";
    if (near) {
      error.message += "; did you mean '" + std::string(names[*near]) + "'?";
    }
    return error;
  }
  return out;
}

}  // namespace plumb::sample
