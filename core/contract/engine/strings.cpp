#include "core/contract/engine/strings.hpp"

#include <algorithm>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/format.hpp"
#include "core/contract/keywords/lengths.hpp"
#include "core/stable_sort.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::size_t kept_for_messages = 2048;  // bytes that are kept of a text that no rule needs as a whole

// Reports what a piece has made certain, in the order in which it became so, however the text was cut.
void report_due(Engine& engine) {
  stable_sort(engine.strings.due,
              [](const StringRuns::Due& x, const StringRuns::Due& y) { return x.decided < y.decided; });
  for (std::size_t i = 0; i < engine.strings.due.size(); ++i) {
    const StringRuns::Due due = engine.strings.due[i];
    if (due.part != nullptr) {
      report_members(engine, due.evaluation, *due.part, due.decided);
    } else if (due.kw == Kw::pattern) {
      report_patterns(engine, 0, due.decided);
    } else {
      report_too_long(engine, due);
    }
  }
}

}  // namespace

void read_string(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to) {
  engine.now = from + 1;
  if (accepts_item(engine, text, from, to, true)) {
    return;
  }
  item_begin(engine);
  if (accepts_wanted(engine, text)) {
    engine.wanted.clear();
    if (engine.memory.next_readings.empty() && (engine.frames.empty() || !engine.frames.back().listens)) {
      return;
    }
    engine.now = to;
    engine.token.kind = Kind::string;
    engine.token.text = text;
    engine.token.from = from;
    engine.token.verbatim = engine.stream.whole;
    scalar_end(engine, to);
    return;
  }
  scalar_place(engine, Kind::string, from);
  feed(engine, text, from + 1, to - 1, true);
  engine.token.text = text;
  engine.now = to;
  scalar_finish(engine, to);
  scalar_end(engine, to);
}

bool read_decoded(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to) {
  engine.now = from + 1;
  if (accepts_item(engine, text, from, to, false)) {
    return true;
  }
  item_begin(engine);
  if (!accepts_wanted(engine, text)) {
    engine.strings.item_begun = true;
    return false;
  }
  engine.wanted.clear();
  if (engine.memory.next_readings.empty() && (engine.frames.empty() || !engine.frames.back().listens)) {
    return true;
  }
  engine.now = to;
  engine.token.kind = Kind::string;
  engine.token.text = text;
  engine.token.from = from;
  engine.token.verbatim = false;
  scalar_end(engine, to);
  return true;
}

json::StringWant begin_string(Engine& engine, std::uint64_t from) {
  engine.now = from + 1;
  if (!engine.strings.item_begun) {
    item_begin(engine);
  }
  engine.strings.item_begun = false;
  if (engine.wanted.empty() && engine.memory.next_readings.empty() &&
      (engine.frames.empty() || !engine.frames.back().listens)) {
    engine.token.active = false;
    engine.token.from = from;
    engine.token.kind = Kind::string;
    engine.strings.skipping = true;
    return json::StringWant::nothing;
  }
  scalar_place(engine, Kind::string, from);
  return json::StringWant::pieces;
}

void read_piece(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim) {
  feed(engine, text, from, to, verbatim);
  if (engine.token.wants_text || engine.strings.kept.size() < kept_for_messages) {
    engine.strings.kept.append(text);
  }
}

void end_string(Engine& engine, std::uint64_t to) {
  if (engine.strings.skipping) {
    engine.strings.skipping = false;
    return;
  }
  engine.token.text = engine.strings.kept;
  engine.now = to;
  scalar_finish(engine, to);
  scalar_end(engine, to);
}

text::Matcher& matcher_of(Engine& engine, std::uint32_t pattern) {
  if (engine.strings.matchers.size() <= pattern) {
    engine.strings.matchers.resize(engine.program->patterns.size());
  }
  if (!engine.strings.matchers[pattern]) {
    engine.strings.matchers[pattern] = std::make_unique<text::Matcher>(engine.program->patterns[pattern]);
    engine.strings.matchers[pattern]->meter(engine.options.steps);
  }
  return *engine.strings.matchers[pattern];
}

std::uint64_t StringPiece::after_point(std::uint64_t number) const {
  std::size_t i = 0;
  for (std::uint64_t n = 0; verbatim && i < text.size(); ++n) {
    i += text::utf8_size(text::decode(text.data() + i, text.data() + text.size()).code_point);
    if (n == number) {
      break;
    }
  }
  return after(i);
}

void feed(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim) {
  const StringPiece piece{text, from, to, verbatim, text::code_points(text)};
  engine.strings.due.clear();
  feed_lengths(engine, piece);
  for (EnumRun& run : engine.strings.enum_runs) {
    if (!run.dead) {
      feed_members(engine, run, piece);
    }
  }
  for (PatternRun& run : engine.strings.pattern_runs) {
    if (!run.decided) {
      feed_pattern(engine, run, piece);
    }
  }
  if (!engine.strings.due.empty()) {
    report_due(engine);
  }
}

void check_string_end(Engine& engine, std::uint32_t index) {
  const StringPart& s = *engine.evaluations[index].node->string;
  judge_lengths(engine, index, s);
  if (s.pattern != none32) {
    judge_pattern(engine, s.pattern);
  }
  judge_format(engine, index, s);
  if (!s.text_rules.empty() && spend(engine, s.text_rules.size() * (20 + 4 * engine.token.text.size()))) {
    check_text_rules(engine, index);
  }
}

}  // namespace plumb::contract
