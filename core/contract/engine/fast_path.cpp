#include "core/contract/engine/fast_path.hpp"

#include <algorithm>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/distinct.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::uint32_t walk_levels_max = 200;
constexpr std::size_t walk_bytes_min = 32;  // the smallest whole text, in bytes, that is worth a walk
constexpr std::size_t step_max = 1024;      // bytes that are appended to `held` at once

// The plan with which the next container can be accepted, or nullptr.
const Plan* fast_plan(Engine& engine) {
  std::uint32_t number = none32;
  const Frame* frame = engine.frames.empty() ? nullptr : &engine.frames.back();
  if (frame != nullptr && (frame->listens || frame->deferred != none32)) {
    return nullptr;
  }
  if (frame == nullptr || frame->kind == Kind::object) {
    if (!engine.memory.next_readings.empty() || engine.wanted.size() > 1 ||
        (!engine.wanted.empty() && engine.wanted.front().group != none32)) {
      return nullptr;
    }
    number = engine.wanted.empty() ? 0 : engine.wanted.front().node->fast_path;
  } else {
    if (!frame->simple_items || frame->count >= frame->items_room) {
      return nullptr;
    }
    number = frame->fast_path;
    engine.walk.readings = frame->readings_from;
  }
  return number == none32 || !engine.program->fast_paths.plans[number].usable
             ? nullptr
             : &engine.program->fast_paths.plans[number];
}

const char* fast_passes(Engine& engine, std::uint64_t from, const char* after, const char* p) {
  engine.walk.forget_texts();
  if (!engine.frames.empty() && engine.frames.back().kind == Kind::array) {
    ++engine.frames.back().count;
  }
  engine.wanted.clear();
  engine.now = from + static_cast<std::uint64_t>(after - p);
  return after;
}

// The walk gives up: the texts that it has collected are removed, and the open containers are noted.
void fast_fails(Engine& engine) {
  FastWalk& w = engine.walk;
  while (w.depth > 0) {
    w.open.push_back(w.from + w.levels[--w.depth].at);
  }
  for (const FastCollector& collector : w.collectors) {
    forget(*collector.set, collector.entries);
  }
  w.forget_texts();
}

}  // namespace

std::uint32_t fast_items(const Engine& engine, const Frame& frame) {
  bool reads = false;
  for (std::uint32_t i = frame.readings_from; i < frame.readings_to; ++i) {
    reads = reads || engine.program->readings[engine.memory.readings[i].state].star != none32;
  }
  if (!reads) {
    return frame.item_node == nullptr ? 0 : frame.item_node->fast_path;
  }
  for (const FastStart& start : engine.program->fast_paths.starts) {
    if (start.node != frame.item_node || start.states.size() != frame.readings_to - frame.readings_from) {
      continue;
    }
    bool same = true;
    for (std::size_t i = 0; i < start.states.size(); ++i) {
      same = same && engine.memory.readings[frame.readings_from + i].state == start.states[i];
    }
    if (!same) {
      continue;
    }
    // A rule over a tree must know the labels of all nodes above. Otherwise it must compare with those below.
    for (const auto& [rule, origin] : start.trees) {
      const std::uint32_t owner = engine.memory.readings[frame.readings_from + origin].owner;
      const Node& node = *engine.evaluations[owner].node;
      const std::uint32_t tree = rule & ~tree_collect_flag;
      const std::uint32_t number = tree_set_number(node, tree);
      const std::uint32_t extension = engine.evaluations[owner].extension;
      if (looks_for_cycles(node, tree) && extension != none32 && number < engine.extensions[extension].sets.size() &&
          engine.extensions[extension].sets[number] != none32 &&
          engine.seen.sets[engine.extensions[extension].sets[number]].unlabelled > 0) {
        return none32;
      }
    }
    return start.plan;
  }
  return none32;
}

const char* fast_container(Engine& engine, const char* p, const char* end, std::uint64_t from, std::uint32_t depth) {
  FastWalk& w = engine.walk;
  if (w.through != 0) {
    const char* const after = p + w.through;
    w.through = 0;
    return fast_passes(engine, from, after, p);
  }
  if (!w.open.empty() && w.open.back() == from) {
    w.open.pop_back();
    return nullptr;
  }
  const auto size = static_cast<std::size_t>(end - p);
  const Plan* plan = engine.stream.whole && size < walk_bytes_min ? nullptr : fast_plan(engine);
  if (plan == nullptr) {
    return nullptr;
  }
  w.base = p;
  w.from = from;
  w.levels_max = std::min(engine.options.limits.depth_max - depth, walk_levels_max);
  w.depth = 0;
  if (!fast_enter(engine, *plan, p)) {
    return nullptr;
  }
  const Walked walked = fast_walk(engine, p + 1, end, w.holds(p));
  if (walked == Walked::through) {
    return fast_passes(engine, from, p + w.go_on, p);
  }
  if (walked == Walked::cut && !engine.stream.whole && !w.ended && size < FastWalk::held_max) {
    w.hold(p, size);
    w.waits = true;
    return p;
  }
  fast_fails(engine);
  w.open.pop_back();  // this container: the engine has it now
  return nullptr;
}

std::string_view fast_more(Engine& engine, std::string_view& bytes) {
  FastWalk& w = engine.walk;
  while (!bytes.empty()) {
    const std::size_t room = FastWalk::held_max - w.held_size;
    const std::size_t before = w.held_size;
    Walked walked = Walked::no;
    if (room > 0) {
      const std::string_view more = bytes.substr(0, std::min(room, step_max));
      if (engine.stream.passed > 0 && !w.has_room(more.size())) {
        count_passed(engine);
      }
      w.append(more);
      const char* const end = w.base + w.held_size;
      walked = fast_walk(engine, w.base + w.go_on, end, true);
    }
    if (walked == Walked::through) {
      // In a short piece, the bytes after the container are judged in their copy.
      const bool all = w.held_size - before == bytes.size() && w.held_size - w.go_on <= FastWalk::short_piece;
      const std::size_t size = all ? w.held_size : w.go_on;
      bytes.remove_prefix(size - before);
      w.through = w.go_on;
      return {w.base, size};
    }
    bytes.remove_prefix(w.held_size - before);
    if (walked == Walked::no) {
      fast_fails(engine);
      return {w.base, w.held_size};
    }
  }
  return {};
}

std::string_view fast_ends(Engine& engine) {
  fast_fails(engine);
  engine.walk.ended = true;
  return {engine.walk.base, engine.walk.held_size};
}

}  // namespace plumb::contract
