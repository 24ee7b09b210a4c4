// The engine: bytes in, findings out, in one pass and without a document tree.
//
// It is the scanner's handler. For every open container there is a Frame, and for every schema object that applies to
// it an Evaluation; scalars are judged where they stand. An evaluation that breaks tells its asker at once, through
// groups (anyOf, oneOf, not, if, contains, ...) where alternatives decide. Findings go to a sink: the verdict, or a
// Branch that holds them until it is known whether they count. An evaluation is done when its instance has closed and
// all that it asked for is done; a rule that waits for another place keeps its askers waiting, nothing else.
//
// Three values: broken as soon as no continuation can mend it, holds at the close, undecided where a rule could not be
// decided. Only severity error breaks.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/degenerate.hpp"
#include "core/contract/engine_types.hpp"
#include "core/contract/skim_walk.hpp"
#include "core/json/scanner.hpp"
#include "core/text/novelty.hpp"

namespace plumb::contract {

class Engine {
 public:
  Engine(const Contract& contract, const CheckOptions& options)
      : Engine(contract.shared_program(), contract.program().root, options) {}
  // Begins at a schema object of the contract.
  Engine(std::shared_ptr<const Program> program, const Node* root, const CheckOptions& options);

  const Error* context_error() const { return context_bad_ ? &context_error_ : nullptr; }
  void push(std::string_view bytes, std::vector<Finding>& certain);
  // The whole text in one piece: what push and end give, without looking for lines where nothing is wrong.
  Verdict check_whole(std::string_view text);
  Verdict end(std::vector<Finding>& certain);
  // The same in two steps: judged, and then the verdict, which one perhaps has already (Check::clean).
  void read_whole(std::string_view text);
  void finish(std::vector<Finding>& certain);
  bool clean() const { return clean_; }
  Verdict verdict();
  void reset();
  const std::vector<Signal>& signals() const { return signals_; }
  // Rules about values that have ended, which wait for other places of the text.
  std::size_t waiting() const { return deferred_.size() - free_deferred_.size(); }

  // The scanner's events.
  void begin_object(std::uint64_t from);
  void end_object(std::uint64_t to);
  void begin_array(std::uint64_t from);
  void end_array(std::uint64_t to);
  void key(std::string_view text, std::uint64_t from, std::uint64_t to);
  void string(std::string_view text, std::uint64_t from, std::uint64_t to);
  bool string_decoded(std::string_view text, std::uint64_t from, std::uint64_t to);
  json::StringWant string_begin(std::uint64_t from);
  void string_piece(std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim);
  void string_end(std::string_view text, std::uint64_t from, std::uint64_t to);
  void scalar_begin(json::Kind kind, std::uint64_t from);
  void number(std::string_view text, std::uint64_t from, std::uint64_t to, std::uint64_t decided);
  void literal(json::Kind kind, bool value, std::uint64_t from, std::uint64_t to);
  void lone_surrogate(std::uint64_t from, std::uint64_t to, std::uint64_t decided);
  void broken(json::ScanError what, std::uint64_t at, std::uint64_t decided);
  const char* skim(const char* p, const char* end, std::uint64_t from, std::uint32_t depth);

 private:
  // A schema asked for at the next instance.
  struct Wanted {
    const Node* node = nullptr;
    std::uint32_t parent = none32;
    Kw kw = Kw::none;
    Position position = 0;
    std::uint32_t order = 0;
    std::uint32_t group = none32;
    std::uint32_t branch = 0;
    std::uint32_t sink = 0;
    std::uint32_t scope = 0;
    bool in_place = false;
  };
  struct ReadingAt {
    std::uint32_t state = 0;
    std::uint32_t owner = none32;
  };
  // A scalar that is being read, or has just been.
  struct Token {
    json::Kind kind = json::Kind::null;
    bool value = false;       // of a boolean
    bool active = false;      // evaluations are open for it
    bool verbatim = false;    // `text` stays where it is until the check is over
    bool wants_text = false;  // all of it, else the beginning for messages
    std::string_view text;    // string: decoded, as far as it is kept; number: as written
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t points = 0;          // code points
    std::uint64_t points_trimmed = 0;  // from the first to the last that is no white space
    std::uint64_t leading = 0;
    bool blank = true;
    bool ended = false;
    std::uint32_t open_found = none32;
    json::Decimal decimal;
    bool has_decimal = false;
  };
  // How far a string that is being read agrees with the members of an enum.
  struct EnumRun {
    std::uint32_t evaluation = none32;
    const ScalarPart* part = nullptr;
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::uint32_t size = 0;  // bytes read
    bool dead = false;
  };
  struct PatternRun {
    std::uint32_t pattern = none32;
    bool decided = false;
    bool holds = false;
    bool told = false;
    std::uint64_t at = 0;
  };
  // Membership in a list of values.
  class SetView {
   public:
    SetView(const Engine& engine, const std::vector<const json::Value*>& list, const CrossRule& rule);
    bool has(const json::Value& value) const;

   private:
    std::uint64_t hash_of(const json::Value& value) const;
    const Engine& engine_;
    const CrossRule& rule_;
    std::vector<std::pair<std::uint64_t, const json::Value*>> hashes_;
  };
  struct KeyEntry {
    std::uint64_t hash = 0;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };

  std::string_view key_of(const Frame& frame) const {
    return frame.known_key ? std::string_view(frame.key_known, frame.key_size)
                           : std::string_view(key_bytes_.data() + frame.key_offset, frame.key_size);
  }
  std::uint32_t depth() const { return static_cast<std::uint32_t>(frames_.size()); }

  // engine.cpp
  void start();

  // engine_places.cpp
  std::uint32_t begin_place();
  std::uint32_t ask(const Wanted& wanted, std::uint32_t place_from);
  void expand(std::uint32_t index, std::uint32_t place_from);
  void end_place(std::uint32_t place_from);
  void retarget(std::uint32_t index, std::uint32_t old_sink, std::uint32_t new_sink, std::uint32_t place_from);
  std::uint32_t enter_scope(std::uint32_t scope, std::uint32_t resource);
  const Node* dynamic_target(const InPlace& in, std::uint32_t scope) const;

  // engine_evaluations.cpp
  void free_group(std::uint32_t group);
  std::uint32_t new_evaluation();
  void free_evaluation(std::uint32_t index);
  Extension& extension(Evaluation& e);
  std::uint32_t new_group(Kw kw, std::uint32_t owner, const InPlace* in, Position position, std::uint32_t order);
  std::uint32_t new_branch(std::uint32_t group, std::uint32_t parent_sink);
  void free_groups(Extension& x);
  Branch& branch_of(std::uint32_t group, std::uint32_t number);
  void promote(Branch& branch);
  void discard(Branch& branch);

  // engine_outcomes.cpp
  void break_evaluation(std::uint32_t index);
  void break_asker(std::uint32_t parent, std::uint32_t group, std::uint32_t branch);
  void branch_broken(std::uint32_t group, std::uint32_t branch);
  void decide_if(std::uint32_t group, bool holds);
  void group_fails(std::uint32_t group);
  void discriminate(std::uint32_t owner, std::string_view key, json::Kind kind, std::string_view text, bool boolean);
  void close(std::uint32_t index);
  void wait(std::uint32_t index);
  void settle(std::uint32_t index);
  void settle_group(std::uint32_t owner, std::uint32_t group);
  void tell_asker(const Evaluation& child, std::uint32_t parent, std::uint32_t group, std::uint32_t branch,
                  bool counted);
  bool only_asks(std::uint32_t index) const;
  void settle_rules(std::uint32_t index);

  // engine_verdict.cpp
  void write_asks();

  // engine_items.cpp
  void item_begin();
  void readings_for_child(const Frame& frame);
  void want_applied(const Reading& reading, std::uint32_t owner);

  // engine_keys.cpp
  void check_name(std::uint32_t index, const ObjectPart& o, std::string_view key, std::uint64_t from, std::uint64_t to);
  const Slot* find_slot(Evaluation& e, const ObjectPart& o, std::string_view key, std::uint32_t& index) const;
  bool mark_seen(Evaluation& e, std::uint32_t slot);
  bool has_seen(const Evaluation& e, std::uint32_t slot) const;
  bool key_is_new(Frame& frame, std::string_view key, std::uint64_t hash);
  void remember_key(Frame& frame, std::string_view key, std::uint64_t hash);

  // engine_frames.cpp
  Frame& open_frame(json::Kind kind, std::uint64_t from);
  void close_frame(std::uint64_t to);
  void after_value(const json::Value* remembered, json::Kind kind, std::string_view text, bool boolean,
                   const json::Value* value);
  void note_items(Frame& frame, const Reading& reading, bool& named) const;
  void close_array(Evaluation& e, std::uint32_t index, const Frame& frame);
  void close_object(Evaluation& e, std::uint32_t index, const Frame& frame);

  // engine_scorecard.cpp
  void measure_context();
  void place_line(const Evaluation& e, ScorecardLine& line) const;
  void add_context_label(const Rule::Label& label, std::vector<std::pair<std::string, std::string>>& out) const;
  void give_reasons(Verdict& verdict) const;

  // engine_scalars.cpp
  static std::string type_requirement(const Node& node);
  bool quick_item(std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim);
  bool quick_wanted(std::string_view text);
  bool quick_trim(std::string_view text, std::size_t points);
  bool quick_member(const Node& node, std::string_view text) const;
  bool quick_string(const Node& node, std::string_view text);
  bool quick_number(const Node& node, std::string_view text) const;
  void scalar_place(json::Kind kind, std::uint64_t from);
  // Ends the scalar of token_: judges it, closes its evaluations. scalar_end() then tells its container.
  void scalar_finish(std::uint64_t to);
  void scalar_end(std::uint64_t to);
  void check_type(std::uint32_t index, json::Kind kind, std::uint64_t from);
  void begin_runs();
  void feed(std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim);
  void check_string_end(std::uint32_t index);
  void check_number_end(std::uint32_t index);
  void check_scalar_members(std::uint32_t index, const ScalarPart& part);
  void check_text_rules(std::uint32_t index);
  bool token_equals(const json::Value& value);
  void report_members(std::uint32_t index, const ScalarPart& part, std::uint64_t decided);
  void report_patterns(std::uint64_t least, std::uint64_t most);
  std::uint64_t token_length(const StringPart& s);
  text::Matcher& matcher(std::uint32_t pattern);
  static std::string type_words(std::uint8_t types);
  void check_container_members(std::uint32_t index, const json::Value& value);

  // engine_seen.cpp: distinct, uniqueItems, acyclic
  SeenSet& seen_set(Evaluation& e, std::uint32_t number);
  std::uint32_t insert(SeenSet& set, json::Kind kind, std::string_view text, bool boolean, const json::Value* value,
                       const DistinctPart* part, bool& fresh);
  void item_seen(json::Kind kind, std::string_view text, bool boolean, const json::Value* value);
  void collect(std::uint32_t rule, std::uint32_t owner, json::Kind kind, std::string_view text, bool boolean,
               const json::Value* value);
  void report_repeated_item(std::uint32_t owner, std::uint32_t number, const DistinctPart& part, json::Kind kind,
                            std::string_view text, bool boolean, const json::Value* value);
  static bool label_tree_node(SeenSet& set, std::uint32_t entry);
  static bool looks_for_cycles(const Node& node, std::uint32_t tree);
  static std::uint32_t tree_set_number(const Node& node, std::uint32_t tree);
  void tree_begin(std::uint32_t tree, std::uint32_t owner);
  void tree_end(std::uint32_t tree, std::uint32_t owner);

  static void forget(SeenSet& set, std::size_t size);

  // engine_skim.cpp
  std::uint32_t skim_items(const Frame& frame) const;
  const Plan* skim_plan();
  const char* skim_passes(std::uint64_t from, const char* after, const char* p);
  void skim_fails();
  std::string_view skim_more(std::string_view& bytes);
  std::string_view skim_ends();

  // engine_walk.cpp
  enum class Walked : std::uint8_t { through, cut, no };
  Walked skim_walk(const char* p, const char* end, bool padded);
  bool skim_enter(const Plan& plan, const char* p);
  Walked skim_key(SkimLevel& level, const char*& p, const char* end, bool padded);
  bool skim_new_key(const SkimLevel& level, std::string_view text);
  static std::size_t skim_slot(const Plan& plan, std::string_view key);
  Walked skim_text(const char*& p, const char* end, bool padded, std::string_view& text);
  Walked skim_escaped(const char*& p, const char* end, bool padded, std::string_view& text);
  bool skim_string(const SkimLevel& level, std::string_view text);
  bool skim_close();
  const char* skim_token(const Plan& plan, const char* p, const char* end) const;

  // engine_skim_texts.cpp
  bool skim_accepts(const Plan& plan, std::string_view text);
  bool skim_may_go_on(const Plan& plan, std::string_view text, bool escapes);
  bool skim_collect(const Plan& plan, std::string_view text);
  bool skim_fresh(const Plan& plan, std::size_t first, std::string_view text);
  bool skim_fresh_among_many(const ArrayPart& array, std::size_t first, std::string_view text);

  // engine_cross.cpp
  struct EarlierTexts;
  const EarlierTexts& earlier_texts(const CrossRule& rule, const std::vector<const json::Value*>& values);
  void cross_rules(std::uint32_t index, const json::Value& own);
  std::uint32_t waits_for(const CrossRule& rule, std::uint32_t instance_depth, std::uint32_t closing) const;
  void judge_cross(std::uint32_t index, const CrossRule& rule, const json::Value& own, std::uint32_t instance_depth);
  void run_deferred(std::uint32_t frame, bool closing);
  bool reads_a_list(std::uint32_t pattern, std::uint32_t instance_depth, const json::Value& own) const;
  bool gather(std::uint32_t pattern, std::uint32_t instance_depth, const json::Value* own,
              std::vector<const json::Value*>& out) const;
  void gather_open(std::uint32_t frame, const PointerPattern& pattern, std::size_t token,
                   std::vector<const json::Value*>& out) const;
  void gather_in(const json::Value& value, const PointerPattern& pattern, std::size_t token,
                 std::vector<const json::Value*>& out) const;
  void context_schemas(std::uint32_t index);

  // engine_findings.cpp
  std::uint32_t make_site(std::uint32_t evaluation);
  std::uint32_t prepare(std::uint32_t evaluation, Kw kw, Position position, std::uint64_t sub);
  Found& found(std::uint32_t index) { return found_[index]; }
  // A finding about the instance: completed when its value ends (now, where it has).
  void report(std::uint32_t index, std::uint64_t decided, bool breaks = true);
  void add(std::uint32_t sink, std::uint32_t index);
  void commit(std::uint32_t index);
  void release(std::uint32_t index);
  std::uint32_t new_found(Found::What what = Found::What::finding);
  void complete(std::uint32_t index);
  void complete_token();
  void complete_list(std::uint32_t first);
  void describe(Found& f);
  static void set_start(Found& f, const json::Place& place);
  static std::string quoted(std::string_view text);
  void complete_frame(Frame& frame, std::uint64_t to);
  std::string default_message(const Found& f) const;
  std::string pointer_of(std::uint32_t depth) const;
  std::string nearest_label(std::uint32_t depth, std::string* prefix) const;
  std::string path_of(std::uint32_t depth) const;
  std::string render(const MessageTemplate& text, const Found* f, std::uint32_t depth) const;
  std::string pointed_text(std::uint32_t pattern, std::uint32_t depth) const;
  const ItemLabel* label_of(std::uint32_t depth) const;
  std::vector<std::uint64_t> walk_of(std::uint32_t evaluation) const;
  void limit_found(std::string message, std::string where, std::uint64_t at, std::uint64_t decided,
                   std::string requirement);
  void text_found(Kw kw, std::string message, std::uint64_t from, std::uint64_t to, std::uint64_t decided);
  void undecided(std::uint32_t evaluation, Kw kw, Position position, std::uint64_t sub, std::string reason,
                 std::string wants_context);
  void tell(std::vector<Finding>& certain);
  Finding with_causes(std::uint32_t index, unsigned level) const;
  void find_places(std::string_view chunk, std::uint64_t chunk_start, bool last);
  void cap_certain();
  void count_more(const std::string& rule);
  void watch_stream(std::string_view bytes);
  void take(std::string_view piece);
  void take_rest();
  void count_passed();
  void scan(std::string_view bytes);
  void scan_end();

  std::shared_ptr<const Program> program_;
  const Program& p_;
  const Node* root_;
  CheckOptions options_;
  json::Scanner<Engine> scanner_;
  std::uint64_t now_ = 0;  // how many bytes make certain what is being reported
  std::uint64_t seed_ = 0;

  std::vector<Evaluation> evaluations_;
  std::vector<std::uint32_t> free_evaluations_;
  std::vector<Edge> edges_;
  Pool<Extension> extensions_;
  std::vector<std::uint32_t> free_extensions_;
  Pool<Group> groups_;
  std::vector<std::uint32_t> free_groups_;
  Pool<Branch> branches_;  // 0 is the verdict's own
  std::vector<std::uint32_t> free_branches_;
  Pool<SeenSet> sets_;
  std::vector<std::uint32_t> free_sets_;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> place_;      // evaluations of the open instances
  std::vector<Wanted> wanted_;            // for the next instance
  std::vector<ReadingAt> readings_;       // of the open containers
  std::vector<ReadingAt> next_readings_;  // for the next instance
  std::vector<KeyEntry> keys_;
  std::string key_bytes_;
  std::vector<std::vector<std::uint32_t>> key_tables_;
  std::vector<std::uint32_t> free_key_tables_;
  std::vector<json::Member> values_;  // remembered children of the open containers
  std::vector<json::Member> scratch_members_;
  json::Arena value_arena_;
  std::uint32_t recording_ = 0;  // open containers that are remembered
  json::Arena set_arena_;
  std::uint32_t sets_open_ = 0;
  std::vector<Deferred> deferred_;
  std::vector<std::uint32_t> free_deferred_;
  struct Scope {
    std::vector<std::uint32_t> resources;
  };
  std::vector<Scope> scopes_;
  std::vector<std::uint32_t> free_edges_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> place_index_;  // of a place with many evaluations
  std::vector<ReadingAt> arrived_;
  std::uint32_t cross_found_ = none32;
  std::uint64_t repeated_ = 0;   // findings of distinct so far, for their order
  std::uint64_t last_from_ = 0;  // the value that has ended last
  std::uint64_t last_to_ = 0;
  json::Place last_place_;  // of last_from_, where it stood in an earlier piece
  bool last_placed_ = false;
  bool item_begun_ = false;     // item_begin() has been called for the string that begins
  bool skipping_ = false;       // a string that nobody asks about
  bool name_instance_ = false;  // the scalar being judged is a key

  Token token_;
  std::string token_text_;
  std::vector<EnumRun> enum_runs_;
  std::vector<PatternRun> pattern_runs_;
  std::vector<std::unique_ptr<text::Matcher>> matchers_;
  struct Due {  // what a piece of a string has made certain
    std::uint64_t decided = 0;
    Kw kw = Kw::none;
    std::uint32_t evaluation = none32;
    const ScalarPart* part = nullptr;
  };
  std::vector<Due> due_;
  std::uint32_t token_place_from_ = 0;
  std::string fold_buffer_;

  SkimWalk walk_;

  Pool<Found> found_;
  std::vector<std::uint32_t> free_found_;
  std::vector<std::uint32_t> touched_;    // whose places are looked for at the end of the piece
  std::vector<std::uint32_t> certain_;    // committed in this piece
  std::vector<std::uint32_t> completed_;  // completed in this piece, told before
  std::vector<std::uint32_t> kept_;       // committed and told, for the verdict
  std::vector<std::uint32_t> others_;     // committed scores and undecided
  std::vector<std::pair<std::string, std::uint64_t>> more_by_rule_;
  const Node* asks_ = nullptr;  // the root, when the lines of its rules are still to be written
  bool clean_ = false;
  std::uint32_t next_id_ = 1;
  bool root_broken_ = false;
  bool limit_reached_ = false;
  bool context_missing_ = false;
  bool stopped_ = false;

  bool any_error_ = false;
  bool any_block_ = false;
  bool any_warning_ = false;
  bool size_stopped_ = false;

  enum class PlaceFor : std::uint8_t { start, end, frame, token };
  struct Asked {
    std::uint64_t byte = 0;
    PlaceFor what = PlaceFor::start;
    std::uint32_t index = 0;
  };
  std::vector<Asked> asked_;
  std::uint32_t placed_frames_ = 0;  // the first open containers whose places are known
  std::uint64_t frame_to_ = 0;       // the end of the frame that is being completed
  std::string_view whole_text_;
  json::Positions positions_;
  json::PlaceRequest cut_place_;   // of the token that the last piece cut
  std::uint64_t bytes_ = 0;        // pushed
  std::uint64_t chunk_start_ = 0;  // taken before the piece that is being judged; less where a container is held back
  std::size_t passed_ = 0;         // bytes held back and then passed, whose lines are not counted yet
  bool whole_ = false;
  bool ending_ = false;  // all bytes have been judged
  std::vector<json::PlaceRequest> requests_;

  json::Arena context_arena_;
  std::string context_text_;
  json::Value context_;
  bool has_context_ = false;
  bool context_bad_ = false;
  Error context_error_;
  bool inside_context_ = false;
  // What `novel` compares with, read once where all of it is in the context.
  struct EarlierTexts {
    const CrossRule* rule = nullptr;
    std::vector<std::string_view> texts;
    text::Earlier index;
  };
  std::vector<std::unique_ptr<EarlierTexts>> earlier_texts_;
  std::vector<std::string> line_locations_;  // of the scorecard's lines, in the contract

  std::vector<Signal> signals_;
  DegenerateWatch degenerate_;
};

}  // namespace plumb::contract
