#include <algorithm>
#include <map>

#include "core/budget/operations.hpp"
#include "core/budget/percent_text.hpp"
#include "core/budget/task_size.hpp"
#include "core/budget/window.hpp"
#include "core/json/number_text.hpp"

namespace plumb::budget {

namespace {

std::string_view fit_name(Fit fit) {
  constexpr std::string_view names[] = {"fits", "decompose", "unknown"};
  return names[static_cast<std::size_t>(fit)];
}

std::string_view size_name(Size size) {
  constexpr std::string_view names[] = {"fits", "warn", "too_large"};
  return names[static_cast<std::size_t>(size)];
}

void write_cost(json::Writer& json, std::string_view text, text::Encoding encoding) {
  const text::TokenEstimate cost = text::estimate_tokens(text, encoding);
  json.member_uint("likely", cost.likely).member_uint("safe", cost.safe).member_uint("bytes", text.size());
}

void write_part(json::Writer& json, std::string_view name, Tokens tokens) {
  json.begin_object().member("name", name).member_uint("tokens", tokens).end_object();
}

WindowPlan read_plan(Fields& fields) {
  ContextProfile profile = read_profile(fields);
  WindowPlan plan = read_window_amounts(fields);
  plan.profile = profile;
  return plan;
}

std::string window_reason(const WindowPlan& plan, const WindowBudget& budget) {
  if (budget.fit == Fit::unknown) {
    return "the window is not known, so nothing can be said of what is left";
  }
  if (budget.available < 0) {
    return "the window is exceeded by " + grouped(static_cast<std::uint64_t>(-budget.available)) +
           " tokens: decompose the task further";
  }
  const std::string left = grouped(static_cast<std::uint64_t>(budget.available)) + " tokens are left to work with, ";
  return budget.fit == Fit::fits
             ? left + "at least " + grouped(plan.available_min)
             : left + "fewer than " + grouped(plan.available_min) + ": the task is too large, decompose it further";
}

std::vector<TaskFile> read_files(Fields& fields, std::vector<std::string_view>& paths) {
  const std::span<const json::Value> items = fields.list("files");
  std::vector<TaskFile> files(items.size());
  std::vector<std::vector<std::string>> after(items.size());
  std::map<std::string_view, std::uint32_t> index;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Fields one(fields.request(), items[i], item_place(fields.place("files"), i));
    one.required("path", "the file's name");
    paths.push_back(one.text("path").value_or(""));
    if (!index.emplace(paths.back(), static_cast<std::uint32_t>(i)).second && one.has("path")) {
      fields.request().find("duplicate", one.place("path"), "'" + std::string(paths.back()) + "' is listed twice");
    }
    const Amount tokens = one.amount("tokens");
    files[i].tokens = tokens.given ? tokens.tokens : one.amount("text").tokens;
    one.take("text");
    if (!tokens.given && !one.has("text")) {
      one.required("tokens", "how many the file has, or its text");
    }
    after[i] = one.texts("after");
    one.done();
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t k = 0; k < after[i].size(); ++k) {
      const auto found = index.find(after[i][k]);
      if (found == index.end()) {
        fields.request().find("not-found", item_place(item_place(fields.place("files"), i) + "/after", k),
                              "no file here is called '" + json::excerpt(after[i][k], 60) + "'");
      } else {
        files[i].after.push_back(found->second);
      }
    }
  }
  return files;
}

std::string size_reason(const TaskSize& size, const SizeLimits& limits, std::size_t files) {
  std::string out;
  const std::string count = grouped(files) + (files == 1 ? " file" : " files");
  if (size.too_many_files) {
    out = count + ", more than " + grouped(limits.files_max);
  }
  if (size.too_many_tokens) {
    out +=
        (out.empty() ? "" : "; ") + grouped(size.tokens) + " tokens of files, more than " + grouped(*size.tokens_max);
  }
  if (size.size == Size::too_large) {
    return out + (size.cycle.empty() ? ": decompose the task" : ": decompose the task, and resolve the cycle first");
  }
  out = count + " with " + grouped(size.tokens) + " tokens" +
        (size.tokens_max ? ", at most " + grouped(*size.tokens_max) + " fit" : ", the working memory is not known");
  return size.size == Size::warn ? out + "; more than " + grouped(limits.files_warn) + " files are probably too many"
                                 : out;
}

void write_paths(json::Writer& json, std::string_view name, const std::vector<std::uint32_t>& files,
                 const std::vector<std::string_view>& paths) {
  json.key(name).begin_array();
  for (const std::uint32_t file : files) {
    json.string(paths[file]);
  }
  json.end_array();
}

}  // namespace

WindowPlan read_window_amounts(Fields& fields) {
  WindowPlan plan;
  plan.system = fields.amount("system").tokens;
  plan.plan = fields.amount("plan").tokens;
  plan.task = fields.amount("task").tokens;
  plan.output = fields.amount("output").tokens;
  plan.margin = fields.share("margin_percent").value_or(plan.margin);
  return plan;
}

void answer_tokens(Fields& fields, json::Writer& json) {
  const std::optional<std::string_view> text = fields.text("text");
  const std::vector<std::string> texts = fields.texts("texts");
  if (!fields.has("text") && !fields.has("texts")) {
    fields.required("text", "the text to estimate, or `texts`");
  }
  fields.done();
  const Request& request = fields.request();
  if (!request.valid()) {
    return;
  }
  json.member("encoding", text::encoding_name(request.encoding));
  if (text) {
    write_cost(json, *text, request.encoding);
  }
  if (fields.has("texts")) {
    json.key("texts").begin_array();
    for (const std::string& one : texts) {
      json.begin_object();
      write_cost(json, one, request.encoding);
      json.end_object();
    }
    json.end_array();
  }
}

void answer_window(Fields& fields, json::Writer& json) {
  WindowPlan plan = read_plan(fields);
  plan.available_min = fields.whole("available_min", tokens_max, plan.available_min);
  fields.done();
  const Request& request = fields.request();
  if (!request.valid()) {
    return;
  }
  const WindowBudget budget = budget_window(plan);
  json.member("fit", fit_name(budget.fit)).member("reason", window_reason(plan, budget));
  json.member("encoding", text::encoding_name(request.encoding));
  const bool known = budget.fit != Fit::unknown;
  write_optional(json, "context_window", plan.profile.context_window);
  write_optional(json, "window", known ? std::optional(budget.window) : std::nullopt);
  json.key("parts").begin_array();
  write_part(json, "system", budget.system);
  write_part(json, "plan", plan.plan);
  write_part(json, "task", plan.task);
  write_part(json, "output", plan.output);
  if (known) {
    write_part(json, "margin", budget.margin);
  }
  json.end_array().key("available");
  if (known) {
    json.integer(budget.available);
  } else {
    json.null();
  }
  json.member_uint("available_min", plan.available_min);
}

void answer_size(Fields& fields, json::Writer& json) {
  const WindowPlan plan = read_plan(fields);
  SizeLimits limits;
  limits.working_memory = fields.whole("working_memory");
  limits.recommended_max_file_tokens = plan.profile.recommended_max_file_tokens;
  if (!limits.working_memory && plan.profile.context_window) {
    const WindowBudget budget = budget_window(plan);
    limits.working_memory = static_cast<Tokens>(std::max<std::int64_t>(budget.available, 0));
  }
  limits.files_warn = static_cast<std::uint32_t>(fields.whole("files_warn", items_max, limits.files_warn));
  limits.files_max = static_cast<std::uint32_t>(fields.whole("files_max", items_max, limits.files_max));
  limits.share = fields.share("share_percent").value_or(limits.share);
  if (limits.files_warn > limits.files_max) {
    fields.request().find("contradiction", fields.place("files_warn"),
                          "a warning beyond " + grouped(limits.files_warn) + " files never comes before the limit of " +
                              grouped(limits.files_max));
  }
  std::vector<std::string_view> paths;
  fields.required("files", "the task's files, as a list of {path, tokens or text, after}");
  const std::vector<TaskFile> files = read_files(fields, paths);
  fields.done();
  Request& request = fields.request();
  if (!request.valid()) {
    return;
  }
  const TaskSize size = size_task(files, limits);
  if (!size.cycle.empty()) {
    std::string names;
    for (const std::uint32_t file : size.cycle) {
      names += std::string(paths[file]) + " needs ";
    }
    request.find(
        "acyclic", fields.place("files"),
        "these files wait for each other: " + json::excerpt(names, 400) + std::string(paths[size.cycle.front()]),
        false);
  }
  json.member("size", size_name(size.size)).member("reason", size_reason(size, limits, files.size()));
  json.member_uint("files", files.size()).member_uint("tokens", size.tokens);
  write_optional(json, "working_memory", limits.working_memory);
  write_optional(json, "tokens_max", size.tokens_max);
  json.key("parts").begin_array();
  for (const TaskPart& part : size.parts) {
    json.begin_object();
    write_paths(json, "files", part.files, paths);
    json.member_uint("tokens", part.tokens).member_boolean("too_large", part.too_large).end_object();
  }
  json.end_array();
  if (!size.cycle.empty()) {
    write_paths(json, "cycle", size.cycle, paths);
  }
}

}  // namespace plumb::budget
