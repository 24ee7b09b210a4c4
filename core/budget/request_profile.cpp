#include <algorithm>

#include "core/budget/request.hpp"
#include "core/budget/window.hpp"
#include "core/json/arena.hpp"
#include "core/json/writer.hpp"

namespace plumb::budget {

namespace {

constexpr std::string_view encodings[] = {"o200k_base", "cl100k_base", "unknown"};

const ModelProfile* described(const Request& request, std::string_view name) {
  const std::size_t found = find_model(request.models, name);
  return found == no_model ? nullptr : &request.models[found];
}

bool is_described(const Request& request, std::string_view name) {
  return std::any_of(request.models.begin(), request.models.end(),
                     [name](const ModelProfile& one) { return one.name == name; });
}

}  // namespace

ContextProfile read_context(Fields& fields, bool refused) {
  ContextProfile out;
  out.context_window = fields.whole("context_window");
  out.effective_context = fields.whole("effective_context");
  out.sweet_spot = fields.whole("sweet_spot");
  out.system_prompt_overhead = fields.whole("system_prompt_overhead", tokens_max, 0);
  out.recommended_max_file_tokens = fields.whole("recommended_max_file_tokens");
  for (Contradiction& one : contradictions(out)) {
    fields.request().find("contradiction", fields.place(one.member), std::move(one.sentence), refused);
  }
  return out;
}

void read_models(Request& request, Fields& fields) {
  const std::span<const json::Value> items = fields.list("models");
  for (std::size_t i = 0; i < items.size(); ++i) {
    Fields one(request, items[i], item_place(fields.place("models"), i));
    ModelProfile model;
    one.required("name", "the name of the model");
    model.name = one.text("name").value_or("");
    const bool twice = is_described(request, model.name);
    if (one.has("name") && twice) {
      request.find("duplicate", one.place("name"),
                   "'" + json::excerpt(model.name, 60) + "' is described twice; the first counts", false);
    }
    const int encoding = one.choice("encoding", encodings);
    model.encoding = encoding >= 0 ? static_cast<text::Encoding>(encoding) : text::encoding_of_model(model.name);
    model.capabilities = one.texts("capabilities");
    model.context = read_context(one, false);
    one.done();
    if (!twice) {
      request.models.push_back(std::move(model));
    }
  }
}

void read_shared(Request& request, Fields& fields) {
  read_models(request, fields);
  request.model = fields.text("model").value_or("");
  const int encoding = fields.choice("encoding", encodings);
  const ModelProfile* model = described(request, request.model);
  request.encoding = encoding >= 0      ? static_cast<text::Encoding>(encoding)
                     : model != nullptr ? model->encoding
                                        : text::encoding_of_model(request.model);
}

ContextProfile read_profile(Fields& fields) {
  Request& request = fields.request();
  ContextProfile out;
  if (const json::Value* value = fields.take("profile"); value != nullptr) {
    Fields profile(request, *value, fields.place("profile"));
    out = read_context(profile, true);
    profile.done();
  } else if (!request.model.empty()) {
    if (const ModelProfile* model = described(request, request.model); model != nullptr) {
      out = model->context;
    } else if (const BuiltInModel* built_in = built_in_model(request.model); built_in != nullptr) {
      out.context_window = built_in->context_window;
    } else if (!fields.has("window")) {
      request.find("unknown-model", fields.place("model"),
                   "nothing is known of '" + json::excerpt(request.model, 60) +
                       "': give its window, or describe it in the registry",
                   false);
    }
  }
  if (const std::optional<Tokens> window = fields.whole("window"); window) {
    out.context_window = window;
    if (*window == 0) {
      request.find("minimum", fields.place("window"),
                   "a window of 0 tokens holds nothing; leave it out when it is not known");
    } else if (out.effective_context && *out.effective_context > *window) {
      out.effective_context = window;
    }
  }
  return out;
}

Result<std::vector<ModelProfile>> read_registry(const json::Value& models) {
  Request request;
  std::string text = "{\"models\":";
  text += json::value_text(models) + "}";
  json::Arena arena;
  const Result<json::Value> wrapped = json::parse(text, arena);
  if (!wrapped) {
    return wrapped.error();
  }
  Fields fields(request, wrapped.value(), "");
  read_models(request, fields);
  for (Finding& one : request.findings) {
    if (one.error) {
      return Error{ErrorCode::invalid_argument, std::move(one.message), std::move(one.at), 0, 0};
    }
  }
  return std::move(request.models);
}

std::optional<Tokens> window_of(std::span<const ModelProfile> models, std::string_view said) {
  if (const std::size_t found = find_model(models, said); found != no_model) {
    WindowPlan plan;
    plan.profile = models[found].context;
    const WindowBudget budget = budget_window(plan);
    return budget.fit == Fit::unknown ? std::nullopt : std::optional(budget.window);
  }
  const BuiltInModel* known = built_in_model(said);
  return known == nullptr ? std::nullopt : std::optional(known->context_window);
}

std::vector<ModelProfile> all_models(const Request& request) {
  std::vector<ModelProfile> out = request.models;
  for (const BuiltInModel& one : built_in_models()) {
    if (described(request, one.name) == nullptr) {
      out.push_back(profile_of(one));
    }
  }
  return out;
}

}  // namespace plumb::budget
