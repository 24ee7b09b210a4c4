// `plumb story`: outlines made into stories, stories checked, drawn and told about.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <thread>

#include "core/json/writer.hpp"
#include "core/story/make.hpp"
#include "core/story/picture.hpp"
#include "core/story/ship.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/report.hpp"
#include "native/cli/story_parts.hpp"
#include "native/cli/story_source.hpp"
#include "native/cli/terminal.hpp"
#include "native/story/project.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t audit_limit_max = 1'000'000;
constexpr std::chrono::milliseconds watch_pause{300};

constexpr std::string_view new_outline =
    R"yaml(# An outline: dilemmas with two answers each, and beats in the order in which they may happen.
# A beat belongs to the `paths` (DILEMMA/ANSWER) it names, or to all.
# `plumb story make FILE -o DIR` makes a story of it.
title: The Ferry
size: short
entities:
  - id: pilot
    category: character
    name: The pilot
    overlays:
      - { when: [fare/coin], details: { manner: counting under his breath } }
      - { when: [fare/promise], details: { manner: repeating your words to himself } }
dilemmas:
  - id: fare
    question: How do you pay?
    involves: [pilot]
    policy: flavor
    answers:
      - { id: coin, description: With a coin, default: true }
      - { id: promise, description: With a promise }
  - id: crossing
    question: Do you cross tonight?
    policy: hard
    answers:
      - { id: cross, description: Cross, default: true }
      - { id: wait, description: Wait for daylight }
beats:
  - id: road
    summary: The road to the river.
    prose: The road has been going down for an hour. Now there are reeds on both sides of it, and a smell of tar.
  - id: bank
    summary: You come to the river.
    prose: The road ends at the water. A boat is tied there, and beside it a pilot who does not look up.
    reveals: [crossing]
  - id: price
    label: Ask what it costs
    summary: The pilot names no price.
    prose: '"What it is worth to you," says the pilot.'
    reveals: [fare]
    entities: [pilot]
  - id: coin
    label: Hold out a coin
    paths: [fare/coin]
    commits: [fare]
    summary: You pay with a coin.
    prose: The pilot bites the coin and nods.
    entities: [pilot]
  - id: promise
    label: Give your word
    paths: [fare/promise]
    commits: [fare]
    summary: You pay with a promise.
    prose: The pilot listens to the end of it and nods.
    entities: [pilot]
  - id: dusk
    label: Look at the sky
    summary: The light goes.
    prose: Cloud has come down on the far bank. There is perhaps half an hour of light.
    advances: [crossing]
    entities: [pilot]
  - id: cross
    label: Step into the boat
    paths: [crossing/cross]
    commits: [crossing]
    summary: You cross.
    prose: The boat takes your weight and then the river takes the boat. The bank is gone before you have sat down.
  - id: landing
    label: Step ashore
    paths: [crossing/cross]
    summary: You land in the dark.
    prose: There is a stair cut into the far bank. You count eleven steps, and then grass.
  - id: wait
    label: Sit down on the bank
    paths: [crossing/wait]
    commits: [crossing]
    summary: You wait.
    prose: The pilot shrugs, ties a second knot, and goes up to the house. You pull your coat round you.
  - id: morning
    label: Wake
    paths: [crossing/wait]
    summary: You wake to an empty mooring.
    prose: In the morning the rope is there, and both knots, and no boat.
)yaml";

int run_new(const Arguments& arguments) {
  const std::string& path = arguments.positionals().front();
  if (::access(path.c_str(), F_OK) == 0)
    return fail(Error{ErrorCode::invalid_argument, "is there already; give another name", path, 0, 0});
  const Result<bool> done = write_file(path, new_outline);
  return done ? out("wrote " + path + "; next: plumb story make " + path + " -o story\n") : fail(done.error());
}

int run_check_story(const Arguments& arguments) {
  Result<Report> opened = report_for(arguments, true);
  if (!opened)
    return fail(opened.error());
  Report& report = opened.value();
  for (const std::string& path : arguments.positionals()) {
    const Result<StorySource> source = StorySource::read(path);
    Result<story::Checked> checked =
        source ? story::check_story(source.value().text()) : Result<story::Checked>(source.error());
    if (!checked) {
      Error error = checked.error();
      error.where = path;
      const Result<bool> told = report.problem("", error_line(error), nullptr, nullptr);
      if (!told)
        return fail(told.error());
      continue;
    }
    source.value().relocate(checked.value().verdict);
    const Result<bool> told = tell(report, path, std::move(checked.value().verdict), source.value().text());
    if (!told)
      return fail(told.error());
  }
  const Result<bool> finished = report.finish(nullptr);
  return finished ? report.exit_code() : fail(finished.error());
}

// The story of a file's outline as a run of the project; the places of findings are those of the file. Where the
// outline has errors there is no run.
Result<story::Made> made_in(story::Project& project, const StorySource& source, story::Line& line) {
  story::OutlineReading read = story::read_outline(source.text());
  story::Made made;
  if (read.outline) {
    Result<story::Line> ended = project.make(source.text());
    Result<story::Made> again =
        ended ? told_at(ended.value().journal, source.text()) : Result<story::Made>(ended.error());
    if (!again)
      return again;
    line = std::move(ended).value();
    made = std::move(again).value();
  } else {
    made.verdict = std::move(read.verdict);
  }
  source.relocate(made.verdict);
  return made;
}

int make_once(const Arguments& arguments, const std::string& path, story::Project& project, std::string& newest) {
  const Result<StorySource> source = StorySource::read(path);
  if (!source)
    return fail(source.error());
  story::Line line;
  const Result<story::Made> told = made_in(project, source.value(), line);
  if (!told)
    return fail(told.error());
  const story::Made& made = told.value();
  if (arguments.has("--watch") && line.fresh && !newest.empty()) {
    if (const Result<bool> gone = project.remove(newest); !gone)
      return fail(gone.error());
  }
  newest = line.fresh ? line.run : newest;
  const Result<int> code = reported(arguments, path, made.verdict, source.value().text());
  if (!code)
    return fail(code.error());
  if (arguments.has("--project") && !arguments.has("--quiet") && made.book)
    note(line_told(line));
  if (!made.verdict.valid || !made.book || made.verdict.decision == contract::Decision::undecided ||
      !arguments.has("--output"))
    return code.value();
  const Result<bool> written = ship_to(arguments, *made.book);
  if (!written)
    return fail(written.error());
  if (!arguments.has("--quiet"))
    note(shipped_told(made, arguments.text("--output")));
  return code.value();
}

// The file's time of change and size; 0, 0 where it is not there.
std::pair<std::int64_t, std::int64_t> looks_like(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) != 0
             ? std::pair<std::int64_t, std::int64_t>(0, 0)
             : std::pair<std::int64_t, std::int64_t>(about.st_mtim.tv_sec * 1'000'000'000 + about.st_mtim.tv_nsec,
                                                     about.st_size);
}

int run_make_story(const Arguments& arguments) {
  const std::string& path = arguments.positionals().front();
  if ((arguments.has("--as") || arguments.has("--drafts") || arguments.has("--watch")) && !arguments.has("--output"))
    return fail(Error{ErrorCode::invalid_argument, "'--as', '--drafts' and '--watch' want '--output DIR'", "", 0, 0});
  const Result<std::unique_ptr<story::Project>> project = story::Project::open(arguments.text("--project"));
  if (!project)
    return fail(project.error());
  std::string newest;  // that this command has made
  auto seen = looks_like(path);
  int code = make_once(arguments, path, *project.value(), newest);
  while (arguments.has("--watch")) {  // until it is interrupted
    std::this_thread::sleep_for(watch_pause);
    const auto now = looks_like(path);
    if (now != seen && now.second != 0) {
      seen = now;
      code = make_once(arguments, path, *project.value(), newest);
    }
  }
  return code;
}

void write_mutation(std::string& text, const story::PhaseNote& note, std::uint64_t at_ms, const story::Mutation& m) {
  json::Writer json(text);
  json.begin_object();
  if (at_ms != 0)
    json.member_uint("at_ms", at_ms);
  json.member("stage", story::name_of(note.stage))
      .member("phase", note.phase)
      .member("operation", story::name_of(m.operation));
  json.member("target", m.target);
  if (m.operation == story::Operation::add_edge || m.operation == story::Operation::remove_edge) {
    json.member("edge", story::name_of(m.edge)).member("to", m.to);
  } else {
    for (const auto& [name, fields] : {std::pair{"delta", &m.delta}, std::pair{"before", &m.before}}) {
      json.key(name).begin_object();
      for (const auto& [field, value] : *fields) {
        std::string one;
        story::append_field(one, value);
        json.key(story::name_of(field)).raw(one);
      }
      json.end_object();
    }
  }
  json.member("rationale", m.rationale).end_object();
  text += "\n";
}

int audit(const Arguments& arguments, const ToldStory& told) {
  const story::Made& made = told.made;
  const Result<std::uint64_t> limit = arguments.number("--limit", 50, 1, audit_limit_max);
  if (!limit)
    return fail(limit.error());
  if (arguments.has("--stage") && !story::stage_named(arguments.text("--stage")))
    return fail(Error{ErrorCode::invalid_argument,
                      "'--stage " + arguments.text("--stage") + "': dream, brainstorm, seed, grow or fill", "", 0, 0});
  const auto wanted = [&](std::string_view option, std::string_view value) {
    return !arguments.has(option) || arguments.text(option) == value;
  };
  std::string text;
  std::uint64_t count = 0;
  std::map<std::pair<std::string, std::string>, std::uint64_t> sums;
  for (std::size_t i = 0; i < made.notes.size(); ++i) {
    const story::PhaseNote& note = made.notes[i];
    for (const story::Mutation& m : note.mutations) {
      const bool at_target = wanted("--target", m.target) || (!m.to.empty() && wanted("--target", m.to));
      if (!wanted("--stage", story::name_of(note.stage)) || !wanted("--phase", note.phase) ||
          !wanted("--operation", story::name_of(m.operation)) || !at_target)
        continue;
      ++sums[{note.phase, std::string(story::name_of(m.operation))}];
      if (++count <= limit.value())
        write_mutation(text, note, i < told.at_ms.size() ? told.at_ms[i] : 0, m);
    }
  }
  if (arguments.has("--summary")) {
    text.clear();
    for (const auto& [what, number] : sums)
      text += what.first + " " + what.second + " " + std::to_string(number) + "\n";
    return out(text + "total " + std::to_string(count) + "\n");
  }
  const int code = out(text);
  if (count > limit.value())
    note(std::to_string(count - limit.value()) + " more; --limit shows more of them");
  return code;
}

// Commands that tell of an outline or a project; where an outline has errors, these are told instead.
int run_of_story(const Arguments& arguments) {
  const std::string& path = arguments.positionals().front();
  const Result<ToldStory> read = told_story(arguments);
  if (!read)
    return fail(read.error());
  const story::Made& made = read.value().made;
  const std::string_view command = arguments.command()->path;
  if (!made.book && command != "story status") {
    for (const contract::Finding& one : made.verdict.findings)
      complain(path + ":" + std::to_string(one.span.line) + ":" + std::to_string(one.span.column) + ": " + one.message);
    return exit_findings;
  }
  if (command == "story inspect")
    return out(story::inspect_json(made));
  if (command == "story audit")
    return audit(arguments, read.value());
  if (command == "story status")
    return out(status_text(read.value()), made.verdict.valid ? exit_clean : exit_findings);
  const std::string form = arguments.text("--format", "dot");
  return out(form == "svg"       ? story::story_svg(made.graph)
             : form == "mermaid" ? story::story_mermaid(made.graph)
                                 : story::story_dot(made.graph));
}

}  // namespace

int run_story(const Arguments& arguments) {
  const std::string_view path = arguments.command()->path;
  if (path == "story new")
    return run_new(arguments);
  if (path == "story make")
    return run_make_story(arguments);
  if (path == "story check")
    return run_check_story(arguments);
  if (path == "story ship")
    return run_ship_story(arguments);
  if (path == "story rewind")
    return run_rewind_story(arguments);
  return run_of_story(arguments);
}

}  // namespace plumb::cli
