#include "native/story/project.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/run/fork.hpp"
#include "native/base/file_bytes.hpp"
#include "native/host/host.hpp"
#include "native/host/routes.hpp"
#include "native/store/sqlite_store.hpp"
#include "native/story/graph_db.hpp"

namespace plumb::story {

namespace {

constexpr std::size_t lines_max = 1000;
constexpr std::uint64_t made_ms_max = 120'000;  // a story takes milliseconds
constexpr std::string_view store_name = "/journal.db";
constexpr std::string_view graph_name = "/graph.db";

bool is_there(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

Error refused(std::string message, const std::string& where) {
  return Error{ErrorCode::invalid_argument, std::move(message), where, 0, 0};
}

Error no_story_in(const std::string& folder) {
  return Error{ErrorCode::not_found, "holds no story yet; `plumb story make OUTLINE --project DIR` begins one", folder,
               0, 0};
}

// What another tool, or an older one, has left there.
Result<bool> looked_at(const std::string& folder) {
  if (is_there(folder + std::string(store_name))) {
    return true;
  }
  for (const char* name : {"/graph.json", "/artifacts/dream.yaml", "/artifacts/grow.yaml", "/project.yaml"}) {
    if (is_there(folder + name)) {
      return refused("is a project of an older kind (" + std::string(name + 1) +
                         "), which is not understood: write its story as an outline, and make it in another folder",
                     folder);
    }
  }
  return true;
}

run::Data request_of(std::string_view outline) {
  std::string text;
  json::Writer(text).begin_object().key("outline").raw(outline).end_object();
  return run::Data::written(std::move(text));
}

class StoredProject final : public Project {
 public:
  StoredProject(std::string folder, std::unique_ptr<store::Store> store)
      : folder_(std::move(folder)), store_(std::move(store)) {}

  Result<bool> begin_writing() {
    host::HostSettings settings;
    settings.pipelines = pipelines::known_pipelines();
    settings.take_up = false;
    settings.keep_ms = 0;
    Result<std::unique_ptr<host::Host>> host = host::Host::open(*store_, nobody_, settings);
    if (!host) {
      return host.error();
    }
    host_ = std::move(host).value();
    return true;
  }

  Result<Line> make(std::string_view outline) override {
    Result<pipelines::Prepared> prepared = pipelines::story::prepare(request_of(outline).value(), {});
    if (!prepared) {
      return prepared.error();
    }
    const Result<store::RunRow> newest = newest_ended();
    if (!newest && newest.error().code != ErrorCode::not_found) {
      return newest.error();
    }
    if (!newest) {
      const Result<host::Started> started = host_->start("story", std::move(prepared).value());
      return started ? ended(started.value().id, {}) : Result<Line>(started.error());
    }
    const Result<run::Journal> was = journal(newest.value().id);
    if (!was) {
      return was.error();
    }
    const run::Data& input = prepared.value().input;
    Line line;
    if (newest.value().state == run::State::done && input_of(was.value()) == input.text()) {
      line.fresh = false;
      return ended(newest.value().id, std::move(line));
    }
    return forked(newest.value().id, first_other(was.value(), outline), input);
  }

  Result<Line> rewind(std::string_view phase, std::string_view outline) override {
    const Result<store::RunRow> newest = newest_ended();
    if (!newest) {
      return newest.error();
    }
    const Result<run::Journal> was = journal(newest.value().id);
    if (!was) {
      return was.error();
    }
    Result<pipelines::story::Cut> cut = pipelines::story::cut_at(was.value(), phase);
    if (!cut) {
      Error error = cut.error();
      error.where = folder_;
      return error;
    }
    const Result<pipelines::Prepared> prepared = pipelines::story::prepare(
        request_of(outline.empty() ? pipelines::story::outline_of(was.value()) : outline).value(), {});
    if (!outline.empty() && prepared) {
      const pipelines::story::Cut other = first_other(was.value(), outline);
      if (other.at != 0 && other.at < cut.value().at) {
        return Error{ErrorCode::invalid_argument,
                     "the outline is another one at '" + other.behind.front() +
                         "', which would stay as it was: rewind to there, or to before it",
                     folder_, 0, 0};
      }
    }
    return prepared ? forked(newest.value().id, std::move(cut).value(), prepared.value().input)
                    : Result<Line>(prepared.error());
  }

  Result<std::vector<store::RunRow>> lines() override {
    store::ListQuery query;
    query.pipeline = "story";
    query.limit = lines_max;
    Result<store::Page> page = store_->list(query);
    return page ? Result<std::vector<store::RunRow>>(std::move(page.value().runs))
                : Result<std::vector<store::RunRow>>(page.error());
  }

  Result<run::Journal> journal(const std::string& run) override {
    if (!run.empty()) {
      return store::read_journal(*store_, run);
    }
    const Result<store::RunRow> row = newest();
    return row ? store::read_journal(*store_, row.value().id) : Result<run::Journal>(row.error());
  }

  Result<bool> remove(const std::string& run) override { return host_->remove(run); }

 private:
  static std::string input_of(const run::Journal& journal) {
    const json::Value* input = journal.begin().data.value().find("input");
    return input == nullptr ? std::string() : json::value_text(*input);
  }

  // What of the newest line an outline leaves as it is.
  static pipelines::story::Cut first_other(const run::Journal& was, std::string_view outline) {
    const OutlineReading read = read_outline(outline);
    const Result<std::vector<pipelines::story::StoredPhase>> phases = pipelines::story::phases_of(was);
    std::vector<PhaseNote> notes;
    for (const pipelines::story::StoredPhase& one : phases.value()) {
      notes.push_back(one.note);
    }
    const std::string other = first_that_differs(*read.outline, notes);
    const Result<pipelines::story::Cut> cut =
        other.empty() ? Result<pipelines::story::Cut>(pipelines::story::Cut{}) : pipelines::story::cut_at(was, other);
    return cut ? cut.value() : pipelines::story::Cut{};
  }

  Result<store::RunRow> newest() {
    Result<std::vector<store::RunRow>> all = lines();
    if (!all) {
      return all.error();
    }
    if (all.value().empty()) {
      return no_story_in(folder_);
    }
    return std::move(all.value().front());
  }

  // The newest; where its process was killed before it had ended, it goes on first.
  Result<store::RunRow> newest_ended() {
    Result<store::RunRow> row = newest();
    if (!row || row.value().state != run::State::waiting) {
      return row;
    }
    const Result<host::Summary> resumed = host_->resume(row.value().id);
    if (!resumed) {
      return resumed.error();
    }
    const Result<Line> line = ended(row.value().id, {});
    return line ? store_->find(row.value().id) : Result<store::RunRow>(line.error());
  }

  Result<Line> forked(const std::string& id, pipelines::story::Cut cut, const run::Data& input) {
    host::ForkWish wish;
    wish.at = cut.at;
    wish.input = input;
    wish.prepared = true;
    const Result<host::ForkStarted> started = host_->fork(id, std::move(wish));
    if (!started) {
      return started.error();
    }
    Line line;
    line.from = id;
    line.taken = started.value().taken;
    line.behind = std::move(cut.behind);
    return ended(started.value().id, std::move(line));
  }

  Result<Line> ended(const std::string& id, Line line) {
    const Result<host::Summary> summary = host_->wait(id, made_ms_max);
    if (!summary) {
      return summary.error();
    }
    const store::RunRow& row = summary.value().row;
    if (row.state == run::State::waiting) {
      return Error{ErrorCode::unavailable, summary.value().problem.empty() ? "has not ended" : summary.value().problem,
                   "run " + id, 0, 0};
    }
    if (row.state != run::State::done) {
      return Error{ErrorCode::invalid_argument, row.error, "run " + id, 0, 0};
    }
    Result<run::Journal> stored = store::read_journal(*store_, id);
    if (!stored) {
      return stored.error();
    }
    line.run = id;
    line.journal = std::move(stored).value();
    if (!folder_.empty()) {
      if (const Result<bool> projected = project_graph(line.journal, folder_ + std::string(graph_name)); !projected) {
        return projected.error();
      }
    }
    return line;
  }

  std::string folder_;
  std::unique_ptr<store::Store> store_;
  host::Routes nobody_;
  std::unique_ptr<host::Host> host_;
};

}  // namespace

Result<std::unique_ptr<Project>> Project::open(const std::string& folder, bool read_only) {
  if (!folder.empty() && !read_only && ::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    return Error{ErrorCode::unavailable, "cannot be made: " + reason_of(errno), folder, 0, 0};
  }
  if (!folder.empty() && !is_project(folder)) {
    return refused("is not a folder; a project is one", folder);
  }
  if (const Result<bool> fine = looked_at(folder); !folder.empty() && !fine) {
    return fine.error();
  }
  store::SqliteSettings settings;
  settings.file = folder.empty() ? std::string(":memory:") : folder + std::string(store_name);
  settings.read_only = read_only;
  if (read_only && !is_there(settings.file)) {
    return no_story_in(folder);
  }
  Result<std::unique_ptr<store::Store>> store = store::open_sqlite(settings);
  if (!store) {
    return store.error();
  }
  auto project = std::make_unique<StoredProject>(folder, std::move(store).value());
  if (!read_only) {
    if (const Result<bool> ready = project->begin_writing(); !ready) {
      return ready.error();
    }
  }
  return std::unique_ptr<Project>(std::move(project));
}

bool is_project(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

}  // namespace plumb::story
