// /ai/artifact: jobs, which are runs of the pipeline `artifact`. A job's id is its run's id.

#include <algorithm>
#include <array>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/outcomes.hpp"
#include "core/run/stamp.hpp"
#include "native/base/log.hpp"
#include "native/control/control.hpp"
#include "native/control/event_stream.hpp"
#include "native/control/route_table.hpp"
#include "native/control/run_answers.hpp"
#include "native/outcome/deliverable.hpp"
#include "native/outcome/outcome_table.hpp"

namespace plumb::control {

namespace {

constexpr std::string_view pipeline_name = "artifact";
constexpr std::size_t jobs_per_page_max = 200;

Answer no_such_job(std::string_view id) { return refuse(Wrong::not_found, "Job not found: " + std::string(id)); }

// The run of a job, or the answer that there is none.
struct FoundJob {
  host::Summary summary;
  std::optional<Answer> refused;
};
FoundJob find_job(Control& control, std::string_view id) {
  Result<host::Summary> found = control.host->summary(id);
  if (!found && found.error().code != ErrorCode::not_found) {
    return {{}, refuse(found.error())};
  }
  if (!found || found.value().row.pipeline != pipeline_name) {
    return {{}, no_such_job(id)};
  }
  return {std::move(found).value(), std::nullopt};
}

// What a job costs is told of its run, in `view` of /v1/runs/{id}: a body here has the members that clients of the
// artifact API know, and what was decided at the end.
constexpr std::array<std::string_view, 4> not_of_a_job = {"tokens_used", "tokens_saved", "token_budget", "calls"};

std::string job_body(const std::string& view, const std::string& problem) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(view, arena);
  PLUMB_REQUIRE(static_cast<bool>(read), "a view is one JSON object");
  std::string text;
  json::Writer json(text);
  json.begin_object();
  for (const json::Member& member : read.value().object()) {
    if (std::find(not_of_a_job.begin(), not_of_a_job.end(), member.key) == not_of_a_job.end()) {
      json.key(member.key).value(member.value);
    }
  }
  if (!problem.empty()) {
    json.member("problem", problem);
  }
  json.end_object();
  return text;
}

Answer job_answer(Control& control, const host::Summary& summary) {
  const std::string& id = summary.row.id;
  const Result<std::shared_ptr<const run::Journal>> journal = control.host->snapshot(id);
  if (!journal) {
    return refuse(journal.error());
  }
  return isolated("body of " + id, [id, known = control.known(pipeline_name), journal = journal.value(),
                                    problem = summary.problem] {
    const Result<std::string> view = outcome::view_of(*known, *journal);
    return view ? json_answer(200, job_body(view.value(), problem)) : refuse_as_bug("body of " + id, view.error());
  });
}

// What a request for a job has come to.
struct Asked {
  std::optional<pipelines::Prepared> prepared;
  std::string owner;
};

// Reads and prepares a request; where it cannot be done the answer has a problem.
Answer prepare_job(const pipelines::Known& known, const pipelines::Texts& texts, const std::string& body,
                   Asked& asked) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(body, arena);
  if (!read) {
    Error error = read.error();
    error.message = "the body must be one JSON object in UTF-8: " + error.message +
                    " (the source goes into \"content\" as text; a PDF or another binary file must be made text first)";
    return refuse(Wrong::bad_request, error);
  }
  if (!read.value().is(json::Kind::object)) {
    return refuse(Wrong::bad_request, R"(The body must be a JSON object with "artifact_type" and "content".)");
  }
  asked.owner = text_of(read.value(), "user_id");
  // What a call costs follows from who is asked, and that is for the server to say.
  if (read.value().find("providers") != nullptr) {
    return refuse(Wrong::not_processable,
                  Error{ErrorCode::invalid_argument, "providers are chosen where the server is started; leave this out",
                        "/providers", 0, 0});
  }
  Result<pipelines::Prepared> prepared = known.prepare(read.value(), texts);
  if (!prepared) {
    return refuse(prepared.error().code == ErrorCode::limit ? Wrong::too_large : Wrong::not_processable,
                  prepared.error());
  }
  asked.prepared = std::move(prepared).value();
  return {};
}

// Whether a stored run was begun with this input; its server may have had other providers, and have known other things
// of the judge.
bool same_input(const run::Journal& journal, const run::Data& input) {
  const json::Value* stored = journal.begin().data.value().find("input");
  const auto is_in = [](const json::Value& all) {
    return [&all](const json::Member& member) {
      const json::Value* other = all.find(member.key);
      return member.key == "providers" || member.key == "judged_by" ||
             (other != nullptr && json::equal(*other, member.value));
    };
  };
  if (stored == nullptr) {
    return false;
  }
  const auto given = input.value().object();
  const auto kept = stored->object();
  return std::all_of(given.begin(), given.end(), is_in(*stored)) &&
         std::all_of(kept.begin(), kept.end(), is_in(input.value()));
}

Answer started_answer(int status, std::string_view id, std::string_view state, std::string_view message) {
  std::string text;
  json::Writer json(text);
  json.begin_object().member("job_id", id).member("status", state).member("message", message).end_object();
  Answer answer = json_answer(status, std::move(text));
  answer.headers.emplace_back("Location", "/ai/artifact/" + std::string(id));
  return answer;
}

bool tells_of_progress(run::EntryKind kind) {
  return kind == run::EntryKind::begin || kind == run::EntryKind::note || kind == run::EntryKind::signal ||
         kind == run::EntryKind::cancel || kind == run::EntryKind::end;
}

// What a stream of updates shows: an event for each entry that tells of the job's progress, with the body that the
// status route had then.
struct Updates {
  Control& control;
  const pipelines::Known& known;
  std::string id;
  std::shared_ptr<const run::Journal> journal;  // as far as it has been read

  Shown show(const run::Stored& entry) {
    if (!journal || journal->entries().size() <= entry.number) {
      Result<std::shared_ptr<const run::Journal>> found = control.host->snapshot(id);
      if (!found) {
        return {"", found.error().message};
      }
      journal = std::move(found).value();
    }
    if (journal->entries().size() <= entry.number) {
      return {"", "entry " + std::to_string(entry.number) + " cannot be read"};
    }
    if (!tells_of_progress(journal->entries()[entry.number].kind)) {
      return {};
    }
    const Answer made =
        isolated("update of " + id, [id_ = id, &known_ = known, whole = journal, number = entry.number] {
          const run::Journal then = whole->prefix(static_cast<std::size_t>(number) + 1);
          const Result<std::string> view = outcome::view_of(known_, then);
          if (!view) {
            return refuse_as_bug("update of " + id_, view.error());
          }
          std::string text;
          json::Writer json(text);
          json.begin_object().member_uint("entry", number).member("at", run::iso_time(then.entries().back().at_ms));
          json.key("job").raw(view.value()).key("log").begin_array();
          if (known_.log != nullptr) {
            for (const pipelines::LogLine& line : known_.log(then, number)) {
              if (line.entry == number) {
                json.string(line.text);
              }
            }
          }
          json.end_array().end_object();
          return json_answer(200, std::move(text));
        });
    return {made.body, made.problem ? made.problem->error.message : ""};
  }
};

// {job_id, user_id, artifact_type, notebook_id, timestamp, result} or {..., error, retry_count}.
NextEvents ended_job(Control& control, const store::RunRow& row) {
  const pipelines::Known* known = control.known(pipeline_name);
  const Result<std::shared_ptr<const run::Journal>> found = control.host->snapshot(row.id);
  if (!found || known == nullptr) {
    log_warn("end of ", row.id, " is not told: ", found ? "no such pipeline" : found.error().message);
    return {};
  }
  const Answer made = isolated("end of " + row.id, [known, journal = found.value(), row] {
    const Result<std::string> shown = outcome::view_of(*known, *journal);
    if (!shown) {
      return refuse_as_bug("end of " + row.id, shown.error());
    }
    json::Arena arena;
    const Result<json::Value> view = json::parse(shown.value(), arena);
    PLUMB_REQUIRE(view, "a view is one JSON object");
    std::uint64_t again = 0;
    for (const run::Entry& entry : journal->entries()) {
      again += entry.kind == run::EntryKind::attempt && entry.count > 1 ? 1 : 0;
    }
    for (const run::Entry& entry : journal->entries()) {
      again -= entry.kind == run::EntryKind::handover && again > 0 ? 1 : 0;
    }
    const json::Value* input = journal->begin().data.value().find("input");
    const run::Outcome came_to = pipelines::outcome_of(*journal);
    const outcome::OutcomeRow& told = outcome::row_of(came_to.came_to);
    const bool done = row.state == run::State::done;
    std::string text;
    json::Writer json(text);
    json.begin_object().member("job_id", row.id).member("user_id", row.owner);
    json.member("artifact_type", text_of(view.value(), "artifact_type"));
    json.member("notebook_id", input == nullptr ? "" : text_of(*input, "notebook_id"));
    json.member("timestamp", run::iso_time(row.changed_ms));
    outcome::write_outcome(json, came_to);
    const json::Value* result = view.value().find("result");
    if (done && result != nullptr) {
      json.key("result").value(*result);
    }
    for (const std::string_view name : {"decision", "unverified_reason", "asked", "kept"}) {
      if (const json::Value* found_member = done ? view.value().find(name) : nullptr) {
        json.key(name).value(*found_member);
      }
    }
    if (!done) {
      json.member("error", row.error).member_uint("retry_count", again);
    }
    json.end_object();
    // What is undecided is announced as completed where it is passed on, as failed where nothing is.
    const std::string_view event = done || told.event != "completed" ? told.event : "failed";
    return json_answer(200, event_text("artifact." + std::string(event), text));
  });
  return {made.problem ? std::string() : made.body, false};
}

}  // namespace

Answer post_job(Control& control, const Request& request) {
  const pipelines::Known* known = control.known(pipeline_name);
  if (known == nullptr) {
    return refuse(Wrong::unavailable, "This build has no pipeline called artifact.");
  }
  const auto asked = std::make_shared<Asked>();
  Answer made = isolated("POST /ai/artifact/generate", [known, texts = control.texts, body = request.body, asked] {
    return prepare_job(*known, texts, *body, *asked);
  });
  if (made.problem) {
    return made;
  }
  const run::Data input = asked->prepared->input;
  host::StartOptions options;
  options.owner = asked->owner;
  options.request_key = request.header("Idempotency-Key");
  const Result<host::Started> started = control.host->start(pipeline_name, std::move(*asked->prepared), options);
  if (!started) {
    return refuse(started.error());
  }
  const std::string& id = started.value().id;
  if (started.value().fresh) {
    return started_answer(202, id, "pending", "Job created");
  }
  const FoundJob found = find_job(control, id);
  if (found.refused) {
    return *found.refused;
  }
  // Found by its key, from before this server was started: answered as it was then.
  if (!options.request_key.empty() &&
      found.summary.row.request_key == host::stored_request_key(control.project, options.request_key)) {
    const Result<std::shared_ptr<const run::Journal>> journal = control.host->snapshot(id);
    if (!journal) {
      return refuse(journal.error());
    }
    if (!same_input(*journal.value(), input)) {
      return refuse(Wrong::key_reused, "The job " + id + " was made with this key and another body; use a new key.");
    }
    return started_answer(202, id, "pending", "Job created");
  }
  const Answer view = job_answer(control, found.summary);
  json::Arena arena;
  const Result<json::Value> body = json::parse(view.body, arena);
  return started_answer(202, id, body ? text_of(body.value(), "status") : "pending",
                        "A job for the same request is active already");
}

Answer get_job(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {})) {
    return std::move(*refused);
  }
  FoundJob found = find_job(control, request.value("id"));
  return found.refused ? std::move(*found.refused) : job_answer(control, found.summary);
}

Answer delete_job(Control& control, const Request& request) {
  const std::string id(request.value("id"));
  if (FoundJob found = find_job(control, id); found.refused) {
    return std::move(*found.refused);
  }
  if (std::optional<Answer> refused = cancel_run(control, id, "cancelled over HTTP")) {
    return std::move(*refused);
  }
  FoundJob found = find_job(control, id);
  return found.refused ? std::move(*found.refused) : job_answer(control, found.summary);
}

Answer get_jobs(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {"limit", "cursor", "user_id"})) {
    return std::move(*refused);
  }
  PageAsked asked = page_asked(control, request, jobs_per_page_max);
  if (asked.refused) {
    return std::move(*asked.refused);
  }
  asked.query.pipeline = pipeline_name;
  asked.query.owner = request.asked("user_id").value_or("");
  const Result<store::Page> page = control.host->list(asked.query);
  if (!page) {
    return refuse(page.error());
  }
  std::string text;
  json::Writer json(text);
  json.begin_object().key("jobs").begin_array();
  for (const store::RunRow& row : page.value().runs) {
    const FoundJob found = find_job(control, row.id);
    // One that went between the list and this is left out.
    const Answer view = found.refused ? *found.refused : job_answer(control, found.summary);
    if (!view.problem) {
      json.raw(view.body);
    }
  }
  json.end_array();
  write_next(json, control, page.value().next, page.value().runs);
  json.end_object();
  return json_answer(200, std::move(text));
}

Answer get_job_events(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {"from"})) {
    return std::move(*refused);
  }
  const std::string id(request.value("id"));
  if (FoundJob found = find_job(control, id); found.refused) {
    return std::move(*found.refused);
  }
  const pipelines::Known* known = control.known(pipeline_name);
  const auto updates = std::make_shared<Updates>(Updates{control, *known, id, nullptr});
  return run_event_stream(control, id, stream_start(request), "update",
                          [updates](const run::Stored& entry) { return updates->show(entry); });
}

Answer get_ended_jobs(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {"user_id"})) {
    return std::move(*refused);
  }
  std::shared_ptr<void> place = take_stream_place(control);
  if (!place) {
    return no_stream_place();
  }
  const std::string owner(request.asked("user_id").value_or(""));
  const auto listener = control.ended_jobs.listen();
  const auto greeted = std::make_shared<bool>(false);
  return event_stream(control, std::move(place), [&control, owner, listener, greeted]() -> NextEvents {
    if (!*greeted) {
      *greeted = true;
      std::string text;
      json::Writer(text).begin_object().member("type", "connected").member("user_id", owner).end_object();
      return {event_text("", text), false};
    }
    if (const std::optional<std::string> id = listener->next(std::chrono::milliseconds(500))) {
      const FoundJob found = find_job(control, *id);
      if (found.refused || (!owner.empty() && found.summary.row.owner != owner)) {
        return {};
      }
      return ended_job(control, found.summary.row);
    }
    if (!listener->dropped()) {
      return {};
    }
    ++control.metrics.watchers_dropped;
    return {event_text("dropped", R"({"why":"too many jobs ended before they were read"})"), true};
  });
}

}  // namespace plumb::control
