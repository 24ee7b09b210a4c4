// What a passage of another tool's story does when it is shown, as steps for play to carry out: values, expressions,
// settings, conditions, links. A front end reads a notation (SugarCube's: core/story/twee_body.hpp) and yields this;
// one machine walks it (core/story/script_machine.hpp).
//
// An expression that nobody reads is `unread`; its value is not known, and what a condition then decides is undecided.
// `any` is a value that chance decides: every outcome happens to some reader.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::story {

struct ScriptValue {
  enum class Kind : unsigned char { unset, truth, number, text, any, unread };
  Kind kind = Kind::unset;
  double number = 0;  // of a truth 0 or 1; of `unread` the byte in the file that made it so
  std::string text;

  bool operator==(const ScriptValue&) const = default;
};
inline ScriptValue truth_value(bool yes) { return {ScriptValue::Kind::truth, yes ? 1.0 : 0.0, {}}; }
inline ScriptValue number_value(double number) { return {ScriptValue::Kind::number, number, {}}; }
inline ScriptValue text_value(std::string text) { return {ScriptValue::Kind::text, 0, std::move(text)}; }
inline ScriptValue unread_value(std::uint64_t at) { return {ScriptValue::Kind::unread, static_cast<double>(at), {}}; }

struct ScriptExpression {
  enum class Op : unsigned char {
    value,
    variable,
    no,
    all,
    either_of,
    select,  // !, &&, ||, ?:
    same,
    equal,
    less,
    less_equal,  // ===, ==, <, <=
    add,
    subtract,
    multiply,
    divide,
    modulo,
    negative,
    defined,
    visits,
    visited_all,
    previous,
    passage,
    turns,  // of the reading so far
    one_of,
    between,
    chance,  // either(), random(), randomFloat()
    floor,
    ceiling,
    round,
    absolute,
    lowest,
    highest,
    unread
  };
  Op op = Op::unread;
  ScriptValue value;
  std::string name;  // of a variable, without its $: "gold", "_i"
  std::vector<ScriptExpression> of;
  std::uint64_t at = 0;  // byte in the file
};

struct ScriptNode;
struct ScriptBranch {
  ScriptExpression when;
  bool always = false;  // else
  std::vector<ScriptNode> nodes;
};

struct ScriptNode {
  enum class Kind : unsigned char {
    set,       // `name` gets the expression's value
    chain,     // the first branch that holds
    link,      // offers the way to the expression's passage; its nodes are carried out by taking it
    reveal,    // offers its nodes on the same page; `once`: not again
    go,        // leads on at once
    include,   // the passage's nodes, here
    call,      // of a widget; its arguments are `of` the expression
    loop,      // its nodes, not at all or some times
    parallel,  // its nodes
    shown,     // its nodes, and the ways that they offer, also inside of what is hidden
    hidden,    // its nodes, without the ways that they offer
    anything,  // code: it may set every variable and lead anywhere
    leads,     // may lead anywhere
    note       // is not read; nothing else is known of it
  };
  Kind kind = Kind::set;
  std::uint64_t at = 0;  // byte in the file
  std::string name;      // variable, label, widget
  ScriptExpression expression;
  std::vector<ScriptBranch> branches;
  std::string reason;  // why it, or its expression, is not read
  bool once = false;
  bool idle = false;         // nothing that the reader can come to hangs on it
  std::uint32_t number = 0;  // of a link or what is revealed
};
using ScriptNodes = std::vector<ScriptNode>;

struct Script {
  std::map<std::string, ScriptNodes, std::less<>> passages, widgets;
  ScriptNodes first;                                   // before the first passage
  ScriptNodes before, after;                           // each passage
  std::set<std::string, std::less<>> maybe_endings;    // passages that their author may mean as endings
  bool leads_anywhere = false, sets_anything = false;  // by code that runs beside every passage
};

// SugarCube's expressions; `at`: the byte at which the text begins.
ScriptExpression read_expression(std::string_view text, std::uint64_t at);
inline ScriptExpression value_expression(ScriptValue value, std::uint64_t at) {
  return {ScriptExpression::Op::value, std::move(value), {}, {}, at};
}

}  // namespace plumb::story
