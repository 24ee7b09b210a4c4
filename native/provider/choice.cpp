#include "native/provider/choice.hpp"

#include <algorithm>
#include <optional>

#include "core/ascii.hpp"
#include "core/stranger/manner.hpp"
#include "native/base/near_miss.hpp"

namespace plumb::provider {

namespace {

constexpr std::string_view variable = "PLUMB_PROVIDER";

std::string listed(const std::vector<std::string_view>& words) {
  std::string out;
  for (std::string_view word : words) {
    out += (out.empty() ? "" : ", ") + std::string(word);
  }
  return out;
}

Error unknown_phase(const SourcedText& said, std::string_view phase) {
  return said.refused("there is no phase '" + std::string(phase) + "'" + plumb::did_you_mean(phase, phase_names()) +
                      "; phases are " + listed(phase_names()));
}

// "ollama/qwen3:8b" taken apart.
Result<Choice> read_choice(const SourcedText& said, const std::vector<std::string>& names) {
  Choice choice;
  choice.said = said;
  const std::size_t slash = said.text.find('/');
  choice.provider = said.text.substr(0, slash);
  choice.model = slash == std::string::npos ? "" : said.text.substr(slash + 1);
  if (std::find(names.begin(), names.end(), choice.provider) == names.end()) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    return said.refused("there is no provider '" + choice.provider + "'" + plumb::did_you_mean(choice.provider, views) +
                        "; providers are " + listed(views));
  }
  const KnownProvider* known = known_provider(choice.provider);
  const Source source = known == nullptr ? Source::network : known->source;
  if (source == Source::extract) {
    if (slash != std::string::npos) {
      return said.refused("'" + said.text + "': extract has no models; write 'extract'");
    }
  } else if (source == Source::sample) {
    if (choice.model.empty()) {
      choice.model = "obedient";
    }
    if (const Result<stranger::Manner> manner = stranger::read_manner(choice.model); !manner) {
      return said.refused("'" + said.text + "': " + manner.error().message);
    }
  } else if (choice.model.empty()) {
    const std::string form = known == nullptr ? choice.provider + "/MODEL" : std::string(known->form);
    return said.refused("'" + said.text + "' names no " +
                        std::string(source == Source::replay ? "recording" : "model") + ": write " + form);
  }
  for (char c : choice.model) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      return said.refused("the name of the model has a line end or another control in it");
    }
  }
  return choice;
}

}  // namespace

Result<std::vector<Choice>> choose(const ChoiceInput& input) {
  struct Candidate {
    int level;
    std::string phase;  // empty: all
    Choice choice;
  };
  const std::vector<std::string> names = provider_names(input.config);
  std::vector<Candidate> candidates;
  std::optional<Error> error;
  const auto add = [&](int level, std::string_view phase, const SourcedText& said, std::string level_text) {
    if (error) {
      return;
    }
    if (!phase.empty() && phase_named(phase) == nullptr) {
      error = unknown_phase(said, phase);
      return;
    }
    Result<Choice> choice = read_choice(said, names);
    if (!choice) {
      error = choice.error();
      return;
    }
    choice.value().level = level;
    choice.value().level_text = std::move(level_text);
    candidates.push_back({level, std::string(phase), std::move(choice).value()});
  };

  for (const auto& [phase, text] : input.by_flag) {
    const std::string flag = phase.empty() ? "--provider" : "--provider-" + phase;
    add(phase.empty() ? 2 : 1, phase, {text, flag, 0, 0}, flag);
  }
  for (const auto& [name, text] : input.variables) {
    if (!name.starts_with(variable) || text.empty()) {
      continue;
    }
    const std::string_view rest = std::string_view(name).substr(variable.size());
    if (rest.empty()) {
      add(4, "", {text, name, 0, 0}, name);
    } else if (rest.front() == '_') {
      const std::string phase = ascii::lower(rest.substr(1));
      add(3, phase.empty() || ascii::upper(phase) != rest.substr(1) ? rest.substr(1) : phase, {text, name, 0, 0}, name);
    }
  }
  for (const auto& [key, said] : input.config.choices) {
    const bool all = key == "default";
    add(all ? 6 : 5, all ? "" : key, said, said.place() + " providers." + key);
  }
  if (error) {
    return *error;
  }

  std::vector<Choice> choices;
  for (const Phase& phase : phases()) {
    Choice best;
    best.provider = "extract";
    best.said = {"extract", "built in", 0, 0};
    best.level_text = "built in";
    for (const Candidate& one : candidates) {
      if (one.level < best.level && (one.phase.empty() || one.phase == phase.name)) {
        best = one.choice;
      }
    }
    best.phase = phase.name;
    choices.push_back(std::move(best));
  }
  return choices;
}

Result<std::vector<Choice>> choose_also(const ChoiceInput& input) {
  const std::vector<std::string> names = provider_names(input.config);
  std::vector<Choice> out;
  for (const SourcedText& said : input.config.also) {
    Result<Choice> choice = read_choice(said, names);
    if (!choice) {
      return choice.error();
    }
    choice.value().level = 6;
    choice.value().level_text = said.place() + " providers.also";
    choice.value().phase = std::string(also_phase) + said.text;
    out.push_back(std::move(choice).value());
  }
  return out;
}

Result<bool> check_needs(const Choice& choice, const Profile& profile, const Needs& needs) {
  const std::vector<std::string> missing = lacking(profile, needs);
  if (missing.empty()) {
    return true;
  }
  std::string what;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    what += (i == 0 ? "" : i + 1 == missing.size() ? " and " : ", ") + missing[i];
  }
  return choice.said.refused("the phase " + choice.phase + " needs " + what + ", which " + choice.said.text +
                             " (chosen by " + choice.level_text + ") does not have; choose another with --provider-" +
                             choice.phase + " or, where it has it after all, say so in plumb.yaml under providers." +
                             choice.provider);
}

}  // namespace plumb::provider
