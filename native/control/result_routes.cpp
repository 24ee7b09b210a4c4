// /v1/runs/{id}/result: what a run was begun for, as `plumb runs result` writes it. After a failure the best of what
// was rejected can be had, never with a status that a client could take for success.
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/outcomes.hpp"
#include "native/control/control.hpp"
#include "native/control/route_table.hpp"
#include "native/outcome/boundary_outcome.hpp"
#include "native/outcome/deliverable.hpp"
#include "native/outcome/exported.hpp"
#include "native/outcome/outcome_table.hpp"

namespace plumb::control {

namespace {

std::string state_words(const run::Entry& end) {
  const std::string why = end.error.empty() ? "" : ": " + end.error;
  return end.status == run::Status::cancelled ? "The run was cancelled" + why
         : end.status == run::Status::ok      ? "The run has ended, and what it made is not good" + why
                                              : "The run has failed" + why;
}

// What of a run that did not come to its end can be had for all that: as JSON where it is JSON, else as a string.
std::string as_json(std::string text) {
  json::Arena arena;
  if (json::parse(text, arena)) {
    return text;
  }
  std::string out;
  json::append_string(out, text);
  return out;
}

Answer result_answer(std::string_view what, const pipelines::Known& known, const run::Journal& journal, bool envelope,
                     const exports::Format* format) {
  const run::Entry& end = journal.entries().back();
  const std::string& pipeline = journal.begin().name;
  Result<std::string> delivered = outcome::deliverable(known, journal, {});
  if (!delivered) {
    return refuse_as_bug(what, delivered.error());
  }
  std::string text = std::move(delivered).value();
  const run::Data view = run::Data::written(known.view(journal));
  if (envelope) {
    text = outcome::boundary_envelope(view.value());
  }
  const run::Outcome came_to = pipelines::outcome_of(journal);
  const outcome::OutcomeRow& row = outcome::row_of(came_to.came_to);
  if (end.status == run::Status::ok && row.status < 400) {
    if (text.empty()) {
      return refuse(Wrong::not_found, "The run has no result that this server knows to write.");
    }
    Result<std::string> file =
        format == nullptr ? Result<std::string>(std::move(text)) : outcome::exported(known, journal, text, *format);
    if (!file) {
      const Error& error = file.error();
      return refuse(Wrong::bad_request, error.message + (error.where.empty() ? "" : " (" + error.where + ")"));
    }
    Answer answer = json_answer(row.status, std::move(file).value());
    answer.type = format == nullptr ? outcome::media_type(pipeline) : format->media_type;
    answer.headers.emplace_back("X-Plumb-Outcome", std::string(run::came_to_name(came_to.came_to)));
    if (const std::size_t beside = outcome::beside_lines(pipeline, view.value()).size(); beside > 0) {
      answer.headers.emplace_back("X-Plumb-Warnings", json::uint_text(beside));
    }
    if (const json::Value* decision = view.value().find("decision"); decision != nullptr) {
      answer.headers.emplace_back("X-Plumb-Decision", std::string(decision->str()));
    }
    return answer;
  }
  Answer answer = refuse(Wrong::conflict, state_words(end));
  answer.problem->members.emplace_back("outcome", json::record_text(came_to));
  if (!text.empty()) {
    answer.problem->members.emplace_back("result", as_json(std::move(text)));
  }
  Result<std::string> rejected = outcome::rejected_artifact(journal);
  if (!rejected) {
    return refuse_as_bug(what, rejected.error());
  }
  if (!rejected.value().empty()) {
    answer.problem->members.emplace_back("rejected", std::move(rejected).value());
  }
  return answer;
}

}  // namespace

Answer get_run_result(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {"envelope", "as"})) {
    return std::move(*refused);
  }
  const exports::Format* format = nullptr;
  if (const std::optional<std::string_view> name = request.asked("as")) {
    const Result<const exports::Format*> known = outcome::export_format(*name);
    if (!known) {
      return refuse(Wrong::bad_request, known.error().message);
    }
    format = known.value();
  }
  const std::string id(request.value("id"));
  const Result<host::Summary> found = control.host->summary(id);
  if (!found) {
    return refuse(found.error());
  }
  const store::RunRow& row = found.value().row;
  const pipelines::Known* known = control.known(row.pipeline);
  if (known == nullptr || known->view == nullptr) {
    return refuse(Wrong::not_found, "This server has no pipeline '" + row.pipeline + "'.");
  }
  const Result<std::shared_ptr<const run::Journal>> journal = control.host->snapshot(id);
  if (!journal) {
    return refuse(journal.error());
  }
  if (journal.value()->entries().back().kind != run::EntryKind::end) {
    const std::string& problem = found.value().problem;
    return refuse(Wrong::conflict,
                  "The run has not ended yet" +
                      (problem.empty() ? "; GET /v1/runs/" + id + "/events tells when it has." : ": " + problem));
  }
  const bool envelope = known->pipeline.name == "boundary" && request.asked("envelope") == "true";
  const std::string what = "result of " + id;
  return isolated(what, [what, id, known, envelope, format, whole = journal.value()] {
    Answer answer = result_answer(what, *known, *whole, envelope, format);
    if (format != nullptr && !answer.problem) {
      answer.headers.emplace_back("Content-Disposition",
                                  "attachment; filename=\"" + id + std::string(format->extension) + "\"");
    }
    return answer;
  });
}

}  // namespace plumb::control
