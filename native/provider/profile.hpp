// What is known beforehand of phases and providers: which there are, what a provider can do, what a phase needs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/model.hpp"

namespace plumb::provider {

// A part of a pipeline that asks models and may have a provider of its own. `--provider-NAME`,
// `PLUMB_PROVIDER_NAME` and `providers.NAME` are made of its name.
struct Phase {
  std::string_view name;
  std::string_view purpose;
  std::string_view flag;  // "--provider-plan"
  std::string_view flag_help;
};
std::span<const Phase> phases();
std::vector<std::string_view> phase_names();
const Phase* phase_named(std::string_view name);

// The strongest way in which a provider can be held to a schema, weakest first.
enum class Structured : std::uint8_t {
  none,    // not at all
  json,    // JSON, whatever it holds
  schema,  // the schema is given, and heeded as far as the provider does
  strict,  // the provider enforces the schema
  tool,    // of Ollama: the schema is that of a tool, which the model is to call
};
std::string_view structured_name(Structured structured);
std::optional<Structured> structured_named(std::string_view name);

struct Profile {
  bool tools = true;
  bool streaming = true;
  bool temperature = true;
  Structured structured = Structured::strict;
  bool reasons = false;  // it thinks before it answers, which counts as part of the answer
};

// What a phase cannot do without. Structured output is used where there is some, and what comes is checked in any case.
struct Needs {
  bool tools = false;
  bool streaming = false;
  bool temperature = false;
  Structured structured = Structured::none;
};
// What of `needs` the profile lacks, in words: "tools", "streaming"; empty: nothing.
std::vector<std::string> lacking(const Profile& profile, const Needs& needs);

// Where answers come from.
enum class Source : std::uint8_t {
  network,
  extract,  // core/extract
  replay,   // a recording
  sample,   // core/stranger
};

struct KnownProvider {
  std::string_view name;
  std::string_view summary;
  Source source = Source::network;
  wire::Wire wire = wire::Wire::openai;
  std::string_view form;              // "openai/MODEL"
  std::string_view key_variable;      // "OPENAI_API_KEY", or empty
  std::string_view base_variable;     // "OPENAI_BASE_URL"
  bool key_needed = false;            // at its usual address
  std::uint64_t calls_usual_max = 0;  // in progress at once
};
std::span<const KnownProvider> known_providers();
const KnownProvider* known_provider(std::string_view name);
const KnownProvider& known_provider(wire::Wire wire);

// What the provider can do with that model, as far as the names tell: OpenAI's reasoning models take no temperature,
// and the first of them no tools and no schema.
Profile usual_profile(const KnownProvider& provider, std::string_view model);

}  // namespace plumb::provider
