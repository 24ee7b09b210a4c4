// `plumb story`: outlines made into stories, stories checked, drawn and told about.
#include "core/story/make.hpp"
#include "core/story/picture.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/report.hpp"
#include "native/cli/story_files.hpp"
#include "native/cli/story_parts.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

int run_check_story(const Arguments& arguments) {
  Result<Report> opened = report_for(arguments, true);
  if (!opened) {
    return fail(opened.error());
  }
  Report& report = opened.value();
  for (const StoryFiles& one : StoryFiles::of(arguments.positionals())) {
    Result<std::vector<StoryFiles::Told>> checked = one.check();
    if (!checked) {
      const Result<bool> told = report.problem("", error_line(checked.error()), nullptr, nullptr);
      if (!told) {
        return fail(told.error());
      }
      continue;
    }
    for (StoryFiles::Told& file : checked.value()) {
      const Result<bool> told = tell(report, file.path, std::move(file.verdict), file.text);
      if (!told) {
        return fail(told.error());
      }
    }
  }
  const Result<bool> finished = report.finish(nullptr);
  return finished ? report.exit_code() : fail(finished.error());
}

// Commands that tell of an outline or a project; where an outline has errors, these are told instead.
int run_of_story(const Arguments& arguments) {
  const std::string& path = arguments.positionals().front();
  const Result<ToldStory> read = told_story(arguments);
  if (!read) {
    return fail(read.error());
  }
  const story::Made& made = read.value().made;
  const std::string_view command = arguments.command()->path;
  if (!made.book && command != "story status") {
    for (const contract::Finding& one : made.verdict.findings) {
      complain(path + ":" + std::to_string(one.span.line) + ":" + std::to_string(one.span.column) + ": " + one.message);
    }
    return exit_findings;
  }
  if (command == "story inspect") {
    return out(story::inspect_json(made, read.value().run, read.value().entry));
  }
  if (command == "story audit") {
    return run_audit_story(arguments, read.value());
  }
  if (command == "story status") {
    return out(status_text(read.value()), made.verdict.valid ? exit_clean : exit_findings);
  }
  const std::string form = arguments.text("--format", "dot");
  const std::string of =
      read.value().run.empty() ? "" : "run " + read.value().run + ", entry " + std::to_string(read.value().entry);
  return out(form == "svg"       ? story::story_svg(made.graph, of)
             : form == "mermaid" ? story::story_mermaid(made.graph, of)
                                 : story::story_dot(made.graph, of));
}

}  // namespace

int run_story(const Arguments& arguments) {
  const std::string_view path = arguments.command()->path;
  if (path == "story new") {
    return run_new_story(arguments);
  }
  if (path == "story make") {
    return run_make_story(arguments);
  }
  if (path == "story check") {
    return run_check_story(arguments);
  }
  if (path == "story ship") {
    return run_ship_story(arguments);
  }
  if (path == "story rewind") {
    return run_rewind_story(arguments);
  }
  return run_of_story(arguments);
}

}  // namespace plumb::cli
