// The engine: bytes in, findings out, in one pass and without a document tree.
//
// It is the scanner's handler. There is a Frame for every open container, and an Evaluation for every schema object
// that applies to it. Scalars are judged in place. A broken evaluation tells its asker at once; if there are
// alternatives (anyOf, oneOf, not, if, contains, ...), a group decides. A finding goes to a sink: the verdict, or a
// Branch that holds it until it is known whether it counts. An evaluation is done when its instance has closed and
// everything it asked for is done. A rule that waits for another place delays its askers and nothing else.
//
// There are three outcomes. A rule is broken as soon as no continuation of the text can satisfy it. It holds when its
// instance closes. It is undecided if it could not be decided. Only severity `error` breaks.
//
// The engine consists of parts. Each has a header that describes it and declares its functions, which take the engine:
//
//   stream       pieces come in, the text ends            fast_path    valid containers are accepted at once
//   containers   objects and arrays open and close        keys, scalars, strings, accept, text_rules
//   asking       schemas that are wanted at an instance   evaluations, branches, outcomes, scorecard
//   memory       values that rules read elsewhere         across, seen, context
//   findings     prepared, held, certain                  completing, wording, telling
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/engine/accept.hpp"
#include "core/contract/engine/across.hpp"
#include "core/contract/engine/asking.hpp"
#include "core/contract/engine/branches.hpp"
#include "core/contract/engine/completing.hpp"
#include "core/contract/engine/containers.hpp"
#include "core/contract/engine/context.hpp"
#include "core/contract/engine/evaluations.hpp"
#include "core/contract/engine/fast_path.hpp"
#include "core/contract/engine/findings.hpp"
#include "core/contract/engine/keys.hpp"
#include "core/contract/engine/memory.hpp"
#include "core/contract/engine/outcomes.hpp"
#include "core/contract/engine/scalars.hpp"
#include "core/contract/engine/scorecard.hpp"
#include "core/contract/engine/seen.hpp"
#include "core/contract/engine/stream.hpp"
#include "core/contract/engine/strings.hpp"
#include "core/contract/engine/telling.hpp"
#include "core/contract/engine/text_rules.hpp"
#include "core/contract/engine/wording.hpp"
#include "core/json/scanner.hpp"
#include "core/text/steps.hpp"

namespace plumb::contract {

struct Engine {
  Engine(const Contract& contract, const CheckOptions& check_options)
      : Engine(contract.shared_program(), contract.program().root, check_options) {}
  // Begins at a schema object of the contract.
  Engine(std::shared_ptr<const Program> its_program, const Node* at, const CheckOptions& check_options);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // The same as the members of Check (check.hpp).
  const Error* context_error() const { return context.bad ? &context.error : nullptr; }
  void push(std::string_view bytes, std::vector<Finding>& certain) { push_piece(*this, bytes, certain); }
  void read_whole(std::string_view text) { read_text(*this, text); }
  void finish(std::vector<Finding>& certain) { finish_text(*this, certain); }
  Verdict verdict() { return make_verdict(*this); }
  Verdict check_whole(std::string_view text);
  void reset();

  // The scanner's events.
  void begin_object(std::uint64_t from);
  void end_object(std::uint64_t to) { close_frame(*this, to); }
  void begin_array(std::uint64_t from);
  void end_array(std::uint64_t to) { close_frame(*this, to); }
  void key(std::string_view text, std::uint64_t from, std::uint64_t to) { read_key(*this, text, from, to); }
  void string(std::string_view text, std::uint64_t from, std::uint64_t to) { read_string(*this, text, from, to); }
  bool string_decoded(std::string_view text, std::uint64_t from, std::uint64_t to) {
    return read_decoded(*this, text, from, to);
  }
  json::StringWant string_begin(std::uint64_t from) { return begin_string(*this, from); }
  void string_piece(std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim) {
    read_piece(*this, text, from, to, verbatim);
  }
  void string_end(std::string_view, std::uint64_t, std::uint64_t to) { end_string(*this, to); }
  void scalar_begin(json::Kind kind, std::uint64_t from) { begin_scalar(*this, kind, from); }
  void number(std::string_view text, std::uint64_t from, std::uint64_t to, std::uint64_t decided) {
    read_number(*this, text, from, to, decided);
  }
  void literal(json::Kind kind, bool value, std::uint64_t from, std::uint64_t to) {
    read_literal(*this, kind, value, from, to);
  }
  void lone_surrogate(std::uint64_t, std::uint64_t, std::uint64_t decided) { lone_surrogate_found(*this, decided); }
  void broken(json::ScanError what, std::uint64_t at, std::uint64_t decided) { scan_broke(*this, what, at, decided); }
  const char* accept_fast(const char* p, const char* end, std::uint64_t from, std::uint32_t level) {
    return fast_container(*this, p, end, from, level);
  }

  // The contract, the options and the scanner.
  std::shared_ptr<const Program> program;
  const Node* root;
  CheckOptions options;
  json::Scanner<Engine> scanner;
  std::uint64_t now = 0;  // the number of bytes after which the present event was certain

  // What is open: containers, evaluations of their instances, and the schemas wanted at the next one.
  std::vector<Frame> frames;
  std::vector<std::uint32_t> place;  // evaluations of the open instances
  std::vector<Wanted> wanted;
  PlaceIndex place_index;
  std::vector<Scope> scopes;

  Evaluations evaluations;
  Reused<Pool<Extension>> extensions;
  Reused<Pool<Group>> groups;
  Reused<Pool<Branch>> branches;  // the verdict's own is 0

  Keys keys;
  Memory memory;
  SeenSets seen;
  Token token;
  StringRuns strings;
  FastWalk walk;

  Reused<Pool<Found>> found;
  Findings findings;
  Spots spots;
  Stream stream;
  Context context;
};

inline std::uint32_t depth(const Engine& engine) { return static_cast<std::uint32_t>(engine.frames.size()); }

// The key of the member that is open in an object.
inline std::string_view key_of(const Engine& engine, const Frame& frame) {
  return frame.known_key ? std::string_view(frame.key_known, frame.key_size)
                         : std::string_view(engine.keys.bytes.data() + frame.key_offset, frame.key_size);
}

// Takes steps from the budget, if there is one. Returns false when it is used up; then nothing more is decided.
inline bool spend(Engine& engine, std::uint64_t steps) {
  return engine.options.steps == nullptr || (!engine.stream.spent && take_steps(engine, steps));
}

}  // namespace plumb::contract
