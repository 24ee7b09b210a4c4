#include "core/contract/engine/memory.hpp"

#include <algorithm>

#include "core/contract/engine/engine.hpp"
#include "core/json/pointer.hpp"

namespace plumb::contract {

using json::Kind;

void gather_in(const json::Value& value, const PointerPattern& pattern, std::size_t token,
               std::vector<const json::Value*>& out) {
  if (token == pattern.tokens.size()) {
    out.push_back(&value);
    return;
  }
  const json::PointerToken& t = pattern.tokens[token];
  if (!t.star) {
    if (const json::Value* next = json::step(value, t)) {
      gather_in(*next, pattern, token + 1, out);
    }
    return;
  }
  for (const json::Value& item : value.array()) {
    gather_in(item, pattern, token + 1, out);
  }
  for (const json::Member& member : value.object()) {
    gather_in(member.value, pattern, token + 1, out);
  }
}

void gather_open(const Engine& engine, std::uint32_t at, const PointerPattern& pattern, std::size_t token,
                 std::vector<const json::Value*>& out) {
  if (token == pattern.tokens.size() || at >= engine.frames.size()) {
    return;  // an open value is not known yet
  }
  const Frame& frame = engine.frames[at];
  const json::PointerToken& t = pattern.tokens[token];
  std::size_t to = at + 1 < engine.frames.size() ? engine.frames[at + 1].values_from : engine.memory.values.size();
  bool open_child = at + 1 < engine.frames.size();
  for (std::size_t i = frame.values_from; i < to; ++i) {
    bool reached = t.star || (frame.kind == Kind::object ? engine.memory.values[i].key == t.text
                                                         : t.is_index && i - frame.values_from == t.index);
    if (reached) {
      gather_in(engine.memory.values[i].value, pattern, token + 1, out);
      if (!t.star) {
        return;
      }
    }
  }
  if (open_child && (t.star || (frame.kind == Kind::object ? key_of(engine, frame) == t.text
                                                           : t.is_index && frame.count - 1 == t.index))) {
    gather_open(engine, at + 1, pattern, token + 1, out);
  }
}

bool gather(const Engine& engine, std::uint32_t index, std::uint32_t instance_depth, const json::Value* own,
            std::vector<const json::Value*>& out) {
  const PointerPattern& pattern = engine.program->pointer_patterns[index];
  std::size_t before = out.size();
  switch (pattern.base) {
    case json::PointerBase::context:
      if (!engine.context.present) {
        return false;
      }
      gather_in(engine.context.value, pattern, 0, out);
      if (out.size() == before) {
        // An empty list is an answer too: nothing is in it.
        PointerPattern up = pattern;
        while (!up.tokens.empty() && !up.tokens.back().star) {
          up.tokens.pop_back();
        }
        if (!up.tokens.empty()) {
          up.tokens.pop_back();
          std::vector<const json::Value*> lists;
          gather_in(engine.context.value, up, 0, lists);
          return !lists.empty();
        }
        return false;
      }
      return true;
    case json::PointerBase::root:
      if (instance_depth == 0) {
        if (own != nullptr) {
          gather_in(*own, pattern, 0, out);
        }
      } else {
        gather_open(engine, 0, pattern, 0, out);
      }
      return true;
    default:
      break;
  }
  if (pattern.levels_up == 0) {
    if (own != nullptr) {
      gather_in(*own, pattern, 0, out);
    }
  } else if (pattern.levels_up <= instance_depth) {
    gather_open(engine, instance_depth - pattern.levels_up, pattern, 0, out);
  }
  return true;
}

bool reads_a_list(const Engine& engine, std::uint32_t index, std::uint32_t instance_depth, const json::Value& own) {
  PointerPattern pattern = engine.program->pointer_patterns[index];
  std::size_t star = 0;
  while (star < pattern.tokens.size() && !pattern.tokens[star].star) {
    ++star;
  }
  bool has_star = star < pattern.tokens.size();
  pattern.tokens.resize(star);
  if (star == 0) {
    return true;  // the base itself, which is a container
  }
  std::vector<const json::Value*> values;
  if (pattern.base == json::PointerBase::context) {
    gather_in(engine.context.value, pattern, 0, values);
  } else if (pattern.base == json::PointerBase::root ? instance_depth == 0 : pattern.levels_up == 0) {
    gather_in(own, pattern, 0, values);
  } else {
    std::uint32_t base =
        pattern.base == json::PointerBase::root ? 0 : instance_depth - std::min(pattern.levels_up, instance_depth);
    gather_open(engine, base, pattern, 0, values);
    // The container that is open on the way counts as being there.
    std::size_t token = 0;
    for (std::uint32_t d = base; has_star && d + 1 < engine.frames.size() && token < star; ++d, ++token) {
      const Frame& frame = engine.frames[d];
      const json::PointerToken& t = pattern.tokens[token];
      if (frame.kind == Kind::object ? key_of(engine, frame) != t.text : !t.is_index || frame.count - 1 != t.index) {
        break;
      }
      if (token + 1 == star) {
        return true;
      }
    }
  }
  for (const json::Value* v : values) {
    if (!has_star || v->is(Kind::array) || v->is(Kind::object)) {
      return true;
    }
  }
  return false;
}

std::uint32_t waits_for(const Engine& engine, const CrossRule& rule, std::uint32_t instance_depth,
                        std::uint32_t closing) {
  auto waits = [&](std::uint32_t index) {
    if (index == none32) {
      return none32;
    }
    const PointerPattern& pattern = engine.program->pointer_patterns[index];
    std::uint32_t base = 0;
    if (pattern.base == json::PointerBase::context ||
        (pattern.base == json::PointerBase::instance && pattern.levels_up == 0)) {
      return none32;
    }
    if (pattern.base == json::PointerBase::instance) {
      if (pattern.levels_up > instance_depth) {
        return none32;
      }
      base = instance_depth - pattern.levels_up;
    } else if (instance_depth == 0) {
      return none32;
    }
    if (base == closing || base >= engine.frames.size() || pattern.tokens.empty()) {
      return base == closing || base >= engine.frames.size() ? none32 : base;
    }
    const Frame& frame = engine.frames[base];
    const json::PointerToken& t = pattern.tokens.front();
    if (t.star) {
      return base;
    }
    std::size_t to =
        base + 1 < engine.frames.size() ? engine.frames[base + 1].values_from : engine.memory.values.size();
    if (frame.kind == Kind::array) {
      return t.is_index && t.index < to - frame.values_from ? none32 : base;
    }
    for (std::size_t i = frame.values_from; i < to; ++i) {
      if (engine.memory.values[i].key == t.text) {
        return none32;
      }
    }
    return base;
  };
  for (const auto* list : {&rule.all, &rule.any}) {
    for (const CrossRule::Operand& operand : *list) {
      std::uint32_t base = waits(operand.pattern);
      if (base != none32) {
        return base;
      }
    }
  }
  for (const CrossRule::Bound& bound : rule.bounds) {
    std::uint32_t base = waits(bound.pattern);
    if (base != none32) {
      return base;
    }
  }
  return none32;
}

}  // namespace plumb::contract
