#include "core/workflow/plan.hpp"

#include <algorithm>
#include <set>

#include "core/ascii.hpp"
#include "core/budget/risk.hpp"
#include "core/contract/check.hpp"
#include "core/json/arena.hpp"
#include "core/text/fold.hpp"
#include "core/workflow/contracts.hpp"
#include "core/workflow/plan_rules.hpp"

namespace plumb::json {

// A text, or an object where a gate decides it. Its name is not written: it follows from its place.
template <>
struct TypeOf<workflow::Criterion> {
  static constexpr Field members[] = {field<&workflow::Criterion::text>("text"),
                                      field<&workflow::Criterion::check>("check")};
  static bool read(const Value& value, void* at) {
    return TypeOf<std::string>::read(value, &static_cast<workflow::Criterion*>(at)->text) ||
           read_members(value, at, members);
  }
  static void write(Writer& json, const void* at) {
    const auto& one = *static_cast<const workflow::Criterion*>(at);
    if (one.check.empty()) {
      json.string(one.text);
      return;
    }
    json.begin_object();
    write_members(json, at, members);
    json.end_object();
  }
  static bool is_set(const void*) { return true; }
};

}  // namespace plumb::json

namespace plumb::workflow {

using json::field;
using json::field_if_set;

std::span<const std::string_view> names_of(Access) {
  static constexpr std::string_view names[] = {"read", "write"};
  return names;
}

std::span<const json::Field> TaskFile::fields() {
  static constexpr json::Field table[] = {field<&TaskFile::path>("path"), field<&TaskFile::access>("access")};
  return table;
}

std::span<const json::Field> Scenario::fields() {
  static constexpr json::Field table[] = {field<&Scenario::given>("given"), field<&Scenario::when>("when"),
                                          field<&Scenario::then>("then"), field_if_set<&Scenario::check>("check")};
  return table;
}

std::span<const json::Field> Task::fields() {
  static constexpr json::Field table[] = {field<&Task::id>("id"),
                                          field<&Task::description>("description"),
                                          field<&Task::files>("files"),
                                          field_if_set<&Task::after>("after"),
                                          field<&Task::acceptance>("acceptance"),
                                          field_if_set<&Task::scenarios>("scenarios"),
                                          field_if_set<&Task::fixes>("fixes")};
  return table;
}

std::span<const json::Field> Constraints::fields() {
  static constexpr json::Field table[] = {field_if_set<&Constraints::in>("in"), field_if_set<&Constraints::out>("out"),
                                          field_if_set<&Constraints::do_not_touch>("do_not_touch")};
  return table;
}

std::span<const json::Field> Plan::fields() {
  static constexpr json::Field table[] = {field_if_set<&Plan::slug>("slug"),
                                          field<&Plan::title>("title"),
                                          field_if_set<&Plan::situation>("situation"),
                                          field_if_set<&Plan::mission>("mission"),
                                          field_if_set<&Plan::execution>("execution"),
                                          field_if_set<&Plan::constraints>("constraints"),
                                          field_if_set<&Plan::coordination>("coordination"),
                                          field<&Plan::tasks>("tasks")};
  return table;
}

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

void Task::name_criteria() {
  for (std::size_t i = 0; i < acceptance.size(); ++i) {
    acceptance[i].id = "A" + std::to_string(i + 1);
  }
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    scenarios[i].id = "S" + std::to_string(i + 1);
  }
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
  Plan plan = json::record_of<Plan>(root);
  if (plan.slug.empty()) {
    plan.slug = slug_of(plan.title);
  }
  for (Task& task : plan.tasks) {
    task.name_criteria();
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
  Task task = json::record_of<Task>(read.value());
  task.name_criteria();
  return task;
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

std::string task_json(const Task& task) { return json::record_text(task); }

std::string plan_json(const Plan& plan) { return json::record_text(plan); }

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
