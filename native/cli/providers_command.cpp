// plumb providers: who is asked in each phase, by whose word, and whether they can be.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>

#include "core/json/writer.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/provider_setup.hpp"
#include "native/cli/terminal.hpp"
#include "native/provider/probe.hpp"
#include "native/provider/recording.hpp"

namespace plumb::cli {

namespace {

struct State {
  std::string word;  // "ready", "not_checked", "reachable", "unreachable", "incomplete"
  std::string reason;
  std::optional<std::uint64_t> took_ms;

  bool fine() const { return word != "unreachable" && word != "incomplete"; }
};

State state_of(const provider::Choice& choice, const provider::Settings& settings, bool check) {
  if (settings.known->source == provider::Source::extract || settings.known->source == provider::Source::sample) {
    return {"ready", "", std::nullopt};
  }
  if (settings.known->source == provider::Source::replay) {
    const auto recording = provider::Recording::read(choice.model);
    if (recording) {
      return {"ready", std::to_string(recording.value()->size()) + " answers", std::nullopt};
    }
    return {"incomplete", error_line(recording.error()), std::nullopt};
  }
  if (!settings.problem.empty()) {
    return {"incomplete", settings.problem, std::nullopt};
  }
  if (!check) {
    return {"not_checked", "", std::nullopt};
  }
  provider::Probe probe = provider::probe(settings, choice.model);
  return {probe.usable ? "reachable" : "unreachable", std::move(probe.message), probe.took_ms};
}

std::string can_do(const provider::Profile& profile) {
  std::string text;
  for (const auto& [has, name] : {std::pair{profile.tools, "tools"}, std::pair{profile.streaming, "streaming"},
                                  std::pair{profile.temperature, "temperature"}}) {
    if (has) {
      text += (text.empty() ? "" : ", ") + std::string(name);
    }
  }
  const std::string structured =
      profile.structured == provider::Structured::none
          ? std::string("no structured output")
          : "structured output (" + std::string(provider::structured_name(profile.structured)) + ")";
  return text.empty() ? structured : text + ", " + structured;
}

std::string as_json(const ProviderSetup& setup, const std::vector<State>& states) {
  std::string text;
  json::Writer json(text, 2);
  json.begin_array();
  for (std::size_t i = 0; i < setup.choices.size(); ++i) {
    const provider::Choice& choice = setup.choices[i];
    const provider::Settings& settings = setup.of(choice);
    json.begin_object().member("phase", choice.phase).member("provider", choice.provider);
    json.member("model", choice.model).member("text", choice.said.text);
    json.key("level").integer(choice.level).member("chosenBy", choice.level_text);
    if (settings.known->source == provider::Source::network) {
      const provider::Profile profile = settings.profile(choice.model);
      json.member("address", settings.endpoint.base.text()).member("addressFrom", settings.base_from);
      if (!settings.key_from.empty()) {
        json.member("keyFrom", settings.key_from);
      }
      json.key("can").begin_object().member_boolean("tools", profile.tools);
      json.member_boolean("streaming", profile.streaming).member_boolean("temperature", profile.temperature);
      json.member("structured", provider::structured_name(profile.structured)).end_object();
      json.member_uint("callsMax", settings.calls_max);
    }
    json.member("state", states[i].word);
    if (!states[i].reason.empty()) {
      json.member("reason", states[i].reason);
    }
    if (states[i].took_ms) {
      json.member_uint("tookMs", *states[i].took_ms);
    }
    json.end_object();
  }
  json.end_array();
  return text + "\n";
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) {
    text.append(width - text.size(), ' ');
  }
  return text;
}

std::string as_text(const ProviderSetup& setup, const std::vector<State>& states, const contract::TextStyle& style) {
  std::size_t phase_width = 0;
  std::size_t text_width = 0;
  std::size_t level_width = 0;
  for (const provider::Choice& choice : setup.choices) {
    phase_width = std::max(phase_width, choice.phase.size());
    text_width = std::max(text_width, choice.said.text.size());
    level_width = std::max(level_width, choice.level_text.size());
  }
  std::string text;
  for (std::size_t i = 0; i < setup.choices.size(); ++i) {
    const provider::Choice& choice = setup.choices[i];
    const State& state = states[i];
    std::string says = state.word == "not_checked" ? "not checked" : state.word;
    if (state.took_ms) {
      says += " (" + std::to_string(*state.took_ms) + " ms)";
    }
    says = state.fine() ? (state.word == "not_checked" ? dim(says, style) : green(says, style)) : red(says, style);
    if (!state.reason.empty()) {
      says += ": " + state.reason;
    }
    text += cyan(padded(choice.phase, phase_width), style) + "  " + padded(choice.said.text, text_width) + "  " +
            dim(padded(choice.level_text, level_width), style) + "  " + says + "\n";
  }
  std::vector<std::string> told;
  for (const provider::Choice& choice : setup.choices) {
    const provider::Settings& settings = setup.of(choice);
    if (settings.known->source != provider::Source::network ||
        std::find(told.begin(), told.end(), choice.said.text) != told.end()) {
      continue;
    }
    if (told.empty()) {
      text += "\n";
    }
    told.push_back(choice.said.text);
    text += bold(choice.said.text, style) + "\n";
    text += "  at     " + settings.endpoint.base.text() + dim(" (" + settings.base_from + ")", style) + "\n";
    text +=
        "  key    " + (settings.key_from.empty() ? std::string("none is sent") : "from " + settings.key_from) + "\n";
    text += "  can    " + can_do(settings.profile(choice.model)) + "\n";
    text += "  calls  at most " + std::to_string(settings.calls_max) + " at once\n";
  }
  return text;
}

}  // namespace

CommandSpec providers_command() {
  CommandSpec c;
  c.path = "providers";
  c.summary = "Show which provider each phase uses, why, and whether it is available";
  c.description =
      "Prints one line per phase: the provider, the setting that chose it, and its state. The settings, strongest "
      "first, are --provider-PHASE, --provider, PLUMB_PROVIDER_PHASE, PLUMB_PROVIDER, and providers.PHASE and "
      "providers.default in plumb.yaml. Then it prints each provider's address, the source of its key, and its "
      "capabilities. Keys are never shown.\n\nExit code 0: every provider is usable as far as is known; 2: one is not.";
  c.options = provider_options();
  const std::vector<OptionSpec> rest = {
      {"--check",
       0,
       "",
       {},
       "",
       "Ask each provider for its list of models. This costs nothing.",
       Completes::nothing,
       false},
      {"--json", 0, "", {}, "", "Print one JSON document.", Completes::nothing, false},
      {"--config", 0, "FILE", {}, "", "Read this file instead of looking for plumb.yaml.", Completes::file, false},
      {"--no-config", 0, "", {}, "", "Do not look for plumb.yaml.", Completes::nothing, false},
  };
  c.options.insert(c.options.end(), rest.begin(), rest.end());
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = {"plumb providers", "plumb providers --provider ollama/qwen3:8b --check\tis it available?"};
  return c;
}

int run_providers(const Arguments& arguments) {
  const Result<ProviderSetup> setup = provider_setup(arguments);
  if (!setup) {
    return fail(setup.error());
  }
  std::map<std::string, State> known;
  std::vector<State> states;
  int code = exit_clean;
  for (const provider::Choice& choice : setup.value().choices) {
    auto found = known.find(choice.said.text);
    if (found == known.end()) {
      found =
          known.emplace(choice.said.text, state_of(choice, setup.value().of(choice), arguments.has("--check"))).first;
    }
    states.push_back(found->second);
    if (!found->second.fine()) {
      code = exit_undecided;
    }
  }
  const std::string text = arguments.has("--json")
                               ? as_json(setup.value(), states)
                               : as_text(setup.value(), states, style_for(arguments, STDOUT_FILENO));
  if (!write_all(STDOUT_FILENO, text)) {
    return fail(Error{ErrorCode::unavailable, "cannot be written: " + reason_of(errno), "standard output", 0, 0});
  }
  return code;
}

}  // namespace plumb::cli
