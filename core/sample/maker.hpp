// Makes values that a set of schemas accepts, from nothing but the compiled contract and random numbers.
//
// A Wish is what a place must be: schemas that must hold, schemas that must not, and schemas that a pointer puts on
// places below. look() follows references and chooses branches, which gives a View: all schema objects that have a say.
// make() builds a value that fits the View and asks the engine; where the engine finds something, other branches and
// other texts are tried, a bounded number of times. Rules that read other places are not looked at here: mending.hpp
// puts them right in the whole artifact.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/program.hpp"
#include "core/sample/asked_containers.hpp"
#include "core/sample/budget.hpp"
#include "core/sample/draft.hpp"
#include "core/sample/random.hpp"
#include "core/sample/sites.hpp"

namespace plumb::sample {

// A schema and the resources entered on the way to it (an index into Maker::scopes_), which $dynamicRef asks for.
struct Ask {
  const Node* node = nullptr;
  std::uint32_t scope = 0;
};

struct Pending {
  const contract::PointerPattern* pattern = nullptr;
  std::size_t token = 0;  // the next one to follow
  Ask ask;
};

struct Wish {
  std::vector<Ask> all;
  std::vector<Ask> none;
  std::vector<Pending> pointed;
};

struct View {
  std::vector<Ask> nodes;  // schema objects that must hold, references followed, branches chosen
  std::vector<Ask> none;
  std::vector<Pending> pointed;
  bool never = false;
};

// How values are made.
struct Style {
  bool rich = false;
  std::vector<const Node*> wanted;  // schemas that shall have a place in the artifact, sorted by address
  std::vector<std::pair<const Node*, json::Kind>> kinds;  // and the kind of value that is wanted where one applies
  std::uint32_t depth = 8;                                // rich: below it, only what is needed
  bool is_wanted(const Node* node) const;
};

class Maker {
 public:
  Maker(std::shared_ptr<const Program> program, Random& random, Budget& budget)
      : shared_(std::move(program)), program_(*shared_), random_(random), budget_(budget) {
    scopes_.emplace_back();
  }

  Style style;

  const Program& program() const { return program_; }
  Random& dice() { return random_; }
  Budget& budget() { return budget_; }

  Wish wish_for(const Node* node);
  // Of the root and, step by step, of the value at `path` in `root_value`, as its branches are there.
  Wish wish_at(const Draft& root_value, const Wish& root, const Path& path);

  // `choices` picks the branches; `like`, where there is one, is the value whose branches are to be kept.
  View look(const Wish& wish, std::uint64_t choices, const Draft* like, const std::vector<std::string>& keys);
  Wish member_wish(const View& view, std::string_view key);
  Wish item_wish(const View& view, std::size_t index);
  Wish name_wish(const View& view);

  // Nothing when none was found; why() says what prevented it.
  std::optional<Draft> make(const Wish& wish, std::string_view key, std::uint32_t depth);
  const std::string& why() const { return why_; }
  void because(std::string reason) {
    if (why_.empty()) {
      why_ = std::move(reason);
    }
  }
  void forget_why() { why_.clear(); }

  // Whether the schema holds for a value by itself. What lies above the value is not seen.
  bool holds(const Node* node, const Draft& value);
  // The same, but for rules that mending puts right.
  bool accepts(const Node* node, const Draft& value);
  bool fits(const Wish& wish, const Draft& value);

  // A name that no member of `view` has. Nothing where names are bound and none is left.
  std::optional<std::string> other_name(const View& view, const Draft& object);
  std::optional<Draft> make_string(const View& view, std::string_view key, std::size_t attempt);
  // A value of a kind that need not fit anything.
  Draft any_of_kind(json::Kind kind);

 private:
  std::uint32_t enter(std::uint32_t scope, const Node* node);
  const Node* target(const contract::InPlace& in, std::uint32_t scope) const;
  void open(const Ask& ask, std::uint64_t choices, const Draft* like, const std::vector<std::string>& keys, View& view,
            std::uint32_t depth);
  void branches(const contract::InPlace& in, const Ask& ask, std::uint64_t choices, const Draft* like, View& view,
                const std::vector<std::string>& keys, std::uint32_t depth);
  void condition(const contract::InPlace& in, const Ask& ask, std::uint64_t choices, const Draft* like, View& view,
                 const std::vector<std::string>& keys, std::uint32_t depth);
  std::vector<json::Kind> kinds(const View& view) const;
  std::optional<Draft> build(const Wish& wish, const View& view, std::string_view key, std::uint32_t depth,
                             std::size_t attempt, std::uint64_t choices);
  std::optional<Draft> build_listed(const View& view, std::size_t attempt);
  std::optional<Draft> build_number(const View& view, std::size_t attempt);
  ArrayAsked asked_of_array(const View& view);
  std::optional<std::uint64_t> count_items(const View& view, const ArrayAsked& asked, std::string_view key,
                                           std::uint32_t depth, std::size_t attempt, bool& rows);
  std::optional<Draft> build_array(const View& view, std::string_view key, std::uint32_t depth, std::size_t attempt);
  // What the vocabulary gives the member of this name.
  std::vector<std::string> given(const View& view, std::string_view key) const;
  static bool says_ids(const View& view);
  bool has_members(const View& view, const std::vector<Vocabulary::Values>& row) const;
  void name_members(const View& view, const Ask& ask, bool all_members, bool first, MembersAsked& named);
  bool fit_count(const View& view, MembersAsked& named);
  std::optional<Draft> build_object(const Wish& wish, View view, std::uint32_t depth, std::size_t attempt,
                                    std::uint64_t choices);
  bool avoid(const Wish& wish, const View& view, Draft& value);
  std::size_t times_on_way(const Wish& wish) const;

  std::shared_ptr<const Program> shared_;
  const Program& program_;
  Random& random_;
  Budget& budget_;
  std::vector<std::vector<std::uint32_t>> scopes_;
  std::vector<const Node*> on_way_;                       // schemas whose values are being made
  const std::vector<Vocabulary::Values>* row_ = nullptr;  // of the item that is being made
  bool ids_ = false;                                      // the items of the array that is being made are ids
  std::uint32_t values_ = 0;
  std::uint32_t nested_ = 0;  // values that are being broken for `not`
  std::string why_;
};

}  // namespace plumb::sample
