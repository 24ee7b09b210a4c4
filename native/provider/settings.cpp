#include "native/provider/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "core/wire/facet.hpp"
#include "native/base/near_miss.hpp"

namespace plumb::provider {

namespace {

const SourcedText* member_of(const ConfiguredProviders::Entry* entry, std::string_view name) {
  if (entry == nullptr) {
    return nullptr;
  }
  for (const SourcedMember& member : entry->members) {
    if (member.first == name) {
      return &member.second;
    }
  }
  return nullptr;
}

const ConfiguredProviders::Entry* entry_of(const ConfiguredProviders& said, std::string_view name) {
  for (const ConfiguredProviders::Entry& entry : said.entries) {
    if (entry.name == name) {
      return &entry;
    }
  }
  return nullptr;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

Error no_such(const SourcedText& said, std::string_view name, const std::vector<std::string_view>& words) {
  return said.refused("'" + std::string(name) + ": " + said.text + "'" + plumb::did_you_mean(said.text, words) +
                      ": must be " + joined(words));
}

// Everything that a map of plumb.yaml says, into settings.
struct Reader {
  const ConfiguredProviders::Entry* entry;
  Settings& settings;
  std::optional<Error> error;

  void flag(std::string_view name, std::optional<bool>& into) {
    const SourcedText* said = member_of(entry, name);
    if (said == nullptr || error) {
      return;
    }
    if (said->text == "true" || said->text == "false") {
      into = said->text == "true";
    } else {
      error = no_such(*said, name, {"true", "false"});
    }
  }

  template <class Number>
  void number(std::string_view name, std::uint64_t min, std::uint64_t max, Number& into) {
    const SourcedText* said = member_of(entry, name);
    if (said == nullptr || error) {
      return;
    }
    std::uint64_t value = 0;
    const char* const end = said->text.data() + said->text.size();
    const auto [at, failed] = std::from_chars(said->text.data(), end, value);
    if (failed != std::errc() || at != end || value < min || value > max) {
      error = said->refused("'" + std::string(name) + ": " + said->text + "': must be a whole number from " +
                            std::to_string(min) + " to " + std::to_string(max));
      return;
    }
    into = static_cast<Number>(value);
  }

  void rest() {
    constexpr std::uint64_t day_ms = 86'400'000;
    number("calls_max", 1, 10'000, settings.calls_max);
    number("tries_max", 1, 3, settings.limits.tries_max);
    number("connect_ms", 1, day_ms, settings.limits.exchange.connect_ms);
    number("first_byte_ms", 1, day_ms, settings.limits.exchange.first_byte_ms);
    number("idle_ms", 1, day_ms, settings.limits.exchange.idle_ms);
    flag("tools", settings.tools);
    flag("streaming", settings.streaming);
    flag("temperature", settings.temperature);
    std::optional<bool> responses;
    flag("responses", responses);
    settings.endpoint.responses = responses.value_or(settings.endpoint.responses);
    if (responses && !error && settings.known->wire != wire::Wire::openai) {
      error =
          member_of(entry, "responses")
              ->refused("'responses' is a setting of OpenAI's interface, which " + settings.name + " does not speak");
    }
    if (const SourcedText* said = member_of(entry, "structured"); said != nullptr && !error) {
      settings.structured = structured_named(said->text);
      if (!settings.structured) {
        error = no_such(*said, "structured", {"none", "json", "schema", "strict", "tool"});
      } else if (settings.structured == Structured::tool && !facet_of(settings.known->wire).local) {
        error = said->refused("'structured: tool' is a setting of Ollama, which " + settings.name + " does not speak");
      }
    }
    constexpr std::uint64_t context_max = 16'777'216;
    number("num_ctx", 256, context_max, settings.num_ctx);
    if (const SourcedText* said = member_of(entry, "think"); said != nullptr && !error) {
      const bool flag = said->text == "true" || said->text == "false";
      settings.think = flag ? said->text : "\"" + said->text + "\"";
      if (!flag && said->text != "low" && said->text != "medium" && said->text != "high") {
        error = no_such(*said, "think", {"false", "true", "low", "medium", "high"});
      }
    }
    for (const std::string_view name : {"think", "num_ctx"}) {
      if (const SourcedText* said = member_of(entry, name);
          said != nullptr && !error && !facet_of(settings.known->wire).local) {
        error = said->refused("'" + std::string(name) + "' is a setting of Ollama, which " + settings.name +
                              " does not speak");
      }
    }
    if (const SourcedText* said = member_of(entry, "token_limit"); said != nullptr && !error) {
      settings.completion_tokens = said->text == "max_completion_tokens";
      if (!settings.completion_tokens && said->text != "max_tokens") {
        error = no_such(*said, "token_limit", {"max_tokens", "max_completion_tokens"});
      }
    }
  }
};

struct Address {
  bool usual = true;
  bool from_file = false;
};

Result<Address> read_address(const ConfiguredProviders::Entry* entry, const Variables& variables, bool own_name,
                             Settings& settings) {
  const KnownProvider& known = *settings.known;
  Address address;
  std::string text(usual_base(known.wire));
  SourcedText said{"", "built in", 0, 0};
  settings.base_from = "usual";
  const std::string* variable = own_name ? nullptr : find_variable(variables, known.base_variable);
  if (variable != nullptr) {
    said = {*variable, std::string(known.base_variable), 0, 0};
  } else if (const SourcedText* configured = member_of(entry, "base_url")) {
    said = *configured;
    address.from_file = true;
  } else if (own_name && !facet_of(known.wire).local) {
    return entry->place.refused("the provider '" + entry->name + "' needs a base_url");
  }
  if (said.where != "built in") {
    text = said.text;
    settings.base_from = said.place();
    address.usual = false;
  }
  Result<BaseUrl> base = facet_of(known.wire).local ? read_ollama_host(text) : read_base_url(text);
  if (!base) {
    return said.refused(base.error().message + ", such as " + std::string(usual_base(known.wire)));
  }
  settings.endpoint.base = std::move(base).value();
  return address;
}

std::optional<Error> read_key_file(std::string_view member, const SourcedText& said, const std::string& path,
                                   const ReadFile& read_file, Settings& settings) {
  const std::string shown = "'" + std::string(member) + ": " + said.text + "': ";
  const Result<std::string> text = read_file(path);
  if (!text) {
    return said.refused(shown + text.error().message);
  }
  Result<std::string> key = read_key(text.value());
  if (!key) {
    return said.refused(shown + key.error().message);
  }
  settings.endpoint.key = std::move(key).value();
  settings.key_from = path;
  return std::nullopt;
}

std::optional<Error> read_key_of(const ConfiguredProviders::Entry* entry, const Variables& variables,
                                 const ReadFile& read_file, bool own_name, const Address& address, Settings& settings) {
  const KnownProvider& known = *settings.known;
  const SourcedText* key_env = member_of(entry, "key_env");
  const SourcedText* key_file = member_of(entry, "key_file");
  const SourcedText* credential = member_of(entry, "key_credential");
  if (key_env != nullptr && key_file != nullptr) {
    return key_env->refused("'key_env' and 'key_file' are both there: one of them says where the key is");
  }
  if (credential != nullptr && (key_env != nullptr || key_file != nullptr)) {
    return credential->refused(
        "'key_credential' is given beside 'key_env' or 'key_file': one of them says where the key "
        "is");
  }
  if (key_file != nullptr) {
    return read_key_file("key_file", *key_file, key_file->text, read_file, settings);
  }
  if (credential != nullptr) {
    const std::string* directory = find_variable(variables, "CREDENTIALS_DIRECTORY");
    if (directory == nullptr) {
      settings.problem = "the credential '" + credential->text +
                         "' is not there: CREDENTIALS_DIRECTORY is not set; systemd sets it for a service with "
                         "LoadCredential=" +
                         credential->text + ":FILE";
      return std::nullopt;
    }
    if (credential->text.find('/') != std::string::npos) {
      return credential->refused("'key_credential: " + credential->text + "': must be a name, not a path");
    }
    return read_key_file("key_credential", *credential, *directory + "/" + credential->text, read_file, settings);
  }
  // A name that nobody chose by writing it down gives a key only to an address of the same origin.
  const bool trusted = key_env != nullptr || (!own_name && !address.from_file);
  const std::string name = key_env != nullptr ? key_env->text : trusted ? std::string(known.key_variable) : "";
  const std::string* variable = name.empty() ? nullptr : find_variable(variables, name);
  if (variable != nullptr) {
    Result<std::string> key = read_key(*variable);
    if (!key) {
      return Error{ErrorCode::invalid_argument, key.error().message, name, 0, 0};
    }
    settings.endpoint.key = std::move(key).value();
    settings.key_from = name;
  } else if (key_env != nullptr) {
    settings.problem = "the variable " + name + ", which is to hold the key, is not set";
  } else if (known.key_needed && address.usual) {
    settings.problem = settings.name + " needs a key: set " + name + ", or name a file with providers." +
                       settings.name + ".key_file in plumb.yaml";
  }
  return std::nullopt;
}

}  // namespace

Variables variables_of_process() {
  Variables variables;
  for (char** one = ::environ; one != nullptr && *one != nullptr; ++one) {
    const std::string_view text(*one);
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos && equals > 0) {
      variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return variables;
}

const std::string* find_variable(const Variables& variables, std::string_view name) {
  for (const auto& [known, value] : variables) {
    if (known == name) {
      return value.empty() ? nullptr : &value;
    }
  }
  return nullptr;
}

Profile Settings::profile(std::string_view model) const {
  Profile out = usual_profile(*known, model);
  out.tools = tools.value_or(out.tools);
  out.streaming = streaming.value_or(out.streaming);
  out.temperature = temperature.value_or(out.temperature);
  out.structured = structured.value_or(out.structured);
  if (!out.tools && out.structured == Structured::tool) {
    out.structured = Structured::strict;
  }
  return out;
}

void Settings::write_ollama(wire::ModelRequest& request, std::uint64_t input_tokens) const {
  // Powers of two, as a model is loaded anew for each other size. What thinking takes is not in the answer's limit.
  constexpr std::uint64_t context_least = 4'096;
  constexpr std::uint64_t thinking_tokens = 4'096;
  const bool thinks = !think.empty() && think != "false";
  if (thinks && request.output_tokens_max > 0) {
    request.output_tokens_max += thinking_tokens;
  }
  std::uint64_t context = num_ctx;
  if (context == 0) {
    const std::uint64_t wanted = input_tokens + (request.output_tokens_max > 0 ? request.output_tokens_max : 2'048);
    context = context_least;
    while (context < wanted) {
      context *= 2;
    }
  }
  const auto says = [&](std::string_view wanted) {
    return std::any_of(request.extra.begin(), request.extra.end(),
                       [&](const wire::ExtraMember& one) { return one.name == wanted; });
  };
  if (!says("options")) {
    request.extra.push_back({"options", "{\"num_ctx\":" + std::to_string(context) + "}"});
  }
  if (!says("think")) {
    request.extra.push_back({"think", think.empty() ? "false" : think});
  }
}

Result<Settings> read_settings(std::string_view name, const ConfiguredProviders& said, const Variables& variables,
                               const ReadFile& read_file) {
  Settings settings;
  settings.name = name;
  const ConfiguredProviders::Entry* entry = entry_of(said, name);
  settings.known = known_provider(name);
  const bool own_name = settings.known == nullptr;
  if (const SourcedText* speaks = member_of(entry, "speaks")) {
    if (!own_name) {
      return speaks->refused("what " + settings.name + " speaks is known: 'speaks' is for names of your own");
    }
    for (const KnownProvider& known : known_providers()) {
      if (known.source == Source::network && known.name == speaks->text) {
        settings.known = &known;
      }
    }
    if (settings.known == nullptr) {
      return no_such(*speaks, "speaks", {"openai", "anthropic", "ollama"});
    }
  }
  if (settings.known == nullptr) {
    if (entry == nullptr) {
      return Error{ErrorCode::not_found, "there is no provider '" + settings.name + "'", "", 0, 0};
    }
    std::vector<std::string_view> names;
    for (const KnownProvider& known : known_providers()) {
      names.push_back(known.name);
    }
    return entry->place.refused("there is no provider '" + settings.name + "'" + plumb::did_you_mean(name, names) +
                                "; a name of your own says what it speaks: 'speaks: openai', anthropic or ollama");
  }
  const KnownProvider& known = *settings.known;
  if (known.source != Source::network) {
    if (entry != nullptr && !entry->members.empty()) {
      return entry->place.refused("there is nothing to set for " + settings.name);
    }
    settings.calls_max = known.calls_usual_max;
    return settings;
  }
  settings.endpoint.wire = known.wire;
  settings.calls_max = known.calls_usual_max;
  const Result<Address> address = read_address(entry, variables, own_name, settings);
  if (!address) {
    return address.error();
  }
  settings.completion_tokens = known.wire == wire::Wire::openai && address.value().usual;
  settings.endpoint.responses = settings.completion_tokens;
  if (std::optional<Error> error = read_key_of(entry, variables, read_file, own_name, address.value(), settings)) {
    return *error;
  }
  Reader reader{entry, settings, std::nullopt};
  reader.rest();
  if (reader.error) {
    return *reader.error;
  }
  return settings;
}

std::vector<std::string> provider_names(const ConfiguredProviders& said) {
  std::vector<std::string> names;
  for (const KnownProvider& known : known_providers()) {
    names.emplace_back(known.name);
  }
  for (const ConfiguredProviders::Entry& entry : said.entries) {
    if (std::find(names.begin(), names.end(), entry.name) == names.end()) {
      names.push_back(entry.name);
    }
  }
  return names;
}

}  // namespace plumb::provider
