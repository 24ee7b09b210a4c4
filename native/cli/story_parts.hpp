// What the commands of `plumb story` share: the story of an outline or a project, reports, and shipping.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/run/journal.hpp"
#include "core/story/make.hpp"
#include "native/cli/arguments.hpp"
#include "native/cli/report.hpp"
#include "native/store/store.hpp"
#include "native/story/project.hpp"

namespace plumb::cli {

struct ToldStory {
  story::Made made;
  std::vector<std::uint64_t> at_ms;  // of each phase; empty: of an outline in a file
  std::string run;                   // of a project
  std::uint64_t entry = 0;           // of its journal, with the last phase
  std::vector<store::RunRow> lines;  // of a project, the newest first
};
// Of the first argument: an outline's file, or a project's folder and its line `--run`.
Result<ToldStory> told_story(const Arguments& arguments);
// The story that a journal holds; places of findings are those of `outline`.
Result<story::Made> told_at(const run::Journal& journal, std::string_view outline);

// Writes `text` to standard output.
int out(std::string_view text, int code = 0);
Result<Report> report_for(const Arguments& arguments, bool to_file);
Result<bool> tell(Report& report, const std::string& file, contract::Verdict verdict, const std::string& text);
// The report of one story; the command's exit code.
Result<int> reported(const Arguments& arguments, const std::string& file, contract::Verdict verdict,
                     const std::string& text);

// Writes the files that `--as` names to `--output`: all are made before one is written.
Result<bool> ship_to(const Arguments& arguments, const story::Book& book);
std::string shipped_told(const story::Made& made, const std::string& folder);
// "line r12: goes on from r11; 9 entries taken over; left behind: grow/choices, ..."
std::string line_told(const story::Line& line);
std::string status_text(const ToldStory& told);

int run_new_story(const Arguments& arguments);
int run_make_story(const Arguments& arguments);
int run_audit_story(const Arguments& arguments, const ToldStory& told);
int run_ship_story(const Arguments& arguments);
int run_rewind_story(const Arguments& arguments);

}  // namespace plumb::cli
