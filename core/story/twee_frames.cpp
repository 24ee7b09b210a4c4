#include "core/story/twee_frames.hpp"

#include <algorithm>
#include <optional>

#include "core/ascii.hpp"
#include "core/story/twee.hpp"
#include "core/story/twee_expression.hpp"

namespace plumb::story {

void TweeFrames::emit(ScriptNode node) {
  (inside_ != nullptr ? *inside_ : frames_.back().branches.back().nodes).push_back(std::move(node));
}
void TweeFrames::emit(ScriptNode::Kind kind, std::size_t where, std::string reason) {
  ScriptNode node;
  node.kind = kind;
  node.at = where;
  node.reason = std::move(reason);
  emit(std::move(node));
}
void TweeFrames::emit_set(std::string name, ScriptExpression value, std::size_t where) {
  ScriptNode node;
  node.at = where;
  node.name = std::move(name);
  node.expression = std::move(value);
  emit(std::move(node));
}
void TweeFrames::may_lead(std::size_t where, std::string reason) {
  out_.doubtful = true;
  emit(ScriptNode::Kind::leads, where, std::move(reason));
}
void TweeFrames::may_do_anything(std::size_t where, std::string reason) {
  out_.doubtful = out_.sets_anything = true;
  emit(ScriptNode::Kind::anything, where, std::move(reason));
}

void TweeFrames::evaluate(std::string_view expression, std::size_t where, bool plain) {
  const TweeEffects effects = effects_of(expression);
  if (effects.anything) {
    may_do_anything(where, "this expression calls code that is not read: it may set variables and lead anywhere");
  }
  for (const std::string& one : effects.variables) {
    emit_set(one, value_expression(unread_value(where), where), where);
    if (!plain) {
      out_.markup.insert(one);
    }
  }
}

ScriptExpression TweeFrames::value_of(const TweeArgument& argument, std::size_t where) {
  return argument.known ? value_expression(text_value(argument.text), where) : read_expression(argument.text, where);
}

void TweeFrames::lead(Route route, std::size_t where, std::string_view setter) {
  ScriptNode node;
  node.kind = ScriptNode::Kind::link;
  node.at = where;
  node.branches.emplace_back();
  inside_ = &node.branches.back().nodes;
  Route ignored;
  set(setter, where, in_link() ? &ignored : &route);
  inside_ = nullptr;
  const TweeTarget target = target_of(route.to, story_);
  node.name = route.label;
  node.expression = target == TweeTarget::expression ? read_expression(ascii::trim(route.to, "`"), where)
                                                     : value_expression(text_value(route.to), where);
  switch (target) {
    case TweeTarget::passage:
      emit(std::move(node));
      if (in_link()) {
        out_.doubtful = true;  // what is inside of <<link>> is carried out, and seldom shown
        return;
      }
      push(std::move(route), where);
      break;
    case TweeTarget::nowhere:
      out_.nowhere.push_back(where);
      break;
    case TweeTarget::expression:
      out_.doubtful = true;
      emit(std::move(node));
      break;
    case TweeTarget::address:
      break;
  }
}

void TweeFrames::push(Route route, std::size_t where, bool forced) {
  Way way;
  way.at = where;
  way.forced = forced;
  route.at = where;
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
  frame.branches.emplace_back();
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
  }
  frame.branches.back().when = read_expression(condition, where);
  frame.branches.back().always = condition.empty();
  for (const Clause& one : frame.when) {
    out_.asked.insert(one.held.begin(), one.held.end());
    out_.asked.insert(one.lacking.begin(), one.lacking.end());
  }
}

void TweeFrames::next_branch(std::string_view condition, std::size_t where) {
  Frame& frame = frames_.back();
  end_branch(frame);
  if (!frame.unread && (frame.subject.empty() || frame.ways.size() > 1)) {
    frame.before.push_back(frame.when);
  }
  frame.ways.emplace_back();
  frame.branches.emplace_back();
  if (condition.empty()) {
    frame.branches.back().always = true;
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
  close_script(frame);
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
  for (auto& ways : frame.ways) {
    for (Way& way : ways) {
      if (frame.is != Is::hidden || way.forced) {
        into.push_back(std::move(way));
      }
    }
  }
}

// What the macro does with what it holds.
void TweeFrames::close_script(Frame& frame) {
  ScriptNode node;
  node.at = frame.at;
  switch (frame.is) {
    case Is::chain:
      node.kind = ScriptNode::Kind::chain;
      if (!frame.subject.empty() && !frame.branches.empty()) {
        frame.branches.erase(frame.branches.begin());
      }
      break;
    case Is::link:
      node.name = frame.link.label;
      node.kind = frame.leads ? ScriptNode::Kind::link : ScriptNode::Kind::reveal;
      node.expression = frame.target;
      if (!frame.leads) {  // carried out where the reader stays, and not shown
        ScriptNode hidden;
        hidden.kind = ScriptNode::Kind::hidden;
        hidden.at = frame.at;
        hidden.branches = std::move(frame.branches);
        frame.branches.assign(1, {});
        frame.branches.back().nodes.push_back(std::move(hidden));
      }
      break;
    case Is::hidden:
      node.kind = ScriptNode::Kind::hidden;
      break;
    case Is::later:
      node.kind = ScriptNode::Kind::reveal;
      node.name = frame.link.label.empty() ? "(wait)" : frame.link.label;
      node.once = true;
      break;
    case Is::loop:
      node.kind = ScriptNode::Kind::loop;
      node.reason = "how often <<" + frame.name + ">> shows what it holds is not read";
      break;
    case Is::changes:
      emit(ScriptNode::Kind::note, frame.at, "<<" + frame.name + ">> may take away a link that was shown");
      node.kind = ScriptNode::Kind::shown;
      break;
    case Is::widget:
      out_.widgets[frame.link.label] = std::move(frame.branches.back().nodes);
      return;
    default:
      node.kind = ScriptNode::Kind::parallel;
      break;
  }
  node.branches = std::move(frame.branches);
  emit(std::move(node));
}

// <<link "label">> that stays on its page is none of the book's ways.
void TweeFrames::close_link(Frame& frame) {
  for (Way& way : frame.ways.back()) {
    if (way.forced && frame.link.to.empty()) {
      frame.link.to = way.routes[0].to;
    }
  }
  if (!frame.link.to.empty()) {
    push(std::move(frame.link), frame.at);
  }
}

TweeFrames::Setting TweeFrames::setting(Route* link) {
  Setting out{link, false};
  for (auto frame = frames_.rbegin(); frame != frames_.rend() && out.link == nullptr; ++frame) {
    out.conditional = out.conditional || frame->is == Is::chain || frame->is == Is::later || frame->is == Is::loop;
    out.link = frame->is == Is::link ? &frame->link : nullptr;
  }
  return out;
}

void TweeFrames::set(std::string_view args, std::size_t where, Route* link) {
  for (const std::string_view one : cut_at(args, ",;")) {
    one_set(one, where, setting(link));
  }
}

// "$gold += 5", "$door to "shut"", "$n++"; any other expression may set what it names.
void TweeFrames::one_set(std::string_view text, std::size_t where, const Setting& to) {
  std::size_t end = 1;
  while (end < text.size() && (ascii::is_word(text[end]) || text[end] == '$' || text[end] == '.')) {
    ++end;
  }
  const bool named = (text[0] == '$' || text[0] == '_') && end > 1 && !ascii::is_digit(text[1]);
  const std::string_view sign = ascii::trim(text.substr(end));
  const bool steps = sign == "++" || sign == "--";
  const std::size_t begin =
      sign.starts_with("to") && sign.size() > 2 && ascii::is_space(sign[2])                                    ? 2
      : sign.starts_with('=') && !sign.starts_with("==")                                                       ? 1
      : sign.size() > 2 && sign[1] == '=' && std::string_view("+-*/%").find(sign[0]) != std::string_view::npos ? 2
                                                                                                               : 0;
  if (!named || (!steps && begin == 0)) {
    evaluate(text, where);
    return;
  }
  const std::string name(text[0] == '$' ? text.substr(1, end - 1) : text.substr(0, end));
  const std::string root = name.substr(0, name.find('.'));
  const std::string_view rest = steps ? std::string_view("1") : ascii::trim(sign.substr(begin));
  ScriptExpression value = read_expression(rest, where);
  if (steps || (begin == 2 && sign[0] != 't')) {
    ScriptExpression before{ScriptExpression::Op::variable, {}, name, {}, where};
    const ScriptExpression::Op op = sign[0] == '+'   ? ScriptExpression::Op::add
                                    : sign[0] == '-' ? ScriptExpression::Op::subtract
                                    : sign[0] == '*' ? ScriptExpression::Op::multiply
                                    : sign[0] == '/' ? ScriptExpression::Op::divide
                                                     : ScriptExpression::Op::modulo;
    value = {op, {}, {}, {std::move(before), std::move(value)}, where};
  }
  const std::optional<TweeValue> known = begin > 0 && !steps ? read_value(rest) : std::nullopt;
  const bool plain = known ? known->text.find_first_of("[<$_?") == std::string::npos : shows_plainly(rest, root);
  if (!plain) {
    out_.markup.insert(root);
  }
  if (effects_of(rest).anything) {
    evaluate(rest, where, plain);
  }
  emit_set(name, std::move(value), where);
  const bool assigned = begin == 1 || (begin == 2 && sign[0] == 't');
  if (known && assigned && text[0] == '$') {
    give(name, &*known, to);
  }
}

void TweeFrames::give(const std::string& name, const TweeValue* value, const Setting& to) {
  if (to.conditional) {
    return;  // more than a book holds
  }
  hold(name, value != nullptr && value->counts_as_true(), to.link);
  const std::string begin = name + " ";
  for (auto word = story_.asked.lower_bound(begin); word != story_.asked.end() && word->starts_with(begin); ++word) {
    const std::optional<bool> held = value == nullptr ? std::optional<bool>(false) : word_holds(*word, *value);
    hold(*word, held.value_or(false), to.link);
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
  out_.nodes = std::move(frames_.back().branches.back().nodes);
  out_.nodes.insert(out_.nodes.end(), asked_.begin(), asked_.end());
  std::sort(out_.grants.begin(), out_.grants.end());
  std::sort(out_.clears.begin(), out_.clears.end());
}

}  // namespace plumb::story
