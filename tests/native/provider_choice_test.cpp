// Who is asked: six levels, near misses, addresses, keys, profiles.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "native/provider/choice.hpp"
#include "native/provider/settings.hpp"

using namespace plumb;
using namespace plumb::provider;

namespace {

SourcedText at(const std::string& text, std::size_t line = 4) { return {text, "plumb.yaml", line, 12}; }

std::string chosen(const ChoiceInput& input, std::string_view phase) {
  const Result<std::vector<Choice>> choices = choose(input);
  if (!choices)
    return "error: " + choices.error().where + ": " + choices.error().message;
  for (const Choice& choice : choices.value()) {
    if (choice.phase == phase)
      return choice.said.text + " by " + choice.level_text + " (" + std::to_string(choice.level) + ")";
  }
  return "";
}

const ReadFile no_files = [](const std::string& path) {
  return Result<std::string>(Error{ErrorCode::not_found, "no such file", path, 0, 0});
};

ConfiguredProviders with_entry(const std::string& name, std::vector<SourcedMember> members) {
  ConfiguredProviders said;
  said.entries.push_back({name, at(name, 7), std::move(members)});
  return said;
}

std::string problem_of(const Result<Settings>& settings) {
  return settings ? settings.value().problem : settings.error().where + ": " + settings.error().message;
}

}  // namespace

TEST_CASE("choice: each of the six levels goes before those below it, and extract is there when nothing is said") {
  ChoiceInput input;
  CHECK(chosen(input, "judge") == "extract by built in (7)");
  input.config.choices = {{"default", at("ollama/six")}};
  CHECK(chosen(input, "judge") == "ollama/six by plumb.yaml:4 providers.default (6)");
  input.config.choices.push_back({"judge", at("ollama/five", 5)});
  CHECK(chosen(input, "judge") == "ollama/five by plumb.yaml:5 providers.judge (5)");
  CHECK(chosen(input, "plan") == "ollama/six by plumb.yaml:4 providers.default (6)");
  input.variables = {{"HOME", "/"}, {"PLUMB_PROVIDER", "ollama/four"}};
  CHECK(chosen(input, "judge") == "ollama/four by PLUMB_PROVIDER (4)");
  input.variables.push_back({"PLUMB_PROVIDER_JUDGE", "ollama/three"});
  CHECK(chosen(input, "judge") == "ollama/three by PLUMB_PROVIDER_JUDGE (3)");
  CHECK(chosen(input, "repair") == "ollama/four by PLUMB_PROVIDER (4)");
  input.by_flag = {{"", "ollama/two"}};
  CHECK(chosen(input, "judge") == "ollama/two by --provider (2)");
  input.by_flag.push_back({"judge", "ollama/one"});
  CHECK(chosen(input, "judge") == "ollama/one by --provider-judge (1)");
  CHECK(chosen(input, "generate") == "ollama/two by --provider (2)");
  // An empty variable says nothing.
  input.by_flag.clear();
  input.variables = {{"PLUMB_PROVIDER", ""}};
  CHECK(chosen(input, "plan") == "ollama/six by plumb.yaml:4 providers.default (6)");
}

TEST_CASE("choice: an unknown phase or provider is an error with its place and what was nearest, at every level") {
  ChoiceInput input;
  input.variables = {{"PLUMB_PROVIDER_JUGDE", "extract"}};
  CHECK(chosen(input, "plan") ==
        "error: PLUMB_PROVIDER_JUGDE: there is no phase 'jugde' (did you mean 'judge'?); phases are plan, generate, "
        "judge, repair, explore, frame, design, assess, rank, validate, revise, intake, brain, researcher, finish, "
        "develop, review");
  input.variables = {{"PLUMB_PROVIDER", "olama/x"}};
  CHECK(chosen(input, "plan") ==
        "error: PLUMB_PROVIDER: there is no provider 'olama' (did you mean 'ollama'?); providers are extract, ollama, "
        "openai, anthropic, sample, replay");
  input.variables = {};
  input.by_flag = {{"judge", "opnai/gpt-4o"}};
  CHECK(chosen(input, "plan").find("error: --provider-judge: there is no provider 'opnai' (did you mean 'openai'?)") ==
        0);
  // Also where a higher level hides it.
  input.by_flag = {{"", "extract"}};
  input.config.choices = {{"default", at("exract")}};
  CHECK(chosen(input, "plan").find("error: plumb.yaml: there is no provider 'exract' (did you mean 'extract'?)") == 0);
  const Result<std::vector<Choice>> choices = choose(input);
  REQUIRE(!choices);
  CHECK(choices.error().line == 4);
  CHECK(choices.error().column == 12);
  input.config.choices = {};
  for (const auto& [text, says] :
       std::vector<std::pair<std::string, std::string>>{{"ollama", "names no model: write ollama/MODEL"},
                                                        {"ollama/", "names no model"},
                                                        {"replay", "names no recording: write replay/FILE"},
                                                        {"extract/fast", "extract has no models"},
                                                        {"", "there is no provider ''"},
                                                        {"openai/gpt\n4", "a line end or another control"}}) {
    const auto& about = text;
    CAPTURE(about);
    input.by_flag = {{"", text}};
    CHECK(chosen(input, "plan").find(says) != std::string::npos);
  }
  input.by_flag = {{"", "openai/meta-llama/Llama-3.1-8B"}};
  const Result<std::vector<Choice>> slashes = choose(input);
  REQUIRE(slashes);
  CHECK(slashes.value()[0].provider == "openai");
  CHECK(slashes.value()[0].model == "meta-llama/Llama-3.1-8B");
}

TEST_CASE("choice: what a phase needs and its provider lacks is refused by name, with the level and a remedy") {
  ChoiceInput input;
  input.variables = {{"PLUMB_PROVIDER", "openai/o1-mini"}};
  const Result<std::vector<Choice>> choices = choose(input);
  REQUIRE(choices);
  const Choice& generate = choices.value()[1];
  const Profile profile = usual_profile(*known_provider("openai"), generate.model);
  CHECK(!profile.tools);
  CHECK(!profile.temperature);
  CHECK(profile.structured == Structured::none);
  CHECK(check_needs(generate, profile, {.streaming = true}));
  const Result<bool> refused = check_needs(generate, profile, {.tools = true, .temperature = true});
  REQUIRE(!refused);
  CHECK(refused.error().where == "PLUMB_PROVIDER");
  CHECK(
      refused.error().message ==
      "the phase generate needs tools and temperature, which openai/o1-mini (chosen by PLUMB_PROVIDER) does not have; "
      "choose another with --provider-generate or, where it has it after all, say so in plumb.yaml under "
      "providers.openai");
  CHECK(lacking(profile, {.structured = Structured::json}) == std::vector<std::string>{"structured output (json)"});
  CHECK(lacking(usual_profile(*known_provider("openai"), "gpt-4o"),
                {.tools = true, .streaming = true, .temperature = true, .structured = Structured::strict})
            .empty());
  CHECK(lacking(usual_profile(*known_provider("extract"), ""), {.streaming = true}).empty());
  CHECK(lacking(usual_profile(*known_provider("extract"), ""), {.tools = true}).size() == 1);
}

TEST_CASE("settings: addresses come from the variable, then plumb.yaml, then what is usual") {
  const Variables key = {{"OPENAI_API_KEY", "sk-one"}};
  const Result<Settings> usual = read_settings("openai", {}, key, no_files);
  REQUIRE(usual);
  CHECK(usual.value().endpoint.base.text() == "https://api.openai.com/v1");
  CHECK(usual.value().endpoint.target() == "/v1/chat/completions");
  CHECK(usual.value().key_from == "OPENAI_API_KEY");
  CHECK(usual.value().completion_tokens);
  CHECK(usual.value().calls_max == 16);
  const Result<Settings> local =
      read_settings("openai", {}, {{"OPENAI_BASE_URL", "http://127.0.0.1:8000/v1/"}}, no_files);
  REQUIRE(local);
  CHECK(local.value().endpoint.base.text() == "http://127.0.0.1:8000/v1");
  CHECK(local.value().problem.empty());  // not every server wants a key
  CHECK(!local.value().completion_tokens);
  const Result<Settings> missing = read_settings("openai", {}, {}, no_files);
  CHECK(problem_of(missing) ==
        "openai needs a key: set OPENAI_API_KEY, or name a file with providers.openai.key_file in plumb.yaml");
  CHECK(problem_of(read_settings("anthropic", {}, {}, no_files)).find("set ANTHROPIC_API_KEY") != std::string::npos);
  const Result<Settings> ollama = read_settings("ollama", {}, {{"OLLAMA_HOST", "0.0.0.0:9999"}}, no_files);
  REQUIRE(ollama);
  CHECK(ollama.value().endpoint.base.text() == "http://127.0.0.1:9999");
  CHECK(ollama.value().endpoint.target() == "/api/chat");
  CHECK(ollama.value().calls_max == 4);
  const Result<Settings> both = read_settings("ollama", with_entry("ollama", {{"base_url", at("http://box:1")}}),
                                              {{"OLLAMA_HOST", "other"}}, no_files);
  REQUIRE(both);
  CHECK(both.value().endpoint.base.text() == "http://other:11434");
  CHECK(both.value().base_from == "OLLAMA_HOST");
}

TEST_CASE("settings: a key that nobody named goes to no address that a file gives") {
  const Variables variables = {{"OPENAI_API_KEY", "sk-precious"}, {"OTHER", "sk-other"}};
  const ConfiguredProviders elsewhere = with_entry("openai", {{"base_url", at("https://elsewhere.example/v1")}});
  const Result<Settings> settings = read_settings("openai", elsewhere, variables, no_files);
  REQUIRE(settings);
  CHECK(settings.value().endpoint.key.empty());
  CHECK(settings.value().key_from.empty());
  for (const HeaderField& field : settings.value().endpoint.headers(true))
    CHECK(field.value.find("precious") == std::string::npos);
  const ConfiguredProviders named =
      with_entry("openai", {{"base_url", at("https://elsewhere.example/v1")}, {"key_env", at("OTHER")}});
  const Result<Settings> other = read_settings("openai", named, variables, no_files);
  REQUIRE(other);
  CHECK(other.value().endpoint.key == "sk-other");
  CHECK(problem_of(read_settings("openai", with_entry("openai", {{"key_env", at("NOT_SET")}}), variables, no_files)) ==
        "the variable NOT_SET, which is to hold the key, is not set");
  const ReadFile file = [](const std::string& path) {
    return Result<std::string>(path == "k" ? " sk-file \n" : "a b");
  };
  const Result<Settings> from_file =
      read_settings("anthropic", with_entry("anthropic", {{"key_file", at("k")}}), {}, file);
  REQUIRE(from_file);
  CHECK(from_file.value().endpoint.key == "sk-file");
  const Result<Settings> bad = read_settings("anthropic", with_entry("anthropic", {{"key_file", at("x")}}), {}, file);
  REQUIRE(!bad);
  CHECK(bad.error().message == "'key_file: x': the key has a blank, a line end or a character outside ASCII in it");
  CHECK(bad.error().line == 4);
  const Result<Settings> gone =
      read_settings("anthropic", with_entry("anthropic", {{"key_file", at("x")}}), {}, no_files);
  CHECK(problem_of(gone) == "plumb.yaml: 'key_file: x': no such file");
}

TEST_CASE("settings: a provider of one's own says what it speaks and where, and every member is checked") {
  const ConfiguredProviders own = with_entry("vllm", {{"speaks", at("openai")},
                                                      {"base_url", at("http://gpu:8000/v1")},
                                                      {"calls_max", at("64")},
                                                      {"first_byte_ms", at("5000")},
                                                      {"tools", at("false")},
                                                      {"structured", at("schema")},
                                                      {"token_limit", at("max_completion_tokens")}});
  const Result<Settings> vllm = read_settings("vllm", own, {{"OPENAI_API_KEY", "sk-precious"}}, no_files);
  REQUIRE(vllm);
  CHECK(vllm.value().endpoint.key.empty());
  CHECK(vllm.value().calls_max == 64);
  CHECK(vllm.value().limits.exchange.first_byte_ms == 5'000);
  CHECK(vllm.value().completion_tokens);
  const Profile profile = vllm.value().profile("any");
  CHECK(!profile.tools);
  CHECK(profile.streaming);
  CHECK(profile.structured == Structured::schema);

  const auto refused = [](const std::string& name, std::vector<SourcedMember> members) {
    return problem_of(read_settings(name, with_entry(name, std::move(members)), {{"OPENAI_API_KEY", "sk"}}, no_files));
  };
  CHECK(refused("olama", {{"base_url", at("http://x")}}) ==
        "plumb.yaml: there is no provider 'olama' (did you mean 'ollama'?); a name of your own says what it speaks: "
        "'speaks: openai', anthropic or ollama");
  CHECK(refused("mine", {{"speaks", at("opnai")}}).find("(did you mean 'openai'?)") != std::string::npos);
  CHECK(refused("mine", {{"speaks", at("openai")}}) == "plumb.yaml: the provider 'mine' needs a base_url");
  CHECK(refused("openai", {{"speaks", at("ollama")}}).find("'speaks' is for names of your own") != std::string::npos);
  CHECK(refused("openai", {{"calls_max", at("0")}}).find("a whole number from 1 to 10000") != std::string::npos);
  CHECK(refused("openai", {{"calls_max", at("many")}}).find("a whole number") != std::string::npos);
  CHECK(refused("openai", {{"tools", at("yes")}}).find("must be true or false") != std::string::npos);
  CHECK(refused("openai", {{"structured", at("strictt")}}).find("(did you mean 'strict'?)") != std::string::npos);
  CHECK(refused("openai", {{"token_limit", at("max")}}).find("max_tokens or max_completion_tokens") !=
        std::string::npos);
  CHECK(refused("openai", {{"key_env", at("A")}, {"key_file", at("B")}}).find("are both there") != std::string::npos);
  CHECK(refused("extract", {{"calls_max", at("3")}}) == "plumb.yaml: there is nothing to set for extract");
}

TEST_CASE("endpoint: addresses are read, and what has no place in one is refused without being quoted") {
  for (const auto& [text, wanted] :
       std::vector<std::pair<std::string, std::string>>{{"https://api.example.com", "https://api.example.com"},
                                                        {"https://API.Example.com:443/", "https://api.example.com"},
                                                        {"http://127.0.0.1:80/v1//", "http://127.0.0.1/v1"},
                                                        {"http://[::1]:8080/a/b", "http://[::1]:8080/a/b"},
                                                        {"http://host_name.local:1", "http://host_name.local:1"}}) {
    const Result<BaseUrl> base = read_base_url(text);
    const auto& about = text;
    REQUIRE_MESSAGE(base, about);
    CHECK(base.value().text() == wanted);
  }
  for (const char* text :
       {"", "api.example.com", "ftp://x", "http://", "http://:80", "http://x:0", "http://x:70000", "http://x:8o",
        "http://user@x", "https://sk-secret@x/v1", "http://x/?key=sk-secret", "http://x#sk-secret", "http://x y",
        "http://x\r\nhost: y", "http://[::1", "http://[x]", "http://x\\y", "http://ex\xC3\xA4mple"}) {
    CAPTURE(text);
    const Result<BaseUrl> base = read_base_url(text);
    REQUIRE(!base);
    CHECK(base.error().message.find("secret") == std::string::npos);
  }
  for (const auto& [text, wanted] :
       std::vector<std::pair<std::string, std::string>>{{"", "http://127.0.0.1:11434"},
                                                        {"box", "http://box:11434"},
                                                        {":1234", "http://127.0.0.1:1234"},
                                                        {"0.0.0.0", "http://127.0.0.1:11434"},
                                                        {"https://ollama.example", "https://ollama.example"},
                                                        {"box:99/prefix", "http://box:99/prefix"},
                                                        {"[::1]", "http://[::1]:11434"}}) {
    const Result<BaseUrl> base = read_ollama_host(text);
    const auto& about = text;
    REQUIRE_MESSAGE(base, about);
    CHECK(base.value().text() == wanted);
  }
  CHECK(read_key("  sk-1\n").value() == "sk-1");
  for (const char* text : {"", " \n", "a b", "a\r\nx: y", "schl\xC3\xBCssel"})
    CHECK(!read_key(text));
  Endpoint anthropic{wire::Wire::anthropic, read_base_url("https://x.example").value(), "sk-a"};
  CHECK(anthropic.target() == "/v1/messages");
  anthropic.base.path = "/proxy/v1";
  CHECK(anthropic.target() == "/proxy/v1/messages");
}
