// A story's project: a directory with a store of its own (journal.db) and its graph as tables (graph.db). It can be
// copied and moved as it is, and nothing removes what is in it.
//
//   Result<std::unique_ptr<Project>> project = Project::open("tale");
//   Result<Line> line = project.value()->make(outline_json);
//   Result<Line> other = project.value()->rewind("seed/analyses", changed_outline_json);
//
// What the project holds is a line of runs of the pipeline `story`: rewinding, and making it again of a changed
// outline, forks the newest, takes over what precedes the change, and keeps the older ones. graph.db is that of
// the newest.
//
// One process writes a project at a time; the store says who has it. A folder of an older kind (graph.json, files of
// stages) is not understood, and says so.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/story/story.hpp"
#include "core/run/journal.hpp"
#include "native/store/store.hpp"

namespace plumb::story {

struct Line {
  std::string run;
  run::Journal journal;
  bool fresh = true;                // false: the newest line was of this outline already
  std::string from;                 // the line that it goes on from
  std::uint64_t taken = 0;          // entries that were taken over
  std::vector<std::string> behind;  // phases of it that are left behind: "grow/choices"
};

class Project {
 public:
  // `folder`: made where it is not there; empty: a project of this process alone, in memory. `read_only`: only lines()
  // and journal() work, beside a process that writes.
  static Result<std::unique_ptr<Project>> open(const std::string& folder, bool read_only = false);
  virtual ~Project() = default;

  // The story of this outline: the newest line where it is of it, else one that goes on from the newest, from the
  // first phase at which the outline is another one. The outline is one without errors.
  virtual Result<Line> make(std::string_view outline) = 0;
  // A line that goes on from the newest as it was before a phase, or before a stage. `outline`: of what follows;
  // empty: the same.
  virtual Result<Line> rewind(std::string_view phase, std::string_view outline) = 0;

  // Newest first, at most 1,000.
  virtual Result<std::vector<store::RunRow>> lines() = 0;
  // Of a line; empty: of the newest.
  virtual Result<run::Journal> journal(const std::string& run) = 0;
  // A line that is not the newest goes.
  virtual Result<bool> remove(const std::string& run) = 0;
};

// Whether a path is a project's folder.
bool is_project(const std::string& path);

}  // namespace plumb::story
