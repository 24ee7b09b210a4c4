// Values of expressions, as JavaScript has them: what is not read stays so, and chance is picked.
#include <algorithm>
#include <cmath>

#include "core/ascii.hpp"
#include "core/story/script_machine.hpp"
#include "core/story/twee_expression.hpp"

namespace plumb::story {

namespace {

using Kind = ScriptValue::Kind;
using Op = ScriptExpression::Op;

constexpr double picked_max = 100;  // outcomes of random() that are gone through one by one
constexpr double compared_max = 10'000;
constexpr double whole_max = 9e15;

const ScriptValue* unread_of(const ScriptValue& a, const ScriptValue& b) {
  return a.kind == Kind::unread ? &a : b.kind == Kind::unread ? &b : nullptr;
}
bool is_any(const ScriptValue& a, const ScriptValue& b) { return a.kind == Kind::any || b.kind == Kind::any; }

double as_number(const ScriptValue& value) {
  if (value.kind == Kind::text) {
    const std::string_view text = ascii::trim(value.text);
    const std::optional<TweeValue> read = text.empty() ? TweeValue{} : read_value(text);
    return read && read->kind != TweeValue::Kind::text ? read->number : std::nan("");
  }
  return value.kind == Kind::unset ? std::nan("") : value.number;
}

bool counts(const ScriptValue& value) {
  return value.kind == Kind::text ? !value.text.empty() : value.number != 0 && !std::isnan(value.number);
}

// Digits of a whole number; nothing of another.
std::optional<std::string> number_text(double number) {
  if (number != std::floor(number) || std::abs(number) > whole_max) {
    return std::nullopt;
  }
  return std::to_string(static_cast<long long>(number));
}

std::optional<std::string> text_of(const ScriptValue& value) {
  switch (value.kind) {
    case Kind::text:
      return value.text;
    case Kind::truth:
      return value.number != 0 ? "true" : "false";
    case Kind::number:
      return number_text(value.number);
    default:
      return std::nullopt;
  }
}

}  // namespace

ScriptValue ScriptMachine::evaluate(const ScriptExpression& expression, Showing& in) {
  switch (expression.op) {
    case Op::value:
      return expression.value;
    case Op::variable:
      return get(expression.name, in);
    case Op::unread:
      return unread_value(expression.at);
    case Op::no: {
      const ScriptValue value = evaluate(expression.of[0], in);
      return value.kind == Kind::unread || value.kind == Kind::any ? value : truth_value(!counts(value));
    }
    case Op::all:
    case Op::either_of: {
      const bool stops_at = expression.op == Op::either_of;
      const ScriptValue first = evaluate(expression.of[0], in);
      if (first.kind == Kind::unread || first.kind == Kind::any) {
        const ScriptValue second = evaluate(expression.of[1], in);
        const bool settled = second.kind != Kind::unread && second.kind != Kind::any && counts(second) == stops_at;
        return settled                   ? truth_value(stops_at)
               : first.kind == Kind::any ? (second.kind == Kind::unread ? second : first)
                                         : first;
      }
      return counts(first) == stops_at ? first : evaluate(expression.of[1], in);
    }
    case Op::select: {
      const ScriptValue which = evaluate(expression.of[0], in);
      return which.kind == Kind::unread ? which
                                        : evaluate(expression.of[which.kind == Kind::any ? 1 + pick(2)
                                                                 : counts(which)         ? 1
                                                                                         : 2],
                                                   in);
    }
    case Op::defined: {
      const ScriptValue value = evaluate(expression.of[0], in);
      return value.kind == Kind::unread || value.kind == Kind::any ? value : truth_value(value.kind != Kind::unset);
    }
    case Op::same:
    case Op::equal:
    case Op::less:
    case Op::less_equal:
      return compare(expression, in);
    case Op::visits:
    case Op::visited_all:
    case Op::previous:
    case Op::passage:
    case Op::turns:
      return remember(expression, in);
    case Op::one_of:
    case Op::between:
    case Op::chance:
      return choose(expression, in);
    default:
      return calculate(expression, in);
  }
}

ScriptValue ScriptMachine::calculate(const ScriptExpression& expression, Showing& in) {
  const ScriptValue a = evaluate(expression.of[0], in);
  if (expression.of.size() == 1) {
    if (a.kind == Kind::unread || a.kind == Kind::any) {
      return a;
    }
    const double x = as_number(a);
    return number_value(expression.op == Op::negative   ? 0 - x
                        : expression.op == Op::floor    ? std::floor(x)
                        : expression.op == Op::ceiling  ? std::ceil(x)
                        : expression.op == Op::round    ? std::floor(x + 0.5)
                        : expression.op == Op::absolute ? std::abs(x)
                                                        : x);
  }
  ScriptValue out = a;
  for (std::size_t i = 1; i < expression.of.size(); ++i) {
    const ScriptValue b = evaluate(expression.of[i], in);
    if (const ScriptValue* unread = unread_of(out, b)) {
      out = *unread;
    } else if (is_any(out, b)) {
      out = {Kind::any, 0, {}};
    } else if (expression.op == Op::add && (out.kind == Kind::text || b.kind == Kind::text)) {
      const std::optional<std::string> left = text_of(out), right = text_of(b);
      out = left && right ? text_value(*left + *right) : unread_value(expression.at);
    } else {
      const double x = as_number(out), y = as_number(b);
      out = number_value(expression.op == Op::add         ? x + y
                         : expression.op == Op::subtract  ? x - y
                         : expression.op == Op::multiply  ? x * y
                         : expression.op == Op::divide    ? x / y
                         : expression.op == Op::modulo    ? std::fmod(x, y)
                         : std::isnan(x) || std::isnan(y) ? std::nan("")
                         : expression.op == Op::lowest    ? std::min(x, y)
                                                          : std::max(x, y));
    }
  }
  return out;
}

// A number of random() that is compared with a constant is gone through without being picked.
ScriptValue ScriptMachine::compare(const ScriptExpression& expression, Showing& in) {
  const auto result = [&](const ScriptValue& a, const ScriptValue& b) {
    if (expression.op == Op::same || (expression.op == Op::equal && a.kind == b.kind)) {
      return a.kind == b.kind && a.text == b.text && (a.number == b.number || a.kind == Kind::text);
    }
    if (expression.op == Op::equal) {
      return a.kind != Kind::unset && b.kind != Kind::unset && as_number(a) == as_number(b);
    }
    if (a.kind == Kind::text && b.kind == Kind::text) {
      return expression.op == Op::less ? a.text < b.text : a.text <= b.text;
    }
    return expression.op == Op::less ? as_number(a) < as_number(b) : as_number(a) <= as_number(b);
  };
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const ScriptExpression& chance = expression.of[side];
    const ScriptExpression& constant = expression.of[1 - side];
    const bool bounded = chance.op == Op::between && constant.op == Op::value &&
                         std::all_of(chance.of.begin(), chance.of.end(), [](const ScriptExpression& one) {
                           return one.op == Op::value && one.value.kind == Kind::number;
                         });
    if (!bounded) {
      continue;
    }
    const double first = chance.of.size() == 1 ? 0 : std::min(chance.of[0].value.number, chance.of[1].value.number);
    const double last = chance.of.size() == 1 ? chance.of[0].value.number
                                              : std::max(chance.of[0].value.number, chance.of[1].value.number);
    bool yes = false, no = false;
    for (double x = first; x <= last && x < first + compared_max; ++x) {
      const bool one = side == 0 ? result(number_value(x), constant.value) : result(constant.value, number_value(x));
      yes = yes || one;
      no = no || !one;
    }
    return truth_value(yes && no ? pick(2) == 0 : yes);
  }
  const ScriptValue a = evaluate(expression.of[0], in), b = evaluate(expression.of[1], in);
  if (const ScriptValue* unread = unread_of(a, b)) {
    return *unread;
  }
  return is_any(a, b) ? ScriptValue{Kind::any, 0, {}} : truth_value(result(a, b));
}

ScriptValue ScriptMachine::choose(const ScriptExpression& expression, Showing& in) {
  if (expression.op == Op::chance) {
    return {Kind::any, 0, {}};
  }
  if (expression.op == Op::one_of) {
    return evaluate(expression.of[pick(static_cast<std::uint32_t>(expression.of.size()))], in);
  }
  const ScriptValue a = expression.of.size() == 1 ? number_value(0) : evaluate(expression.of[0], in);
  const ScriptValue b = evaluate(expression.of.back(), in);
  if (const ScriptValue* unread = unread_of(a, b)) {
    return *unread;
  }
  const double first = std::ceil(std::min(as_number(a), as_number(b)));
  const double last = std::floor(std::max(as_number(a), as_number(b)));
  if (is_any(a, b) || std::isnan(first) || std::isnan(last) || last < first || last - first >= picked_max) {
    return {Kind::any, 0, {}};
  }
  return number_value(first + pick(static_cast<std::uint32_t>(last - first) + 1));
}

// What the reader has done so far: counters that are kept as variables.
ScriptValue ScriptMachine::remember(const ScriptExpression& expression, Showing& in) {
  const std::string here = in.passage == none ? std::string() : book_.passages[in.passage].id;
  switch (expression.op) {
    case Op::passage:
      return text_value(here);
    case Op::previous: {
      const ScriptValue value = get("previous()", in);
      return value.kind == Kind::unset ? text_value("") : value;
    }
    case Op::turns:
      return get("turns()", in);
    default:
      break;
  }
  std::vector<ScriptValue> names;
  for (const ScriptExpression& one : expression.of) {
    names.push_back(evaluate(one, in));
    if (names.back().kind == Kind::unread) {
      return names.back();
    }
  }
  if (names.empty()) {
    names.push_back(text_value(here));
  }
  double least = whole_max;
  for (const ScriptValue& name : names) {
    const ScriptValue value = get("visited(" + name.text + ")", in);
    if (value.kind == Kind::unread) {
      return value;
    }
    least = std::min(least, value.number);
  }
  return expression.op == Op::visited_all ? truth_value(least > 0) : number_value(least);
}

bool ScriptMachine::holds(const ScriptValue& value, const ScriptExpression& of, Showing& in) {
  if (value.kind == Kind::any) {
    return pick(2) == 0;
  }
  if (value.kind != Kind::unread) {
    return counts(value);
  }
  in.page.unsure = true;
  told_unread(value, of);
  return pick(2) == 0;
}

void ScriptMachine::told_unread(const ScriptValue& value, const ScriptExpression& of) {
  const auto at = static_cast<std::uint64_t>(value.number);
  told(at, of.at == at ? "this condition is not read, and ways or values hang on it"
                       : "the value that is set here is not read, and a condition hangs on it");
}

// ---- which numbers are compared with which constants

void ScriptMachine::compared_with(const ScriptExpression& side, double constant) {
  constant = std::isnan(constant) ? 0 : constant;  // a text, which no number equals
  std::vector<std::string> names;
  if (side.op == Op::variable) {
    names.push_back(side.name);
  } else if (side.op == Op::visits || side.op == Op::visited_all) {
    names.emplace_back("visited()");
  } else if (side.op == Op::turns) {
    names.emplace_back("turns()");
  }
  for (const std::string& name : names) {
    Limits& one = limits_[name];
    one.least = one.compared ? std::min(one.least, constant) : constant;
    one.most = one.compared ? std::max(one.most, constant) : constant;
    one.compared = true;
  }
}

void ScriptMachine::limit(const ScriptExpression& expression, bool condition) {
  const auto leaf = [](const ScriptExpression& one) {
    return one.op == Op::variable || one.op == Op::visits || one.op == Op::visited_all || one.op == Op::turns;
  };
  if (leaf(expression)) {
    compared_with(expression, 0);
    if (!condition) {
      limits_[expression.op == Op::variable ? expression.name
              : expression.op == Op::turns  ? "turns()"
                                            : "visited()"]
          .escapes = true;
    }
    return;
  }
  const bool compares = expression.op == Op::same || expression.op == Op::equal || expression.op == Op::less ||
                        expression.op == Op::less_equal;
  for (std::size_t i = 0; i < expression.of.size(); ++i) {
    const ScriptExpression& one = expression.of[i];
    if (compares && leaf(one) && expression.of[1 - i].op == Op::value) {
      compared_with(one, as_number(expression.of[1 - i].value));
    } else {
      limit(one, condition && (expression.op == Op::no || expression.op == Op::all || expression.op == Op::either_of ||
                               expression.op == Op::defined || (expression.op == Op::select && i == 0)));
    }
  }
}

void ScriptMachine::limit_set(const ScriptNode& node) {
  const ScriptExpression& value = node.expression;
  if (value.op == Op::value) {
    return;
  }
  const bool steps = (value.op == Op::add || value.op == Op::subtract) && value.of[0].op == Op::variable &&
                     value.of[0].name == node.name && value.of[1].op == Op::value &&
                     value.of[1].value.kind == Kind::number;
  if (!steps) {
    limit(value, false);
    return;
  }
  const bool up = (value.op == Op::add) == (value.of[1].value.number > 0);
  limits_[node.name].grows = limits_[node.name].grows || up;
  limits_[node.name].falls = limits_[node.name].falls || !up;
}

void ScriptMachine::limit(const ScriptNodes& nodes) {
  for (const ScriptNode& node : nodes) {
    if (node.idle) {
      continue;
    }
    if (node.kind == ScriptNode::Kind::set) {
      limit_set(node);
    } else {
      limit(node.expression, false);
    }
    for (const ScriptBranch& branch : node.branches) {
      limit(branch.when, true);
      limit(branch.nodes);
    }
  }
}

void ScriptMachine::set(const std::string& name, ScriptValue value, std::uint64_t at, Showing& in) {
  const auto variable = variables_.find(name);
  const std::string parts = name + ".";
  for (auto part = variables_.lower_bound(parts); part != variables_.end() && part->first.starts_with(parts); ++part) {
    in.page.values[part->second] = value_number(unread_value(at));
  }
  if (variable == variables_.end()) {
    return;
  }
  constexpr std::size_t values_max = 500;
  if (value.kind == Kind::any) {
    value = unread_value(at);
  }
  if (value.kind == Kind::number) {
    Limits& limits = limits_[name.starts_with("visited(") ? "visited()" : name];
    if (!limits.escapes && limits.grows != limits.falls) {
      value.number = limits.grows ? std::min(value.number, limits.most + 1) : std::max(value.number, limits.least - 1);
    } else if (!limits.values.count(value.number)) {
      limits.values.insert(value.number);
      value = limits.values.size() > values_max ? unread_value(at) : value;
    }
  }
  in.page.values[variable->second] = value_number(value);
}

ScriptValue ScriptMachine::get(const std::string& name, const Showing& in) const {
  const auto variable = variables_.find(name);
  return variable == variables_.end() ? ScriptValue{} : values_[in.page.values[variable->second]];
}

// ---- for people

// "gold 5", "door "shut"", without what is not set.
Texts ScriptMachine::held_texts(std::uint64_t held) const {
  Texts out;
  for (const auto& [name, number] : variables_) {
    const ScriptValue& value = values_[pages_[static_cast<std::size_t>(held)].values[number]];
    const bool counter = name.ends_with(")");
    if (value.kind == ScriptValue::Kind::unset || (counter && value.number == 0 && value.text.empty())) {
      continue;
    }
    std::string one = counter ? name : "$" + name;
    one += value.kind == ScriptValue::Kind::truth    ? (value.number != 0 ? "" : " false")
           : value.kind == ScriptValue::Kind::unread ? " unknown"
           : value.kind == ScriptValue::Kind::text   ? " \"" + value.text + "\""
                                                     : " " + std::to_string(static_cast<long long>(value.number));
    out.push_back(std::move(one));
  }
  return out;
}

bool ScriptMachine::reaches(const std::string& passage) const {
  const auto number = numbers_.find(passage);
  return number != numbers_.end() && reached_.count(number->second) != 0;
}

std::vector<Unread> ScriptMachine::unread() const {
  std::vector<Unread> out;
  for (const auto& [at, reason] : unread_) {
    Unread one{at, {}, reason};
    for (const BookPassage& passage : book_.passages) {
      one.passage = passage.at <= at && at < passage.to ? passage.id : one.passage;
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace plumb::story
