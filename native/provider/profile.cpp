#include "native/provider/profile.hpp"

#include <algorithm>
#include <array>

#include "core/stranger/manner.hpp"

namespace plumb::provider {

namespace {

constexpr std::array<Phase, 17> phase_table = {{
    {"plan", "decides what the artifact is to cover", "--provider-plan",
     "Who is asked for the plan; goes before --provider."},
    {"generate", "writes the artifact", "--provider-generate", "Who writes the artifact; goes before --provider."},
    {"judge", "says whether the artifact means what the source says", "--provider-judge",
     "Who judges whether it means what the source says; goes before --provider."},
    {"repair", "mends what the checks found", "--provider-repair", "Who mends it; goes before --provider."},
    {"explore", "finds patterns in conversations, figures, code and documents", "--provider-explore",
     "Who explores the sources; goes before --provider."},
    {"frame", "makes briefs of what was found", "--provider-frame",
     "Who frames opportunities; goes before --provider."},
    {"design", "proposes, challenges and improves solutions", "--provider-design",
     "Who designs solutions; goes before --provider."},
    {"assess", "says whether a solution can be built, and with what risk", "--provider-assess",
     "Who assesses feasibility; goes before --provider."},
    {"rank", "puts opportunities in order", "--provider-rank", "Who ranks; goes before --provider."},
    {"validate", "judges at a boundary what it is to work with", "--provider-validate",
     "Who judges at boundaries; goes before --provider."},
    {"revise", "revises what was sent back at a boundary", "--provider-revise",
     "Who revises what was sent back; goes before --provider."},
    {"intake", "asks what is not clear, and says what is to be found out", "--provider-intake",
     "Who takes the question in; goes before --provider."},
    {"brain", "plans what is to be found out next, or that it is done", "--provider-brain",
     "Who plans the questions; goes before --provider."},
    {"researcher", "decides on the next search of a question, or that it is answered", "--provider-researcher",
     "Who controls the searches; goes before --provider."},
    {"finish", "answers from the passages and writes the report", "--provider-finish",
     "Who answers and writes the report; goes before --provider."},
    {"develop", "changes the files of a task", "--provider-develop", "Who develops; goes before --provider."},
    {"review", "judges what was changed for a task", "--provider-review",
     "Who reviews what was changed; goes before --provider."},
}};

constexpr std::array<KnownProvider, 6> provider_table = {{
    {"extract", "built in: no model, no key, no network; from the source's own sentences", Source::extract,
     wire::Wire::openai, "extract", "", "", false, 0},
    {"ollama", "models on this machine or another, by Ollama", Source::network, wire::Wire::ollama, "ollama/MODEL",
     "OLLAMA_API_KEY", "OLLAMA_HOST", false, 4},
    {"openai", "OpenAI, and what speaks as it does: vLLM, llama.cpp, LM Studio", Source::network, wire::Wire::openai,
     "openai/MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL", true, 16},
    {"anthropic", "Anthropic", Source::network, wire::Wire::anthropic, "anthropic/MODEL", "ANTHROPIC_API_KEY",
     "ANTHROPIC_BASE_URL", true, 16},
    {"sample", "built in: made up from the request alone, with faults if wanted, to try an interface without a key",
     Source::sample, wire::Wire::openai, "sample/HOW", "", "", false, 16},
    {"replay", "answers from a recording that --record has made", Source::replay, wire::Wire::openai, "replay/FILE", "",
     "", false, 0},
}};

constexpr std::array<std::string_view, 5> structured_names = {"none", "json", "schema", "strict", "tool"};

}  // namespace

std::span<const Phase> phases() { return phase_table; }

std::vector<std::string_view> phase_names() {
  std::vector<std::string_view> names;
  names.reserve(phase_table.size());
  for (const Phase& phase : phase_table) {
    names.push_back(phase.name);
  }
  return names;
}

const Phase* phase_named(std::string_view name) {
  for (const Phase& phase : phase_table) {
    if (phase.name == name) {
      return &phase;
    }
  }
  return nullptr;
}

std::string_view structured_name(Structured structured) {
  return structured_names[static_cast<std::size_t>(structured)];
}

std::optional<Structured> structured_named(std::string_view name) {
  for (std::size_t i = 0; i < structured_names.size(); ++i) {
    if (structured_names[i] == name) {
      return static_cast<Structured>(i);
    }
  }
  return std::nullopt;
}

std::vector<std::string> lacking(const Profile& profile, const Needs& needs) {
  std::vector<std::string> missing;
  if (needs.tools && !profile.tools) {
    missing.emplace_back("tools");
  }
  if (needs.streaming && !profile.streaming) {
    missing.emplace_back("streaming");
  }
  if (needs.temperature && !profile.temperature) {
    missing.emplace_back("temperature");
  }
  if (needs.structured > profile.structured) {
    missing.push_back("structured output (" + std::string(structured_name(needs.structured)) + ")");
  }
  return missing;
}

std::span<const KnownProvider> known_providers() { return provider_table; }

const KnownProvider* known_provider(std::string_view name) {
  for (const KnownProvider& provider : provider_table) {
    if (provider.name == name) {
      return &provider;
    }
  }
  return nullptr;
}

const KnownProvider& known_provider(wire::Wire wire) {
  for (const KnownProvider& provider : provider_table) {
    if (provider.source == Source::network && provider.wire == wire) {
      return provider;
    }
  }
  return provider_table.front();
}

namespace {

// Models of OpenAI's interface that think within the limit of the answer, as far as their names tell.
bool thinks_by_name(std::string_view model) {
  constexpr std::array<std::string_view, 6> names = {"reasoner", "deepseek-r1", "qwq",
                                                     "gpt-oss",  "magistral",   "thinking"};
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return model.find(name) != std::string_view::npos; });
}

}  // namespace

Profile usual_profile(const KnownProvider& provider, std::string_view model) {
  Profile profile;
  if (provider.source == Source::sample) {
    if (const Result<stranger::Manner> manner = stranger::read_manner(model)) {
      profile.tools = manner.value().tools;
      profile.temperature = manner.value().sampling;
      if (manner.value().wire == wire::Wire::anthropic) {
        profile.structured = Structured::schema;
      } else if (manner.value().wire == wire::Wire::ollama && profile.tools) {
        profile.structured = Structured::tool;
      }
    }
    return profile;
  }
  if (provider.source != Source::network) {
    // What has no model answers whole and at once: there is nothing that an early stop could save.
    profile.tools = provider.source == Source::replay;
    return profile;
  }
  if (provider.wire == wire::Wire::anthropic) {
    profile.structured = Structured::schema;
  }
  if (provider.wire == wire::Wire::ollama) {
    profile.structured = Structured::tool;
  }
  if (provider.wire == wire::Wire::openai) {
    const bool reasoning =
        model.starts_with("o1") || model.starts_with("o3") || model.starts_with("o4") || model.starts_with("gpt-5");
    profile.temperature = !reasoning;
    profile.reasons = reasoning || thinks_by_name(model);
    if (model.starts_with("o1-mini") || model.starts_with("o1-preview")) {
      profile.tools = false;
      profile.structured = Structured::none;
    }
  }
  return profile;
}

}  // namespace plumb::provider
