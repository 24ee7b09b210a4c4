#include "core/budget/profile.hpp"

#include "core/ascii.hpp"
#include "core/json/number_text.hpp"

namespace plumb::budget {

namespace {

constexpr std::string_view all_round = "planning writing coding reviewing";
constexpr std::string_view quick = "writing coding fast";

// Windows as their makers state them: core/budget/model_windows.json has where and when, and a test compares.
constexpr BuiltInModel known_models[] = {
    {"claude-3-haiku", 200'000, quick},
    {"claude-3-opus", 200'000, all_round},
    {"claude-3-sonnet", 200'000, all_round},
    {"claude-3-5-haiku", 200'000, quick},
    {"claude-3-5-sonnet", 200'000, all_round},
    {"claude-3-7-sonnet", 200'000, all_round},
    {"claude-sonnet-4", 200'000, all_round},
    {"claude-sonnet-4-5", 200'000, all_round},
    {"claude-opus-4", 200'000, all_round},
    {"claude-opus-4-1", 200'000, all_round},
    {"claude-opus-4-5", 200'000, all_round},
    {"gpt-3.5-turbo", 16'385, quick},
    {"gpt-4", 8'192, all_round},
    {"gpt-4-turbo", 128'000, all_round},
    {"gpt-4.1", 1'047'576, all_round},
    {"gpt-4.1-mini", 1'047'576, quick},
    {"gpt-4.1-nano", 1'047'576, quick},
    {"gpt-4o", 128'000, all_round},
    {"gpt-4o-mini", 128'000, quick},
    {"gpt-5", 400'000, all_round},
    {"gpt-5-mini", 400'000, quick},
    {"gpt-5-nano", 400'000, quick},
    {"o1", 200'000, all_round},
    {"o3", 200'000, all_round},
    {"o3-mini", 200'000, quick},
    {"o4-mini", 200'000, quick},
};

// "-2024-08-06", "-20241022", "@20241022", "-0613", "-latest", ":latest": a snapshot of the model before it.
bool is_snapshot(std::string_view rest) {
  if (rest == "-latest" || rest == ":latest") {
    return true;
  }
  constexpr std::string_view shapes[] = {"-dddd-dd-dd", "-dddddddd", "@dddddddd", "-dddd"};
  for (const std::string_view shape : shapes) {
    const auto fits = [&](std::size_t i) { return shape[i] == 'd' ? ascii::is_digit(rest[i]) : rest[i] == shape[i]; };
    std::size_t i = 0;
    while (rest.size() == shape.size() && i < shape.size() && fits(i)) {
      ++i;
    }
    if (i == shape.size()) {
      return true;
    }
  }
  return false;
}

// Whether `name` is `end` behind a slash.
bool ends_with_name(std::string_view name, std::string_view end) {
  return name.size() > end.size() && name.ends_with(end) && name[name.size() - end.size() - 1] == '/';
}

// 2: the same name; 1: the same but for who provides it.
unsigned same_name(std::string_view a, std::string_view b) {
  return a == b ? 2U : ends_with_name(a, b) || ends_with_name(b, a) ? 1U : 0U;
}

std::string number(Tokens tokens) { return json::uint_text(tokens); }

}  // namespace

std::vector<Contradiction> contradictions(const ContextProfile& profile) {
  std::vector<Contradiction> out;
  const auto over = [&out](std::string_view member, std::string_view what, const std::optional<Tokens>& tokens,
                           std::string_view than, const std::optional<Tokens>& limit) {
    if (tokens && limit && *tokens > *limit) {
      out.push_back({member, std::string(what) + " of " + number(*tokens) + " tokens is more than the " +
                                 std::string(than) + " of " + number(*limit)});
    }
  };
  if (profile.context_window && *profile.context_window == 0) {
    out.push_back({"context_window", "a window of 0 tokens holds nothing; leave it out when it is not known"});
    return out;
  }
  over("effective_context", "an effective context", profile.effective_context, "context window",
       profile.context_window);
  over("sweet_spot", "a sweet spot", profile.sweet_spot, "effective context", profile.effective_context);
  over("sweet_spot", "a sweet spot", profile.sweet_spot, "context window", profile.context_window);
  over("recommended_max_file_tokens", "a maximum of files", profile.recommended_max_file_tokens, "effective context",
       profile.effective_context);
  over("recommended_max_file_tokens", "a maximum of files", profile.recommended_max_file_tokens, "context window",
       profile.context_window);
  if (profile.context_window && profile.system_prompt_overhead >= *profile.context_window) {
    out.push_back({"system_prompt_overhead", "an overhead of " + number(profile.system_prompt_overhead) +
                                                 " tokens leaves nothing of the window of " +
                                                 number(*profile.context_window)});
  } else if (profile.context_window && profile.effective_context &&
             *profile.effective_context + profile.system_prompt_overhead > *profile.context_window &&
             *profile.effective_context <= *profile.context_window) {
    out.push_back({"effective_context", "an effective context of " + number(*profile.effective_context) +
                                            " tokens and an overhead of " + number(profile.system_prompt_overhead) +
                                            " are more than the window of " + number(*profile.context_window)});
  }
  return out;
}

std::span<const BuiltInModel> built_in_models() { return known_models; }

unsigned same_model(std::string_view known, std::string_view said) {
  if (known.empty() || said.empty()) {
    return 0;
  }
  if (const unsigned same = same_name(known, said); same > 0) {
    return same + 2;
  }
  const std::size_t ends = said.rfind('/');
  for (std::size_t i = ends == std::string_view::npos ? 1 : ends + 2; i < said.size(); ++i) {
    if ((said[i] == '-' || said[i] == '@' || said[i] == ':') && is_snapshot(said.substr(i))) {
      return same_name(known, said.substr(0, i));
    }
  }
  return 0;
}

std::size_t find_model(std::span<const ModelProfile> models, std::string_view said) {
  std::size_t best = no_model;
  unsigned most = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (const unsigned same = same_model(models[i].name, said); same > most) {
      most = same;
      best = i;
    }
  }
  return best;
}

const BuiltInModel* built_in_model(std::string_view said) {
  const BuiltInModel* best = nullptr;
  unsigned most = 0;
  for (const BuiltInModel& one : known_models) {
    if (const unsigned same = same_model(one.name, said); same > most) {
      most = same;
      best = &one;
    }
  }
  return best;
}

ModelProfile profile_of(const BuiltInModel& model) {
  ModelProfile out;
  out.name = model.name;
  out.encoding = text::encoding_of_model(model.name);
  std::string_view rest = model.capabilities;
  while (!rest.empty()) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    out.capabilities.emplace_back(rest.substr(0, blank));
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  out.context.context_window = model.context_window;
  return out;
}

}  // namespace plumb::budget
