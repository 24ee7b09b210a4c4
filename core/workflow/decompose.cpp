#include "core/workflow/decompose.hpp"

#include <algorithm>

#include "core/budget/risk.hpp"
#include "core/contract/check.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/text/fold.hpp"
#include "core/workflow/contracts.hpp"

namespace plumb::workflow {

namespace {

using contract::FindingClass;
using contract::Severity;

// T2 has parts T2a, T2b; T2a has T2a1, T2a2.
std::string part_id(const Task& task, std::uint32_t level, std::size_t index) {
  return task.id + (level == 0 ? std::string(1, static_cast<char>('a' + index)) : std::to_string(index + 1));
}

std::string too_deep(const Task& task) {
  return "task " + task.id + " is a part of a part already; parts are cut at most " + std::to_string(levels_max) +
         " times: a person has to cut it otherwise";
}

void write_ids(json::Writer& json, std::string_view name, const std::vector<std::string>& ids) {
  json.key(name).begin_array();
  for (const std::string& one : ids) {
    json.string(one);
  }
  json.end_array();
}

template <class Item>
std::vector<std::string> ids_of(const std::vector<Item>& items) {
  std::vector<std::string> out;
  out.reserve(items.size());
  for (const Item& one : items) {
    out.push_back(one.id);
  }
  return out;
}

std::size_t index_of(const std::vector<std::string>& names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

// Whether a text names a file: by its path or its base name.
bool names_file(std::string_view text, std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view base = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return !base.empty() && text.find(base) != std::string_view::npos;
}

// What the task is to mend passes when all of it is done: the part that nothing stands behind does it, behind the
// others.
void mend_last(const Task& task, std::vector<Task>& parts) {
  if (task.fixes.empty()) {
    return;
  }
  Task* last = nullptr;
  std::vector<std::string> others;
  for (Task& part : parts) {
    const bool ends = std::none_of(parts.begin(), parts.end(), [&](const Task& other) {
      return std::find(other.after.begin(), other.after.end(), part.id) != other.after.end();
    });
    if (ends && last != nullptr) {
      others.push_back(last->id);
    }
    last = ends ? &part : last;
  }
  if (last != nullptr) {
    last->fixes = task.fixes;
    last->after.insert(last->after.end(), others.begin(), others.end());
  }
}

}  // namespace

std::span<const json::Field> SizedFile::fields() {
  static constexpr json::Field table[] = {json::field<&SizedFile::path>("path"),
                                          json::field<&SizedFile::tokens>("tokens")};
  return table;
}

std::uint32_t level_of(std::string_view id, std::string_view root) {
  if (id.size() <= root.size() || !id.starts_with(root)) {
    return 0;
  }
  return id.size() - root.size() > 1 ? 2 : 1;
}

std::string decomposition_context(const Task& task) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write_ids(json, "criteria", ids_of(task.acceptance));
  write_ids(json, "scenarios", ids_of(task.scenarios));
  write_ids(json, "files", task.touched());
  json.end_object();
  return out;
}

Decomposition read_decomposition(std::string_view json, const Task& task, std::uint32_t level) {
  Decomposition out;
  const std::string context = decomposition_context(task);
  contract::CheckOptions options;
  options.context = context;
  out.verdict = contract::check_text(workflow_contract("decomposition"), json, options);
  if (level >= levels_max) {
    out.why_not = too_deep(task);
    return out;
  }
  if (!out.verdict.valid || out.verdict.decision == contract::Decision::undecided) {
    out.why_not = "the answer does not keep the contract 'decomposition'";
    return out;
  }
  json::Arena arena;
  const json::Value root = json::parse(json, arena).value();
  std::vector<std::string> letters;
  std::vector<Task> parts;
  for (const json::Value& one : json::list_of(root, "parts")) {
    letters.emplace_back(json::text_of(one, "part"));
    Task part;
    part.id = part_id(task, level, parts.size());
    part.description = json::text_of(one, "description");
    parts.push_back(std::move(part));
  }
  const auto part_of = [&](const json::Value& one) -> Task& {
    return parts[index_of(letters, json::text_of(one, "part"))];
  };
  for (const json::Value& one : json::list_of(root, "criteria")) {
    const std::size_t at = index_of(ids_of(task.acceptance), json::text_of(one, "id"));
    part_of(one).acceptance.push_back(task.acceptance[at]);
  }
  for (const json::Value& one : json::list_of(root, "scenarios")) {
    const std::size_t at = index_of(ids_of(task.scenarios), json::text_of(one, "id"));
    part_of(one).scenarios.push_back(task.scenarios[at]);
  }
  for (const json::Value& one : json::list_of(root, "files")) {
    const std::size_t at = index_of(task.touched(), json::text_of(one, "path"));
    std::vector<TaskFile>& files = part_of(one).files;
    if (std::none_of(files.begin(), files.end(),
                     [&](const TaskFile& file) { return file.path == task.files[at].path; })) {
      files.push_back(task.files[at]);
    }
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].after = task.after;
    for (const std::string& letter : json::texts_of(json::list_of(root, "parts")[i], "after")) {
      parts[i].after.push_back(parts[index_of(letters, letter)].id);
    }
    // A part that nothing is asked of, or that may touch nothing, is none.
    const std::string at = "/parts/" + std::to_string(i);
    if (parts[i].acceptance.empty() || parts[i].files.empty()) {
      out.verdict.findings.push_back(
          make_finding("empty-part", Severity::error, FindingClass::count, at, "Part " + letters[i],
                       "Part " + letters[i] + (parts[i].files.empty() ? " has no file" : " has no criterion")));
    }
    parts[i].name_criteria();
  }
  // Circles among the parts.
  Plan plan;
  plan.title = "x";
  plan.tasks = parts;
  for (Task& part : plan.tasks) {
    part.after.erase(part.after.begin(), part.after.begin() + static_cast<std::ptrdiff_t>(task.after.size()));
  }
  if (std::none_of(parts.begin(), parts.end(),
                   [](const Task& part) { return part.acceptance.empty() || part.files.empty(); })) {
    for (contract::Finding& one : read_plan(plan_json(plan)).verdict.findings) {
      one.at = "/parts" + one.at.substr(std::min(one.at.size(), std::string_view("/tasks").size()));
      out.verdict.findings.push_back(std::move(one));
    }
  }
  settle(out.verdict);
  if (out.verdict.valid) {
    mend_last(task, parts);
    out.parts = std::move(parts);
  } else {
    out.why_not = out.verdict.findings.front().message;
  }
  return out;
}

Decomposition decompose_by_size(const Task& task, std::span<const SizedFile> files, const budget::SizeLimits& limits,
                                std::uint32_t level) {
  Decomposition out;
  const auto cannot = [&](std::string why) {
    out.why_not = "task " + task.id + " cannot be cut: " + std::move(why);
    return out;
  };
  if (level >= levels_max) {
    out.why_not = too_deep(task);
    return out;
  }
  std::vector<budget::TaskFile> sized;
  for (const SizedFile& one : files) {
    sized.push_back({one.tokens, {}});
  }
  const budget::TaskSize size = budget::size_task(sized, limits);
  if (size.parts.size() < 2) {
    return cannot(size.parts.empty() ? "it is not too large by its files" : "a single file exceeds what fits");
  }
  if (size.parts.size() > parts_max) {
    return cannot("it would take " + std::to_string(size.parts.size()) + " parts, at most " +
                  std::to_string(parts_max) + " are made");
  }
  for (const budget::TaskPart& one : size.parts) {
    if (one.too_large) {
      return cannot("'" + files[one.files.front()].path + "' alone has " + std::to_string(one.tokens) +
                    " tokens, more than fit");
    }
  }
  std::vector<Task> parts;
  for (const budget::TaskPart& one : size.parts) {
    Task part;
    part.id = part_id(task, level, parts.size());
    part.after = task.after;
    if (!parts.empty()) {  // in their order: what is judged last needs all of them
      part.after.push_back(parts.back().id);
    }
    std::string named;
    for (const std::uint32_t file : one.files) {
      const auto declared = std::find_if(task.files.begin(), task.files.end(), [&](const TaskFile& of_task) {
        return budget::path_fits(of_task.path, files[file].path);
      });
      part.files.push_back({files[file].path, declared == task.files.end() ? Access::read : declared->access});
      named += (named.empty() ? "" : ", ") + files[file].path;
    }
    part.description = task.description + "\n\nOnly this part of it: " + named + ".";
    parts.push_back(std::move(part));
  }
  // What a pattern covers and no file is yet: the last part may make it.
  for (const TaskFile& of_task : task.files) {
    if (std::none_of(files.begin(), files.end(),
                     [&](const SizedFile& one) { return budget::path_fits(of_task.path, one.path); })) {
      parts.back().files.push_back(of_task);
    }
  }
  const auto part_for = [&](std::string_view text) -> Task& {
    const auto at = std::find_if(parts.begin(), parts.end(), [&](const Task& part) {
      return std::any_of(part.files.begin(), part.files.end(),
                         [&](const TaskFile& file) { return names_file(text, file.path); });
    });
    return at == parts.end() ? parts.back() : *at;
  };
  for (const Criterion& one : task.acceptance) {
    part_for(one.text).acceptance.push_back(one);
  }
  for (const Scenario& one : task.scenarios) {
    part_for(one.given + " " + one.when + " " + one.then).scenarios.push_back(one);
  }
  parts.back().fixes = task.fixes;
  for (Task& part : parts) {
    if (part.acceptance.empty()) {
      std::string named;
      for (const TaskFile& file : part.files) {
        named += (named.empty() ? "" : ", ") + file.path;
      }
      part.acceptance.push_back({"", "What the task asks of " + named + " is done, and nothing else is changed.", {}});
    }
    part.name_criteria();
  }
  out.parts = std::move(parts);
  return out;
}

Task continuation_of(const Task& task, std::span<const std::string> met, std::uint32_t number) {
  Task out = task;
  const auto is_met = [&](const std::string& id) { return std::find(met.begin(), met.end(), id) != met.end(); };
  std::string done;
  for (const Criterion& one : task.acceptance) {
    done += is_met(one.id) ? "\n- " + one.id + " " + one.text : "";
  }
  for (const Scenario& one : task.scenarios) {
    done += is_met(one.id) ? "\n- " + one.id + " " + one.when + ": " + one.then : "";
  }
  // Their names stay, so that what was said of them holds.
  const auto gone = [&](const auto& one) { return is_met(one.id); };
  out.acceptance.erase(std::remove_if(out.acceptance.begin(), out.acceptance.end(), gone), out.acceptance.end());
  out.scenarios.erase(std::remove_if(out.scenarios.begin(), out.scenarios.end(), gone), out.scenarios.end());
  out.description += "\n\n(Continuation " + std::to_string(number) + ": what was done so far is in the tree.";
  out.description += done.empty() ? " None of the criteria is met yet.)" : " Met already, and to stay so:" + done + ")";
  return out;
}

}  // namespace plumb::workflow
