#include "core/contract/keywords/pattern.hpp"

#include <algorithm>
#include <string>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"

namespace plumb::contract {

bool pattern_accepts(Engine& engine, const StringPart& s, std::string_view text) {
  return s.pattern == none32 || matcher_of(engine, s.pattern).search(text);
}

void begin_pattern(Engine& engine, std::uint32_t pattern, std::uint64_t decided) {
  std::vector<PatternRun>& runs = engine.strings.pattern_runs;
  if (std::any_of(runs.begin(), runs.end(), [&](const PatternRun& run) { return run.pattern == pattern; })) {
    return;
  }
  text::Matcher& matcher = matcher_of(engine, pattern);
  matcher.start();
  PatternRun run;
  run.pattern = pattern;
  if (matcher.status() != text::Status::undecided) {
    run.decided = true;
    run.holds = matcher.status() == text::Status::matches;
    run.at = decided;
  }
  runs.push_back(run);
}

void feed_pattern(Engine& engine, PatternRun& run, const StringPiece& piece) {
  std::size_t after = 0;
  const text::Status status = matcher_of(engine, run.pattern).feed(piece.text, after);
  if (status == text::Status::undecided) {
    return;
  }
  run.decided = true;
  run.holds = status == text::Status::matches;
  run.at = piece.after(after);
  if (!run.holds) {
    engine.strings.due.push_back({run.at, Kw::pattern, none32, nullptr});
  }
}

void judge_pattern(Engine& engine, std::uint32_t pattern) {
  for (PatternRun& run : engine.strings.pattern_runs) {
    if (run.pattern == pattern && !run.decided) {
      run.decided = true;
      run.holds = matcher_of(engine, pattern).end();
      run.at = engine.now;
    }
  }
  report_patterns(engine, 0, no_bound);
}

void report_patterns(Engine& engine, std::uint64_t least, std::uint64_t most) {
  for (PatternRun& run : engine.strings.pattern_runs) {
    if (!run.decided || run.holds || run.told || run.at > most) {
      continue;
    }
    run.told = true;
    for (std::size_t i = engine.token.place_from; i < engine.place.size(); ++i) {
      const Node& node = *engine.evaluations[engine.place[i]].node;
      if (node.string && node.string->pattern == run.pattern) {
        const std::uint32_t f = prepare(engine, engine.place[i], Kw::pattern, node.string->pattern_at, 0);
        const json::Value* source = node.schema->find("pattern");
        engine.found[f].finding.requirement =
            "text that matches " + (source != nullptr ? std::string(source->str()) : std::string());
        report(engine, f, std::max(run.at, least));
      }
    }
  }
}

namespace {

void compile_pattern(Compiler& compiler, Compiler::At& at) {
  const json::Value& value = at.member.value;
  if (!value.is(json::Kind::string)) {
    compiler.fail(at, "pattern must be a regular expression in a string");
    return;
  }
  StringPart& s = compiler.string(at.node);
  s.pattern = compiler.pattern(at, value.str(), value, at.where);
  s.pattern_at = at.position;
}

}  // namespace

const Keyword pattern_keyword = {.vocabulary = Vocabulary::validation, .compile = compile_pattern};

}  // namespace plumb::contract
