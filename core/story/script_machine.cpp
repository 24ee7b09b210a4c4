#include "core/story/script_machine.hpp"

#include <algorithm>
#include <cstring>

namespace plumb::story {

namespace {

using Kind = ScriptNode::Kind;
using Op = ScriptExpression::Op;

constexpr std::size_t outcomes_max = 4096;
constexpr int depth_max = 32;

bool is_temporary(std::string_view name) { return name.starts_with('_'); }

const std::string* constant_text(const ScriptExpression& expression) {
  return expression.op == Op::value && expression.value.kind == ScriptValue::Kind::text ? &expression.value.text
                                                                                        : nullptr;
}

bool only_offers(const ScriptNodes& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [](const ScriptNode& node) {
    return node.idle || node.kind == Kind::link || node.kind == Kind::reveal;
  });
}

}  // namespace

template <typename Work>
void ScriptMachine::each_text(Work work) {
  for (auto* all : {&script_.passages, &script_.widgets}) {
    for (auto& [name, nodes] : *all) {
      work(nodes);
    }
  }
  for (ScriptNodes* nodes : {&script_.first, &script_.before, &script_.after}) {
    work(*nodes);
  }
}

ScriptMachine::ScriptMachine(const Book& book, Script script) : book_(book), script_(std::move(script)) {
  value_number({});
  for (std::uint32_t i = 0; i < book.passages.size(); ++i) {
    numbers_.emplace(book.passages[i].id, i);
  }
  do {  // what one way hangs on may hang on more
    changed_ = false;
    for (auto* all : {&script_.passages, &script_.widgets}) {
      auto& names = all == &script_.passages ? leading_ : acting_;
      for (const auto& [name, nodes] : *all) {
        if (note(nodes)) {
          changed_ = names.insert(name).second || changed_;
        }
      }
    }
    for (const ScriptNodes* nodes : {&script_.first, &script_.before, &script_.after}) {
      note(*nodes);
    }
  } while (changed_);
  each_text([this](ScriptNodes& nodes) { mark(nodes); });
  limits_["visited()"].grows = limits_["turns()"].grows = true;
  each_text([this](ScriptNodes& nodes) { limit(nodes); });
  each_text([this](ScriptNodes& nodes) { number(nodes); });
  std::map<std::uint64_t, PlaySite> places;
  for (std::uint32_t p = 0; p < book.passages.size(); ++p) {
    for (std::uint32_t w = 0; w < book.passages[p].ways.size(); ++w) {
      const Way& way = book.passages[p].ways[w];
      for (std::uint32_t r = 0; r < way.routes.size(); ++r) {
        places.emplace(way.routes[r].at, PlaySite{p, w, r, {}});
      }
    }
  }
  for (const ScriptNode* node : nodes_) {
    const auto place = places.find(node->at);
    sites_.push_back(place == places.end() ? PlaySite{} : place->second);
    sites_.back().label = node->name;
  }
}

void ScriptMachine::number(ScriptNodes& nodes) {
  for (ScriptNode& node : nodes) {
    if (node.kind == Kind::link || node.kind == Kind::reveal || node.kind == Kind::go) {
      node.number = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back(&node);
    }
    for (ScriptBranch& branch : node.branches) {
      number(branch.nodes);
    }
  }
}

void ScriptMachine::keep(const std::string& name) {
  if (variables_.emplace(name, static_cast<std::uint32_t>(variables_.size())).second) {
    changed_ = true;
  }
}

void ScriptMachine::keep(const ScriptExpression& expression) {
  switch (expression.op) {
    case Op::variable:
      keep(expression.name);
      break;
    case Op::previous:
      keep("previous()");
      break;
    case Op::turns:
      keep("turns()");
      break;
    case Op::visits:
    case Op::visited_all: {
      const bool named = !expression.of.empty() && std::all_of(expression.of.begin(), expression.of.end(),
                                                               [](const auto& one) { return constant_text(one); });
      for (const ScriptExpression& one : expression.of) {
        if (named) {
          keep("visited(" + *constant_text(one) + ")");
        }
      }
      for (const BookPassage& passage : book_.passages) {
        if (!named) {
          keep("visited(" + passage.id + ")");
        }
      }
      break;
    }
    default:
      break;
  }
  for (const ScriptExpression& one : expression.of) {
    keep(one);
  }
}

// Whether something that the reader can come to hangs on it; what that hangs on is kept.
bool ScriptMachine::note(const ScriptNodes& nodes) {
  bool out = false;
  for (const ScriptNode& node : nodes) {
    out = note(node) || out;
  }
  return out;
}

bool ScriptMachine::note(const ScriptNode& node) {
  bool inside = false;
  for (const ScriptBranch& branch : node.branches) {
    inside = note(branch.nodes) || inside;
  }
  bool out = inside;
  const std::string* name = constant_text(node.expression);
  const auto part = variables_.lower_bound(node.name + ".");
  switch (node.kind) {
    case Kind::set:
      out = variables_.count(node.name) != 0 || (part != variables_.end() && part->first.starts_with(node.name + "."));
      break;
    case Kind::link:
    case Kind::go:
    case Kind::anything:
    case Kind::leads:
    case Kind::note:
      out = true;
      break;
    case Kind::include:
      out = name == nullptr || leading_.count(*name) != 0;
      break;
    case Kind::call:
      out = acting_.count(node.name) != 0;
      break;
    default:
      break;
  }
  if (out) {
    keep(node.expression);
    for (const ScriptBranch& branch : node.branches) {
      keep(branch.when);
    }
  }
  return out;
}

void ScriptMachine::mark(ScriptNodes& nodes) {
  for (ScriptNode& node : nodes) {
    node.idle = !note(node);
    for (ScriptBranch& branch : node.branches) {
      mark(branch.nodes);
    }
  }
}

// ---- outcomes

std::uint32_t ScriptMachine::pick(std::uint32_t count) {
  if (next_pick_ == picks_.size()) {
    picks_.emplace_back(0, std::max<std::uint32_t>(count, 1));
  }
  return picks_[next_pick_++].first;
}

// False: there are more than are gone through.
template <typename Once>
bool ScriptMachine::outcomes(Once once) {
  picks_.clear();
  for (std::size_t i = 0; i < outcomes_max; ++i) {
    next_pick_ = 0;
    once();
    picks_.resize(next_pick_);
    while (!picks_.empty() && picks_.back().first + 1 == picks_.back().second) {
      picks_.pop_back();
    }
    if (picks_.empty()) {
      return true;
    }
    ++picks_.back().first;
  }
  return false;
}

// ---- carrying out

void ScriptMachine::told(std::uint64_t at, std::string reason) { unread_.emplace(at, std::move(reason)); }

void ScriptMachine::carry_out(const ScriptNodes& nodes, Showing& in) {
  for (const ScriptNode& node : nodes) {
    if (!node.idle) {
      carry_out(node, in);
    }
  }
}

void ScriptMachine::carry_out(const ScriptNode& node, Showing& in) {
  switch (node.kind) {
    case Kind::set:
      set(node.name, evaluate(node.expression, in), node.at, in);
      break;
    case Kind::chain:
      chain(node, in);
      break;
    case Kind::link:
    case Kind::reveal:
      offer(node, in);
      break;
    case Kind::go:
      jump(node, in);
      break;
    case Kind::include:
      include(node, in);
      break;
    case Kind::call:
      call(node, in);
      break;
    case Kind::loop:
      loop(node, in);
      break;
    case Kind::note:
      told(node.at, node.reason);
      break;
    case Kind::parallel:
      carry_out(node.branches[0].nodes, in);
      break;
    case Kind::shown:
    case Kind::hidden: {
      const bool shown = in.shown;
      in.shown = node.kind == Kind::shown;
      carry_out(node.branches[0].nodes, in);
      in.shown = shown;
      break;
    }
    case Kind::anything:
      for (std::uint32_t& value : in.page.values) {
        value = value_number(unread_value(node.at));
      }
      [[fallthrough]];
    case Kind::leads:
      told(node.at, node.reason);
      in.page.doubtful = true;
      break;
  }
}

// A condition that is not read, on which only ways hang, leaves these open, and all else as it is.
void ScriptMachine::chain(const ScriptNode& node, Showing& in) {
  for (std::size_t i = 0; i < node.branches.size(); ++i) {
    const ScriptBranch& branch = node.branches[i];
    const ScriptValue value = branch.always ? truth_value(true) : evaluate(branch.when, in);
    const bool offers = value.kind == ScriptValue::Kind::unread &&
                        std::all_of(node.branches.begin() + static_cast<std::ptrdiff_t>(i), node.branches.end(),
                                    [](const ScriptBranch& one) { return only_offers(one.nodes); });
    if (offers) {
      told_unread(value, branch.when);
      for (; i < node.branches.size(); ++i) {
        maybe(node.branches[i].nodes, in);
      }
      return;
    }
    if (holds(value, branch.when, in)) {
      carry_out(branch.nodes, in);
      return;
    }
  }
}

void ScriptMachine::maybe(const ScriptNodes& nodes, Showing& in) {
  const bool before = in.maybe;
  in.maybe = true;
  carry_out(nodes, in);
  in.maybe = before;
}

void ScriptMachine::loop(const ScriptNode& node, Showing& in) {
  const ScriptNodes& nodes = node.branches[0].nodes;
  told(node.at, node.reason);
  if (only_offers(nodes)) {
    maybe(nodes, in);
    return;
  }
  forget(nodes, in);
  in.page.unsure = true;
  if (pick(2) == 0) {
    carry_out(nodes, in);
    forget(nodes, in);
  }
}

std::uint32_t ScriptMachine::target(const ScriptNode& node, Showing& in, bool& known) {
  const ScriptValue value = evaluate(node.expression, in);
  known = value.kind == ScriptValue::Kind::text;
  if (!known) {
    const bool here =
        value.kind != ScriptValue::Kind::unread || static_cast<std::uint64_t>(value.number) == node.expression.at;
    told(here ? node.at : static_cast<std::uint64_t>(value.number),
         here ? "where this leads is not known before it is evaluated"
              : "what is set here is not read, and where a way leads hangs on it");
    in.page.doubtful = true;
    return none;
  }
  const auto passage = numbers_.find(value.text);
  if (passage == numbers_.end() && !value.text.empty() && constant_text(node.expression) == nullptr) {
    broken_.emplace(node.at, value.text);
  }
  return passage == numbers_.end() ? none : passage->second;
}

void ScriptMachine::offer(const ScriptNode& node, Showing& in) {
  if (!in.shown) {
    return;
  }
  Offer out{node.number, none, in.maybe};
  if (node.kind == Kind::link) {
    bool known = false;
    out.to = target(node, in, known);
    if (!known || (out.to == none && constant_text(node.expression) == nullptr)) {
      return;
    }
  }
  if (std::find(in.page.offers.begin(), in.page.offers.end(), out) == in.page.offers.end()) {
    in.page.offers.push_back(out);
  }
}

void ScriptMachine::jump(const ScriptNode& node, Showing& in) {
  bool known = false;
  const std::uint32_t to = target(node, in, known);
  if (in.page.jump_site != none && in.page.jump_site != node.number) {
    told(node.at, "two ways lead on at once here; only the first is followed");
    in.page.doubtful = in.page.unsure = true;
    return;
  }
  if (known && to != none) {
    in.page.jump = to;
    in.page.jump_site = node.number;
  } else if (known) {
    in.page.offers.push_back({node.number, none, in.maybe});  // the link is broken, and the reader stays
  }
}

void ScriptMachine::include(const ScriptNode& node, Showing& in) {
  bool known = false;
  const std::uint32_t to = target(node, in, known);
  const auto nodes = to == none ? script_.passages.end() : script_.passages.find(book_.passages[to].id);
  if (nodes == script_.passages.end()) {
    return;
  }
  if (++in.depth > depth_max) {
    told(node.at, "passages include one another more than 32 deep");
    in.page.doubtful = true;
  } else {
    carry_out(nodes->second, in);
  }
  --in.depth;
}

void ScriptMachine::call(const ScriptNode& node, Showing& in) {
  const auto widget = script_.widgets.find(node.name);
  if (widget == script_.widgets.end()) {
    return;
  }
  if (++in.depth > depth_max) {
    told(node.at, "widgets use one another more than 32 deep");
    in.page.doubtful = true;
  } else {
    std::vector<ScriptValue> given, before;
    for (const ScriptExpression& one : node.expression.of) {
      given.push_back(evaluate(one, in));
    }
    const auto name = [](std::size_t i) { return "_args[" + std::to_string(i) + "]"; };
    constexpr std::size_t arguments_max = 10;
    for (std::size_t i = 0; i < arguments_max; ++i) {
      before.push_back(get(name(i), in));
      set(name(i), i < given.size() ? given[i] : ScriptValue{}, node.at, in);
    }
    carry_out(widget->second, in);
    for (std::size_t i = 0; i < arguments_max; ++i) {
      set(name(i), before[i], node.at, in);
    }
  }
  --in.depth;
}

// What a loop sets is not known, however often it runs.
void ScriptMachine::forget(const ScriptNodes& nodes, Showing& in) {
  for (const ScriptNode& node : nodes) {
    if (node.kind == Kind::set) {
      set(node.name, unread_value(node.at), node.at, in);
    }
    for (const ScriptBranch& branch : node.branches) {
      forget(branch.nodes, in);
    }
  }
}

// ---- moves

std::uint32_t ScriptMachine::value_number(const ScriptValue& value) {
  const auto [at, fresh] =
      value_numbers_.emplace(std::pair{static_cast<unsigned char>(value.kind), std::pair{value.number, value.text}},
                             static_cast<std::uint32_t>(values_.size()));
  if (fresh) {
    values_.push_back(value);
  }
  return at->second;
}

std::size_t ScriptMachine::hash_of(const Page& page) const {
  std::uint64_t out = page.jump + 31 * page.jump_site + (page.doubtful ? 7 : 0) + (page.unsure ? 13 : 0);
  const auto mix = [&out](std::uint64_t one) { out = (out ^ one) * 0x9E3779B97F4A7C15U + (out >> 29U); };
  for (const std::uint32_t one : page.values) {
    mix(one);
  }
  for (const Offer& one : page.offers) {
    mix((std::uint64_t{one.node} << 32U) + one.to + (one.unsure ? 1 : 0));
  }
  return static_cast<std::size_t>(out ^ (out >> 32U));
}

void ScriptMachine::add(const Showing& shown, std::uint32_t site, bool sure, std::vector<PlayMove>& into) {
  const std::size_t hash = hash_of(shown.page);
  const auto [from, to] = page_numbers_.equal_range(hash);
  auto known = from;
  while (known != to && !(pages_[known->second] == shown.page)) {
    ++known;
  }
  std::uint32_t number = static_cast<std::uint32_t>(pages_.size());
  if (known == to) {
    pages_.push_back(shown.page);
    page_numbers_.emplace(hash, number);
  } else {
    number = known->second;
  }
  reached_.insert(shown.passage);
  const PlayMove move{site, {shown.passage, number}, sure && !shown.page.unsure};
  const bool twice = std::any_of(into.begin(), into.end(), [&](const PlayMove& one) {
    return one.site == site && one.to.passage == move.to.passage && one.to.held == number && one.sure == move.sure;
  });
  if (!twice) {
    into.push_back(move);
  }
}

// A passage that is come to: counted, then shown, with what stands before and after each.
void ScriptMachine::arrive(const Values& values, std::uint32_t passage, std::uint32_t site, bool sure,
                           std::vector<PlayMove>& into) {
  const auto picks = std::move(picks_);  // of what led here
  const std::size_t next = next_pick_;
  const std::string& id = book_.passages[passage].id;
  const bool whole = outcomes([&] {
    Showing in;
    in.passage = passage;
    in.page.values = values;
    in.page.doubtful = script_.leads_anywhere || script_.maybe_endings.count(id) != 0;
    for (const auto& [name, number] : variables_) {
      if (script_.sets_anything) {
        in.page.values[number] = value_number(unread_value(0));
      } else if (is_temporary(name)) {
        in.page.values[number] = 0;
      }
    }
    for (const std::string& counter : {"visited(" + id + ")", std::string("turns()")}) {
      const ScriptValue count = get(counter, in);
      set(counter, count.kind == ScriptValue::Kind::unread ? count : number_value(count.number + 1), 0, in);
    }
    carry_out(script_.before, in);
    if (const auto nodes = script_.passages.find(id); nodes != script_.passages.end()) {
      carry_out(nodes->second, in);
    }
    carry_out(script_.after, in);
    add(in, site, sure, into);
  });
  if (!whole) {
    told(book_.passages[passage].at, "more than 4,096 outcomes of chance are not gone through");
    Showing in;
    in.passage = passage;
    in.page.values = values;
    in.page.doubtful = in.page.unsure = true;
    add(in, site, sure, into);
  }
  picks_ = picks;
  next_pick_ = next;
}

void ScriptMachine::begin(std::vector<PlayMove>& into) {
  const auto start = numbers_.find(book_.start);
  if (start == numbers_.end()) {
    return;
  }
  std::vector<PlayMove> found;
  const bool whole = outcomes([&] {
    Showing in;
    in.page.values.assign(variables_.size(), 0);
    for (const auto& [name, number] : variables_) {
      if (name.ends_with("()") || name.starts_with("visited(")) {
        in.page.values[number] = value_number(name == "previous()" ? text_value("") : number_value(0));
      }
    }
    carry_out(script_.first, in);
    arrive(in.page.values, start->second, none, !in.page.unsure, found);
  });
  if (!whole) {
    told(book_.passages[start->second].at, "more than 4,096 outcomes of chance are not gone through");
  }
  into.insert(into.end(), found.begin(), found.end());
}

void ScriptMachine::moves(const PlayPlace& from, std::vector<PlayMove>& into) {
  const Page page = pages_[static_cast<std::size_t>(from.held)];
  if (page.jump_site != none) {
    take(from, {page.jump_site, page.jump, page.unsure}, into);
    return;
  }
  for (const Offer& one : page.offers) {
    take(from, one, into);
  }
}

void ScriptMachine::take(const PlayPlace& from, const Offer& offer, std::vector<PlayMove>& into) {
  const ScriptNode& node = *nodes_[offer.node];
  const Page page = pages_[static_cast<std::size_t>(from.held)];
  if (node.kind != Kind::reveal && offer.to == none) {
    into.push_back({offer.node, {}, !offer.unsure});
    return;
  }
  const bool whole = outcomes([&] {
    Showing in;
    in.passage = from.passage;
    in.page = page;
    in.page.unsure = false;
    in.page.jump = in.page.jump_site = none;
    in.shown = node.kind == Kind::reveal;
    if (node.once) {
      in.page.offers.erase(std::remove(in.page.offers.begin(), in.page.offers.end(), offer), in.page.offers.end());
    }
    for (const ScriptBranch& branch : node.branches) {
      carry_out(branch.nodes, in);
    }
    const bool sure = !offer.unsure && !in.page.unsure;
    const std::uint32_t to = in.page.jump_site != none && node.kind != Kind::link ? in.page.jump
                             : node.kind == Kind::go || node.kind == Kind::link   ? offer.to
                                                                                  : none;
    if (to == none) {
      add(in, offer.node, sure, into);
      return;
    }
    if (const auto previous = variables_.find("previous()"); previous != variables_.end() && to != from.passage) {
      in.page.values[previous->second] = value_number(text_value(book_.passages[from.passage].id));
    }
    arrive(in.page.values, to, offer.node, sure, into);
  });
  if (!whole) {
    told(node.at, "more than 4,096 outcomes of chance are not gone through");
  }
}

}  // namespace plumb::story
