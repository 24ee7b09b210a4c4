#include "core/story/twee_frames.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/story/twee.hpp"
#include "core/story/twee_expression.hpp"

namespace plumb::story {

void TweeFrames::unread(std::size_t where, std::string reason) {
  out_.unread.push_back({where, "", std::move(reason)});
}
void TweeFrames::may_lead(std::size_t where, std::string reason) {
  out_.doubtful = true;
  unread(where, std::move(reason));
}
void TweeFrames::may_do_anything(std::size_t where, std::string reason) {
  anything_ = out_.sets_anything = true;
  may_lead(where, std::move(reason));
}
void TweeFrames::opaque(const std::string& variable, std::size_t where) { out_.opaque.emplace(variable, where); }

void TweeFrames::evaluate(std::string_view expression, std::size_t where, bool plain) {
  const TweeEffects effects = effects_of(expression);
  if (effects.anything) {
    may_do_anything(where, "this expression calls code that is not read: it may set variables and lead anywhere");
  }
  for (const std::string& one : effects.variables) {
    out_.sets.insert(one);
    opaque(one, where);
    if (!plain) {
      out_.markup.insert(one);
    }
  }
}

void TweeFrames::lead(Route route, std::size_t where, std::string_view setter) {
  if (in_link()) {
    return;  // what is inside of <<link>> is carried out, not shown
  }
  set(setter, where, &route);
  switch (target_of(route.to, story_)) {
    case TweeTarget::passage:
      push(std::move(route), where);
      break;
    case TweeTarget::nowhere:
      out_.nowhere.push_back(where);
      break;
    case TweeTarget::expression:
      may_lead(where, "where '" + route.to + "' leads is not known before it is evaluated");
      break;
    case TweeTarget::address:
      break;
  }
}

void TweeFrames::push(Route route, std::size_t where, bool forced) {
  Way way;
  way.at = where;
  way.forced = forced;
  way.routes.push_back(std::move(route));
  frames_.back().ways.back().push_back(std::move(way));
}

bool TweeFrames::is_open(std::string_view name) const {
  return std::any_of(frames_.begin(), frames_.end(), [name](const Frame& one) { return one.name == name; });
}

bool TweeFrames::in_link() const {
  return std::any_of(frames_.begin(), frames_.end(), [](const Frame& one) { return one.is == Is::link; });
}

void TweeFrames::open(std::string name, std::size_t where, Is is) {
  Frame frame;
  frame.name = std::move(name);
  frame.at = where;
  frame.is = is;
  frame.ways.emplace_back();
  frames_.push_back(std::move(frame));
}

void TweeFrames::branch(std::string_view condition, std::size_t where) {
  Frame& frame = frames_.back();
  frame.when.clear();
  frame.unread = false;
  if (!read_condition(condition, frame.when)) {
    frame.when.clear();
    frame.unread = true;
    frame.any_unread = true;
    evaluate(condition, where);
  }
  for (const Clause& one : frame.when) {
    out_.asked.insert(one.held.begin(), one.held.end());
    out_.asked.insert(one.lacking.begin(), one.lacking.end());
  }
  for (const std::string& one : variables_in(condition)) {
    asked_.insert(one);
  }
}

void TweeFrames::next_branch(std::string_view condition, std::size_t where) {
  Frame& frame = frames_.back();
  end_branch(frame);
  if (!frame.unread && (frame.subject.empty() || frame.ways.size() > 1)) {
    frame.before.push_back(frame.when);
  }
  frame.ways.emplace_back();
  if (condition.empty()) {
    frame.when.clear();
    frame.unread = frame.any_unread;
  } else {
    branch(condition, where);
    frame.unread = frame.unread || frame.any_unread;
  }
}

// The branch's ways get its condition, and that no branch before it holds. Where each branch has one link, and no
// more conditions, the chain is one choice with routes.
void TweeFrames::end_branch(Frame& frame) {
  std::vector<Way>& ways = frame.ways.back();
  if (!frame.subject.empty() && frame.ways.size() == 1) {
    ways.clear();  // what stands before the first <<case>> is not shown
  }
  frame.one_choice = frame.one_choice && ways.size() == 1 && ways[0].routes.size() == 1 && !ways[0].routes[0].unread &&
                     ways[0].routes[0].when.empty() && ways[0].routes[0].unless.empty() &&
                     ways[0].forced == frame.ways[0][0].forced;
  for (Way& way : ways) {
    for (Route& route : way.routes) {
      if (frame.unread) {
        route.unread = true;
        continue;
      }
      limit(route, frame.when);
      route.unless.insert(route.unless.end(), frame.before.begin(), frame.before.end());
    }
  }
}

void TweeFrames::limit(Route& route, const Condition& when) {
  if (when.empty()) {
    return;
  }
  if (route.when.empty()) {
    route.when = when;
    return;
  }
  // Both must hold: that the outer one does not is what it must not be.
  Condition opposite;
  if (negate(when, opposite)) {
    route.unless.push_back(std::move(opposite));
  } else {
    route.unread = true;
  }
}

void TweeFrames::close() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  if (frame.is == Is::link) {
    close_link(frame);
    return;
  }
  std::vector<Way>& into = frames_.back().ways.back();
  if (frame.is == Is::chain) {
    end_branch(frame);
  }
  if (frame.is == Is::chain && frame.one_choice && !frame.any_unread) {
    Way way;
    way.at = frame.ways.front().front().at;
    way.forced = frame.ways.front().front().forced;
    for (auto& ways : frame.ways) {
      way.routes.push_back(std::move(ways.front().routes.front()));
      way.routes.back().unless.clear();
    }
    into.push_back(std::move(way));
    return;
  }
  bool led = false;
  for (auto& ways : frame.ways) {
    for (Way& way : ways) {
      if (frame.is == Is::hidden && !way.forced) {
        continue;
      }
      led = true;
      for (Route& route : way.routes) {
        route.unread = route.unread || frame.is == Is::maybe;
      }
      into.push_back(std::move(way));
    }
  }
  if (led && (frame.is == Is::maybe || frame.any_unread)) {
    unread(frame.at, frame.is == Is::maybe
                         ? "whether and when the links in <<" + frame.name + ">> are shown is not read"
                         : "the condition of <<" + frame.name + ">> is not read, and links depend on it");
  }
}

// <<link "label">> that stays on its page changes what is held there, which is not followed.
void TweeFrames::close_link(Frame& frame) {
  std::vector<Way> forced;
  for (Way& way : frame.ways.back()) {
    if (way.forced) {
      forced.push_back(std::move(way));
    }
  }
  const bool plain = forced.size() == 1 && forced[0].routes.size() == 1 && forced[0].routes[0].when.empty() &&
                     forced[0].routes[0].unless.empty() && !forced[0].routes[0].unread;
  if (forced.empty() && !frame.link.to.empty()) {
    push(std::move(frame.link), frame.at);
    return;
  }
  if (plain && frame.link.to.empty()) {
    frame.link.to = forced[0].routes[0].to;
    push(std::move(frame.link), frame.at);
    return;
  }
  for (const Texts* texts : {&frame.link.grants, &frame.link.clears}) {
    for (const std::string& word : *texts) {
      opaque(std::string(variable_asked(word)), frame.at);
    }
  }
  if (!forced.empty()) {
    unread(frame.at, "which of its ways this link takes is not read");
  }
  for (Way& way : forced) {
    for (Route& route : way.routes) {
      route.unread = true;
      route.grants.clear();
      route.clears.clear();
      push(std::move(route), frame.at);
    }
  }
  if (!frame.link.to.empty()) {
    frame.link.unread = true;
    frame.link.grants.clear();
    frame.link.clears.clear();
    push(std::move(frame.link), frame.at);
  }
}

TweeFrames::Setting TweeFrames::setting(Route* link) {
  Setting out{link, false};
  for (auto frame = frames_.rbegin(); frame != frames_.rend() && out.link == nullptr; ++frame) {
    out.conditional = out.conditional || frame->is == Is::chain || frame->is == Is::maybe;
    out.link = frame->is == Is::link ? &frame->link : nullptr;
  }
  return out;
}

void TweeFrames::set(std::string_view args, std::size_t where, Route* link) {
  for (const std::string_view one : cut_at(args, ",;")) {
    one_set(one, where, setting(link));
  }
}

void TweeFrames::one_set(std::string_view text, std::size_t where, const Setting& to) {
  std::size_t end = 1;
  while (end < text.size() && (ascii::is_word(text[end]) || text[end] == '$')) {
    ++end;
  }
  const std::set<std::string> named = variables_in(text.substr(0, end));
  if (named.size() != 1 || (text[0] != '$' && text[0] != '_')) {
    evaluate(text, where);
    return;
  }
  const std::string& name = *named.begin();
  std::string_view rest = ascii::trim(text.substr(end));
  const bool assigned = rest.starts_with("to ") || rest.starts_with("to\t") || rest.starts_with("to\n") ||
                        (rest.starts_with('=') && !rest.starts_with("=="));
  rest = assigned ? ascii::trim(rest.substr(rest.starts_with('=') ? 1 : 2)) : rest;
  const std::optional<TweeValue> value = assigned ? read_value(rest) : std::nullopt;
  const std::string_view expression = rest.substr(std::min(rest.find_first_not_of("+-*/%="), rest.size()));
  const bool plain = value ? value->text.find_first_of("[<$_?") == std::string::npos : shows_plainly(expression, name);
  if (!plain) {
    out_.markup.insert(name);
  }
  if (value && text[0] == '$') {
    give(name, &*value, where, to);
    return;
  }
  out_.sets.insert(name);
  opaque(name, where);
  evaluate(rest, where, plain);
}

void TweeFrames::give(const std::string& name, const TweeValue* value, std::size_t where, const Setting& to) {
  out_.sets.insert(name);
  if (to.conditional || (to.link == nullptr && asked_.count(name) != 0)) {
    opaque(name, where);  // in a branch, or asked for before it is set, on the same page
    return;
  }
  hold(name, value != nullptr && value->counts_as_true(), to.link);
  const std::string begin = name + " ";
  for (auto word = story_.asked.lower_bound(begin); word != story_.asked.end() && word->starts_with(begin); ++word) {
    const std::optional<bool> held = value == nullptr ? std::optional<bool>(false) : word_holds(*word, *value);
    if (!held) {
      opaque(name, where);
      return;
    }
    hold(*word, *held, to.link);
  }
}

void TweeFrames::hold(const std::string& word, bool yes, Route* route) {
  Texts& into = route != nullptr ? (yes ? route->grants : route->clears) : (yes ? out_.grants : out_.clears);
  Texts& other = route != nullptr ? (yes ? route->clears : route->grants) : (yes ? out_.clears : out_.grants);
  other.erase(std::remove(other.begin(), other.end(), word), other.end());
  if (std::find(into.begin(), into.end(), word) == into.end()) {
    into.push_back(word);
  }
}

void TweeFrames::finish_ways() {
  out_.ways = std::move(frames_.back().ways.back());
  std::sort(out_.grants.begin(), out_.grants.end());
  std::sort(out_.clears.begin(), out_.clears.end());
  std::size_t forced = 0;
  for (Way& way : out_.ways) {
    forced += way.forced ? 1U : 0U;
    for (Route& route : way.routes) {
      route.unread = route.unread || anything_;  // code that is not read may take it away
    }
  }
  if (forced > 1) {
    unread(0, "which of the " + std::to_string(forced) + " <<goto>> of this passage is taken is not read");
    for (Way& way : out_.ways) {
      for (Route& route : way.routes) {
        route.unread = true;
      }
    }
  }
}

}  // namespace plumb::story
