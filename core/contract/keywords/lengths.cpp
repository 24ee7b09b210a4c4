#include "core/contract/keywords/lengths.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"
#include "core/wording.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

std::string characters(std::uint64_t count) { return counted(count, "character"); }

void compile_length(Compiler& compiler, Compiler::At& at) {
  const json::Value& value = at.member.value;
  if (!compiler.form(at, value.is(Kind::object), "an object {fold, min, max}") ||
      !compiler.only_members(at, value, {"fold", "min", "max"})) {
    return;
  }
  constexpr std::string_view wanted = "given min and max as whole numbers, 0 or greater";
  const json::Value* fold = value.find("fold");
  const json::Value* min = value.find("min");
  const json::Value* max = value.find("max");
  StringPart part;
  bool folds = false;
  if (!compiler.whole(at, min, part.length_min, wanted) || !compiler.whole(at, max, part.length_max, wanted) ||
      (fold != nullptr && !compiler.read_fold(at, *fold, part.length_fold, folds)) ||
      !compiler.form(at, min != nullptr || max != nullptr, "given min or max")) {
    return;
  }
  StringPart& s = compiler.string(at.node);
  s.has_length = true;
  s.length_at = at.position;
  s.length_fold = part.length_fold;
  s.length_min = part.length_min;
  s.length_max = part.length_max;
}

void compile_not_blank(Compiler& compiler, Compiler::At& at) {
  const json::Value& value = at.member.value;
  if (compiler.form(at, value.is(Kind::boolean), "true or false") && value.boolean) {
    compiler.string(at.node).not_blank = true;
    compiler.string(at.node).not_blank_at = at.position;
  }
}

bool has_length_form(const json::Value& value) {
  const auto is_number = [](const json::Value* one) { return one != nullptr && one->is(Kind::number); };
  return is_number(value.find("min")) || is_number(value.find("max"));
}

// ---------------------------------------------------------------- counting

// The counts for a piece that begins and ends with no white space, where no bound can be crossed in it.
bool count_solid(Engine& engine, std::string_view text, std::size_t points) {
  if (text.empty() || !plain_byte(text.back()) || (engine.token.blank && !plain_byte(text.front()))) {
    return false;
  }
  std::uint64_t leading = engine.token.blank ? engine.token.points : engine.token.leading;
  std::uint64_t trimmed = engine.token.points + points - leading;
  for (std::size_t i = engine.token.place_from; i < engine.place.size(); ++i) {
    const Node& node = *engine.evaluations[engine.place[i]].node;
    if (node.string && node.string->has_length && trimmed > node.string->length_max) {
      return false;
    }
  }
  engine.token.blank = false;
  engine.token.leading = leading;
  engine.token.points_trimmed = trimmed;
  return true;
}

// What a piece makes certain about lengths in characters. Whether white space at its ends counts for some rule.
bool exceeds_lengths(Engine& engine, const StringPiece& piece) {
  bool trims = false;
  for (std::size_t i = engine.token.place_from; i < engine.place.size(); ++i) {
    const Node& node = *engine.evaluations[engine.place[i]].node;
    if (!node.string) {
      continue;
    }
    const StringPart& s = *node.string;
    const std::uint64_t before = engine.token.points;
    const auto exceeds = [&](std::uint64_t limit) {
      return limit != no_bound && before <= limit && before + piece.points > limit;
    };
    trims = trims || s.not_blank || (s.has_length && s.length_fold.trim);
    if (exceeds(s.max_length)) {
      engine.strings.due.push_back(
          {piece.after_point(s.max_length - before), Kw::max_length, engine.place[i], nullptr});
    }
    if (s.has_length && !s.length_fold.trim && !s.length_fold.lowercase && exceeds(s.length_max)) {
      engine.strings.due.push_back({piece.after_point(s.length_max - before), Kw::length, engine.place[i], nullptr});
    }
  }
  return trims;
}

// From the first to the last character that is no white space.
void feed_trimmed(Engine& engine, const StringPiece& piece) {
  const char* p = piece.text.data();
  const char* end = p + piece.text.size();
  std::uint64_t point = engine.token.points;
  while (p != end) {
    text::Decoded d = text::decode(p, end);
    p += d.size;
    ++point;
    if (text::is_white_space(d.code_point)) {
      continue;
    }
    if (engine.token.blank) {
      engine.token.blank = false;
      engine.token.leading = point - 1;
    }
    std::uint64_t before = engine.token.points_trimmed;
    engine.token.points_trimmed = point - engine.token.leading;
    for (std::size_t i = engine.token.place_from; i < engine.place.size(); ++i) {
      const Node& node = *engine.evaluations[engine.place[i]].node;
      if (node.string && node.string->has_length && node.string->length_fold.trim &&
          !node.string->length_fold.lowercase && before <= node.string->length_max &&
          engine.token.points_trimmed > node.string->length_max) {
        engine.strings.due.push_back(
            {piece.after(static_cast<std::size_t>(p - piece.text.data())), Kw::length, engine.place[i], nullptr});
      }
    }
  }
}

}  // namespace

void feed_lengths(Engine& engine, const StringPiece& piece) {
  if (exceeds_lengths(engine, piece) && !count_solid(engine, piece.text, piece.points)) {
    feed_trimmed(engine, piece);
  }
  engine.token.points += piece.points;
}

// ---------------------------------------------------------------- accepting

std::uint64_t lengths_calm(const StringPart& s) {
  return s.has_length ? std::min(s.max_length, s.length_max) : s.max_length;
}

bool lengths_may_go_on(const StringPart& s, std::string_view text) {
  const std::uint64_t most = lengths_calm(s);
  return text.size() <= most || text::code_points(text) <= most;
}

bool only_not_blank(const StringPart& s) {
  return s.not_blank && s.min_length == 0 && s.max_length == no_bound && !s.has_length && s.pattern == none32 &&
         !s.format;
}

// ---------------------------------------------------------------- judging

namespace {

void report_length(Engine& engine, std::uint32_t index, Kw kw, Position position, const char* words,
                   std::uint64_t limit, std::uint64_t decided) {
  const std::uint32_t f = prepare(engine, index, kw, position, 0);
  engine.found[f].finding.requirement = words + characters(limit);
  engine.found[f].limit = std::to_string(limit);
  report(engine, f, decided);
}

}  // namespace

void report_too_long(Engine& engine, const StringRuns::Due& due) {
  const StringPart& s = *engine.evaluations[due.evaluation].node->string;
  const bool ours = due.kw == Kw::length;
  report_length(engine, due.evaluation, due.kw, ours ? s.length_at : s.max_length_at, "at most ",
                ours ? s.length_max : s.max_length, due.decided);
}

void judge_lengths(Engine& engine, std::uint32_t index, const StringPart& s) {
  if (engine.token.points < s.min_length) {
    report_length(engine, index, Kw::min_length, s.min_length_at, "at least ", s.min_length, engine.now);
  }
  if (s.not_blank && engine.token.blank) {
    const std::uint32_t f = prepare(engine, index, Kw::not_blank, s.not_blank_at, 0);
    engine.found[f].finding.requirement = "text that is not blank";
    report(engine, f, engine.now);
  }
  if (s.has_length) {
    const std::uint64_t size = folded_length(engine, s);
    if (size < s.length_min) {
      report_length(engine, index, Kw::length, s.length_at, "at least ", s.length_min, engine.now);
    } else if (size > s.length_max && s.length_fold.lowercase) {  // else it was told as the string came
      report_length(engine, index, Kw::length, s.length_at, "at most ", s.length_max, engine.now);
    }
  }
}

std::uint64_t folded_length(Engine& engine, const StringPart& s) {
  if (s.length_fold.lowercase) {
    engine.strings.folded.clear();
    text::fold_append(engine.token.text, s.length_fold, engine.strings.folded);
    return text::code_points(engine.strings.folded);
  }
  return s.length_fold.trim ? engine.token.points_trimmed : engine.token.points;
}

namespace {

std::string shown_length(const Found& found) { return found.size + (found.size == "1" ? " character" : " characters"); }

}  // namespace

const Keyword min_length_keyword = {.vocabulary = Vocabulary::validation,
                                    .compile =
                                        [](Compiler& compiler, Compiler::At& at) {
                                          compiler.string(at.node).min_length_at = at.position;
                                          compiler.count(at, compiler.string(at.node).min_length);
                                        },
                                    .provided = shown_length,
                                    .message = must_have};

const Keyword max_length_keyword = {.vocabulary = Vocabulary::validation,
                                    .compile =
                                        [](Compiler& compiler, Compiler::At& at) {
                                          compiler.string(at.node).max_length_at = at.position;
                                          compiler.count(at, compiler.string(at.node).max_length);
                                        },
                                    .provided = shown_length,
                                    .message = must_have};

const Keyword length_keyword = {
    .our_form = has_length_form, .compile = compile_length, .provided = shown_length, .message = must_have};

const Keyword not_blank_keyword = {.compile = compile_not_blank,
                                   .message = [](const Found&) { return std::string("Must not be blank"); }};

}  // namespace plumb::contract
