#include "core/pipelines/story/story.hpp"

#include <algorithm>
#include <array>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/preparation.hpp"
#include "core/text/suggest.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::story {

namespace {

using json::Value;
using plumb::story::Graph;
using plumb::story::Made;
using plumb::story::Mutation;
using plumb::story::Outline;
using plumb::story::OutlineReading;
using plumb::story::PhaseNote;
using plumb::story::PhaseStatus;
using plumb::story::read_note;
using plumb::story::read_outline;
using plumb::story::Stage;
using plumb::story::story_phases;
using plumb::story::StoryPhase;
using plumb::story::unread_form;
using run::Data;

constexpr std::string_view note_kind = "story_phase";
constexpr std::array<std::string_view, 1> members = {"outline"};

std::string name_of_phase(Stage stage, std::string_view phase, char between) {
  return std::string(name_of(stage)) + between + std::string(phase);
}

Error wrong_story(std::string message, std::string where = {}) {
  return Error{ErrorCode::invalid_argument, std::move(message), std::move(where), 0, 0};
}

// The notes and the graph that they give, as far as the run has come.
struct Line {
  std::vector<PhaseNote> notes;
  Graph graph;
  bool compared = false;  // what was taken over is what the outline gives
};

// A phase that was taken over from the journal.
Result<bool> take_over(Line& line, const Data& data) {
  Result<PhaseNote> note = read_note(data.text());
  if (!note) {
    return note.error();
  }
  for (const Mutation& mutation : note.value().mutations) {
    if (Result<bool> done = line.graph.replay(mutation); !done) {
      return done;
    }
  }
  if (line.graph.hash() != note.value().hash) {
    return wrong_story("the graph after it is not the one that the journal names");
  }
  line.notes.push_back(std::move(note).value());
  return true;
}

void compare(run::Run& run, Line& line, const Outline& outline) {
  const std::string other = line.compared ? std::string() : first_that_differs(outline, line.notes);
  line.compared = true;
  if (!other.empty()) {
    run.stop(wrong_story(
        "the outline is another one at '" + other + "', which would stay as it was: rewind to there, or to before it",
        "/outline"));
  }
}

Data result_of(const Made& made) {
  StoryResult out;
  out.decision = contract::decision_name(made.verdict.decision);
  out.valid = made.verdict.valid;
  for (const contract::Finding& one : made.verdict.findings) {
    out.errors += one.severity == contract::Severity::error ? 1U : 0U;
    out.warnings += one.severity == contract::Severity::warning ? 1U : 0U;
  }
  out.graph = made.graph.hash();
  if (made.book) {
    out.book = book_hash(*made.book);
    out.passages = made.book->passages.size();
  }
  out.endings = made.play.endings;
  out.endings_reached = made.play.endings_reached;
  out.states = made.play.states;
  out.play = made.play.complete ? "complete" : "undecided";
  return Data::of(std::move(out));
}

// What is wrong with an outline, as a request's error.
Error refused_outline(const contract::Verdict& verdict) {
  std::size_t errors = 0;
  const contract::Finding* first = nullptr;
  for (const contract::Finding& one : verdict.findings) {
    if (one.severity == contract::Severity::error) {
      first = first == nullptr ? &one : first;
      ++errors;
    }
  }
  return wrong_request(first == nullptr
                           ? "the outline cannot be judged"
                           : "the outline has " + counted(errors, "error: ", "errors, the first: ") + first->message,
                       "/outline" + (first == nullptr ? std::string() : first->at));
}

}  // namespace

std::span<const json::Field> StoryResult::fields() {
  using json::field;
  using json::field_if_set;
  static constexpr json::Field table[] = {field<&StoryResult::decision>("decision"),
                                          field<&StoryResult::valid>("valid"),
                                          field<&StoryResult::errors>("errors"),
                                          field<&StoryResult::warnings>("warnings"),
                                          field<&StoryResult::graph>("graph"),
                                          field_if_set<&StoryResult::book>("book"),
                                          field_if_set<&StoryResult::passages>("passages"),
                                          field<&StoryResult::endings>("endings"),
                                          field<&StoryResult::endings_reached>("endings_reached"),
                                          field<&StoryResult::states>("states"),
                                          field<&StoryResult::play>("play")};
  return table;
}

Result<Prepared> prepare(const Value& request, const Texts&) {
  if (const Result<bool> known = only_members(request, members); !known) {
    return known.error();
  }
  const Value* outline = request.find("outline");
  if (outline == nullptr || !outline->is(json::Kind::object)) {
    return wrong_request("`outline` is missing: an object under the contract `outline`", "/outline");
  }
  const std::string text = json::value_text(*outline);
  if (const std::string form = unread_form(text); !form.empty()) {
    return wrong_request("the outline " + form, "/outline");
  }
  const OutlineReading read = read_outline(text);
  if (!read.outline) {
    return refused_outline(read.verdict);
  }
  std::string input;
  json::Writer(input).begin_object().key("outline").raw(text).end_object();
  Prepared out;
  out.fingerprint = fingerprint_of("story\n", input, {});
  out.input = Data::written(std::move(input));
  return out;
}

Result<Data> pipeline(run::Run& run) {
  const Value* given = run.input().value().find("outline");
  const std::string text = given == nullptr ? std::string() : json::value_text(*given);
  OutlineReading read = read_outline(text);
  if (!read.outline) {
    return refused_outline(read.verdict);
  }
  Line line;
  for (const StoryPhase& phase : story_phases()) {
    const std::string name = name_of_phase(phase.stage, phase.name, '-');
    bool fresh = false;
    run.scope(name, [&](run::Run& part) {
      const Data note = part.note(note_kind, [&] {
        compare(run, line, *read.outline);
        line.notes.push_back(run_story_phase(phase, *read.outline, line.graph));
        fresh = true;
        return Data::written(note_json(line.notes.back()));
      });
      std::string out;
      json::Writer(out).begin_object().member("hash", json::text_of(note.value(), "hash")).end_object();
      return Data::written(std::move(out));
    });
    if (!fresh) {
      const std::vector<Data> kept =
          run.notes(note_kind, story_phases().size(), [&](std::string_view key) { return key == name + ":0"; });
      const Result<bool> taken =
          kept.empty() ? Result<bool>(wrong_story("its note is not there")) : take_over(line, kept.back());
      if (!taken) {
        run.stop(wrong_story(taken.error().message, name));
      }
    }
    if (line.notes.back().status == PhaseStatus::failed) {
      break;
    }
  }
  compare(run, line, *read.outline);
  return result_of(judge_story(text, std::move(read), std::move(line.notes), std::move(line.graph)));
}

Result<std::vector<StoredPhase>> phases_of(const run::Journal& journal) {
  if (journal.begin().name != "story") {
    return wrong_story("is a run of '" + journal.begin().name + "', not a story");
  }
  std::vector<StoredPhase> out;
  for (std::size_t i = 1; i < journal.entries().size(); ++i) {
    const run::Entry& entry = journal.entries()[i];
    if (entry.kind != run::EntryKind::note || entry.name != note_kind) {
      continue;
    }
    Result<PhaseNote> note = read_note(entry.data.text());
    if (!note) {
      return wrong_story(note.error().message, entry.key);
    }
    out.push_back({std::move(note).value(), i, entry.at_ms});
  }
  return out;
}

std::string_view outline_of(const run::Journal& journal) {
  const Value* input = journal.begin().data.value().find("input");
  const Value* outline = input == nullptr ? nullptr : input->find("outline");
  return outline == nullptr ? std::string_view() : Data::part(journal.begin().data, outline).text();
}

Result<Made> story_of(const run::Journal& journal) {
  Result<std::vector<StoredPhase>> phases = phases_of(journal);
  if (!phases) {
    return phases.error();
  }
  std::vector<PhaseNote> notes;
  for (StoredPhase& one : phases.value()) {
    notes.push_back(std::move(one.note));
  }
  return story_from(outline_of(journal), std::move(notes));
}

Result<Graph> graph_of(const std::vector<StoredPhase>& phases, std::size_t count) {
  std::vector<PhaseNote> notes;
  for (std::size_t i = 0; i < std::min(count, phases.size()); ++i) {
    notes.push_back(phases[i].note);
  }
  return fold(notes);
}

Result<Cut> cut_at(const run::Journal& journal, std::string_view phase) {
  const Result<std::vector<StoredPhase>> phases = phases_of(journal);
  if (!phases) {
    return phases.error();
  }
  Cut out;
  std::vector<std::string> names;
  for (const StoredPhase& one : phases.value()) {
    names.push_back(name_of_phase(one.note.stage, one.note.phase, '/'));
    if (out.at == 0 && (names.back() == phase || name_of(one.note.stage) == phase)) {
      out.at = one.entry;
    }
    if (out.at != 0) {
      out.behind.push_back(names.back());
    }
  }
  if (out.at == 0) {
    std::string there = joined(names);
    const std::vector<std::string_view> known(names.begin(), names.end());
    return Error{ErrorCode::not_found,
                 "there is no phase '" + json::excerpt(phase, 60) + "' in this story" + did_you_mean(phase, known) +
                     "; there are " + there,
                 "", 0, 0};
  }
  return out;
}

}  // namespace plumb::pipelines::story
