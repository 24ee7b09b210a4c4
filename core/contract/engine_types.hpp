// The engine's own data: what is known about an instance while it is open. See engine.hpp for how they work together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/program.hpp"
#include "core/contract/verdict.hpp"
#include "core/json/arena.hpp"
#include "core/json/positions.hpp"

namespace plumb::contract {

// One schema object at one instance.
struct Evaluation {
  const Node* node = nullptr;
  std::uint32_t parent = none32;      // evaluation that asked for this one
  std::uint32_t group = none32;       // when its outcome goes to a group and not straight to the parent
  std::uint32_t branch = 0;           // which of the group
  std::uint32_t more_edges = none32;  // further askers: index into Engine::edges_
  std::uint32_t sink = 0;             // where its findings go
  Position position = 0;              // of the keyword that asked, in the parent
  std::uint32_t order = 0;            // which of that keyword
  std::uint32_t depth = 0;            // tokens in the instance's pointer
  std::uint32_t scope = 0;            // dynamic scope
  std::uint32_t pending = 0;          // evaluations it waits for
  std::uint32_t extension = none32;   // index into Engine::extensions_
  std::uint64_t seen = 0;             // slots seen
  std::uint32_t hint = 0;             // the slot expected next
  std::uint32_t contained = 0;        // items that `contains` holds for
  std::uint32_t contained_maybe = 0;
  bool broken = false;
  bool undecided = false;
  bool closed = false;
  bool tracks = false;          // notes what has been evaluated, for unevaluated*
  bool in_place = false;        // asked for at its parent's own instance
  bool counted = false;         // the parent's `pending` counts it
  std::uint32_t site = none32;  // where its instance stood, once that is closed: index into Engine::found_
  std::uint32_t fan = none32;   // its own sink, where it has several parents
  Kw asked_by = Kw::none;       // for the schema false: the keyword that asked
};

// Another asker of an evaluation that several references lead to.
struct Edge {
  std::uint32_t parent = none32;
  std::uint32_t group = none32;
  std::uint32_t branch = 0;
  std::uint32_t next = none32;
  bool counted = false;
};

// Which members or items have been evaluated, by their index.
struct Evaluated {
  std::vector<std::uint64_t> bits;
  bool all = false;

  void set(std::uint32_t i) {
    std::size_t word = i / 64;
    if (word >= bits.size()) {
      bits.resize(word + 1);
    }
    bits[word] |= std::uint64_t{1} << (i % 64);
  }
  bool has(std::uint32_t i) const { return all || (i / 64 < bits.size() && (bits[i / 64] >> (i % 64) & 1U) != 0); }
  void add(const Evaluated& o) {
    all = all || o.all;
    if (o.bits.size() > bits.size()) {
      bits.resize(o.bits.size());
    }
    for (std::size_t i = 0; i < o.bits.size(); ++i) {
      bits[i] |= o.bits[i];
    }
  }
  void clear() {
    bits.clear();
    all = false;
  }
};

// Texts and values seen so far by one `distinct`, uniqueItems or acyclic.
struct SeenSet {
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t text_from = 0;  // in `texts`; for values: unused
    std::uint32_t text_size = 0;
    const json::Value* value = nullptr;
    std::uint32_t open = 0;  // acyclic: how often it is among the ancestors of the place
  };
  std::vector<Entry> entries;
  std::vector<std::uint32_t> table;  // open addressing, index + 1; built beyond a few entries
  std::string texts;
  bool reported = false;
  // Trees: the labels of the nodes that are open, by entry; none32 while a node's label has not been read.
  struct TreeNode {
    std::uint32_t entry = none32;
    std::uint32_t depth = 0;        // of the node's instance
    std::uint32_t first_below = 0;  // labels.size() when it began
  };
  std::vector<TreeNode> open_nodes;
  std::vector<std::uint32_t> labels;  // entries in the order of reading, kept while a node without label is open
  std::uint32_t unlabelled = 0;

  void clear() {
    constexpr std::size_t kept_max = 65536;
    entries.clear();
    texts.clear();
    table.clear();
    if (texts.capacity() > kept_max) {  // a big artifact must not slow the small ones after it
      std::string().swap(texts);
      std::vector<Entry>().swap(entries);
      std::vector<std::uint32_t>().swap(table);
    }
    open_nodes.clear();
    labels.clear();
    reported = false;
    unlabelled = 0;
  }
};

// What few evaluations need.
struct Extension {
  std::vector<std::uint32_t> groups;
  Evaluated evaluated;
  std::vector<std::uint64_t> seen_more;  // slots beyond the 64th
  std::vector<std::uint32_t> sets;       // SeenSets: uniqueItems, then distinct, then trees
  struct RuleState {
    std::uint32_t held = 0;
    std::uint32_t broken = 0;
    std::uint32_t undecided = 0;
  };
  std::vector<RuleState> rules;
  std::string novelty;  // outcome of `novel`, for labels

  void clear() {
    groups.clear();
    evaluated.clear();
    seen_more.clear();
    sets.clear();
    rules.clear();
    novelty.clear();
  }
};

// Alternatives whose outcome decides for their owner: anyOf, oneOf, not, if, contains, unevaluated*, dependentSchemas,
// rules.
struct Group {
  Kw kw = Kw::none;
  const InPlace* in = nullptr;
  std::uint32_t owner = none32;
  std::vector<std::uint32_t> branches;  // in Engine::branches_
  std::uint32_t held = 0;
  std::uint32_t broken = 0;
  std::uint32_t undecided = 0;
  std::uint32_t chosen = none32;  // by the discriminator
  bool decided = false;           // nothing more is told about it
  bool active = false;            // dependentSchemas: the key is there
  std::uint32_t rule = none32;
  Position position = 0;
  std::uint32_t order = 0;
  std::uint32_t index = 0;  // of the member or item (contains, unevaluated*)

  std::uint32_t size() const { return static_cast<std::uint32_t>(branches.size()); }
  void clear() {
    std::vector<std::uint32_t> kept = std::move(branches);
    kept.clear();
    *this = Group();
    branches = std::move(kept);
  }
};

enum class BranchState : std::uint8_t { held, promoted, discarded };

// Where findings wait until it is known whether they count. Sink 0 is the verdict.
struct Branch {
  std::uint32_t parent_sink = 0;
  std::uint32_t group = none32;
  BranchState state = BranchState::held;
  bool broken = false;
  bool held_true = false;
  bool undecided = false;
  std::uint64_t broken_at = 0;
  std::uint64_t more = 0;            // findings beyond those kept
  std::vector<std::uint32_t> found;  // indices into Engine::found_
  std::vector<std::uint32_t> fan;    // a sink with several parents: found goes to each
  Evaluated evaluated;

  void clear() {
    std::vector<std::uint32_t> kept = std::move(found);
    kept.clear();
    *this = Branch();
    found = std::move(kept);
  }
};

// A finding on its way: not yet certain to count, or not yet complete.
struct Found {
  enum class What : std::uint8_t { finding, undecided, score };
  What what = What::finding;
  Finding finding;
  Kw kw = Kw::none;
  std::vector<std::uint64_t> walk;           // its place in a plain walk of the contract
  std::uint32_t walk_of_node = 0;            // how much of it is the schema object's own
  bool stops = false;                        // stopAt of its schema object names it
  const MessageTemplate* message = nullptr;  // errorMessage, or null
  const Node* node = nullptr;
  std::string size;  // for {size}
  std::string limit;
  std::string value;
  bool has_value = false;
  const ScalarPart* members = nullptr;  // for `allowed`
  std::string prefix;                   // item label to put before the message
  std::string rule_message;
  std::uint32_t depth = 0;  // tokens in the pointer of the instance
  std::uint32_t evaluation = none32;
  json::Kind kind = json::Kind::null;  // of the instance, once it has ended
  std::uint64_t size_number = 0;
  bool about_key = false;  // the instance is a key, or what is wrong is the key
  bool placed = false;     // complete: copied from where its instance stood
  std::uint32_t refs = 0;
  std::uint32_t next_open = none32;  // of the frame or token that completes it
  bool open = false;                 // its value has not ended
  bool committed = false;
  bool told = false;  // given out by push
  bool told_complete = false;
  bool of_end = false;  // certain only because the text has ended
  bool whole_place = false;  // span.from has its line and column
  bool end_place = false;
  bool size_at_least = false;
  bool limits = false;      // a bound was reached: undecided
  bool asks_judge = false;  // undecided: its rule asks a judge
  ScorecardLine score;
  std::vector<std::uint32_t> cause_found;  // findings of the closest branch, until this one is complete
  std::vector<std::pair<std::string, std::string>> labels;
  Undecided not_decided;

  // For the line of a rule where one has been before: what is not written anyway.
  void begin_line() {
    walk.clear();
    refs = 0;
    committed = false;
    asks_judge = false;
    labels.clear();
    not_decided.ask.clear();
    not_decided.wants_context.clear();
  }
};

// A container that is open.
struct Frame {
  json::Kind kind = json::Kind::array;
  bool records = false;  // its children become part of a remembered value
  bool records_all = false;
  bool listens = false;             // something is done with each child that has ended
  bool item_hooks = false;          // uniqueItems or distinct look at each item
  bool needs_value = false;         // a rule of its own looks at the whole of it
  bool kept = false;                // its parent remembers it
  bool collects = false;            // it is given to a distinct or acyclic
  bool simple_items = false;        // an array in which all items are asked for one schema, at most
  bool items_kept = false;          // and remembered, or not, all alike
  bool has_trees = false;           // a node of some tree
  bool releases = false;            // the arena goes back to `mark` when it closes
  bool known_key = false;           // `key` belongs to the contract, not to the key buffer
  std::uint32_t count = 0;          // members or items begun
  std::uint32_t items_room = 0;     // simple_items: as many may begin before maxItems speaks
  const Node* item_node = nullptr;  // simple_items: what they are asked for, or null
  std::uint32_t skim = none32;      // simple_items: the plan of the items, where there is one
  std::uint32_t evaluations_from = 0;
  std::uint32_t evaluations_to = 0;
  std::uint32_t readings_from = 0;
  std::uint32_t readings_to = 0;
  std::uint32_t keys_from = 0;
  std::uint32_t key_bytes_from = 0;
  std::uint32_t values_from = 0;
  std::uint32_t key_table = none32;
  std::uint32_t open_found = none32;
  std::uint32_t deferred = none32;
  std::uint32_t key_offset = 0;  // in the key buffer
  std::uint32_t key_size = 0;
  const char* key_known = nullptr;
  std::uint64_t key_from = 0;
  std::uint64_t key_to = 0;
  std::uint64_t from = 0;
  json::Place place;  // of `from`, once its piece is over
  bool placed = false;
  json::Arena::Mark mark;
};

// A cross rule that waits for what it reads.
struct Deferred {
  std::uint32_t evaluation = none32;
  const CrossRule* rule = nullptr;
  std::uint32_t next = none32;
  std::uint32_t depth = 0;
  json::Value value;  // of its own instance
};

}  // namespace plumb::contract
