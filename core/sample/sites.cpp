#include "core/sample/sites.hpp"

#include <algorithm>
#include <unordered_set>

#include "core/json/number_text.hpp"

namespace plumb::sample {

using contract::InPlace;
using contract::no_bound;
using contract::none32;
using contract::Position;

namespace {

constexpr std::size_t sites_max = 20'000;  // of one contract; more are not listed

// The sites of one node, by their place in its text.
class Collector {
 public:
  explicit Collector(const Node& node) : node_(node) {}

  Site& add(Kw kw, Position position, std::uint32_t index = 0) {
    std::size_t at = entries_.size();
    while (at > 0 && entries_[at - 1].position > position) {
      --at;
    }
    Site& site = entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(at), {position, {}})->site;
    site.node = &node_;
    site.kw = kw;
    site.index = index;
    site.rule = std::string(contract::kw_name(kw));
    site.location = node_.location + "/" + site.rule;
    site.severity = node_.severity;
    return site;
  }

  void move_to(std::vector<Site>& out) {
    for (Entry& entry : entries_) {
      out.push_back(std::move(entry.site));
    }
  }

 private:
  struct Entry {
    Position position;
    Site site;
  };
  const Node& node_;
  std::vector<Entry> entries_;
};

void scalars(const Node& node, Collector& sites) {
  if (node.types != contract::type_any && (node.types & contract::type_any) != contract::type_any) {
    sites.add(Kw::type, node.type_at);
  }
  const auto members = [&](const contract::ScalarPart& part, std::uint32_t index) {
    sites.add(part.is_const ? Kw::const_ : Kw::enum_, part.position, index);
  };
  if (node.scalar) {
    members(*node.scalar, 0);
  }
  for (std::uint32_t i = 0; i < node.more_scalars.size(); ++i) {
    members(*node.more_scalars[i], i + 1);
  }
  if (node.number) {
    for (std::uint32_t i = 0; i < node.number->bounds.size(); ++i) {
      sites.add(node.number->bounds[i].kw, node.number->bounds[i].position, i);
    }
  }
  if (node.string) {
    const contract::StringPart& s = *node.string;
    if (s.min_length > 0) {
      sites.add(Kw::min_length, s.min_length_at);
    }
    if (s.max_length != no_bound) {
      sites.add(Kw::max_length, s.max_length_at);
    }
    if (s.not_blank) {
      sites.add(Kw::not_blank, s.not_blank_at);
    }
    if (s.has_length && (s.length_min > 0 || s.length_max != no_bound)) {
      sites.add(Kw::length, s.length_at);
    }
    if (s.pattern != none32) {
      sites.add(Kw::pattern, s.pattern_at);
    }
    if (s.format) {
      sites.add(Kw::format, s.format_at);
    }
    for (std::uint32_t i = 0; i < s.text_rules.size(); ++i) {
      sites.add(s.text_rules[i].kw, s.text_rules[i].position, i);
    }
  }
}

void containers(const Node& node, Collector& sites) {
  if (node.array) {
    const contract::ArrayPart& a = *node.array;
    if (a.min_items > 0) {
      sites.add(Kw::min_items, a.min_items_at);
    }
    if (a.max_items != no_bound) {
      sites.add(Kw::max_items, a.max_items_at);
    }
    if (a.unique) {
      sites.add(Kw::unique_items, a.unique_at);
    }
    if (a.contains && a.contains->node != nullptr) {
      if (a.contains->min > 0) {
        sites.add(a.contains->min != 1 ? Kw::min_contains : Kw::contains,
                  a.contains->has_min ? a.contains->min_at : a.contains->position);
      }
      if (a.contains->max != no_bound) {
        sites.add(Kw::max_contains, a.contains->max_at);
      }
    }
    for (std::uint32_t i = 0; i < a.distinct.size(); ++i) {
      sites.add(a.distinct[i].kw, a.distinct[i].position, i);
    }
  }
  if (node.object) {
    const contract::ObjectPart& o = *node.object;
    for (std::uint32_t i = 0; i < o.required.size(); ++i) {
      sites.add(Kw::required, o.required_at, i).property = std::string(o.slots[o.required[i]].key);
    }
    if (o.min_properties > 0) {
      sites.add(Kw::min_properties, o.min_properties_at);
    }
    if (o.max_properties != no_bound) {
      sites.add(Kw::max_properties, o.max_properties_at);
    }
    for (std::uint32_t i = 0; i < o.dependents.size(); ++i) {
      for (std::uint32_t j = 0; j < o.dependents[i].required.size(); ++j) {
        if (o.dependents[i].required[j] != o.dependents[i].key) {
          Site& site = sites.add(o.dependents[i].kw, o.dependents[i].position, i);
          site.sub = j;
          site.property = std::string(o.dependents[i].required[j]);
        }
      }
    }
  }
}

}  // namespace

void append_sites(const Program& program, const Node& node, std::vector<Site>& out) {
  if (node.never || node.always) {
    return;
  }
  Collector sites(node);
  scalars(node, sites);
  containers(node, sites);
  for (std::uint32_t i = 0; i < node.in_place.size(); ++i) {
    const InPlace& in = node.in_place[i];
    if (in.form == InPlaceForm::negation || (in.form == InPlaceForm::alternatives && !in.branches.empty())) {
      sites.add(in.kw, in.position, i);
    }
  }
  if (node.extra) {
    for (std::uint32_t i = 0; i < node.extra->cross.size(); ++i) {
      sites.add(node.extra->cross[i].kw, node.extra->cross[i].position, i);
    }
    for (std::uint32_t i = 0; i < node.extra->trees.size(); ++i) {
      sites.add(node.extra->trees[i].kw, node.extra->trees[i].position, i);
    }
    for (std::uint32_t i = 0; i < node.extra->rules.size(); ++i) {
      const contract::Rule& rule = node.extra->rules[i];
      if (rule.check != nullptr) {
        Site& site = sites.add(Kw::rules, rule.position, i);
        site.rule = rule.id;
        site.location = node.location + "/rules/" + json::uint_text(rule.order);
        site.severity = rule.severity;
      }
    }
    for (std::uint32_t i = 0; i < node.extra->pointed.size(); ++i) {
      const contract::PointedSchema& pointed = node.extra->pointed[i];
      if (pointed.kw == Kw::pointers && program.pointer_patterns[pointed.pattern].base == json::PointerBase::context) {
        sites.add(Kw::pointers, pointed.position, i);
      }
    }
  }
  sites.move_to(out);
}

const Node* plain_target(const Program& program, const InPlace& in) {
  if (in.anchor.empty() || program.resources.empty()) {
    return in.node;
  }
  const contract::Resource& outermost = program.resources[program.root->resource];
  if (in.kw == Kw::recursive_ref && outermost.recursive_anchor && outermost.root != nullptr) {
    return outermost.root;
  }
  for (const auto& [name, node] : outermost.dynamic_anchors) {
    if (in.kw == Kw::dynamic_ref && name == in.anchor) {
      return node;
    }
  }
  return in.node;
}

namespace {

std::vector<Step> steps_from(const Program& program, const Node& node) {
  std::vector<Step> steps;
  const auto add = [&](StepKind kind, const Node* to, std::string_view key = {}, std::uint32_t number = 0) {
    if (to != nullptr && !to->always) {
      steps.push_back({kind, &node, to, key, number});
    }
  };
  for (const InPlace& in : node.in_place) {
    switch (in.form) {
      case InPlaceForm::alternatives:
        if (!in.discriminator.empty()) {
          for (const Node* branch : in.branches) {
            add(StepKind::in_place, branch);
          }
        }
        break;
      case InPlaceForm::negation:
        break;
      case InPlaceForm::condition:
        add(StepKind::in_place, in.then_node);
        add(StepKind::in_place, in.else_node);
        break;
      default:
        add(StepKind::in_place, plain_target(program, in));
        break;
    }
  }
  if (node.object) {
    const contract::ObjectPart& o = *node.object;
    for (const contract::Slot& slot : o.slots) {
      add(StepKind::member, slot.node, slot.key);
    }
    for (const auto& pattern : o.pattern_properties) {
      add(StepKind::pattern_member, pattern.node, {}, pattern.pattern);
    }
    add(StepKind::other_member, o.additional);
    add(StepKind::name, o.names);
    add(StepKind::unevaluated_member, o.unevaluated);
  }
  if (node.array) {
    const contract::ArrayPart& a = *node.array;
    for (std::uint32_t i = 0; i < a.prefix.size(); ++i) {
      add(StepKind::prefix_item, a.prefix[i], {}, i);
    }
    add(StepKind::item, a.items);
    add(StepKind::unevaluated_item, a.unevaluated);
  }
  if (node.extra) {
    for (const contract::PointedSchema& pointed : node.extra->pointed) {
      if (pointed.kw == Kw::pointers && program.pointer_patterns[pointed.pattern].base != json::PointerBase::context) {
        add(StepKind::pointed, pointed.node, {}, pointed.pattern);
      }
    }
  }
  return steps;
}

std::string_view rule_of_step(const Step& step) {
  switch (step.kind) {
    case StepKind::member:
      return "properties";
    case StepKind::pattern_member:
      return "patternProperties";
    case StepKind::other_member:
      return "additionalProperties";
    case StepKind::unevaluated_member:
      return "unevaluatedProperties";
    case StepKind::name:
      return "propertyNames";
    case StepKind::prefix_item:
      return "prefixItems";
    case StepKind::item:
      return contract::kw_name(step.from->array->items_kw);
    case StepKind::unevaluated_item:
      return "unevaluatedItems";
    default:
      return "false";
  }
}

}  // namespace

std::vector<Site> sites_of(const Program& program, const Node* root) {
  struct Reached {
    const Node* node;
    std::size_t before;
    Step step;
    std::string_view chooses;  // the member that chose this branch: a branch whose member is another is not chosen
  };
  std::vector<Reached> reached{{root, 0, {}, {}}};
  std::unordered_set<const Node*> seen{root};
  std::vector<Site> sites;
  for (std::size_t i = 0; i < reached.size() && sites.size() < sites_max; ++i) {
    const Node& node = *reached[i].node;
    const std::size_t first = sites.size();
    if (node.never && i > 0) {
      Site site;
      site.node = &node;
      site.rule = std::string(rule_of_step(reached[i].step));
      site.location = node.location;
      site.severity = reached[i].step.from->severity;
      sites.push_back(std::move(site));
    }
    append_sites(program, node, sites);
    const std::string_view chooses = reached[i].chooses;
    sites.erase(std::remove_if(sites.begin() + static_cast<std::ptrdiff_t>(first), sites.end(),
                               [&](const Site& site) { return !chooses.empty() && site.property == chooses; }),
                sites.end());
    for (std::size_t s = first; s < sites.size(); ++s) {
      for (std::size_t at = i; at != 0; at = reached[at].before) {
        sites[s].way.insert(sites[s].way.begin(), reached[at].step);
      }
    }
    for (const Step& step : steps_from(program, node)) {
      if (seen.find(step.node) == seen.end()) {
        if (step.kind == StepKind::member && !chooses.empty() && step.key == chooses) {
          continue;
        }
        std::string_view chosen_by = step.kind == StepKind::in_place ? chooses : std::string_view();
        for (const InPlace& in : node.in_place) {
          if (step.kind == StepKind::in_place && !in.discriminator.empty() &&
              std::find(in.branches.begin(), in.branches.end(), step.node) != in.branches.end()) {
            chosen_by = in.discriminator;
          }
        }
        seen.insert(step.node);
        reached.push_back({step.node, i, step, chosen_by});
      }
    }
  }
  // As the contract is read: of the main document by place, then the others as they were reached.
  const auto place_in_text = [](const Site& site) {
    return site.node->location.empty() || site.node->location.front() == '/' ? site.node->schema->from
                                                                             : ~std::uint64_t{0};
  };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const std::uint64_t of_a = place_in_text(sites[a]);
    const std::uint64_t of_b = place_in_text(sites[b]);
    return of_a != of_b ? of_a < of_b : a < b;
  });
  std::vector<Site> sorted;
  sorted.reserve(sites.size());
  for (const std::size_t i : order) {
    sorted.push_back(std::move(sites[i]));
  }
  return sorted;
}

}  // namespace plumb::sample
