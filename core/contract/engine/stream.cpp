#include "core/contract/engine/stream.hpp"

#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/json/pointer.hpp"
#include "core/text/steps.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::uint64_t step_bytes = 4;  // bytes of text that are read for one step

void scan(Engine& engine, std::string_view bytes) {
  engine.scanner.push(bytes.data(), bytes.size());
  if (engine.stream.stopped && !engine.stream.signals.empty() && engine.stream.signals.back().at_byte > engine.now) {
    engine.stream.signals.pop_back();  // it was about bytes after the text, which do not count
  }
}

void scan_end(Engine& engine) { engine.scanner.end(); }

void watch_stream(Engine& engine, std::string_view bytes) {
  if (const char* what = engine.stream.degenerate.next(bytes, engine.stream.whole)) {
    engine.stream.signals.push_back({"degenerate", what, engine.stream.degenerate.at()});
  }
}

// Judges a piece of the text, up to a container that is held back.
void take(Engine& engine, std::string_view piece) {
  engine.walk.waits = false;
  if (!engine.stream.stopped) {
    scan(engine, piece);
  }
  const bool waits = engine.walk.waits;
  const std::string_view taken =
      waits ? piece.substr(0, static_cast<std::size_t>(engine.walk.from - engine.stream.chunk_start)) : piece;
  const bool held = engine.walk.holds(piece.data());
  if (held && !waits) {
    engine.walk.let_go(piece.data() + piece.size());
  }
  if (held && engine.findings.touched.empty() && engine.spots.placed_frames == depth(engine) &&
      !engine.scanner.in_token()) {
    engine.stream.passed +=
        taken.size();  // no place in it is needed, so its lines are counted later, many pieces at once
  } else {
    if (engine.stream.passed > 0) {
      engine.spots.positions.advance({piece.data() - engine.stream.passed, engine.stream.passed});
      engine.stream.passed = 0;
    }
    find_places(engine, taken, engine.stream.chunk_start, false);
    engine.walk.move_held();
  }
  engine.stream.chunk_start += taken.size();
}

// Nothing more comes, so the engine judges the bytes that are held back.
void take_rest(Engine& engine) {
  if (engine.walk.waits) {
    take(engine, fast_ends(engine));
  }
  if (engine.stream.passed > 0) {
    count_passed(engine);
  }
}

}  // namespace

void Stream::reset() {
  bytes = 0;
  chunk_start = 0;
  passed = 0;
  whole = false;
  ending = false;
  stopped = false;
  size_stopped = false;
  spent = false;
  clean = false;
  signals.clear();
  degenerate.reset();
}

void count_passed(Engine& engine) {
  engine.spots.positions.advance(
      {engine.walk.held.data() + engine.walk.held_from - engine.stream.passed, engine.stream.passed});
  engine.stream.passed = 0;
  engine.walk.move_held();
}

void push_piece(Engine& engine, std::string_view bytes, std::vector<Finding>& certain) {
  if (engine.stream.bytes + bytes.size() > engine.options.limits.bytes_max && !engine.stream.stopped) {
    std::size_t room = static_cast<std::size_t>(engine.options.limits.bytes_max - engine.stream.bytes);
    std::string_view rest = bytes.substr(room);
    if (room > 0) {
      push_piece(engine, bytes.substr(0, room), certain);
    }
    take_rest(engine);
    if (!engine.stream.stopped) {
      engine.now = engine.stream.bytes + 1;
      limit_found(engine, "The text is longer than " + std::to_string(engine.options.limits.bytes_max) + " bytes",
                  pointer_of(engine, depth(engine) > 0 ? depth(engine) - 1 : 0), engine.stream.bytes,
                  engine.stream.bytes + 1, "at most " + std::to_string(engine.options.limits.bytes_max) + " bytes");
      engine.stream.stopped = true;
      engine.stream.size_stopped = true;
      find_places(engine, rest, engine.stream.bytes, false);
      tell(engine, certain);
      engine.stream.bytes += rest.size();
      engine.stream.chunk_start = engine.stream.bytes;
      return;
    }
    bytes = rest;
  }
  if (!engine.stream.stopped) {
    watch_stream(engine, bytes);
    spend(engine, bytes.size() / step_bytes);
  }
  engine.stream.bytes += bytes.size();
  while (!bytes.empty()) {
    if (engine.walk.waits) {
      const std::string_view piece = fast_more(engine, bytes);
      if (piece.empty()) {
        break;
      }
      take(engine, piece);
    } else if (bytes.size() <= FastWalk::short_piece && !engine.stream.stopped) {
      if (engine.stream.passed > 0 && !engine.walk.has_room(bytes.size())) {
        count_passed(engine);
      }
      take(engine, engine.walk.copy(std::exchange(bytes, {})));
    } else {
      if (engine.stream.passed > 0) {
        count_passed(engine);
      }
      take(engine, std::exchange(bytes, {}));
    }
  }
  note_spent(engine);
  if (engine.stream.spent) {
    engine.stream.stopped = engine.stream.size_stopped = true;
  }
  if (!engine.findings.certain.empty() || !engine.findings.completed.empty()) {
    tell(engine, certain);
  }
}

void read_text(Engine& engine, std::string_view text) {
  std::vector<Finding> certain;
  if (text.size() > engine.options.limits.bytes_max) {
    push_piece(engine, text, certain);
    finish_text(engine, certain);
    return;
  }
  engine.stream.whole = true;
  engine.stream.whole_text = text;
  engine.stream.chunk_start = 0;
  watch_stream(engine, text);
  spend(engine, text.size() / step_bytes);
  scan(engine, text);
  engine.stream.bytes = text.size();
  finish_text(engine, certain);
}

void finish_text(Engine& engine, std::vector<Finding>& certain) {
  take_rest(engine);
  engine.stream.ending = true;
  if (!engine.stream.size_stopped) {
    scan_end(engine);
  }
  note_spent(engine);
  // Values that are still open end here, cut short. Their present size is a lower bound.
  auto at_least = [&](std::uint32_t first) {
    for (std::uint32_t i = first; i != none32; i = engine.found[i].next_open) {
      engine.found[i].size_at_least = true;
    }
  };
  if (engine.token.active) {
    at_least(engine.token.open_found);
    engine.token.to = engine.stream.bytes;
    if (engine.token.kind == Kind::string) {
      engine.token.text = engine.strings.kept;
    }
    complete_token(engine);
  }
  for (std::size_t i = engine.frames.size(); i-- > 0;) {
    at_least(engine.frames[i].open_found);
    complete_frame(engine, engine.frames[i], engine.stream.bytes);
  }
  if (engine.stream.whole) {
    find_places(engine, engine.stream.whole_text, 0, true);
  } else {
    find_places(engine, {}, engine.stream.bytes, true);
  }
  tell(engine, certain);
  PLUMB_REQUIRE(
      engine.stream.stopped || engine.stream.spent || !engine.findings.root_broken || engine.findings.any_error,
      "what is broken has a finding that says why");
  const bool asked =
      engine.findings.asks != nullptr || engine.root->extra == nullptr || engine.root->extra->rules.empty();
  engine.stream.clean = asked && engine.findings.kept.empty() && engine.findings.others.empty() &&
                        engine.findings.more_by_rule.empty() && engine.stream.signals.empty() &&
                        !engine.findings.limit_reached && !engine.findings.context_missing && !engine.stream.stopped;
}

bool take_steps(Engine& engine, std::uint64_t steps) {
  if (engine.options.steps->take(steps)) {
    return true;
  }
  engine.stream.spent = true;
  limit_found(engine, "Judging was given up: " + engine.options.steps->why(),
              pointer_of(engine, depth(engine) > 0 ? depth(engine) - 1 : 0), engine.now, engine.now,
              "a contract and a text that can be judged in fewer steps");
  return false;
}

void note_spent(Engine& engine) {
  if (engine.options.steps != nullptr && engine.options.steps->spent()) {
    spend(engine, 0);
  }
}

void lone_surrogate_found(Engine& engine, std::uint64_t decided) {
  // From the beginning of its string to the byte that reveals it, because the escape itself may be in an earlier
  // piece.
  text_found(engine, Kw::lone_surrogate, "This string holds a surrogate without its other half",
             engine.scanner.token_from(), decided, decided);
}

void scan_broke(Engine& engine, json::ScanError what, std::uint64_t at, std::uint64_t decided) {
  engine.now = decided;
  engine.stream.stopped = true;
  std::string message(json::scan_error_message(what));
  if (json::is_limit(what)) {
    // A container that is too deep is placed where its parent's next child would be.
    std::string where = pointer_of(engine, depth(engine) > 0 ? depth(engine) - 1 : 0);
    if (what == json::ScanError::depth_limit && !engine.frames.empty()) {
      if (engine.frames.back().kind == Kind::object) {
        json::append_token(where, key_of(engine, engine.frames.back()));
      } else {
        json::append_token(where, std::uint64_t{engine.frames.back().count});
      }
    }
    limit_found(engine, std::move(message), std::move(where), at, decided,
                what == json::ScanError::depth_limit
                    ? "at most " + std::to_string(engine.options.limits.depth_max) + " levels"
                    : "a shorter number");
    return;
  }
  text_found(engine, Kw::syntax, std::move(message), at, decided, decided);
}

}  // namespace plumb::contract
