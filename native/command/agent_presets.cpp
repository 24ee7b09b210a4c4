#include "native/command/agent_presets.hpp"

#include <algorithm>
#include <array>

namespace plumb::command {

namespace {

constexpr std::uint64_t agent_time_ms = std::uint64_t{30} * 60'000;

DeclaredCommand agent(std::string name, std::vector<std::string> argv, std::vector<std::string> env,
                      std::vector<std::string> home) {
  DeclaredCommand out;
  out.name = std::move(name);
  out.argv = std::move(argv);
  out.env = std::move(env);
  out.home = std::move(home);
  out.network = true;
  out.git = true;
  out.time_ms = agent_time_ms;
  return out;
}

const std::array<DeclaredCommand, 3>& presets() {
  static const std::array<DeclaredCommand, 3> all = {
      agent("claude-code", {"claude", "-p", "--permission-mode", "acceptEdits"}, {"ANTHROPIC_API_KEY"},
            {".claude", ".claude.json"}),
      agent("codex", {"codex", "exec", "--skip-git-repo-check", "--sandbox", "workspace-write", "-"},
            {"OPENAI_API_KEY"}, {".codex"}),
      agent("aider",
            {"aider", "--yes-always", "--no-auto-commits", "--no-check-update", "--message-file", "{task_file}"},
            {"OPENAI_API_KEY", "ANTHROPIC_API_KEY"}, {".aider.conf.yml"}),
  };
  return all;
}

}  // namespace

const std::vector<std::string_view>& agent_presets() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> out;
    for (const DeclaredCommand& one : presets()) {
      out.push_back(one.name);
    }
    return out;
  }();
  return names;
}

const DeclaredCommand* agent_preset(std::string_view name) {
  const auto found =
      std::find_if(presets().begin(), presets().end(), [&](const DeclaredCommand& one) { return one.name == name; });
  return found == presets().end() ? nullptr : &*found;
}

}  // namespace plumb::command
