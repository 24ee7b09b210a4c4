// The script of another tool's story as a machine that play walks: a passage is carried out with the values that its
// reader holds, and what it shows then is the state. Only variables that some way hangs on are kept.
//
//   ScriptMachine machine(book, script);
//   PlayOutcome play = play_machine(book, machine);
//   machine.unread()     each place that a reader comes to, that was not read and may change where they can go
//
// Chance is followed to each of its outcomes. A number that is compared with constants and only ever grows, or only
// ever falls, is kept up to the last constant; any other to 500 values. Beyond a bound a value is not known, which is
// told. Bounds: 4,096 outcomes of showing a passage, 64 passages that lead on at once, 32 includes in one another.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/story/play_machine.hpp"
#include "core/story/script.hpp"

namespace plumb::story {

class ScriptMachine final : public PlayMachine {
 public:
  ScriptMachine(const Book& book, Script script);

  void begin(std::vector<PlayMove>& into) override;
  void moves(const PlayPlace& from, std::vector<PlayMove>& into) override;
  bool doubtful(const PlayPlace& at) const override { return pages_[static_cast<std::size_t>(at.held)].doubtful; }
  Texts held_texts(std::uint64_t held) const override;

  std::vector<Unread> unread() const;
  // Whether a reader comes to the passage.
  bool reaches(const std::string& passage) const;
  // Ways that lead to no passage, found by their values: the place and what was named.
  const std::map<std::uint64_t, std::string>& broken() const { return broken_; }

 private:
  using Values = std::vector<std::uint32_t>;  // of the variables that are kept, as numbers of values_
  struct Offer {
    std::uint32_t node = 0, to = none;
    bool unsure = false;
    bool operator==(const Offer&) const = default;
  };
  // What a reader has before them.
  struct Page {
    Values values;
    std::vector<Offer> offers;
    std::uint32_t jump = none, jump_site = none;  // leads on at once
    bool doubtful = false, unsure = false;
    bool operator==(const Page&) const = default;
  };
  // One showing of a passage under way.
  struct Showing {
    Page page;
    std::uint32_t passage = none;
    bool shown = true;   // ways are offered
    bool maybe = false;  // whether they are is not known
    int depth = 0;       // of includes and widgets
  };
  struct Limits {
    bool grows = false, falls = false, escapes = false, compared = false;
    double least = 0, most = 0;  // of the constants that it is compared with
    std::set<double> values;     // that it had
  };

  // Before play: which variables are kept, and which nodes are idle.
  void number(ScriptNodes& nodes);
  bool note(const ScriptNodes& nodes);
  bool note(const ScriptNode& node);
  void keep(const ScriptExpression& expression);
  void keep(const std::string& name);
  void mark(ScriptNodes& nodes);
  void limit(const ScriptNodes& nodes);
  void limit(const ScriptExpression& expression, bool condition);
  void limit_set(const ScriptNode& node);
  void compared_with(const ScriptExpression& side, double constant);
  template <typename Work>
  void each_text(Work work);
  std::size_t hash_of(const Page& page) const;

  // Outcomes of chance: each is carried out from the start.
  std::uint32_t pick(std::uint32_t count);
  template <typename Once>
  bool outcomes(Once once);

  ScriptValue evaluate(const ScriptExpression& expression, Showing& in);
  ScriptValue calculate(const ScriptExpression& expression, Showing& in);
  ScriptValue choose(const ScriptExpression& expression, Showing& in);
  ScriptValue remember(const ScriptExpression& expression, Showing& in);
  ScriptValue compare(const ScriptExpression& expression, Showing& in);
  bool holds(const ScriptValue& value, const ScriptExpression& of, Showing& in);
  void told_unread(const ScriptValue& value, const ScriptExpression& of);
  ScriptValue get(const std::string& name, const Showing& in) const;
  void set(const std::string& name, ScriptValue value, std::uint64_t at, Showing& in);
  void forget(const ScriptNodes& nodes, Showing& in);

  void carry_out(const ScriptNodes& nodes, Showing& in);
  void carry_out(const ScriptNode& node, Showing& in);
  void chain(const ScriptNode& node, Showing& in);
  void loop(const ScriptNode& node, Showing& in);
  void maybe(const ScriptNodes& nodes, Showing& in);
  void offer(const ScriptNode& node, Showing& in);
  void include(const ScriptNode& node, Showing& in);
  void call(const ScriptNode& node, Showing& in);
  void jump(const ScriptNode& node, Showing& in);
  // none: it leads to no passage, or that is not known, which is told.
  std::uint32_t target(const ScriptNode& node, Showing& in, bool& known);

  void arrive(const Values& values, std::uint32_t passage, std::uint32_t site, bool sure, std::vector<PlayMove>& into);
  void take(const PlayPlace& from, const Offer& offer, std::vector<PlayMove>& into);
  void add(const Showing& shown, std::uint32_t site, bool sure, std::vector<PlayMove>& into);
  std::uint32_t value_number(const ScriptValue& value);
  void told(std::uint64_t at, std::string reason);

  const Book& book_;
  Script script_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;    // of passages
  std::map<std::string, std::uint32_t, std::less<>> variables_;  // that are kept
  std::set<std::string, std::less<>> leading_, acting_;          // passages and widgets that are not idle
  std::vector<const ScriptNode*> nodes_;
  std::map<std::string, Limits, std::less<>> limits_;
  std::vector<ScriptValue> values_;
  std::map<std::pair<unsigned char, std::pair<double, std::string>>, std::uint32_t> value_numbers_;
  std::vector<Page> pages_;
  std::unordered_multimap<std::size_t, std::uint32_t> page_numbers_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> picks_;  // taken, of how many
  std::size_t next_pick_ = 0;
  std::map<std::uint64_t, std::string> unread_, broken_;
  std::set<std::uint32_t> reached_;  // passages
  bool changed_ = false;
};

}  // namespace plumb::story
