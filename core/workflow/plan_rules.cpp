#include "core/workflow/plan_rules.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/budget/risk.hpp"
#include "core/json/excerpt.hpp"
#include "core/json/members.hpp"
#include "core/json/pointer.hpp"
#include "core/json/positions.hpp"
#include "core/text/suggest.hpp"

namespace plumb::workflow {

namespace {

using contract::FindingClass;
using contract::Severity;

bool has_wildcard(std::string_view pattern) {
  return pattern.find_first_of("*?") != std::string_view::npos || pattern.empty() || pattern.back() == '/';
}

// What of two patterns stands before the first and behind the last wildcard can be of one text.
bool ends_agree(std::string_view a, std::string_view b) {
  const std::size_t from_a = std::min(a.find_first_of("*?"), a.size());
  const std::size_t from_b = std::min(b.find_first_of("*?"), b.size());
  const std::size_t head = std::min(from_a, from_b);
  const auto tail_of = [](std::string_view text) {
    const std::size_t last = text.find_last_of("*?");
    return last == std::string_view::npos ? text : text.substr(last + 1);
  };
  const std::string_view tail_a = tail_of(a), tail_b = tail_of(b);
  const std::size_t tail = std::min(tail_a.size(), tail_b.size());
  return a.substr(0, head) == b.substr(0, head) &&
         tail_a.substr(tail_a.size() - tail) == tail_b.substr(tail_b.size() - tail);
}

class Rules {
 public:
  Rules(const Plan& plan, const json::Value& root, std::string_view text, const PlanNames& names,
        std::vector<contract::Finding>& findings)
      : plan_(plan), tasks_(json::list_of(root, "tasks")), text_(text), names_(names), findings_(findings) {}

  void run() {
    for (std::size_t i = 0; i < plan_.tasks.size(); ++i) {
      files(i);
      gates(i);
    }
    circles();
  }

 private:
  void add(std::size_t task, std::string_view rule, FindingClass c, const std::string& rest, const json::Value& value,
           std::string message, const std::vector<std::string>& allowed = {}) {
    const std::string item = "Task " + plan_.tasks[task].id;
    contract::Finding one = make_finding(rule, Severity::error, c, "/tasks/" + std::to_string(task) + rest, item,
                                         item + ": " + std::move(message));
    const json::Place from = json::place_at(text_, value.from), to = json::place_at(text_, value.to);
    one.span = {from.byte, to.byte, from.utf16, to.utf16, from.line, from.column, to.line, to.column};
    one.decided_at = value.to;
    one.provided = json::excerpt_json(
        text_.substr(static_cast<std::size_t>(value.from), static_cast<std::size_t>(value.to - value.from)), 200);
    for (const std::string& name : allowed) {
      std::string quoted;
      json::append_string(quoted, name);
      one.allowed.push_back(std::move(quoted));
    }
    findings_.push_back(std::move(one));
  }

  void files(std::size_t task) {
    const std::span<const json::Value> values = json::list_of(tasks_[task], "files");
    for (std::size_t i = 0; i < values.size(); ++i) {
      const TaskFile& file = plan_.tasks[task].files[i];
      const json::Value& at = *values[i].find("path");
      const std::string place = "/files/" + std::to_string(i) + "/path";
      const std::string bad = bad_task_path(file.path);
      if (!bad.empty()) {
        add(task, "path", FindingClass::inner, place, at, "'" + json::excerpt(file.path, 100) + "' " + bad);
      } else if (file.access == Access::write && !has_wildcard(file.path)) {
        for (const std::string& glob : plan_.constraints.do_not_touch) {
          if (budget::path_fits(glob, file.path)) {
            add(task, "do-not-touch", FindingClass::reference, place, at,
                "'" + file.path + "' is to be written, and constraints.do_not_touch has '" + glob + "'");
          }
        }
      }
    }
  }

  void gates(std::size_t task) {
    for (const std::string list : {"acceptance", "scenarios"}) {
      const std::span<const json::Value> values = json::list_of(tasks_[task], list);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (const json::Value* const check = values[i].find("check")) {
          gate(task, "/" + list + "/" + std::to_string(i) + "/check", *check);
        }
      }
    }
    const std::span<const json::Value> fixes = json::list_of(tasks_[task], "fixes");
    for (std::size_t i = 0; i < fixes.size(); ++i) {
      gate(task, "/fixes/" + std::to_string(i), fixes[i]);
    }
  }

  void gate(std::size_t task, const std::string& place, const json::Value& value) {
    if (!names_.gates || std::find(names_.gates->begin(), names_.gates->end(), value.str()) != names_.gates->end()) {
      return;
    }
    const std::vector<std::string_view> known(names_.gates->begin(), names_.gates->end());
    std::vector<std::string> allowed;
    for (const std::size_t i : text::near_misses_first(value.str(), known)) {
      allowed.emplace_back(known[i]);
    }
    const std::string there = allowed.empty() ? "; no gates are configured" : "; there are: " + some_of(allowed, 10);
    add(task, "unknown-gate", FindingClass::reference, place, value,
        "'" + json::excerpt(value.str(), 60) + "' is no gate" + there, allowed);
  }

  // Each circle once: at the `after` that closes it.
  void circles() {
    const std::size_t size = plan_.tasks.size();
    std::vector<int> seen(size, 0);  // 1: on the way, 2: done
    std::vector<std::size_t> way;
    for (std::size_t i = 0; i < size; ++i) {
      walk(i, seen, way);
    }
  }

  void walk(std::size_t task, std::vector<int>& seen, std::vector<std::size_t>& way) {
    if (seen[task] != 0) {
      return;
    }
    seen[task] = 1;
    way.push_back(task);
    const std::span<const json::Value> values = json::list_of(tasks_[task], "after");
    for (std::size_t k = 0; k < values.size(); ++k) {
      for (std::size_t j = 0; j < plan_.tasks.size(); ++j) {
        if (plan_.tasks[j].id != values[k].str()) {
          continue;
        }
        if (seen[j] == 1) {
          std::string circle;
          for (auto at = std::find(way.begin(), way.end(), j); at != way.end(); ++at) {
            circle += plan_.tasks[*at].id + " waits for ";
          }
          add(task, "acyclic", FindingClass::reference, "/after/" + std::to_string(k), values[k],
              "it waits for itself: " + circle + plan_.tasks[j].id);
        }
        walk(j, seen, way);
      }
    }
    way.pop_back();
    seen[task] = 2;
  }

  const Plan& plan_;
  std::span<const json::Value> tasks_;
  std::string_view text_;
  const PlanNames& names_;
  std::vector<contract::Finding>& findings_;
};

std::vector<std::string_view> segments(std::string_view path) {
  std::vector<std::string_view> out;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    out.push_back(path.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

}  // namespace

std::string bad_task_path(std::string_view path) {
  if (path.empty()) {
    return "is empty: name a path, a folder or a pattern";
  }
  if (path.front() == '/' || path.front() == '~' || (path.size() > 1 && path[1] == ':')) {
    return "is absolute: paths are relative to the repository's top";
  }
  for (const char c : path) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '\\') {
      return c == '\\' ? "has a backslash: folders are parted by '/'" : "has a control character";
    }
  }
  for (const std::string_view one : segments(path)) {
    if (one == "..") {
      return "has '..': it must not leave the repository";
    }
    const std::string name = ascii::lower(one);
    if (name == ".git" || name == "git~1") {
      return "lies in .git, which belongs to git alone";
    }
  }
  return {};
}

bool may_overlap(std::string_view a, std::string_view b) {
  if (!has_wildcard(a) || !has_wildcard(b)) {
    return has_wildcard(b) ? budget::path_fits(b, a) : budget::path_fits(a, b);
  }
  const auto whole = [](std::string_view pattern) {
    std::string out = budget::plain_path(pattern);
    return !pattern.empty() && pattern.back() == '/' ? out + "/**" : out;
  };
  const std::string first = whole(a), second = whole(b);
  if (first.find("**") != std::string::npos || second.find("**") != std::string::npos) {
    return ends_agree(first, second);
  }
  const std::vector<std::string_view> mine = segments(first), theirs = segments(second);
  return mine.size() == theirs.size() && std::equal(mine.begin(), mine.end(), theirs.begin(), ends_agree);
}

void hold_plan_rules(const Plan& plan, const json::Value& root, std::string_view json, const PlanNames& names,
                     std::vector<contract::Finding>& findings) {
  Rules(plan, root, json, names, findings).run();
}

}  // namespace plumb::workflow
