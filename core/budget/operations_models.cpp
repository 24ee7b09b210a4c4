#include <algorithm>

#include "core/budget/assign.hpp"
#include "core/budget/operations.hpp"

namespace plumb::budget {

namespace {

std::vector<History> read_history(Fields& fields) {
  std::vector<History> out;
  const std::span<const json::Value> items = fields.list("history");
  for (std::size_t i = 0; i < items.size(); ++i) {
    Fields one(fields.request(), items[i], item_place(fields.place("history"), i));
    History row;
    one.required("model", "the model's name");
    row.model = one.text("model").value_or("");
    row.phase = one.text("phase").value_or("");
    row.calls = one.whole("calls", tokens_max / 1000, 0);
    row.valid_at_first = one.whole("valid_at_first", tokens_max / 1000, 0);
    row.repairs = one.whole("repairs", tokens_max / 1000, 0);
    row.tokens = one.whole("tokens", tokens_max, 0);
    row.time_ms = one.whole("time_ms", tokens_max, 0);
    if (row.valid_at_first > row.calls) {
      fields.request().find("contradiction", one.place("valid_at_first"), "more calls were valid than were made");
    }
    one.done();
    out.push_back(std::move(row));
  }
  return out;
}

std::string_view capacity_name(Capacity capacity) {
  constexpr std::string_view names[] = {"sweet_spot", "effective_context", "too_small", "unknown"};
  return names[static_cast<std::size_t>(capacity)];
}

void write_model(json::Writer& json, const ModelProfile& model) {
  json.member("name", model.name).member("encoding", text::encoding_name(model.encoding));
  json.key("capabilities").begin_array();
  for (const std::string& one : model.capabilities) {
    json.string(one);
  }
  json.end_array();
  const ContextProfile& context = model.context;
  write_optional(json, "context_window", context.context_window);
  write_optional(json, "effective_context", context.effective_context);
  write_optional(json, "sweet_spot", context.sweet_spot);
  json.member_uint("system_prompt_overhead", context.system_prompt_overhead);
  write_optional(json, "recommended_max_file_tokens", context.recommended_max_file_tokens);
}

// The history of each model, a row for each phase, in the order in which they are met. Who is in the history and
// nowhere else is a model of which nothing else is known.
std::vector<std::vector<History>> by_model(std::vector<ModelProfile>& models, const std::vector<History>& history) {
  std::vector<std::vector<History>> out(models.size());
  for (const History& row : history) {
    std::size_t model = find_model(models, row.model);
    if (model == no_model) {
      model = models.size();
      models.push_back({row.model, text::encoding_of_model(row.model), {}, {}});
      out.emplace_back();
    }
    std::vector<History>& rows = out[model];
    const auto same =
        std::find_if(rows.begin(), rows.end(), [&row](const History& one) { return one.phase == row.phase; });
    if (same == rows.end()) {
      rows.push_back(row);
      continue;
    }
    same->calls += row.calls;
    same->valid_at_first += row.valid_at_first;
    same->repairs += row.repairs;
    same->tokens += row.tokens;
    same->time_ms += row.time_ms;
  }
  return out;
}

}  // namespace

void answer_assign(Fields& fields, json::Writer& json) {
  Wanted wanted;
  wanted.capability = fields.text("capability").value_or("");
  wanted.phase = fields.text("phase").value_or("");
  fields.required("task", "how many tokens the task takes, or its text");
  wanted.window = read_window_amounts(fields);
  wanted.window.available_min = fields.whole("available_min", tokens_max, wanted.window.available_min);
  wanted.calls_min = fields.whole("calls_min", 1'000'000, wanted.calls_min);
  const std::vector<History> history = read_history(fields);
  fields.done();
  const Request& request = fields.request();
  if (!request.valid()) {
    return;
  }
  // A registry is the choice; without one the built-in models are.
  const std::vector<ModelProfile> models = fields.has("models") ? request.models : all_models(request);
  const Assignment assignment = assign(wanted, models, history);
  json.key("model");
  if (assignment.model < models.size()) {
    json.string(models[assignment.model].name);
  } else {
    json.null();
  }
  json.member("reason", assignment.reason).member_boolean("beyond_sweet_spot", assignment.beyond_sweet_spot);
  json.member_uint("task", wanted.window.task);
  json.key("candidates").begin_array();
  for (std::size_t i = 0; i < models.size(); ++i) {
    const Candidate& one = assignment.candidates[i];
    json.begin_object().member("model", models[i].name).member_boolean("capable", one.capable);
    json.member("capacity", capacity_name(one.capacity)).member_uint("calls", one.calls);
    json.member_uint("valid_at_first", one.valid_at_first).member_uint("repairs", one.repairs);
    json.member("reason", one.reason).end_object();
  }
  json.end_array();
}

void answer_models(Fields& fields, json::Writer& json) {
  const std::vector<History> history = read_history(fields);
  fields.done();
  const Request& request = fields.request();
  if (!request.valid()) {
    return;
  }
  std::vector<ModelProfile> models = all_models(request);
  const std::vector<std::vector<History>> rows = by_model(models, history);
  json.key("models").begin_array();
  for (std::size_t i = 0; i < models.size(); ++i) {
    json.begin_object();
    write_model(json, models[i]);
    json.key("history").begin_array();
    for (const History& row : rows[i]) {
      json.begin_object().member("phase", row.phase).member_uint("calls", row.calls);
      json.member_uint("valid_at_first", row.valid_at_first).member_uint("repairs", row.repairs);
      json.member_uint("tokens", row.tokens).member_uint("time_ms", row.time_ms).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace plumb::budget
