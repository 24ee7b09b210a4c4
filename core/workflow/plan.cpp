#include "core/workflow/plan.hpp"

#include <algorithm>
#include <set>

#include "core/ascii.hpp"
#include "core/budget/risk.hpp"
#include "core/contract/check.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/text/fold.hpp"
#include "core/workflow/contracts.hpp"
#include "core/workflow/plan_rules.hpp"

namespace plumb::workflow {

namespace {

Task task_from(const json::Value& value) {
  Task out;
  out.id = json::text_of(value, "id");
  out.description = json::text_of(value, "description");
  for (const json::Value& file : json::list_of(value, "files")) {
    out.files.push_back({std::string(json::text_of(file, "path")),
                         json::text_of(file, "access") == "read" ? Access::read : Access::write});
  }
  out.after = json::texts_of(value, "after");
  for (const json::Value& one : json::list_of(value, "acceptance")) {
    const std::string_view text = one.is(json::Kind::string) ? one.str() : json::text_of(one, "text");
    out.acceptance.push_back(
        {"A" + std::to_string(out.acceptance.size() + 1), std::string(text), std::string(json::text_of(one, "check"))});
  }
  for (const json::Value& one : json::list_of(value, "scenarios")) {
    out.scenarios.push_back({"S" + std::to_string(out.scenarios.size() + 1), std::string(json::text_of(one, "given")),
                             std::string(json::text_of(one, "when")), std::string(json::text_of(one, "then")),
                             std::string(json::text_of(one, "check"))});
  }
  out.fixes = json::texts_of(value, "fixes");
  return out;
}

void write_texts(json::Writer& json, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) {
    return;
  }
  json.key(name).begin_array();
  for (const std::string& one : texts) {
    json.string(one);
  }
  json.end_array();
}

void write_text(json::Writer& json, std::string_view name, const std::string& text) {
  if (!text.empty()) {
    json.member(name, text);
  }
}

}  // namespace

std::vector<std::string> Task::written() const {
  std::vector<std::string> out;
  for (const TaskFile& file : files) {
    if (file.access == Access::write) {
      out.push_back(file.path);
    }
  }
  return out;
}

std::vector<std::string> Task::touched() const {
  std::vector<std::string> out;
  for (const TaskFile& file : files) {
    out.push_back(file.path);
  }
  return out;
}

PlanReading read_plan(std::string_view json, const PlanNames& names) {
  PlanReading out;
  out.verdict = contract::check_text(workflow_contract("plan"), json);
  if (!out.verdict.valid || out.verdict.decision == contract::Decision::undecided) {
    return out;
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(json, arena);
  PLUMB_REQUIRE(static_cast<bool>(read), "what keeps a contract is JSON");
  const json::Value& root = read.value();
  Plan plan;
  plan.title = json::text_of(root, "title");
  plan.slug = json::text_of(root, "slug");
  if (plan.slug.empty()) {
    plan.slug = slug_of(plan.title);
  }
  plan.situation = json::text_of(root, "situation");
  plan.mission = json::text_of(root, "mission");
  plan.execution = json::text_of(root, "execution");
  plan.coordination = json::text_of(root, "coordination");
  if (const json::Value* const bounds = root.find("constraints")) {
    plan.constraints_in = json::texts_of(*bounds, "in");
    plan.constraints_out = json::texts_of(*bounds, "out");
    plan.do_not_touch = json::texts_of(*bounds, "do_not_touch");
  }
  for (const json::Value& task : json::list_of(root, "tasks")) {
    plan.tasks.push_back(task_from(task));
  }
  hold_plan_rules(plan, root, json, names, out.verdict.findings);
  settle(out.verdict);
  if (out.verdict.valid) {
    out.plan = std::move(plan);
  }
  return out;
}

Result<Task> read_task(std::string_view json) {
  const contract::Verdict verdict = contract::check_text(workflow_contract("task"), json);
  if (!verdict.valid) {
    const std::string why = verdict.findings.empty() ? "it is no task" : verdict.findings.front().message;
    return Error{ErrorCode::invalid_argument, why,
                 verdict.findings.empty() ? std::string() : verdict.findings.front().at, 0, 0};
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(json, arena);
  if (!read) {
    return read.error();
  }
  return task_from(read.value());
}

Result<Plan> plan_of_one(std::string_view task, std::span<const std::string> globs) {
  const std::string_view text = text::trim(task);
  if (text.empty()) {
    return Error{ErrorCode::invalid_argument, "The task is empty: say in a line what is to be done.", "", 0, 0};
  }
  Plan out;
  const std::string_view first = text.substr(0, text.find('\n'));
  out.title = json::excerpt(first, 80);
  out.slug = slug_of(first);
  Task one;
  one.id = "T1";
  one.description = text;
  one.acceptance.push_back({"A1", json::excerpt(text, 2'000), {}});
  for (const std::string& glob : globs) {
    const std::string bad = bad_task_path(glob);
    if (!bad.empty()) {
      return Error{ErrorCode::invalid_argument, "'" + json::excerpt(glob, 100) + "' " + bad, glob, 0, 0};
    }
    one.files.push_back({glob, Access::write});
  }
  if (one.files.empty()) {
    one.files.push_back({"**", Access::write});
  }
  out.tasks.push_back(std::move(one));
  // The bounds of texts and lists are those of the contract.
  const PlanReading read = read_plan(plan_json(out));
  if (!read.plan) {
    const contract::Finding& finding = read.verdict.findings.front();
    return Error{ErrorCode::invalid_argument, finding.message, finding.at, 0, 0};
  }
  return out;
}

void write_task(json::Writer& json, const Task& task) {
  json.begin_object().member("id", task.id).member("description", task.description);
  json.key("files").begin_array();
  for (const TaskFile& file : task.files) {
    json.begin_object().member("path", file.path);
    json.member("access", file.access == Access::read ? "read" : "write").end_object();
  }
  json.end_array();
  write_texts(json, "after", task.after);
  json.key("acceptance").begin_array();
  for (const Criterion& one : task.acceptance) {
    if (one.check.empty()) {
      json.string(one.text);
    } else {
      json.begin_object().member("text", one.text).member("check", one.check).end_object();
    }
  }
  json.end_array();
  if (!task.scenarios.empty()) {
    json.key("scenarios").begin_array();
    for (const Scenario& one : task.scenarios) {
      json.begin_object().member("given", one.given).member("when", one.when).member("then", one.then);
      write_text(json, "check", one.check);
      json.end_object();
    }
    json.end_array();
  }
  write_texts(json, "fixes", task.fixes);
  json.end_object();
}

std::string task_json(const Task& task) {
  std::string out;
  json::Writer json(out);
  write_task(json, task);
  return out;
}

std::string plan_json(const Plan& plan) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write_text(json, "slug", plan.slug);
  json.member("title", plan.title);
  write_text(json, "situation", plan.situation);
  write_text(json, "mission", plan.mission);
  write_text(json, "execution", plan.execution);
  if (!plan.constraints_in.empty() || !plan.constraints_out.empty() || !plan.do_not_touch.empty()) {
    json.key("constraints").begin_object();
    write_texts(json, "in", plan.constraints_in);
    write_texts(json, "out", plan.constraints_out);
    write_texts(json, "do_not_touch", plan.do_not_touch);
    json.end_object();
  }
  write_text(json, "coordination", plan.coordination);
  json.key("tasks").begin_array();
  for (const Task& task : plan.tasks) {
    write_task(json, task);
  }
  json.end_array().end_object();
  return out;
}

std::string slug_of(std::string_view title) {
  std::string out;
  for (const char c : title) {
    const bool upper = ascii::is_upper(c);
    if (upper || ascii::is_lower(c) || ascii::is_digit(c)) {
      out += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  out.resize(std::min<std::size_t>(out.size(), 60));
  while (!out.empty() && out.back() == '-') {
    out.pop_back();
  }
  return out.empty() ? "plan" : out;
}

std::vector<std::string> declared_overlap(const Task& a, const Task& b) {
  std::vector<std::string> out;
  const std::vector<std::string> theirs = b.written();
  for (const std::string& mine : a.written()) {
    if (std::any_of(theirs.begin(), theirs.end(), [&](const std::string& one) { return may_overlap(mine, one); })) {
      out.push_back(mine);
    }
  }
  return out;
}

std::vector<std::vector<std::uint32_t>> waits_for(const Plan& plan) {
  const std::size_t size = plan.tasks.size();
  std::vector<std::vector<std::uint32_t>> out(size);
  std::vector<std::vector<bool>> waits(size, std::vector<bool>(size, false));  // by way of others too
  const auto wait = [&](std::size_t i, std::size_t j) {
    out[i].push_back(static_cast<std::uint32_t>(j));
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < size && (a == i || waits[a][i]); ++b) {
        waits[a][b] = waits[a][b] || b == j || waits[j][b];
      }
    }
  };
  for (std::size_t i = 0; i < size; ++i) {
    for (const std::string& id : plan.tasks[i].after) {
      for (std::size_t j = 0; j < size; ++j) {
        if (plan.tasks[j].id == id) {
          wait(i, j);
        }
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!waits[i][j] && !waits[j][i] && !declared_overlap(plan.tasks[i], plan.tasks[j]).empty()) {
        wait(i, j);
      }
    }
    std::sort(out[i].begin(), out[i].end());
  }
  return out;
}

std::vector<std::vector<std::uint32_t>> waves(const Plan& plan, std::size_t at_once) {
  at_once = std::clamp<std::size_t>(at_once, 1, at_once_max);
  const std::vector<std::vector<std::uint32_t>> waits = waits_for(plan);
  std::vector<std::vector<std::uint32_t>> out;
  std::vector<bool> done(plan.tasks.size(), false);
  for (std::size_t left = plan.tasks.size(); left > 0;) {
    std::vector<std::uint32_t> wave;
    for (std::uint32_t i = 0; i < plan.tasks.size() && wave.size() < at_once; ++i) {
      const bool ready = std::all_of(waits[i].begin(), waits[i].end(), [&](std::uint32_t j) { return done[j]; });
      if (!done[i] && ready) {
        wave.push_back(i);
      }
    }
    PLUMB_REQUIRE(!wave.empty(), "a plan has no circle");
    for (const std::uint32_t i : wave) {
      done[i] = true;
    }
    left -= wave.size();
    out.push_back(std::move(wave));
  }
  return out;
}

}  // namespace plumb::workflow
