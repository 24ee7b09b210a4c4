// /v1/runs: every run of the store, whatever its pipeline.
#include <algorithm>
#include <charconv>

#include "core/json/writer.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/pipelines/outcomes.hpp"
#include "core/run/journal_file.hpp"
#include "core/run/person.hpp"
#include "core/run/stamp.hpp"
#include "native/control/control.hpp"
#include "native/control/event_stream.hpp"
#include "native/control/route_table.hpp"
#include "native/control/run_answers.hpp"
#include "native/outcome/deliverable.hpp"
#include "native/outcome/outcome_table.hpp"
#include "native/outcome/run_name.hpp"
#include "native/store/run_result.hpp"

namespace plumb::control {

namespace {

constexpr std::size_t why_max = 500;
constexpr std::size_t answer_shown_max = 200;

std::optional<run::State> state_named(std::string_view name) {
  for (const run::State state : {run::State::waiting, run::State::done, run::State::failed, run::State::cancelled}) {
    if (run::state_name(state) == name) {
      return state;
    }
  }
  return std::nullopt;
}

// The file form of a journal, read from the store and written in parts: a line for each entry, and before it one for
// each text that it is the first to need.
bool write_journal(Control& control, const std::string& id, Sink& sink) {
  for (std::uint64_t from = 0;;) {
    const Result<store::JournalPart> part = control.host->journal(id, from);
    if (!part || part.value().entries.empty()) {
      return false;
    }
    std::string text;
    for (const run::Stored& entry : part.value().entries) {
      run::append_to_file(text, entry);
      if (text.size() >= 65'536) {
        if (!sink.write(text)) {
          return false;
        }
        text.clear();
      }
    }
    if (!text.empty() && !sink.write(text)) {
      return false;
    }
    from += part.value().entries.size();
    if (from >= part.value().total) {
      return true;
    }
  }
}

// The number of the run that ?cursor= names.
AskedNumber asked_run(Control& control, const Request& request) {
  const std::optional<std::string_view> said = request.asked("cursor");
  if (!said) {
    return {};
  }
  const Result<host::Summary> found = control.host->summary(*said);
  if (found) {
    return {found.value().row.number, std::nullopt};
  }
  return {0, refuse(Wrong::bad_request, Error{ErrorCode::invalid_argument,
                                              "must be the next_cursor of a page before; there is no run '" +
                                                  json::excerpt(*said, 40) + "'",
                                              "?cursor", 0, 0})};
}

// What an ended run has decided and come to.
void write_end(json::Writer& json, Control& control, const store::RunRow& row) {
  std::optional<run::Outcome> came_to;
  if (const Result<store::JournalPart> last = control.host->journal(row.id, row.entries - 1);
      last && !last.value().entries.empty()) {
    store::result_in(row, last.value()).write(json);
    came_to = pipelines::outcome_in(row.pipeline, last.value().entries.back());
  }
  if (!came_to) {
    const Result<std::shared_ptr<const run::Journal>> journal = control.host->snapshot(row.id);
    if (journal && journal.value()->entries().back().kind == run::EntryKind::end) {
      came_to = pipelines::outcome_of(*journal.value());
    }
  }
  if (came_to) {
    outcome::write_outcome(json, *came_to);
  }
}

}  // namespace

PageAsked page_asked(Control& control, const Request& request, std::size_t limit_max) {
  PageAsked asked;
  const AskedNumber limit = asked_number(request, "limit", 50, 1, limit_max);
  const AskedNumber cursor =
      control.project.empty() ? asked_number(request, "cursor", 0, 1, UINT64_MAX) : asked_run(control, request);
  asked.refused = limit.refused ? limit.refused : cursor.refused;
  asked.query.limit = static_cast<std::size_t>(limit.number);
  asked.query.before = cursor.number;
  return asked;
}

void write_next(json::Writer& json, const Control& control, std::uint64_t next,
                const std::vector<store::RunRow>& runs) {
  const auto last = std::find_if(runs.begin(), runs.end(), [next](const auto& row) { return row.number == next; });
  if (next != 0 && last != runs.end()) {
    json.member("next_cursor", control.project.empty() ? std::to_string(next) : last->id);
  }
}

void write_row(json::Writer& json, const store::RunRow& row) {
  json.member("id", row.id).member("pipeline", row.pipeline).member_uint("version", row.version);
  json.member("state", run::state_name(row.state));
  if (!row.owner.empty()) {
    json.member("owner", row.owner);
  }
  if (!row.project.empty()) {
    json.member("project", row.project);
  }
  if (!row.error.empty()) {
    json.member(row.state == run::State::waiting ? "problem" : "error", row.error);
  }
  json.member("created_at", run::iso_time(row.created_ms)).member("updated_at", run::iso_time(row.changed_ms));
  json.member_uint("entries", row.entries).member_uint("bytes", row.bytes);
  if (!row.forked_from.empty()) {
    json.member("forked_from", row.forked_from);
  }
}

Answer page_answer(Control& control, const store::ListQuery& query) {
  const Result<store::Page> page = control.host->list(query);
  if (!page) {
    return refuse(page.error());
  }
  std::string text;
  json::Writer json(text);
  json.begin_object().key("runs").begin_array();
  for (const store::RunRow& row : page.value().runs) {
    json.begin_object();
    write_row(json, row);
    if (const Result<store::JournalPart> first = control.host->journal(row.id, 0, 1);
        first && !first.value().entries.empty()) {
      const outcome::RunName name = outcome::run_name(row.pipeline, first.value().entries.front());
      json.member("type", name.type);
      if (!name.title.empty()) {
        json.member("title", name.title);
      }
    }
    if (row.state != run::State::waiting && row.entries > 0) {
      write_end(json, control, row);
    }
    json.end_object();
  }
  json.end_array();
  write_next(json, control, page.value().next, page.value().runs);
  json.end_object();
  return json_answer(200, std::move(text));
}

std::optional<Answer> cancel_run(Control& control, const std::string& id, std::string_view why) {
  const Result<bool> cancelled = control.host->cancel(id, why);
  if (!cancelled) {
    return refuse(cancelled.error());
  }
  if (cancelled.value()) {
    // So that the answer tells of the end, as a rule. A result that comes later is in the journal.
    (void)control.host->wait(id, 5'000);
    return std::nullopt;
  }
  const Result<host::Summary> summary = control.host->summary(id);
  if (!summary) {
    return refuse(summary.error());
  }
  if (summary.value().row.state == run::State::cancelled) {
    return std::nullopt;
  }
  return refuse(Wrong::conflict,
                "It has ended already: " + std::string(run::state_name(summary.value().row.state)) + ".");
}

Answer get_runs(Control& control, const Request& request) {
  if (std::optional<Answer> refused =
          unknown_query(request, {"limit", "cursor", "pipeline", "state", "owner", "project"})) {
    return std::move(*refused);
  }
  PageAsked asked = page_asked(control, request, 1000);
  if (asked.refused) {
    return std::move(*asked.refused);
  }
  asked.query.pipeline = request.asked("pipeline").value_or("");
  asked.query.owner = request.asked("owner").value_or("");
  asked.query.project = request.asked("project").value_or("");
  if (const std::optional<std::string_view> state = request.asked("state")) {
    asked.query.state = state_named(*state);
    if (!asked.query.state) {
      return refuse(Wrong::bad_request,
                    Error{ErrorCode::invalid_argument, "must be waiting, done, failed or cancelled", "?state", 0, 0});
    }
  }
  return page_answer(control, asked.query);
}

Answer run_answer(Control& control, const std::string& id, int status) {
  const Result<host::Summary> found = control.host->summary(id);
  if (!found) {
    return refuse(found.error());
  }
  const host::Summary& summary = found.value();
  std::string text;
  json::Writer json(text);
  json.begin_object();
  store::RunRow row = summary.row;
  if (row.state == run::State::waiting) {
    row.error = summary.problem;  // as it is now
  }
  write_row(json, row);
  if (row.state != run::State::waiting && row.entries > 0) {
    write_end(json, control, row);
  }
  json.member_uint("under_way", summary.under_way);
  if (const Result<std::shared_ptr<const run::Journal>> journal = control.host->snapshot(id)) {
    if (const std::string watched = pipelines::monitored_json(*journal.value()); !watched.empty()) {
      json.key("budget").raw(watched);
    }
  }
  const pipelines::Known* known = control.known(summary.row.pipeline);
  if (known != nullptr && known->view != nullptr) {
    const Answer view = view_answer(control, *known, id, 200);
    if (!view.problem) {
      json.key("view").raw(view.body);
    }
  }
  json.end_object();
  return json_answer(status, std::move(text));
}

Answer view_answer(Control& control, const pipelines::Known& known, const std::string& id, int status) {
  const Result<std::shared_ptr<const run::Journal>> journal = control.host->snapshot(id);
  if (!journal) {
    return refuse(journal.error());
  }
  return isolated("view of " + id, [id, &known, journal = journal.value(), status] {
    const Result<std::string> view = outcome::view_of(known, *journal);
    return view ? json_answer(status, view.value()) : refuse_as_bug("view of " + id, view.error());
  });
}

Answer get_run(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {})) {
    return std::move(*refused);
  }
  return run_answer(control, std::string(request.value("id")), 200);
}

// Its journal goes with it, and what it held is overwritten.
Answer delete_run(Control& control, const Request& request) {
  const std::string id(request.value("id"));
  const Result<bool> removed = control.host->remove(id);
  if (!removed) {
    return removed.error().code == ErrorCode::invalid_argument ? refuse(Wrong::conflict, removed.error())
                                                               : refuse(removed.error());
  }
  Answer answer;
  answer.status = 204;
  return answer;
}

Answer get_run_journal(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {})) {
    return std::move(*refused);
  }
  const std::string id(request.value("id"));
  const Result<host::Summary> found = control.host->summary(id);
  if (!found) {
    return refuse(found.error());
  }
  Answer answer;
  answer.type = "application/x-ndjson";
  answer.headers.emplace_back("Content-Disposition", "attachment; filename=\"" + found.value().row.id + ".jsonl\"");
  answer.stream = [&control, id](Sink& sink) { return write_journal(control, id, sink); };
  return answer;
}

Answer get_run_events(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {"from"})) {
    return std::move(*refused);
  }
  // The texts that an entry is the first to need are in the same event, so that the entry can be read at once.
  return run_event_stream(control, std::string(request.value("id")), stream_start(request), "entry",
                          [](const run::Stored& entry) -> Shown {
                            std::string data;
                            json::Writer json(data);
                            json.begin_object().key("entry").raw(entry.line);
                            if (!entry.blobs.empty()) {
                              json.key("texts").begin_object();
                              for (const run::Blob& blob : entry.blobs) {
                                json.member(blob.hash, blob.text);
                              }
                              json.end_object();
                            }
                            json.end_object();
                            return {std::move(data), ""};
                          });
}

Answer post_run_cancel(Control& control, const Request& request) {
  const std::string id(request.value("id"));
  std::string why = "cancelled over HTTP";
  if (!request.body->empty()) {
    json::Arena arena;
    const Result<json::Value> body = json::parse(*request.body, arena, {8, 1 << 20});
    if (!body) {
      return refuse(Wrong::bad_request, body.error());
    }
    const json::Value* said = body.value().find("why");
    const bool only = body.value().is(json::Kind::object) && body.value().size == (said == nullptr ? 0U : 1U);
    if (!only || (said != nullptr && !said->is(json::Kind::string))) {
      return refuse(Wrong::not_processable, R"(The body is {"why": "..."} or nothing.)");
    }
    if (said != nullptr) {
      why = json::excerpt(said->str(), why_max);
    }
  }
  if (std::optional<Answer> refused = cancel_run(control, id, why)) {
    return std::move(*refused);
  }
  return run_answer(control, id, 200);
}

// {"here": true}: a run that is to ask others goes on with whom this server has. `refused` otherwise where the body is
// something else.
struct AskedResume {
  bool here = false;
  std::optional<Answer> refused;
};
AskedResume asked_resume(const Request& request) {
  AskedResume out;
  if (request.body->empty()) {
    return out;
  }
  json::Arena arena;
  const Result<json::Value> body = json::parse(*request.body, arena, {8, 1 << 20});
  const json::Value* here = body ? body.value().find("here") : nullptr;
  const bool only = body && body.value().is(json::Kind::object) && body.value().size == (here == nullptr ? 0U : 1U);
  if (!only || (here != nullptr && !here->is(json::Kind::boolean))) {
    out.refused = refuse(Wrong::not_processable, R"(The body is {"here": true} or nothing.)");
  }
  out.here = here != nullptr && here->boolean;
  return out;
}

Answer post_run_resume(Control& control, const Request& request) {
  const std::string id(request.value("id"));
  AskedResume asked = asked_resume(request);
  if (asked.refused) {
    return std::move(*asked.refused);
  }
  const Result<std::size_t> answered = asked.here ? Result<std::size_t>(0) : host::go_on(*control.host, id);
  if (answered && answered.value() > 0) {
    return run_answer(control, id, 200);
  }
  const Result<host::Summary> resumed =
      asked.here ? control.host->resume(id, host::GoOn::here, "POST /v1/runs/" + id + "/resume")
                 : control.host->resume(id);
  if (!resumed) {
    return resumed.error().code == ErrorCode::invalid_argument ? refuse(Wrong::conflict, resumed.error())
                                                               : refuse(resumed.error());
  }
  if (resumed.value().held && !asked.here) {
    return refuse(Wrong::conflict, resumed.value().problem + R"(; or POST {"here": true} to go on with this server's)");
  }
  return run_answer(control, id, 200);
}

namespace {

// Somebody was first, or nothing more is asked.
std::string why_no_signal(Control& control, const std::string& id, std::string_view signal) {
  const Result<std::shared_ptr<const run::Journal>> journal = control.host->snapshot(id);
  const run::Entry* answer = journal ? run::answered_by(*journal.value(), signal) : nullptr;
  if (answer == nullptr) {
    return "The run has ended, or accepts no more signals.";
  }
  const json::Value* decision = answer->data.is_null() ? nullptr : answer->data.value().find("decision");
  if (decision == nullptr) {
    return "This question is no longer open.";
  }
  return "This question was answered already: " + json::excerpt(json::value_text(*decision), answer_shown_max);
}

}  // namespace

Answer post_run_signal(Control& control, const Request& request) {
  const std::string id(request.value("id"));
  const std::string name(request.value("name"));
  Result<run::Data> value = run::Data::written("null");
  if (!request.body->empty()) {
    value = run::Data::read(*request.body);
    if (!value) {
      return refuse(Wrong::bad_request, value.error());
    }
  }
  const Result<bool> sent = control.host->signal(id, name, std::move(value).value());
  if (!sent) {
    return refuse(sent.error());
  }
  if (!sent.value()) {
    return refuse(Wrong::conflict, why_no_signal(control, id, name));
  }
  std::string text;
  json::Writer(text).begin_object().member("id", id).member("signal", name).end_object();
  return json_answer(202, std::move(text));
}

}  // namespace plumb::control
