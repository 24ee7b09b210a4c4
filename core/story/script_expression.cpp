// SugarCube's expressions, by recursive descent. Anything that is not in the table of functions, and every method and
// list, makes the whole expression `unread`.
#include <algorithm>
#include <array>
#include <optional>

#include "core/ascii.hpp"
#include "core/story/script.hpp"
#include "core/story/twee_expression.hpp"

namespace plumb::story {

namespace {

using Op = ScriptExpression::Op;

constexpr int depth_max = 64;

struct Function {
  std::string_view name;
  Op op;
  std::size_t least, most;  // arguments
};
constexpr std::array<Function, 18> functions = {{{"visited", Op::visits, 0, 32},
                                                 {"hasVisited", Op::visited_all, 0, 32},
                                                 {"previous", Op::previous, 0, 0},
                                                 {"passage", Op::passage, 0, 0},
                                                 {"turns", Op::turns, 0, 0},
                                                 {"either", Op::one_of, 1, 64},
                                                 {"random", Op::between, 1, 2},
                                                 {"randomFloat", Op::chance, 1, 2},
                                                 {"Math.random", Op::chance, 0, 0},
                                                 {"Math.floor", Op::floor, 1, 1},
                                                 {"Math.trunc", Op::floor, 1, 1},
                                                 {"Math.ceil", Op::ceiling, 1, 1},
                                                 {"Math.round", Op::round, 1, 1},
                                                 {"Math.abs", Op::absolute, 1, 1},
                                                 {"Math.min", Op::lowest, 1, 16},
                                                 {"Math.max", Op::highest, 1, 16},
                                                 {"def", Op::defined, 1, 1},
                                                 {"ndef", Op::defined, 1, 1}}};

struct Sign {
  std::string_view written;
  Op op;
  bool opposite, swapped;
};
constexpr std::array<Sign, 8> equalities = {{{"isnot", Op::same, true, false},
                                             {"is", Op::same, false, false},
                                             {"neq", Op::equal, true, false},
                                             {"eq", Op::equal, false, false},
                                             {"!==", Op::same, true, false},
                                             {"===", Op::same, false, false},
                                             {"!=", Op::equal, true, false},
                                             {"==", Op::equal, false, false}}};
constexpr std::array<Sign, 8> relations = {{{"gte", Op::less_equal, false, true},
                                            {"gt", Op::less, false, true},
                                            {"lte", Op::less_equal, false, false},
                                            {"lt", Op::less, false, false},
                                            {">=", Op::less_equal, false, true},
                                            {">", Op::less, false, true},
                                            {"<=", Op::less_equal, false, false},
                                            {"<", Op::less, false, false}}};
constexpr std::array<Sign, 2> sums = {{{"+", Op::add, false, false}, {"-", Op::subtract, false, false}}};
constexpr std::array<Sign, 3> products = {
    {{"*", Op::multiply, false, false}, {"/", Op::divide, false, false}, {"%", Op::modulo, false, false}}};

class ExpressionReader {
 public:
  ExpressionReader(std::string_view text, std::uint64_t begin) : text_(text), begin_(begin) {}

  ScriptExpression read() {
    ScriptExpression out = select(0);
    blanks();
    return failed_ || at_ != text_.size() ? unread() : out;
  }

 private:
  ScriptExpression unread() {
    failed_ = true;
    ScriptExpression out;
    out.at = begin_;
    return out;
  }
  ScriptExpression of(Op op, std::vector<ScriptExpression> parts) const {
    return {op, {}, {}, std::move(parts), begin_};
  }
  void blanks() {
    while (at_ < text_.size() && ascii::is_space(text_[at_])) {
      ++at_;
    }
  }
  bool word(std::string_view wanted) {
    blanks();
    if (text_.substr(at_, wanted.size()) != wanted) {
      return false;
    }
    const std::size_t end = at_ + wanted.size();
    if (ascii::is_word(wanted.back()) && end < text_.size() && ascii::is_word(text_[end])) {
      return false;
    }
    at_ = end;
    return true;
  }
  bool deep(int depth) {
    failed_ = failed_ || depth > depth_max;
    return failed_;
  }

  ScriptExpression select(int depth) {
    if (deep(depth)) {
      return unread();
    }
    ScriptExpression first = any_of(depth);
    if (!word("?")) {
      return first;
    }
    ScriptExpression yes = select(depth + 1);
    if (!word(":")) {
      return unread();
    }
    ScriptExpression no = select(depth + 1);
    return of(Op::select, {std::move(first), std::move(yes), std::move(no)});
  }
  ScriptExpression any_of(int depth) {
    ScriptExpression out = all_of(depth);
    while (word("or") || word("||")) {
      ScriptExpression more = all_of(depth);
      out = of(Op::either_of, {std::move(out), std::move(more)});
    }
    return out;
  }
  ScriptExpression all_of(int depth) {
    ScriptExpression out = compared(equalities, 0, depth);
    while (word("and") || word("&&")) {
      ScriptExpression more = compared(equalities, 0, depth);
      out = of(Op::all, {std::move(out), std::move(more)});
    }
    return out;
  }

  // Signs that bind equally, from the left; `level` counts down to what binds closest.
  template <std::size_t n>
  ScriptExpression compared(const std::array<Sign, n>& signs, int level, int depth) {
    const auto next = [&] {
      return level == 0   ? compared(relations, 1, depth)
             : level == 1 ? compared(sums, 2, depth)
             : level == 2 ? compared(products, 3, depth)
                          : prefixed(depth + 1);
    };
    ScriptExpression out = next();
    for (bool more = true; more && !failed_;) {
      more = false;
      for (const Sign& sign : signs) {
        const std::size_t before = at_;
        if (!word(sign.written)) {
          continue;
        }
        if (at_ < text_.size() && (text_[at_] == '=' || (text_[at_] == sign.written[0] && level >= 2))) {
          at_ = before;  // an assignment
          return unread();
        }
        const bool opposite = sign.opposite != (sign.written == "is" && word("not"));
        ScriptExpression right = next();
        out = sign.swapped ? of(sign.op, {std::move(right), std::move(out)})
                           : of(sign.op, {std::move(out), std::move(right)});
        out = opposite ? of(Op::no, {std::move(out)}) : std::move(out);
        more = true;
        break;
      }
    }
    return out;
  }

  ScriptExpression prefixed(int depth) {
    if (deep(depth)) {
      return unread();
    }
    if (word("not") || word("!")) {
      return of(Op::no, {prefixed(depth + 1)});
    }
    if (word("ndef")) {
      return of(Op::no, {of(Op::defined, {prefixed(depth + 1)})});
    }
    if (word("def")) {
      return of(Op::defined, {prefixed(depth + 1)});
    }
    if (word("-")) {
      ScriptExpression inner = prefixed(depth + 1);
      if (inner.op == Op::value && inner.value.kind == ScriptValue::Kind::number) {
        inner.value.number = -inner.value.number;
        return inner;
      }
      return of(Op::negative, {std::move(inner)});
    }
    if (word("(")) {
      ScriptExpression out = select(depth + 1);
      return word(")") ? out : unread();
    }
    return single(depth);
  }

  ScriptExpression single(int depth) {
    blanks();
    if (at_ >= text_.size()) {
      return unread();
    }
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      const std::size_t from = at_;
      for (++at_; at_ < text_.size() && text_[at_] != c; ++at_) {
        at_ += text_[at_] == '\\' ? 1U : 0U;
      }
      at_ = std::min(at_ + 1, text_.size());
      return constant(text_.substr(from, at_ - from));
    }
    if (c == '$' || c == '_') {
      return variable();
    }
    const std::size_t from = at_;
    while (at_ < text_.size() && (ascii::is_word(text_[at_]) || text_[at_] == '.')) {
      ++at_;
    }
    const std::string_view written = text_.substr(from, at_ - from);
    if (written.empty()) {
      return unread();
    }
    if (ascii::is_digit(written[0]) || written == "true" || written == "false") {
      return constant(written);
    }
    if (written == "undefined") {
      return value_expression({}, begin_);
    }
    return call(written, depth);
  }

  ScriptExpression constant(std::string_view written) {
    const std::optional<TweeValue> value = read_value(written);
    if (!value) {
      return unread();
    }
    return value_expression(value->kind == TweeValue::Kind::text     ? text_value(value->text)
                            : value->kind == TweeValue::Kind::number ? number_value(value->number)
                                                                     : truth_value(value->number != 0),
                            begin_);
  }

  // $name, $name.part, _name, _args[0]
  ScriptExpression variable() {
    const std::size_t from = at_;
    for (++at_; at_ < text_.size() && (ascii::is_word(text_[at_]) || text_[at_] == '$' || text_[at_] == '.');) {
      ++at_;
    }
    std::string name(text_.substr(from, at_ - from));
    if (at_ < text_.size() && text_[at_] == '[' && (name == "_args" || name == "$args")) {
      const std::size_t end = text_.find(']', at_);
      const std::string_view index = text_.substr(at_ + 1, end == std::string_view::npos ? 0 : end - at_ - 1);
      if (index.size() != 1 || !ascii::is_digit(index[0])) {
        return unread();
      }
      at_ = end + 1;
      name = "_args[" + std::string(index) + "]";
    }
    const std::size_t next = std::min(text_.find_first_not_of(ascii::spaces, at_), text_.size());
    const bool more = next < text_.size() && (text_[next] == '[' || text_[next] == '(');
    if (name.size() < 2 || ascii::is_digit(name[1]) || name.ends_with('.') || name.ends_with(".length") || more) {
      return unread();
    }
    ScriptExpression out = of(Op::variable, {});
    out.name = name[0] == '$' ? name.substr(1) : name;
    return out;
  }

  ScriptExpression call(std::string_view name, int depth) {
    const auto known =
        std::find_if(functions.begin(), functions.end(), [name](const Function& one) { return one.name == name; });
    if (known == functions.end() || !word("(")) {
      return unread();
    }
    std::vector<ScriptExpression> given;
    while (!failed_ && !word(")")) {
      if (!given.empty() && !word(",")) {
        return unread();
      }
      given.push_back(select(depth + 1));
    }
    if (failed_ || given.size() < known->least || given.size() > known->most) {
      return unread();
    }
    ScriptExpression out = of(known->op, std::move(given));
    return name == "ndef" ? of(Op::no, {std::move(out)}) : out;
  }

  std::string_view text_;
  std::uint64_t begin_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace

ScriptExpression read_expression(std::string_view text, std::uint64_t at) { return ExpressionReader(text, at).read(); }

}  // namespace plumb::story
