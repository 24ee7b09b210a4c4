// SugarCube's expressions, as far as they are read: a variable compared with a value, and, of any other expression,
// what evaluating it may change. Private to reading Twee.
//
// Conditions ask for words. `$door` asks for "door", held while the variable's value counts as true; `$door is "shut"`
// for the word `door is "shut"`. A setting grants and clears the words that the whole story asks for.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::story {

struct TweeValue {
  enum class Kind : unsigned char { truth, number, text };
  Kind kind = Kind::truth;
  double number = 0;  // of a truth 0 or 1
  std::string text;

  bool counts_as_true() const { return kind == Kind::text ? !text.empty() : number != 0; }
};

// true, false, -12.5, "text", 'text'; nothing where it is another expression.
std::optional<TweeValue> read_value(std::string_view text);

// The variable that a word asks for: "door" of `door is "shut"`.
std::string_view variable_asked(std::string_view word);
// Whether the word is held while its variable has that value; nothing where that is not read.
std::optional<bool> word_holds(std::string_view word, const TweeValue& value);

// What evaluating an expression may change. `anything`: variables, and where the reader is.
struct TweeEffects {
  bool anything = false;
  std::set<std::string> variables;
};
TweeEffects effects_of(std::string_view expression);
// Whether what it comes to holds no link and no macro when it is shown, where that variable holds none.
inline constexpr std::string_view any_variable = "*";
bool shows_plainly(std::string_view expression, std::string_view variable = {});
// The variables that it names: "key" of $key, "_i" of _i.
std::set<std::string> variables_in(std::string_view expression);

// Cut at the signs that are in no quotation and no brackets.
std::vector<std::string_view> cut_at(std::string_view text, std::string_view signs);

// A macro's argument. What is in quotation marks, a bare word and [[a link]] is `known`; any other has to be evaluated.
struct TweeArgument {
  std::string text;
  bool known = false, link = false;
};
std::vector<TweeArgument> arguments_of(std::string_view text);

}  // namespace plumb::story
