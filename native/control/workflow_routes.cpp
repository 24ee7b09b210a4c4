// /api/workflow/plans and /api/workflow/runs: runs of the pipeline `workflow`, their promotion, what people answer in
// them, what they have changed, and landing it. What is asked of a repository outside of a run: workflow_knowledge.cpp.
#include <algorithm>
#include <memory>
#include <utility>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/run/stamp.hpp"
#include "core/wording.hpp"
#include "native/command/work_folders.hpp"
#include "native/control/begin_run.hpp"
#include "native/control/control.hpp"
#include "native/control/route_table.hpp"
#include "native/control/run_answers.hpp"
#include "native/control/workflow_request.hpp"
#include "native/workflow/results.hpp"

namespace plumb::control {

namespace {

using json::text_of;

constexpr std::string_view pipeline_name = "workflow";
constexpr std::size_t runs_per_page_max = 200;
constexpr std::size_t plans_per_page_max = 50;
constexpr std::size_t rows_looked_at_max = 1'000;  // for one page of plans

using Snapshot = std::shared_ptr<const run::Journal>;

struct FoundWorkflow {
  host::Summary summary;
  Snapshot journal;
  run::Data view;
  std::optional<Answer> refused;
};
FoundWorkflow find_workflow(Control& control, const std::string& id) {
  FoundWorkflow out;
  Result<host::Summary> found = control.host->summary(id);
  if (!found && found.error().code != ErrorCode::not_found) {
    out.refused = refuse(found.error());
    return out;
  }
  if (!found || found.value().row.pipeline != pipeline_name) {
    out.refused = refuse(Wrong::not_found, "Workflow run not found: " + id);
    return out;
  }
  out.summary = std::move(found).value();
  Result<Snapshot> journal = control.host->snapshot(id);
  if (!journal) {
    out.refused = refuse(journal.error());
    return out;
  }
  out.journal = std::move(journal).value();
  Answer view = isolated("view of " + id, [known = control.known(pipeline_name), whole = out.journal] {
    return json_answer(200, known->view(*whole));
  });
  if (view.problem) {
    out.refused = std::move(view);
  } else {
    out.view = run::Data::written(std::move(view.body));
  }
  return out;
}

const json::Value& input_of(const run::Journal& journal) {
  static const json::Value nothing{};
  const json::Value* input = journal.begin().data.value().find("input");
  return input == nullptr ? nothing : *input;
}

std::string repository_name(const run::Journal& journal) {
  const std::vector<std::string> names = json::texts_of(input_of(journal), "repositories");
  return names.empty() ? std::string() : names.front();
}

// The repository that the run works on, where this host has the same.
AskedRepository repository_of_run(Control& control, const run::Journal& journal) {
  AskedRepository out;
  const Result<const workflow::Repository*> found = control.repositories.find(repository_name(journal));
  if (!found) {
    out.refused = refuse(Wrong::conflict, found.error().message);
    return out;
  }
  for (const host::Asked& one : host::asked_of_run(journal).parts) {
    if (one.part == host::repository_part && one.provider == found.value()->name && one.at != found.value()->real) {
      out.refused = refuse(Wrong::conflict, "The run works on " + one.words() + ", and here that name is " +
                                                found.value()->real + " (plumb serve --repository NAME=DIR).");
      return out;
    }
  }
  out.repository = found.value();
  return out;
}

// The request of the pipeline: what was sent, with what the address says.
struct Body {
  std::string text;
  std::optional<Answer> refused;
};
Body begun_with(Control& control, const Request& request, bool promoted) {
  Body out;
  json::Arena arena;
  const Result<json::Value> read = json::parse(*request.body, arena);
  if (!read || !read.value().is(json::Kind::object)) {
    out.refused =
        read ? refuse(Wrong::bad_request, "The body is a JSON object.") : refuse(Wrong::bad_request, read.error());
    return out;
  }
  if (read.value().find("promoted") != nullptr) {
    out.refused =
        refuse(Wrong::not_processable, Error{ErrorCode::invalid_argument,
                                             "the address says it: POST /api/workflow/plans begins a draft, POST "
                                             "/api/workflow/runs what is promoted; leave this out",
                                             "/promoted", 0, 0});
    return out;
  }
  if (promoted && read.value().find("idea") != nullptr) {
    out.refused = refuse(
        Wrong::not_processable,
        Error{ErrorCode::invalid_argument,
              "of an idea a draft is made first, which somebody promotes: POST /api/workflow/plans", "/idea", 0, 0});
    return out;
  }
  json::Writer json(out.text);
  json.begin_object().member_boolean("promoted", promoted);
  const auto& known = control.repositories.by_name;
  if (read.value().find("repository") == nullptr && known.size() == 1) {
    json.member("repository", known.begin()->first);
  }
  for (const json::Member& member : read.value().object()) {
    json.key(member.key).value(member.value);
  }
  json.end_object();
  return out;
}

Answer begin_workflow(Control& control, const Request& request, bool promoted) {
  Body body = begun_with(control, request, promoted);
  if (body.refused) {
    return std::move(*body.refused);
  }
  BegunRun begun = begin_run(control, pipeline_name, body.text, {"", std::string(request.header("Idempotency-Key"))});
  if (begun.refused) {
    return std::move(*begun.refused);
  }
  std::string text;
  json::Writer(text).begin_object().member("id", begun.id).member_boolean("fresh", begun.fresh).end_object();
  Answer answer = json_answer(202, std::move(text));
  answer.headers.emplace_back("Location",
                              std::string(promoted ? "/api/workflow/runs/" : "/api/workflow/plans/") + begun.id);
  return answer;
}

// What a plan is, as its run tells: the plan once it is there, and whether it is a draft still.
struct PlanTold {
  const json::Value* plan = nullptr;
  std::string_view state = "planning";
};
PlanTold plan_of(const run::Journal& journal) {
  PlanTold out;
  std::string asked;  // the key of the question whether it is promoted
  const run::Entry& last = journal.entries().back();
  for (const run::Entry& entry : journal.entries()) {
    if (entry.kind == run::EntryKind::note && entry.name == "plan") {
      out.plan = entry.data.value().find("plan");
      out.state = json::flag_of(input_of(journal), "promoted") ? "promoted" : "draft";
    } else if (entry.kind == run::EntryKind::attempt && entry.name == "person" && out.state == "draft") {
      asked = entry.key;
    } else if (entry.kind == run::EntryKind::reply && !asked.empty() && entry.key == asked) {
      const std::string_view said = entry.data.is_null() ? std::string_view() : text_of(entry.data.value(), "decision");
      out.state = entry.status != run::Status::ok    ? "stopped"
                  : said == "promote" || said == "1" ? "promoted"
                                                     : "rejected";
      asked.clear();
    }
  }
  if (last.kind == run::EntryKind::end && (out.state == "planning" || out.state == "draft")) {
    out.state = last.status == run::Status::failed ? "failed" : "stopped";
  }
  return out;
}

void write_plan(json::Writer& json, const store::RunRow& row, const run::Journal& journal, bool whole) {
  const PlanTold told = plan_of(journal);
  json.begin_object().member("id", row.id).member("state", told.state);
  json.member("repository", repository_name(journal)).member("created_at", run::iso_time(row.created_ms));
  if (const std::string_view idea = text_of(input_of(journal), "idea"); !idea.empty()) {
    json.member("idea", idea);
  }
  if (told.plan != nullptr) {
    json.member("title", text_of(*told.plan, "title"));
    json.member_uint("tasks", json::list_of(*told.plan, "tasks").size());
    if (whole) {
      json.key("plan").value(*told.plan);
    }
  }
  if (!row.error.empty()) {
    json.member(row.state == run::State::waiting ? "problem" : "error", row.error);
  }
  json.end_object();
}

// Whether the run was begun as a draft: its first entry tells.
bool begun_as_draft(Control& control, const std::string& id) {
  const Result<store::JournalPart> part = control.host->journal(id, 0, 1);
  if (!part || part.value().entries.empty()) {
    return false;
  }
  const run::Stored& first = part.value().entries.front();
  const Result<run::Journal> begin = run::Journal::read({first.line}, [&](std::string_view hash) {
    const auto found =
        std::find_if(first.blobs.begin(), first.blobs.end(), [&](const run::Blob& one) { return one.hash == hash; });
    return found == first.blobs.end() ? nullptr : &found->text;
  });
  return begin && !json::flag_of(input_of(begin.value()), "promoted");
}

// Sends an answer to the question with this key.
Answer send_answer(Control& control, const std::string& id, const json::Value& asks, const std::string& decision,
                   const SaidTexts& said) {
  std::string value;
  json::Writer json(value);
  json.begin_object().member("decision", decision);
  for (const char* name : {"words", "model", "by"}) {
    if (!said.text(name).empty()) {
      json.member(name, said.text(name));
    }
  }
  json.end_object();
  const Result<bool> sent = control.host->answer(id, text_of(asks, "key"), run::Data::written(std::move(value)));
  if (!sent) {
    return refuse(sent.error());
  }
  if (!sent.value()) {
    return refuse(Wrong::conflict, "This question was answered already, or the run has ended.");
  }
  std::string text;
  json::Writer out(text);
  out.begin_object().member("id", id).member_boolean("accepted", true).member("decision", decision);
  if (const std::string_view task = text_of(asks, "task"); !task.empty()) {
    out.member("task", task);
  }
  out.end_object();
  return json_answer(200, std::move(text));
}

Answer wrong_member(std::string_view name, std::string what) {
  return refuse(Wrong::not_processable,
                Error{ErrorCode::invalid_argument, std::move(what), "/" + std::string(name), 0, 0});
}

std::string joined_or_none(const std::vector<std::string>& texts) { return texts.empty() ? "none" : joined(texts); }

// What the command demands of an answer too; nothing: it may be sent.
std::optional<Answer> wrong_answer(const FoundWorkflow& found, const json::Value& asks, const SaidTexts& said) {
  const std::vector<std::string> options = json::texts_of(asks, "options");
  const std::string& decision = said.text("decision");
  if (!said.text("task").empty() && said.text("task") != text_of(asks, "task")) {
    return refuse(Wrong::conflict, "It asks something else now: " + std::string(text_of(asks, "question")));
  }
  if (std::find(options.begin(), options.end(), decision) == options.end()) {
    return wrong_member("decision", "'" + json::excerpt(decision, 40) +
                                        "' is not an answer to this question; there are: " + joined_or_none(options));
  }
  if (decision == "approve") {
    if (said.text("words").empty() || said.text("by").empty()) {
      return wrong_member(said.text("words").empty() ? "words" : "by",
                          "an approval needs a reason (`words`) and a name (`by`)");
    }
    for (const run::Entry& entry : found.journal->entries()) {
      if (entry.kind == run::EntryKind::attempt && entry.key == text_of(asks, "key") &&
          json::list_of(entry.data.value(), "changed").empty()) {
        return refuse(Wrong::conflict, "Nothing was changed, and nothing can be approved.");
      }
    }
  }
  if (decision == "model") {
    const std::vector<std::string> also = json::texts_of(input_of(*found.journal), "also");
    if (std::find(also.begin(), also.end(), said.text("model")) == also.end()) {
      return wrong_member(
          "model", "the run can continue only with a model of `providers.also`; these are: " + joined_or_none(also));
    }
  }
  return std::nullopt;
}

}  // namespace

Answer post_workflow_plan(Control& control, const Request& request) { return begin_workflow(control, request, false); }
Answer post_workflow_run(Control& control, const Request& request) { return begin_workflow(control, request, true); }

Answer get_workflow_plans(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {"limit", "cursor"})) {
    return std::move(*refused);
  }
  PageAsked asked = page_asked(control, request, plans_per_page_max);
  if (asked.refused) {
    return std::move(*asked.refused);
  }
  asked.query.pipeline = pipeline_name;
  std::string text;
  json::Writer json(text);
  json.begin_object().key("plans").begin_array();
  std::size_t written = 0;
  std::size_t looked_at = 0;
  std::uint64_t next = 0;
  std::vector<store::RunRow> looked;  // the last page
  const std::size_t wanted = asked.query.limit;
  do {
    asked.query.before = next == 0 ? asked.query.before : next;
    Result<store::Page> page = control.host->list(asked.query);
    if (!page) {
      return refuse(page.error());
    }
    next = page.value().next;
    looked = std::move(page).value().runs;
    for (std::size_t i = 0; i < looked.size(); ++i) {
      const store::RunRow& row = looked[i];
      ++looked_at;
      const Result<Snapshot> journal =
          begun_as_draft(control, row.id) ? control.host->snapshot(row.id) : Result<Snapshot>(Snapshot());
      if (!journal || journal.value() == nullptr) {
        continue;
      }
      write_plan(json, row, *journal.value(), false);
      if (++written == wanted && i + 1 < looked.size()) {
        next = row.number;
        break;
      }
    }
  } while (next != 0 && written < wanted && looked_at < rows_looked_at_max);
  json.end_array();
  write_next(json, control, next, looked);
  json.end_object();
  return json_answer(200, std::move(text));
}

Answer get_workflow_plan(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {})) {
    return std::move(*refused);
  }
  FoundWorkflow found = find_workflow(control, std::string(request.value("id")));
  if (found.refused) {
    return std::move(*found.refused);
  }
  store::RunRow row = found.summary.row;
  if (row.state == run::State::waiting) {
    row.error = found.summary.problem;  // as it is now
  }
  std::string text;
  json::Writer json(text);
  write_plan(json, row, *found.journal, true);
  return json_answer(200, std::move(text));
}

Answer post_workflow_promote(Control& control, const Request& request) {
  SaidTexts said = said_texts(request, {"by"});
  if (said.refused) {
    return std::move(*said.refused);
  }
  const std::string id(request.value("id"));
  FoundWorkflow found = find_workflow(control, id);
  if (found.refused) {
    return std::move(*found.refused);
  }
  const json::Value* asks = found.view.value().find("asks");
  if (asks == nullptr || text_of(*asks, "work") != "promote") {
    return refuse(Wrong::conflict, "It is not a draft that could be promoted: it is " +
                                       std::string(plan_of(*found.journal).state) + ".");
  }
  return send_answer(control, id, *asks, "promote", said);
}

Answer get_workflow_runs(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {"limit", "cursor"})) {
    return std::move(*refused);
  }
  PageAsked asked = page_asked(control, request, runs_per_page_max);
  if (asked.refused) {
    return std::move(*asked.refused);
  }
  asked.query.pipeline = pipeline_name;
  return page_answer(control, asked.query);
}

Answer get_workflow_run(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {})) {
    return std::move(*refused);
  }
  const std::string id(request.value("id"));
  FoundWorkflow found = find_workflow(control, id);
  if (found.refused) {
    return std::move(*found.refused);
  }
  std::string text;
  json::Writer json(text);
  json.begin_object();
  for (const json::Member& member : found.view.value().object()) {
    json.key(member.key).value(member.value);
  }
  if (found.summary.row.state == run::State::waiting && !found.summary.problem.empty()) {
    json.member("problem", found.summary.problem);
  }
  const json::Value* asks = found.view.value().find("asks");
  if (const std::string_view tree = asks == nullptr ? std::string_view() : text_of(*asks, "tree"); !tree.empty()) {
    json.member("folder", command::WorkFolders(control.repositories.beside).tree(id, tree));
  }
  json.end_object();
  return json_answer(200, std::move(text));
}

Answer get_workflow_tasks(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {})) {
    return std::move(*refused);
  }
  FoundWorkflow found = find_workflow(control, std::string(request.value("id")));
  if (found.refused) {
    return std::move(*found.refused);
  }
  std::string text;
  json::Writer(text).begin_object().key("tasks").value(*found.view.value().find("tasks")).end_object();
  return json_answer(200, std::move(text));
}

Answer get_workflow_diff(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {"task"})) {
    return std::move(*refused);
  }
  const std::string id(request.value("id"));
  FoundWorkflow found = find_workflow(control, id);
  if (found.refused) {
    return std::move(*found.refused);
  }
  const std::string task(request.asked("task").value_or(""));
  const auto tasks = json::list_of(found.view.value(), "tasks");
  std::vector<std::string> names;
  for (const json::Value& one : tasks) {
    names.emplace_back(text_of(one, "id"));
  }
  if (!task.empty() && std::find(names.begin(), names.end(), task) == names.end()) {
    return refuse(Wrong::not_found, "There is no task '" + json::excerpt(task, 60) +
                                        "' in this run; there are: " + joined_or_none(names));
  }
  AskedRepository on = repository_of_run(control, *found.journal);
  if (on.refused) {
    return std::move(*on.refused);
  }
  const std::optional<workflow::Commits> change = workflow::commits_of(*found.journal, found.view.value(), task);
  if (!change) {
    return refuse(Wrong::conflict, "Nothing was changed yet.");
  }
  const Result<run::Data> diff = workflow::diff_of(*control.trees, id, on.repository->name, *change);
  if (!diff) {
    return refuse(diff.error());
  }
  std::string text;
  json::Writer json(text);
  json.begin_object().member("id", id).member("from", change->from).member("to", change->to);
  if (!task.empty()) {
    json.member("task", task);
  }
  for (const json::Member& member : diff.value().value().object()) {
    json.key(member.key).value(member.value);
  }
  json.end_object();
  return json_answer(200, std::move(text));
}

Answer post_workflow_answer(Control& control, const Request& request) {
  SaidTexts said = said_texts(request, {"decision", "words", "by", "model", "task"});
  if (said.refused) {
    return std::move(*said.refused);
  }
  const std::string id(request.value("id"));
  FoundWorkflow found = find_workflow(control, id);
  if (found.refused) {
    return std::move(*found.refused);
  }
  const json::Value* asks = found.view.value().find("asks");
  if (asks == nullptr) {
    return refuse(Wrong::conflict, "It waits for nobody's answer.");
  }
  if (std::optional<Answer> refused = wrong_answer(found, *asks, said)) {
    return std::move(*refused);
  }
  return send_answer(control, id, *asks, said.text("decision"), said);
}

Answer post_workflow_land(Control& control, const Request& request) {
  SaidTexts said = said_texts(request, {"branch", "on_unverified"});
  if (said.refused) {
    return std::move(*said.refused);
  }
  const std::string& branch = said.text("branch");
  if (!said.text("on_unverified").empty() && said.text("on_unverified") != "pass" &&
      said.text("on_unverified") != "hold") {
    return wrong_member("on_unverified", "is \"hold\" or \"pass\"");
  }
  const std::string id(request.value("id"));
  FoundWorkflow found = find_workflow(control, id);
  if (found.refused) {
    return std::move(*found.refused);
  }
  AskedRepository on = repository_of_run(control, *found.journal);
  if (on.refused) {
    return std::move(*on.refused);
  }
  const std::string usual = on.repository->not_held ? std::string() : on.repository->section.on_unverified;
  const bool passes = (said.text("on_unverified").empty() ? usual : said.text("on_unverified")) == "pass";
  const Result<workflow::Landing> landing =
      workflow::land(*control.trees, found.view.value(), on.repository->name, branch, passes);
  if (!landing) {
    return refuse(landing.error());
  }
  using How = workflow::Landing::How;
  const workflow::Landing& came = landing.value();
  if (came.how == How::landed) {
    std::string text;
    json::Writer json(text);
    json.begin_object().member("id", id).member_boolean("landed", true).member("branch", branch);
    json.member("commit", came.commit).member("was", came.was).end_object();
    return json_answer(200, std::move(text));
  }
  const std::string run = "/api/workflow/runs/" + id;
  const std::string remedy = came.how == How::not_ended      ? "; GET " + run + " tells where it stands"
                             : came.how == How::not_approved ? "; GET " + run + " tells which, and why"
                             : came.how == How::unverified
                                 ? "; look at it (GET " + run + R"(/diff), and say "on_unverified": "pass")"
                             : came.command.empty() ? std::string()
                                                    : "; in the repository: " + came.command;
  Answer answer = refuse(Wrong::conflict, (came.how == How::not_ended ? "The run " : "") + came.why + remedy);
  if (!came.command.empty()) {
    std::string command;
    json::append_string(command, came.command);
    answer.problem->members.emplace_back("command", std::move(command));
  }
  return answer;
}

}  // namespace plumb::control
