#include "core/sample/breaking.hpp"

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/sample/keywords.hpp"
#include "core/text/pattern.hpp"

namespace plumb::sample {

using contract::PointerPattern;
using json::Kind;

namespace {

constexpr unsigned within_max = 3;
constexpr std::size_t places_max = 6;  // where one rule is tried

void matches_below(const Draft& value, const PointerPattern& pattern, std::size_t token, Path path,
                   std::vector<Path>& out) {
  if (token == pattern.tokens.size()) {
    out.push_back(std::move(path));
    return;
  }
  const json::PointerToken& t = pattern.tokens[token];
  for (std::size_t i = 0; i < value.children.size(); ++i) {
    const std::string name = value.is(Kind::array) ? json::uint_text(i) : value.children[i].key;
    if (t.star || t.text == name) {
      Path next = path;
      next.push_back(name);
      matches_below(value.children[i], pattern, token + 1, std::move(next), out);
    }
  }
}

bool known_name(const Node& node, const Program& program, std::string_view name) {
  for (const contract::Slot& slot : node.object->slots) {
    if (slot.node != nullptr && slot.key == name) {
      return true;
    }
  }
  for (const auto& pattern : node.object->pattern_properties) {
    text::Matcher matcher(program.patterns[pattern.pattern]);
    if (matcher.search(name)) {
      return true;
    }
  }
  return false;
}

void one_step(const Program& program, const Step& step, const Draft& value, const SitePlace& at,
              std::vector<SitePlace>& out) {
  const auto go = [&](std::string name) {
    SitePlace next{at.path, false};
    next.path.push_back(std::move(name));
    out.push_back(std::move(next));
  };
  switch (step.kind) {
    case StepKind::in_place:
      out.push_back(at);
      break;
    case StepKind::member:
      if (value.member(step.key) != nullptr) {
        go(std::string(step.key));
      }
      break;
    case StepKind::pattern_member:
    case StepKind::other_member:
    case StepKind::unevaluated_member:
    case StepKind::name:
      for (const Draft& child : value.children) {
        if (!value.is(Kind::object)) {
          break;
        }
        if (step.kind == StepKind::pattern_member) {
          text::Matcher matcher(program.patterns[step.number]);
          if (!matcher.search(child.key)) {
            continue;
          }
        } else if (step.kind != StepKind::name && known_name(*step.from, program, child.key)) {
          continue;
        }
        go(child.key);
        out.back().name = step.kind == StepKind::name;
      }
      break;
    case StepKind::prefix_item:
    case StepKind::item:
    case StepKind::unevaluated_item: {
      const std::size_t first = step.kind == StepKind::prefix_item ? step.number
                                : step.from->array                 ? step.from->array->prefix.size()
                                                                   : 0;
      for (std::size_t i = first; value.is(Kind::array) && i < value.children.size(); ++i) {
        go(json::uint_text(i));
        if (step.kind == StepKind::prefix_item) {
          break;
        }
      }
      break;
    }
    case StepKind::pointed: {
      std::vector<Path> found;
      matches_below(value, program.pointer_patterns[step.number], 0, at.path, found);
      for (Path& path : found) {
        out.push_back({std::move(path), false});
      }
      break;
    }
    case StepKind::context:
      break;
  }
}

// Where the schema false would have to be asked: a member or an item more.
void add_what_false_refuses(Breaking& b) {
  const Step& step = b.site.way.back();
  Draft more = b.value;
  const View view = b.maker.look(b.wish, 0, &b.value, {});
  constexpr Kind fillers[] = {Kind::string, Kind::number, Kind::null, Kind::object};
  const auto named = [&](std::string_view name) {
    for (const Kind filler : fillers) {
      more.set(name, b.maker.any_of_kind(filler));
      b.add(more);
    }
  };
  switch (step.kind) {
    case StepKind::member:
      named(step.key);
      break;
    case StepKind::pattern_member:
    case StepKind::other_member:
    case StepKind::unevaluated_member:
    case StepKind::name:
      if (const std::optional<std::string> name = b.maker.other_name(view, b.value)) {
        named(*name);
      }
      named("zz");
      break;
    case StepKind::prefix_item:
    case StepKind::item:
    case StepKind::unevaluated_item: {
      const std::size_t count = step.kind == StepKind::prefix_item ? step.number + 1
                                : step.from->array ? std::max(step.from->array->prefix.size(), more.children.size()) + 1
                                                   : more.children.size() + 1;
      while (more.is(Kind::array) && more.children.size() < count && count < 10'000) {
        std::optional<Draft> item;
        if (more.children.size() + 1 < count) {
          item = b.maker.make(b.maker.item_wish(view, more.children.size()), {}, 1);
        }
        more.children.push_back(item ? std::move(*item) : b.maker.any_of_kind(Kind::string));
      }
      for (const Kind filler : fillers) {
        if (more.is(Kind::array) && !more.children.empty()) {
          more.children.back().become(b.maker.any_of_kind(filler));
          b.add(more);
        }
      }
      break;
    }
    case StepKind::in_place:
      // then, else: the condition is made to hold, or not to.
      for (const contract::InPlace& in : step.from->in_place) {
        if (in.form == InPlaceForm::condition && in.then_node == step.node) {
          if (std::optional<Draft> made = b.maker.make(b.maker.wish_for(in.node), {}, 1)) {
            b.add(std::move(*made));
          }
        } else if (in.form == InPlaceForm::condition && in.else_node == step.node) {
          Wish other;
          other.none.push_back({in.node, 0});
          if (std::optional<Draft> made = b.maker.make(other, {}, 1)) {
            b.add(std::move(*made));
          }
        } else if (in.form == InPlaceForm::dependent && in.node == step.node) {
          named(in.key);
        }
      }
      break;
    default:
      break;
  }
}

}  // namespace

std::optional<Kind> kind_of(StepKind step) {
  switch (step) {
    case StepKind::member:
    case StepKind::pattern_member:
    case StepKind::other_member:
    case StepKind::unevaluated_member:
    case StepKind::name:
      return Kind::object;
    case StepKind::prefix_item:
    case StepKind::item:
    case StepKind::unevaluated_item:
      return Kind::array;
    default:
      return std::nullopt;
  }
}

std::vector<Reached> reach(const PointerPattern& pattern, const Around& around, const Path& place) {
  std::vector<Reached> out;
  const bool context = pattern.base == json::PointerBase::context;
  const Draft* start = context ? around.context : around.root;
  Path base;
  if (pattern.base == json::PointerBase::instance) {
    if (pattern.levels_up > place.size()) {
      return out;
    }
    base.assign(place.begin(), place.end() - static_cast<std::ptrdiff_t>(pattern.levels_up));
  }
  start = start == nullptr ? nullptr : find(*start, base);
  if (start == nullptr) {
    return out;
  }
  std::vector<Path> found;
  matches_below(*start, pattern, 0, base, found);
  for (Path& path : found) {
    out.push_back({context, std::move(path)});
  }
  return out;
}

PointerPattern pointer_in(const Node& node, Kw kw, std::string_view member) {
  const json::Value* keyword = node.schema->find(contract::kw_name(kw));
  const json::Value* text = keyword == nullptr ? nullptr : keyword->find(member);
  if (text == nullptr) {
    return {};
  }
  Result<PointerPattern> pattern = json::parse_pattern(text->str(), json::Slash::here);
  return pattern ? std::move(pattern).value() : PointerPattern();
}

std::vector<SitePlace> places_of(const Program& program, const Site& site, const Draft& value) {
  std::vector<SitePlace> at{{}};
  const std::size_t steps = site.node->never && !site.way.empty() ? site.way.size() - 1 : site.way.size();
  for (std::size_t i = 0; i < steps; ++i) {
    std::vector<SitePlace> next;
    for (const SitePlace& place : at) {
      const Draft* there = find(value, place.path);
      if (there != nullptr && !place.name && next.size() < 1000) {
        one_step(program, site.way[i], *there, place, next);
      } else if (place.name && site.way[i].kind == StepKind::in_place) {
        next.push_back(place);
      }
    }
    at = std::move(next);
  }
  return at;
}

namespace {

// A place for the schema where it has none: nothing is accepted there, or only what is of another kind.
// Whatever the way needs is put there, fitting or not.
bool make_room(Maker& maker, const Site& site, const Wish& wish, Draft& value) {
  std::vector<SitePlace> at{{}};
  for (std::size_t i = 0; i < site.way.size(); ++i) {
    const Step& step = site.way[i];
    const Draft* there = find(value, at.front().path);
    if (there == nullptr || at.front().name) {
      return false;
    }
    std::vector<SitePlace> next;
    one_step(maker.program(), step, *there, at.front(), next);
    if (next.empty()) {
      const bool list =
          step.kind == StepKind::prefix_item || step.kind == StepKind::item || step.kind == StepKind::unevaluated_item;
      Draft* holder = find(value, at.front().path);
      if (list ? !holder->is(Kind::array) : !holder->is(Kind::object)) {
        holder->become(Draft::of_kind(list ? Kind::array : Kind::object));
      }
      Draft filler = maker.any_of_kind(contract::facets_of(site.kw).kind.value_or(Kind::string));
      if (step.kind == StepKind::member) {
        holder->set(step.key, std::move(filler));
      } else if (step.kind == StepKind::other_member || step.kind == StepKind::unevaluated_member ||
                 step.kind == StepKind::name) {
        const View view = maker.look(maker.wish_at(value, wish, at.front().path), 0, nullptr, {});
        holder->set(maker.other_name(view, *holder).value_or("note"), std::move(filler));
      } else if (list && (step.kind != StepKind::prefix_item || step.number < 1000)) {
        const std::size_t count = step.kind == StepKind::prefix_item ? step.number + 1
                                  : step.from->array                 ? step.from->array->prefix.size() + 1
                                                                     : 1;
        while (holder->children.size() < count && holder->children.size() < 1000) {
          holder->children.push_back(filler);
        }
      } else {
        return false;
      }
      one_step(maker.program(), step, *find(value, at.front().path), at.front(), next);
      if (next.empty()) {
        return false;
      }
    }
    at.assign(1, next.front());
  }
  return true;
}

}  // namespace

std::vector<Draft> broken_values(Maker& maker, const Site& site, const Wish& wish, const Draft& given,
                                 const Around& around) {
  std::vector<Draft> out;
  if (around.depth > within_max) {
    return out;
  }
  Draft value = given;
  std::vector<SitePlace> places = places_of(maker.program(), site, value);
  if (places.empty() && !site.node->never && make_room(maker, site, wish, value)) {
    places = places_of(maker.program(), site, value);
    out.push_back(value);
  }
  for (std::size_t p = 0; p < places.size() && p < places_max && out.size() < proposals_max; ++p) {
    const SitePlace& place = places[p];
    const Draft* there = find(value, place.path);
    if (there == nullptr) {
      continue;
    }
    const Draft name = Draft::string(place.name ? place.path.back() : std::string());
    const Wish own = maker.wish_at(value, wish, place.path);
    const Around whole = around.root == nullptr ? Around{&value, nullptr, {}, around.depth} : around;
    Path absolute = whole.base;
    absolute.insert(absolute.end(), place.path.begin(), place.path.end());
    const std::optional<Kind> kind = contract::facets_of(site.kw).kind;
    const Draft other = kind ? maker.any_of_kind(*kind) : Draft();
    const bool another = kind && !place.name && there->kind != *kind;
    Breaking b{maker, site, own, place.name ? name : another ? other : *there, whole, std::move(absolute), {}};
    if (another) {
      b.add(other);
    }
    if (site.node->never && !site.way.empty()) {
      add_what_false_refuses(b);
    } else if (const auto broken = keyword_row(site.kw).broken; broken != nullptr && (!kind || b.value.is(*kind))) {
      broken(b);
    }
    for (Draft& proposal : b.out) {
      Draft copy = value;
      if (place.name) {
        Path parent = place.path;
        parent.pop_back();
        Draft* object = find(copy, parent);
        if (!proposal.is(Kind::string) || object->member(proposal.text) != nullptr) {
          continue;
        }
        Draft more = copy;
        Draft* of_more = find(more, parent);
        of_more->set(proposal.text, *of_more->member(place.path.back()));
        out.push_back(std::move(more));
        object->member(place.path.back())->key = proposal.text;
      } else {
        find(copy, place.path)->become(proposal);
      }
      out.push_back(std::move(copy));
    }
  }
  return out;
}

}  // namespace plumb::sample
