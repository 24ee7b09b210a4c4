// `plumb story make`: an outline made into a story, once or whenever it changes.
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "core/story/outline.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/report.hpp"
#include "native/cli/story_parts.hpp"
#include "native/cli/story_source.hpp"
#include "native/cli/terminal.hpp"
#include "native/story/project.hpp"

namespace plumb::cli {

namespace {

constexpr std::chrono::milliseconds watch_pause{300};

// The story of a file's outline as a run of the project; the places of findings are those of the file. Where the
// outline has errors there is no run.
Result<story::Made> made_in(story::Project& project, const StorySource& source, story::Line& line) {
  story::OutlineReading read = story::read_outline(source.text());
  story::Made made;
  if (read.outline) {
    Result<story::Line> ended = project.make(source.text());
    Result<story::Made> again =
        ended ? told_at(ended.value().journal, source.text()) : Result<story::Made>(ended.error());
    if (!again) {
      return again;
    }
    line = std::move(ended).value();
    made = std::move(again).value();
  } else {
    made.verdict = std::move(read.verdict);
  }
  source.relocate(made.verdict);
  return made;
}

int make_once(const Arguments& arguments, const std::string& path, story::Project& project, std::string& newest) {
  const Result<StorySource> source = StorySource::read_outline(path);
  if (!source) {
    return fail(source.error());
  }
  story::Line line;
  const Result<story::Made> told = made_in(project, source.value(), line);
  if (!told) {
    return fail(told.error());
  }
  const story::Made& made = told.value();
  if (arguments.has("--watch") && line.fresh && !newest.empty()) {
    if (const Result<bool> gone = project.remove(newest); !gone) {
      return fail(gone.error());
    }
  }
  newest = line.fresh ? line.run : newest;
  const Result<int> code = reported(arguments, path, made.verdict, source.value().text());
  if (!code) {
    return fail(code.error());
  }
  if (arguments.has("--project") && !arguments.has("--quiet") && made.book) {
    note(line_told(line));
  }
  if (!made.verdict.valid || !made.book || made.verdict.decision == contract::Decision::undecided ||
      !arguments.has("--output")) {
    return code.value();
  }
  const Result<bool> written = ship_to(arguments, *made.book);
  if (!written) {
    return fail(written.error());
  }
  if (!arguments.has("--quiet")) {
    note(shipped_told(made, arguments.text("--output")));
  }
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

}  // namespace

int run_make_story(const Arguments& arguments) {
  const std::string& path = arguments.positionals().front();
  constexpr std::array<std::string_view, 5> of_files = {"--as", "--drafts", "--watch", "--theme", "--words"};
  const auto given = std::find_if(of_files.begin(), of_files.end(), [&](auto name) { return arguments.has(name); });
  if (given != of_files.end() && !arguments.has("--output")) {
    return fail(Error{ErrorCode::invalid_argument, "'" + std::string(*given) + "' wants '--output DIR'", "", 0, 0});
  }
  const Result<std::unique_ptr<story::Project>> project = story::Project::open(arguments.text("--project"));
  if (!project) {
    return fail(project.error());
  }
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

}  // namespace plumb::cli
