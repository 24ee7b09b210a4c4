// A passage of SugarCube's notation while it is read: macros with contents, nested, and what is made of them: ways,
// settings, and the nodes of a script. What the text says is core/story/twee_body.cpp's to find. Private to reading
// Twee.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/story/book.hpp"
#include "core/story/script.hpp"
#include "core/story/twee_body.hpp"
#include "core/story/twee_expression.hpp"

namespace plumb::story {

class TweeFrames {
 protected:
  enum class Is : unsigned char { whole, chain, link, shown, hidden, later, loop, changes, widget };

  // A macro with contents, as far as they have been read; the passage itself is the first.
  struct Frame {
    std::string name;
    std::size_t at = 0;
    Is is = Is::whole;
    bool unread = false;                 // of the branch that is open
    Condition when;                      // of it; empty: always
    std::vector<Condition> before;       // of the branches before it
    bool any_unread = false;             // some branch so far
    bool one_choice = true;              // likewise: each
    std::vector<std::vector<Way>> ways;  // by branch
    std::string subject;                 // of <<switch>>
    Route link;                          // of <<link>>; no `to`: it leads where a <<goto>> inside of it does
    std::vector<ScriptBranch> branches;  // what is carried out
    ScriptExpression target;             // of <<link>>
    bool leads = false;                  // likewise: it has one
  };
  // What a setting belongs to: a link, or (none) the passage; in a branch it hangs on the branch.
  struct Setting {
    Route* link = nullptr;
    bool conditional = false;
  };

  explicit TweeFrames(const TweeStory& story) : story_(story) {}

  void emit(ScriptNode node);
  void emit(ScriptNode::Kind kind, std::size_t where, std::string reason);
  void emit_set(std::string name, ScriptExpression value, std::size_t where);
  void may_lead(std::size_t where, std::string reason);
  void may_do_anything(std::size_t where, std::string reason);
  // What evaluating an expression changes. `plain`: what its variables come to holds no links.
  void evaluate(std::string_view expression, std::size_t where, bool plain = false);
  // The value of a macro's argument: as it stands, or what has to be evaluated.
  static ScriptExpression value_of(const TweeArgument& argument, std::size_t where);

  // Where a link leads, and what is set by taking it.
  void lead(Route route, std::size_t where, std::string_view setter);
  void push(Route route, std::size_t where, bool forced = false);
  bool is_open(std::string_view name) const;

  void open(std::string name, std::size_t where, Is is);
  void branch(std::string_view condition, std::size_t where);
  void next_branch(std::string_view condition, std::size_t where);  // empty: else
  void close();

  Setting setting(Route* link);
  void set(std::string_view args, std::size_t where, Route* link);  // "$a to true, $b = false"
  // The words that are asked for of the variable, by its new value; none: it has no value any more.
  void give(const std::string& name, const TweeValue* value, const Setting& to);

  void finish_ways();

  const TweeStory& story_;
  TweeBody out_;
  ScriptNodes asked_;  // what the reader may change as long as they stay
  std::vector<Frame> frames_;

 private:
  bool in_link() const;
  void end_branch(Frame& frame);
  static void limit(Route& route, const Condition& when);
  void close_link(Frame& frame);
  void one_set(std::string_view text, std::size_t where, const Setting& to);
  void hold(const std::string& word, bool yes, Route* route);
  void close_script(Frame& frame);

  ScriptNodes* inside_ = nullptr;  // of the link that is being read
};

}  // namespace plumb::story
