#include "native/cli/workflow_install.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/indented.hpp"
#include "core/json/members.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "native/base/file_bytes.hpp"

namespace plumb::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t settings_bytes_max = std::uint64_t{1} << 20U;
constexpr std::string_view hook_check = "plumb workflow check --hook";

// Hooks of git. `git merge` calls pre-merge-commit instead of pre-commit, and commits what it has merged before the
// hook runs: what a fix staged then would be left over.
struct GitHook {
  std::string_view name, check;
};
constexpr GitHook git_hooks[] = {
    {"pre-commit", "plumb workflow check --staged --fix --format short --quiet"},
    {"pre-merge-commit", "plumb workflow check --staged --format short --quiet"},
};

constexpr std::string_view ci_job = R"(# A job of GitHub Actions: findings are shown in the pull request.
on: pull_request
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with: { fetch-depth: 0 }
      # The gates of the base judge the change, not those that the change brings.
      - run: git show "origin/${{ github.base_ref }}:plumb.yaml" > plumb.yaml
      - run: plumb workflow check --config plumb.yaml --base "origin/${{ github.base_ref }}" --format github
)";

Error refused(const std::string& path, std::string message) {
  return Error{ErrorCode::invalid_argument, std::move(message), path, 0, 0};
}

// Whether a file can be written there. The error: something else lies there, or the place is outside the repository.
Result<bool> is_there(const std::string& path, const std::string& top) {
  struct stat itself {
  }, about{};
  if (::lstat(path.c_str(), &itself) == 0) {
    if (::stat(path.c_str(), &about) != 0) {
      return refused(path, "is a link that leads nowhere, so nothing was written: remove it");
    }
    if (!S_ISREG(about.st_mode)) {
      return refused(path, "is no file, so nothing was written: remove it");
    }
  }
  std::error_code failed;
  const fs::path folder = fs::weakly_canonical(fs::path(path).parent_path(), failed);
  const std::string own = fs::canonical(top, failed).string() + "/";
  if (failed || !(folder.string() + "/").starts_with(own)) {
    return refused(path, "lies outside this repository (" + folder.string() + "), so nothing was written");
  }
  return ::lstat(path.c_str(), &itself) == 0;
}

Result<bool> write_new(const std::string& path, std::string_view text, bool program) {
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  if (failed) {
    return refused(path, "its folder cannot be made: " + failed.message());
  }
  Result<bool> written = write_file(path, text);
  if (written && program && ::chmod(path.c_str(), 0755) != 0) {
    return refused(path, "cannot be made executable: " + reason_of(errno));
  }
  return written;
}

// A text with one more member or item at the end of a container in it; everything else stays as somebody wrote it.
std::string with_more(const std::string& text, const json::Value& container, const std::string& more) {
  const std::size_t end = static_cast<std::size_t>(container.to) - 1;  // of the closing bracket
  std::size_t last = end;
  while (last > 0 &&
         (text[last - 1] == ' ' || text[last - 1] == '\n' || text[last - 1] == '\t' || text[last - 1] == '\r')) {
    --last;
  }
  return text.substr(0, last) + (container.size > 0 ? ", " : "") + more + text.substr(last);
}

// Whether an agent's settings have a Stop hook that is the check and nothing else.
bool has_stop_hook(const json::Value* stop) {
  for (const json::Value& group : stop != nullptr ? stop->array() : std::span<const json::Value>()) {
    const json::Value* const hooks = group.is(json::Kind::object) ? group.find("hooks") : nullptr;
    if (hooks == nullptr || !hooks->is(json::Kind::array)) {
      continue;
    }
    for (const json::Value& hook : hooks->array()) {
      const std::string_view command =
          hook.is(json::Kind::object) ? json::text_of(hook, "command") : std::string_view();
      if (command.starts_with(hook_check) && command.find_first_of("|;&#") == std::string_view::npos) {
        return true;
      }
    }
  }
  return false;
}

// Whether a pre-commit hook comes to the check whatever it does before, and passes its exit code on.
bool calls_the_check(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = ascii::trim(text.substr(0, std::min(text.find('\n'), text.size())));
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    const bool check = line.starts_with("exec plumb workflow check") || line.starts_with("plumb workflow check");
    if (check && line.find("--staged") != std::string_view::npos) {
      const std::size_t sign = line.find_first_of("|;&#");
      return sign == std::string_view::npos || line.substr(sign) == "|| exit $?" || line.substr(sign) == "|| exit 1";
    }
    if (line.starts_with("exit") || line.starts_with("exec ") || line.starts_with("if ")) {
      return false;
    }
  }
  return false;
}

// Settings of an agent: {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": ...}]}]}}
Result<std::string> into_settings(const std::string& top, const std::string& name, const std::string& command,
                                  const std::string& next) {
  const std::string path = top + name;
  const Result<bool> there = is_there(path, top);
  if (!there) {
    return there.error();
  }
  std::string entry = R"({"hooks": [{"type": "command", "command": )";
  json::append_string(entry, command);
  entry += "}]}";
  const std::string whole = R"({"hooks": {"Stop": [)" + entry + "]}}";
  if (!there.value()) {
    const Result<bool> written = write_new(path, json::indented(whole) + "\n", false);
    return written ? Result<std::string>("wrote " + path + next) : Result<std::string>(written.error());
  }
  const Result<std::string> text = read_file(path, settings_bytes_max);
  if (!text) {
    return text.error();
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(text.value(), arena);
  const json::Value* const hooks = read && read.value().is(json::Kind::object) ? read.value().find("hooks") : nullptr;
  const json::Value* const stop = hooks != nullptr && hooks->is(json::Kind::object) ? hooks->find("Stop") : nullptr;
  const bool fits = read && read.value().is(json::Kind::object) &&
                    (hooks == nullptr || hooks->is(json::Kind::object)) &&
                    (stop == nullptr || stop->is(json::Kind::array));
  if (fits && has_stop_hook(stop)) {
    return path + " has the hook already";
  }
  if (!fits) {
    return refused(path, std::string(read ? "its `hooks` have another form" : "is not strict JSON") +
                             ", so it stays as it is. Add this yourself: " + whole);
  }
  const std::string merged = stop != nullptr ? with_more(text.value(), *stop, entry)
                             : hooks != nullptr
                                 ? with_more(text.value(), *hooks, R"("Stop": [)" + entry + "]")
                                 : with_more(text.value(), read.value(), R"("hooks": {"Stop": [)" + entry + "]}");
  const Result<bool> written = write_file(path, merged);
  return written ? Result<std::string>("added the hook to " + path + next) : Result<std::string>(written.error());
}

Result<std::string> put_git_hook(const std::string& path, const GitHook& hook, const std::string& own) {
  const Result<bool> there = is_there(path, own);
  if (!there) {
    return there.error();
  }
  const std::string check(hook.check);
  if (!there.value()) {
    const Result<bool> written =
        write_new(path, "#!/bin/sh\n# The files that are committed are judged on a copy.\nexec " + check + "\n", true);
    return written ? Result<std::string>("wrote " + path) : Result<std::string>(written.error());
  }
  const Result<std::string> text = read_file(path, settings_bytes_max);
  if (text && calls_the_check(text.value())) {
    return ::access(path.c_str(), X_OK) == 0
               ? Result<std::string>(path + " has the check already")
               : Result<std::string>(refused(path, "has the check, but git skips it: make it executable (chmod +x)"));
  }
  return refused(path,
                 "is there already and stays as it is. Add this line to it, or to the configuration of the tool that "
                 "wrote it: " +
                     check + " || exit $?");
}

// Only into this repository: a folder of hooks that others use too stays as it is.
Result<std::string> into_git(const git::Checkout& checkout) {
  std::string told;
  for (const GitHook& hook : git_hooks) {
    const Result<git::Done> said = git::run_persons_git(
        checkout.top, {"rev-parse", "--path-format=absolute", "--git-path", "hooks/" + std::string(hook.name)},
        checkout.person);
    if (!said) {
      return said.error();
    }
    if (!said.value().ok()) {
      return git::git_failed("rev-parse", said.value());
    }
    const std::string path = said.value().out.substr(0, said.value().out.find('\n'));
    const std::string folder = fs::path(path).parent_path().string();
    std::error_code failed;
    const std::string real = fs::weakly_canonical(folder, failed).string() + "/";
    const std::string common = fs::weakly_canonical(checkout.repository.common_dir, failed).string();
    const std::string top = fs::weakly_canonical(checkout.top, failed).string();
    const bool in_common = real.starts_with(common + "/");
    if (failed || (!in_common && !real.starts_with(top + "/"))) {
      return refused(folder,
                     "has the hooks of all your repositories (core.hooksPath), so nothing was written. To install the "
                     "check into this repository alone, give it hooks of its own (git config --local core.hooksPath '" +
                         checkout.repository.common_dir +
                         "/hooks'), and run this command again; or add this line to '" + path +
                         "': " + std::string(hook.check) + " || exit $?");
    }
    const Result<std::string> put = put_git_hook(path, hook, in_common ? common : top);
    if (!put) {
      return put;
    }
    told += (told.empty() ? "" : "\n") + put.value();
  }
  return told;
}

Result<std::string> into_ci(const git::Checkout& checkout) {
  const std::string path = checkout.top + "/.github/workflows/plumb.yml";
  if (const Result<bool> there = is_there(path, checkout.top); !there) {
    return there.error();
  }
  const bool gitlab = ::access((checkout.top + "/.gitlab-ci.yml").c_str(), F_OK) == 0;
  if (::access(path.c_str(), F_OK) == 0 || gitlab) {
    return refused(gitlab ? checkout.top + "/.gitlab-ci.yml" : path,
                   "is there already and stays as it is. Add a job that fetches the whole history and runs: plumb "
                   "workflow check --config plumb.yaml --base origin/BRANCH");
  }
  const Result<bool> written = write_new(path, ci_job, false);
  return written ? Result<std::string>("wrote " + path + "; the job needs `plumb` in its PATH")
                 : Result<std::string>(written.error());
}

}  // namespace

Result<std::string> install_hook(std::string_view place, const git::Checkout& checkout) {
  if (place == "claude") {
    return into_settings(checkout.top, "/.claude/settings.json",
                         std::string(hook_check) + " --repo \"$CLAUDE_PROJECT_DIR\"", "");
  }
  if (place == "codex") {
    return into_settings(checkout.top, "/.codex/hooks.json", std::string(hook_check),
                         "; Codex asks you to review it once (/hooks)");
  }
  return place == "git" ? into_git(checkout) : into_ci(checkout);
}

}  // namespace plumb::cli
