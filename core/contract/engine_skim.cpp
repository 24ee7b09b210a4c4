// Skimming: a container is accepted by its plan (skim.hpp), or left to the engine.
//
// The walk over the bytes (engine_walk.cpp) is strict where the scanner is strict, and gives up wherever it cannot say
// yes: a fault, a bound, a key given twice, half of a surrogate pair. What `distinct` and `acyclic` above collect is
// inserted as it is met; when the walk gives up, that is taken back. So giving up costs time and nothing else. That
// time is bounded: the containers that were open where a walk gave up are known to be such that no walk gets through
// them, and are not tried again; those before that place are passed at the second attempt. So each byte is read in vain
// at most once.
//
// A container that goes on in the next piece is held back: the scanner waits before it, and the walk goes on with what
// comes. It looks at every byte when it comes, and gives up no later than the byte by which the engine would be certain
// of anything; then the engine judges what was held, and finds with this piece what it would have found without the
// walk. While the walk waits there is nothing to tell: no finding, and no place that anybody has asked for.

#include <algorithm>

#include "core/contract/engine.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::uint32_t levels_max = 200;
constexpr std::size_t least = 32;       // bytes of a whole text that are worth a walk
constexpr std::size_t step_max = 1024;  // bytes copied at once to what is held

}  // namespace

// The plan for the items of a container in which outer rules read, or none.
std::uint32_t Engine::skim_items(const Frame& frame) const {
  bool reads = false;
  for (std::uint32_t i = frame.readings_from; i < frame.readings_to; ++i) {
    reads = reads || p_.readings[readings_[i].state].star != none32;
  }
  if (!reads) {
    return frame.item_node == nullptr ? 0 : frame.item_node->skim;
  }
  for (const SkimStart& start : p_.skims.starts) {
    if (start.node != frame.item_node || start.states.size() != frame.readings_to - frame.readings_from) {
      continue;
    }
    bool same = true;
    for (std::size_t i = 0; i < start.states.size(); ++i) {
      same = same && readings_[frame.readings_from + i].state == start.states[i];
    }
    if (!same) {
      continue;
    }
    // A rule over a tree must know the labels of all nodes above, else it has to compare with those below.
    for (const auto& [rule, origin] : start.trees) {
      const std::uint32_t owner = readings_[frame.readings_from + origin].owner;
      const Node& node = *evaluations_[owner].node;
      const std::uint32_t tree = rule & ~tree_collect_flag;
      const std::uint32_t number = tree_set_number(node, tree);
      const std::uint32_t extension = evaluations_[owner].extension;
      if (looks_for_cycles(node, tree) && extension != none32 && number < extensions_[extension].sets.size() &&
          extensions_[extension].sets[number] != none32 && sets_[extensions_[extension].sets[number]].unlabelled > 0) {
        return none32;
      }
    }
    return start.plan;
  }
  return none32;
}

// The plan by which the next container can be accepted, or null.
const Plan* Engine::skim_plan() {
  std::uint32_t number = none32;
  const Frame* frame = frames_.empty() ? nullptr : &frames_.back();
  if (frame != nullptr && (frame->listens || frame->deferred != none32)) {
    return nullptr;
  }
  if (frame == nullptr || frame->kind == Kind::object) {
    if (!next_readings_.empty() || wanted_.size() > 1 || (!wanted_.empty() && wanted_.front().group != none32)) {
      return nullptr;
    }
    number = wanted_.empty() ? 0 : wanted_.front().node->skim;
  } else {
    if (!frame->simple_items || frame->count >= frame->items_room) {
      return nullptr;
    }
    number = frame->skim;
    walk_.readings = frame->readings_from;
  }
  return number == none32 || !p_.skims.plans[number].usable ? nullptr : &p_.skims.plans[number];
}

// The scanner is at a container: the byte after it, where it could be accepted at once; p, where more must be seen.
const char* Engine::skim(const char* p, const char* end, std::uint64_t from, std::uint32_t depth) {
  SkimWalk& w = walk_;
  if (w.through != 0) {
    const char* const after = p + w.through;
    w.through = 0;
    return skim_passes(from, after, p);
  }
  if (!w.open.empty() && w.open.back() == from) {
    w.open.pop_back();
    return nullptr;
  }
  const auto size = static_cast<std::size_t>(end - p);
  const Plan* plan = whole_ && size < least ? nullptr : skim_plan();
  if (plan == nullptr) {
    return nullptr;
  }
  w.base = p;
  w.from = from;
  w.levels_max = std::min(options_.limits.depth_max - depth, levels_max);
  w.depth = 0;
  if (!skim_enter(*plan, p)) {
    return nullptr;
  }
  const Walked walked = skim_walk(p + 1, end, w.holds(p));
  if (walked == Walked::through) {
    return skim_passes(from, p + w.go_on, p);
  }
  if (walked == Walked::cut && !whole_ && !w.ended && size < SkimWalk::held_max) {
    w.hold(p, size);
    w.waits = true;
    return p;
  }
  skim_fails();
  w.open.pop_back();  // this one: the engine has it now
  return nullptr;
}

const char* Engine::skim_passes(std::uint64_t from, const char* after, const char* p) {
  walk_.forget_texts();
  if (!frames_.empty() && frames_.back().kind == Kind::array) {
    ++frames_.back().count;
  }
  wanted_.clear();
  now_ = from + static_cast<std::uint64_t>(after - p);
  return after;
}

// The walk gives up: what it has collected is taken back, and the containers that are open are known.
void Engine::skim_fails() {
  SkimWalk& w = walk_;
  while (w.depth > 0) {
    w.open.push_back(w.from + w.levels[--w.depth].at);
  }
  for (const SkimCollector& collector : w.collectors) {
    forget(*collector.set, collector.entries);
  }
  w.forget_texts();
}

// Goes on with the walk that waits, and takes what it reads from `bytes`. The piece that the scanner is to have then;
// empty while the walk goes on waiting.
std::string_view Engine::skim_more(std::string_view& bytes) {
  SkimWalk& w = walk_;
  while (!bytes.empty()) {
    const std::size_t room = SkimWalk::held_max - w.held_size;
    const std::size_t before = w.held_size;
    Walked walked = Walked::no;
    if (room > 0) {
      const std::string_view more = bytes.substr(0, std::min(room, step_max));
      if (passed_ > 0 && !w.has_room(more.size())) {
        count_passed();
      }
      w.append(more);
      const char* const end = w.base + w.held_size;
      walked = skim_walk(w.base + w.go_on, end, true);
    }
    if (walked == Walked::through) {
      // What comes behind it in a short piece is judged where it was copied to.
      const bool all = w.held_size - before == bytes.size() && w.held_size - w.go_on <= SkimWalk::short_piece;
      const std::size_t size = all ? w.held_size : w.go_on;
      bytes.remove_prefix(size - before);
      w.through = w.go_on;
      return {w.base, size};
    }
    bytes.remove_prefix(w.held_size - before);
    if (walked == Walked::no) {
      skim_fails();
      return {w.base, w.held_size};
    }
  }
  return {};
}

// What is held when nothing more comes: for the engine.
std::string_view Engine::skim_ends() {
  skim_fails();
  walk_.ended = true;
  return {walk_.base, walk_.held_size};
}

}  // namespace plumb::contract
