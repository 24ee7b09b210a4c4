// What is said about providers in plumb.yaml, in variables and on the command line, as texts with their places; and
// what comes of it for one provider: an address, a key, bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "native/base/setting.hpp"
#include "native/provider/model_call.hpp"
#include "native/provider/profile.hpp"

namespace plumb::provider {

// A text and where it was said: "plumb.yaml", line and column; or "PLUMB_PROVIDER", "--provider".
struct SourcedText {
  std::string text;
  std::string where;
  std::size_t line = 0;
  std::size_t column = 0;

  Error refused(std::string message) const {
    return Error{ErrorCode::invalid_argument, std::move(message), where, line, column};
  }
  // "plumb.yaml:4"
  std::string place() const { return line == 0 ? where : where + ":" + std::to_string(line); }
};
using SourcedMember = std::pair<std::string, SourcedText>;

// `providers:` of plumb.yaml: who is chosen, and what is set for a provider.
struct ConfiguredProviders {
  std::vector<SourcedMember> choices;  // "default" or a phase -> "ollama/qwen3:8b"
  std::vector<SourcedText> also;       // those that a request may name beside its phase's
  struct Entry {
    std::string name;
    SourcedText place;  // of the name
    std::vector<SourcedMember> members;
  };
  std::vector<Entry> entries;
};

// The variables of the environment, or a test's.
using Variables = std::vector<std::pair<std::string, std::string>>;
Variables variables_of_process();
// nullptr when it is not set, or empty.
const std::string* find_variable(const Variables& variables, std::string_view name);

// The keys of `providers` and `limits` in plumb.yaml.
const SettingTable& provider_settings();

// A provider that can be called, or why it cannot.
struct Settings {
  std::string name;  // "ollama", or a name of plumb.yaml
  const KnownProvider* known = nullptr;
  Endpoint endpoint;
  std::string base_from;  // "OLLAMA_HOST", "plumb.yaml:7", "usual"
  std::string key_from;   // "OPENAI_API_KEY", or empty: no key is sent
  std::string problem;    // what is missing and what to do, one sentence; empty: nothing
  std::optional<bool> tools;
  std::optional<bool> streaming;
  std::optional<bool> temperature;
  std::optional<Structured> structured;
  bool completion_tokens = false;  // OpenAI's newer name for the limit of tokens
  std::string think;               // of Ollama, as JSON: false, true, "low", "medium", "high"
  std::uint64_t num_ctx = 0;       // of Ollama; 0: as much as a call needs
  std::uint64_t calls_max = 0;     // in progress at once
  ModelCallLimits limits;

  // The usual profile with what is set here.
  Profile profile(std::string_view model) const;
  // What Ollama wants to know besides: a context that holds these tokens and the answer, and whether it may think.
  void write_ollama(wire::ModelRequest& request, std::uint64_t input_tokens) const;
};

// Reads files that hold keys: at most 64 KB.
using ReadFile = std::function<Result<std::string>(const std::string& path)>;

// The provider of that name (which is known, or has an entry). A key of the environment that nobody has named goes only
// to the provider's usual address or one that is in the environment too, never to an address that a file gives.
Result<Settings> read_settings(std::string_view name, const ConfiguredProviders& said, const Variables& variables,
                               const ReadFile& read_file);

// The providers there are: the known ones and those with an entry that says what they speak.
std::vector<std::string> provider_names(const ConfiguredProviders& said);

}  // namespace plumb::provider
