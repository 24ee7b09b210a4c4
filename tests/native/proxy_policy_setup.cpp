#include "tests/native/proxy_policy_setup.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace proxy_setup {

using namespace plumb;
using namespace plumb::proxy;

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "plumb-policy-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  path_ = name;
}

Folder::~Folder() { std::filesystem::remove_all(path_); }

std::string Folder::write(std::string_view name, std::string_view text) const {
  // In one step: who looks meanwhile sees the file of before or this one, never one that is empty.
  const std::string file = path(name);
  std::ofstream(file + ".new", std::ios::binary) << text;
  std::filesystem::rename(file + ".new", file);
  return file;
}

std::string Folder::read(std::string_view name) const {
  std::ostringstream text;
  text << std::ifstream(path(name), std::ios::binary).rdbuf();
  return text.str();
}

Result<std::shared_ptr<const Settings>> read(const Folder& folder, const std::string& yaml,
                                             provider::Variables variables) {
  folder.write("plumb.yaml", yaml);
  return read_again(folder, std::move(variables));
}

Result<std::shared_ptr<const Settings>> read_again(const Folder& folder, provider::Variables variables) {
  const Result<plumb::ConfigFile> config = plumb::read_config_file(folder.path("plumb.yaml"));
  if (!config)
    return config.error();
  return read_proxy_settings({config.value(), std::move(variables),
                              [](const std::string& path) -> Result<std::string> {
                                std::ifstream in(path, std::ios::binary);
                                if (!in)
                                  return Error{ErrorCode::not_found, "no such file", path, 0, 0};
                                std::ostringstream text;
                                text << in.rdbuf();
                                return text.str();
                              },
                              folder.path("")});
}

std::string usual_yaml(const Folder& folder, std::string_view more) {
  return "providers:\n"
         "  one: {speaks: openai, base_url: 'http://127.0.0.1:9001/v1'}\n"
         "  two: {speaks: openai, base_url: 'http://127.0.0.1:9002/v1'}\n"
         "proxy:\n"
         "  counters: " +
         folder.path("counters.json") +
         "\n"
         "  log: json\n"
         "  prices: {one: {input: 2, output: 10}, two: {input: 1, output: 4, cached: 0.5}}\n"
         "  models:\n"
         "    fast: one/small\n"
         "    safe: {to: one/big, fallbacks: [two/big]}\n" +
         std::string(more);
}

TimePoint after(std::uint64_t ms) {
  constexpr std::uint64_t noon_ms = 20'000ULL * 86'400'000 + 43'200'000;
  return {(1'000'000 + ms) * 1000, noon_ms + ms};
}

Opened open(const Folder& folder, std::string_view more) {
  const auto settings = read(folder, usual_yaml(folder, more));
  if (!settings)
    FAIL(settings.error().message);
  Opened out;
  out.lines = std::make_shared<std::vector<std::string>>();
  out.lines_mutex = std::make_shared<std::mutex>();
  auto opened = Policy::open({settings.value(),
                              [lines = out.lines, mutex = out.lines_mutex](std::string_view line) {
                                const std::lock_guard lock(*mutex);
                                lines->emplace_back(line);
                              }},
                             after(0));
  if (!opened)
    FAIL(opened.error().message);
  out.policy = std::move(opened).value();
  return out;
}

bool Opened::has_said(std::string_view words) const {
  const std::lock_guard lock(*lines_mutex);
  for (const std::string& line : *lines) {
    if (line.find(words) != std::string::npos)
      return true;
  }
  return false;
}

CallerPtr local(Policy& policy) {
  const Identified who = policy.identify({}, after(0));
  REQUIRE_FALSE(who.refused);
  return who.caller;
}

wire::Usage usage(std::uint64_t input, std::uint64_t output) {
  wire::Usage out;
  out.known = true;
  out.input_tokens = input;
  out.output_tokens = output;
  return out;
}

}  // namespace proxy_setup
