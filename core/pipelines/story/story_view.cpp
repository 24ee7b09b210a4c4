#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/story/story.hpp"
#include "core/story/ship.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::story {

namespace {

using json::text_of;
using json::Value;
using plumb::story::Graph;
using plumb::story::story_phases;

std::string_view status_of(const run::Journal& journal) {
  const run::Entry& last = journal.entries().back();
  if (last.kind != run::EntryKind::end) {
    return journal.entries().size() == 1 ? "pending" : "running";
  }
  return last.status == run::Status::ok ? "completed" : last.status == run::Status::cancelled ? "stopped" : "failed";
}

std::string title_of(const run::Journal& journal) {
  const Value* input = journal.begin().data.value().find("input");
  const Value* outline = input == nullptr ? nullptr : input->find("outline");
  return outline == nullptr ? std::string() : std::string(text_of(*outline, "title"));
}

void write_phases(json::Writer& json, const std::vector<StoredPhase>& phases) {
  json.key("phases").begin_array();
  for (const StoredPhase& one : phases) {
    json.begin_object().member("stage", name_of(one.note.stage)).member("phase", one.note.phase);
    json.member("status", name_of(one.note.status)).member_uint("entry", one.entry).member_uint("at_ms", one.at_ms);
    json.member_uint("changes", one.note.mutations.size()).member("hash", one.note.hash);
    json.member("detail", one.note.detail).key("warnings").begin_array();
    for (const std::string& warning : one.note.warnings) {
      json.string(warning);
    }
    json.end_array().key("left_out").begin_object();
    for (const auto& [kind, count] : one.note.left_out) {
      json.member_uint(kind, count);
    }
    json.end_object().end_object();
  }
  json.end_array();
}

std::vector<std::string> phase_lines(const run::Entry& entry) {
  std::vector<std::string> out;
  const Value& note = entry.data.value();
  const std::size_t changes = json::list_of(note, "mutations").size();
  const std::string_view detail = text_of(note, "detail");
  const bool failed = text_of(note, "status") == "failed";
  if (changes > 0 || failed) {
    out.push_back((failed ? "❌ " : "  → ") + std::string(text_of(note, "stage")) + "/" +
                  std::string(text_of(note, "phase")) + ": " + counted(changes, "change", "changes") +
                  (detail.empty() ? "" : "; " + std::string(detail)));
  }
  for (const std::string& warning : json::texts_of(note, "warnings")) {
    out.push_back("    ⚠️ " + warning);
  }
  return out;
}

std::string end_line(const StoryResult& result) {
  const std::string found = counted(result.passages.value_or(0), "passage", "passages") + ", " +
                            std::to_string(result.endings_reached) + " of " +
                            counted(result.endings, "ending", "endings") + " reached, " +
                            counted(result.states, "state", "states") + " walked";
  return result.errors > 0 ? "❌ " + counted(result.errors, "error", "errors") + "; " + found : "✅ " + found;
}

}  // namespace

std::string view(const run::Journal& journal) {
  const run::Entry& last = journal.entries().back();
  const bool ended = last.kind == run::EntryKind::end;
  std::string out;
  json::Writer json(out);
  json.begin_object().member("run_id", text_of(journal.begin().data.value(), "run"));
  const Result<std::vector<StoredPhase>> phases = phases_of(journal);
  json.member("status", status_of(journal));
  json.member_uint("progress", ended ? 100 : phases ? phases.value().size() * 100 / story_phases().size() : 0);
  json.member("title", title_of(journal));
  if (phases) {
    write_phases(json, phases.value());
  }
  if (ended && last.status == run::Status::ok) {
    const auto result = json::record_of<StoryResult>(last.data.value());
    json.member("decision", result.decision).key("result").raw(last.data.text());
    const Result<Graph> graph =
        phases ? graph_of(phases.value(), phases.value().size()) : Result<Graph>(phases.error());
    if (graph && result.valid) {
      json.key("story").raw(book_json(book_of(graph.value())));
    }
  } else if (ended) {
    json.member("error", last.error);
  }
  json.end_object();
  return out;
}

std::vector<LogLine> log_lines(const run::Journal& journal, std::uint64_t from) {
  std::vector<LogLine> out;
  for (std::size_t i = 0; i < journal.entries().size(); ++i) {
    const run::Entry& entry = journal.entries()[i];
    std::vector<std::string> lines;
    if (entry.kind == run::EntryKind::begin) {
      lines.push_back("⚙️ Story: " + title_of(journal));
    } else if (entry.kind == run::EntryKind::note) {
      lines = phase_lines(entry);
    } else if (entry.kind == run::EntryKind::cancel) {
      lines.push_back("✗ Cancelled: " + entry.error);
    } else if (entry.kind == run::EntryKind::end) {
      lines.push_back(entry.status == run::Status::ok ? end_line(json::record_of<StoryResult>(entry.data.value()))
                                                      : "❌ " + entry.error);
    }
    for (std::string& line : lines) {
      if (i >= from) {
        out.push_back({i, entry.at_ms, std::move(line)});
      }
    }
  }
  return out;
}

}  // namespace plumb::pipelines::story
