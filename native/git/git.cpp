#include "native/git/git.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/ascii.hpp"
#include "native/base/file_bytes.hpp"
#include "native/command/work_folders.hpp"
#include "native/process/command.hpp"

namespace plumb::git {

namespace {

constexpr std::uint64_t output_max = std::uint64_t{64} << 20U;
constexpr std::uint64_t time_ms = 300'000;

std::string variable(const char* name, const char* otherwise) {
  const char* said = std::getenv(name);
  return said == nullptr || *said == '\0' ? otherwise : said;
}

// What git is told whatever it does. A repository's own configuration goes before what a file of ours says, so for a
// user's the words are on the command line.
constexpr std::string_view users_settings[] = {"core.hooksPath=/dev/null", "core.fsmonitor=false",
                                               "core.sshCommand=false",    "core.logAllRefUpdates=false",
                                               "core.askPass=false",       "gc.auto=0",
                                               "maintenance.auto=false",   "core.attributesFile=/dev/null",
                                               "core.ignoreCase=false",    "core.precomposeUnicode=false"};

constexpr std::string_view private_config = R"([core]
  repositoryformatversion = %V
  bare = true
  filemode = true
  hooksPath = /dev/null
  fsmonitor = false
  untrackedCache = false
  attributesFile = /dev/null
  excludesFile = /dev/null
  autocrlf = false
  safecrlf = false
  symlinks = true
  ignorecase = false
  precomposeunicode = false
  protectHFS = true
  protectNTFS = true
  quotePath = false
  logAllRefUpdates = false
  preloadIndex = true
[gc]
  auto = 0
[maintenance]
  auto = false
[fetch]
  writeCommitGraph = false
  recurseSubmodules = false
[index]
  version = 2
[merge]
  renames = true
  directoryRenames = conflict
[diff]
  renames = false
  algorithm = myers
)";

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, std::min(text.find('\n'), text.size()));
  for (const std::string_view before : {"fatal: ", "error: "}) {
    if (line.starts_with(before)) {
      line.erase(0, before.size());
    }
  }
  return line;
}

// As git reads one of a list of folders, whatever its name holds.
std::string listed_folder(const std::string& folder) {
  std::string out = "\"";
  for (const char c : folder) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + "\"";
}

Result<Done> run_words(process::Command command) {
  command.most = process::Isolation::partial;
  command.no_reaper = true;
  command.limits.time_ms = time_ms;
  command.limits.first_bytes = output_max;
  command.limits.last_bytes = 0;
  command.limits.output_max = output_max;
  command.limits.file_max = 0;
  const Result<process::Outcome> outcome = process::run(command);
  if (!outcome) {
    return outcome.error();
  }
  if (outcome.value().end == process::End::too_much_output) {
    return Error{ErrorCode::limit,
                 "git wrote more than " + std::to_string(output_max >> 20U) +
                     " MB: this is too much to be judged at once; change less, or name fewer files",
                 "", 0, 0};
  }
  if (outcome.value().end != process::End::exited) {
    return Error{ErrorCode::unavailable, "git did not end by itself: " + std::string(end_name(outcome.value().end)), "",
                 0, 0};
  }
  Done done;
  done.code = outcome.value().exit_code;
  done.out = outcome.value().out.text();
  done.err = first_line(outcome.value().err.text());
  return done;
}

}  // namespace

Error git_failed(const std::string& what, const Done& done) {
  return Error{ErrorCode::unavailable,
               "git " + what + ": " + (done.err.empty() ? "exit code " + std::to_string(done.code) : done.err), "", 0,
               0};
}

bool is_hash(const std::string& text) {
  return (text.size() == 40 || text.size() == 64) && ascii::only(text, ascii::hex_digits);
}

Result<Done> run_git(const Call& call) {
  process::Command command;
  command.argv = {"git", "--git-dir=" + call.git_dir};
  if (call.users) {
    for (const std::string_view setting : users_settings) {
      if (!call.person.empty() && setting.starts_with("core.attributesFile")) {
        continue;
      }
      command.argv.emplace_back("-c");
      command.argv.emplace_back(setting);
    }
  }
  command.argv.insert(command.argv.end(), call.words.begin(), call.words.end());
  command.folder = call.work_tree.empty() ? call.git_dir : call.work_tree;
  const std::string date = "@" + std::to_string(call.date_ms / 1000) + " +0000";
  command.environment = {{"PATH", variable("PATH", "/usr/local/bin:/usr/bin:/bin")},
                         {"LC_ALL", "C"},
                         {"GIT_NO_REPLACE_OBJECTS", "1"},
                         {"GIT_GRAFT_FILE", "/dev/null"},
                         {"GIT_NO_LAZY_FETCH", "1"},
                         {"GIT_OPTIONAL_LOCKS", "0"},
                         {"GIT_TERMINAL_PROMPT", "0"},
                         {"GIT_ALLOW_PROTOCOL", call.users ? "none" : "file"},
                         {"GIT_AUTHOR_NAME", std::string(identity_name)},
                         {"GIT_AUTHOR_EMAIL", std::string(identity_mail)},
                         {"GIT_AUTHOR_DATE", date},
                         {"GIT_COMMITTER_NAME", std::string(identity_name)},
                         {"GIT_COMMITTER_EMAIL", std::string(identity_mail)},
                         {"GIT_COMMITTER_DATE", date}};
  using Variables = std::vector<std::pair<std::string, std::string>>;
  const Variables nobodys = {{"HOME", "/nonexistent"},
                             {"GIT_CONFIG_NOSYSTEM", "1"},
                             {"GIT_CONFIG_GLOBAL", "/dev/null"},
                             {"GIT_ATTR_NOSYSTEM", "1"}};
  const Variables& settings = call.person.empty() ? nobodys : call.person;
  command.environment.insert(command.environment.end(), settings.begin(), settings.end());
  command.writable = call.writable;
  command.writable.push_back(call.git_dir);
  if (!call.work_tree.empty()) {
    command.environment.emplace_back("GIT_WORK_TREE", call.work_tree);
    command.writable.push_back(call.work_tree);
  }
  if (!call.index.empty()) {
    command.environment.emplace_back("GIT_INDEX_FILE", call.index);
    command.writable.push_back(std::filesystem::path(call.index).parent_path().string());
  }
  if (!call.also.empty()) {
    command.environment.emplace_back("GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                     listed_folder(call.also) + (call.alternates.empty() ? "" : ":" + call.alternates));
  }
  if (!call.objects.empty()) {
    command.environment.emplace_back("GIT_OBJECT_DIRECTORY", call.objects);
    command.writable.push_back(call.objects);
  }
  command.input = call.input;
  command.input_file = call.input_file;
  return run_words(std::move(command));
}

Error no_repository(const std::string& folder, const Done& done) {
  return Error{ErrorCode::invalid_argument, "no repository can be worked on there: " + done.err, folder, 0, 0};
}

Result<Done> run_persons_git(const std::string& folder, std::vector<std::string> words,
                             std::vector<std::pair<std::string, std::string>> environment) {
  process::Command command;
  command.argv = std::move(words);
  command.argv.insert(command.argv.begin(), "git");
  command.folder = folder;
  command.environment = std::move(environment);
  command.environment.insert(command.environment.end(), {{"PATH", variable("PATH", "/usr/local/bin:/usr/bin:/bin")},
                                                         {"LC_ALL", "C"},
                                                         {"GIT_ALLOW_PROTOCOL", "none"},
                                                         {"GIT_NO_LAZY_FETCH", "1"}});
  return run_words(std::move(command));
}

Result<Users> find_repository(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> environment = {{"HOME", variable("HOME", "/nonexistent")}};
  if (const std::string config = variable("XDG_CONFIG_HOME", ""); !config.empty()) {
    environment.emplace_back("XDG_CONFIG_HOME", config);
  }
  const Result<Done> done = run_persons_git(
      folder, {"rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "--show-object-format"},
      std::move(environment));
  if (!done) {
    return done.error();
  }
  if (!done.value().ok()) {
    return no_repository(folder, done.value());
  }
  Users out;
  const std::string& text = done.value().out;
  const std::size_t one = text.find('\n');
  const std::size_t two = one == std::string::npos ? one : text.find('\n', one + 1);
  if (two == std::string::npos) {
    return Error{ErrorCode::unavailable, "git said nothing of its repository", folder, 0, 0};
  }
  out.git_dir = text.substr(0, one);
  out.common_dir = text.substr(one + 1, two - one - 1);
  out.format = text.substr(two + 1, text.find('\n', two + 1) - two - 1);
  return out;
}

Result<bool> make_private(const std::string& git_dir, const std::string& format) {
  const std::string ready = git_dir + "/plumb-ready";
  struct stat about {};
  if (::stat(ready.c_str(), &about) == 0) {
    return true;
  }
  for (const char* inner : {"/objects/pack", "/objects/info", "/refs/heads", "/info"}) {
    if (Result<bool> made = command::WorkFolders::make(git_dir + inner); !made) {
      return made;
    }
  }
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream out(git_dir + name, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    return static_cast<bool>(out);
  };
  const bool other_format = format == "sha256";
  std::string config(private_config);
  config.replace(config.find("%V"), 2, other_format ? "1" : "0");
  config += other_format ? "[extensions]\n  objectFormat = sha256\n" : "";
  // Files lie in a tree byte for byte as git has them, whatever the repository's own attributes say.
  const bool written = write("/HEAD", "ref: refs/heads/none\n") && write("/config", config) &&
                       write("/info/attributes", "* -text -ident -filter -working-tree-encoding\n") &&
                       write("/plumb-ready", "\n");
  return written
             ? Result<bool>(true)
             : Result<bool>(Error{ErrorCode::unavailable, "the private repository cannot be written", git_dir, 0, 0});
}

bool may_have_ref(const std::string& git_dir, const std::string& ref) {
  constexpr std::uint64_t packed_max = std::uint64_t{16} << 20U;
  struct stat about {};
  if (::lstat((git_dir + "/reftable").c_str(), &about) == 0) {
    return true;
  }
  if (::lstat((git_dir + "/" + ref).c_str(), &about) == 0) {
    return !S_ISDIR(about.st_mode);
  }
  const std::string packed = git_dir + "/packed-refs";
  if (::lstat(packed.c_str(), &about) != 0) {
    return errno != ENOENT;
  }
  const Result<std::string> text = read_file(packed, packed_max);
  return !text || text.value().find(" " + ref + "\n") != std::string::npos;
}

std::string plain_ref(const std::string& git_dir, const std::string& ref) {
  struct stat about {};
  const std::string file = git_dir + "/" + ref;
  if (::lstat((git_dir + "/reftable").c_str(), &about) == 0 || ::lstat(file.c_str(), &about) != 0 ||
      !S_ISREG(about.st_mode)) {
    return {};
  }
  const Result<std::string> text = read_file(file, 4096);
  const std::string hash = text ? text.value().substr(0, text.value().find('\n')) : std::string();
  return is_hash(hash) && text.value().size() == hash.size() + 1 ? hash : std::string();
}

bool put_ref(const std::string& git_dir, const std::string& ref, const std::string& to) {
  struct stat about {};
  const auto ends = [&](std::string_view end) { return ref.ends_with(end); };
  // Names that git does not take are left to it; so are refs that do not lie in files.
  if (ends(".lock") || ends(".") || ref.find("..") != std::string::npos || ref.find("/.") != std::string::npos ||
      ref.find(".lock/") != std::string::npos || ref.find("./") != std::string::npos ||
      ::lstat((git_dir + "/packed-refs").c_str(), &about) == 0 ||
      ::lstat((git_dir + "/reftable").c_str(), &about) == 0) {
    return false;
  }
  const std::string file = git_dir + "/" + ref;
  if (to.empty()) {
    return ::unlink(file.c_str()) == 0 || errno == ENOENT;
  }
  const std::string fresh = git_dir + "/plumb-ref";
  return command::WorkFolders::make(file.substr(0, file.rfind('/'))) && write_file(fresh, to + "\n") &&
         ::rename(fresh.c_str(), file.c_str()) == 0;
}

Result<std::string> commit_of(const std::string& git_dir, const std::string& name, bool users) {
  Call call;
  call.git_dir = git_dir;
  call.users = users;
  call.words = {"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"};
  const Result<Done> done = run_git(call);
  if (!done) {
    return done.error();
  }
  return done.value().ok() ? done.value().out.substr(0, done.value().out.find('\n')) : std::string();
}

}  // namespace plumb::git
