#include "native/cli/story_parts.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/run/fork.hpp"
#include "core/run/stamp.hpp"
#include "core/story/reader_words.hpp"
#include "core/story/ship.hpp"
#include "core/wording.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/story_source.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

// The error names the file.
Result<story::ShipOptions> ship_options(const Arguments& arguments, const story::Book& book) {
  story::ShipOptions out;
  out.drafts = arguments.has("--drafts");
  const auto about = [](Error error, const std::string& path) {
    error.where = path;
    return error;
  };
  if (const std::string path = arguments.text("--theme"); !path.empty()) {
    Result<std::string> theme = read_file(path, story::theme_bytes_max);
    const Result<bool> sound = theme ? story::check_theme(theme.value()) : Result<bool>(theme.error());
    if (!sound) {
      return about(sound.error(), path);
    }
    out.theme = std::move(theme).value();
  }
  if (const std::string path = arguments.text("--words"); !path.empty()) {
    const Result<StorySource> words = StorySource::read(path);
    const Result<story::ReaderWords> read =
        words ? story::reader_words(book.language, words.value().text()) : Result<story::ReaderWords>(words.error());
    if (!read) {
      return about(read.error(), path);
    }
    out.words = words.value().text();
  }
  return out;
}

// Everything is made before anything is written, so that a story is never half of an older one.
Result<Files> shipped(const Arguments& arguments, const story::Book& book) {
  const Result<story::ShipOptions> options = ship_options(arguments, book);
  if (!options) {
    return options.error();
  }
  Files files;
  const std::string as = arguments.text("--as", "all");
  for (const story::ShipFormat format :
       {story::ShipFormat::html, story::ShipFormat::twee, story::ShipFormat::json, story::ShipFormat::gamebook}) {
    if (as != "all" && as != story::name_of(format)) {
      continue;
    }
    Result<std::string> text = story::ship(book, format, options.value());
    if (!text) {
      return text.error();
    }
    files.emplace_back(arguments.text("--output") + "/" + std::string(story::file_name_of(format)),
                       std::move(text).value());
  }
  return files;
}

std::string lines_text(const ToldStory& told) {
  std::string text = "lines:\n";
  for (const store::RunRow& row : told.lines) {
    text += std::string(row.id == told.run ? "* " : "  ") + row.id + "  " + run::iso_time(row.created_ms) + "  " +
            std::string(run::state_name(row.state)) +
            (row.forked_from.empty() ? "" : "  goes on from " + row.forked_from) +
            (row.error.empty() ? "" : "  " + row.error) + "\n";
  }
  return text;
}

}  // namespace

int out(std::string_view text, int code) {
  return write_all(STDOUT_FILENO, text)
             ? code
             : fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
}

Result<Report> report_for(const Arguments& arguments, bool to_file) {
  ReportSettings settings;
  settings.format = format_named(arguments.text("--format", "text"));
  settings.fail_on = fail_on_named(arguments.text("--fail-on", "error"));
  settings.quiet = arguments.has("--quiet");
  settings.list_clean = !settings.quiet;
  settings.style = style_for(arguments, STDOUT_FILENO);
  settings.output = to_file ? arguments.text("--output") : "";
  if (settings.output.empty() && is_terminal(STDOUT_FILENO)) {
    settings.columns = terminal_columns(STDOUT_FILENO);
  }
  return Report::open(std::move(settings));
}

Result<bool> tell(Report& report, const std::string& file, contract::Verdict verdict, const std::string& text) {
  Rendered rendered;
  report.render({file, std::move(verdict)}, rendered, text);
  return report.write(std::move(rendered), nullptr);
}

Result<int> reported(const Arguments& arguments, const std::string& file, contract::Verdict verdict,
                     const std::string& text) {
  Result<Report> report = report_for(arguments, false);
  if (!report) {
    return report.error();
  }
  const Result<bool> told = tell(report.value(), file, std::move(verdict), text);
  const Result<bool> finished = told ? report.value().finish(nullptr) : told;
  return finished ? Result<int>(report.value().exit_code()) : Result<int>(finished.error());
}

Result<story::Made> told_at(const run::Journal& journal, std::string_view outline) {
  Result<std::vector<pipelines::story::StoredPhase>> phases = pipelines::story::phases_of(journal);
  if (!phases) {
    return phases.error();
  }
  std::vector<story::PhaseNote> notes;
  for (pipelines::story::StoredPhase& one : phases.value()) {
    notes.push_back(std::move(one.note));
  }
  return story::story_from(outline, std::move(notes));
}

Result<ToldStory> told_story(const Arguments& arguments) {
  const std::string& path = arguments.positionals().front();
  ToldStory out;
  if (!story::is_project(path)) {
    if (arguments.has("--run")) {
      return Error{ErrorCode::invalid_argument, "is an outline; '--run' names a line of a project", path, 0, 0};
    }
    const Result<StorySource> source = StorySource::read_outline(path);
    if (!source) {
      return source.error();
    }
    out.made = story::make_story(source.value().text());
    source.value().relocate(out.made.verdict);
    return out;
  }
  const Result<std::unique_ptr<story::Project>> project = story::Project::open(path, true);
  if (!project) {
    return project.error();
  }
  Result<std::vector<store::RunRow>> lines = project.value()->lines();
  const Result<run::Journal> journal =
      lines ? project.value()->journal(arguments.text("--run")) : Result<run::Journal>(lines.error());
  if (!journal) {
    return journal.error();
  }
  out.lines = std::move(lines).value();
  out.run = arguments.has("--run") ? arguments.text("--run") : out.lines.front().id;
  const Result<std::vector<pipelines::story::StoredPhase>> phases = pipelines::story::phases_of(journal.value());
  Result<story::Made> made = pipelines::story::story_of(journal.value());
  if (!phases || !made) {
    return phases ? made.error() : phases.error();
  }
  for (const pipelines::story::StoredPhase& one : phases.value()) {
    out.at_ms.push_back(one.at_ms);
  }
  out.entry = phases.value().empty() ? 0 : phases.value().back().entry;
  out.made = std::move(made).value();
  return out;
}

Result<bool> ship_to(const Arguments& arguments, const story::Book& book) {
  const Result<Files> files = shipped(arguments, book);
  if (!files) {
    Error error = files.error();
    error.message += error.where.empty() ? ". With --drafts they show their summaries" : "";
    return error;
  }
  const std::string folder = arguments.text("--output");
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    return Error{ErrorCode::unavailable, "cannot be made: " + reason_of(errno), folder, 0, 0};
  }
  for (const auto& [name, text] : files.value()) {
    if (Result<bool> written = write_file(name, text); !written) {
      return written;
    }
  }
  return true;
}

std::string shipped_told(const story::Made& made, const std::string& folder) {
  return counted(made.book->passages.size(), "passage") + ", " + counted(made.play.endings_reached, "ending") + ", " +
         counted(made.play.states, "state") + " walked; written to " + folder;
}

std::string line_told(const story::Line& line) {
  if (!line.fresh) {
    return "line " + line.run + " is of this outline already";
  }
  std::string text = "line " + line.run;
  text += line.from.empty() ? "" : " goes on from " + line.from + ", which stays";
  if (!line.behind.empty()) {
    text += "; made again: " + line.behind.front() +
            (line.behind.size() > 1 ? " and " + counted(line.behind.size() - 1, "phase") + " behind it" : "");
  }
  return text;
}

std::string status_text(const ToldStory& told) {
  std::string text;
  for (const story::PhaseNote& note : told.made.notes) {
    const std::string name = std::string(story::name_of(note.stage)) + "/" + note.phase;
    text += name + std::string(name.size() < 30 ? 30 - name.size() : 1, ' ') +
            std::string(story::name_of(note.status)) + "  " + counted(note.mutations.size(), "change") + "  " +
            note.hash.substr(7, 12) + (note.detail.empty() ? "" : "  " + note.detail) + "\n";
    for (const std::string& warning : note.warnings) {
      text += "    warning: " + warning + "\n";
    }
    for (const auto& [kind, number] : note.left_out) {
      text += "    left out: " + std::to_string(number) + " " + kind + "\n";
    }
  }
  return text + (told.lines.empty() ? std::string() : lines_text(told));
}

int run_ship_story(const Arguments& arguments) {
  const std::string& path = arguments.positionals().front();
  if (!arguments.has("--output")) {
    return fail(Error{ErrorCode::invalid_argument, "'--output DIR' is missing", path, 0, 0});
  }
  if (!story::is_project(path)) {
    return fail(Error{ErrorCode::invalid_argument,
                      "is not a project; `plumb story make OUTLINE -o DIR` ships an outline's story", path, 0, 0});
  }
  const Result<ToldStory> told = told_story(arguments);
  if (!told) {
    return fail(told.error());
  }
  const story::Made& made = told.value().made;
  if (!made.verdict.valid || !made.book || made.verdict.decision == contract::Decision::undecided) {
    for (const contract::Finding& one : made.verdict.findings) {
      complain(path + ": " + one.message);
    }
    return made.verdict.valid ? exit_undecided : exit_findings;
  }
  const Result<bool> written = ship_to(arguments, *made.book);
  if (!written) {
    return fail(written.error());
  }
  note(shipped_told(made, arguments.text("--output")));
  return exit_clean;
}

int run_rewind_story(const Arguments& arguments) {
  const std::string& path = arguments.positionals().front();
  if (!arguments.has("--to")) {
    return fail(Error{ErrorCode::invalid_argument, "'--to PHASE' is missing: `plumb story status` shows the phases",
                      path, 0, 0});
  }
  std::string outline, file = path;
  std::optional<StorySource> source;
  if (arguments.has("--outline")) {
    file = arguments.text("--outline");
    Result<StorySource> read = StorySource::read_outline(file);
    if (!read) {
      return fail(read.error());
    }
    source = std::move(read).value();
    outline = source->text();
    story::OutlineReading judged = story::read_outline(outline);
    if (!judged.outline) {
      source->relocate(judged.verdict);
      const Result<int> code = reported(arguments, file, std::move(judged.verdict), outline);
      return code ? code.value() : fail(code.error());
    }
  }
  if (!story::is_project(path)) {
    return fail(Error{ErrorCode::not_found, "is not a project; `plumb story make OUTLINE --project DIR` makes one",
                      path, 0, 0});
  }
  const Result<std::unique_ptr<story::Project>> project = story::Project::open(path);
  if (!project) {
    return fail(project.error());
  }
  const Result<story::Line> line = project.value()->rewind(arguments.text("--to"), outline);
  if (!line) {
    return fail(line.error());
  }
  if (!source) {
    outline = pipelines::story::outline_of(line.value().journal);
  }
  Result<story::Made> made = told_at(line.value().journal, outline);
  if (!made) {
    return fail(made.error());
  }
  if (source) {
    source->relocate(made.value().verdict);
  }
  const Result<int> code = reported(arguments, file, made.value().verdict, outline);
  if (!code) {
    return fail(code.error());
  }
  note(line_told(line.value()));
  return code.value();
}

}  // namespace plumb::cli
