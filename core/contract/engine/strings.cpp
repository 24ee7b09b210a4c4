#include "core/contract/engine/strings.hpp"

#include <algorithm>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/lengths.hpp"
#include "core/stable_sort.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::size_t kept_for_messages = 2048;  // bytes of a text that no rule needs whole

// How far the members of an enum still agree with a string that goes on with this piece.
void feed_members(Engine& engine, EnumRun& r, const StringPiece& piece) {
  const std::string_view text = piece.text;
  auto member = [&](std::uint32_t i) { return r.part->members[r.part->strings[i]].value.str(); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    while (r.low < r.high && (member(r.low).size() <= r.size ||
                              static_cast<unsigned char>(member(r.low)[r.size]) < static_cast<unsigned char>(c))) {
      ++r.low;
    }
    std::uint32_t high = r.low;
    while (high < r.high && member(high).size() > r.size && member(high)[r.size] == c) {
      ++high;
    }
    r.high = high;
    ++r.size;
    if (r.low == r.high) {
      // Certain at the end of the character.
      std::size_t stop = i + 1;
      while (stop < text.size() && text::is_continuation(text[stop])) {
        ++stop;
      }
      r.dead = true;
      engine.strings.due.push_back({piece.after(stop), Kw::enum_, r.evaluation, r.part});
      break;
    }
  }
}

void feed_pattern(Engine& engine, PatternRun& r, const StringPiece& piece) {
  std::size_t after = 0;
  const text::Status status = matcher_of(engine, r.pattern).feed(piece.text, after);
  if (status == text::Status::undecided) {
    return;
  }
  r.decided = true;
  r.holds = status == text::Status::matches;
  r.at = piece.after(after);
  if (!r.holds) {
    engine.strings.due.push_back({r.at, Kw::pattern, none32, nullptr});
  }
}

// Tells what a piece has made certain, in the order in which it became so: how the text was cut changes nothing.
void report_due(Engine& engine) {
  stable_sort(engine.strings.due,
              [](const StringRuns::Due& x, const StringRuns::Due& y) { return x.decided < y.decided; });
  for (std::size_t i = 0; i < engine.strings.due.size(); ++i) {
    const StringRuns::Due due = engine.strings.due[i];
    switch (due.kw) {
      case Kw::enum_:
        report_members(engine, due.evaluation, *due.part, due.decided);
        break;
      case Kw::pattern:
        report_patterns(engine, 0, due.decided);
        break;
      default:
        report_too_long(engine, due);
        break;
    }
  }
}

}  // namespace

void read_string(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to) {
  engine.now = from + 1;
  if (quick_item(engine, text, from, to, true)) {
    return;
  }
  item_begin(engine);
  if (quick_wanted(engine, text)) {
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
  if (quick_item(engine, text, from, to, false)) {
    return true;
  }
  item_begin(engine);
  if (!quick_wanted(engine, text)) {
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

void report_patterns(Engine& engine, std::uint64_t least, std::uint64_t most) {
  for (PatternRun& r : engine.strings.pattern_runs) {
    if (!r.decided || r.holds || r.told || r.at > most) {
      continue;
    }
    r.told = true;
    for (std::size_t i = engine.token.place_from; i < engine.place.size(); ++i) {
      const Node& node = *engine.evaluations[engine.place[i]].node;
      if (node.string && node.string->pattern == r.pattern) {
        std::uint32_t f = prepare(engine, engine.place[i], Kw::pattern, node.string->pattern_at, 0);
        const json::Value* source = node.schema->find("pattern");
        engine.found[f].finding.requirement =
            "text that matches " + (source != nullptr ? std::string(source->str()) : std::string());
        report(engine, f, std::max(r.at, least));
      }
    }
  }
}

void check_string_end(Engine& engine, std::uint32_t index) {
  const StringPart& s = *engine.evaluations[index].node->string;
  judge_lengths(engine, index, s);
  if (s.pattern != none32) {
    for (PatternRun& r : engine.strings.pattern_runs) {
      if (r.pattern == s.pattern && !r.decided) {
        r.decided = true;
        r.holds = matcher_of(engine, r.pattern).end();
        r.at = engine.now;
      }
    }
    report_patterns(engine, 0, no_bound);
  }
  if (s.format && !text::format_holds(*s.format, engine.token.text)) {
    std::uint32_t f = prepare(engine, index, Kw::format, s.format_at, 0);
    engine.found[f].finding.requirement = "text in the format " + std::string(text::format_name(*s.format));
    engine.found[f].limit = std::string(text::format_name(*s.format));
    report(engine, f, engine.now);
  }
  if (!s.text_rules.empty() && spend(engine, s.text_rules.size() * (20 + 4 * engine.token.text.size()))) {
    check_text_rules(engine, index);
  }
}

}  // namespace plumb::contract
