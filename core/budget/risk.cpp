#include "core/budget/risk.hpp"

#include <algorithm>

#include "core/budget/percent_text.hpp"
#include "core/json/number_text.hpp"

namespace plumb::budget {

namespace {

std::string number(std::uint64_t n) { return json::uint_text(n); }

// `*` and `?` within a segment, `**` for anything. Each star goes back at most once for each character, so the time is
// at most the product of both lengths.
bool fits(std::string_view pattern, std::string_view path) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // behind the last star
  std::size_t star_at = 0;
  std::size_t deep = std::string_view::npos;  // behind the last double star
  std::size_t deep_at = 0;
  bool deep_folders = false;  // it stands for whole folders: `**/`
  while (t < path.size()) {
    if (p < pattern.size() && pattern.substr(p, 2) == "**") {
      p += 2;
      deep_folders = p < pattern.size() && pattern[p] == '/';
      p += deep_folders ? 1 : 0;
      deep = p;
      deep_at = t;
      star = std::string_view::npos;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_at = t;
    } else if (p < pattern.size() && (pattern[p] == path[t] || (pattern[p] == '?' && path[t] != '/'))) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos && path[star_at] != '/') {
      p = star;
      t = ++star_at;
    } else if (deep != std::string_view::npos) {
      p = deep;
      ++deep_at;
      while (deep_folders && deep_at < path.size() && path[deep_at - 1] != '/') {
        ++deep_at;
      }
      if (deep_folders && deep_at == path.size()) {
        return false;
      }
      t = deep_at;
      star = std::string_view::npos;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') {
    ++p;
  }
  return p == pattern.size();
}

bool within_task(std::string_view path, const std::vector<std::string>& task_files) {
  const std::string plain = plain_path(path);
  return std::any_of(task_files.begin(), task_files.end(),
                     [&plain](const std::string& one) { return path_fits(one, plain); });
}

void decide(Risk& risk, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (risk.value > step.over && (!risk.over || step.response >= risk.response)) {
      risk.response = step.response;
      risk.over = step.over;
    }
  }
}

std::string listed(const std::vector<std::string>& files) {
  std::string out;
  for (std::size_t i = 0; i < files.size() && i < 5; ++i) {
    out += (i == 0 ? "" : ", ") + files[i];
  }
  return files.size() > 5 ? out + " and " + number(files.size() - 5) + " more" : out;
}

std::string limit_text(const Risk& risk, const std::vector<Step>& steps, bool as_percent) {
  const auto shown = [as_percent](std::uint64_t n) { return as_percent ? percent_text(n) + " %" : number(n); };
  if (steps.empty()) {
    return "; this signal is turned off";
  }
  if (risk.over) {
    return ", more than " + shown(*risk.over) + ": " + std::string(response_name(risk.response));
  }
  std::uint64_t first = steps.front().over;
  for (const Step& step : steps) {
    first = std::min(first, step.over);
  }
  return ", not more than " + shown(first);
}

// Files that are written by more than one task.
std::vector<std::string> shared_files(const std::vector<ParallelTask>& tasks) {
  std::vector<std::pair<std::string, std::size_t>> all;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (const std::string& file : tasks[i].files) {
      all.emplace_back(plain_path(file), i);
    }
  }
  std::sort(all.begin(), all.end());
  std::vector<std::string> out;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const bool same = all[i].first == all[i - 1].first && all[i].second != all[i - 1].second;
    if (same && (out.empty() || out.back() != all[i].first)) {
      out.push_back(all[i].first);
    }
  }
  return out;
}

}  // namespace

Policy policy_default() {
  Policy out;
  out[0] = {{3, Response::escalate}};
  out[1] = {{percent(70), Response::pause}};
  out[2] = {{0, Response::warn}};
  out[3] = {{0, Response::halt}};
  out[4] = {{0, Response::warn}};
  return out;
}

namespace {

// Returns the path without empty segments and `.`, and without `..` where a segment before it can be removed.
std::string without_detours(std::string_view text) {
  std::vector<std::string_view> kept;
  const bool absolute = !text.empty() && text[0] == '/';
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view segment = rest.substr(0, slash);
    rest.remove_prefix(std::min(slash + 1, rest.size()));
    if (segment == ".." && !kept.empty() && kept.back() != "..") {
      kept.pop_back();
    } else if (!segment.empty() && segment != "." && (segment != ".." || !absolute)) {
      kept.push_back(segment);
    }
  }
  std::string out = absolute ? "/" : "";
  for (std::size_t i = 0; i < kept.size(); ++i) {
    out += (i == 0 ? "" : "/") + std::string(kept[i]);
  }
  return out;
}

}  // namespace

std::string plain_path(std::string_view path) {
  std::string text(path);
  std::replace(text.begin(), text.end(), '\\', '/');
  return without_detours(text);
}

bool path_fits(std::string_view pattern, std::string_view path) {
  const bool folder = !pattern.empty() && (pattern.back() == '/' || pattern.back() == '\\');
  std::string plain = plain_path(pattern);
  if (folder || plain.empty()) {
    plain += plain.empty() || plain == "/" ? "**" : "/**";
  }
  return fits(plain, without_detours(path));
}

Risks judge_risk(const RiskState& state, const Policy& policy) {
  Risks out;
  out.signals.resize(signals_size);
  for (std::size_t i = 0; i < signals_size; ++i) {
    Risk& risk = out.signals[i];
    risk.signal = static_cast<Signal>(i);
    std::string value;
    switch (risk.signal) {
      case Signal::retries:
        risk.known = state.retries.has_value();
        risk.value = state.retries.value_or(0);
        value = number(risk.value) + (risk.value == 1 ? " retry" : " retries");
        break;
      case Signal::utilization:
        risk.known = state.utilization.has_value();
        risk.value = state.utilization.value_or(0);
        value = percent_text(risk.value) + " % of the window";
        break;
      case Signal::scope_creep:
        risk.known = state.written.has_value();
        for (const std::string& file : state.written.value_or(std::vector<std::string>())) {
          if (!within_task(file, state.task_files)) {
            risk.files.push_back(plain_path(file));
          }
        }
        risk.value = risk.files.size();
        value = risk.files.empty() ? "nothing written beyond the task's files"
                                   : "written beyond the task's files: " + listed(risk.files);
        break;
      case Signal::conflict:
        risk.known = state.tasks.has_value();
        if (state.tasks) {
          risk.files = shared_files(*state.tasks);
        }
        risk.value = risk.files.size();
        value = risk.files.empty() ? "no file written by parallel tasks"
                                   : "written by parallel tasks: " + listed(risk.files);
        break;
      case Signal::loop:
        risk.known = state.loop_calls.has_value();
        risk.value = state.loop_calls.value_or(0);
        value = risk.value == 0 ? "no loop" : "a loop of " + number(risk.value) + " calls";
        break;
    }
    if (!risk.known) {
      risk.explanation = "not known";
      continue;
    }
    decide(risk, policy[i]);
    const bool counted = risk.signal == Signal::retries || risk.signal == Signal::utilization;
    risk.explanation = value + (counted || policy[i].empty() ? limit_text(risk, policy[i], i == 1)
                                : risk.over                  ? ": " + std::string(response_name(risk.response))
                                                             : "");
    out.response = std::max(out.response, risk.response);
  }
  return out;
}

}  // namespace plumb::budget
